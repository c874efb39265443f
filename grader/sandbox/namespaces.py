"""The `namespaces` tier: the worker runs in bubblewrap's namespaces, with seccomp and rlimits.

The worker sees the interpreter, its standard library, the modules that the course allows and system
libraries, all read-only. It sees no /proc, no network and no other process, and can write no file.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator

from ..base.processes import find_program
from . import warm
from .warm import Request

_INSIDE = "/w"


def start(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process. Raises `FileNotFoundError` if bubblewrap is not installed."""
    bwrap = find_program("bwrap")
    if bwrap is None:
        raise FileNotFoundError("bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)")
    python = os.path.realpath(sys.executable)
    worker = warm.interpreter(python, _INSIDE, request, warm.settings("namespaces", request, warm.drop_to()))
    return warm.spawn([bwrap, *_namespaces(), *_files(python, request), "--", *worker], request)


def _namespaces() -> Iterator[str]:
    yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    yield from ("--hostname", "box", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    if os.geteuid() == 0:
        # a user namespace would map nobody to root; each fork changes to nobody permanently instead
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL"):
            yield from ("--cap-add", capability)
    else:
        yield from ("--unshare-user", "--uid", str(warm.NOBODY), "--gid", str(warm.NOBODY))


def _files(python: str, request: Request) -> Iterator[str]:
    library = os.path.dirname(os.__file__)
    yield from ("--ro-bind", python, python, "--ro-bind", library, library)
    for name in ("site-packages", "dist-packages"):
        folder = os.path.join(library, name)
        if os.path.isdir(folder):
            yield from ("--tmpfs", folder, "--remount-ro", folder)
    for path in _system_libraries():
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind-try", path, path)
    yield from ("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
    for folder in request.readable:
        yield from ("--ro-bind", folder, folder)
    yield from ("--ro-bind", str(warm.WORKER), f"{_INSIDE}/worker")
    yield from ("--remount-ro", "/", "--chdir", "/")


def _system_libraries() -> Iterator[str]:
    """Yield the paths of shared libraries, without the packages that a system Python installs beside them."""
    triplet = sysconfig.get_config_var("MULTIARCH")
    debian = f"/usr/lib/{triplet}" if triplet else ""
    yield debian if os.path.isdir(debian) else "/usr/lib"
    yield from (path for path in ("/usr/lib64", "/lib", "/lib64") if os.path.exists(path))
    shared = sysconfig.get_config_var("LIBDIR")
    name = sysconfig.get_config_var("INSTSONAME")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and shared and name:
        yield os.path.join(shared, name)
