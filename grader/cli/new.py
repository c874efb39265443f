"""Begin a course or an exercise, and print the next steps, for `grade new`."""

from pathlib import Path

from ..author import guide, new_course, new_exercise
from ..course import Course, Exercise
from ..outside import counted
from .words import UsageError


def run_new_course(folder: Path, title: str | None) -> int:
    """Write a course, print the next steps, and return 0. Raises `UsageError`."""
    try:
        course = new_course(folder, title)
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None
    print(f"{folder} is a course of one exercise:\n\n  course.yaml\n  README.md")
    print("\n".join(_files(course, course.exercises[0])))
    print(f"\nNext: cd {folder}, then `grade build`, `grade verify`, and `grade new exercise NAME`.")
    print(f"The guide: {guide()}")
    return 0


def run_new_exercise(course: Course, name: str, title: str | None) -> int:
    """Add an exercise, print the next steps, and return 0. Raises `UsageError`."""
    try:
        exercise = new_exercise(course, name, title)
    except OSError as error:
        raise UsageError(f"{error.filename or course.folder}: cannot be written: {error.strerror}") from None
    print(f"{exercise.stem} is in {course.file}, worth {counted(exercise.max_score, 'point')}; rewrite these files:\n")
    print("\n".join(_files(course, exercise)))
    print(f"\nNext: `grade build {name}`, then `grade verify {name}`.\nThe guide: {guide()}")
    return 0


def _files(course: Course, exercise: Exercise) -> list[str]:
    solution = course.solution(exercise)
    paths = (
        solution,
        solution.with_suffix(".mistakes.yaml"),
        course.hidden_test(exercise),
        course.exercise_file(exercise),
    )
    return [f"  {path.relative_to(course.folder)}" for path in paths]
