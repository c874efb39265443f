"""The vocabulary of hidden tests: `@check`, the `engine` fixture, programs."""

from .verdict.checks import CheckFailed, EngineUnderCheck, GivenPass, check, program

__all__ = ["CheckFailed", "EngineUnderCheck", "GivenPass", "check", "program"]
