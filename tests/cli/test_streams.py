"""How far a long command is, and about how long the rest takes."""

import pytest

from grader.cli.streams import Countdown, StatusLine, style
from grader.style import Style


class Shown(StatusLine):
    """A status line that keeps what it was told."""

    def __init__(self) -> None:
        self.text = ""

    def show(self, text: str) -> None:
        self.text = text


@pytest.mark.parametrize(
    ("expected", "seconds", "done", "total"),
    [
        ("mutants: 0 of 40", 0, 0, 40),
        ("mutants: 4 of 40", 8, 4, 40),  # too early to tell
        ("mutants: 5 of 40, about 70 s left", 10, 5, 40),
        ("mutants: 10 of 40, about 5 min left", 100, 10, 40),
        ("mutants: 39 of 40, about 1 s left", 3.9, 39, 40),
    ],
)
def test_the_rest_takes_as_long_as_what_is_done(
    monkeypatch: pytest.MonkeyPatch, expected: str, seconds: float, done: int, total: int
) -> None:
    """Steps are about equal; nothing is told before some are done, and never that nothing is left."""
    now = [100.0]
    monkeypatch.setattr("grader.cli.streams.time.monotonic", lambda: now[0])
    line = Shown()
    countdown = Countdown(line)
    now[0] += seconds
    countdown.show("mutants", done, total)
    assert expected == line.text


@pytest.mark.parametrize(("expected", "columns"), [(38, "20"), (38, "40"), (78, "80"), (198, "200"), (198, "500")])
def test_lines_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, expected: int, columns: str) -> None:
    """From 40 columns to 200, with two to spare; ASCII alone and no colour where that is asked for."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("GRADE_ASCII", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert Style(expected, color=False, ascii=True) == style()
