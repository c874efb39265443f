"""Start the worker's interpreter, with the environment and settings that every tier uses."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from .. import processes

WORKER = Path(__file__).resolve().parent.parent / "worker"
SECRET = str(Path(__file__).resolve())  # a file of the grader, which no worker in a sandbox may read
NOBODY = 65_534
# Isolated mode (-I) would ignore the fixed hash seed. The worker gets its parts one by one instead: an
# environment without other variables, no user site (-s), no site-packages (-S), and no current folder on the
# search path (-P). Python 3.10 has no -P. There the current folder is the root folder, and _BOOT removes it from
# the search path before it imports anything.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "LD_BIND_NOW": "1",  # resolve symbols once, before the forks
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
_BOOT = (
    "import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; "
    "control = int(sys.argv[2]); settings = sys.argv[3]; sys.argv[:] = ['']; "
    "from worker.boot import main; del sys.path[0]; main(control, settings)"
)


class Request(Struct, frozen=True):
    """A request to start a server process.

    Attributes:
        control: the descriptor on which it serves.
        allow: the folder of each module, by name, that learner code may import.
    """

    control: int
    allow: dict[str, str]

    @property
    def readable(self) -> list[str]:
        """Return the folders of the allowed modules, and of the shared libraries that wheels install beside them."""
        folders = [os.path.join(folder, name + end) for name, folder in self.allow.items() for end in ("", ".libs")]
        return [folder for folder in folders if os.path.isdir(folder)]


def module_folders(names: Iterable[str]) -> dict[str, str]:
    """Return the folder in which each of these modules is installed. Omit modules that are not installed."""
    folders = {}
    for name in names:
        spec = find_spec(name)
        if spec is not None and spec.origin:
            folders[name] = str(Path(spec.origin).parent.parent)
    return folders


def settings(tier: str, request: Request, uid: int) -> str:
    """Return the worker's settings as JSON."""
    return json.dumps({"tier": tier, "readable": request.readable, "uid": uid, "secret": SECRET})


def interpreter(executable: str, worker_parent: str, request: Request, worker_settings: str) -> list[str]:
    """Return the command that starts a server process."""
    safe_path = ["-P"] if sys.version_info >= (3, 11) else []
    return [executable, "-s", "-S", *safe_path, "-c", _BOOT, worker_parent, str(request.control), worker_settings]


def spawn(command: Sequence[str], request: Request) -> "subprocess.Popen[bytes]":
    """Start the command. It inherits only the control descriptor."""
    shown = bool(os.environ.get("GRADE_DEBUG"))
    return processes.start(command, ENVIRONMENT, errors=shown, pass_fds=[request.control])


def die_first(pid: int) -> None:
    """Make the kernel kill this process, its descendants and their future forks first when memory runs out.

    Has an effect on Linux only.
    """
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            die_first(int(child))


def here(tier: str, request: Request, uid: int) -> "subprocess.Popen[bytes]":
    """Start a server process on the unchanged file system. Engine processes drop their rights themselves."""
    command = interpreter(sys.executable, str(WORKER.parent), request, settings(tier, request, uid))
    return spawn(command, request)


def drop_to() -> int:
    """Return the user id for learner code: that of `nobody` if the grader is root, else 0 for no change."""
    return NOBODY if hasattr(os, "geteuid") and os.geteuid() == 0 else 0
