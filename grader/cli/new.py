"""Begin a course or an exercise, and print the next steps, for `grade new`."""

from pathlib import Path

from ..author import guide, new_course, new_exercise
from ..course import Course, Exercise
from ..words import author as said
from .words import UsageError


def run_new_course(folder: Path, title: str | None) -> int:
    """Write a course, print the next steps, and return 0. Raises `UsageError`."""
    try:
        course = new_course(folder, title)
    except OSError as error:
        raise UsageError(said.cannot_be_written(str(error.filename or folder), error.strerror)) from None
    files = ["course.yaml", "README.md", *_files(course, course.exercises[0])]
    print(said.new_course(str(folder), files, str(guide())))
    return 0


def run_new_exercise(course: Course, name: str, title: str | None) -> int:
    """Add an exercise, print the next steps, and return 0. Raises `UsageError`."""
    try:
        exercise = new_exercise(course, name, title)
    except OSError as error:
        raise UsageError(said.cannot_be_written(str(error.filename or course.folder), error.strerror)) from None
    files, points = _files(course, exercise), exercise.max_score
    print(said.new_exercise(name, exercise.stem, str(course.file), points, files, str(guide())))
    return 0


def _files(course: Course, exercise: Exercise) -> list[str]:
    solution = course.solution(exercise)
    paths = (
        solution,
        solution.with_suffix(".mistakes.yaml"),
        course.hidden_test(exercise),
        course.exercise_file(exercise),
    )
    return [str(path.relative_to(course.folder)) for path in paths]
