"""The tiers of isolation, strongest first, and which one is taken."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..outside import UserError
from . import landlock, launch, namespaces, process, seccomp
from .warm import Launcher, Warm

TIERS: Mapping[str, Launcher] = MappingProxyType(
    {
        "namespaces": namespaces.start,
        "landlock": landlock.start,
        "seccomp": seccomp.start,
        "process": process.start,
    }
)
OFFICIAL = ("namespaces", "landlock", "seccomp")

_REMEDY = (
    "Official grading needs Linux with bubblewrap (Debian, Ubuntu: apt install bubblewrap), "
    "or a kernel with Landlock, or root. A plain process is for practice: `--isolation process` without `--official`, "
    "or `grade cohort --allow-process` for code that you trust."
)


class IsolationError(UserError):
    """No tier that was asked for can be had; the message says why for each, and what to do."""


def start(isolation: str = "auto", *, allow_imports: Sequence[str] = (), official: bool = False) -> Warm:
    """Return a warm worker process in the strongest tier that works here, or in the one named.

    `allow_imports` names the modules beyond the standard library that learners may import. With `official` the
    `process` tier is refused. The process starts at once; what cannot be had is found out, and the next tier
    tried, when it is first used (`Warm.tier` waits for that), and is an `IsolationError` then.
    """
    wanted = list(TIERS) if isolation == "auto" else [isolation]
    if official:
        wanted = [tier for tier in wanted if tier in OFFICIAL]
    if not wanted:
        raise _refuse(f"  {isolation}: separates processes, and protects neither the machine nor the grader")
    return Warm([(tier, TIERS[tier]) for tier in wanted], launch.module_folders(allow_imports), _refuse)


def _refuse(reasons: str) -> IsolationError:
    return IsolationError(f"learner code cannot be isolated as asked.\n{reasons}\n{_REMEDY}")
