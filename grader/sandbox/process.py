"""The `process` tier: a separate process with limits only. For practice, not for untrusted code."""

import subprocess

from . import launch
from .launch import Request


def start(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process."""
    return launch.here("process", request, uid=0)
