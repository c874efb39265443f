"""What to compute, as data: parsed from an expression, or drawn at random."""

from .draw import draw
from .graph import Leaf, Number, Op, Program, ProgramError
from .parse import program

__all__ = ["Leaf", "Number", "Op", "Program", "ProgramError", "draw", "program"]
