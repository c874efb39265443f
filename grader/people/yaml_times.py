"""Read times and durations from the nodes of a YAML file. Errors have the line."""

import yaml

from ..course import Document, child
from .times import duration, moment


def time_at(document: Document, node: yaml.Node, key: str, *, or_day: bool = False) -> str:
    """Return the time at a key of a mapping in ISO 8601. Raises `CourseError`.

    Args:
        or_day: whether a day alone is a time too, its beginning in UTC.
    """
    there = child(node, key)
    text = there.value if isinstance(there, yaml.ScalarNode) else ""
    found = moment(text, zoned=True)
    if found is None and or_day:
        found = moment(f"{text} 00:00")
    if found is None:
        expected = "write one such as 2026-03-01T23:59:00+01:00, with its offset from UTC"
        raise document.error(there, f"`{text}` is no time; {expected}")
    return found


def seconds_at(document: Document, node: yaml.Node, key: str) -> int:
    """Return the duration at a key of a mapping in seconds. Raises `CourseError`."""
    there = child(node, key)
    text = there.value if isinstance(there, yaml.ScalarNode) else ""
    found = duration(text)
    if found is None:
        raise document.error(there, f"`{text}` is no duration; write one such as 10 min, 36 hours or 2 days")
    return int(found.total_seconds())
