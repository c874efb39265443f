"""Ask for the one-place edits of a learner's file, which are made and first tried in an engine process of their own."""

import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ..course import Limits
from ..remarks import Died
from ..sandbox import Warm
from . import bounds
from .protocol import Batch, Problem, Read, Refused, decode, decode_executed, decode_tried, tried_cap
from .source import Source
from .transport import Budget, Host, connect

CandidateKind = Literal[
    "accumulate",
    "assigned",
    "sign",
    "operator",
    "operands",
    "factor_dropped",
    "constant",
    "comparison",
    "step",
    "reversed",
    "name",
    "factor_added",
    "condition",
    "called",
    "added",
    "deleted",
    "moved",
    "expression",
    "function",
    "grafted",
]

_Line = Annotated[int, Meta(ge=1, le=bounds.SOURCE)]
_Place = Annotated[int, Meta(ge=0, le=bounds.SOURCE)]


class Splice(NamedTuple):
    """The characters from `start` to `end` of the file are replaced by `text`."""

    start: _Place
    end: _Place
    text: Annotated[str, Meta(max_length=bounds.REPLACEMENT)]


class Candidate(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """A file that differs from the learner's in one place, or in several statements that one edit changes.

    Attributes:
        kind: The kind of the edit.
        lines: The first line of each statement that is edited. If a statement is added, the last line of the one before
            it, or the line before the block's first statement.
        splices: The edit, in the order of the file, without overlaps.
        function: The name of the function that is replaced as a whole, or that a statement is added to; or empty.
    """

    kind: CandidateKind
    lines: Annotated[tuple[_Line, ...], Meta(min_length=1, max_length=bounds.TOGETHER)]
    splices: Annotated[tuple[Splice, ...], Meta(min_length=1, max_length=3 * bounds.TOGETHER)]
    function: Annotated[str, Meta(pattern=r"\A([A-Za-z_][A-Za-z0-9_.]{0,79})?\Z")]

    def without(self, line: int, source: str) -> "Candidate | None":
        """Return the edit without the statement that begins in a line, or None if no other statement is edited."""
        begins = list(itertools.accumulate((len(text) + 1 for text in source.split("\n")), initial=0))
        of = {splice: max(one for one in self.lines if begins[one - 1] <= splice.start) for splice in self.splices}
        splices = tuple(splice for splice in self.splices if of[splice] != line)
        lines = tuple(one for one in self.lines if one != line)
        return replace(self, lines=lines, splices=splices) if lines and splices else None

    def edited(self, source: str) -> str:
        """Return the edited file."""
        parts, place = [], 0
        for splice in self.splices:
            parts += [source[place : splice.start], splice.text]
            place = splice.end
        return "".join([*parts, source[place:]])


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
        host: Warm | Host,
        source: Source,
        editable: Collection[int],
        limits: Limits,
        budget: Budget,
        solution: str = "",
    ) -> None:
        self._transport = connect(host, limits, budget)
        self._size = len(source.text)
        self._limits = limits
        self._budget = budget
        self._together = _TOGETHER if isinstance(host, Warm) else 1  # elsewhere, the steps of each request are limited
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
        for start in range(0, len(numbers), self._together):
            yield from self._answers(batch, numbers[start : start + self._together], each_s)

    def _answers(self, batch: Batch, numbers: Sequence[int], each_s: float) -> list[Read | Problem | None]:
        cpu_s = each_s * len(numbers)
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


_TOGETHER = 40  # candidates that are tried in one request


def _fits(candidate: Candidate, size: int) -> bool:
    """Return whether the places of an edit are in the file, one after another."""
    places = [place for splice in candidate.splices for place in (splice.start, splice.end)]
    return places == sorted(places) and places[-1] <= size
