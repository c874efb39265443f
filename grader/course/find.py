"""Find the course: the one given, the nearest one upwards, or the packaged one."""

import os
from pathlib import Path

from .model import CourseError

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
