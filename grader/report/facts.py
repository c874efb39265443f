"""Convert fault facts to the report's form."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from ..checks.outcome import CheckOutcome
from ..diagnosis import Fact, explains
from ..remarks import CellStart
from ..words.learner import fact_text
from .model import FaultFact


def fault_fact(fact: Fact, cells: Sequence[CellStart] = (), outcomes: Iterable[CheckOutcome] = ()) -> FaultFact:
    """Return a fact in the report's form.

    Args:
        cells: The cells of a notebook, which replace the line numbers of the text.
        outcomes: The outcomes of the exercise's checks, in the order of the course.
    """
    return FaultFact(
        fact.kind,
        fact_text(fact, cells),
        fact.operation or UNSET,
        fact.input or UNSET,
        fact.expected or UNSET,
        fact.found or UNSET,
        fact.lines or UNSET,
        fact.program or UNSET,
        fact.node or UNSET,
        fact.other or UNSET,
        fact.upstream or UNSET,
        fact.orders or UNSET,
        tuple(outcome.check for outcome in outcomes if explains(fact, outcome)),
    )
