"""From files to a report: what the path through all the rooms promises as a whole."""

from pathlib import Path
from typing import Any

import pytest

from grader import grading
from grader.course import load_course
from grader.engine import EngineProcess
from grader.oracle import read_book

ROOT = Path(__file__).resolve().parents[1]


def test_files_are_loaded_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may take all the memory that the limits allow; a submission takes no more than one file does."""
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
