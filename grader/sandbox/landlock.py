"""The `landlock` tier: Landlock fences files, seccomp system calls; for Linux without user namespaces."""

import subprocess

from . import launch
from .launch import Request


def start(request: Request) -> "subprocess.Popen[bytes]":
    return launch.here("landlock", request, launch.drop_to())
