"""Reports without what differs between two gradings."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from grader.verdict.report import Report, to_json


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
