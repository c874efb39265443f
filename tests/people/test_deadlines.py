"""Due dates, extensions and penalties."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import CourseError
from grader.people import Rules, read_rules
from grader.people.times import duration, moment, seconds_between
from grader.report.person import Person

FILE = """\
due: 2026-03-01T23:59:00+01:00
grace: 10 min
penalty: {percent: 10, per: day, cap: 50}
attempts: last_in_time
sections:
  B: {due: 2026-03-02T23:59:00+01:00}
extensions:
  - {learner: stu1, extra: 2 days, why: ill}
  - {section: B, until: 2026-03-05T12:00:00Z, why: the room was closed}
"""
DAY = 86400


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    (tmp_path / "deadlines.yaml").write_text(FILE, encoding="utf-8")
    return read_rules(tmp_path / "deadlines.yaml")


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        (Person(login="stu2"), "2026-03-01T23:59:00+01:00"),
        (Person(login="stu1"), "2026-03-03T23:59:00+01:00"),
        (Person(login="stu2", section="B"), "2026-03-05T12:00:00+00:00"),
        (Person(login="stu1", section="B"), "2026-03-05T12:00:00+00:00"),
    ],
)
def test_the_latest_extension_counts(rules: Rules, person: Person, expected: str) -> None:
    """The extensions for the person and for the section are compared, starting from the section's own due date."""
    assert expected == rules.due_for(person)


@pytest.mark.parametrize(
    ("submitted_at", "late_s", "penalty"),
    [
        ("2026-03-01T22:59:00Z", 0, 0),  # on time, in another zone
        ("2026-03-02T00:09:00+01:00", 0, 0),  # within the grace period
        ("2026-03-02T00:09:01+01:00", 601, 8),  # one day has begun: 10 % of 81 points, rounded down
        ("2026-03-02T23:59:00+01:00", DAY, 8),
        ("2026-03-02T23:59:01+01:00", DAY + 1, 16),
        ("2026-04-01T00:00:00+02:00", 29 * DAY + 82860, 40),  # the cap
        (None, 0, 0),
    ],
)
def test_each_begun_day_costs(rules: Rules, submitted_at: str | None, late_s: int, penalty: int) -> None:
    """Each started day costs a percentage of the points, rounded down, up to the cap."""
    found = rules.late_s(rules.due, submitted_at)
    assert (late_s, penalty) == (found, rules.penalty(81, found))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("due: tomorrow\n", "1: `tomorrow` is not a time; write one such as 2026-03-01T23:59:00+01:00"),
        ("due: 2026-03-01T23:59:00\n", "1: `2026-03-01T23:59:00` is not a time"),
        ("grace: a while\n", "1: `a while` is not a duration; write one such as 10 min"),
        ("penalty: {percent: 10, per: day}\n", "1: there is a penalty, but no `due`"),
        (
            "due: 2026-03-01T23:59:00Z\npenalty: {percent: 0, per: day}\n",
            "2: `percent` is `0`; write a whole number",
        ),
        (
            "due: 2026-03-01T23:59:00Z\npenalty: {percent: 10, per: week}\n",
            "2: `per` cannot be `week`; expected one of day, hour",
        ),
        ("attempts: frist\n", "1: `attempts` cannot be `frist`; expected one of best, last, last_in_time"),
        ("extensions:\n- {why: ill, extra: 1 day}\n", "2: expected either `learner` or `section`"),
        ("extensions:\n- {why: ill, learner: a}\n", "2: expected either `until` or `extra`"),
    ],
)
def test_mistakes_have_their_line(tmp_path: Path, text: str, said: str) -> None:
    """The message says what is expected. A time without an offset is ambiguous."""
    path = tmp_path / "deadlines.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError) as error:
        read_rules(path)
    assert str(error.value).removeprefix(f"{path}:").startswith(said)


def test_without_a_file_there_are_no_rules(tmp_path: Path) -> None:
    """There is no due date, and the last attempt counts."""
    assert (None, "last") == (read_rules(tmp_path / "no.yaml").due, read_rules(tmp_path / "no.yaml").attempts)


@given(st.datetimes(), st.integers(0, 10**7))
def test_times_are_compared_in_seconds(at: object, more: int) -> None:
    """Times are compared in any time zone."""
    text = moment(f"{at:%Y-%m-%d %H:%M:%S}".rjust(19, "0"))
    if text is not None:
        assert 3600 == seconds_between(text, text.replace("+00:00", "-01:00"))


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_none(text: str) -> None:
    """Any text is a time or None, and a duration or None."""
    found = moment(text)
    assert found is None or found == moment(found)
    length = duration(text)
    assert length is None or length.total_seconds() >= 0
