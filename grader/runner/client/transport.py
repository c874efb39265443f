"""The way to a learner's file: to the engine process that runs it, or to another interpreter.

`Transport` is the interface. `Sandboxed` is the one for a process in a sandbox. The process may die, hang, flood or
lie at any time, and this module distinguishes the ways in which it can die.
"""

import contextlib
import errno
import math
import os
import re
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from msgspec import Struct

from ...course.load import Limits
from ...course.remarks import Died
from ..sandbox import Schedule, Warm, own_ready_s
from ..worker.confine import framing, syscalls
from . import bounds

BACKSTOP = 10  # code may sleep this many times as long as it may compute
GRACE_S = 1.0  # an engine process stops itself at its CPU limit; it is killed this many seconds later
STEP_S = 1.0
_NAP_S = 0.01  # between two looks at a process that has slept too long, and is ready to run just now
_FLOOD = 64  # a process that prints this many times the course's limit is stopped
_CHUNK = 1 << 16
_MOST_ATTEMPTS = 100  # of one process; the kernel refuses the others by itself, without a report
# of the Linux kernel's <linux/seccomp.h>: read a report, and answer it
_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101
_REPORTED = struct.Struct("QIIiIQ6Q")  # the report's number, the process, flags; the call, machine, place, arguments
_ANSWERED = struct.Struct("QqiI")  # the report's number, a result, an error, flags
_ADDRESS = re.compile(r"\b0x[0-9a-f]{8,16}\b")  # addresses of printed objects, which differ between runs
_CRASHES = {0xC0000005: "an access violation", 0xC00000FD: "a stack overflow"}  # exit statuses of Windows
_CUT_ADDRESS = re.compile(r"\b0x[0-9a-f]{1,7}$")  # what the cap leaves of one


MAX_CPU_S = 60.0
MAX_WALL_S = 90.0
_KERNEL_S = 1.0  # the kernel's limit of CPU time counts whole seconds
_LAST_RESORT = 10  # what waits this many times as long by the clock is ended, also if it had no core


class Budget(Struct):
    """The CPU time and the waiting time of a submission in seconds: used, and allowed.

    Waiting time counts only while the grader waits for learner code and this code sleeps. Time in which it was ready
    to run and had no core does not count, and a suspended grader costs the submission nothing. So a busy machine
    changes no score. Only a limit that is ten times as long counts all waiting, so that nothing waits for ever.
    A search also has steps, which depend on no clock: `Batch.steps` for each run of a file.

    Attributes:
        max_stalls: How often the code may wait past a limit.
        withdrawn: Returns whether the submission is no longer to be graded. Then nothing more is run, as if all time
            were used.
    """

    max_cpu_s: float = MAX_CPU_S
    max_wall_s: float = MAX_WALL_S
    max_steps: float = math.inf
    max_stalls: float = math.inf
    cpu_s: float = 0.0
    wall_s: float = 0.0
    steps: int = 0
    stalls: int = 0
    clock_s: float = 0.0  # all waiting, also for a core
    withdrawn: Callable[[], bool] = lambda: False

    @property
    def left_cpu_s(self) -> float:
        """Return the CPU seconds that may still be used."""
        return self.max_cpu_s - self.cpu_s

    @property
    def left_wall_s(self) -> float:
        """Return the waiting seconds that may still be used."""
        return self.max_wall_s - self.wall_s

    @property
    def cpu_exceeded(self) -> Died:
        """Return the reason for not running, or stopping, a file when no CPU time is left."""
        return Died("budget", seconds=self.max_cpu_s, clock="cpu")

    @property
    def exceeded(self) -> Died | None:
        """Return the reason why nothing more is run, or None."""
        if self.left_cpu_s <= 0:
            return self.cpu_exceeded
        if self.left_wall_s <= 0 or self.steps >= self.max_steps or self.stalls > self.max_stalls or self.withdrawn():
            return Died("budget", seconds=self.max_wall_s, clock="wall")
        if self.overdue:
            return Died("budget", seconds=_LAST_RESORT * self.max_wall_s, clock="wall")
        return None

    @property
    def overdue(self) -> bool:
        """Return whether nothing more is run because of all waiting, also for a core."""
        return self.clock_s >= _LAST_RESORT * self.max_wall_s

    @property
    def ended_by(self) -> Literal["", "count", "waiting", "time"]:
        """Return which limit is reached, or an empty text. The counts come first: they depend on no clock."""
        if self.steps >= self.max_steps:
            return "count"
        if self.stalls > self.max_stalls:
            return "waiting"
        return "time" if self.exceeded else ""

    def has_room_for(self, part: "Budget") -> bool:
        """Return whether a part that had a whole budget for itself would have ended in the same way within this one."""
        return (
            self.cpu_s + part.cpu_s + _KERNEL_S < self.max_cpu_s
            and self.wall_s + part.wall_s < self.max_wall_s
            and self.clock_s + part.clock_s < _LAST_RESORT * self.max_wall_s
        )

    def use(self, part: "Budget") -> None:
        """Add what a part of this budget has used."""
        self.cpu_s += part.cpu_s
        self.wall_s += part.wall_s
        self.steps += part.steps
        self.clock_s += part.clock_s


# -- The interface


class TransportAnswer(NamedTuple):
    """The answer to a request, and the text that was printed meanwhile.

    Attributes:
        frame: The answer's frame, or how the process died.
        output: The text that the learner's code printed.
        left_behind: Whether the process ended because it could not restore the interpreter for the request.
    """

    frame: bytes | Died
    output: str
    left_behind: bool = False


class Transport(Protocol):
    """One learner file in an interpreter that is replaced by a new one on request.

    The first request to a new interpreter is the order (`grader/runner/worker/confine/process.py`). Each later one is a
    batch. Nothing that learner code does raises an exception here.
    """

    @property
    def running(self) -> bool:
        """Return whether there is an interpreter for the next request."""

    def check(self) -> None:
        """End the interpreter if it cannot be trusted with another request, or has ended by itself."""

    @property
    def attempts(self) -> Collection[str]:
        """Return the names of the system calls that learner code attempted so far, and that were refused."""

    def start(self) -> None:
        """Start a new interpreter."""

    def exchange(self, request: bytes, cap: int, cpu_s: float) -> TransportAnswer:
        """Send a request, and wait for the answer. After a failure, no interpreter is running.

        Args:
            request: The order or the batch as JSON.
            cap: The largest size of the answer in bytes.
            cpu_s: The CPU time that the request may take.
        """

    def close(self) -> None:
        """End the interpreter, if there is one."""


class Host(Protocol):
    """The place where learner files run, if it is none of `sandbox`.

    Attributes:
        tier: The tier of isolation.
        allow: The folder of each module, by name, that learner code may import.
    """

    tier: str
    allow: Mapping[str, str]

    def connect(self, limits: Limits, budget: Budget) -> Transport:
        """Return a transport for one learner file."""


# -- A process in a sandbox


class KeptOutput:
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
    def flood(self) -> Died | None:
        """Return the reason to stop the code that prints so much, or None."""
        limit_kb = _FLOOD * self.output_kb
        return Died("output_too_large", limit_kb=limit_kb) if self.size > limit_kb << 10 else None

    def text(self) -> str:
        if not self.size:
            return ""
        text = _ADDRESS.sub("0x…", self.kept.decode("utf-8", "replace"))
        lost = self.size - len(self.kept)
        if lost:
            text = _CUT_ADDRESS.sub("0x…", text)
        return bounds.cut_output(text, self.output_kb, lost)


class _Attempts:
    """The calls that learner code attempts and the kernel reports. All of them are refused.

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

        report = bytearray(_REPORTED.size)  # the kernel demands that it is zero
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


def death_of(code: int) -> Died:
    """Return the reason why a process with this exit status ended by itself."""
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return Died("killed", signal=name)
    return Died("killed", signal=_CRASHES[code]) if code in _CRASHES else Died("exited")


class Sandboxed:
    """The transport to an engine process in a sandbox.

    Args:
        imports: The modules, of those that the course allows, which each process has imported when it starts.
    """

    def __init__(self, warm: Warm, limits: Limits, budget: Budget, imports: frozenset[str] = frozenset()) -> None:
        self._warm = warm
        self._imports = imports
        self._output_kb = limits.output_kb
        self._budget = budget
        self._number: int | None = None
        self._schedule: Schedule | None = None
        self._channel: socket.socket | None = None
        self._out = -1
        self._attempts = _Attempts()
        self._heard = False  # whether the process has sent anything

    @property
    def running(self) -> bool:
        """Return whether there is a process for the next request."""
        return self._channel is not None

    def check(self) -> None:
        """End the process if it sent more than its answer, or has ended by itself."""
        # a process that waits for the next request has nothing to send
        if self._channel is not None and select.select([self._channel], [], [], 0)[0]:
            self.close()

    @property
    def attempts(self) -> Collection[str]:
        """Return the names of the refused system calls.

        The kernel reports them from outside of the learner's interpreter (`grader/runner/worker/confine/lockdown.py`).
        """
        return self._attempts.names

    def start(self) -> None:
        """Start a process. End the previous one, if any."""
        self.close()
        with contextlib.ExitStack() as undo:
            ours, theirs = socket.socketpair()
            undo.callback(ours.close)
            out, out_end = os.pipe()
            undo.callback(os.close, out)
            os.set_blocking(out, False)
            with theirs:
                try:
                    self._number = self._warm.start(theirs.fileno(), out_end, self._imports)
                finally:
                    os.close(out_end)
            undo.pop_all()  # the process has started, so nothing is undone
        self._schedule = self._warm.schedule(self._number)
        ours.setblocking(False)
        self._channel, self._out = ours, out
        self._heard = self._warm.tier == "process"  # without a sandbox, learner code itself could send descriptors

    def exchange(self, request: bytes, cap: int, cpu_s: float) -> TransportAnswer:
        """Send a request, and read the answer and the printed text. After a failure, the process has ended."""
        assert self._channel is not None
        talk = _Talk(self._channel, self._out, request, cap, KeptOutput(self._output_kb))
        frame = self._converse(talk, cpu_s)
        talk.read_remaining_output()
        status = 0
        if isinstance(frame, Died):
            status = self._end(by_itself=frame.kind == "exited")
            if frame.kind == "exited":
                frame = self._death(status)
        return TransportAnswer(frame, talk.printed.text(), status == framing.LEFT_BEHIND)

    def close(self) -> None:
        """End the process, if there is one."""
        self._end()

    def _end(self, by_itself: bool = False) -> int:
        """End the process, add the time that it used to the budget, and return its exit status."""
        if self._channel is None or self._number is None:
            return 0
        self._channel.close()
        self._attempts.close()
        os.close(self._out)
        self._channel = None
        if self._schedule is not None:
            self._schedule.close()
        # a process that closed its channel may take long to exit
        waiting, begun = _Waiting(None, self._budget), time.monotonic()
        status, cpu_s = self._warm.end(self._number, by_itself)
        if by_itself:
            waiting.count(time.monotonic() - begun)
        self._budget.cpu_s += cpu_s
        return status

    def _converse(self, talk: "_Talk", cpu_s: float) -> bytes | Died:
        """Send the request and read until the answer's frame is complete.

        Nothing that the process does raises an exception.
        """
        assert self._number is not None
        waiting = _Waiting(self._schedule, self._budget)
        progress = _Progress(self._warm, self._number, cpu_s, self._budget, self._sleeps)
        patience = min(BACKSTOP * cpu_s, self._budget.left_wall_s)
        while True:
            left = patience - waiting.slept_s
            # wait for the process, and count at most one step, in case this process itself was suspended
            begun = time.monotonic()
            reports = [self._attempts.reports] if self._attempts.reports >= 0 else []
            sending = [talk.channel] if talk.unsent else []
            ready, writable, _ = select.select(talk.listening + reports, sending, [], max(_NAP_S, min(left, STEP_S)))
            waiting.count(min(time.monotonic() - begun, STEP_S))
            # take what it sent; what happens after an answer, or after it closed its channel, belongs to no request
            if talk.out in ready and (died := talk.read_output()):
                return died
            if reports and reports[0] in ready and talk.channel not in ready:
                self._attempts.refuse()
            if writable:
                talk.send()
            if talk.channel in ready and (answer := self._read(talk)):
                return answer
            # stop it if it takes too long
            if not ready and (died := self._out_of_time(patience - waiting.slept_s, patience)):
                return died
            if died := progress.look():
                return died

    def _read(self, talk: "_Talk") -> bytes | Died | None:
        """Read a part of the answer. Return the answer once it is complete, or how the process died."""
        try:
            data = talk.channel.recv(_CHUNK) if self._heard else self._attempts.receive(talk.channel)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        else:
            self._heard = True
            if data == framing.REPORTS and self._attempts.reports >= 0 and not talk.frame:
                return None
        return talk.take(data)

    def _sleeps(self) -> bool:
        """Return whether the process sleeps, as far as the system can tell."""
        return self._schedule is None or self._schedule.sleeps

    def _out_of_time(self, left: float, patience: float) -> Died | None:
        if left <= 0 and self._sleeps():
            self._budget.stalls += 1
            return self._budget.exceeded or Died("wall_limit", seconds=patience)
        return self._budget.exceeded if self._budget.withdrawn() or self._budget.overdue else None

    def _death(self, code: int) -> Died:
        """Return the reason why a process ended by itself."""
        if code == -signal.SIGKILL and self._budget.left_cpu_s < 1:  # the kernel's limit counts whole seconds
            return self._budget.cpu_exceeded
        return death_of(code)


class _Waiting:
    """The time that passes while the grader waits for a process, and the part of it in which the process sleeps.

    Args:
        schedule: The scheduler's account of the process. Without it, all time counts as sleep.
        budget: The budget to which both are added.

    Attributes:
        slept_s: The seconds in which the process slept.
    """

    def __init__(self, schedule: Schedule | None, budget: Budget) -> None:
        self._schedule, self._budget = schedule, budget
        self._passed_s = self.slept_s = 0.0
        self._begun_s = self._awake_s()

    def count(self, seconds: float) -> None:
        """Count time that has passed."""
        self._passed_s += seconds
        slept_s = max(0.0, self._passed_s - (self._awake_s() - self._begun_s))
        self._budget.clock_s += seconds
        self._budget.wall_s += slept_s - self.slept_s
        self.slept_s = slept_s

    def _awake_s(self) -> float:
        # a process that has answered sleeps until this process gets a core to read the answer
        return own_ready_s() + (self._schedule.awake_s if self._schedule is not None else 0.0)


class _Talk:
    """A request and its answer on their way, and what the process prints meanwhile.

    Attributes:
        unsent: The rest of the request.
        frame: The beginning of the answer.
        listening: Where the process may still send something.
    """

    def __init__(self, channel: socket.socket, out: int, request: bytes, cap: int, printed: KeptOutput) -> None:
        self.channel, self.out, self.printed = channel, out, printed
        self.unsent = memoryview(framing.HEADER.pack(len(request)) + request)
        self.frame = bytearray()
        self.listening: list[Any] = [channel, out]
        self._cap = cap
        self.send()

    def send(self) -> None:
        """Send as much of the request as can be sent without waiting. A process that has ended gets nothing."""
        try:
            self.unsent = self.unsent[self.channel.send(self.unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self.unsent = self.unsent[:0]

    def take(self, data: bytes) -> bytes | Died | None:
        """Add data to the answer. Return the answer once it is complete. No data means that the channel was closed."""
        if not data:
            return Died("protocol_error", detail=_CUT_OFF) if self.frame else Died("exited")
        self.frame += data
        header = framing.HEADER.size
        if len(self.frame) < header:
            return None
        size = header + int(framing.HEADER.unpack_from(self.frame)[0])
        # the announced size counts, too, so that a huge answer is refused at once
        if max(size, len(self.frame)) > self._cap:
            return Died("answer_too_large", limit_kb=self._cap >> 10)
        return bytes(self.frame) if len(self.frame) >= size else None

    def read_output(self) -> Died | None:
        """Read printed text. Return the reason to end the process if there is too much of it."""
        data = _read(self.out)
        if data:
            self.printed.take(data)
        elif data is not None:
            self.listening.remove(self.out)  # the process closed it
        return self.printed.flood

    def read_remaining_output(self) -> None:
        """Read all printed text that can be read without waiting. Stop if it becomes a flood."""
        while not self.printed.flood and (data := _read(self.out)):
            self.printed.take(data)


class _Progress:
    """Watch the CPU clock of a process that does not answer, once a second.

    A process must be stopped if it uses too much CPU time, or sleeps for several seconds without using any. Its CPU
    time counts, because a busy machine lengthens the wall-clock time.

    Args:
        sleeps: Returns whether the process sleeps at this moment. One that has no core does not.
    """

    def __init__(
        self, warm: Warm, number: int, cpu_s: float, budget: Budget, sleeps: Callable[[], bool] = lambda: True
    ) -> None:
        self._sleeps = sleeps
        self._warm = warm
        self._number = number
        self._budget = budget
        self._cpu_s = cpu_s
        self._start_s: float | None = None
        self._last_s = -1.0
        self._still = 0
        self._due = time.monotonic() + STEP_S

    def look(self) -> Died | None:
        """Return the reason why the process must be ended, or None.

        A process that makes no progress gets the signal that raises `Stalled`.
        """
        if time.monotonic() < self._due:
            return None
        self._due = time.monotonic() + STEP_S
        used = self._warm.cpu_time(self._number)
        if used is None:
            return None
        if self._start_s is None:  # the first look is one step after the start, so this much may be from the request
            self._start_s = max(0.0, used - STEP_S)
        if used - self._start_s > self._cpu_s + GRACE_S:
            return Died("cpu_limit", seconds=self._cpu_s)
        # code that sleeps or waits uses no CPU time, and the CPU limit would never stop it
        self._still = 0 if used != self._last_s else self._still + self._sleeps()
        self._last_s = used
        if self._still >= bounds.STALLED_S:
            self._budget.stalls += 1
            self._warm.tell_stalled(self._number)
        return None


_CUT_OFF = "there is no answer, or only a piece of one"


def _read(descriptor: int) -> bytes | None:
    """Return the bytes that can be read from a descriptor now: empty at its end, None if there are none yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
