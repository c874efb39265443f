"""What tests of every folder share."""

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from grader.course import load_course
from grader.grading import grade
from grader.oracle import read_book
from grader.report import Report

ROOT = Path(__file__).resolve().parents[1]
T = TypeVar("T")
Once = Callable[[str, Callable[[], Any]], Any]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Do what is expensive once in a run of tests, and hand its result to whoever asks for the same name.

    Where tests run in several processes, one of them does it, and the others wait for what comes out. The result has
    to be data that `pickle` knows, and the same whoever computes it.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    def result(name: str, compute: Callable[[], T]) -> T:
        kept = folder / f"{name}.pickle"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(compute()))
        found: T = pickle.loads(kept.read_bytes())
        return found

    return result


@pytest.fixture(scope="session")
def solved(once: Once) -> Report:
    """The report on the solutions of the repository's own course."""

    def graded() -> Report:
        course = load_course(ROOT)
        files = {exercise.id: course.solution(exercise) for exercise in course.exercises}
        return grade(course, read_book(course.book), files, seed=course.seed, memo=None)

    report: Report = once("solved", graded)
    return report
