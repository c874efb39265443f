"""The `process` tier: a separate process with limits and nothing more. For practice, not for untrusted code."""

import subprocess

from . import launch
from .launch import Request


def start(request: Request) -> "subprocess.Popen[bytes]":
    return launch.here("process", request, uid=0)
