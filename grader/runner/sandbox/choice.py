"""The choice of a tier: by its name, or the strongest that works on this machine."""

import os
import sys
from collections.abc import Sequence

from ...base.files import UserError
from ...words.practice import needs_linux
from . import tiers
from .children import CHILD, Children
from .tiers import OFFICIAL, Started, Warm, module_folders

FORKS = hasattr(os, "fork")

_REMEDY = (
    "Official grading needs Linux with bubblewrap (Debian, Ubuntu: apt install bubblewrap), "
    "or a kernel with Landlock, or root. A plain process is for practice: `--isolation process` without `--official`, "
    "or `grade cohort --allow-process` for code that you trust."
)


class IsolationError(UserError):
    """No requested tier is available. The message gives the reason for each tier, and a remedy."""


def start(isolation: str = "auto", *, allow_imports: Sequence[str] = (), official: bool = False) -> Started:
    """Return a server process in the strongest tier that works on this machine, or in the named tier.

    The process starts at once. Its tier is tested at the first use, and `Warm.tier` waits for the test. If the tier
    does not work, the next one is tried. Where the system cannot fork, there is only the tier `child`.

    Args:
        isolation: a tier, or `auto`.
        allow_imports: modules beyond the standard library that learners may import.
        official: whether to refuse the `process` tier.

    Raises:
        IsolationError: no requested tier is available; raised here or at the first use.
    """
    if not FORKS:
        if official or isolation not in ("auto", CHILD):
            raise IsolationError(needs_linux("--official" if official else f"--isolation {isolation}"))
        return Children(module_folders(allow_imports))
    wanted = list(tiers.TIERS) if isolation == "auto" else [isolation]
    if official:
        wanted = [tier for tier in wanted if tier in OFFICIAL]
    elif isolation == "auto" and sys.platform != "linux":  # the other tiers need Linux's system calls
        wanted = ["process"]
    if not wanted:
        raise _refuse(f"  {isolation}: protects neither the machine nor the grader from learner code")
    return Warm([(tier, tiers.TIERS[tier]) for tier in wanted], module_folders(allow_imports), _refuse)


def see_that_it_forks(command: str) -> None:
    """Raise `IsolationError` if this system cannot fork, and so cannot run a command."""
    if not FORKS:
        raise IsolationError(needs_linux(command))


def _refuse(reasons: str) -> IsolationError:
    return IsolationError(f"learner code cannot be isolated as requested.\n{reasons}\n{_REMEDY}")
