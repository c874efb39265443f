"""HTML pages of one file that need no network and run no script but their own."""

from .document import Parts, pack, write_page, write_static_page

__all__ = ["Parts", "pack", "write_page", "write_static_page"]
