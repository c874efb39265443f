"""Standard output and standard error, whatever they are: closed, full, of another encoding, read by nobody any more."""

import os
import sys
import time
from contextlib import suppress
from typing import TextIO

from ..outside import paragraph, take_any_text

_TELLING = 5  # steps, after which the time that is left can be told


def prepare() -> None:
    """Let both streams take any text, and nothing at all where they are closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        take_any_text(getattr(sys, name))


def complain(message: object) -> None:
    """Print a message on standard error that cannot steer a terminal or a log: it may hold names that others chose."""
    print(paragraph(f"grade: {message}"), file=sys.stderr)


def unwritable(stream: TextIO) -> OSError | None:
    """Return why what was printed cannot be written, if it cannot; it is thrown away then."""
    try:
        stream.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # what has no descriptor has nothing to keep back
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


class Countdown:
    """A status line with what is done now, how many steps of how many, and about how long the rest takes."""

    def __init__(self, line: "StatusLine") -> None:
        self._line = line
        self._began = time.monotonic()

    def show(self, text: str, done: int, total: int) -> None:
        left = (time.monotonic() - self._began) / done * (total - done) if done else 0.0
        self._line.show(f"{text}: {done} of {total}{_left(left) if done >= _TELLING else ''}")


def _left(seconds: float) -> str:
    """Return `, about 2 min left`, in words that hold for an estimate."""
    return f", about {round(seconds / 60)} min left" if seconds >= 90 else f", about {max(1, round(seconds))} s left"


class StatusLine:
    """A line on standard error that is written over, where that is a terminal; elsewhere nothing."""

    _WIDTH = 90

    def __init__(self, wanted: bool = True) -> None:
        self._shown = wanted and sys.stderr.isatty()

    def show(self, text: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{text[: self._WIDTH]}")
            sys.stderr.flush()

    def clear(self) -> None:
        self.show("")
