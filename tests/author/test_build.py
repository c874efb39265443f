"""Generated and shipped files are up to date with their sources."""

import math
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from every import every

from grader.author import build
from grader.author.build import Behaviours, Steps, catalogue, make_stub
from grader.course.load import Course, CourseError, Exercise, load_course
from grader.course.oracle.answer_book import AnswerBook, read_book
from grader.runner.client import Budget, Source
from grader.verdict.diagnosis import Behaviour, Misconception
from grader.verdict.grading import Examined, FileState, examine

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
STALE = "run `grade stubs` and `grade build`"


# Running every misconception takes a minute. `a_set` depends on the order in which a set is walked.
SAMPLE = {"distribute": "no_upstream", "accumulate": "overwrite", "build_topo": "a_set", "relu": "leaks"}


def sample(course: Course, exercise: Exercise) -> list[Misconception]:
    """Return one misconception each of some exercises."""
    return [one for one in catalogue(course, exercise) if one.id == SAMPLE.get(exercise.id)]


@pytest.fixture(scope="module")
def built() -> AnswerBook:
    """Return the answer book as it is made now, with a sample of the misconceptions and without rival behaviours."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build, "catalogue", sample)
        patched.setattr(build, "unfinished", lambda solution: [])
        return build.build_book(COURSE)


@pytest.fixture(scope="module")
def shipped() -> AnswerBook:
    """Return the answer book in the repository."""
    return read_book(COURSE.book)


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_exercise_files_are_in_step_with_the_solutions(
    exercise: Exercise, shipped: AnswerBook, in_step: Callable[..., None]
) -> None:
    """Every exercise file that nobody has worked on is exactly the present stub of its solution."""
    in_step(COURSE, exercise, shipped.stubs)


def test_every_exercise_file_belongs_to_an_exercise() -> None:
    """There are no exercise files, solutions or hidden tests of an exercise that no longer exists."""
    names = {exercise.filename for exercise in COURSE.exercises}
    assert names == {path.name for path in (ROOT / "exercises").glob("*.py")}
    assert names == {path.name for path in (ROOT / "solutions").glob("*.py")}
    assert {f"test_{name}" for name in names} == {path.name for path in COURSE.hidden.glob("*.py")}


def test_a_busy_machine_makes_the_same_book(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting time stops no wrong solution; only calls, CPU time and memory do."""
    allowed = []

    def examined(grader: object, exercise: Exercise, source: object, budget: Budget, *, to_the_end: bool) -> Examined:
        allowed.append(budget.left_wall_s)
        return Examined(FileState("loaded"))

    monkeypatch.setattr(build, "catalogue", sample)
    monkeypatch.setattr(build, "examine", examined)
    grader: Any = SimpleNamespace(course=COURSE)
    with pytest.raises(CourseError):  # as nothing was run, no program tells the misconception from the solution
        build._known(grader, COURSE.exercises[0], Steps(), Behaviours(COURSE, None))
    assert [math.inf] == allowed


@pytest.mark.exhaustive
def test_an_interrupted_build_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, built: AnswerBook) -> None:
    """What was run before an interruption is not run again, and the book is the same. Then the file is removed."""
    kept = tmp_path / "build.sqlite"
    ran: list[tuple[str, str]] = []
    before: list[tuple[str, str]] = []

    def examined(grader: Any, exercise: Exercise, source: Source, *rest: Any, **more: Any) -> Examined:
        if not before and len(ran) == 3:
            raise KeyboardInterrupt
        ran.append((exercise.id, source.text))
        return examine(grader, exercise, source, *rest, **more)

    monkeypatch.setattr(build, "catalogue", sample)
    monkeypatch.setattr(build, "unfinished", lambda solution: [])
    monkeypatch.setattr(build, "examine", examined)
    with pytest.raises(KeyboardInterrupt):
        build.build_book(COURSE, kept=kept)
    before, ran = ran, []
    assert built == build.build_book(COURSE, kept=kept)
    assert set() == set(before) & set(ran)
    assert ran
    assert not kept.exists()


@pytest.mark.slow
def test_another_grader_goes_on_with_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A behaviour that was kept counts only for the same versions and the same course."""
    exercise, kept = COURSE.exercises[0], tmp_path / "build.sqlite"
    found = Behaviour({"a": "b"}, frozenset({"c"}))
    Behaviours(COURSE, kept).of(exercise, "text", lambda: found)
    assert found == Behaviours(COURSE, kept).of(exercise, "text", Behaviour)
    monkeypatch.setattr(build, "torch_version", lambda: "another")
    assert Behaviour() == Behaviours(COURSE, kept).of(exercise, "text", Behaviour)


@every("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_the_shipped_book_has_the_same_misconceptions(exercise: Exercise, shipped: AnswerBook) -> None:
    """The shipped book has every misconception that is listed beside a solution, in the same words."""
    written = [(one.id, one.title, one.explanation, one.hint) for one in catalogue(COURSE, exercise)]
    kept = [(one.id, one.title, one.explanation, one.hint) for one in shipped.known[exercise.id].misconceptions]
    assert written == kept, STALE


@pytest.mark.slow
@every(("exercise", "name"), SAMPLE.items())
def test_misconceptions_behave_as_in_the_shipped_book(
    exercise: str, name: str, built: AnswerBook, shipped: AnswerBook
) -> None:
    """A misconception behaves now, and in every run, as the shipped book says."""
    (now,) = built.known[exercise].misconceptions
    (kept,) = [one for one in shipped.known[exercise].misconceptions if one.id == name]
    assert now == kept, STALE


def test_answers_are_complete(shipped: AnswerBook) -> None:
    """Each answer has as many gradients as values, and the root's is 1. That of a training has no gradients."""
    trained = {key for key, answer in shipped.answers.items() if not answer.grads}
    assert 0 < len(trained) < len(shipped.answers) // 10
    answers = [answer for key, answer in shipped.answers.items() if key not in trained]
    assert all(len(answer.values) == len(answer.grads) for answer in answers)
    assert all(1.0 in answer.grads for answer in answers)


def regions(course: Course, exercise: Exercise) -> Iterator[str]:
    """Return the lines of each solution region, without indentation."""
    inside: list[str] | None = None
    for line in course.solution(exercise).read_text(encoding="utf-8").splitlines():
        if "# BEGIN SOLUTION" in line:
            inside = []
        elif "# END SOLUTION" in line and inside is not None:
            yield squeezed("\n".join(inside))
            inside = None
        elif inside is not None:
            inside.append(line)


def squeezed(text: str) -> str:
    """Return a text without indentation and empty lines, so that it is found at any indentation."""
    return "\n".join(line.strip() for line in textwrap.dedent(text).splitlines() if line.strip())


@every("number", range(len(COURSE.exercises)), ids=lambda i: COURSE.exercises[i].id)
def test_no_exercise_file_gives_its_own_or_a_later_solution_away(number: int) -> None:
    """A solution is not in the file of its own exercise or of an earlier one. Later exercises may contain it."""
    for region in regions(COURSE, COURSE.exercises[number]):
        for exercise in COURSE.exercises[: number + 1]:
            assert region not in squeezed(make_stub(COURSE, exercise)), exercise.filename


def test_every_exercise_has_a_region_to_look_for() -> None:
    """The test above is not vacuous: each solution has a region of at least one line."""
    assert all(all(regions(COURSE, exercise)) and any(regions(COURSE, exercise)) for exercise in COURSE.exercises)
