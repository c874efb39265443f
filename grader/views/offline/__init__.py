"""Single-file HTML pages that need no network and run only their own scripts."""

from .document import Parts, pack, write_page, write_static_page

__all__ = ["Parts", "pack", "write_page", "write_static_page"]
