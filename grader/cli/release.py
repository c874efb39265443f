"""Hand out a course, for `grade release OUT`."""

from pathlib import Path

from ..author.release import release, release_files
from ..course import Course
from ..words import author as said
from .words import UsageError


def run_release(course: Course, folder: Path, *, replace: bool) -> int:
    """Write the files for learners to a folder, print each path, and return 0. Raises `UsageError`."""
    try:
        new, replaced = release(release_files(course), folder, replace=replace)
    except OSError as error:
        raise UsageError(said.cannot_be_written(str(error.filename or folder), error.strerror)) from None
    for name in new:
        print(said.wrote(str(folder / name)))
    for name in replaced:
        print(said.replaced(str(folder / name)))
    if not new and not replaced:
        print(said.up_to_date(str(folder)))
    return 0
