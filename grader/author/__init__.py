"""Tools for authors: begin a course, make the stubs and the answer book, verify the course, and release it."""

from .build import build_book
from .new import guide, new_course, new_exercise
from .start import start_files
from .stubs import is_work, make_stub, write_stubs

__all__ = ["build_book", "guide", "is_work", "make_stub", "new_course", "new_exercise", "start_files", "write_stubs"]
