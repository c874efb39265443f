"""The files that an instructor installs on a platform for grading: workflows, scripts, and the grader itself."""

from .files import PLATFORMS, SetupError, installed_wheel, own_wheel, platform_files, write_platform
