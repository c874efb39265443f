"""The `landlock` tier, for Linux without user namespaces.

Landlock restricts access to files, and seccomp restricts system calls.
"""

import subprocess

from . import launch
from .launch import Request


def start(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process."""
    return launch.here("landlock", request, launch.drop_to())
