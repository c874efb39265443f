"""Limit how often the functions of a learner's file are called, by code compiled into them."""

import ast
import itertools
from collections.abc import Iterable
from typing import Any, TypeVar

_Node = TypeVar("_Node", bound=ast.AST)

_SPEND = "__spend_a_call__"  # a builtin of the learner's module: no name of theirs is touched
_free = itertools.repeat(None).__next__


class OutOfCalls(BaseException):
    """The learner's functions were called more often than the run allows."""


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
