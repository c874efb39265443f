"""Read single keys from a terminal, or from a console of Windows."""

import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

_LOOK_S = 0.03  # between two looks at a console, which has no way to wait for a key
_MORE = ("\x00", "\xe0")  # what a console sends before the code of an arrow key, for example


@contextlib.contextmanager
def single_keys(pressed: Callable[[str], object]) -> Iterator[None]:
    """Deliver each key immediately and without echo, until the block ends. A thread reads them from standard input.

    Args:
        pressed: A function to call with each key. An empty key means the end of the input.
    """
    try:
        termios = import_module("termios")
    except ImportError:
        with console_keys(pressed, import_module("msvcrt")):
            yield
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        # cbreak and not raw, so that Ctrl-C still interrupts
        import_module("tty").setcbreak(descriptor)
        with _terminal_keys(pressed):
            yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


@contextlib.contextmanager
def _terminal_keys(pressed: Callable[[str], object]) -> Iterator[None]:
    end, stop = os.pipe()

    def read() -> None:
        while True:
            # `end` becomes readable when the block ends: the thread does not wait for a key then
            ready, _, _ = select.select([sys.stdin.fileno(), end], [], [])
            if end in ready:
                return
            # an arrow key, for example, arrives as several bytes; only the first one counts
            key = os.read(sys.stdin.fileno(), 16).decode("utf-8", "replace")
            pressed(key[:1])
            if not key:
                return

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.write(stop, b".")
        thread.join()
        os.close(end)
        os.close(stop)


@contextlib.contextmanager
def console_keys(pressed: Callable[[str], object], console: Any) -> Iterator[None]:
    """Deliver the keys of a console.

    Args:
        pressed: As for `single_keys`.
        console: The module `msvcrt`.
    """
    ended = threading.Event()

    def read() -> None:
        while not ended.wait(_LOOK_S):
            while console.kbhit():
                key = console.getwch()
                if key in _MORE:
                    console.getwch()
                    key = "\x1b"  # as in a terminal
                pressed(key)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
