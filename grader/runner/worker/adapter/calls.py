"""A limit on the calls of the learner's functions, by code that is compiled into them."""

import ast
import itertools
from collections.abc import Iterable
from typing import Any, TypeVar

_TreeNode = TypeVar("_TreeNode", bound=ast.AST)
_SPEND = "__spend_a_call__"  # in the builtins of the learner's module, so that no name of the file is changed
_free = itertools.repeat(None).__next__


class OutOfCalls(BaseException):
    """The learner's functions were called more often than the budget allows."""


class _Spent:
    """An exhausted iterator that raises `OutOfCalls` at each step."""

    def __iter__(self) -> "_Spent":
        return self

    def __next__(self) -> None:
        raise OutOfCalls


class CallBudget:
    """A limit on the calls of the functions in a learner's file. A context manager.

    Inside the block, a call beyond the limit raises `OutOfCalls`. Resuming a generator counts as a
    call. Outside the block the limit is what it was before.

    Args:
        builtins: the builtins of the file, which was compiled after `count_calls`.
        calls: the number of calls; None for no limit.
    """

    def __init__(self, builtins: dict[str, Any], calls: int | None) -> None:
        self.builtins = builtins
        self.calls = calls

    def __enter__(self) -> "CallBudget":
        self._before = self.builtins.get(_SPEND, _free)
        if self.calls is None:
            self.builtins[_SPEND] = _free
        else:
            # after so many steps, the next step of the iterator raises `OutOfCalls`
            self.builtins[_SPEND] = itertools.chain(itertools.repeat(None, self.calls), _Spent()).__next__
        return self

    def __exit__(self, *_: object) -> None:
        self.builtins[_SPEND] = self._before


def count_calls(nodes: Iterable[ast.AST], *, loops: bool = False) -> None:
    """Instrument functions, lambdas and yields among these nodes to decrement the call budget.

    The C function called there costs a tenth of what tracing the calls would cost.

    Args:
        loops: whether each step of a loop counts as a call, too.
    """
    for node in nodes:
        if loops and isinstance(node, (ast.While, ast.For, ast.AsyncFor)):
            node.body.insert(0, placed(ast.Expr(_spending(node.body[0])), node.body[0]))
        elif loops and isinstance(node, ast.comprehension):
            spent = placed(ast.UnaryOp(ast.Not(), _spending(node.iter)), node.iter)  # true, because spending is None
            node.ifs.insert(0, spent)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            # a docstring has to stay the first statement of its function
            after = 1 if ast.get_docstring(node, clean=False) is not None else 0
            at = node.body[min(after, len(node.body) - 1)]
            node.body.insert(after, placed(ast.Expr(_spending(at)), at))
        elif isinstance(node, ast.Lambda):
            node.body = _spending_first(node.body)
        elif isinstance(node, ast.Yield):
            node.value = _spending_first(node.value or placed(ast.Constant(None), node))


def _spending(at: ast.AST) -> ast.expr:
    return placed(ast.Call(placed(ast.Name(_SPEND, ast.Load()), at), [], []), at)


def _spending_first(value: ast.expr) -> ast.expr:
    """Return the expression `spend() or value`. Spending returns None."""
    return placed(ast.BoolOp(ast.Or(), [_spending(value), value]), value)


def placed(node: _TreeNode, at: ast.AST) -> _TreeNode:
    return ast.copy_location(node, at)
