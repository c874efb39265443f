"""The vocabulary of hidden tests: `@check`, the `engine` fixture, programs."""

from ..program import program
from .hidden_tests import check
from .outcome import CheckFailed
from .under_check import EngineUnderCheck, GivenPass

__all__ = ["CheckFailed", "EngineUnderCheck", "GivenPass", "check", "program"]
