"""Fault facts as a report holds them."""

from collections.abc import Sequence

from msgspec import UNSET

from ..diagnosis import Fact
from ..remarks import CellStart
from ..words.learner import fact_text
from .model import FaultFact


def fault_fact(fact: Fact, cells: Sequence[CellStart] = ()) -> FaultFact:
    """Return a fact as a report holds it. `cells` are those of a notebook, by which its lines are named."""
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
    )
