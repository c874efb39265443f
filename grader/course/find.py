"""Which course is meant: the one given, the nearest upwards, or the one that came with the package."""

from pathlib import Path

from .model import CourseError

_PACKAGE = Path(__file__).resolve().parent.parent.parent


def find_course(given: Path | None, start: Path | None) -> Path:
    """Return the course's folder: `given`, else the nearest folder upwards from `start` (None: nowhere) with a
    `course.yaml`, else the packaged course. Raises `CourseError`."""
    if given is not None:
        if not (given / "course.yaml").is_file():
            raise CourseError(given / "course.yaml", None, "there is no such file; --course takes a course's folder")
        return given
    for folder in [start, *start.parents] if start else []:
        if (folder / "course.yaml").is_file():
            return folder
    return packaged_course()


def packaged_course() -> Path:
    """Return the course that was installed beside the grader, or around it in a checkout."""
    for folder in (_PACKAGE / "backward_course", _PACKAGE):
        if (folder / "course.yaml").is_file():
            return folder
    raise CourseError(_PACKAGE / "backward_course", None, "no course came with this installation; use --course DIR")
