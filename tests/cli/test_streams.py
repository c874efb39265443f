"""The progress of a long command with an estimate of the remaining time, and how to run `grade` again."""

import os
import shlex
import sys
from pathlib import Path

import ours
import pytest
from every import every

from grader.base.text import Style
from grader.cli import streams
from grader.cli.streams import Countdown, StatusLine, style
from grader.verdict.grading import CheckEnded
from grader.verdict.report import CheckResult
from grader.verdict.report.model import CheckStatus

EXERCISE = ours.COURSE.exercises[0]


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


def test_a_log_gets_a_line_twice_a_minute(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where standard error is no terminal, `grade build` shows its progress, but not each step of it."""
    now = [100.0]
    monkeypatch.setattr("grader.cli.streams.time.monotonic", lambda: now[0])
    line = StatusLine(in_logs=True)
    countdown = Countdown(line)
    for done in range(8):
        countdown.show("answer book, 01_first", done, 8)
        now[0] += 10
    line.clear()
    told = ["answer book, 01_first: 3 of 8", "answer book, 01_first: 6 of 8, about 20 s left"]
    assert told == capsys.readouterr().err.splitlines()


def made(title: str, status: CheckStatus, duration_s: float, *, bonus: bool = False) -> CheckResult:
    return CheckResult(title, title, "visible", status, 0, 1, bonus=bonus, duration_s=duration_s, message=f"{title}!")


PASSED, FAILED = made("passes", "passed", 9.0), made("fails", "error", 0.2)
LATE, BONUS = made("is late", "timeout", 0.9), made("optional", "failed", 9.0, bonus=True)
FIRST = "ERROR    fails\n         fails!\n         Now running the other checks.\n"


@every(
    ("expected", "results"),
    [
        ("", [PASSED, FAILED, FAILED]),
        (FIRST, [PASSED, FAILED, LATE, LATE]),
        (FIRST, [made("fails", "error", 1.5), LATE]),
        (FIRST.replace("fails", "is late").replace("ERROR  ", "TIMEOUT"), [BONUS, LATE, FAILED]),
    ],
    ids=["all are quick", "a later one takes long", "it takes long itself", "optional checks do not count"],
)
def test_the_first_failure_is_told_at_once_if_checks_take_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], expected: str, results: list[CheckResult]
) -> None:
    """On a terminal, its sentence appears before the report, once for each exercise."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    events = [CheckEnded(EXERCISE, result) for result in results]
    assert [] == list(StatusLine().reports(events, ours.COURSE))
    assert expected == capsys.readouterr().err.replace("\r\x1b[K", "")


@pytest.mark.parametrize(("expected", "columns"), [(38, "20"), (38, "40"), (78, "80"), (198, "200"), (198, "500")])
def test_lines_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, expected: int, columns: str) -> None:
    """Lines have 40 to 200 columns, two less than the terminal. ASCII and no colour can be requested."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("GRADE_ASCII", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert Style(expected, color=False, ascii=True) == style()


# -- how to run `grade` again -----------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with `grade` and `activate` in `.venv/bin`. The search path leads to no `grade`."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "grade").touch(mode=0o755)
    (programs / "activate").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setattr(sys, "argv", [".venv/bin/grade", "start"])
    return tmp_path


@pytest.mark.parametrize(("expected", "folder"), [("", None), ("", Path()), ("../", Path("mine"))])
def test_grade_is_named_by_its_path(here: Path, expected: str, folder: Path | None) -> None:
    """Without an active environment, commands begin with the path of `grade`, also from the learner's folder."""
    assert f"{expected}.venv/bin/grade" == streams.grade_here(folder)
    assert f"source {expected}.venv/bin/activate" == streams.how_to_shorten(folder)


def test_a_far_folder_gets_the_whole_path(here: Path) -> None:
    """A path that would lead up three folders is absolute, and quoted for a shell."""
    assert shlex.quote(str(here / ".venv/bin/grade")) == streams.grade_here(Path("a/b/c"))


def test_grade_on_the_search_path_is_grade(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the search path's own `grade` is `grade`. Another installation's is not."""
    monkeypatch.setenv("PATH", str(here / ".venv" / "bin"))
    assert ("grade", "") == (streams.grade_here(), streams.how_to_shorten())
    other = here / "other" / "grade"
    other.parent.mkdir()
    other.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(other), "1"])
    assert str(other) == streams.grade_here()


def test_a_module_is_run_as_a_module(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m grader` is named with its options."""
    monkeypatch.setattr(sys, "argv", ["/x/grader/__main__.py", "hint", "1"])
    monkeypatch.setattr(sys, "orig_argv", [".venv/bin/python", "-I", "-m", "grader", "hint", "1"])
    assert ".venv/bin/python -I -m grader" == streams.grade_here()
    assert "alias grade='../.venv/bin/python -I -m grader'" == streams.how_to_shorten(Path("mine"))


@pytest.mark.parametrize(
    ("expected", "record"),
    [
        ("/my%20course", '{"url": "file:///my%2520course", "dir_info": {}}'),
        ("'/my course'", '{"url": "file:///my%20course", "dir_info": {}}'),
        (
            "git+https://x.org/y@v1",
            '{"url": "https://x.org/y", "vcs_info": {"vcs": "git", "requested_revision": "v1"}}',
        ),
        ("https://x.org/y.whl", '{"url": "https://x.org/y.whl", "archive_info": {}}'),
        ("backward-grader", None),
    ],
)
def test_uvx_gets_the_same_source_again(
    here: Path, monkeypatch: pytest.MonkeyPatch, expected: str, record: str | None
) -> None:
    """`uvx` sets the search path for `grade` alone, so the next command is `uvx` with the same source."""

    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return record

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    monkeypatch.setenv("PATH", str(here / ".venv" / "bin"))
    monkeypatch.setenv("UV", "/usr/bin/uv")
    monkeypatch.setattr(sys, "prefix", os.path.join("/cache", "uv", "archive-v0", "8ND2"))
    monkeypatch.setattr(sys, "argv", [str(here / ".venv/bin/grade"), "start"])
    assert f"uvx --from {expected} grade" == streams.grade_here()
    assert f"alias grade={shlex.quote(streams.grade_here())}" == streams.how_to_shorten()


def test_what_is_in_backquotes_can_be_run() -> None:
    """A command is replaced and stays on one line. Other words are unchanged."""
    drawn = Style(width=30, grade="uvx --from /x grade")
    expected = ["grade:", "`uvx --from /x grade 1`, a `b`", "and `uvx --from /x grade`."]
    assert expected == drawn.wrap("grade: `grade 1`, a `b` and `grade`.", 30)
    assert ["uvx --from /x grade hint", "upgrade"] == [drawn.command("grade hint"), drawn.command("upgrade")]
