"""The edits of a learner's file that a search tries, as both halves know them."""

import itertools
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

# in the order in which a search tries them, likely ones first; the last two are whole functions and parts of a solution
CandidateKind: TypeAlias = Literal[
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
"""The kinds of one-place edits of a learner's file."""


class Splice(NamedTuple):
    """The characters from `start` to `end` of the file are replaced by `text`."""

    start: int
    end: int
    text: str


class Candidate(NamedTuple):
    """A file that differs from the learner's in one place, or in several statements that one edit changes.

    Attributes:
        kind: the kind of the edit.
        lines: the first line of each statement that is edited. If a statement is added, this is the last line of the
            statement before it, or the line before the block's first statement.
        splices: the edit, in the order of the file, without overlaps.
        function: the name of the function that is replaced as a whole, or that gets a statement more. It is empty for
            any other edit.
    """

    kind: CandidateKind
    lines: tuple[int, ...]
    splices: tuple[Splice, ...]
    function: str = ""

    def without(self, line: int, source: str) -> "Candidate | None":
        """Return the edit without the statement that begins in a line, or None if no other statement is edited."""
        # the position at which each line begins, and the statement in which each splice lies
        begins = list(itertools.accumulate((len(text) + 1 for text in source.split("\n")), initial=0))
        of = {splice: max(one for one in self.lines if begins[one - 1] <= splice.start) for splice in self.splices}
        splices = tuple(splice for splice in self.splices if of[splice] != line)
        lines = tuple(one for one in self.lines if one != line)
        return self._replace(lines=lines, splices=splices) if lines and splices else None

    def edited(self, source: str) -> str:
        """Return the edited file."""
        return edited(source, self.splices)


def edited(source: str, splices: Sequence[Splice]) -> str:
    """Return a text with an edit."""
    for start, end, text in reversed(splices):
        source = source[:start] + text + source[end:]
    return source
