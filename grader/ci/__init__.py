"""The files that an instructor puts on a platform so that it grades: workflows, scripts, and the grader itself."""

from .files import PLATFORMS, SetupError, platform_files, write_platform
from .repack import installed_wheel

__all__ = ["PLATFORMS", "SetupError", "installed_wheel", "platform_files", "write_platform"]
