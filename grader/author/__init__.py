"""Tools for authors: begin a course, make the stubs and the answer book, verify the course, and release it."""

from .build import build_book, is_work, make_stub, write_stubs
from .release import guide, new_course, new_exercise, start_files
