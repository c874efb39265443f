"""Grading from files to a report."""

from pathlib import Path
from typing import Any

import pytest

from grader import grading
from grader.author.build import catalogue
from grader.client import EngineProcess
from grader.course import load_course
from grader.oracle.answer_book import read_book
from grader.report import Report

ROOT = Path(__file__).resolve().parents[2]


def test_files_are_loaded_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files run one after the other, so a submission takes no more memory than one file may take."""
    alive = 0
    most = 0
    real_load, real_close = EngineProcess.load, EngineProcess.close

    def load(self: EngineProcess) -> Any:
        nonlocal alive, most
        alive += 1
        most = max(most, alive)
        return real_load(self)

    def leave(self: EngineProcess, *_: object) -> None:
        nonlocal alive
        alive -= 1
        real_close(self)

    monkeypatch.setattr(EngineProcess, "load", load)
    monkeypatch.setattr(EngineProcess, "__exit__", leave)
    course = load_course(ROOT)
    files = {exercise.id: course.solution(exercise) for exercise in course.exercises[:4]}
    report = grading.grade(course, read_book(course.book), files, seed=course.seed, memo=None)
    assert ("passed", 1, 0) == (report.status, most, alive)


def shown(report: Report) -> dict[str, tuple[Any, Any, Any]]:
    """Return the status, the program and the misconception of each check."""
    (result,) = report.exercises
    return {check.id: (check.status, check.program, check.diagnosis) for check in result.checks}


@pytest.mark.slow
def test_a_misconception_is_named_whatever_numbers_are_asked(tmp_path: Path) -> None:
    """Under a secret seed, other programs fail, but the misconception is the same.

    It is found on the course's own programs, which give no points.
    """
    course = load_course(ROOT)
    exercise = next(e for e in course.exercises if e.id == "accumulate")
    (believed, *_) = catalogue(course, exercise)
    file = tmp_path / exercise.filename
    file.write_text(believed.source, encoding="utf-8")
    practice, official = (
        shown(grading.grade(course, read_book(course.book), {exercise.id: file}, seed=seed, memo=tmp_path / "memo"))
        for seed in (course.seed, "a secret")
    )
    assert any(status != "passed" for status, _, _ in practice.values())
    assert {k: (status, said) for k, (status, _, said) in practice.items()} == {
        k: (status, said) for k, (status, _, said) in official.items()
    }
    assert believed.id in {said.id for _, _, said in official.values() if said}
    for check, (status, program, _) in official.items():
        assert (status == "passed") or program != practice[check][1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "old", "new"),
    [("passed", "", ""), ("failed", "node._backward()", "pass")],
    ids=["correct", "no gradient arrives"],
)
def test_where_none_can_be_named_no_misconception_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str, old: str, new: str
) -> None:
    """Such a file runs as many batches under a secret seed as under the course's seed."""
    course = load_course(ROOT)
    exercise = next(e for e in course.exercises if e.id == "backward")
    file = tmp_path / exercise.filename
    file.write_text(course.solution(exercise).read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    book = read_book(course.book)
    batches = 0
    run = EngineProcess.run

    def counted(self: EngineProcess, batch: Any) -> Any:
        nonlocal batches
        batches += 1
        return run(self, batch)

    monkeypatch.setattr(EngineProcess, "run", counted)
    counts = []
    for seed in (course.seed, "a secret"):
        batches = 0
        report = grading.grade(course, book, {"backward": file}, seed=seed, memo=tmp_path / "memo")
        counts.append((report.status, batches))
    assert [(status, batches)] * 2 == counts
