"""How far a learner is: what was passed, which exercise is at hand, and which of its hints were shown."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ..outside import read_plain, write_atomically
from .folder import FOLDER, own_folder

_FILE = "progress.json"
_MOST = 1 << 20


class Progress(msgspec.Struct):
    """Facts that are remembered between two runs.

    Attributes:
        passed: The ids of the exercises that were passed when they were last graded.
        at: The id of the exercise whose failure was last explained, or empty.
        check: The check that failed there, or empty.
        hint: The number of the hint that helps there.
        shown: The number of the last hint that was shown for this failure, or 0.
    """

    passed: list[str] = []
    at: str = ""
    check: str = ""
    hint: int = 1
    shown: int = 0

    def graded(self, passed: Iterable[str], others: Iterable[str]) -> None:
        """Take in which exercises were passed in a run, and which were not."""
        now = set(passed)
        self.passed = sorted((set(self.passed) | now) - (set(others) - now))

    def failed(self, exercise: str, check: str, hint: int) -> None:
        """Take in which failure was explained; other hints were for another one."""
        if (exercise, check) != (self.at, self.check):
            self.shown = 0
        self.at, self.check, self.hint = exercise, check, hint

    def next_hint(self, count: int) -> int:
        """Return the number of the hint to show next: the one that helps, those after it, and then from the first."""
        if not 1 <= self.shown <= count:
            return self.hint if 1 <= self.hint <= count else 1
        return self.shown % count + 1


def progress_of(exercises: Path) -> Progress:
    """Return what is remembered in a folder of exercise files; nothing where that cannot be read."""
    try:
        return msgspec.json.decode(read_plain(exercises / FOLDER / _FILE, _MOST), type=Progress)
    except (OSError, msgspec.MsgspecError):
        return Progress()


def remember(exercises: Path, progress: Progress) -> None:
    """Keep progress for the next run. Raises `OSError`."""
    write_atomically(own_folder(exercises) / _FILE, msgspec.json.format(msgspec.json.encode(progress)) + b"\n")
