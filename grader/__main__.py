"""`grade`, and `python -I -m grader`.

Without `-I`, Python itself may import from the current folder before the first line here is run.
"""

import sys

from .search_path import search_path

_WINDOWS = (
    "grade: this runs on Linux and macOS, and not on Windows itself. On Windows, use WSL: `wsl --install` in "
    "PowerShell installs it. Then install grade in the Linux that it brings."
)


def main() -> int:
    """Run the command line; an interrupt is told as one from the first import on."""
    if sys.platform == "win32":
        print(_WINDOWS, file=sys.stderr)
        return 2
    sys.path[:] = search_path()  # before anything else is imported
    try:
        import gc
        import signal

        gc.set_threshold(200_000)  # a short run ends before that; looking for garbage would take an eighth of it

        from .cli import main as run
    except KeyboardInterrupt:
        print("\ngrade: interrupted; nothing was written", file=sys.stderr)
        return 130
    try:
        return run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to end
        gc.freeze()  # Python would look through everything once more


if __name__ == "__main__":
    sys.exit(main())
