"""The page an instructor looks at: a class as one HTML file that needs no network."""

from .build import build_page

__all__ = ["build_page"]
