"""The tiers of isolation, strongest first, and the choice of one."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..base import UserError
from ..base.processes import find_program
from . import warm
from .warm import Launcher, Request, Warm

# -- The `namespaces` tier: the worker runs in bubblewrap's namespaces, with seccomp and rlimits. It sees the
# interpreter, its standard library, the modules that the course allows and system libraries, all read-only. It sees no
# /proc, no network and no other process, and can write no file

_INSIDE = "/w"


def namespaces(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process. Raises `FileNotFoundError` if bubblewrap is not installed."""
    bwrap = find_program("bwrap")
    if bwrap is None:
        raise FileNotFoundError("bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)")
    python = os.path.realpath(sys.executable)
    worker = warm.interpreter(python, _INSIDE, request, warm.settings("namespaces", request, warm.drop_to()))
    return warm.spawn([bwrap, *_unshared(), *_files(python, request), "--", *worker], request)


def _unshared() -> Iterator[str]:
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


# -- The `process` tier: a separate process with limits only. For practice, not for untrusted code


def process(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process."""
    return warm.here("process", request, uid=0)


# -- The `seccomp` tier: for root on a kernel without Landlock. Learner code cannot open any file


class NeedsRoot(OSError):
    """The tier must change to another user, and the grader cannot do so because it is not root."""


def seccomp(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process. Raises `NeedsRoot`."""
    uid = warm.drop_to()
    if not uid:
        raise NeedsRoot("the seccomp tier must be started by root")
    return warm.here("seccomp", request, uid)


# -- The `landlock` tier, for Linux without user namespaces


def landlock(request: Request) -> "subprocess.Popen[bytes]":
    """Start the server process."""
    return warm.here("landlock", request, warm.drop_to())


TIERS: Mapping[str, Launcher] = MappingProxyType(
    {
        "namespaces": namespaces,
        "landlock": landlock,
        "seccomp": seccomp,
        "process": process,
    }
)
OFFICIAL = ("namespaces", "landlock", "seccomp")

_REMEDY = (
    "Official grading needs Linux with bubblewrap (Debian, Ubuntu: apt install bubblewrap), "
    "or a kernel with Landlock, or root. A plain process is for practice: `--isolation process` without `--official`, "
    "or `grade cohort --allow-process` for code that you trust."
)


class IsolationError(UserError):
    """No requested tier is available. The message gives the reason for each tier, and a remedy."""


def start(isolation: str = "auto", *, allow_imports: Sequence[str] = (), official: bool = False) -> Warm:
    """Return a server process in the strongest tier that works on this machine, or in the named tier.

    The process starts at once. Its tier is tested at the first use, and `Warm.tier` waits for the test. If the tier
    does not work, the next one is tried.

    Args:
        isolation: a tier, or `auto`.
        allow_imports: modules beyond the standard library that learners may import.
        official: whether to refuse the `process` tier.

    Raises:
        IsolationError: no requested tier is available; raised here or at the first use.
    """
    wanted = list(TIERS) if isolation == "auto" else [isolation]
    if official:
        wanted = [tier for tier in wanted if tier in OFFICIAL]
    elif isolation == "auto" and sys.platform != "linux":  # the other tiers need Linux's system calls
        wanted = ["process"]
    if not wanted:
        raise _refuse(f"  {isolation}: protects neither the machine nor the grader from learner code")
    return Warm([(tier, TIERS[tier]) for tier in wanted], warm.module_folders(allow_imports), _refuse)


def _refuse(reasons: str) -> IsolationError:
    return IsolationError(f"learner code cannot be isolated as requested.\n{reasons}\n{_REMEDY}")
