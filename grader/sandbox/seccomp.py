"""The `seccomp` tier: for root on a kernel without Landlock. Learner code cannot open any file."""

import subprocess

from . import launch
from .launch import Request


class NeedsRoot(OSError):
    """The tier must change to another user, and the grader cannot do so because it is not root."""


def start(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process. Raises `NeedsRoot`."""
    uid = launch.drop_to()
    if not uid:
        raise NeedsRoot("the seccomp tier must be started by root")
    return launch.here("seccomp", request, uid)
