"""The search for the line that must change."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from many_graded import grader_of
from msgspec.structs import replace

from grader.client import Candidate, Source
from grader.course import load_course
from grader.grading import Grader, examine, repair
from grader.grading.examination import checks_pass
from grader.grading.submissions import own_lines
from grader.oracle import TableOracle
from grader.oracle.answer_book import Answer, read_book
from grader.oracle.answers import NoAnswer
from grader.report import Repairs

COURSE = load_course(Path(__file__).resolve().parents[2])
BOOK = read_book(COURSE.book)
Search = Callable[..., Repairs]


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    """Return the grader of the course."""
    with grader_of(COURSE, BOOK, None, COURSE.seed) as grader:
        yield grader


@pytest.fixture
def search(grader: Grader) -> Search:
    """Return a function that searches an edited solution for repairs."""

    def found(name: str, *edits: tuple[str, str], learner: bool = False) -> Repairs:
        exercise = next(exercise for exercise in COURSE.exercises if exercise.id == name)
        text = COURSE.solution(exercise).read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        source = Source(Path(exercise.filename), text)
        examined = examine(grader, exercise, source)
        own = own_lines(text, BOOK.stubs[name])
        of = replace(grader, course=replace(COURSE, folder=Path("/nowhere"))) if learner else grader
        *_, result = repair.search(of, exercise, source, examined, own)
        assert isinstance(result, Repairs)
        return result

    return found


def line_of(name: str, text: str) -> int:
    exercise = next(exercise for exercise in COURSE.exercises if exercise.id == name)
    lines = COURSE.solution(exercise).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


EDITS = [
    ("backward", "reversed(build_topo(self))", "build_topo(self)"),
    ("swap", "self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),
    ("relu", "(self.data > 0) * out.grad", "(self.data < 0) * out.grad"),
    ("engine", "self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
    ("local_grads", "(other.data, self.data)", "(self.data, other.data)"),
]
# each run has a search of the engine for the first of two mistakes
MARKS: dict[tuple[str, bool], Any] = {
    ("swap", True): (),
    ("relu", True): (),
    ("backward", True): pytest.mark.slow,
    ("local_grads", True): pytest.mark.slow,
    ("swap", False): pytest.mark.slow,
}


@pytest.mark.parametrize(
    ("name", "old", "new", "learner"),
    [
        pytest.param(*edit, learner, marks=MARKS.get((edit[0], learner), pytest.mark.exhaustive))
        for edit in EDITS
        for learner in (True, False)
    ],
)
def test_the_changed_line_is_found(search: Search, name: str, old: str, new: str, learner: bool) -> None:
    """Every repair changes the line that was changed. A learner's grader has no solution, and an instructor's has."""
    found = search(name, (old, new), learner=learner)
    assert ((line_of(name, old),),) == found.places
    assert not found.check


@pytest.mark.slow
def test_the_same_mistake_in_two_lines_is_found(search: Search) -> None:
    """The same edit of both lines repairs the file, and no edit of one line does."""
    lines = "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad"
    first = line_of("accumulate", "self.grad += other.data")
    assert ((first, first + 1),) == search("accumulate", (lines, lines.replace("+=", "="))).places


@pytest.mark.slow
def test_the_same_mistake_in_many_lines_is_found(search: Search) -> None:
    """The same edit of all of them repairs the file. Only the statements that need it are named."""
    add = line_of("accumulate", "self.grad += out.grad")
    mul = line_of("accumulate", "self.grad += other.data")
    edits = [(f"{name}.grad += {value}", f"{name}.grad = {value}") for name, value in (("self", "o"), ("other", "o"))]
    found = search("accumulate", *edits, ("other.grad += self", "other.grad = self"))
    assert ((add, add + 1, mul, mul + 1),) == found.places


@pytest.mark.slow
def test_a_missing_statement_is_found(search: Search) -> None:
    """There is no place, but a statement more mends the file."""
    found = search("backward", ("        self.grad = 1.0\n", ""))
    assert () == found.places
    assert {"Value.backward"} == {one.function for one in found.added}


def test_a_mistake_that_no_edit_mends_is_in_one_function(search: Search) -> None:
    """There is no place, but the function of the solution mends the file."""
    loop = "    for node in nodes:\n        node.grad = 0.0\n"
    found = search("accumulate", (loop, "    nodes[0].grad = 0.0\n"))
    assert () == found.places
    assert ("zero_grad",) == found.functions


@pytest.mark.slow
def test_the_only_function_of_a_learner_is_not_named(search: Search) -> None:
    """Its name says nothing that the exercise does not say."""
    found = search("backward", ("        self.grad = 1.0\n", ""))
    assert ((), ()) == (found.places, found.functions)


@pytest.mark.slow
def test_of_two_mistakes_the_first_is_found(search: Search) -> None:
    """No edit makes every check pass. One makes the first failing check pass, and this check is named."""
    found = search(
        "engine",
        ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),
        ("1.0 if self.data > 0", "1.0 if self.data < 0"),
    )
    assert "plus_times" == found.check
    assert ((line_of("engine", "self.grad += other.data"),),) == found.places


@pytest.mark.slow
def test_of_two_mistakes_a_later_one_is_found(search: Search) -> None:
    """No edit makes the first failing check pass. One makes the next check pass, and this check is named."""
    found = search(
        "vanish",
        ("return [abs(node.grad) for node in nodes]", "return [node.grad**2 for node in nodes]"),
        ("h = h + (w * h).tanh()", "h = x + (w * h).tanh()"),
        learner=True,
    )
    assert "residual" == found.check
    assert ((line_of("vanish", "h = h + (w * h).tanh()"),),) == found.places


@pytest.mark.slow
def test_a_program_without_an_answer_in_the_table_confirms_nothing(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grading goes on, without a repair."""

    def none(oracle: TableOracle, program: object) -> Answer:
        raise NoAnswer("no answer")

    monkeypatch.setattr(TableOracle, "_computed", none)
    monkeypatch.setattr(repair, "_table", lambda seed: TableOracle())  # which knows nothing of earlier searches
    assert () == search("relu", ("(self.data > 0) * out.grad", "(self.data < 0) * out.grad")).found


@pytest.mark.slow
def test_a_repair_passes_with_other_numbers_too(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit that passes with the course's numbers, and fails with others, is not reported."""
    seeds = []

    def passes(grader: Grader, *arguments: Any, **more: Any) -> bool:
        seeds.append(grader.seed)
        return grader.seed == COURSE.seed and checks_pass(grader, *arguments, **more)

    monkeypatch.setattr(repair, "checks_pass", passes)
    assert () == search("relu", ("(self.data > 0) * out.grad", "(self.data < 0) * out.grad")).found
    assert 1 < len(set(seeds))


def test_lines_that_no_right_run_executes_are_edited_first() -> None:
    """Then come the likely kinds of edits, those of several statements, and the unlikely kinds."""
    kinds = ("deleted", (5,)), ("sign", (5, 7)), ("name", (5,)), ("sign", (5,)), ("sign", (9,)), ("deleted", (9,))
    edits = {number: Candidate(kind, lines, (), "") for number, (kind, lines) in enumerate(kinds)}  # type: ignore[arg-type]
    assert [4, 5, 3, 2, 1, 0] == repair._Edits(edits, suspects=frozenset({9})).in_order()
