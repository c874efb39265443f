"""The learner's loop: `grade watch` in a pseudo-terminal, `grade list`, `grade next`, and `grade reset`."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from every import every
from in_process import GRADE

from grader.base.text import Style
from grader.course.load import load_course
from grader.practice.watch import _key_lines
from grader.words import practice as said

from .conftest import ROOT

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]
SOLUTIONS = ROOT / "solutions"
COURSE = load_course(ROOT)
RIGHT = (SOLUTIONS / "01_distribute.py").read_text(encoding="utf-8")
WRONG = RIGHT.replace("+= out.grad", "+= out.grad ** 2")
_CLEAR = "\x1b[H\x1b[2J"
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """A command in a pseudo-terminal of 80 by 24. `screen` is everything drawn since it was last cleared."""

    always: tuple[str, ...] = ("q quit",)  # at the end of every screen of `grade watch`

    def __init__(self, folder: Path, environment: Mapping[str, str], *words: str) -> None:
        self.process, self.descriptor = pty.fork()
        if not self.process:
            os.chdir(folder)
            os.execve(GRADE, ["grade", *words], {**environment, "TERM": "xterm-256color"})
        self.resize(24)
        self.drawn = ""

    def resize(self, rows: int) -> None:
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))

    @property
    def screen(self) -> str:
        return _COLOR.sub("", self.drawn.rpartition(_CLEAR)[2]).replace("\r\n", "\n")

    def until(self, *texts: str, seconds: float = 60) -> str:
        """Read until the screen has all these texts and is drawn completely. Return the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.descriptor], [], [], 0.1)[0]:
                self.drawn += os.read(self.descriptor, 1 << 16).decode()
            if all(text in self.screen for text in (*texts, *self.always)):
                return self.screen
        raise AssertionError(f"no {texts} on the screen:\n{self.screen}")

    def press(self, key: str) -> None:
        self.drawn = ""
        os.write(self.descriptor, key.encode())

    def leave(self) -> int:
        """Press q, and return the exit code."""
        self.press("q")
        end = time.monotonic() + 240
        while time.monotonic() < end:
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                self.process = 0
                return os.waitstatus_to_exitcode(status)
            if select.select([self.descriptor], [], [], 0.1)[0]:
                try:
                    self.drawn += os.read(self.descriptor, 1 << 16).decode()
                except OSError:  # the other end is closed
                    time.sleep(0.1)
        raise AssertionError("q did not quit")

    def close(self) -> None:
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.descriptor)


@pytest.fixture
def exercises(grade: Grade, quick_course: Path, work: Path) -> Path:
    """Return the exercises as they are handed out, in `exercises` of the current folder."""
    assert 0 == grade("start", "--course", quick_course).returncode
    return work / "exercises"


@pytest.fixture
def watch(exercises: Path, environment: Mapping[str, str], quick_course: Path) -> Iterator[Terminal]:
    """Return `grade watch` after its first screen was drawn."""
    terminal = Terminal(exercises.parent, environment, "watch", "--course", str(quick_course), "--from", "exercises")
    try:
        terminal.until("Next: open exercises/01_distribute.py")
        yield terminal
    finally:
        terminal.close()


def test_a_save_is_graded_and_a_pass_moves_on(watch: Terminal, exercises: Path) -> None:
    """A failure is explained, and a pass names the next file. An editor may save by renaming a file."""
    path = exercises / "01_distribute.py"
    path.write_text(WRONG, encoding="utf-8")
    assert "lines" in watch.until("PARTIAL", "01 distribute", "fact ")
    beside = exercises / ".01_distribute.py.swp"
    beside.write_text(RIGHT, encoding="utf-8")
    beside.rename(path)
    screen = watch.until("PASS", "01 distribute", "Next: open exercises/02_swap.py")
    assert f"5/{COURSE.max_score} points, 1 of {len(COURSE.exercises)} exercises passed" in screen
    assert 0 == watch.leave()


def test_the_line_that_must_change_follows(watch: Terminal, exercises: Path) -> None:
    """After the explanation of a failure, the line is added to it. A key that changes the view does no harm."""
    (exercises / "01_distribute.py").write_text(WRONG, encoding="utf-8")
    watch.until("PARTIAL", "fact ")
    watch.press("l")
    watch.until("02 swap")
    watch.press("\r")
    assert "PARTIAL" in watch.until("A change of both")


def test_on_a_terminal_the_line_comes_after_the_verdict(
    exercises: Path, environment: Mapping[str, str], quick_course: Path
) -> None:
    """The learner sees the verdict first. With `--no-line`, there is no search."""
    (exercises / "01_distribute.py").write_text(WRONG, encoding="utf-8")
    for more in ((), ("--no-line",)):
        words = ("distribute", "--course", str(quick_course), "--from", "exercises", *more)
        terminal = Terminal(exercises.parent, environment, *words)
        terminal.always = ()
        try:
            screen = terminal.until("Report: ")
        finally:
            terminal.close()
        assert ("A change of both" in screen.partition("Score")[2]) != bool(more)


def test_the_first_failure_is_shown_before_its_reason(watch: Terminal, exercises: Path) -> None:
    """A screen with the check and its numbers comes before the one with the other checks and the explanation."""
    watch.drawn = ""
    (exercises / "01_distribute.py").write_text(WRONG, encoding="utf-8")
    watch.until("PARTIAL", "fact ")
    *before, last = _COLOR.sub("", watch.drawn).split(_CLEAR)
    assert any("FAIL     01 distribute: " in screen and "yours" in screen for screen in before)
    assert "q quit" in last


def test_a_save_ends_the_grading_of_the_earlier_text(watch: Terminal, exercises: Path) -> None:
    """Nothing is shown of a file with an endless loop that is saved again during its first check. `q` ends it, too."""
    path, loop = exercises / "01_distribute.py", RIGHT.replace("self.grad += out.grad", "while True: pass")
    watch.always, watch.drawn = (), ""
    path.write_text(loop, encoding="utf-8")
    watch.until("check 1 of 2")
    path.write_text(RIGHT, encoding="utf-8")
    watch.until("PASS", "01 distribute", "Next: open exercises/02_swap.py")
    assert "TIMEOUT" not in watch.drawn
    path.write_text(loop, encoding="utf-8")
    watch.until("check 1 of 2")
    assert 0 == watch.leave()
    assert "TIMEOUT" not in watch.drawn


def test_a_check_that_runs_out_of_time_is_told_at_once(
    exercises: Path, environment: Mapping[str, str], quick_course: Path
) -> None:
    """`grade` reports the timeout while the other checks run, and shows which check is running."""
    loop = RIGHT.replace("self.grad += out.grad", "while True: pass")
    (exercises / "01_distribute.py").write_text(loop, encoding="utf-8")
    terminal = Terminal(exercises.parent, environment, "1", "--course", str(quick_course), "--from", "exercises")
    terminal.always = ()
    try:
        terminal.until("check 1 of 2")
        told = terminal.until("TIMEOUT  both inputs", "Now running the other checks.")
        assert "Score" not in told
        terminal.until("Score 0/5")
    finally:
        terminal.close()


def test_keys(watch: Terminal, exercises: Path) -> None:
    """Keys show hints one after another, and reset a file with a copy."""
    path = exercises / "01_distribute.py"
    path.write_text(WRONG, encoding="utf-8")
    watch.until("PARTIAL")
    watch.press("h")
    watch.until("Hint 1 of 5")
    watch.press("h")
    watch.until("Hint 4 of 5", "h shows the next hint")
    watch.press("h")
    watch.until("Last hint for 01_distribute", "`grade hint distribute N`")
    watch.press("r")
    watch.until("Press r again")
    watch.press("r")
    watch.until("is the original file again", ".backward/backup/01_distribute.1.py")
    assert WRONG == (exercises / ".backward" / "backup" / "01_distribute.1.py").read_text(encoding="utf-8")
    assert 0 == watch.leave()


def test_next_goes_to_the_exercise_that_was_announced(watch: Terminal, exercises: Path) -> None:
    """The key n goes to the announced exercise from the first screen and after a pass, and then to the one after it."""
    watch.press("n")
    watch.until("TODO     01 distribute", "Save the file, and it is graded at once.")
    (exercises / "01_distribute.py").write_text(RIGHT, encoding="utf-8")
    watch.until("PASS", "Next: open exercises/02_swap.py")
    for announced in ("02_swap", "03_accumulate"):
        watch.press("n")
        watch.until(f"TODO     {announced.replace('_', ' ')}", f"Next: open exercises/{announced}.py")


def test_play_writes_the_replay_of_the_failing_check(watch: Terminal, exercises: Path) -> None:
    """The page has the program of the explained check, or after a pass, of the exercise that was passed."""
    page = exercises / ".backward" / "replay.html"
    for text, word in ((WRONG, "PARTIAL"), (RIGHT, "PASS")):
        page.unlink(missing_ok=True)
        (exercises / "01_distribute.py").write_text(text, encoding="utf-8")
        watch.until(word)
        watch.press("p")
        watch.until(
            "Replayed 01_distribute: L = a + b", "Replay: exercises/.backward/replay.html", "No browser was opened"
        )
        assert "your backward pass" in page.read_text(encoding="utf-8")


def test_it_survives_what_is_saved(watch: Terminal, exercises: Path) -> None:
    """A syntax error, an endless loop and a deleted file are each reported, and the next save is graded."""
    path = exercises / "01_distribute.py"
    path.write_text("def f(:\n", encoding="utf-8")
    watch.until("could not be loaded", "line 1: def f(:")
    path.write_text(RIGHT.replace("self.grad += out.grad", "while True: pass"), encoding="utf-8")
    watch.until("TIMEOUT")
    path.unlink()
    watch.until("Next: open exercises/01_distribute.py")
    path.write_text(RIGHT, encoding="utf-8")
    watch.until("PASS", "Next: open exercises/02_swap.py")
    assert 0 == watch.leave()


def test_the_screen_follows_the_window(watch: Terminal, exercises: Path) -> None:
    """In a window of few rows, the end of the explanation is shown. It is drawn again when the window grows."""
    (exercises / "01_distribute.py").write_text(WRONG, encoding="utf-8")
    watch.until("PARTIAL")
    watch.resize(12)
    os.kill(watch.process, signal.SIGWINCH)
    screen = watch.until("  …")
    assert len(screen.splitlines()) < 12
    watch.resize(50)
    os.kill(watch.process, signal.SIGWINCH)
    end = time.monotonic() + 240
    while "  …" in watch.until("PARTIAL"):
        assert time.monotonic() < end


def test_without_a_terminal_lines_are_printed(
    exercises: Path, environment: Mapping[str, str], quick_course: Path
) -> None:
    """The screen is not cleared, and no keys are read. Ctrl-C ends the command."""
    command = [str(GRADE), "watch", "--course", str(quick_course), "--from", "exercises"]
    process = subprocess.Popen(
        command,
        cwd=exercises.parent,
        env={**environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline() for _ in range(7)]
        assert "Next: open exercises/01_distribute.py" in "".join(lines)
        assert "cannot read single keys" in "".join(lines)
        (exercises / "01_distribute.py").write_text(RIGHT, encoding="utf-8")
        assert any("PASS" in process.stdout.readline() for _ in range(3))
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=240)
    finally:
        process.kill()
    assert (130, "") == (process.returncode, errors)
    assert "\x1b" not in "".join(lines) + rest


def test_list_next_and_reset(grade: Grade, exercises: Path, quick_course: Path) -> None:
    """The list has each exercise with its points, `next` names the file, and `reset` keeps a copy."""
    course = ("--course", quick_course, "--from", "exercises")
    (exercises / "01_distribute.py").write_text(RIGHT, encoding="utf-8")
    shown = grade("list", *course)
    assert 0 == shown.returncode
    assert re.search(r"^  PASS +01 distribute .* 5/5$", shown.stdout, re.MULTILINE)
    assert re.search(r"^> TODO +02 swap .* 0/5$", shown.stdout, re.MULTILINE)
    assert shown.stdout.endswith(grade("next", *course).stdout)
    done = grade("reset", "1", *course)
    assert (0, "") == (done.returncode, done.stderr)
    assert ".backward/backup/01_distribute.1.py" in done.stdout
    assert "Next: open exercises/01_distribute.py" in grade("next", *course).stdout


def test_a_folder_without_exercises(grade: Grade) -> None:
    """Each command says what to do first, and writes nothing."""
    for command in ("watch", "list", "next"):
        done = grade(command)
        assert 2 == done.returncode
        assert "`grade start`" in done.stderr


def test_every_command_fits_forty_columns(grade: Grade, exercises: Path) -> None:
    """The output of each command is no wider than the terminal, except for a path that is longer than a line."""
    (exercises / "01_distribute.py").write_text(WRONG, encoding="utf-8")
    commands = (("1",), ("hint",), ("hint",), ("list",), ("reset", "2"), ("play", "1", "--no-open"), ("start",))
    for words in commands:
        lines = grade(*words, COLUMNS="40").stdout.splitlines()
        assert lines
        assert [] == [line for line in lines if len(line) > 40], words


@every("width", [38, 60, 78, 198])
def test_the_keys_fit(width: int) -> None:
    """The keys are shown in as many lines as the window needs."""
    lines = _key_lines(Style(width))
    assert (True, said.KEYS) == (max(map(len, lines)) <= width, tuple("   ".join(lines).split("   ")))
