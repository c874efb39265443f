"""Parse times and durations that people and platforms write, also those in YAML files."""

import re
from datetime import datetime, timedelta, timezone
from typing import Any

import yaml

from ..course import Document, child
from ..words.instructor.reviews import problem_text

_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)? ?(?:(Z|UTC|UCT|GMT)|([+-]\d\d):?(\d\d))?", re.ASCII
)
_DURATION = re.compile(
    r"(\d{1,6}) ?(?:(s|seconds?)|(min|minutes?)|(h|hours?)|(d|days?)|(weeks?))", re.ASCII | re.IGNORECASE
)
_SECONDS = (1, 60, 3600, 86400, 604800)


def moment(value: Any, *, zoned: bool = False) -> str | None:
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
        return datetime.max.replace(tzinfo=timezone.utc).isoformat()


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# -- times and durations in a YAML file; errors contain the line


def time_at(document: Document, node: yaml.Node, key: str, *, or_day: bool = False) -> str:
    """Return the time at a key of a mapping, in ISO 8601. Raises `CourseError`.

    Args:
        or_day: whether a date without a time is accepted. It means the beginning of that day in UTC.
    """
    there = child(node, key)
    text = there.value if isinstance(there, yaml.ScalarNode) else ""
    found = moment(text, zoned=True)
    if found is None and or_day:
        found = moment(f"{text} 00:00")
    if found is None:
        raise document.error(there, problem_text("no_zoned_time", text=text))
    return found


def seconds_at(document: Document, node: yaml.Node, key: str) -> int:
    """Return the duration at a key of a mapping, in seconds. Raises `CourseError`."""
    there = child(node, key)
    text = there.value if isinstance(there, yaml.ScalarNode) else ""
    found = duration(text)
    if found is None:
        raise document.error(there, problem_text("no_duration", text=text))
    return int(found.total_seconds())
