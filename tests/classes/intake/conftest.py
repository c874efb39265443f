"""Submissions of somebody, read for the repository's own course."""

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grader.classes.intake import Entry, Intake
from grader.course.load import Course


@pytest.fixture(scope="session")
def exercises(course: Course) -> dict[str, str]:
    """Return the files of the course's exercises, by their ids."""
    return {exercise.id: exercise.filename for exercise in course.exercises}


@pytest.fixture
def take(take_in: Callable[[Entry], Intake]) -> Callable[..., Intake]:
    """Read a submission from the given places."""

    def read(*places: Path, **more: Any) -> Intake:
        return take_in(Entry("jane", "jane", places, **more))

    return read


@pytest.fixture
def jane(tmp_path: Path) -> Path:
    """Return the folder of somebody who has not submitted anything yet."""
    folder = tmp_path / "jane"
    folder.mkdir()
    return folder


@pytest.fixture
def at_most() -> Callable[[int], Any]:
    """Fail if a block takes more than the given megabytes of memory.

    Threads of the test runner may take a little at the same time. The attacks take hundreds of megabytes.
    """

    @contextmanager
    def capped(megabytes: int) -> Iterator[None]:
        tracemalloc.start()
        try:
            yield
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < (megabytes + 6) << 20

    return capped
