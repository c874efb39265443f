"""Start processes: nothing else in the kit does.

No process finds a module, a program or a setting of Python's in the current folder or in a `PYTHON*` variable.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from .search_path import search_path

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
    """Start a process in the root folder, in a session of its own.

    An interrupt at the terminal is therefore ours alone.

    Args:
        command: a program's absolute path, and its arguments.
        environment: all its variables.
        pipes: whether its standard input and output are pipes; else they are the null device.
        errors: whether its standard error is ours; else it is the null device.
        pass_fds: descriptors that it inherits.

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
    """Start a module of the kit as `python -m` does, with pipes; it imports from where this process does.

    Python is isolated (`-I`): no `PYTHON*` variable counts, and the search path is the one given here.
    Raises `OSError`.
    """
    # what a variable may have asked for, and `-I` would forget: how paths are encoded, whether bytecode is written
    kept = (*(("-X", "utf8") if sys.flags.utf8_mode else ()), *(("-B",) if sys.dont_write_bytecode else ()))
    command = [sys.executable, "-I", *kept, "-c", _MODULE, name, *search_path()]
    return start(command, _environment(), pipes=True, errors=errors)


def find_program(name: str) -> str | None:
    """Return the absolute path of an installed program, or None; the current folder is not searched."""
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    return shutil.which(name, path=os.pathsep.join(folders))


def _environment() -> dict[str, str]:
    """Return our variables without those that steer Python, for whatever a process starts in its turn."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("PYTHON")}
