"""What is generated and shipped is in step with what it was generated from."""

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.answer_book import AnswerBook, read_book
from grader.author import build, make_stub
from grader.author.build import catalogue
from grader.author.drift import drift
from grader.author.verify import drift_text
from grader.course import Course, Exercise, load_course
from grader.diagnosis import Misconception

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
STALE = "run `grade stubs` and `grade build`"


# Running every misconception takes a minute. `a_set` depends on the order in which a set is walked.
SAMPLE = {"distribute": "overwrite", "accumulate": "overwrite", "build_topo": "a_set", "relu": "leaks"}


def sample(course: Course, exercise: Exercise) -> list[Misconception]:
    """One misconception of some exercises."""
    return [one for one in catalogue(course, exercise) if one.id == SAMPLE.get(exercise.id)]


@pytest.fixture(scope="module")
def built() -> AnswerBook:
    """The answer book as it is made now, with a sample of the misconceptions."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build, "catalogue", sample)
        return build.build_book(COURSE)


@pytest.fixture(scope="module")
def shipped() -> AnswerBook:
    """The answer book in the repository."""
    return read_book(COURSE.book)


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_exercise_files_are_in_step_with_the_solutions(
    exercise: Exercise, shipped: AnswerBook, in_step: Callable[..., None]
) -> None:
    """Every exercise file that nobody has worked on is exactly what its solution's stub is now."""
    in_step(COURSE, exercise, shipped.stubs)


def test_every_exercise_file_belongs_to_an_exercise() -> None:
    """No file is left over from an exercise that is gone; solutions and hidden tests neither."""
    names = {exercise.filename for exercise in COURSE.exercises}
    assert names == {path.name for path in (ROOT / "exercises").glob("*.py")}
    assert names == {path.name for path in (ROOT / "solutions").glob("*.py")}
    assert {f"test_{name}" for name in names} == {path.name for path in COURSE.hidden.glob("*.py")}


@pytest.mark.slow
def test_the_shipped_book_knows_the_same_programs(built: AnswerBook, shipped: AnswerBook) -> None:
    """Every program that the checks ask for under the course's seed is in the shipped book, and no other."""
    assert built.answers.keys() == shipped.answers.keys(), STALE


@pytest.mark.slow
def test_the_shipped_book_has_the_same_stubs(built: AnswerBook, shipped: AnswerBook) -> None:
    """An untouched file is known by the stub in the book."""
    assert built.stubs == shipped.stubs, STALE


@pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)
def test_the_shipped_book_has_the_same_misconceptions(exercise: Exercise, shipped: AnswerBook) -> None:
    """Every misconception beside a solution is in the shipped book, in the same words."""
    written = [(one.id, one.title, one.explanation, one.hint) for one in catalogue(COURSE, exercise)]
    kept = [(one.id, one.title, one.explanation, one.hint) for one in shipped.known[exercise.id].misconceptions]
    assert written == kept, STALE


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "name"), SAMPLE.items())
def test_misconceptions_behave_as_in_the_shipped_book(
    exercise: str, name: str, built: AnswerBook, shipped: AnswerBook
) -> None:
    """A misconception does now, and in every run, what the shipped book says of it."""
    (now,) = built.known[exercise].misconceptions
    (kept,) = [one for one in shipped.known[exercise].misconceptions if one.id == name]
    assert now == kept, STALE


@pytest.mark.slow
def test_the_shipped_book_has_the_same_answers(built: AnswerBook, shipped: AnswerBook) -> None:
    """No number differs by more than grading tolerates, whatever torch is installed here."""
    found = [drift_text(one) for one in drift(COURSE, shipped, built) if one.kind != "misconceptions"]
    assert [] == found, STALE


@pytest.mark.slow
def test_answers_are_complete(built: AnswerBook) -> None:
    """Each answer has as many gradients as values, and the root's is 1."""
    assert all(len(answer.values) == len(answer.grads) for answer in built.answers.values())
    assert all(1.0 in answer.grads for answer in built.answers.values())


def regions(course: Course, exercise: Exercise) -> Iterator[str]:
    """The lines of each solution region, without indentation."""
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
    """Text without indentation and empty lines, so that it is found wherever it stands."""
    return "\n".join(line.strip() for line in textwrap.dedent(text).splitlines() if line.strip())


@pytest.mark.parametrize("number", range(len(COURSE.exercises)), ids=lambda i: COURSE.exercises[i].id)
def test_no_exercise_file_gives_its_own_or_a_later_solution_away(number: int) -> None:
    """A solution may be given in later exercises; up to its own it stands in no exercise file."""
    for region in regions(COURSE, COURSE.exercises[number]):
        for exercise in COURSE.exercises[: number + 1]:
            assert region not in squeezed(make_stub(COURSE, exercise)), exercise.filename


def test_every_exercise_has_a_region_to_look_for() -> None:
    """The test above looks for something: a region of at least one line in each solution."""
    assert all(all(regions(COURSE, exercise)) and any(regions(COURSE, exercise)) for exercise in COURSE.exercises)
