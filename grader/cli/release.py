"""Hand out a course, for `grade release OUT`."""

from pathlib import Path

from ..author.release import release, release_files
from ..course import Course
from .words import UsageError


def run_release(course: Course, folder: Path, *, replace: bool) -> int:
    """Write the files for learners to a folder, print each path, and return 0. Raises `UsageError`."""
    try:
        new, replaced = release(release_files(course), folder, replace=replace)
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None
    for name in new:
        print(f"wrote {folder / name}")
    for name in replaced:
        print(f"replaced {folder / name}")
    if not new and not replaced:
        print(f"{folder} is up to date")
    return 0
