"""Hand a course out: what `grade release OUT` does."""

from pathlib import Path

from ..author.release import release, release_files
from ..course import Course
from .words import UsageError


def run_release(course: Course, folder: Path, *, replace: bool) -> int:
    """Write what learners get into a folder, and print each file; returns 0."""
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
