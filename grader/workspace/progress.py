"""How far a learner is: what was passed, which exercise is at hand, and which of its hints were shown."""

from collections.abc import Iterable, Sequence
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
        check: The check that failed there; empty where the file could not be loaded.
        hint: The number of the hint that the failing check names.
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
        if self.at in now:
            self.failed("", "", 1)

    def failed(self, exercise: str, check: str, hint: int) -> None:
        """Take in which failure was explained; other hints were for another one."""
        if (exercise, check) != (self.at, self.check):
            self.shown = 0
        self.at, self.check, self.hint = exercise, check, hint

    def next_hint(self, numbers: Sequence[int]) -> int:
        """Return the hint to show next, of these: the first, or the one after the last that was shown; at the end the
        last one again."""
        following = numbers.index(self.shown) + 1 if self.shown in numbers else 0
        return numbers[min(following, len(numbers) - 1)]


def progress_of(exercises: Path) -> Progress:
    """Return what is remembered in a folder of exercise files; nothing where that cannot be read."""
    try:
        return msgspec.json.decode(read_plain(exercises / FOLDER / _FILE, _MOST), type=Progress)
    except (OSError, msgspec.MsgspecError):
        return Progress()


def remember(exercises: Path, progress: Progress) -> None:
    """Keep progress for the next run. Raises `OSError`."""
    write_atomically(own_folder(exercises) / _FILE, msgspec.json.format(msgspec.json.encode(progress)) + b"\n")
