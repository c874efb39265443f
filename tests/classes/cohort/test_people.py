"""The people of a class and the rules for them, as read from the folder of results."""

from pathlib import Path

import pytest

from grader.classes.cohort.results import class_of
from grader.classes.intake import Entry
from grader.classes.people import DEADLINES
from grader.course.load import Course, CourseError

RULES = """\
due: 2026-03-01T23:59:00+01:00
extensions:
- {learner: bbo, extra: 2 days, why: ill}
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return a folder with deadlines that name a learner who has not submitted."""
    (tmp_path / DEADLINES).write_text(RULES)
    return tmp_path


def test_without_a_roster_an_unknown_learner_may_have_an_extension(course: Course, results: Path) -> None:
    """A message names the line, and a similar name."""
    warnings: list[str] = []
    people = class_of(course, results, [Entry("bob", "bob", ())], warn=warnings.append)
    assert ["bbo"] == [one.learner for one in people.rules.extensions]
    said = f"{DEADLINES}:3: there is no learner `bbo`; did you mean `bob`?"
    (warning,) = warnings
    assert said in warning
    assert "the extension counts once the learner has submitted" in warning


def test_with_a_roster_an_extension_for_an_unknown_learner_is_an_error(course: Course, results: Path) -> None:
    """The error names the line."""
    (results / "roster.csv").write_text("login\nbob\n")
    with pytest.raises(CourseError, match=r":3: there is no learner `bbo`"):
        class_of(course, results, [])
