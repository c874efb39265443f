from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from grader.course import Course
from grader.grading import grade
from grader.oracle.answer_book import read_book
from grader.report import Report, model, to_json
from grader.report.model import CheckResult, ExerciseResult

STRUCTS = [one for one in vars(model).values() if isinstance(one, type) and issubclass(one, msgspec.Struct)]


@pytest.mark.parametrize("struct", STRUCTS)
def test_data_is_frozen(struct: type[msgspec.Struct]) -> None:
    """A report is never changed, only replaced."""
    assert struct.__struct_config__.frozen


def test_the_solutions_have_full_marks(solved: Report) -> None:
    """Every check of every exercise is passed, bonus included."""
    assert ("passed", solved.max_score) == (solved.status, solved.score)
    assert {"passed"} == {check.status for exercise in solved.exercises for check in exercise.checks}
    assert sum(c.max_score for e in solved.exercises for c in e.checks if c.bonus) == solved.bonus


@pytest.mark.slow
def test_each_kind_of_mistake_has_its_status(mixed: Report) -> None:
    """The folder of mistakes has every status of an exercise that such a folder can have."""
    expected = {
        "distribute": "failed",
        "swap": "partial",
        "accumulate": "passed",
        "build_topo": "not_started",
        "backward": "missing",
        "relu": "failed",
        "engine": "partial",
    }
    found = {exercise.id: exercise.status for exercise in mixed.exercises}
    assert expected == {name: found[name] for name in expected}
    assert "partial" == mixed.status


@pytest.mark.parametrize("name", ["solved", pytest.param("mixed", marks=pytest.mark.slow)])
def test_sums_agree(name: str, request: pytest.FixtureRequest) -> None:
    """Scores, maxima and bonus add up from checks to exercises to the report."""
    report: Report = request.getfixturevalue(name)

    def total(part: str, of: tuple[ExerciseResult, ...] | tuple[CheckResult, ...], bonus: bool | None = None) -> int:
        return sum(getattr(x, part) for x in of if bonus is None or x.bonus is bonus)

    for part in ("score", "max_score"):
        assert getattr(report, part) == total(part, report.exercises)
        for exercise in report.exercises:
            assert getattr(exercise, part) == total(part, exercise.checks, bonus=False)
    assert [total("score", exercise.checks, bonus=True) for exercise in report.exercises] == [
        exercise.bonus for exercise in report.exercises
    ]


@pytest.mark.parametrize("name", ["solved", pytest.param("mixed", marks=pytest.mark.slow)])
def test_expected_and_actual_share_their_keys(name: str, request: pytest.FixtureRequest) -> None:
    """Wherever a report shows what is right, it shows what came back under the same names."""
    report: Report = request.getfixturevalue(name)
    for exercise in report.exercises:
        for check in exercise.checks:
            if isinstance(check.expected, dict) and isinstance(check.actual, dict):
                assert list(check.expected) == list(check.actual)


@pytest.mark.slow
def test_the_seed_stands_only_where_it_is_not_the_courses(solved: Report, mixed: Report) -> None:
    """A grading under the course's own seed needs none in its report."""
    assert (msgspec.UNSET, "a seed that is not the course's own") == (solved.seed, mixed.seed)


def without_times(report: Report) -> bytes:
    """The report's JSON with `graded_at`, the durations and the files' folders blanked."""
    exercises = tuple(
        msgspec.structs.replace(
            e,
            checks=tuple(msgspec.structs.replace(c, duration_s=0.0) for c in e.checks),
            file=Path(str(e.file)).name,
        )
        for e in report.exercises
    )
    return to_json(msgspec.structs.replace(report, graded_at="", exercises=exercises))


@pytest.mark.slow
def test_two_gradings_are_alike(mixed: Report, grade_mixed: Callable[[], Report]) -> None:
    """Grading the same files again gives the same bytes but for the time and durations."""
    assert without_times(mixed) == without_times(grade_mixed())


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["print(_backward)", "raise ValueError(object.__repr__(self))"])
def test_addresses_do_not_show(course: Course, tmp_path: Path, shown: str) -> None:
    """Nor does it matter that a learner's code shows objects by their addresses, which differ from run to run."""
    (swap,) = [exercise for exercise in course.exercises if exercise.id == "swap"]
    text = course.solution(swap).read_text(encoding="utf-8").replace("self.grad += other.data * out.grad", shown)
    (tmp_path / swap.filename).write_text(text, encoding="utf-8")
    files = {"swap": tmp_path / swap.filename}
    one, other = (grade(course, read_book(course.book), files, seed=course.seed, memo=None) for _ in range(2))
    assert shown in text
    assert without_times(one) == without_times(other)
