"""A course as data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct, field

from ..outside import UserError

Visibility: TypeAlias = Literal["visible", "hidden"]
Detail: TypeAlias = Literal["full", "hint", "score"]
Solutions: TypeAlias = Literal["passed", "always", "never"]

# The commands of `grade`, and the word for all exercises. They cannot be ids of exercises, but for `reset`,
# which a course had before there was the command; its exercise goes by its number.
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
    """The limits of one run: calls of the learner's functions, CPU seconds, memory in MB, kept output in KB."""

    calls: int = 2_000_000
    cpu_s: float = 2.0
    memory_mb: int = 512
    output_kb: int = 256


class Check(Struct, frozen=True):
    """A check as `course.yaml` lists it. `hint` is the number of one of its exercise's hints, or 0."""

    id: str
    title: str
    points: int
    bonus: bool
    visibility: Visibility
    detail: Detail
    hint: int
    line: int


class Exercise(Struct, frozen=True):
    """One file that learners edit, with its checks in the order of `course.yaml`. `learnt` says what it teaches."""

    id: str
    number: str
    title: str
    checks: tuple[Check, ...]
    hints: tuple[str, ...]
    line: int
    learnt: str = ""

    @property
    def stem(self) -> str:
        """The common part of the names of exercise file, solution and hidden test, such as `03_accumulate`."""
        return f"{self.number}_{self.id}"

    @property
    def filename(self) -> str:
        return f"{self.stem}.py"

    @property
    def notebook(self) -> str:
        """The name of a notebook that takes the place of the file."""
        return f"{self.stem}.ipynb"

    @property
    def names(self) -> tuple[str, ...]:
        """Every whole name that a person may call the exercise by."""
        return names_of(self.id, self.number)

    @property
    def max_score(self) -> int:
        """The maximum score, without bonus."""
        return sum(check.points for check in self.checks if not check.bonus)

    def hint_command(self, number: int) -> str:
        """Return the command that shows a hint; without a number, 0, that of the first."""
        return f"grade hint {self.id}" + (f" {number}" if number > 1 else "")

    def hints_from(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the hints for a failure that names one of them: that hint, then those after it that
        belong to no check."""
        first = number if 1 <= number <= len(self.hints) else 1
        of_checks = {check.hint for check in self.checks}
        return first, *(other for other in range(first + 1, len(self.hints) + 1) if other not in of_checks)


def names_of(id: str, number: str) -> tuple[str, ...]:
    """Return every whole name of an exercise, from its id and number."""
    return id, number, number.lstrip("0"), f"{number}_{id}", f"{number}_{id}.py", f"{number}_{id}.ipynb"


class Course(Struct, frozen=True):
    """A whole assessment.

    Attributes:
        folder: the folder that holds `course.yaml`, `exercises/` and `tests/hidden/`.
        grades: the least number of points of each grade.
        further: where to go on after the last exercise, a sentence each.
        solutions: when a learner may see the solution of an exercise.
    """

    folder: Path
    id: str
    version: str
    title: str
    allow_imports: tuple[str, ...]
    limits: Limits
    exercises: tuple[Exercise, ...]
    hash: str
    grades: Mapping[str, int] = field(default_factory=dict)
    further: tuple[str, ...] = ()
    solutions: Solutions = "passed"

    @property
    def file(self) -> Path:
        return self.folder / "course.yaml"

    @property
    def max_score(self) -> int:
        """The maximum score, without bonus."""
        return sum(exercise.max_score for exercise in self.exercises)

    @property
    def details(self) -> dict[tuple[str, str], str]:
        """The level of detail that a learner may see of each check, by the ids of exercise and check."""
        return {(exercise.id, check.id): check.detail for exercise in self.exercises for check in exercise.checks}

    @property
    def hints(self) -> dict[str, str]:
        """The text of each hint, by the command that shows it."""
        return {e.hint_command(number): text for e in self.exercises for number, text in enumerate(e.hints, 1)}

    @property
    def hidden(self) -> Path:
        return self.folder / "tests" / "hidden"

    @property
    def book(self) -> Path:
        """The file of the answer book."""
        return self.hidden / "answers.json"

    @property
    def seed(self) -> str:
        """The seed of random programs if no other is given."""
        return f"{self.id} {self.version}"

    def hidden_test(self, exercise: Exercise) -> Path:
        return self.hidden / f"test_{exercise.filename}"

    def solution(self, exercise: Exercise) -> Path:
        return self.folder / "solutions" / exercise.filename

    def exercise_file(self, exercise: Exercise) -> Path:
        return self.folder / "exercises" / exercise.filename
