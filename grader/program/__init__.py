"""What to compute, as data: parsed from an expression, or drawn at random."""

from .descent import Descent, Question
from .draw import draw
from .graph import Leaf, Number, Op, Program, ProgramError, number_text
from .parse import program
from .shapes import NOTHING, chain, diamonds, leaf

__all__ = [
    "NOTHING",
    "Descent",
    "Leaf",
    "Number",
    "Op",
    "Program",
    "ProgramError",
    "Question",
    "chain",
    "diamonds",
    "draw",
    "leaf",
    "number_text",
    "program",
]
