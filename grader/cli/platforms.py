"""Write what a platform needs to grade: what `grade ci init --for PLATFORM` does."""

from pathlib import Path

from ..ci import PLATFORMS, platform_files, write_platform
from ..course import Course


def run_ci_init(platform: str, wheel: Path, course: Course | None, folder: Path) -> int:
    """Write the files of a platform into a folder, and say what to do with them; returns 0. Raises `SetupError`."""
    for path in write_platform(platform_files(platform, wheel, course), folder):
        print(f"wrote {path}")
    print(f"Next: {PLATFORMS[platform].next}. docs/ci.md says what then counts.")
    return 0
