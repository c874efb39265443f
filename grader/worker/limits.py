"""What a run may use: calls of the learner's functions, then CPU time, then time without computing, then memory."""

import ast
import contextlib
import itertools
import signal

# what is below `signal.signal`, which would translate each handler to an enum and back
from _signal import SIG_IGN  # type: ignore[import-not-found]
from _signal import signal as set_handler
from collections.abc import Iterable
from types import FrameType
from typing import Any, TypeVar

try:
    import resource
except ImportError:  # Windows has no rlimits: calls and the wall clock are all there is
    resource = None  # type: ignore[assignment]


_Node = TypeVar("_Node", bound=ast.AST)


class OutOfCalls(BaseException):
    """The learner's functions were called more often than the run allows."""


class OutOfTime(BaseException):
    """The run used up its CPU time."""


class Waiting(BaseException):
    """The run stood still in one place, computing nothing."""


STANDS_STILL: int = getattr(signal, "SIGUSR2", 0)
RAN_OUT = ("calls", "cpu", "waiting")  # the kinds of problem that say so
_SPEND = "__spend_a_call__"  # a builtin of the learner's module: no name of theirs is touched
_free = itertools.repeat(None).__next__


class _Spent:
    """An iterator that has nothing left, and says so each time."""

    def __iter__(self) -> "_Spent":
        return self

    def __next__(self) -> None:
        raise OutOfCalls


class CallBudget:
    """Limits how often functions of a learner's file are called (generators: resumed); raises `OutOfCalls` past that.

    A context manager; `builtins` are those that the file's code runs with, compiled after `count_calls`. With
    `calls` None there is no limit, as there is none outside the block.
    """

    def __init__(self, builtins: dict[str, Any], calls: int | None) -> None:
        self.builtins = builtins
        self.calls = calls

    def __enter__(self) -> "CallBudget":
        if self.calls is None:
            self.builtins[_SPEND] = _free
        else:
            self.builtins[_SPEND] = itertools.chain(itertools.repeat(None, self.calls), _Spent()).__next__
        return self

    def __exit__(self, *_: object) -> None:
        self.builtins[_SPEND] = _free


def count_calls(nodes: Iterable[ast.AST]) -> None:
    """Write into every function and lambda among these nodes that it spends a call as it begins, and before each yield.

    A call of a C function costs a tenth of what tracing the learner's calls would.
    """
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            after = 1 if ast.get_docstring(node, clean=False) is not None else 0
            at = node.body[min(after, len(node.body) - 1)]
            node.body.insert(after, _placed(ast.Expr(_spending(at)), at))
        elif isinstance(node, ast.Lambda):
            node.body = _spending_first(node.body)
        elif isinstance(node, ast.Yield):
            node.value = _spending_first(node.value or _placed(ast.Constant(None), node))


def _spending(at: ast.AST) -> ast.expr:
    return _placed(ast.Call(_placed(ast.Name(_SPEND, ast.Load()), at), [], []), at)


def _spending_first(value: ast.expr) -> ast.expr:
    """`spend() or value`: spending gives None."""
    return _placed(ast.BoolOp(ast.Or(), [_spending(value), value]), value)


def _placed(node: _Node, at: ast.AST) -> _Node:
    return ast.copy_location(node, at)


def _out_of_time(signum: int, frame: FrameType | None) -> None:
    raise OutOfTime


def _waiting(signum: int, frame: FrameType | None) -> None:
    raise Waiting


def start_clocks(cpu_s: float) -> None:
    """Raise in the running code: `OutOfTime` after `cpu_s` more seconds of CPU time, and again every tenth of a
    second; `Waiting` when the process that watches this one finds that it stands still."""
    if resource is not None:
        set_handler(signal.SIGPROF, _out_of_time)
        set_handler(STANDS_STILL, _waiting)
        signal.setitimer(signal.ITIMER_PROF, cpu_s, 0.1)


def stop_clocks() -> None:
    """The running code may take its time again."""
    if resource is not None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        set_handler(STANDS_STILL, SIG_IGN)


def apply(limits: dict[str, Any]) -> None:
    """Give up for good what a submission does not need: memory, core dumps, files to write, many descriptors."""
    _lower("RLIMIT_AS", limits["memory_mb"] << 20)
    _lower("RLIMIT_CORE", 0)
    _lower("RLIMIT_FSIZE", 0)
    _lower("RLIMIT_NOFILE", 64)


def forbid_more(limits: dict[str, Any], batch_cpu_s: float) -> None:
    """Let the kernel end this process once loading the file and running its batch took seconds more than they may."""
    # first SIGXCPU, which says why; a second later what cannot be ignored
    _lower("RLIMIT_CPU", int(limits["cpu_s"] + batch_cpu_s) + 1, grace=1)


def _lower(name: str, wanted: int, grace: int = 0) -> None:
    which = getattr(resource, name, None)
    if which is not None:
        # a lower limit may be in force already, or the system refuses (macOS: RLIMIT_AS)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (wanted, wanted + grace))
