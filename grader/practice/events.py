"""Collect saved files, pressed keys and changes of the window size in one queue."""

import contextlib
import os
import queue
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_NO_CHANGE = ("opened", "closed_no_write")


@dataclass(frozen=True)
class Saved:
    """The file with this name may have been changed, created or deleted."""

    name: str


@dataclass(frozen=True)
class Pressed:
    """A key was pressed. An empty key means the end of the input."""

    key: str


@dataclass(frozen=True)
class Resized:
    """The size of the window has changed."""


Event: TypeAlias = Saved | Pressed | Resized


class Events:
    """A context manager that collects the events of a folder, a keyboard and a window.

    Args:
        folder: the folder whose files are watched, without its subfolders.
        keys: whether to read keys from standard input, which must then be a terminal.
    """

    def __init__(self, folder: Path, *, keys: bool) -> None:
        self._queue: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._stack = contextlib.ExitStack()
        self._folder = folder
        self._keys = keys

    def __enter__(self) -> "Events":
        with contextlib.ExitStack() as stack:
            observer = Observer()
            observer.schedule(_Handler(self._queue), str(self._folder), recursive=False)
            observer.start()
            stack.callback(observer.join)
            stack.callback(observer.stop)
            if self._keys:
                stack.enter_context(_single_keys())
                stack.enter_context(self._reader())
            before = signal.signal(signal.SIGWINCH, lambda *_: self._queue.put(Resized()))
            stack.callback(signal.signal, signal.SIGWINCH, before)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def wait(self, seconds: float | None = None) -> Event | None:
        """Return the next event, or None if none arrives within `seconds`."""
        try:
            return self._queue.get(timeout=seconds)
        except queue.Empty:
            return None

    @contextlib.contextmanager
    def _reader(self) -> Iterator[None]:
        """Read keys in a thread until the block ends."""
        end, stop = os.pipe()

        def read() -> None:
            while True:
                ready, _, _ = select.select([sys.stdin.fileno(), end], [], [])
                if end in ready:
                    return
                key = os.read(sys.stdin.fileno(), 16).decode("utf-8", "replace")
                self._queue.put(Pressed(key[:1]))
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


class _Handler(FileSystemEventHandler):
    def __init__(self, events: "queue.SimpleQueue[Event]") -> None:
        self._events = events

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Put the names of the changed files in the queue. Some editors write a new file and rename it."""
        if event.is_directory or event.event_type in _NO_CHANGE:
            return
        for path in {event.src_path, event.dest_path} - {""}:
            self._events.put(Saved(os.path.basename(os.fsdecode(path))))


@contextlib.contextmanager
def _single_keys() -> Iterator[None]:
    """Deliver each key immediately and without echo, until the block ends."""
    descriptor = sys.stdin.fileno()
    before: list[Any] = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
