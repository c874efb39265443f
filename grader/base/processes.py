"""Start processes. No other module of the grader starts any.

A process takes no module, program or setting of Python from the current folder or from a `PYTHON*` variable.
"""

import os
import shutil
import subprocess
import sys
import webbrowser
from collections.abc import Mapping, Sequence

from ..search_path import search_path

_MODULE = (
    "import sys; _, name, *sys.path[:] = sys.argv; sys.argv[:] = ['']; "
    "import runpy; runpy.run_module(name, run_name='__main__')"
)


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    pipes: bool = False,
    errors: bool = True,
    pass_fds: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Start a process in the root folder and in a new session.

    An interrupt from the terminal does not reach it.

    Args:
        command: the program's absolute path, and its arguments.
        environment: all its environment variables.
        pipes: whether its standard input and output are pipes; otherwise they are the null device.
        errors: whether it shares our standard error; otherwise that is the null device.
        pass_fds: the descriptors that it inherits.

    Raises:
        OSError: the process cannot be started.
    """
    stream = subprocess.PIPE if pipes else subprocess.DEVNULL
    return subprocess.Popen(
        command,
        stdin=stream,
        stdout=stream,
        stderr=None if errors else subprocess.DEVNULL,
        env=environment,
        cwd="/",
        pass_fds=pass_fds,
        start_new_session=True,
    )


def start_module(name: str, *, errors: bool = True) -> "subprocess.Popen[bytes]":
    """Start a module of the grader as `python -m` does, with pipes and this process's search path.

    Python is isolated (`-I`), so it ignores `PYTHON*` variables. Raises `OSError`.
    """
    # keep two settings that may come from a variable and that `-I` would drop: the encoding of paths, no bytecode
    kept = (*(("-X", "utf8") if sys.flags.utf8_mode else ()), *(("-B",) if sys.dont_write_bytecode else ()))
    command = [sys.executable, "-I", *kept, "-c", _MODULE, name, *search_path()]
    return start(command, _environment(), pipes=True, errors=errors)


def find_program(name: str) -> str | None:
    """Return the absolute path of an installed program, or None. The current folder is not searched."""
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    return shutil.which(name, path=os.pathsep.join(folders))


def open_in_browser(address: str) -> bool:
    """Open an address in the user's browser. Return whether a browser was started.

    No browser is started on a machine without a display.
    """
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    os.environ["PATH"] = os.pathsep.join(folder for folder in os.get_exec_path() if os.path.isabs(folder))
    try:
        return webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False


def _environment() -> dict[str, str]:
    """Return our environment variables without those of Python, which would affect the processes of the new process."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("PYTHON")}
