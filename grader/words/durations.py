"""Turn durations into words, for every audience."""

from ..base import counted

_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


def duration_text(seconds: int) -> str:
    """Return a duration in its two largest units, such as `1 day 1 hour`. Seconds are rounded up to minutes."""
    left = -(-seconds // 60) * 60
    parts: list[str] = []
    for unit, length in _UNITS:
        count, left = divmod(left, length)
        if count:
            parts.append(counted(count, unit))
    return " ".join(parts[:2])
