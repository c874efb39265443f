"""The repository's own course."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from grader.course import Course, load_course
from grader.report import Report, to_json

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def course() -> Course:
    return load_course(ROOT)


@pytest.fixture(scope="session")
def timeless() -> Callable[[Report], bytes]:
    """Return a report's JSON without the fields that may differ between two gradings."""

    def made(report: Report) -> bytes:
        plain: dict[str, Any] = msgspec.json.decode(to_json(report))
        plain.pop("graded_at")
        for exercise in plain["exercises"]:
            for check in exercise["checks"]:
                check.pop("duration_s")
        return msgspec.json.encode(plain)

    return made
