"""Candidates from an engine process, which may answer anything."""

import json
from collections.abc import Mapping
from typing import Any, get_args

import pytest

from grader.client import Budget, CandidateKind, bounds, candidates_of
from grader.client.transport import Answer
from grader.course import Limits
from grader.remarks import Died
from grader.sandbox import Warm
from grader.worker.adapter import candidates as worker
from grader.worker.confine.framing import HEADER

SOURCE = "def rule(self, out):\n    self.grad = out.grad\n"
EDIT = ["accumulate", [2], [[20, 21, "+="]], ""]


class Answering:
    """A place where files run that gives one answer."""

    tier = "test"
    allow: Mapping[str, str] = {}
    attempts = ()
    running = True

    def __init__(self, answer: Any) -> None:
        data = b"" if isinstance(answer, Died) else json.dumps(answer).encode()
        self.frame = answer if isinstance(answer, Died) else HEADER.pack(len(data)) + data

    def connect(self, limits: Limits, budget: Budget) -> "Answering":
        return self

    def exchange(self, request: bytes, cap: int, cpu_s: float) -> Answer:
        return Answer(self.frame, "")

    def check(self) -> None: ...
    def start(self) -> None: ...
    def close(self) -> None: ...


def test_a_process_makes_candidates(warm: Warm, limits: Limits) -> None:
    """The edits of a file come from a process of its own, which does not run the file."""
    source = SOURCE + "raise SystemExit\n"
    found = candidates_of(warm, source, {2}, limits, Budget())
    assert source.replace(" = ", " += ") in [candidate.edited(source) for candidate in found]


@pytest.mark.parametrize(
    "answer",
    [
        ["candidates", [["accumulate", [2], [[21, 20, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [[20, 2_000, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [[30, 31, ""], [20, 21, ""]], ""]]],
        ["candidates", [["accumulate", [0], [[20, 21, "+="]], ""]]],
        ["candidates", [["accumulate", [2, 3, 4], [[20, 21, "+="]], ""]]],
        ["candidates", [["accumulate", [2], [[20, 21, "x" * 9_000]], ""]]],
        ["candidates", [["unknown", [2], [[20, 21, "+="]], ""]]],
        ["candidates", [EDIT] * 10_000],
        ["candidates", [[*EDIT, "more"]]],
        ["candidates", [[*EDIT[:3], "not a name"]]],
        ["loaded"],
        "candidates",
        Died("exited"),
    ],
)
def test_an_answer_that_does_not_fit_gives_no_candidates(answer: Any, limits: Limits) -> None:
    """Nothing is guessed from a malformed answer."""
    host = Answering(answer)
    assert [] == candidates_of(host, SOURCE, {2}, limits, Budget())


def test_an_answer_that_fits_gives_its_candidates(limits: Limits) -> None:
    """The counterpart of the malformed answers."""
    (found,) = candidates_of(Answering(["candidates", [EDIT]]), SOURCE, {2}, limits, Budget())
    assert ("accumulate", (2,)) == (found.kind, found.lines)


def test_both_ends_know_the_same_kinds_and_bounds() -> None:
    """The worker imports nothing of the grader, so it has the kinds and the bounds a second time."""
    assert set(get_args(CandidateKind)) == {*worker.ORDER, "function"}
    assert (bounds.CANDIDATES, bounds.REPLACEMENT) == (worker.MOST, worker.LONGEST)
