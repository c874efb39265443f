"""`grade verify` of a course of one exercise: its findings, and the files that it leaves alone."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from read_yaml import read_yaml
from submitted import written

from grader.author.build import build_book, make_stub
from grader.author.verify import Defect, Verified, verify
from grader.cli.main import main
from grader.course.load import Course, load_course
from grader.course.oracle.answer_book import write_book

TEXTS = read_yaml(Path(__file__).with_name("texts.yaml"))
SOLUTION = TEXTS["double"]["solutions/01_double.py"]


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Return a course without findings."""
    course = load_course(written(tmp_path, {"files": [TEXTS["double"]]}))
    exercise_file(course).write_text(make_stub(course, course.exercises[0]), encoding="utf-8")
    write_book(course.book, build_book(course))
    return course


ROUGHLY = "- {id: roughly, title: t, explanation: e, hint: 1, about: %s, edits: [{old: 2 * number, new: %s}]}\n"


def exercise_file(course: Course) -> Path:
    return course.exercise_file(course.exercises[0])


def verified(course: Course) -> Verified:
    """Return the result of `verify` for the only exercise."""
    (result,) = verify(course, course.exercises)
    return result


def test_nothing_is_found_where_all_is_well(course: Course) -> None:
    """The solution passes, the stub does not, and every mutant is killed."""
    result = verified(course)
    assert ([], False, 1) == (result.findings, result.worked_on, result.score)
    assert 0 < result.mutants == result.killed


def test_a_file_that_was_worked_on_is_left_alone(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    """Work in an exercise file is neither a finding nor a leak. The stub is verified instead, and a message says so."""
    exercise_file(course).write_text(SOLUTION, encoding="utf-8")
    assert 0 == main(["verify", "--course", str(course.folder)])
    said = f"  {exercise_file(course)} has been worked on; its stub was verified instead\n"
    assert said in capsys.readouterr().out
    assert SOLUTION == exercise_file(course).read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_stub_of_former_times_is_found(course: Course) -> None:
    """An untouched file that is no longer the stub of its solution is a finding, as is the book."""
    made = build_book(course)
    write_book(course.book, replace(made, stubs={"double": "# TODO: the old stub\n"}))
    exercise_file(course).write_text("# TODO: the old stub\n", encoding="utf-8")
    expected = [
        Defect(course.book, None, "its stub of 01_double has drifted; `grade build` writes it anew"),
        Defect(exercise_file(course), None, "is not what the solution's stub would be; `grade stubs` writes it anew"),
    ]
    assert expected == verified(course).findings


@pytest.mark.slow
def test_a_misconception_fails_the_check_that_it_is_about_before_any_other(course: Course) -> None:
    """Adding instead of doubling fails `twice`. A misconception that names another check in `about` is a finding."""
    path = course.solution(course.exercises[0]).with_suffix(".mistakes.yaml")
    expected = {
        "twice": [],
        "other": ["the misconception `roughly` is about `other`, which is not a check of this exercise"],
        "null": ["the misconception `roughly` does not say which check it is `about`; it fails `twice` first"],
    }
    found = {}
    for about in expected:
        path.write_text(ROUGHLY % (about, "2 + number"), encoding="utf-8")
        write_book(course.book, build_book(course))
        found[about] = [finding.message for finding in verified(course).findings]
    assert expected == found


@pytest.mark.slow
def test_a_score_that_hangs_on_the_seed_is_found(course: Course) -> None:
    """A mistake that shows only with numbers below 12 gets different scores under different seeds, which is found."""
    exercise = course.exercises[0]
    path = course.solution(exercise).with_suffix(".mistakes.yaml")
    path.write_text(ROUGHLY % ("twice", "2 * number if number > 11 else 7"), encoding="utf-8")
    test = course.hidden_test(exercise)
    test.write_text(TEXTS["hanging"], encoding="utf-8")
    write_book(course.book, build_book(course))
    (result,) = verify(course, course.exercises, seeds=6)
    expected = "the misconception `roughly` passes `twice` under some of 6 seeds and not under others"
    assert [expected] == [finding.message for finding in result.findings]
