"""`grade`, and `python -I -m grader`.

Without `-I`, Python itself may import from the current folder before the first line here is run.
"""

import sys

from .base.search_path import search_path


def main() -> int:
    """Run the command line and return its exit code.

    An interrupt during the imports is reported like a later one.
    """
    sys.path[:] = search_path()  # first, because a submission in the current folder may have the name of a module
    try:
        import gc
        import signal

        gc.set_threshold(200_000)  # a short run allocates less; garbage collection would take an eighth of its time

        from .cli.main import main as run
    except KeyboardInterrupt:
        print("\ngrade: interrupted", file=sys.stderr)
        return 130
    try:
        return run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the exit is left, so ignore interrupts
        gc.freeze()  # otherwise Python would search all objects for garbage once more


if __name__ == "__main__":
    sys.exit(main())
