"""A miniature course."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.load import Course, load_course

COURSE = """\
format_version: 1
course: {id: mini, version: 1, title: Mini, total: 3}
exercises:
  - id: plus
    title: Plus
    checks:
      both: {points: 1, title: both inputs}
      shared: {points: 2, title: shared nodes}
    hints: [Think.]
"""
TESTS = """\
from grader.checks import EngineUnderCheck, check

@check("both")
def test_both(engine: EngineUnderCheck) -> None:
    engine.agrees("L = a + b", a=1, b=2)

@check("shared")
def test_shared(engine: EngineUnderCheck) -> None:
    engine.agrees("L = a + a", a=1)
"""


@pytest.fixture
def mini(tmp_path: Path) -> Callable[..., Course]:
    """Make a course of one exercise with two checks, whose hidden tests a test may replace."""

    def make(tests: str = TESTS, course: str = COURSE) -> Course:
        hidden = tmp_path / "tests" / "hidden"
        hidden.mkdir(parents=True)
        (tmp_path / "exercises").mkdir()
        (tmp_path / "exercises" / "01_plus.py").write_text("class Value: ...\n")
        (tmp_path / "course.yaml").write_text(course)
        (hidden / "test_01_plus.py").write_text(textwrap.dedent(tests))
        return load_course(tmp_path)

    return make
