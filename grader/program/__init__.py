"""Programs: expressions as data, parsed from text or drawn at random."""

from .arrange import Arrangement, arrange
from .descent import Descent, Question
from .draw import draw, parts
from .graph import Leaf, Number, Op, Program, ProgramError, number_text
from .operations import BINARY, FUNCTIONS, METHODS, OPERATIONS, REFLECTED
from .parse import program
from .redraw import alike, among_others, plain_numbers
from .shapes import NOTHING, chain, diamonds, leaf

__all__ = [
    "BINARY",
    "FUNCTIONS",
    "METHODS",
    "NOTHING",
    "OPERATIONS",
    "REFLECTED",
    "Arrangement",
    "Descent",
    "Leaf",
    "Number",
    "Op",
    "Program",
    "ProgramError",
    "Question",
    "alike",
    "among_others",
    "arrange",
    "chain",
    "diamonds",
    "draw",
    "leaf",
    "number_text",
    "parts",
    "plain_numbers",
    "program",
]
