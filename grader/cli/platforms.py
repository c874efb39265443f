"""Write the files that a platform needs for grading, for `grade ci init --for PLATFORM`."""

import shlex
import tempfile
from pathlib import Path

from ..ci import PLATFORMS, own_wheel, platform_files, write_platform
from ..course import Course
from ..words import author as said


def run_ci_init(
    platform: str, wheel: Path | None, course: Course | None, folder: Path, min_score: int | None = None
) -> int:
    """Write the files of a platform to a folder, and print the next step. Return 0. Raises `UserError`.

    Without `wheel`, the wheel is that of this installation or clone.
    """
    with tempfile.TemporaryDirectory() as temporary:
        if wheel is None:
            name, data = own_wheel()
            wheel = Path(temporary) / name
            wheel.write_bytes(data)
        files = platform_files(platform, wheel, course, min_score)
    for path in write_platform(files, folder):
        print(f"wrote {path}")
    print(said.next_step(PLATFORMS[platform].next.replace("FOLDER", shlex.quote(str(folder)))))
    return 0
