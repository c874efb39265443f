"""A course as data."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct, field

from ..base import UserError

Visibility: TypeAlias = Literal["visible", "hidden"]
Detail: TypeAlias = Literal["full", "hint", "score"]
Solutions: TypeAlias = Literal["passed", "always", "never"]
Reveal: TypeAlias = Literal["question", "repair"]

# The commands of `grade`, and the word for all exercises. They cannot be ids of exercises. `reset` is not listed,
# because a course had an exercise of that name before the command existed; that exercise is named by its number.
COMMANDS = (
    "all",
    "build",
    "ci",
    "cohort",
    "compare",
    "completion",
    "decide",
    "export",
    "help",
    "hint",
    "list",
    "new",
    "next",
    "page",
    "play",
    "release",
    "site",
    "solution",
    "start",
    "stubs",
    "verify",
    "watch",
)


class CourseError(UserError):
    """A course has an error. The message says where it is and what to do."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        place = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of one run.

    Attributes:
        calls: calls of the learner's functions.
        cpu_s: CPU time in seconds.
        memory_mb: memory in MB.
        output_kb: kept output in KB.
    """

    calls: int = 2_000_000
    cpu_s: float = 2.0
    memory_mb: int = 512
    output_kb: int = 256


class Check(Struct, frozen=True):
    """A check as listed in `course.yaml`. `hint` is the number of one of its exercise's hints, or 0."""

    id: str
    title: str
    points: int
    bonus: bool
    visibility: Visibility
    detail: Detail
    hint: int
    line: int


class Exercise(Struct, frozen=True):
    """One file that learners edit, with its checks in the order of `course.yaml`.

    Attributes:
        learnt: what it teaches, in one sentence.
        hint_for: codes of failures, each with the number of the hint that fits, or 0 if no hint does.
    """

    id: str
    number: str
    title: str
    checks: tuple[Check, ...]
    hints: tuple[str, ...]
    line: int
    learnt: str = ""
    hint_for: tuple[tuple[str, int], ...] = ()

    @property
    def stem(self) -> str:
        """Return the common part of the names of exercise file, solution and hidden test, such as `03_accumulate`."""
        return f"{self.number}_{self.id}"

    @property
    def filename(self) -> str:
        return f"{self.stem}.py"

    @property
    def notebook(self) -> str:
        """Return the name of a notebook that may replace the file."""
        return f"{self.stem}.ipynb"

    @property
    def names(self) -> tuple[str, ...]:
        """Return every full name that a person may use for the exercise."""
        return names_of(self.id, self.number)

    @property
    def max_score(self) -> int:
        """Return the maximum score, without bonus."""
        return sum(check.points for check in self.checks if not check.bonus)

    def hint_command(self, number: int) -> str:
        """Return the command that shows a hint. Hints are counted from 1."""
        return f"grade hint {self.id}" + (f" {number}" if number > 1 else "")

    def hint_number(self, check: Check, codes: Collection[str]) -> int:
        """Return the number of the hint for a failure of a check, or 0 if no hint fits.

        Args:
            codes: the codes of the failure. The first code of `hint_for` that is among them decides; without such a
                code, the check's own hint does.
        """
        return next((number for code, number in self.hint_for if code in codes), max(1, check.hint))

    def hints_from(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the hints for a failure with the hint `number`; none if it is 0.

        They are that hint and all later hints that belong to no check and no code.
        """
        if number == 0:
            return ()
        first = number if 1 <= number <= len(self.hints) else 1
        named = {check.hint for check in self.checks} | {hint for _, hint in self.hint_for}
        return first, *(other for other in range(first + 1, len(self.hints) + 1) if other not in named)


def names_of(id: str, number: str) -> tuple[str, ...]:
    """Return every full name of an exercise, from its id and number."""
    return id, number, number.lstrip("0"), f"{number}_{id}", f"{number}_{id}.py", f"{number}_{id}.ipynb"


class Part(Struct, frozen=True):
    """A part of a course: the ids of exercises that follow each other, and their maximum score without bonus."""

    title: str
    exercises: tuple[str, ...]
    max_score: int


class Course(Struct, frozen=True):
    """A course.

    Attributes:
        folder: the folder that holds `course.yaml`, `exercises/` and `tests/hidden/`.
        parts: the parts, which together have every exercise once, in order; none if the course is not divided.
        grades: the least number of points for each grade.
        further: sentences on what to do after the last exercise.
        solutions: when a learner may see the solution of an exercise.
        solutions_at: an address or a sentence for learners whose copy of the course has no solutions.
        reveal: what a learner may see of an edit with which the checks pass, besides its place: a question about its
            kind, or the edit itself.
    """

    folder: Path
    id: str
    version: str
    title: str
    allow_imports: tuple[str, ...]
    limits: Limits
    exercises: tuple[Exercise, ...]
    hash: str
    parts: tuple[Part, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)
    further: tuple[str, ...] = ()
    solutions: Solutions = "passed"
    solutions_at: str = ""
    reveal: Reveal = "question"

    @property
    def begins(self) -> dict[str, Part]:
        """Return each part by the id of its first exercise."""
        return {part.exercises[0]: part for part in self.parts}

    @property
    def file(self) -> Path:
        return self.folder / "course.yaml"

    @property
    def max_score(self) -> int:
        """Return the maximum score, without bonus."""
        return sum(exercise.max_score for exercise in self.exercises)

    @property
    def details(self) -> dict[tuple[str, str], str]:
        """Return the level of detail that a learner may see of each check, by the ids of exercise and check."""
        return {(exercise.id, check.id): check.detail for exercise in self.exercises for check in exercise.checks}

    @property
    def hints(self) -> dict[str, str]:
        """Return the text of each hint, by the command that shows it."""
        return {e.hint_command(number): text for e in self.exercises for number, text in enumerate(e.hints, 1)}

    @property
    def hidden(self) -> Path:
        return self.folder / "tests" / "hidden"

    @property
    def book(self) -> Path:
        """Return the file of the answer book."""
        return self.hidden / "answers.json"

    @property
    def seed(self) -> str:
        """Return the default seed of random programs."""
        return f"{self.id} {self.version}"

    def hidden_test(self, exercise: Exercise) -> Path:
        return self.hidden / f"test_{exercise.filename}"

    def solution(self, exercise: Exercise) -> Path:
        return self.folder / "solutions" / exercise.filename

    def exercise_file(self, exercise: Exercise) -> Path:
        return self.folder / "exercises" / exercise.filename


# -- Find the course: the one given, the nearest one upwards, or the packaged one

PACKAGED = "packaged"  # `--course packaged` is the packaged course, even if there is a folder of this name
_PACKAGE = Path(__file__).resolve().parent.parent.parent


def find_course(given: Path | None, start: Path | None) -> Path:
    """Return the folder of the course to use: the given one, the nearest one upwards, or the packaged one.

    Args:
        given: a folder, or `packaged`; None to search.
        start: the folder in which the search for a `course.yaml` begins, upwards; None for no search.

    Raises:
        CourseError: there is no course.
    """
    if given == Path(PACKAGED):
        return packaged_course()
    if given is not None:
        if not (given / "course.yaml").is_file():
            raise CourseError(
                given / "course.yaml", None, "there is no such file; --course needs the folder of a course"
            )
        return given
    return (start and course_around(start)) or packaged_course()


def course_around(start: Path) -> Path | None:
    """Return the nearest folder upwards from `start` with a `course.yaml`, or None."""
    return next((folder for folder in (start, *start.parents) if (folder / "course.yaml").is_file()), None)


def other_course_around(start: Path) -> Path | None:
    """Return the nearest folder upwards from `start` with a `course.yaml`.

    Return None if there is no such folder, or if it is that of the packaged course.
    """
    around = course_around(start)
    return None if around is None or os.path.realpath(around) == os.path.realpath(packaged_course()) else around


def packaged_course() -> Path:
    """Return the folder of the packaged course.

    That is the course installed with the grader or, in a checkout, the course that contains the grader.
    """
    for folder in (_PACKAGE / "backward_course", _PACKAGE):
        if (folder / "course.yaml").is_file():
            return folder
    raise CourseError(_PACKAGE / "backward_course", None, "this installation contains no course; use --course DIR")
