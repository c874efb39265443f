"""The grader's end of a browser tab: it gets the text of an exercise, and returns JSON for the page."""

import zlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from ..base.style import Style
from ..client import bounds, decode_source
from ..client.same_interpreter import Here
from ..course import Course, Exercise, load_course
from ..report import ExerciseResult, to_json
from ..report.shown import facts_of, first_failure, hint_of, located
from ..views.practice import exercise_screen
from .session import Practice

_CPU_S = 2.0  # a verdict has to be back within three seconds


class Verdict(Struct, frozen=True):
    """The verdict on an exercise, for the page.

    Attributes:
        lines: What `grade` prints about the exercise, without commands that can only be run in a terminal.
        marked: The numbers of the lines that the failure is about.
        hints: The numbers of the hints that fit the failure, counted from 1.
        report: The report for the learner, as JSON.
    """

    exercise: str
    status: str
    score: int
    max_score: int
    lines: Sequence[str]
    marked: Sequence[int]
    hints: Sequence[int]
    report: str


class Tab:
    """The grader of one course in a browser tab. A context manager.

    Args:
        folder: The folder of the course.
        patience: How many times more time code may take than on a usual machine.
    """

    def __init__(self, folder: Path, patience: float = 1.0) -> None:
        self._course = load_course(folder)
        self._here = Here()
        self._practice = Practice(self._course, folder, host=self._here, max_cpu_s=_CPU_S * patience)

    def __enter__(self) -> "Tab":
        self._practice.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._practice.__exit__(*exception)
        self._here.__exit__(*exception)

    def grade(self, exercise: str, text: str, width: int) -> str:
        """Grade the text of an exercise's file.

        Args:
            exercise: The exercise's id.
            width: The number of columns of a line that is shown.

        Returns:
            A `Verdict` as JSON.
        """
        one = _find(self._course, exercise)
        report = self._practice.grade_source(one, decode_source(_path(one), text.encode("utf-8", "replace")))
        (result,) = report.exercises
        failure = first_failure(result)
        verdict = Verdict(
            one.id,
            result.status,
            result.score,
            result.max_score,
            exercise_screen(for_page(result), style=Style(width=width)),
            sorted(_marked(result)),
            one.hints_from(hint_of(failure)) if failure else (),
            to_json(report).decode(),
        )
        return msgspec.json.encode(verdict).decode()

    def packed(self, texts: str) -> bytes:
        """Return a zip of files, which `grade` and `grade cohort` accept. `texts` is their texts by name, as JSON."""
        files: dict[str, str] = msgspec.json.decode(texts, type=dict[str, str])
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(f"exercises/{name}", text)
        return packed.getvalue()

    def unpacked(self, data: bytes) -> str:
        """Return the texts of the exercises' files in a zip, by the exercises' ids, as JSON: `null` for no zip.

        Other files are left out.
        """
        names = {exercise.filename: exercise for exercise in self._course.exercises}
        texts = {}
        try:
            with ZipFile(BytesIO(data)) as archive:
                for info in archive.infolist():
                    exercise = names.get(PurePosixPath(info.filename).name)
                    if exercise is None or info.file_size > bounds.SOURCE:
                        continue
                    source = decode_source(_path(exercise), archive.read(info))
                    if source.problem is None:
                        texts[exercise.id] = source.text
        except (BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, zlib.error):
            return "null"
        return msgspec.json.encode(texts).decode()


def _find(course: Course, name: str) -> Exercise:
    return next(exercise for exercise in course.exercises if exercise.id == name)


def _path(exercise: Exercise) -> Path:
    return Path(PurePosixPath("exercises", exercise.filename))


def for_page(result: ExerciseResult) -> ExerciseResult:
    """Return a result without the commands for hints and replays, which are buttons on the page."""
    return replace(
        result, checks=tuple(replace(check, hint=UNSET, hint_number=0, play=UNSET) for check in result.checks)
    )


def _marked(result: ExerciseResult) -> set[int]:
    """Return the lines of the file that the first failure is about."""
    check = first_failure(result)
    _, line = located(result, check)
    reason = check.reason if check else None
    ranges = [fact.lines for fact in facts_of(result, check) if fact.lines]
    lines = {number for first, last in ranges for number in range(first, last + 1)}
    return lines or {number for number in (line, reason and reason.line) if number}
