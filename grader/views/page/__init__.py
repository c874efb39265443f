"""The class page for instructors: a class as one HTML file that needs no network."""

from .build import build_page
from .data import Beside

__all__ = ["Beside", "build_page"]
