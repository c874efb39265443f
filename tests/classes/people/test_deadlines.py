"""Due dates, extensions and penalties."""

from pathlib import Path

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st
from read_yaml import read_yaml

from grader.classes.people import read_rules
from grader.classes.people.deadlines import DeadlineRules, duration, moment, seconds_between
from grader.course.learners import Person
from grader.course.load import CourseError

MISTAKES = read_yaml(Path(__file__).with_name("mistakes.yaml"))["deadlines"]
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
EXERCISES = ("distribute", "swap")


@pytest.fixture
def rules(tmp_path: Path) -> DeadlineRules:
    (tmp_path / "deadlines.yaml").write_text(FILE, encoding="utf-8")
    return read_rules(tmp_path / "deadlines.yaml", EXERCISES)


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        (Person(login="stu2"), "2026-03-01T23:59:00+01:00"),
        (Person(login="stu1"), "2026-03-03T23:59:00+01:00"),
        (Person(login="stu2", section="B"), "2026-03-05T12:00:00+00:00"),
        (Person(login="stu1", section="B"), "2026-03-05T12:00:00+00:00"),
    ],
)
def test_the_latest_extension_counts(rules: DeadlineRules, person: Person, expected: str) -> None:
    """The extensions for the person and for the section are compared, starting from the section's own due date."""
    assert expected == rules.due_for(person)


@every("name", ["4711", "jo@example.org", "Participant 1006"])
def test_an_extension_names_a_learner_in_several_ways(tmp_path: Path, name: str) -> None:
    """By the key, the e-mail address, or as Moodle's worksheet names a participant; another participant has none."""
    path = tmp_path / "deadlines.yaml"
    path.write_text(
        f'due: 2026-03-01T23:59:00+01:00\nextensions: [{{learner: "{name}", until: 2026-03-05T12:00:00Z, why: ill}}]\n'
    )
    rules = read_rules(path, EXERCISES)
    jo = Person("Jo", sis_id="4711", email="jo@example.org", moodle_id="1006")
    assert "2026-03-05T12:00:00+00:00" == rules.due_for(jo)
    assert "2026-03-01T23:59:00+01:00" == rules.due_for(Person("Jo", sis_id="47", moodle_id="100"))


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
def test_each_begun_day_costs(rules: DeadlineRules, submitted_at: str | None, late_s: int, penalty: int) -> None:
    """Each started day costs a percentage of the points, rounded down, up to the cap."""
    found = rules.late_s(rules.due, submitted_at)
    assert (late_s, penalty) == (found, rules.penalty((81, found)))


@pytest.mark.parametrize(("late_s", "penalty"), [(0, 0), (1, 3), (DAY, 3), (DAY + 1, 6), (3 * DAY, 8), (300 * DAY, 8)])
def test_each_begun_day_may_cost_points(tmp_path: Path, late_s: int, penalty: int) -> None:
    """The penalty is at most the cap, and at most the points that there are."""
    path = tmp_path / "deadlines.yaml"
    path.write_text("due: 2026-03-01T23:59:00Z\npenalty: {points: 3, per: day, cap: 8}\n", encoding="utf-8")
    assert (penalty, min(penalty, 5)) == tuple(read_rules(path, EXERCISES).penalty((of, late_s)) for of in (81, 5))


def test_parts_are_rounded_together(rules: DeadlineRules) -> None:
    """10 % of 5 points and of 6 points is 1 point, not 0."""
    assert 1 == rules.penalty((5, 3600), (6, 3600), (80, 0))


def test_exercises_have_due_dates_of_their_own(tmp_path: Path) -> None:
    """A section's date for an exercise comes first, then that of the exercise. Extensions apply to each date."""
    path = tmp_path / "deadlines.yaml"
    path.write_text(
        """\
due: 2026-03-20T12:00:00Z
exercises:
  distribute: {due: 2026-03-01T12:00:00Z}
  swap: {due: 2026-03-08T12:00:00Z}
sections:
  B: {due: 2026-03-21T12:00:00Z, exercises: {swap: {due: 2026-03-09T12:00:00Z}}}
extensions:
  - {learner: stu1, extra: 1 day, why: ill}
""",
        encoding="utf-8",
    )
    rules = read_rules(path, EXERCISES)
    days = [
        [str(due)[8:10] for due in (rules.due_for(person), *rules.dues_for(person).values())]
        for person in (Person(login="stu2"), Person(login="stu2", section="B"), Person(login="stu1", section="B"))
    ]
    assert [["20", "01", "08"], ["21", "01", "09"], ["22", "02", "10"]] == days


@every("case", MISTAKES, ids=[case["said"] for case in MISTAKES])
def test_mistakes_have_their_line(tmp_path: Path, case: dict[str, str]) -> None:
    """The message says what is expected. A time without an offset is ambiguous."""
    path = tmp_path / "deadlines.yaml"
    path.write_text(case["text"], encoding="utf-8")
    with pytest.raises(CourseError) as error:
        read_rules(path, EXERCISES)
    assert str(error.value).removeprefix(f"{path}:").startswith(case["said"])


def test_without_a_file_there_are_no_rules(tmp_path: Path) -> None:
    """There is no due date, and the last attempt counts."""
    rules = read_rules(tmp_path / "no.yaml", EXERCISES)
    assert (None, "last") == (rules.due, rules.attempts)


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
