"""The commands of `grade`, by audience: their words and options, and the function that runs each of them."""

from .every import COMMANDS, GRADE

__all__ = ["COMMANDS", "GRADE"]
