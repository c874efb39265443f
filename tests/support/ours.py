"""The repository, its own course, and the answer book of the course. They are read once for all tests of a process."""

from pathlib import Path

from grader.course.load import load_course
from grader.course.oracle.answer_book import read_book

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "solutions"
COURSE = load_course(ROOT)
BOOK = read_book(COURSE.book)
