"""For whoever makes the course: stubs from solutions, the answer book, exercises handed out."""

from .build import build_book
from .start import hand_out
from .stubs import is_work, make_stub, write_stubs

__all__ = ["build_book", "hand_out", "is_work", "make_stub", "write_stubs"]
