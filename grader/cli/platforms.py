"""Write the files that a platform needs for grading, for `grade ci init --for PLATFORM`."""

import shlex
from pathlib import Path

from ..ci import PLATFORMS, platform_files, write_platform
from ..course import Course
from ..words import ci as said


def run_ci_init(platform: str, wheel: Path, course: Course | None, folder: Path) -> int:
    """Write the files of a platform to a folder, and print the next step. Return 0. Raises `SetupError`."""
    for path in write_platform(platform_files(platform, wheel, course), folder):
        print(f"wrote {path}")
    print(said.next_step(PLATFORMS[platform].next.replace("FOLDER", shlex.quote(str(folder)))))
    return 0
