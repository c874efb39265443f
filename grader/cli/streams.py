"""Handle standard output and standard error safely, even if they are closed, full or in another encoding."""

import os
import re
import shlex
import shutil
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TextIO

from ..base.text import NARROWEST, WIDEST, Style, paragraph, relative_to, take_any_text
from ..words import practice
from ..words.repairs import searching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..course.load import Check, Course, Exercise
    from ..verdict.grading import GradingProgress
    from ..verdict.report import CheckResult, Report

INTERRUPTED = 130  # the exit code after Ctrl-C
_PACKAGE = "backward-grader"
_UV_CACHE = r"(archive|environments)-v\d+"  # a folder of uv's cache, in which `uvx` installs
_SELDOM_S = 30  # the seconds between two lines of progress in a log
_SLOW_S = 1.0  # a check that takes so long is told about at once if it does not pass
_TELLING = 5  # the number of steps after which the remaining time can be estimated


def prepare() -> None:
    """Make both streams accept any text, and discard text if they are closed."""
    # Python sets a stream to None if it was closed when the process started
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        take_any_text(getattr(sys, name))
    if os.name == "nt":
        # a console of Windows understands escape sequences only after this; click depends on colorama there
        import_module("colorama").just_fix_windows_console()


def on_screen() -> bool:
    """Return whether standard output is a terminal that can be cleared."""
    return sys.stdout.isatty() and (os.name == "nt" or os.environ.get("TERM", "dumb") != "dumb")


def complain(message: object) -> None:
    """Print a message to standard error without control characters, because names in it may come from others."""
    look = style()
    text = look.runnable(paragraph(f"grade: {message}"))
    if sys.stderr.isatty():
        text = "\n".join(part for line in text.splitlines() for part in look.wrap(line))
    print(text, file=sys.stderr)


def say(*texts: str) -> None:
    """Print texts to standard output, each broken into lines that fit the terminal."""
    look = style()
    print("\n".join(line for text in texts for line in look.wrap(text)))


def unwritable(stream: TextIO) -> OSError | None:
    """Flush a stream. If that fails, discard the text that was printed, and return the error; or else return None."""
    try:
        stream.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # a stream without a descriptor has no buffered text
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


def style(folder: Path | None = None) -> Style:
    """Return the style for standard output: its width, colour, ASCII, and how to run `grade` in `folder` or here."""
    columns = shutil.get_terminal_size().columns - 2
    return Style(min(WIDEST, max(NARROWEST, columns)), _wants_color(), _wants_ascii(), grade_here(folder))


def grade_here(folder: Path | None = None) -> str:
    """Return the words that run this `grade` again, in `folder` or in the current folder.

    They are `grade` alone if the search path leads to this installation.
    """
    script = sys.argv[0]
    # the interpreter, its options and `-m grader`, which `orig_argv` has before our own words
    if PurePath(script).parts[-2:] == ("grader", "__main__.py"):  # `python -m grader`
        first, *words = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
        return _joined(_from(first, folder), *words)
    # another program that uses the grader, such as pytest
    if os.path.basename(script) != "grade":
        return "grade"
    # `uvx` runs a program in its cache, which the search path does not contain
    if "UV" in os.environ and any(re.fullmatch(_UV_CACHE, part) for part in PurePath(sys.prefix).parts):
        return _joined("uvx", "--from", _source(), "grade")
    # an installation: the short word, if it leads to this very script
    usual = shutil.which("grade")
    if usual and (not os.path.exists(script) or os.path.samefile(usual, script)):
        return "grade"
    return _joined(_from(script, folder))


def how_to_shorten(folder: Path | None = None) -> str:
    """Return a command that lets the user type `grade` alone in `folder`.

    Return an empty text if `grade` alone can be typed there already.
    """
    words = grade_here(folder)
    if words == "grade":
        return ""
    script = Path(sys.argv[0])
    if os.name == "nt":  # its shells have neither `source` nor this `alias`
        found = script.with_name("activate").is_file()
        return _joined(_from(str(script.with_name("activate")), folder)) if found else ""
    # a virtual environment has its `activate` beside its scripts
    if words.startswith("uvx ") or not script.with_name("activate").is_file():
        return f"alias grade={shlex.quote(words)}"
    return f"source {shlex.quote(_from(str(script.with_name('activate')), folder))}"


def _joined(*words: str) -> str:
    """Return a command for the shell of this system."""
    if os.name == "nt":
        from subprocess import list2cmdline

        return list2cmdline(words)
    return shlex.join(words)


def _from(path: str, folder: Path | None) -> str:
    """Return a relative path as it is called in a folder. A word without a slash is a command, not a path."""
    if folder is None or os.sep not in path or os.path.isabs(path):
        return path
    relative = str(relative_to(Path(path), folder))
    return os.path.abspath(path) if relative.startswith(os.path.join("..", "..", "..")) else relative


def _source() -> str:
    """Return what `uvx --from` installed: a path, the address of a repository, or the name of the package."""
    import json
    from importlib.metadata import distribution
    from urllib.parse import unquote, urlsplit

    # an installer writes this file for a package that does not come from an index (PEP 610)
    source = json.loads(distribution(_PACKAGE).read_text("direct_url.json") or "{}")
    if "url" not in source:
        return _PACKAGE
    if "vcs_info" in source:
        revision = source["vcs_info"].get("requested_revision")
        return f"{source['vcs_info']['vcs']}+{source['url']}" + (f"@{revision}" if revision else "")
    url = urlsplit(source["url"])
    return unquote(url.path) if url.scheme == "file" else str(source["url"])


def _wants_color() -> bool:
    """Return whether to use colour: on a terminal, unless colour is turned off."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _wants_ascii() -> bool:
    """Return whether to use only ASCII: if this was requested, or if the stream supports nothing else."""
    try:
        "…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return bool(os.environ.get("GRADE_ASCII"))


class Countdown:
    """A status line with the present step, the number of steps, and an estimate of the remaining time."""

    def __init__(self, line: "StatusLine") -> None:
        self._line = line
        self._began = time.monotonic()

    def show(self, text: str, done: int, total: int) -> None:
        # all steps take about the same time, so the past ones tell how long the others will take
        left = (time.monotonic() - self._began) / done * (total - done) if done else 0.0
        self._line.show(f"{text}: {done} of {total}{_left(left) if done >= _TELLING else ''}")


def _left(seconds: float) -> str:
    """Return `, about 2 min left`, with a number rounded as an estimate."""
    return f", about {round(seconds / 60)} min left" if seconds >= 90 else f", about {max(1, round(seconds))} s left"


class StatusLine:
    """A line on standard error that is overwritten. It is shown only on a terminal.

    With `in_logs`, the text is also written to a file or pipe, as a line of its own after every 30 seconds.
    """

    def __init__(self, wanted: bool = True, *, in_logs: bool = False) -> None:
        self._stream = sys.stderr
        self._style = style()
        self._shown = wanted and sys.stderr.isatty()
        self._in_logs = in_logs and not self._shown
        # from now on, so that a short command writes no such line to a log
        self._last = time.monotonic()
        self._first: dict[str, CheckResult] = {}  # the first failed check by exercise
        self._told: set[str] = set()  # the exercises whose first failed check was shown

    def show(self, text: str) -> None:
        if self._shown:
            # to the start of the line, and erase it
            self._stream.write(f"\r\x1b[K{self._style.cut(self._style.clean(text), self._style.width)}")
            self._stream.flush()
        elif self._in_logs and text and time.monotonic() - self._last >= _SELDOM_S:
            self._last = time.monotonic()
            print(self._style.clean(text), file=self._stream, flush=True)

    def follow(self, events: "Iterable[GradingProgress]", course: "Course") -> "Report":
        """Show the progress of grading as learners may see it, and return the report."""
        *_, report = self.reports(events, course)
        return report

    def reports(self, events: "Iterable[GradingProgress]", course: "Course") -> "Iterator[Report]":
        """Show the progress of grading as learners may see it.

        Yield the report as soon as it is made, and again with the result of each search.
        """
        from ..verdict.grading import CheckBegan, CheckEnded, Searching  # imports pytest, which takes time
        from ..verdict.report import Report, check_for_learner

        for event in events:
            if isinstance(event, CheckBegan):
                self._began(event.exercise, event.check)
            elif isinstance(event, CheckEnded):
                self._ended(event.exercise, check_for_learner(event.exercise.id, event.result, course.details))
            elif isinstance(event, Searching):
                self.show(searching(event.tried))
            elif isinstance(event, Report):
                self.clear()
                report = event
                yield report
            else:
                self.clear()
                report = event.to(report)
                yield report
        self.clear()

    def _began(self, exercise: "Exercise", check: "Check") -> None:
        """Show which check of an exercise is running."""
        number = 1 + exercise.checks.index(check)
        self.show(practice.checking(exercise.stem, number, len(exercise.checks), check.title))

    def _ended(self, exercise: "Exercise", result: "CheckResult") -> None:
        """If a check that did not pass took long, leave lines about the first failure of the exercise.

        Other checks may take as long. There are such lines at most once for each exercise.
        """
        if result.status in ("passed", "skipped", "not_started") or result.bonus:
            return
        from ..verdict.terminal import status_word

        first = self._first.setdefault(exercise.id, result)
        slow = result.status == "timeout" or result.duration_s >= _SLOW_S
        if self._shown and slow and exercise.id not in self._told:
            self._told.add(exercise.id)
            texts = [first.title, (first.message or "").partition("\n")[0], practice.OTHER_CHECKS]
            # the word has up to 7 columns
            lines = [line for text in filter(None, texts) for line in self._style.wrap(text, self._style.prose - 9)]
            self.show("")
            self._stream.write(f"{status_word(first.status):<9}" + ("\n" + " " * 9).join(lines) + "\n")

    def clear(self) -> None:
        self.show("")
