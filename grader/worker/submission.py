"""One submission's process: reads and compiles the file, and forks for each batch of programs.

It never runs a line of the file. Each fork gives up its rights, then runs the file afresh, then the batch: nothing
passes from one check to the next. The fork in which the file is tried out is kept for the first batch.
"""

import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from . import frames, limits, load, run, watch
from .lockdown import Plan

_WORD = 16  # bytes
_LEFT = 1  # the status of a fork that ended before it answered


class Work(NamedTuple):
    """What every fork of a submission's process starts from."""

    plan: Plan
    parsed: load.Parsed
    builtins: dict[str, Any]
    limits: dict[str, Any]


def start(channel: socket.socket, plan: Plan) -> NoReturn:
    """Become a submission's process (called in a fresh fork of the warm one)."""
    try:
        os.setsid()
        with contextlib.suppress(KeyboardInterrupt):
            _serve(channel, plan)
    finally:
        os._exit(1)


def _serve(channel: socket.socket, plan: Plan) -> None:
    """Answer one load request, then batches, until the other end closes."""
    request = frames.receive(channel, 2)
    if request is None:
        os._exit(0)
    order, fds = request
    limits.apply(order["limits"])
    parsed = _read(order, fds[0])
    if parsed is None:
        channel.sendall(frames.PID.pack(0))
        os._exit(0)
    work = Work(plan, parsed, load.offer(parsed, order["allow"]), order["limits"])
    first = _First(channel, work, fds)
    channel.sendall(frames.PID.pack(first.code))
    while True:
        request = frames.receive(channel, 2)
        if request is None:
            os._exit(0)
        batch, fds = request
        if not fds:
            code = first.run(batch)
        else:
            first.end()
            code = _Fork(channel, partial(_answer, work, batch), fds).ended()
        channel.sendall(frames.PID.pack(code))


def _read(order: dict[str, Any], answer: int) -> load.Parsed | None:
    """The file, compiled; None after answering that it was not started or cannot be."""
    if order["stub"] is not None and load.same_code(order["source"], order["stub"]):
        frames.write_frame(answer, ["not_started"])
        return None
    limits.start_clocks(order["limits"]["cpu_s"])
    try:
        return load.parse(order["source"], order["filename"])
    except BaseException as error:
        frames.write_frame(answer, ["failed", ["load", *load.describe(error, order["filename"])]])
        return None
    finally:
        limits.stop_clocks()


class _Fork:
    """A fork that acts on descriptors, the second of which takes its output; it has no part in those of `ours`."""

    def __init__(
        self, channel: socket.socket, act: Callable[..., NoReturn], fds: Sequence[int], ours: Sequence[int] = ()
    ) -> None:
        self.pid = os.fork()
        if self.pid == 0:
            try:
                channel.close()
                for fd in ours:
                    os.close(fd)
                act(*fds)
            finally:
                os._exit(1)
        self.out = fds[1]  # kept, to see whether somebody reads it
        for fd in (fds[0], *fds[2:]):
            os.close(fd)

    def until(self, readable: int) -> None:
        """Wait until `readable` can be read; a fork that stands still meanwhile is told so."""
        watch.until(readable, self.pid, self.out)

    def ended(self) -> int:
        """Wait for its end: its status, or the signal's number below 0."""
        with contextlib.suppress(AttributeError, OSError):  # a system without these
            end = os.pidfd_open(self.pid)
            self.until(end)
            os.close(end)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.out)
        return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


class _First:
    """The fork in which the file is tried out. If it loads, the fork waits for a batch, which must take no more
    CPU time than loading may, and answers it on the descriptors that it was given."""

    def __init__(self, channel: socket.socket, work: Work, fds: list[int]) -> None:
        word = os.urandom(_WORD)  # what a file that writes to every descriptor does not say by chance
        ready, say_ready = os.pipe()
        batches, self._batch = os.pipe()
        given = [*fds, say_ready, batches]
        self._fork: _Fork | None = _Fork(channel, partial(_try_out, work, word), given, [ready, self._batch])
        self._fork.until(ready)
        said = frames.read_all(ready, _WORD + 1)  # to the end, if it says no more than the word
        os.close(ready)
        self.code = 0
        if said != word:
            if said:
                os.kill(self._fork.pid, signal.SIGKILL)
            self.code = self.run(None) or _LEFT

    def run(self, batch: Any) -> int:
        """Hand it its batch, if there is one; how it ended."""
        if self._fork is None:
            return _LEFT
        if batch is not None:
            with contextlib.suppress(OSError):  # it has died: waiting for it says how
                frames.write_frame(self._batch, batch)
        os.close(self._batch)
        fork, self._fork = self._fork, None
        return fork.ended()

    def end(self) -> None:
        """End it, if it still waits."""
        if self._fork is not None:
            os.kill(self._fork.pid, signal.SIGKILL)
            self.run(None)


def _try_out(work: Work, word: bytes, answer: int, out: int, ready: int, batches: int) -> NoReturn:
    """Run the file, say what came of it, and wait for a batch if it loaded."""
    module = _run_file(work, work.limits["cpu_s"], "failed", answer, out)
    frames.write_frame(answer, ["loaded"])
    os.write(ready, word)
    os.close(ready)
    batch = frames.read_frame(batches)
    if batch is not None:
        _run_batch(work, module, batch, answer)
    os._exit(0)


def _answer(work: Work, batch: Any, answer: int, out: int) -> NoReturn:
    """Run the file, then a batch. What the file prints was shown when it was tried out."""
    # standard input is /dev/null, opened for both ways
    module = _run_file(work, batch["cpu_s"], "unread", answer, os.dup(0))
    _point_output_at(out)
    _run_batch(work, module, batch, answer)


def _run_file(work: Work, batch_cpu_s: float, failure: str, answer: int, out: int) -> ModuleType:
    """Give up all rights and run the file; where that fails, say so and end."""
    _point_output_at(out)
    limits.forbid_more(work.limits, batch_cpu_s)
    work.plan.apply()
    limits.start_clocks(work.limits["cpu_s"])
    try:
        module = load.execute(work.parsed, work.builtins, work.limits["calls"])
    except BaseException as error:
        _end(answer, [failure, ["load", *load.describe(error, work.parsed.filename)]])
    limits.stop_clocks()
    _flush()
    return module


def _run_batch(work: Work, module: ModuleType, batch: Any, answer: int) -> NoReturn:
    limits.start_clocks(batch["cpu_s"])
    _end(answer, run.execute(module, work.parsed.filename, batch))


def _end(answer: int, message: list[Any]) -> NoReturn:
    limits.stop_clocks()
    _flush()
    frames.write_frame(answer, message)
    os._exit(0)


def open_streams() -> None:
    """Give this process, which has none, standard output and error as Python has them; every fork inherits them.

    They are opened onto a pipe, as what they will be pointed at is one, then onto what was there before.
    """
    kept = [os.dup(number) for number in (1, 2)]
    other_end, pipe = os.pipe()
    _point_output_at(pipe)
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
        os.dup2(kept[number - 1], number)
        os.close(kept[number - 1])
    os.close(other_end)


def _point_output_at(descriptor: int) -> None:
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    if descriptor > 2:
        os.close(descriptor)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # the learner's file may have put anything there
            stream.flush()
