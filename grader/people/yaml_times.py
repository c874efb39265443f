"""Read times and durations from the nodes of a YAML file. Errors contain the line."""

import yaml

from ..course import Document, child
from ..words.instructor import problem_text
from .times import duration, moment


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
