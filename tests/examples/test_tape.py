"""The second course, examples/tape, can be graded unchanged, because the grader knows no particular course."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from in_process import run_grade

from grader.author.build import make_stub
from grader.course.load import Exercise, load_course
from grader.course.oracle.answer_book import AnswerBook, read_book
from grader.runner import sandbox
from grader.verdict.diagnosis import Misconception, read_misconceptions
from grader.verdict.grading import grade
from grader.verdict.report.model import ExerciseResult, Report

pytestmark = pytest.mark.slow

TAPE = Path(__file__).resolve().parents[2] / "examples" / "tape"
COURSE = load_course(TAPE)
STALE = "run `grade stubs --course examples/tape` and `grade build --course examples/tape`"


def misconceptions(exercise: Exercise) -> list[Misconception]:
    """Return the content of the exercise's mistakes.yaml."""
    solution = COURSE.solution(exercise)
    text = solution.read_text(encoding="utf-8")
    return read_misconceptions(solution.with_suffix(".mistakes.yaml"), text, len(exercise.hints))


CATALOGUE = {exercise.id: misconceptions(exercise) for exercise in COURSE.exercises}
# nothing is propagated, or a solution with a statement missing does the same
LIKE_UNFINISHED = {
    "gradient_for_value",
    "not_on_the_tape",
    "no_start",
    "root_left_out",
    "gradients_alone",
    "nodes_alone",
    "tape_first",
}
MISTAKES = [(exercise, mistake) for exercise, mistakes in CATALOGUE.items() for mistake in mistakes]
Mistaken = Mapping[tuple[str, str], ExerciseResult]

each_mistake = pytest.mark.parametrize(("exercise", "mistake"), MISTAKES, ids=lambda it: getattr(it, "id", it))
each_exercise = pytest.mark.parametrize("exercise", COURSE.exercises, ids=lambda exercise: exercise.id)


def through_the_command(folder: Path, tmp_path: Path) -> tuple[int, str, dict[str, tuple[str, int]]]:
    """Return exit code and standard error of `grade`, and the status and score of each exercise in the report."""
    path = tmp_path / "report.json"
    environment = {**os.environ, "BACKWARD_CACHE": str(tmp_path / "cache")}
    done = run_grade("--course", TAPE, "--from", folder, "--report", path, cwd=tmp_path, env=environment)
    report = json.loads(path.read_text(encoding="utf-8"))
    return done.returncode, done.stderr, {e["id"]: (e["status"], e["score"]) for e in report["exercises"]}


@pytest.fixture(scope="module")
def shipped() -> AnswerBook:
    """Return the answer book in the repository."""
    return read_book(COURSE.book)


@pytest.fixture(scope="module")
def mistaken(shipped: AnswerBook, tmp_path_factory: pytest.TempPathFactory) -> Mistaken:
    """Return the results of each exercise with each of its misconceptions.

    The n-th misconceptions of all exercises are graded together, as one submission.
    """
    home = tmp_path_factory.mktemp("mistaken")
    results = {}
    with sandbox.start(allow_imports=COURSE.allow_imports) as warm:
        for n in range(max(map(len, CATALOGUE.values()))):
            given = {exercise: mistakes[n] for exercise, mistakes in CATALOGUE.items() if n < len(mistakes)}
            files = {exercise: home / f"{exercise}_{n}.py" for exercise in given}
            for exercise, path in files.items():
                path.write_text(given[exercise].source, encoding="utf-8")
            report: Report = grade(COURSE, shipped, files, seed=COURSE.seed, memo=None, warm=warm)
            results.update({(result.id, given[result.id].id): result for result in report.exercises})
    return results


def test_the_solutions_get_full_marks(tmp_path: Path) -> None:
    """The course's own solutions pass every check, and `grade` exits with 0."""
    expected = {exercise.id: ("passed", 10) for exercise in COURSE.exercises}
    assert (0, "", expected) == through_the_command(TAPE / "solutions", tmp_path)


def test_the_stubs_are_not_started(tmp_path: Path) -> None:
    """An untouched exercise file is not started and gets no points."""
    for exercise in COURSE.exercises:
        (tmp_path / exercise.filename).write_text(make_stub(COURSE, exercise), encoding="utf-8")
    expected = {exercise.id: ("not_started", 0) for exercise in COURSE.exercises}
    assert (1, "", expected) == through_the_command(tmp_path, tmp_path)


@each_mistake
def test_a_misconception_loses_points(mistaken: Mistaken, exercise: str, mistake: Misconception) -> None:
    """No misconception gets all points, and every one can be loaded."""
    result = mistaken[exercise, mistake.id]
    assert result.score < result.max_score
    assert [] == [check.id for check in result.checks if check.status == "skipped"]


@each_mistake
def test_a_misconception_is_diagnosed_as_itself(mistaken: Mistaken, exercise: str, mistake: Misconception) -> None:
    """Every failed check names the misconception, unless an unfinished file behaves like it."""
    failed = [check for check in mistaken[exercise, mistake.id].checks if check.status != "passed"]
    expected = mistake.explanation
    said = {check.diagnosis.explanation for check in failed if check.diagnosis}
    assert (set() if mistake.id in LIKE_UNFINISHED else {expected}) == said


def test_every_exercise_has_misconceptions() -> None:
    """The tests above are not vacuous: each exercise has at least six misconceptions."""
    counts = {exercise: len(found) for exercise, found in CATALOGUE.items()}
    assert {"record": 6, "replay": 6, "reset": 6, "uses": 7} == counts


@each_exercise
def test_the_stub_is_in_step(shipped: AnswerBook, exercise: Exercise, in_step: Callable[..., None]) -> None:
    """An exercise file that nobody has worked on is the present stub of its solution."""
    in_step(COURSE, exercise, shipped.stubs)


@each_exercise
def test_the_book_has_the_misconceptions(shipped: AnswerBook, exercise: Exercise) -> None:
    """The book has the words of every misconception. The diagnoses show that it has their behaviour too."""
    expected = [(one.id, one.title, one.explanation, one.hint) for one in CATALOGUE[exercise.id]]
    known = shipped.known[exercise.id].misconceptions
    assert expected == [(one.id, one.title, one.explanation, one.hint) for one in known], STALE
