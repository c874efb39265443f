"""Parse the times that platforms write."""

import re
from datetime import datetime
from typing import Any

from ...outside import printable

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)? ?(?:Z|UTC|UCT|GMT|([+-]\d\d):?(\d\d))?", re.ASCII)


def moment(value: Any) -> str | None:
    """Return a time in ISO 8601 if it can be parsed, else the text itself; None for no text.

    A time without an offset is UTC, as in nbgrader and Gradescope.
    """
    text = value.strip() if isinstance(value, str) else ""
    found = _TIME.fullmatch(text)
    if found:
        day, hour, ahead, minutes = found.groups()
        try:
            return datetime.fromisoformat(f"{day}T{hour}{ahead or '+00'}:{minutes or '00'}").isoformat()
        except ValueError:
            pass
    return printable(text) or None
