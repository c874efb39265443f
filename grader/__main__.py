"""`grade`, and `python -m grader`."""

import signal
import sys


def main() -> int:
    """Run the command line; an interrupt is told as one from the first import on."""
    try:
        from .cli import main as run
    except KeyboardInterrupt:
        print("\ngrade: interrupted; nothing was written", file=sys.stderr)
        return 130
    try:
        return run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to end


if __name__ == "__main__":
    sys.exit(main())
