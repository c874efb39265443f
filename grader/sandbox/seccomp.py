"""The `seccomp` tier: for root on a kernel without Landlock. Nothing can be opened once learner code runs."""

import subprocess

from . import launch
from .launch import Request


class NeedsRoot(OSError):
    """Without root the user cannot be dropped, and this tier has nothing else between users."""


def start(request: Request) -> "subprocess.Popen[bytes]":
    """Raises `NeedsRoot`."""
    uid = launch.drop_to()
    if not uid:
        raise NeedsRoot("the seccomp tier needs root, to drop it")
    return launch.here("seccomp", request, uid)
