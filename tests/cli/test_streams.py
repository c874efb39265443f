"""The progress of a long command, and an estimate of the remaining time."""

import pytest

from grader.cli.streams import Countdown, StatusLine, style
from grader.style import Style


class Shown(StatusLine):
    """A status line that keeps its texts."""

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
    """The estimate assumes equal steps. There is none before some steps are done, and it is never zero."""
    now = [100.0]
    monkeypatch.setattr("grader.cli.streams.time.monotonic", lambda: now[0])
    line = Shown()
    countdown = Countdown(line)
    now[0] += seconds
    countdown.show("mutants", done, total)
    assert expected == line.text


@pytest.mark.parametrize(("expected", "columns"), [(38, "20"), (38, "40"), (78, "80"), (198, "200"), (198, "500")])
def test_lines_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, expected: int, columns: str) -> None:
    """Lines have 40 to 200 columns, two less than the terminal. ASCII and no colour can be requested."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("GRADE_ASCII", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert Style(expected, color=False, ascii=True) == style()
