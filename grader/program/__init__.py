"""Programs: expressions as data, parsed from text or drawn at random."""

from .draw import Arrangement, arrange, draw, parts
from .graph import (
    NOTHING,
    Descent,
    Leaf,
    Number,
    Op,
    Program,
    ProgramError,
    Question,
    chain,
    diamonds,
    leaf,
    number_text,
    program,
)
from .operations import BINARY, FORMS, FUNCTIONS, METHODS, OPERATIONS, REFLECTED, Form, Operation, functions_called

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
    "arrange",
    "chain",
    "diamonds",
    "draw",
    "functions_called",
    "leaf",
    "number_text",
    "parts",
    "program",
]
