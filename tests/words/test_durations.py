"""Durations in words."""

import pytest

from grader.words.durations import duration_text


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1, "1 minute"),
        (120, "2 minutes"),
        (3600, "1 hour"),
        (86_399, "1 day"),
        (90_000, "1 day 1 hour"),
        (90_060, "1 day 1 hour"),
        (86_460, "1 day 1 minute"),
        (9 * 86_400 + 7_200, "9 days 2 hours"),
    ],
)
def test_the_two_largest_units(seconds: int, expected: str) -> None:
    """A duration has at most its two largest units."""
    assert expected == duration_text(seconds)
