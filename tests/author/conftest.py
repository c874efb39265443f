from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.load import Check, Course, Exercise, Limits

SOLUTION = """\
def add(a, b):
    # BEGIN SOLUTION what is a sum?
    return a + b
    # END SOLUTION
"""
STUB = """\
def add(a, b):
    # TODO: what is a sum?
    raise NotImplementedError("first: what is a sum?")
"""

WithSolution = Callable[..., Course]


@pytest.fixture(scope="module", autouse=True)
def _one_torch(one_torch: None) -> None:
    """Start torch once for all books that are made in this process."""


@pytest.fixture
def stub() -> str:
    """Return the stub of the solution that `with_solution` writes."""
    return STUB


@pytest.fixture
def with_solution(tmp_path: Path) -> WithSolution:
    """Make a course of the exercises `first` and `second`, whose solutions contain the given texts."""

    def make(*texts: str) -> Course:
        texts = texts or (SOLUTION,)
        check = Check("one", "one", 1, False, "visible", "full", 0, 1)
        exercises = tuple(
            Exercise(name, f"0{number}", name, (check,), ("a hint",), 1)
            for number, (name, _) in enumerate(zip(("first", "second"), texts, strict=False), 1)
        )
        course = Course(tmp_path, "mini", "1", "Mini", (), Limits(), exercises, "0")
        (tmp_path / "exercises").mkdir()
        (tmp_path / "solutions").mkdir()
        for exercise, text in zip(exercises, texts, strict=True):
            course.solution(exercise).write_text(text, encoding="utf-8")
        return course

    return make
