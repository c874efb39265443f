"""The files that an instructor installs on a platform for grading: workflows, scripts, and the grader itself."""

from .files import PLATFORMS, SetupError, platform_files, write_platform
from .repack import installed_wheel, own_wheel

__all__ = ["PLATFORMS", "SetupError", "installed_wheel", "own_wheel", "platform_files", "write_platform"]
