"""The files that an instructor puts on a platform so that it grades: workflows, scripts, and the grader itself."""

from .files import PLATFORMS, SetupError, platform_files, write_files

__all__ = ["PLATFORMS", "SetupError", "platform_files", "write_files"]
