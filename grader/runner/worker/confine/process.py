"""The engine process: a fork of the server process that runs one learner file.

It first drops its rights, so learner code never runs with them. Then it compiles and runs the file,
and answers batches of programs one after another. Before each batch but the first, it restores the
interpreter and runs the file again. State that learner code leaves behind cannot cost another check
a point, because a check that does not pass is run again in a fresh process.
"""

import contextlib
import os
import socket
import sys
from collections.abc import Callable
from contextvars import Context, copy_context
from gc import get_count
from os import _exit  # bound here, before learner code can replace it
from types import FrameType
from typing import Any, NoReturn, Protocol, TypeAlias

from . import framing, limits
from .leftovers import Snapshot
from .lockdown import Plan

_NULL, _CHANNEL, _OUTPUT, _FIRST_FREE = 0, 3, 4, 5  # descriptors; 1 and 2 are the output or the null device
_HIGH = 32  # the descriptors from this one on are free when a process starts, so moving one there closes none
_MOST_OBJECTS = 50_000  # to free more objects takes longer than to start a process and to load the file in it


class EngineFile(Protocol):
    """A learner's file in an engine process. Its answers are plain data, ready to be sent."""

    def load(self) -> list[Any]:
        """Prepare the file for its first batch. Return the answer to the order."""

    def forget(self) -> None:
        """Drop all references to the module of the last run and to its objects."""

    def reload(self) -> list[Any] | None:
        """Prepare the file for another batch. Return None, or the answer to that batch if this fails."""

    def run(self, batch: dict[str, Any]) -> list[Any]:
        """Execute a batch. Return the answer."""

    def is_theirs(self, frame: FrameType | None) -> bool:
        """Return whether a clock may stop the code of a frame."""

    @property
    def loaded(self) -> bool:
        """Return whether batches can be run."""


Loader: TypeAlias = Callable[[dict[str, Any]], EngineFile]


def start(channel: int, output: int, plan: Plan, loader: Loader, snapshot: Snapshot) -> NoReturn:
    """Become an engine process. Call this in a fresh fork of the server process.

    The process answers every frame on `channel` with one frame. The first one is the order, and each later one a
    batch.

    Args:
        channel: the descriptor for frames. The order holds the `loader`'s arguments, `limits`, and
            `cpu_backstop_s` in seconds. A batch holds `cpu_s`.
        output: the descriptor for printed output.
        plan: the rights to drop.
        loader: makes the learner's file from an order.
        snapshot: the state of the server process's interpreter.
    """
    try:
        os.setsid()
        _serve(channel, output, plan, loader, snapshot)
    finally:
        # never return into the server process's code, which this fork shares
        _exit(1)


def _serve(channel: int, output: int, plan: Plan, loader: Loader, snapshot: Snapshot) -> None:
    # import what the file names, and drop rights
    order = framing.read_frame(channel)
    if order is None:
        return
    cpu_s = order["limits"]["cpu_s"]
    limits.apply(order["limits"]["memory_mb"], order["cpu_backstop_s"])
    file = loader(order)  # imports the modules that the file names, while files can still be opened
    plan.apply(lambda reports: _send(channel, reports))
    _place(channel, output)
    _open_streams()
    snapshot = snapshot.after_imports()
    context = copy_context()  # a new one for each batch, because numpy and decimal keep settings there
    # load the file, the first learner code that runs
    answer = _within(cpu_s, file, context, file.load)
    framing.write_frame(_CHANNEL, answer)
    # answer batches; the first one uses the module that was just loaded
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


def _send(channel: int, reports: int) -> None:
    """Send the descriptor of the kernel's reports to the trusted side, with a byte that no frame of its size begins."""
    connection = socket.socket(fileno=channel)
    socket.send_fds(connection, [framing.REPORTS], [reports])
    connection.detach()  # the descriptor stays open when the object goes


def _renew(file: EngineFile, snapshot: Snapshot) -> None:
    """Restore the interpreter, or end the process. It also ends if the last batch left very many objects.

    Output is discarded from here on, because the file prints again what it printed when it was loaded.
    """
    if get_count()[0] > _MOST_OBJECTS:  # the objects made since the last collection, without those that are freed
        _exit(framing.LEFT_BEHIND)
    try:
        file.forget()
        _discard_output()
        restored = snapshot.restore(_FIRST_FREE)
        _open_streams()
    except BaseException:
        restored = False  # the trusted side then runs the batch in a fresh process
    if not restored:
        _exit(framing.LEFT_BEHIND)


def _within(cpu_s: float, file: EngineFile, context: Context, act: Callable[..., Any], *arguments: Any) -> Any:
    """Run learner code in a context for at most `cpu_s` seconds of CPU time, and flush its output."""
    limits.start_clocks(cpu_s, file.is_theirs)
    result = context.run(act, *arguments)
    limits.stop_clocks()
    # before the answer is sent, so that the trusted side reads the text together with it
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # learner code may have replaced the streams
            stream.flush()
    return result


def _place(channel: int, output: int) -> None:
    """Move the channel and the output to their fixed numbers, and close all other descriptors."""
    # both move out of the way first, because either may have the number that the other one gets
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
    # standard input is /dev/null, opened for reading and writing
    os.dup2(_NULL, 1)
    os.dup2(_NULL, 2)


def _open_streams() -> None:
    """Reopen standard output and error as Python does, because learner code may have closed or replaced them."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
