"""The search for the line that must change."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from edited_texts import of_solution, texts
from many_graded import grader_of
from msgspec.structs import replace
from read_yaml import read_yaml

from grader.author.build import catalogue
from grader.course.load import load_course
from grader.course.oracle import TableOracle
from grader.course.oracle.answer_book import Answer, read_book
from grader.course.oracle.answers import NoAnswer
from grader.runner.client import Candidate, Source
from grader.verdict.grading import Grader, examine, repair
from grader.verdict.grading.examination import checks_pass
from grader.verdict.grading.submissions import own_lines
from grader.verdict.report import Repairs

COURSE = load_course(Path(__file__).resolve().parents[3])
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


MARKS: dict[str, Any] = {"quick": (), "slow": pytest.mark.slow, "exhaustive": pytest.mark.exhaustive}
LISTED = read_yaml(Path(__file__).with_name("repairs.yaml"))


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=MARKS[case["runs"]], id=f"{case['of']}: {case['what']}") for case in LISTED],
)
def test_what_a_search_finds(search: Search, case: dict[str, Any]) -> None:
    """`repairs.yaml` lists edits of solutions, and the lines, functions and checks that a search names."""
    found = search(case["of"], *case["edits"], learner=case["as"] == "learner")
    assert [[line_of(case["of"], text) for text in place] for place in case["places"]] == [*map(list, found.places)]
    assert case.get("check", "") == (found.check or "")
    assert {*case.get("added", ())} == {one.function for one in found.added if "added" in case}
    assert case.get("functions", []) == [name for name in found.functions if "functions" in case]


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "first", "last"),
    [
        ("level_by_level", "for node in order:", "order.append(source)"),
        ("inputs_after_then_turned_with_a_stack", "while stack:", "stack.extend(node._prev)"),
        ("inputs_after_then_turned", "def visit(node):", "visit(source)"),
    ],
)
def test_a_loop_that_sorts_wrongly_is_named(search: Search, known: str, first: str, last: str) -> None:
    """No edit of one statement repairs it, but a right sort in its place does."""
    exercise = next(exercise for exercise in COURSE.exercises if exercise.id == "build_topo")
    solution = COURSE.solution(exercise).read_text(encoding="utf-8")
    (text,) = (one.source for one in catalogue(COURSE, exercise) if one.id == known)
    (place,) = search("build_topo", (solution, text), learner=True).places
    lines = text.splitlines()
    assert (first, last) == (lines[place[0] - 1].strip(), lines[place[-1] - 1].strip())
    assert place == tuple(range(place[0], place[-1] + 1))


@pytest.mark.slow
def test_every_wrong_file_of_the_benchmark_is_an_edit_of_a_right_one() -> None:
    """A passage that `wrong_files.yaml` replaces occurs once in its base."""
    lists = read_yaml(COURSE.folder / "benchmarks/wrong_files.yaml")
    unfit = []
    for exercise in COURSE.exercises:
        folder = COURSE.folder / "tests/fixtures/right" / exercise.stem
        right = {one.name: one.text for one in texts(folder)} if folder.exists() else {}
        right |= of_solution(COURSE.solution(exercise).read_text(encoding="utf-8"))
        for base, *edits in (row for listed in lists.values() for row in listed.get(exercise.id, ())):
            text = right[base]
            for old, new in zip(edits[::2], edits[1::2], strict=True):
                unfit += [(exercise.id, base, old)] * (text.count(old) != 1)
                text = text.replace(old, new)
    assert [] == unfit
