"""Read the times that platforms write into their files."""

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from ...outside import printable
from ...people import moment
from ...words.instructor import intake

_NAMED = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.\d+)? ([A-Za-z_]+/[A-Za-z_/+-]+)", re.ASCII)


def stamped(value: Any) -> tuple[str | None, tuple[str, ...]]:
    """Return the time that a platform wrote, in ISO 8601. Return a note as well if a text is not a time.

    The zone may be given by name, as nbgrader does: `2026-03-01 10:00:00.948203 America/Los_Angeles`.
    """
    text = value.strip() if isinstance(value, str) else ""
    found = moment(text) or _in_zone(text)
    if found or not text:
        return found, ()
    return None, (intake.no_time(printable(text)),)


def _in_zone(text: str) -> str | None:
    named = _NAMED.fullmatch(text)
    if not named:
        return None
    try:
        return datetime.fromisoformat(named[1]).replace(tzinfo=ZoneInfo(named[2])).isoformat()
    except (ValueError, OSError, LookupError):  # the time or the zone does not exist
        return None
