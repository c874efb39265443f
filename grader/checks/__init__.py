"""The vocabulary of hidden tests: `@check`, the `engine` fixture, programs."""

from ..program import program
from .finding import CheckFailed
from .mark import check
from .under_check import EngineUnderCheck

__all__ = ["CheckFailed", "EngineUnderCheck", "check", "program"]
