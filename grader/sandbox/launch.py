"""Start the worker's interpreter, with the environment and settings that every tier uses."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .. import processes

WORKER = Path(__file__).resolve().parent.parent / "worker"
SECRET = str(Path(__file__).resolve())  # a file of ours that no worker in a sandbox may read
NOBODY = 65_534
# The hash seed is fixed, so isolated mode (-I), which would ignore it, is spelled out: an environment of
# our own, no user site (-s), no site-packages (-S), a search path without the current folder (-P). Before Python 3.11,
# which brought -P, the current folder is the root folder, and leaves the search path before anything is imported.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "LD_BIND_NOW": "1",  # or each fork looks up the same symbols anew
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
_BOOT = (
    "import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; "
    "control = int(sys.argv[2]); settings = sys.argv[3]; sys.argv[:] = ['']; "
    "from worker.boot import main; del sys.path[0]; main(control, settings)"
)


@dataclass(frozen=True)
class Request:
    """A request to a tier: the descriptor to serve, and the modules (name to folder) to be readable."""

    control: int
    allow: dict[str, str]

    @property
    def readable(self) -> list[str]:
        """The folders of the allowed modules and of the shared libraries that wheels put beside them."""
        folders = [os.path.join(folder, name + end) for name, folder in self.allow.items() for end in ("", ".libs")]
        return [folder for folder in folders if os.path.isdir(folder)]


def module_folders(names: Iterable[str]) -> dict[str, str]:
    """Return where each of these modules is installed; those that are not are left out."""
    folders = {}
    for name in names:
        spec = find_spec(name)
        if spec is not None and spec.origin:
            folders[name] = str(Path(spec.origin).parent.parent)
    return folders


def settings(tier: str, request: Request, uid: int) -> str:
    """Return the worker's settings as it reads them."""
    return json.dumps({"tier": tier, "readable": request.readable, "uid": uid, "secret": SECRET})


def interpreter(executable: str, worker_parent: str, request: Request, worker_settings: str) -> list[str]:
    """Return the command that becomes a warm process."""
    safe_path = ["-P"] if sys.version_info >= (3, 11) else []
    return [executable, "-s", "-S", *safe_path, "-c", _BOOT, worker_parent, str(request.control), worker_settings]


def spawn(command: Sequence[str], request: Request) -> "subprocess.Popen[bytes]":
    """Start the command with nothing of ours but the control descriptor."""
    shown = bool(os.environ.get("GRADE_DEBUG"))
    return processes.start(command, ENVIRONMENT, errors=shown, pass_fds=[request.control])


def die_first(pid: int) -> None:
    """Where memory runs out, let the kernel end this process, those below it and all that they fork from now on before
    anything else: never the grader. Only Linux is asked."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            die_first(int(child))


def here(tier: str, request: Request, uid: int) -> "subprocess.Popen[bytes]":
    """Return a worker on this file system, which gives up its rights by itself."""
    command = interpreter(sys.executable, str(WORKER.parent), request, settings(tier, request, uid))
    return spawn(command, request)


def drop_to() -> int:
    """Return the user that learner code becomes: nobody where we are root, else 0 for no change."""
    return NOBODY if hasattr(os, "geteuid") and os.geteuid() == 0 else 0
