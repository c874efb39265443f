"""Drive the engine processes of one file: load it and run batches, or make its one-place edits and run these.

Whatever a process does affects only the current batch. The next batch gets a new process.
"""

import re
import time
from collections.abc import Collection, Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ...course.load import Limits
from ...course.remarks import Died
from ..sandbox import Children, Started, Warm
from ..worker.adapter.ask import RAN_OUT
from ..worker.adapter.edits import Candidate
from ..worker.adapter.imports import allowed_names
from . import bounds, protocol
from .piped import Piped
from .protocol import Batch, Broke, Problem, Read, Refused, decode, decode_executed, decode_tried, tried_cap
from .source import Source
from .transport import Budget, Host, Sandboxed, Transport

_UNANSWERED = 2  # after this many unanswered batches in fresh processes, the remaining ones are skipped


def transport_to(host: Started | Host, source: Source, limits: Limits, budget: Budget) -> Transport:
    """Return a transport for one learner file.

    Args:
        host: The server process of a sandbox, or another place where learner files run.
        source: The file.
        limits: The limits of each request.
        budget: The budget of the whole submission. The transport adds what a request uses.
    """
    if isinstance(host, Warm):
        return Sandboxed(host, limits, budget, allowed_names(source.text, host.allow))
    if isinstance(host, Children):
        return Piped(host, limits, budget)
    assert not isinstance(host, Started)
    return host.connect(limits, budget)


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
        apart: Whether each batch is run in a fresh process from the beginning. Otherwise this begins when a batch has
            run out of time, or has died in a used process.

    Attributes:
        limited: Whether an answer so far came from a limit, or is missing because a process died.
    """

    def __init__(
        self,
        host: Started | Host,
        source: Source,
        stub: str | None,
        limits: Limits,
        budget: Budget | None = None,
        *,
        apart: bool = False,
    ) -> None:
        self.limited = False
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
        self._transport = transport_to(host, source, limits, self._budget)
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
        loaded = self._load()
        self.limited = self.limited or (isinstance(loaded, LoadFailed) and _limited(loaded.cause))
        return loaded

    def _load(self) -> Loaded | NotStarted | LoadFailed:
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
        ran = self._run(batch)
        self.limited = self.limited or _limited(ran.answer)
        return ran

    def _run(self, batch: Batch) -> Ran:
        started = time.perf_counter()
        exceeded = self._budget.exceeded
        # decide whether the batch is run at all, and in which process
        if exceeded is None and self._unanswered >= _UNANSWERED:
            exceeded = Died("unanswered", count=_UNANSWERED)
        if exceeded is not None:
            return Ran(exceeded, "", 0.0)
        if self._apart:
            self.restart()
        self._transport.check()
        if not self._transport.running:
            # the file has been loaded before, so a failure now is no fault of the file's text
            state = self.load()
            if isinstance(state, LoadFailed) and isinstance(state.cause, Died) and state.cause.kind == "budget":
                return Ran(state.cause, "", 0.0)
            if not isinstance(state, Loaded):
                return Ran(Died("not_reloaded"), "", 0.0)
        self._budget.steps += batch.steps
        # before each batch but the first, the file is run again, which takes CPU time of the same request
        cpu_s = batch.cpu_s + self._limits.cpu_s
        used = self._batches > 0
        self._batches += 1
        # run it, and decode the answer
        frame, output, left_behind = self._transport.exchange(batch.encode(), batch.answer_cap, cpu_s)
        result: Read | Problem | Died
        if isinstance(frame, Died):
            # a process that waits may block for the whole limit in every batch
            if frame.kind == "wall_limit" and not used:
                self._unanswered += 1
            # the batch itself was not run: the process could not be restored for it
            if used and left_behind:
                return self._run(batch)
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

    def __exit__(self, *_: object) -> None:
        self.close()


def _limited(answer: Read | Problem | Died) -> bool:
    """Return whether an answer came from a limit of time, calls or memory, or is missing because a process died."""
    if isinstance(answer, Read):
        return any(isinstance(one, Broke) and one.problem.ran_out for seed in answer.seeds for one in seed)
    return isinstance(answer, Died) or answer.ran_out


_LIMITS = (*RAN_OUT, "cpu_limit", "wall_limit")


def _ran_out(answer: Read | Problem | Died, *kinds: str) -> bool:
    """Return whether a process was stopped or ended by one of these limits, by default by any one."""
    if isinstance(answer, Read):
        outcomes = (outcome for seed in answer.seeds for outcome in seed if isinstance(outcome, Broke))
        return any(outcome.problem.kind in (kinds or _LIMITS) for outcome in outcomes)
    return answer.kind in (kinds or _LIMITS)


# -- The one-place edits of a learner's file, which are made and first tried in an engine process of their own


class _Candidates(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, tag="candidates"):
    candidates: Annotated[list[Candidate], Meta(max_length=bounds.CANDIDATES)]


_answers = msgspec.json.Decoder(_Candidates)


class CandidateProcess:
    """A file that is edited in many ways, and run with these edits, in one process. A context manager.

    Learner code can tell the process's edits apart, and may falsify every answer after the first. So the answers say
    which edits are worth a run of their own, and nothing else.

    Args:
        host: The server process that starts it, or another place where learner files run.
        source: The file.
        editable: The lines whose statements may be edited.
        limits: The limits of the process.
        budget: The budget of the search.
        solution: A right file whose parts take the place of the file's. Empty for edits that need none.
    """

    def __init__(
        self,
        host: Started | Host,
        source: Source,
        editable: Collection[int],
        limits: Limits,
        budget: Budget,
        solution: str = "",
    ) -> None:
        self._transport = transport_to(host, source, limits, budget)
        self._size = len(source.text)
        self._limits = limits
        self._budget = budget
        self._together = (
            _TOGETHER if isinstance(host, Warm | Children) else 1
        )  # elsewhere, the steps of each request are limited
        self._order = {
            "source": source.text,
            "filename": source.path.name,
            "stub": None,
            "cells": [start.line for start in source.cells],
            "editable": sorted(editable),
            "solution": solution,
            "allow": host.allow,
            "limits": msgspec.to_builtins(limits),
        }

    def candidates(self) -> dict[int, Candidate]:
        """Return the one-place edits of the file by number, likely ones first. It is parsed in a process, and not run.

        There are none if the file cannot be parsed, or if the process does not answer as it must.
        """
        try:
            answer = decode(_answers, self._begun(), bounds.CANDIDATES_ANSWER, 16 * bounds.CANDIDATES)
        except Refused:
            return {}
        # the numbers stay those of the answer, by which the process knows the candidates
        return {number: one for number, one in enumerate(answer.candidates) if _fits(one, self._size)}

    def executed(self, batch: Batch) -> frozenset[int] | None:
        """Return the lines that the file executes in a batch, or None if that is not known."""
        try:
            frame = self._exchange(batch.encode(candidates=None), bounds.EXECUTED_ANSWER, batch.cpu_s)
            return decode_executed(frame)
        except Refused:
            return None

    def tried(self, batch: Batch, numbers: Sequence[int], each_s: float) -> Iterator[Read | Problem | None]:
        """Yield the answer of each candidate to a batch; None if its process died.

        Args:
            numbers: The numbers of the candidates.
            each_s: The CPU time that each may take.
        """
        if batch.calls is not None and not any(run.trained_steps for run in batch.runs):
            batch = replace(batch, calls=min(batch.calls, _CALLS))
        for first in range(0, len(numbers), self._together):
            for answer in self._answers(batch, numbers[first : first + self._together], each_s):
                # code that a clock stopped, or that ended its process, takes much longer than any other
                if (answer is None and not self._budget.exceeded) or (answer and _ran_out(answer, *_CLOCKS)):
                    self._budget.steps += _STOPPED_STEPS
                yield answer

    def _answers(self, batch: Batch, numbers: Sequence[int], each_s: float) -> list[Read | Problem | None]:
        cpu_s = each_s * len(numbers)
        self._budget.steps += batch.steps * len(numbers)
        try:
            request = batch.encode(candidates=numbers, each_s=each_s, cpu_s=cpu_s)
            return [*decode_tried(self._exchange(request, tried_cap(batch, len(numbers)), cpu_s), batch, len(numbers))]
        except Refused:
            self._transport.close()
        if len(numbers) == 1 or self._budget.exceeded:
            return [None] * len(numbers)
        # one of them has ended the process, or falsified the answer
        half = len(numbers) // 2
        return [*self._answers(batch, numbers[:half], each_s), *self._answers(batch, numbers[half:], each_s)]

    def _begun(self) -> bytes:
        """Start a process, and return the frame of its first answer. Raises `Refused` if there is none."""
        self._transport.start()
        order = msgspec.json.encode({**self._order, "cpu_backstop_s": self._budget.left_cpu_s})
        return self._frame(order, bounds.CANDIDATES_ANSWER, self._limits.cpu_s)

    def _exchange(self, request: bytes, cap: int, cpu_s: float) -> bytes:
        """Return the frame of an answer, of a new process if the last one has ended. Raises `Refused`."""
        if self._budget.exceeded:
            raise Refused("the budget is used up")
        self._transport.check()
        if not self._transport.running:
            self._begun()
        return self._frame(request, cap, cpu_s)

    def _frame(self, request: bytes, cap: int, cpu_s: float) -> bytes:
        frame = self._transport.exchange(request, cap, cpu_s).frame
        if isinstance(frame, Died):
            raise Refused(frame.kind)
        return frame

    def __enter__(self) -> "CandidateProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self._transport.close()


_TOGETHER = 20  # candidates that are tried in one request
_CALLS = 200_000  # calls, and steps of loops, of a candidate that trains nothing; right files need a tenth
_CLOCKS = ("cpu", "stalled", "cpu_limit", "wall_limit")
_STOPPED_STEPS = 5_000


_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_.]{0,79})?", re.ASCII)


def _fits(candidate: Candidate, size: int) -> bool:
    """Return whether an edit is within the bounds, and its places are in the file, one after another."""
    places = [place for splice in candidate.splices for place in (splice.start, splice.end)]
    return (
        1 <= len(candidate.lines) <= bounds.TOGETHER
        and all(1 <= line <= bounds.SOURCE for line in candidate.lines)
        and 2 <= len(places) <= 6 * bounds.TOGETHER
        and all(len(splice.text) <= bounds.REPLACEMENT for splice in candidate.splices)
        and _FUNCTION.fullmatch(candidate.function) is not None
        and [0, *places, size] == sorted([0, *places, size])
    )
