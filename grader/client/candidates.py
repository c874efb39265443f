"""Ask for the one-place edits of a learner's file, which are made in an engine process of their own."""

from collections.abc import Collection
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from ..course import Limits
from ..remarks import Died
from ..sandbox import Warm
from . import bounds
from .protocol import Refused, decode
from .transport import Budget, Host, connect

CandidateKind = Literal[
    "accumulate",
    "sign",
    "operator",
    "operands",
    "factor_dropped",
    "constant",
    "comparison",
    "reversed",
    "name",
    "factor_added",
    "condition",
    "deleted",
    "moved",
    "expression",
    "function",
]

_Place = Annotated[int, Meta(ge=0, le=bounds.SOURCE)]


class Splice(NamedTuple):
    """The characters from `start` to `end` of the file are replaced by `text`."""

    start: _Place
    end: _Place
    text: Annotated[str, Meta(max_length=bounds.REPLACEMENT)]


class Candidate(Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """A file that differs from the learner's in one place, or in two statements that one edit changes.

    Attributes:
        kind: The kind of the edit.
        lines: The first line of each statement that is edited.
        splices: The edit, in the order of the file, without overlaps.
        function: The name of the function that is replaced as a whole, or empty.
    """

    kind: CandidateKind
    lines: Annotated[tuple[Annotated[int, Meta(ge=1, le=bounds.SOURCE)], ...], Meta(min_length=1, max_length=2)]
    splices: Annotated[tuple[Splice, ...], Meta(min_length=1, max_length=4)]
    function: Annotated[str, Meta(pattern=r"\A([A-Za-z_][A-Za-z0-9_.]{0,79})?\Z")]

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


def candidates_of(
    host: Warm | Host,
    source: str,
    editable: Collection[int],
    limits: Limits,
    budget: Budget,
    solution: str = "",
) -> list[Candidate]:
    """Return the one-place edits of a file, likely ones first. The file is parsed in a process, and never run.

    There are none if the file cannot be parsed, or if the process does not answer as it must.

    Args:
        host: The server process that starts it, or another place where learner files run.
        source: The file's text.
        editable: The lines whose statements may be edited.
        limits: The limits of the process.
        budget: The budget of the search.
        solution: A right file, whose functions take the place of the file's. Empty for none.
    """
    transport = connect(host, limits, budget)
    order = {
        "source": source,
        "filename": "",
        "editable": sorted(editable),
        "solution": solution,
        "allow": {},
        "limits": msgspec.to_builtins(limits),
        "cpu_backstop_s": 10 * limits.cpu_s,
    }
    transport.start()
    try:
        frame = transport.exchange(msgspec.json.encode(order), bounds.CANDIDATES_ANSWER, limits.cpu_s).frame
        if isinstance(frame, Died):
            return []
        answer = decode(_answers, frame, bounds.CANDIDATES_ANSWER, 16 * bounds.CANDIDATES)
    except Refused:
        return []
    finally:
        transport.close()
    return [candidate for candidate in answer.candidates if _fits(candidate, len(source))]


def _fits(candidate: Candidate, size: int) -> bool:
    """Return whether the places of an edit are in the file, one after another."""
    places = [place for splice in candidate.splices for place in (splice.start, splice.end)]
    return places == sorted(places) and places[-1] <= size
