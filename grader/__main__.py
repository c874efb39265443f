"""`grade`, and `python -I -m grader`.

Without `-I`, Python itself may import from the current folder before the first line here is run.
"""

import os
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
        raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if raises:  # an exception in the middle of an import may get lost there, with a traceback
            signal.signal(signal.SIGINT, _interrupted)

        from .cli.main import main as run

        if raises:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    except KeyboardInterrupt:
        return _interrupted()
    try:
        return run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the exit is left, so ignore interrupts
        gc.freeze()  # otherwise Python would search all objects for garbage once more


def _interrupted(*_: object) -> int:
    """Say that the command was interrupted, and end it. Nothing has been started yet."""
    print("\ngrade: interrupted", file=sys.stderr, flush=True)
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
