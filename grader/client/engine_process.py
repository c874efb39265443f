"""Drive one file's engine process: load the file, run batches, and begin anew where that is needed.

Whatever the process does affects only the current batch. The next batch gets a new process.
"""

import time
from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import Struct

from ..course import Limits
from ..remarks import Died
from ..sandbox import Warm
from . import bounds, protocol
from .protocol import Batch, Broke, Problem, Read, Refused
from .source import Source
from .transport import Budget, Host, connect

_UNANSWERED = 2  # after this many unanswered batches in fresh processes, the remaining ones are skipped


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


class EngineProcess:
    """One learner file in a separate process, which is replaced by a new one when it dies. A context manager.

    Args:
        host: The server process that starts it, or another place where learner files run.
        source: The file. Tracebacks show its name. If it is a notebook of several cells, a cell that cannot be run is
            skipped.
        stub: The file as it was given out. A source with the same syntax tree counts as not started.
        limits: The limits of loading and of each batch.
        budget: The budget of the whole submission, which its files share.
        apart: Whether each batch is run in a fresh process. Without `apart`, this begins after a batch that ran out
            of time, or that died in a used process.
    """

    def __init__(
        self,
        host: Warm | Host,
        source: Source,
        stub: str | None,
        limits: Limits,
        budget: Budget | None = None,
        *,
        apart: bool = False,
    ) -> None:
        self._order = {
            "source": source.text,
            "filename": source.path.name,
            "stub": stub,
            "cells": [start.line for start in source.cells],
            "allow": host.allow,
            "limits": msgspec.to_builtins(limits),
        }
        self._limits = limits
        self._budget = budget or Budget()
        self._transport = connect(host, limits, self._budget)
        self._apart = apart
        self._unanswered = 0
        self._batches = 0  # of the current process

    @property
    def attempts(self) -> Collection[str]:
        """Return the names of the system calls that the file's processes attempted so far, and that were refused."""
        return self._transport.attempts

    @property
    def fresh(self) -> bool:
        """Return whether the next batch runs in a process that has run no batch before."""
        return self._apart or not self._batches or not self._transport.running

    def load(self) -> Loaded | NotStarted | LoadFailed:
        """Load the file in a fresh process. End the previous process, if any."""
        self.close()
        exceeded = self._budget.exceeded
        if exceeded is not None:
            return LoadFailed(exceeded)
        self._transport.start()
        self._batches = 0
        order = msgspec.json.encode({**self._order, "cpu_backstop_s": self._budget.left_cpu_s})
        frame, output, _ = self._transport.exchange(order, bounds.LOAD_ANSWER, self._limits.cpu_s)
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
        self._transport.check()
        if not self._transport.running:
            again = self.load()
            if not isinstance(again, Loaded):
                lost = isinstance(again, LoadFailed) and isinstance(again.cause, Died) and again.cause.kind == "budget"
                return Ran(again.cause if lost else Died("not_reloaded"), "", 0.0)  # type: ignore[union-attr]
        # before each batch but the first, the file is run again, which takes CPU time of the same request
        cpu_s = batch.cpu_s + self._limits.cpu_s
        used = self._batches > 0
        self._batches += 1
        frame, output, left_behind = self._transport.exchange(batch.encode(), batch.answer_cap, cpu_s)
        result: Read | Problem | Died
        if isinstance(frame, Died):
            if frame.kind == "wall_limit" and not used:
                self._unanswered += 1
            if used and left_behind:
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
        self._transport.close()

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _ran_out(answer: Read | Problem | Died) -> bool:
    """Return whether a process was stopped or ended because it took too long."""
    if isinstance(answer, Read):
        outcomes = (outcome for seed in answer.seeds for outcome in seed if isinstance(outcome, Broke))
        return any(outcome.problem.kind in protocol.RAN_OUT for outcome in outcomes)
    return answer.kind in (*protocol.RAN_OUT, "cpu_limit", "wall_limit")
