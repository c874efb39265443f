"""The tiers of isolation, strongest first, and the choice of one."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..base import UserError
from . import namespaces, warm
from .warm import Launcher, Request, Warm

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
        "namespaces": namespaces.start,
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
