"""The search for the line that must change."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader import sandbox
from grader.client import Source
from grader.course import load_course
from grader.grading import repairs
from grader.oracle.answer_book import read_book
from grader.report import Repairs
from grader.sandbox import Warm

pytestmark = pytest.mark.slow

COURSE = load_course(Path(__file__).resolve().parents[2])
BOOK = read_book(COURSE.book)
Search = Callable[[str, str, str, str], Repairs]


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with sandbox.start(allow_imports=COURSE.allow_imports) as started:
        yield started


@pytest.fixture
def search(warm: Warm) -> Search:
    """Return a function that searches an edited solution for repairs."""

    def found(name: str, check: str, old: str, new: str) -> Repairs:
        exercise = next(exercise for exercise in COURSE.exercises if exercise.id == name)
        text = COURSE.solution(exercise).read_text(encoding="utf-8")
        assert old in text
        source = Source(Path(exercise.filename), text.replace(old, new))
        events = repairs(COURSE, BOOK, exercise, source, check, seed=COURSE.seed, memo=None, warm=warm)
        *_, result = events
        assert isinstance(result, Repairs)
        return result

    return found


def line_of(name: str, text: str) -> int:
    exercise = next(exercise for exercise in COURSE.exercises if exercise.id == name)
    lines = COURSE.solution(exercise).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("name", "check", "old", "new"),
    [
        ("backward", "diamonds", "reversed(build_topo(self))", "build_topo(self)"),
        ("swap", "other_value", "self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),
        ("relu", "inactive", "(self.data > 0) * out.grad", "(self.data < 0) * out.grad"),
    ],
)
def test_the_changed_line_is_found(search: Search, name: str, check: str, old: str, new: str) -> None:
    """Every repair changes the line that was changed, and all candidates were tried."""
    found = search(name, check, old, new)
    assert found.exhaustive
    assert ((line_of(name, old),),) == found.places


def test_the_same_mistake_in_two_lines_is_found(search: Search) -> None:
    """The same edit of both lines repairs the file, and no edit of one line does."""
    first = line_of("swap", "self.grad += other.data")
    found = search("swap", "already_there", ".grad += ", ".grad = ")
    assert ((first, first + 1),) == found.places


def test_a_mistake_that_no_edit_mends_is_in_one_function(search: Search) -> None:
    """There is no place, but the function of the solution mends the file."""
    found = search("backward", "diamonds", "node._backward()", "raise ValueError(node)")
    assert () == found.places
    assert ("Value.backward",) == found.functions
