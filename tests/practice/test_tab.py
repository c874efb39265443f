"""In a browser tab, the same grader gives the same verdicts as in a sandbox."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.author.build import catalogue
from grader.base.style import Style
from grader.client import decode_source
from grader.cohort.intake.files import read_files
from grader.course import Exercise, load_course
from grader.practice import Practice
from grader.practice.tab import Tab, for_page
from grader.report import to_json
from grader.views.practice import exercise_screen

ROOT = Path(__file__).resolve().parents[2]
COURSE = load_course(ROOT)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with Tab(ROOT, patience=60) as opened:
        yield opened


@pytest.fixture(scope="module")
def practice() -> Iterator[Practice]:
    with Practice(COURSE, ROOT / "exercises") as opened:
        yield opened


def comparable(report: dict[str, Any]) -> Any:
    """Return the results of a report without durations."""
    for result in report["exercises"]:
        for check in result["checks"]:
            del check["duration_s"]
    return report["exercises"]


def files() -> Iterator[Any]:
    """Yield the solution, the stub and the misconceptions of each exercise. All but the first two are many."""
    for exercise in COURSE.exercises:
        solution = COURSE.solution(exercise).read_text(encoding="utf-8")
        yield pytest.param(exercise, solution, id=f"{exercise.id}-solution")
        for at, entry in enumerate(catalogue(COURSE, exercise)):
            marks = [pytest.mark.exhaustive] if at else []
            yield pytest.param(exercise, entry.source, id=f"{exercise.id}-{entry.id}", marks=marks)
    first = COURSE.exercises[2]
    solution = COURSE.solution(first).read_text(encoding="utf-8")
    for name, more in {"raises": "1 / 0", "syntax": ")", "prints": "print('<b>')"}.items():
        yield pytest.param(first, f"{solution}\n{more}\n", id=f"{first.id}-{name}")


@pytest.mark.parametrize(("exercise", "text"), list(files()))
def test_the_verdict_is_that_of_a_sandbox(tab: Tab, practice: Practice, exercise: Exercise, text: str) -> None:
    """Status, points, facts, misconceptions and every sentence are the same."""
    sandboxed = practice.grade_source(exercise, decode_source(Path("exercises", exercise.filename), text.encode()))
    verdict = json.loads(tab.grade(exercise.id, text, 80))
    assert comparable(json.loads(to_json(sandboxed))) == comparable(json.loads(verdict["report"]))
    assert exercise_screen(for_page(sandboxed.exercises[0]), style=Style(width=80)) == verdict["lines"]


def test_marks_and_hints_are_those_of_the_failure(tab: Tab) -> None:
    """The lines of the rule that the fact is about are marked, and the hints are those that fit it."""
    exercise = COURSE.exercises[2]
    wrong = COURSE.solution(exercise).read_text(encoding="utf-8").replace("+=", "=")
    first = wrong[: wrong.index("def _backward")].count("\n") + 1
    verdict = json.loads(tab.grade(exercise.id, wrong, 80))
    assert first in verdict["marked"]
    assert verdict["hints"]


def test_work_goes_through_a_zip(tab: Tab, tmp_path: Path) -> None:
    """Files come back as they were, and are one person's submission for `grade cohort`."""
    one, other = COURSE.exercises[:2]
    data = tab.packed(json.dumps({one.filename: "a = 1\n", other.filename: "ü"}))
    assert {one.id: "a = 1\n", other.id: "ü"} == json.loads(tab.unpacked(data))
    (tmp_path / "ada.zip").write_bytes(data)
    sources = read_files([(tmp_path / "ada.zip", "ada.zip")], {e.id: e.filename for e in COURSE.exercises}).sources
    assert ["a = 1\n", "ü", ""] == [sources[e.id].text for e in COURSE.exercises[:3]]


def test_other_files_of_a_zip_are_left_out(tab: Tab) -> None:
    """Only files with an exercise's name are read, in whatever folder they are."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("work/deep/01_distribute.py", "x = 1")
        archive.writestr("notes.txt", "no")
        archive.writestr("exercises/02_swap.py", b"\0")
    assert {"distribute": "x = 1"} == json.loads(tab.unpacked(packed.getvalue()))
    assert None is json.loads(tab.unpacked(b"no zip"))
