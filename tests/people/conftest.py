"""The repository's own course."""

from pathlib import Path

import pytest

from grader.course import Course, load_course


@pytest.fixture(scope="session")
def course() -> Course:
    return load_course(Path(__file__).resolve().parents[2])
