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
from importlib import import_module
from os import _exit  # bound here, before learner code can replace it
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias

from . import framing, limits
from .leftovers import Snapshot

if TYPE_CHECKING:
    from .lockdown import Plan  # it needs Linux

_COMMON: tuple[str, ...] = ("abc", "collections", "copy", "dataclasses", "enum", "functools")
_COMMON += ("heapq", "inspect", "itertools", "math", "operator", "typing")
_NULL, _CHANNEL, _OUTPUT, FIRST_FREE = 0, 3, 4, 5  # descriptors; 1 and 2 are the output or the null device
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


class Streams(Protocol):
    """The ways of an engine process to the trusted side."""

    def receive(self) -> Any:
        """Return the next message; None if the other end is closed."""

    def send(self, answer: Any) -> None:
        """Send an answer."""

    def discard(self) -> None:
        """Discard what is printed from here on."""

    def open(self) -> None:
        """Make the standard streams anew, because learner code may have closed or replaced them."""

    def keep(self) -> None:
        """Send what is printed from here on."""


def preimport() -> None:
    """Import the modules that submissions commonly use, before any of them is run."""
    for name in _COMMON:
        import_module(name)
    # `random` without its fork hook: with it, random would reseed itself in each fork, and not be reproducible
    at_fork = getattr(os, "register_at_fork", None)
    if at_fork is not None:
        os.register_at_fork = lambda **hooks: None
    import random

    if at_fork is not None:
        os.register_at_fork = at_fork
    random.seed(0)


def start(channel: int, output: int, plan: "Plan", loader: Loader, snapshot: Snapshot) -> NoReturn:
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
        order = framing.read_frame(channel)
        if order is not None:
            file, snapshot = _opened(order, channel, output, plan, loader, snapshot)
            serve(file, order["limits"]["cpu_s"], snapshot, _Descriptors())
    finally:
        # never return into the server process's code, which this fork shares
        _exit(1)


def _opened(
    order: dict[str, Any], channel: int, output: int, plan: "Plan", loader: Loader, snapshot: Snapshot
) -> tuple[EngineFile, Snapshot]:
    """Import what the file of an order names, and drop rights."""
    limits.apply(order["limits"]["memory_mb"], order["cpu_backstop_s"])
    file = loader(order)  # imports the modules that the file names, while files can still be opened
    plan.apply(lambda reports: _send(channel, reports))
    _place(channel, output)
    _open_streams()
    return file, snapshot.after_imports()


def serve(file: EngineFile, cpu_s: float, snapshot: Snapshot, streams: Streams) -> dict[str, Any] | None:
    """Load a file, and answer batches.

    Args:
        cpu_s: the CPU time in which the file is loaded.

    Returns:
        The next message that is no batch but another order; None if the file could not be loaded, or if no message
        comes any more.
    """
    context = copy_context()  # a new one for each batch, because numpy and decimal keep settings there
    # load the file, the first learner code that runs
    answer = _within(cpu_s, file, context, file.load)
    streams.send(answer)
    # answer batches; the first one uses the module that was just loaded
    fresh = True
    while file.loaded and (batch := streams.receive()) is not None:
        if is_order(batch):
            another: dict[str, Any] = batch
            return another
        failed = None
        if not fresh:
            renew(file, snapshot, streams)
            context = copy_context()
            failed = _within(cpu_s, file, context, file.reload)
            streams.keep()
        fresh = False
        answer = failed or _within(batch["cpu_s"], file, context, file.run, batch)
        streams.send(answer)
    return None


def is_order(message: dict[str, Any]) -> bool:
    """Return whether a message is an order, and no batch."""
    return "source" in message


def _send(channel: int, reports: int) -> None:
    """Send the descriptor of the kernel's reports to the trusted side, with a byte that no frame of its size begins."""
    connection = socket.socket(fileno=channel)
    socket.send_fds(connection, [framing.REPORTS], [reports])
    connection.detach()  # the descriptor stays open when the object goes


def renew(file: EngineFile, snapshot: Snapshot, streams: Streams) -> None:
    """Restore the interpreter, or end the process. It also ends if the last batch left very many objects.

    Output is discarded from here on, because the file prints again what it printed when it was loaded.
    """
    if get_count()[0] > _MOST_OBJECTS:  # the objects made since the last collection, without those that are freed
        _exit(framing.LEFT_BEHIND)
    try:
        file.forget()
        streams.discard()
        restored = snapshot.restore(FIRST_FREE)
        streams.open()
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


class _Descriptors:
    """The streams of a fork: a channel, and a descriptor for output."""

    def receive(self) -> Any:
        return framing.read_frame(_CHANNEL)

    def send(self, answer: Any) -> None:
        framing.write_frame(_CHANNEL, answer)

    def discard(self) -> None:
        # standard input is /dev/null, opened for reading and writing
        os.dup2(_NULL, 1)
        os.dup2(_NULL, 2)

    def open(self) -> None:
        _open_streams()

    def keep(self) -> None:
        os.dup2(_OUTPUT, 1)
        os.dup2(_OUTPUT, 2)


def _place(channel: int, output: int) -> None:
    """Move the channel and the output to their fixed numbers, and close all other descriptors."""
    # both move out of the way first, because either may have the number that the other one gets
    os.dup2(channel, _HIGH)
    os.dup2(output, _HIGH + 1)
    os.dup2(_HIGH, _CHANNEL)
    os.dup2(_HIGH + 1, _OUTPUT)
    os.closerange(FIRST_FREE, limits.DESCRIPTORS)
    _Descriptors().keep()


def _open_streams() -> None:
    """Reopen standard output and error as Python does, because learner code may have closed or replaced them."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
