"""Which course is meant: the one given, the nearest upwards, or the one that came with the package."""

import os
from pathlib import Path

from .model import CourseError

PACKAGED = "packaged"  # what `--course` takes for the packaged course, also where there is a folder of this name
_PACKAGE = Path(__file__).resolve().parent.parent.parent


def find_course(given: Path | None, start: Path | None) -> Path:
    """Return the course's folder: `given` (a folder, or `packaged`), else the nearest folder upwards from `start`
    (None: nowhere) with a `course.yaml`, else the packaged course. Raises `CourseError`."""
    if given == Path(PACKAGED):
        return packaged_course()
    if given is not None:
        if not (given / "course.yaml").is_file():
            raise CourseError(given / "course.yaml", None, "there is no such file; --course takes a course's folder")
        return given
    return (start and course_around(start)) or packaged_course()


def course_around(start: Path) -> Path | None:
    """Return the nearest folder upwards from `start` with a `course.yaml`, or None."""
    return next((folder for folder in (start, *start.parents) if (folder / "course.yaml").is_file()), None)


def other_course_around(start: Path) -> Path | None:
    """Return the nearest folder upwards from `start` with a `course.yaml`, or None if it is the packaged course."""
    around = course_around(start)
    return None if around is None or os.path.realpath(around) == os.path.realpath(packaged_course()) else around


def packaged_course() -> Path:
    """Return the course that was installed beside the grader, or around it in a checkout."""
    for folder in (_PACKAGE / "backward_course", _PACKAGE):
        if (folder / "course.yaml").is_file():
            return folder
    raise CourseError(_PACKAGE / "backward_course", None, "no course came with this installation; use --course DIR")
