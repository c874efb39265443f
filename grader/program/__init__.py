"""Programs: expressions as data, parsed from text or drawn at random."""

from .descent import Descent, Question
from .draw import Arrangement, arrange, draw, parts
from .graph import NOTHING, Leaf, Number, Op, Program, ProgramError, chain, diamonds, leaf, number_text
from .operations import BINARY, FORMS, FUNCTIONS, METHODS, OPERATIONS, REFLECTED, Form, Operation, functions_called
from .parse import program
from .redraw import alike, among_others, plain_numbers

__all__ = [
    "BINARY",
    "FORMS",
    "FUNCTIONS",
    "METHODS",
    "NOTHING",
    "OPERATIONS",
    "REFLECTED",
    "Arrangement",
    "Descent",
    "Form",
    "Leaf",
    "Number",
    "Op",
    "Operation",
    "Program",
    "ProgramError",
    "Question",
    "alike",
    "among_others",
    "arrange",
    "chain",
    "diamonds",
    "draw",
    "functions_called",
    "leaf",
    "number_text",
    "parts",
    "plain_numbers",
    "program",
]
