"""Programs for hidden tests: expressions as data, made by name or drawn at random."""

from .course.program import Program, braids, chain, diamonds, draw, leaf, number_text, program, tree

__all__ = ["Program", "braids", "chain", "diamonds", "draw", "leaf", "number_text", "program", "tree"]
