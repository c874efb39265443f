"""Drive one file's engine process: load the file, run batches, distinguish the ways in which it can die.

The process may die, hang, flood or lie at any time. This affects only the current batch. The next batch gets a new
process.
"""

import contextlib
import errno
import os
import re
import select
import signal
import socket
import struct
import time
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ..course import Limits
from ..remarks import Died
from ..sandbox import Warm
from ..worker.confine import framing, syscalls
from . import bounds, protocol
from .budget import Budget
from .protocol import Batch, Broke, Problem, Read, Refused

_BACKSTOP = 10  # the wall-clock limit is this many times the CPU limit, so that a busy machine changes no score
_GRACE_S = 1.0  # an engine process stops itself at its CPU limit; it is killed this many seconds later
_STEP_S = 1.0
_UNANSWERED = 2  # after this many unanswered batches in fresh processes, the remaining ones are skipped
_FLOOD = 64  # a process that prints this many times the course's limit is stopped
_CHUNK = 1 << 16
_MOST_ATTEMPTS = 100  # of one process; the kernel refuses the others by itself, without a report
# of the Linux kernel's <linux/seccomp.h>: read a report, and answer it
_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101
_REPORTED = struct.Struct("QIIiIQ6Q")  # the report's number, the process, flags; the call, machine, place, arguments
_ANSWERED = struct.Struct("QqiI")  # the report's number, a result, an error, flags
_ADDRESS = re.compile(r"\b0x[0-9a-f]{8,16}\b")  # addresses of printed objects, which differ between runs


class Loaded(Struct, frozen=True):
    """The file was loaded. `output` is the text that it printed."""

    output: str = ""


class NotStarted(Struct, frozen=True):
    """The file has the same syntax tree as the stub."""


class LoadFailed(Struct, frozen=True):
    """The file could not be loaded: the learner's problem, or how the process died."""

    cause: Problem | Died
    output: str = ""


class Ran(Struct, frozen=True):
    """The answer to a batch or the reason why there is none, and the text that the learner's code printed."""

    answer: Read | Problem | Died
    output: str
    seconds: float


class _Printed:
    """The output of a process as it arrives. It is kept up to a cap, and only counted beyond the cap.

    Args:
        output_kb: the course's limit, which determines the cap.
    """

    def __init__(self, output_kb: int) -> None:
        self.output_kb = output_kb
        self.cap = bounds.kept_bytes(output_kb)
        self.kept = bytearray()
        self.size = 0

    def take(self, data: bytes) -> None:
        self.size += len(data)
        self.kept += data[: max(0, self.cap - len(self.kept))]

    @property
    def flood(self) -> bool:
        return self.size > _FLOOD * (self.output_kb << 10)

    def text(self) -> str:
        text = _ADDRESS.sub("0x…", self.kept.decode("utf-8", "replace"))
        return bounds.cut_output(text, self.output_kb, self.size - len(self.kept))


class _Attempts:
    """The calls that learner code attempts and the kernel reports, all of which are refused.

    Attributes:
        names: the names of the calls, of all processes of the file.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.reports = -1
        self._left = 0

    def receive(self, channel: socket.socket) -> bytes:
        """Return the first data of a process. Before it, the descriptor of the reports may arrive."""
        data, descriptors, _, _ = socket.recv_fds(channel, _CHUNK, 1, socket.MSG_CMSG_CLOEXEC)
        if descriptors:
            self.close()
            (self.reports,) = descriptors
            self._left = _MOST_ATTEMPTS
        return data

    def refuse(self) -> None:
        """Refuse the call for which a process waits, and note its name."""
        import fcntl  # does not exist on Windows

        report = bytearray(_REPORTED.size)
        self._left -= 1
        with contextlib.suppress(OSError):  # the process has ended, or a signal interrupted the call
            fcntl.ioctl(self.reports, _RECEIVE, report)
            number, _, _, call, *_ = _REPORTED.unpack(report)
            names = syscalls.REPORTED[os.uname().machine].items()
            self.names |= {name for name, known in names if known == call}
            fcntl.ioctl(self.reports, _ANSWER, _ANSWERED.pack(number, 0, -errno.EPERM, 0))
        if not self._left:
            self.close()

    def close(self) -> None:
        """Let the kernel refuse further calls by itself."""
        if self.reports >= 0:
            os.close(self.reports)
        self.reports = -1


class EngineProcess:
    """One learner file in a separate process, which is replaced by a new one when it dies. A context manager.

    Args:
        warm: The server process that starts it.
        source: The file's text.
        filename: Its name, as tracebacks show it.
        stub: The file as it was given out. A source with the same syntax tree counts as not started.
        limits: The limits of loading and of each batch.
        budget: The budget of the whole submission, which its files share.
        cells: The lines in which a notebook's cells begin. If there are several, a cell that cannot be run is
            skipped.
        apart: Whether each batch is run in a fresh process. Without `apart`, this begins after a batch that ran out
            of time, or that died in a used process.
    """

    def __init__(
        self,
        warm: Warm,
        source: str,
        filename: str,
        stub: str | None,
        limits: Limits,
        budget: Budget | None = None,
        *,
        cells: Sequence[int] = (),
        apart: bool = False,
    ) -> None:
        self._warm = warm
        self._order = {
            "source": source,
            "filename": filename,
            "stub": stub,
            "cells": list(cells),
            "allow": warm.allow,
            "limits": msgspec.to_builtins(limits),
        }
        self._limits = limits
        self._budget = budget or Budget()
        self._apart = apart
        self._unanswered = 0
        self._number: int | None = None
        self._channel: socket.socket | None = None
        self._out = -1
        self._batches = 0
        self._status = 0  # the exit status of the last process
        self._attempts = _Attempts()
        self._heard = False  # whether the process has sent anything

    @property
    def attempts(self) -> Collection[str]:
        """Return the names of the system calls that the file's processes attempted so far, and that were refused.

        The kernel reports them from outside of the learner's interpreter (`grader/worker/confine/lockdown.py`).
        """
        return self._attempts.names

    @property
    def fresh(self) -> bool:
        """Return whether the next batch runs in a process that has run no batch before."""
        return self._apart or self._channel is None or not self._batches

    def load(self) -> Loaded | NotStarted | LoadFailed:
        """Load the file in a fresh process. End the previous process, if any."""
        self.close()
        exceeded = self._budget.exceeded
        if exceeded is not None:
            return LoadFailed(exceeded)
        self._start()
        order = msgspec.json.encode({**self._order, "cpu_backstop_s": self._budget.left_cpu_s})
        frame, output = self._exchange(order, bounds.LOAD_ANSWER, self._limits.cpu_s)
        if isinstance(frame, Died):
            return LoadFailed(frame, output)
        try:
            loaded = protocol.decode_load(frame)
        except Refused as refusal:
            self.close()
            return LoadFailed(Died("protocol_error", detail=str(refusal)), output)
        if loaded is True:
            return Loaded(output)
        self.close()
        return NotStarted() if loaded is False else LoadFailed(loaded, output)

    def run(self, batch: Batch) -> Ran:
        """Run a batch after running the file again. If there is no process, start a new one."""
        started = time.perf_counter()
        exceeded = self._budget.exceeded
        if exceeded is None and self._unanswered >= _UNANSWERED:
            exceeded = Died("unanswered", count=_UNANSWERED)
        if exceeded is not None:
            return Ran(exceeded, "", 0.0)
        if self._apart:
            self.restart()
        if self._has_more_to_say():
            self.close()  # it sent more than its answer, or has ended since
        if self._channel is None:
            again = self.load()
            if not isinstance(again, Loaded):
                lost = isinstance(again, LoadFailed) and isinstance(again.cause, Died) and again.cause.kind == "budget"
                return Ran(again.cause if lost else Died("not_reloaded"), "", 0.0)  # type: ignore[union-attr]
        # before each batch but the first, the file is run again, which takes CPU time of the same request
        cpu_s = batch.cpu_s + self._limits.cpu_s
        used = self._batches > 0
        self._batches += 1
        frame, output = self._exchange(batch.encode(), batch.answer_cap, cpu_s)
        result: Read | Problem | Died
        if isinstance(frame, Died):
            if frame.kind == "wall_limit" and not used:
                self._unanswered += 1
            if used and frame.kind == "exited" and self._status == framing.LEFT_BEHIND:
                return self.run(batch)
            result = frame
        else:
            try:
                result = protocol.decode_batch(frame, batch)
            except Refused as refusal:
                self.close()
                result = Died("protocol_error", detail=str(refusal))
        if _ran_out(result) or (used and isinstance(result, Died)):
            self._apart = True  # another such batch would cost its time twice: in a used process and in a fresh one
        return Ran(result, output, time.perf_counter() - started)

    def restart(self) -> None:
        """Make the next batch run in a fresh process."""
        if self._batches:
            self.close()

    def close(self) -> None:
        """End the process, if there is one."""
        self._end()

    def _start(self) -> None:
        with contextlib.ExitStack() as undo:
            ours, theirs = socket.socketpair()
            undo.callback(ours.close)
            out, out_end = os.pipe()
            undo.callback(os.close, out)
            os.set_blocking(out, False)
            with theirs:
                try:
                    self._number = self._warm.start(theirs.fileno(), out_end)
                finally:
                    os.close(out_end)
            undo.pop_all()
        ours.setblocking(False)
        self._channel, self._out = ours, out
        self._batches = 0
        self._heard = self._warm.tier == "process"  # without a sandbox, learner code itself could send descriptors

    def _end(self, by_itself: bool = False) -> int:
        """End the process, add the time that it used to the budget, and return its exit status."""
        if self._channel is None or self._number is None:
            return 0
        self._channel.close()
        self._attempts.close()
        os.close(self._out)
        self._channel = None
        begun = time.monotonic()
        self._status, cpu_s = self._warm.end(self._number, by_itself)
        self._budget.cpu_s += cpu_s
        self._budget.wall_s += time.monotonic() - begun  # a process that closed its channel may take long to exit
        return self._status

    def _has_more_to_say(self) -> bool:
        return self._channel is not None and bool(select.select([self._channel], [], [], 0)[0])

    def _exchange(self, request: bytes, cap: int, cpu_s: float) -> tuple[bytes | Died, str]:
        """Send a request. Return the answer's frame or how the process died, and the printed text.

        After a failure the process has ended.
        """
        printed = _Printed(self._limits.output_kb)
        answer = self._converse(framing.HEADER.pack(len(request)) + request, cap, cpu_s, printed)
        for data in _at_once(self._out, printed):
            printed.take(data)
        if isinstance(answer, Died):
            code = self._end(by_itself=answer.kind == "exited")
            if answer.kind == "exited":
                answer = self._death(code)
        return answer, printed.text()

    def _converse(self, request: bytes, cap: int, cpu_s: float, printed: _Printed) -> bytes | Died:
        """Send the request and read until the answer's frame is complete.

        Nothing that the process does raises an exception.
        """
        assert self._channel is not None
        assert self._number is not None
        channel, out = self._channel, self._out
        unsent = _send(channel, memoryview(request))
        frame = bytearray()
        progress = _Progress(self._warm, self._number, cpu_s)
        patience = min(_BACKSTOP * cpu_s, self._budget.left_wall_s)
        left = patience
        listening: list[Any] = [channel, out]
        while True:
            begun = time.monotonic()
            step = max(0.0, min(left, _STEP_S))
            reports = [self._attempts.reports] if self._attempts.reports >= 0 else []
            ready, writable, _ = select.select(listening + reports, [channel] if unsent else [], [], step)
            # count at most one step, in case this process itself was suspended
            waited = min(time.monotonic() - begun, _STEP_S)
            left -= waited
            self._budget.wall_s += waited
            if out in ready:
                data = _read(out)
                if data:
                    printed.take(data)
                    if printed.flood:
                        return Died("output_too_large", limit_kb=_FLOOD * printed.output_kb)
                elif data is not None:
                    listening.remove(out)  # the process closed it
            # what happens after an answer, or after the process closed its channel, is not part of this exchange
            if reports and reports[0] in ready and channel not in ready:
                self._attempts.refuse()
            if writable:
                unsent = _send(channel, unsent)
            if channel in ready:
                try:
                    data = channel.recv(_CHUNK) if self._heard else self._attempts.receive(channel)
                    self._heard = True
                    if data == framing.REPORTS and self._attempts.reports >= 0 and not frame:
                        continue
                except BlockingIOError:
                    continue
                except OSError:
                    data = b""
                if not data:
                    return Died("protocol_error", detail=_CUT_OFF) if frame else Died("exited")
                frame += data
                size = _announced(frame)
                if size is not None and max(size, len(frame)) > cap:
                    return Died("answer_too_large", limit_kb=cap >> 10)
                if size is not None and len(frame) >= size:
                    return bytes(frame)
            if left <= 0 and not ready:
                return self._budget.exceeded or Died("wall_limit", seconds=patience)
            if not ready and self._budget.withdrawn() and (exceeded := self._budget.exceeded):
                return exceeded
            died = progress.look()
            if died is not None:
                return died

    def _death(self, code: int) -> Died:
        """Return the reason why a process ended by itself."""
        if code == -signal.SIGKILL and self._budget.left_cpu_s < 1:  # the kernel's limit counts whole seconds
            return self._budget.cpu_exceeded
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            return Died("killed", signal=name)
        return Died("exited")

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _Progress:
    """Watch the CPU clock of a process that does not answer, once a second.

    A process must be stopped if it uses too much CPU time, or none for several seconds. Its CPU time counts, because
    a busy machine lengthens the wall-clock time.
    """

    def __init__(self, warm: Warm, number: int, cpu_s: float) -> None:
        self._warm = warm
        self._number = number
        self._cpu_s = cpu_s
        self._start_s: float | None = None
        self._last_s = -1.0
        self._still = 0
        self._due = time.monotonic() + _STEP_S

    def look(self) -> Died | None:
        """Return the reason why the process must be ended, or None.

        A process that makes no progress gets the signal that raises `Stalled`.
        """
        if time.monotonic() < self._due:
            return None
        self._due = time.monotonic() + _STEP_S
        used = self._warm.cpu_time(self._number)
        if used is None:
            return None
        if self._start_s is None:  # the first look is one step after the start, so this much may be from the request
            self._start_s = max(0.0, used - _STEP_S)
        if used - self._start_s > self._cpu_s + _GRACE_S:
            return Died("cpu_limit", seconds=self._cpu_s)
        self._still = self._still + 1 if used == self._last_s else 0
        self._last_s = used
        if self._still >= bounds.STALLED_S:
            self._warm.tell_stalled(self._number)
        return None


def _ran_out(answer: Read | Problem | Died) -> bool:
    """Return whether a process was stopped or ended because it took too long."""
    if isinstance(answer, Read):
        outcomes = (outcome for seed in answer.seeds for outcome in seed if isinstance(outcome, Broke))
        return any(outcome.problem.kind in protocol.RAN_OUT for outcome in outcomes)
    return answer.kind in (*protocol.RAN_OUT, "cpu_limit", "wall_limit")


_CUT_OFF = "there is no answer, or only a piece of one"


def _announced(frame: bytearray) -> int | None:
    """Return the size in bytes that a frame announces, including its header; None if the header is incomplete."""
    header = framing.HEADER.size
    return None if len(frame) < header else header + int(framing.HEADER.unpack_from(frame)[0])


def _send(channel: socket.socket, data: memoryview) -> memoryview:
    """Send as much as can be sent without waiting, and return the rest.

    If the process has ended, there is no rest.
    """
    try:
        return data[channel.send(data) :]
    except BlockingIOError:
        return data
    except OSError:
        return data[:0]


def _read(descriptor: int) -> bytes | None:
    """Return the bytes that can be read from a descriptor now: empty at its end, None if there are none yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None


def _at_once(descriptor: int, printed: _Printed) -> Iterator[bytes]:
    """Yield the data that can be read without waiting. Stop if the output becomes a flood."""
    while not printed.flood:
        data = _read(descriptor)
        if not data:
            return
        yield data
