"""Make a virtual environment for each peer. torch, the largest part, is installed once and shared by all."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

_SHARED = ("torch==2.13.0", "numpy")  # without a version, pip may choose a build of several gigabytes
_DONE = "installed"


class NotHereError(RuntimeError):
    """A peer cannot be installed on this machine, or does not run. The message says why."""


def default_folder() -> Path:
    """Return the folder in which the environments are kept between runs."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "backward-benchmark"


def interpreter(folder: Path, name: str, packages: Sequence[str]) -> Path:
    """Return the interpreter of the environment with these packages and torch. Raises `NotHereError`."""
    shared = _environment(folder / "torch", _SHARED, None)
    return _environment(folder / name, packages, shared) / "bin" / "python"


def _environment(folder: Path, packages: Sequence[str], shared: Path | None) -> Path:
    done, wanted = folder / _DONE, "\n".join(packages)
    if done.is_file() and done.read_text() == wanted:
        return folder
    print(f"installing {', '.join(packages)} in {folder}", file=sys.stderr, flush=True)
    _call(sys.executable, "-m", "venv", "--clear", str(folder))
    if shared is not None:
        _packages(folder).joinpath("shared.pth").write_text(f"{_packages(shared)}\n")
    _call(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *packages)
    done.write_text(wanted)
    return folder


def _packages(folder: Path) -> Path:
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))


def _call(*command: str) -> None:
    try:
        called = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotHereError(str(error)) from None
    if called.returncode:
        said = (called.stderr or called.stdout).strip().splitlines() or [f"status {called.returncode}"]
        raise NotHereError(f"`{' '.join(command[1:5])} …` failed: {said[-1]}")
