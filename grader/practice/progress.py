"""The progress of a learner between runs: the passed exercises, the current failure, its hints, and the last search."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Raw, Struct

from ..base.files import read_plain, write_atomically
from ..base.text import text_digest
from ..course.load import Course, Exercise
from ..verdict.report import Repairs, Report, hint_of
from ..verdict.terminal import at_hand
from .workspace import FOLDER, own_folder

_FILE = "progress.json"
_MOST = 1 << 20  # bytes of the file


class SearchResult(Struct, frozen=True):
    """The result of a search for the line that must change in an exercise's file.

    Attributes:
        exercise: the id of the exercise.
        course: the digest of the course.
        sha256: the digest of the file's text.
        repairs: the result, as in a report.
    """

    exercise: str
    course: str
    sha256: str
    # The result is decoded only when it is needed. One from another version, which cannot be
    # decoded, does not make the rest of the progress unreadable.
    repairs: Raw


class Progress(Struct):
    """The data that is kept between two runs.

    Attributes:
        passed: the ids of the exercises that were passed when they were last graded.
        at: the id of the exercise whose failure was last explained, or an empty text.
        check: the id of the check that failed there; empty if the file could not be loaded.
        hint: the number of the hint for that failure, or 0 if no hint fits.
        shown: the number of the last hint that was shown for this failure, or 0.
        found: the result of the last search for the line that must change.
        begun: the id of the exercise that was graded alone last, if it has not been started; else an empty text.
    """

    passed: list[str] = []
    at: str = ""
    check: str = ""
    hint: int = 1
    shown: int = 0
    found: SearchResult | None = None
    begun: str = ""

    def graded(self, report: Report) -> None:
        """Record the result of a run."""
        # an exercise that was passed, and then graded without passing, is no longer passed
        now = {result.id for result in report.exercises if result.status == "passed"}
        self.passed = sorted(set(self.passed) - {result.id for result in report.exercises} | now)
        if self.at in now:
            self.failed("", "", 1)
        # a missed bonus of a passed exercise is no failure to work on
        at, check = at_hand(report)
        if at is not None and at.status != "passed":
            self.failed(at.id, check.id if check else "", hint_of(check) if check else 1)
        elif len(report.exercises) == 1 and not now:
            self.not_started(report.exercises[0].id)
        self.searched(report)

    def searched(self, report: Report) -> None:
        """Record the result of a search for the line that must change, if a report has one."""
        for result in report.exercises:
            sha256 = (report.submission.files or {}).get(result.id)
            # the digest of the text, so that the result counts for this text alone
            if result.repairs and sha256:
                repairs = Raw(msgspec.json.encode(result.repairs))
                self.found = SearchResult(result.id, report.course.hash, sha256, repairs)

    def search_of(self, course: Course, exercise: Exercise, text: str) -> Repairs | None:
        """Return the result of the last search, if it was in a file of an exercise with this text. Else return None."""
        found, this = self.found, (exercise.id, course.hash, text_digest(text))
        if found is None or (found.exercise, found.course, found.sha256) != this:
            return None
        try:
            return msgspec.json.decode(found.repairs, type=Repairs)
        except msgspec.MsgspecError:  # of another version
            return None

    def failed(self, exercise: str, check: str, hint: int) -> None:
        """Record the failure that was explained. If it is a new one, no hint has been shown for it."""
        if (exercise, check) != (self.at, self.check):
            self.shown = 0
        self.at, self.check, self.hint, self.begun = exercise, check, hint, ""

    def not_started(self, exercise: str) -> None:
        """Record that an exercise was graded alone and has not been started. An earlier failure is no longer shown."""
        self.failed("", "", 1)
        self.begun = exercise

    def show_next(self, numbers: Sequence[int]) -> None:
        """Record that the next hint is shown.

        The next hint is the one after the hint that was shown last, or the first one if none was shown. After the last
        hint, the last one is shown again.

        Args:
            numbers: the numbers of the hints, in ascending order.
        """
        # A hint that is not in the list was shown for another failure, so the list begins again. A
        # number beyond the list is that of a hint from a search whose result no longer holds.
        later = self.shown in numbers or self.shown > numbers[-1]
        self.shown = next((number for number in numbers if number > self.shown), numbers[-1]) if later else numbers[0]


def progress_of(exercises: Path) -> Progress:
    """Return the progress in a folder of exercise files, or no progress if it cannot be read."""
    try:
        return msgspec.json.decode(read_plain(exercises / FOLDER / _FILE, _MOST), type=Progress)
    except (OSError, msgspec.MsgspecError):
        return Progress()


def remember(exercises: Path, progress: Progress) -> None:
    """Save progress in a folder of exercise files. Raises `OSError`."""
    write_atomically(own_folder(exercises) / _FILE, msgspec.json.format(msgspec.json.encode(progress)) + b"\n")
