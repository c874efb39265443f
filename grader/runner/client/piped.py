"""The transport to a process that is no fork: all that it sends comes through one pipe. The tier `child` has no other.

A process whose file leaves nothing behind also runs the file when a new interpreter is asked for, because the start of
a program takes much longer than a fork.
"""

import time
from collections.abc import Collection

from ...course.load import Limits
from ...course.remarks import Died
from ..sandbox import Child, Children
from ..worker.confine import framing
from .transport import BACKSTOP, GRACE_S, STEP_S, Budget, KeptOutput, TransportAnswer, death_of

_SILENCE = 2  # a process is ended after so many times its CPU limit without a sign of life
_PRINTED_AT_ONCE = 1 << 20  # bytes


class Piped:
    """The transport to one learner's file in a process of `children`."""

    def __init__(self, children: Children, limits: Limits, budget: Budget) -> None:
        self._children = children
        self._output_kb = limits.output_kb
        self._budget = budget
        self._child: Child | None = None
        self._ordered = False  # whether the process has an order of this file
        self.attempts: Collection[str] = ()  # nothing is refused

    @property
    def running(self) -> bool:
        """Return whether there is a process for the next request."""
        return self._child is not None

    def check(self) -> None:
        """End the process if it has ended by itself."""
        if self._child is not None and self._child.ended:
            self._end()

    def start(self) -> None:
        """Take a process that is as good as a new one."""
        self.close()
        self._child, self._ordered = self._children.take(), False

    def exchange(self, request: bytes, cap: int, cpu_s: float) -> TransportAnswer:
        """Send a request, and wait for the answer. After a failure, the process has ended."""
        assert self._child is not None
        frame, printed = self._converse(self._child, request, cap, cpu_s)
        if not isinstance(frame, Died):
            self._ordered = True
            if self._child.spent:
                self._children.prepare()
            return TransportAnswer(frame, printed.text())
        status = self._end(by_itself=frame.kind == "exited")
        left_behind = status == framing.LEFT_BEHIND
        # a process that could not be restored after another file: the order is for a new one
        if left_behind and not self._ordered:
            self.start()
            return self.exchange(request, cap, cpu_s)
        return TransportAnswer(death_of(status) if frame.kind == "exited" else frame, printed.text(), left_behind)

    def close(self) -> None:
        """Leave the process to the next file."""
        if self._child is not None:
            self._children.give_back(self._child)
        self._child = None

    def _end(self, by_itself: bool = False) -> int:
        assert self._child is not None
        status = self._child.end(by_itself)
        self._child = None
        return status

    def _converse(self, child: Child, request: bytes, cap: int, cpu_s: float) -> tuple[bytes | Died, KeptOutput]:
        """Send a request, and take what the process sends until its answer is there. Its time is added to the budget.

        Returns:
            The answer, or why there is none; and what was printed.
        """
        printed, budget, before_s = KeptOutput(self._output_kb), self._budget, child.cpu_s
        patience = min(BACKSTOP * cpu_s, budget.left_wall_s)
        child.cap = max(cap + framing.HEADER.size, _PRINTED_AT_ONCE)
        passed_s = silent_s = slept_s = 0.0
        child.send(request)
        while True:
            begun = time.monotonic()
            message = child.receive(STEP_S)
            # at most one step, in case this process itself was suspended
            waited_s = min(time.monotonic() - begun, STEP_S)
            passed_s += waited_s
            silent_s = 0.0 if message is not None else silent_s + waited_s
            # a process that says nothing runs a long step of the interpreter, and so uses the time
            computed_s = child.cpu_s - before_s
            used_s = computed_s + silent_s
            budget.clock_s += waited_s
            budget.wall_s += max(0.0, passed_s - used_s) - slept_s
            slept_s = max(0.0, passed_s - used_s)
            died: Died | None = None
            match message:
                case (framing.PRINTED, data):
                    printed.take(data)
                    died = printed.flood
                case (framing.ANSWER, data):
                    budget.cpu_s += used_s
                    return data, printed
                case (b"", announced):
                    died = Died("answer_too_large", limit_kb=cap >> 10) if announced else Died("exited")
            if died is None and used_s > budget.left_cpu_s + GRACE_S:
                died = budget.cpu_exceeded
            if died is None and max(computed_s, silent_s / _SILENCE) > cpu_s + GRACE_S:
                died = Died("cpu_limit", seconds=cpu_s)
            if died is None and slept_s > patience:
                budget.stalls += 1
                died = budget.exceeded or Died("wall_limit", seconds=patience)
            if died is None and (budget.withdrawn() or budget.overdue):
                died = budget.exceeded
            if died is not None:
                budget.cpu_s += used_s
                return died, printed
