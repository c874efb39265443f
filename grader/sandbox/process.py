"""The `process` tier: a separate process with limits and nothing more. For practice, not for untrusted code."""

import socket
import subprocess
import sys
from pathlib import Path

from .warm import Warm

_WORKER = Path(__file__).resolve().parent.parent / "worker"
_BOOT = (
    "import sys; sys.path[0] = sys.argv[1]; control = int(sys.argv[2]); sys.argv[:] = ['']; "
    "from worker.zygote import main; del sys.path[0]; main(control)"
)
# The hash seed is fixed, so isolated mode (-I), which would ignore it, is spelled out: an environment of
# our own, no user site (-s), no site-packages (-S), a search path without the current folder.
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


def start() -> Warm:
    """Start a warm process in this tier."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-s", "-S", "-c", _BOOT, str(_WORKER.parent), str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            cwd="/",
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return Warm(process, ours, "process")
