"""Times and durations that people and platforms write, and the rules on time in `deadlines.yaml`."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import yaml
from msgspec import Meta

from ...base.text import did_you_mean
from ...course.learners import Person
from ...course.load import CourseError, Document, StrictStruct, child, line
from ...words.instructor import problem_text

# ISO 8601, and the forms of platforms: `2026-03-01 23:59:00 UTC`, `2026-03-01 23:59 +0100`
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)? ?(?:(Z|UTC|UCT|GMT)|([+-]\d\d):?(\d\d))?", re.ASCII
)
# `strftimedaydatetime` of Moodle's language packs `en` and `en_us`
_MOODLE_TIME = re.compile(
    r"[A-Za-z]+, (?:(?P<day>\d{1,2}) (?P<month>[A-Za-z]+)|(?P<before>[A-Za-z]+) (?P<after>\d{1,2}),) (?P<year>\d{4}), "
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d) (?P<half>[AP]M)",
    re.ASCII,
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# a group for each unit, in the order of `_SECONDS`
_DURATION = re.compile(
    r"(\d{1,6}) ?(?:(s|seconds?)|(min|minutes?)|(h|hours?)|(d|days?)|(weeks?))", re.ASCII | re.IGNORECASE
)
_SECONDS = (1, 60, 3600, 86400, 604800)


def moment(value: object, *, zoned: bool = False) -> str | None:
    """Return a time in ISO 8601, or None for anything that is not a time.

    A time without an offset is in UTC, as in nbgrader and Gradescope.

    Args:
        zoned: whether to reject a time without an offset.
    """
    text = value.strip() if isinstance(value, str) else ""
    found = _TIME.fullmatch(text)
    if not found:
        return None
    day, minutes, seconds, utc, ahead, more = found.groups()
    if zoned and not utc and not ahead:
        return None
    try:
        return datetime.fromisoformat(f"{day}T{minutes}{seconds or ':00'}{ahead or '+00'}:{more or '00'}").isoformat()
    except ValueError:
        return None


def zone_named(name: str) -> ZoneInfo | None:
    """Return the time zone with a name such as `Europe/Berlin`, or None if there is none."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return None


def moodle_moment(text: str, zone: ZoneInfo) -> str | None:
    """Return a time that Moodle wrote in English, in ISO 8601, or None for any other text."""
    found = _MOODLE_TIME.fullmatch(text.strip())
    if found is None or (found["month"] or found["before"]) not in _MONTHS:
        return None
    month = _MONTHS.index(found["month"] or found["before"]) + 1
    hour = int(found["hour"]) % 12 + 12 * (found["half"] == "PM")
    try:
        at = datetime(int(found["year"]), month, int(found["day"] or found["after"]), hour, int(found["minute"]))
    except ValueError:
        return None
    return at.replace(tzinfo=zone).isoformat()


def duration(text: str) -> timedelta | None:
    """Return the duration in a text such as `10 min`, `36 hours` or `2 days`, or None for any other text."""
    found = _DURATION.fullmatch(text.strip())
    if not found:
        return None
    unit = next(place for place, word in enumerate(found.groups()[1:]) if word)
    return timedelta(seconds=int(found[1]) * _SECONDS[unit])


def seconds_between(earlier: str, later: str) -> int:
    """Return the seconds between two times in ISO 8601, negative if `later` is before `earlier`."""
    return int((_at(later) - _at(earlier)).total_seconds())


def later_by(time: str, more: timedelta) -> str:
    """Return a time in ISO 8601 that is later by a duration, at most the latest time that can be represented."""
    try:
        return (_at(time) + more).isoformat()
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC).isoformat()


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# -- times and durations in a YAML file; errors contain the line


def time_at(document: Document, node: yaml.Node, key: str, *, or_day: bool = False) -> str:
    """Return the time at a key of a mapping, in ISO 8601. Raises `CourseError`.

    Args:
        or_day: whether a date without a time is accepted. It means the beginning of that day in UTC.
    """
    value = child(node, key)
    text = value.value if isinstance(value, yaml.ScalarNode) else ""
    found = moment(text, zoned=True)
    if found is None and or_day:
        found = moment(f"{text} 00:00")
    if found is None:
        raise document.error(value, problem_text("no_zoned_time", text=text))
    return found


def seconds_at(document: Document, node: yaml.Node, key: str) -> int:
    """Return the duration at a key of a mapping, in seconds. Raises `CourseError`."""
    value = child(node, key)
    text = value.value if isinstance(value, yaml.ScalarNode) else ""
    found = duration(text)
    if found is None:
        raise document.error(value, problem_text("no_duration", text=text))
    return int(found.total_seconds())


# -- Read the rules on time from `deadlines.yaml`, and apply them to a time of submission

DEADLINES = "deadlines.yaml"
Attempts = Literal["last", "best", "last_in_time"]
WrittenText = Annotated[str, Meta(min_length=1, max_length=4_000)]
_UNIT = {"hour": 3600, "day": 86400}


class _Penalty(StrictStruct, frozen=True):
    per: Literal["hour", "day"]
    percent: Annotated[int, Meta(ge=1, le=100)] | None = None
    points: Annotated[int, Meta(ge=1)] | None = None
    cap: Annotated[int, Meta(ge=1)] | None = None


class _Due(StrictStruct, frozen=True):
    due: Any


class _Section(StrictStruct, frozen=True):
    due: Any
    exercises: dict[str, _Due] = {}


class _Extension(StrictStruct, frozen=True):
    why: WrittenText
    learner: WrittenText | None = None
    section: WrittenText | None = None
    until: Any = None
    extra: WrittenText | None = None


class _DeadlinesFile(StrictStruct, frozen=True):
    due: Any = None
    zone: str = ""
    grace: WrittenText | None = None
    penalty: _Penalty | None = None
    attempts: Attempts = "last"
    exercises: dict[str, _Due] = {}
    sections: dict[str, _Section] = {}
    extensions: list[_Extension] = []


@dataclass(frozen=True)
class Extension:
    """More time for a learner or a section.

    Attributes:
        until: the new due date in ISO 8601, or None.
        extra_s: seconds that are added to the due date, if `until` is None.
        line: the line of the extension in the file.
    """

    learner: str | None
    section: str | None
    until: str | None
    extra_s: int
    line: int


@dataclass(frozen=True)
class DeadlineRules:
    """The rules on time of an assignment.

    Attributes:
        due: the due date in ISO 8601; None for no due date.
        zone: the zone of Moodle's times; empty if none is given.
        grace_s: seconds after the due date that do not count as late.
        percent: the percentage of the points to take off for each started hour or day; 0 for no such penalty.
        points: the number of points to take off for each started hour or day; 0 for no such penalty.
        per_s: the length of that hour or day in seconds.
        cap: the highest percentage or number of points to take off; None for no limit but the points themselves.
        attempts: the rule that selects one of several attempts.
        exercises: the due dates of exercises that have their own. They take precedence over that of a section.
        sections: the due dates of sections that have their own.
        in_sections: the due dates of exercises in a section, by section. They take precedence over all others.
    """

    due: str | None = None
    zone: str = ""
    grace_s: int = 0
    percent: int = 0
    points: int = 0
    per_s: int = 86400
    cap: int | None = None
    attempts: Attempts = "last"
    exercises: dict[str, str] = field(default_factory=dict)
    sections: dict[str, str] = field(default_factory=dict)
    in_sections: dict[str, dict[str, str]] = field(default_factory=dict)
    extensions: tuple[Extension, ...] = ()

    def dues_for(self, person: Person, names: tuple[str, ...] = ()) -> dict[str, str | None]:
        """Return the due dates of the exercises that have their own for this person, extensions included."""
        own = {**self.exercises, **self.in_sections.get(person.section, {})}
        return {exercise: self.due_for(person, names, due) for exercise, due in own.items()}

    def due_for(self, person: Person, names: tuple[str, ...] = (), own: str | None = None) -> str | None:
        """Return the due date of a person's submission, extensions included; None for no due date.

        If several extensions apply to the person or the section, the latest one counts.

        Args:
            names: further names by which an extension may refer to the person.
            own: the due date of an exercise that has its own, in place of that of the section or the class.
        """
        due = own or self.sections.get(person.section, self.due)
        known = {*person.names, *names}
        # an extension never makes a due date earlier
        best = due
        for one in self.extensions:
            if one.learner in known or (one.section is not None and one.section == person.section):
                until = one.until or (later_by(due, timedelta(seconds=one.extra_s)) if due else None)
                if until is not None and best is not None and seconds_between(best, until) > 0:
                    best = until
        return best

    def late_s(self, due: str | None, submitted_at: str | None) -> int:
        """Return how many seconds late a submission is; 0 within the grace period, or if a time is unknown."""
        if not due or not submitted_at:
            return 0
        over = seconds_between(due, submitted_at)
        return over if over > self.grace_s else 0

    def penalty(self, *parts: tuple[int, int]) -> int:
        """Return the points to take off: `percent` or `points` for each started hour or day, up to `cap`.

        The sum over all parts is rounded down.

        Args:
            parts: the points of each part of a submission that has a due date of its own, and how many seconds late
                the part is.
        """
        # In hundredths of a point, because percentages of several parts are rounded only once, at
        # the end.
        hundredths = 0
        for points, late_s in parts:
            # rounded up: each hour or day counts as soon as it has begun
            begun = -(-late_s // self.per_s)
            part = points * min(self.percent * begun, self.cap or 100, 100)
            hundredths += part if self.percent else 100 * min(self.points * begun, self.cap or points, points)
        return hundredths // 100


def read_rules(path: Path, exercises: Collection[str]) -> DeadlineRules:
    """Return the rules in a file, or no rules if the file does not exist. Raises `CourseError` with the line.

    Args:
        exercises: the ids of the course's exercises.
    """
    if not path.exists():
        return DeadlineRules()
    # the due dates: of everybody, of sections, and of exercises that have their own
    document = Document(path)
    raw = document.convert(document.root, _DeadlinesFile)
    due = time_at(document, document.root, "due") if raw.due is not None else None
    places = {name: child(child(document.root, "sections"), name) for name in raw.sections}
    sections = {name: time_at(document, place, "due") for name, place in places.items()}
    own = _own_dues(document, document.root, raw.exercises, exercises)
    # without a penalty, percent and points are 0, and the unit has no effect
    penalty = raw.penalty or _Penalty("day")
    if raw.penalty is not None:
        if due is None and not sections and not own:
            raise document.error(child(document.root, "penalty"), problem_text("penalty_without_due"))
        _see_that_it_adds_up(penalty, document, child(document.root, "penalty"))
    # `child` returns the root if there is no such key, so look only if there are extensions
    nodes = child(document.root, "extensions").value if raw.extensions else []
    if raw.zone and zone_named(raw.zone) is None:
        raise document.error(child(document.root, "zone"), problem_text("no_zone", name=raw.zone))
    return DeadlineRules(
        due=due,
        zone=raw.zone,
        grace_s=seconds_at(document, document.root, "grace") if raw.grace is not None else 0,
        percent=penalty.percent or 0,
        points=penalty.points or 0,
        per_s=_UNIT[penalty.per],
        cap=penalty.cap,
        attempts=raw.attempts,
        exercises=own,
        sections=sections,
        in_sections={
            name: _own_dues(document, places[name], section.exercises, exercises)
            for name, section in raw.sections.items()
        },
        extensions=tuple(_extension(document, node, one) for node, one in zip(nodes, raw.extensions, strict=True)),
    )


def _see_that_it_adds_up(penalty: _Penalty, document: Document, node: yaml.Node) -> None:
    """Raise `CourseError` for a penalty in percent and points, or with a cap that no percentage reaches."""
    if (penalty.percent is None) == (penalty.points is None):
        raise document.error(node, problem_text("either", one="percent", other="points"))
    if penalty.percent is not None and penalty.cap is not None and penalty.cap > 100:
        raise document.error(child(node, "cap"), problem_text("cap_of_percent", cap=penalty.cap))


def _own_dues(document: Document, node: yaml.Node, raw: Mapping[str, _Due], known: Collection[str]) -> dict[str, str]:
    """Return the due date of each exercise that a mapping lists under `exercises`."""
    listed = child(node, "exercises")
    for name in raw:
        if name not in known:
            near = did_you_mean(name, sorted(known))
            raise document.error(child(listed, name), problem_text("no_exercise", name=name, near=near))
    return {name: time_at(document, child(listed, name), "due") for name in raw}


def unknown_learners(rules: DeadlineRules, path: Path, names: set[str]) -> list[CourseError]:
    """Return an error for each extension for an unknown learner."""
    errors = []
    for one in rules.extensions:
        if one.learner is not None and one.learner not in names:
            near = did_you_mean(one.learner, sorted(names))
            errors.append(CourseError(path, one.line, problem_text("no_learner", name=one.learner, near=near)))
    return errors


def see_that_sections_are_known(rules: DeadlineRules, path: Path, sections: set[str]) -> None:
    """Raise `CourseError` if the rules name an unknown section."""
    named = [*((one.line, one.section) for one in rules.extensions), *((None, section) for section in rules.sections)]
    for number, section in named:
        if section is not None and section not in sections:
            near = did_you_mean(section, sorted(sections))
            raise CourseError(path, number, problem_text("no_section", name=section, near=near))


def _extension(document: Document, node: yaml.Node, raw: _Extension) -> Extension:
    if (raw.learner is None) == (raw.section is None):
        raise document.error(node, problem_text("either", one="learner", other="section"))
    if (raw.until is None) == (raw.extra is None):
        raise document.error(node, problem_text("either", one="until", other="extra"))
    until = time_at(document, node, "until") if raw.until is not None else None
    extra = seconds_at(document, node, "extra") if raw.extra is not None else 0
    return Extension(raw.learner, raw.section, until, extra, line(node))
