"""The engine process: one learner file, in a fork of the server process that has given up its rights.

It gives up its rights first. Then it compiles the file, runs it, and answers batches of programs one after another,
each with the file run afresh and the interpreter put back as it was. Whatever learner code does here, it does
without rights; whatever it leaves behind can cost no other check a point, because a check that does not pass is
run again in a fresh process.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from contextvars import Context, copy_context
from os import _exit  # here, before learner code can put something in its place
from types import FrameType
from typing import Any, NoReturn, Protocol, TypeAlias

from . import framing, limits
from .leftovers import Snapshot
from .lockdown import Plan

_NULL, _CHANNEL, _OUTPUT, _FIRST_FREE = 0, 3, 4, 5  # descriptors; 1 and 2 are the output, or nothing
_HIGH = 32  # descriptors from here on are free when a process starts


class File(Protocol):
    """A learner's file as the engine process runs it. Its answers are plain data, ready to be sent."""

    def load(self) -> list[Any]:
        """Compile the file and run it for the first time: the answer to the order."""

    def forget(self) -> None:
        """Let go of the file as it was last run, and of all that it holds."""

    def reload(self) -> list[Any] | None:
        """Run the file afresh: None, or the answer to a batch if that fails."""

    def run(self, batch: dict[str, Any]) -> list[Any]:
        """Execute a batch with the file as it was last run: the answer to it."""

    def is_theirs(self, frame: FrameType | None) -> bool:
        """Return whether a frame belongs to the learner's code, to what that has called, or to compiling it."""

    @property
    def loaded(self) -> bool:
        """Whether the file was run to its end, so that batches can come."""


Loader: TypeAlias = Callable[[dict[str, Any]], File]


def start(channel: int, output: int, plan: Plan, loader: Loader, snapshot: Snapshot) -> NoReturn:
    """Become an engine process (called in a fresh fork of the server process, of which `snapshot` was taken).

    The first frame on `channel` is the order: what `loader` takes, with `limits` and `cpu_backstop_s` in seconds.
    Each further one is a batch with its `cpu_s`. Every frame is answered by one. `output` takes what is printed.
    """
    try:
        os.setsid()
        _serve(channel, output, plan, loader, snapshot)
    finally:
        _exit(1)


def _serve(channel: int, output: int, plan: Plan, loader: Loader, snapshot: Snapshot) -> None:
    order = framing.read_frame(channel)
    if order is None:
        return
    cpu_s = order["limits"]["cpu_s"]
    limits.apply(order["limits"]["memory_mb"], order["cpu_backstop_s"])
    file = loader(order)  # imports what the file names, while files can still be opened
    plan.apply()
    _place(channel, output)
    _open_streams()
    snapshot = snapshot.after_imports()
    context = copy_context()  # of its own for each batch: numpy's and decimal's settings are kept there
    answer = _within(cpu_s, file, context, file.load)
    framing.write_frame(_CHANNEL, answer)
    fresh = True
    while file.loaded and (batch := framing.read_frame(_CHANNEL)) is not None:
        failed = None
        if not fresh:
            _renew(file, snapshot)
            context = copy_context()
            failed = _within(cpu_s, file, context, file.reload)
            _keep_output()
        fresh = False
        answer = failed or _within(batch["cpu_s"], file, context, file.run, batch)
        framing.write_frame(_CHANNEL, answer)


def _renew(file: File, snapshot: Snapshot) -> None:
    """Make the interpreter as good as new, or end the process. What the file prints from here on is discarded: it was
    shown when it was loaded."""
    try:
        file.forget()
        _discard_output()
        restored = snapshot.restore(_FIRST_FREE)
        _open_streams()
    except BaseException:
        restored = False
    if not restored:
        _exit(framing.LEFT_BEHIND)


def _within(cpu_s: float, file: File, context: Context, act: Callable[..., Any], *arguments: Any) -> Any:
    """Let learner code run in a context for so many seconds of CPU time, and flush what it printed."""
    limits.start_clocks(cpu_s, file.is_theirs)
    result = context.run(act, *arguments)
    limits.stop_clocks()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # the learner's file may have put anything there
            stream.flush()
    return result


def _place(channel: int, output: int) -> None:
    """Give the descriptors that are kept their numbers, and close all others."""
    os.dup2(channel, _HIGH)
    os.dup2(output, _HIGH + 1)
    os.dup2(_HIGH, _CHANNEL)
    os.dup2(_HIGH + 1, _OUTPUT)
    os.closerange(_FIRST_FREE, limits.DESCRIPTORS)
    _keep_output()


def _keep_output() -> None:
    os.dup2(_OUTPUT, 1)
    os.dup2(_OUTPUT, 2)


def _discard_output() -> None:
    # standard input is /dev/null, opened for both ways
    os.dup2(_NULL, 1)
    os.dup2(_NULL, 2)


def _open_streams() -> None:
    """Open standard output and error anew, as Python does: learner code may have closed or replaced them."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
