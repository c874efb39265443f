"""The progress of a learner: the passed exercises, the current exercise, and the hints that were shown for it."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ..outside import read_plain, write_atomically
from .folder import FOLDER, own_folder

_FILE = "progress.json"
_MOST = 1 << 20


class Progress(msgspec.Struct):
    """The data that is kept between two runs.

    Attributes:
        passed: the ids of the exercises that were passed when they were last graded.
        at: the id of the exercise whose failure was last explained, or an empty text.
        check: the id of the check that failed there; empty if the file could not be loaded.
        hint: the number of the hint for that failure, or 0 if no hint fits.
        shown: the number of the last hint that was shown for this failure, or 0.
    """

    passed: list[str] = []
    at: str = ""
    check: str = ""
    hint: int = 1
    shown: int = 0

    def graded(self, passed: Iterable[str], others: Iterable[str]) -> None:
        """Record the exercises that were passed in a run, and those that were not."""
        now = set(passed)
        self.passed = sorted((set(self.passed) | now) - (set(others) - now))
        if self.at in now:
            self.failed("", "", 1)

    def failed(self, exercise: str, check: str, hint: int) -> None:
        """Record the failure that was explained. If it is a new one, no hint has been shown for it."""
        if (exercise, check) != (self.at, self.check):
            self.shown = 0
        self.at, self.check, self.hint = exercise, check, hint

    def next_hint(self, numbers: Sequence[int]) -> int:
        """Return the hint to show next from `numbers`.

        This is the first one, or the one after the hint that was shown last. At the end, it is the last one again.
        """
        following = numbers.index(self.shown) + 1 if self.shown in numbers else 0
        return numbers[min(following, len(numbers) - 1)]


def progress_of(exercises: Path) -> Progress:
    """Return the progress in a folder of exercise files, or no progress if it cannot be read."""
    try:
        return msgspec.json.decode(read_plain(exercises / FOLDER / _FILE, _MOST), type=Progress)
    except (OSError, msgspec.MsgspecError):
        return Progress()


def remember(exercises: Path, progress: Progress) -> None:
    """Save progress for the next run. Raises `OSError`."""
    write_atomically(own_folder(exercises) / _FILE, msgspec.json.format(msgspec.json.encode(progress)) + b"\n")
