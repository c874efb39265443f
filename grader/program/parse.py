"""Parse `L = (a*b + c) * (a + b)`, or a sequence of such assignments, into a program."""

import ast
import math
from functools import lru_cache

from ..base import did_you_mean
from .graph import Leaf, Node, Number, Op, Operand, Program, ProgramError
from .operations import BINARY, FUNCTIONS

_SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_OPERATORS = {kind: name for kind, symbol in _SYMBOLS.items() for name in BINARY if BINARY[name] == symbol}


def program(text: str, /, **values: float) -> Program:
    """Parse assignments, separated by `;` or newlines, or a single expression, which is named `L`.

    The last node assigned is the root. Functions may be written `relu(x)` or `x.relu()`.

    Args:
        text: the assignments or the expression.
        values: the value of each leaf, by name.

    Raises:
        ProgramError: `text` is anything else, or the values are not those of its leaves.
    """
    if not isinstance(text, str):
        raise ProgramError(f"a program is a text such as 'L = a * b', not {text!r}")
    try:
        leaves = tuple((name, float(value).hex()) for name, value in values.items())
    except (TypeError, ValueError, OverflowError) as error:
        raise ProgramError(f"{text!r}: the value of a leaf is not a number: {error}") from None
    return _parsed(text, leaves)


@lru_cache(maxsize=4096)  # shared by all submissions of a cohort; hexadecimal distinguishes 0.0 from -0.0
def _parsed(text: str, values: tuple[tuple[str, str], ...]) -> Program:
    parser = _Parser(text, {name: float.fromhex(value) for name, value in values})
    try:
        return parser.parse()
    except RecursionError:
        raise ProgramError(f"{text[:60]!r}…: nested too deeply") from None


def _known(expression: ast.expr) -> str:
    """Return the end of an error about an unsupported expression: a suggestion, and the operations of programs."""
    match expression:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            near = did_you_mean(name, FUNCTIONS)
        case _:
            near = ""
    return f"{near}; use -x, {', '.join(BINARY.values())} with two operands, or {', '.join(FUNCTIONS)} with one"


class _Parser:
    def __init__(self, text: str, values: dict[str, float]) -> None:
        self.text = "; ".join(part.strip() for part in text.replace(";", "\n").splitlines() if part.strip())
        self.nodes: list[Node] = []
        self.names: dict[str, int] = {}
        self.used: set[str] = set()
        for name, value in values.items():
            if not math.isfinite(value):
                raise self._error(f"{name} = {value} is not finite")
            self._add(Leaf(name, float(value)))

    def _error(self, why: str) -> ProgramError:
        return ProgramError(f"{self.text!r}: {why}")

    def parse(self) -> Program:
        try:
            body = ast.parse(self.text.replace("; ", "\n")).body
        except SyntaxError as error:
            raise self._error(f"not an expression ({error.msg})") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise self._error(f"not an expression ({error})") from None
        if not body:
            raise self._error("it is empty")
        if isinstance(body[0], ast.Expr) and len(body) == 1:
            self._assign("L", body[0].value)
        else:
            for statement in body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value):
                        self._assign(name, value)
                    case _:
                        raise self._error("every line must be an assignment such as `b = a + 1`")
        idle = [leaf.name for leaf in self.nodes if isinstance(leaf, Leaf) and leaf.name not in self.used]
        if idle:
            raise self._error(f"{', '.join(idle)} has a value but is not used")
        return Program(tuple(self.nodes), len(self.nodes) - 1, self.text)

    def _assign(self, name: str, value: ast.expr) -> None:
        if name in self.names:
            raise self._error(f"{name} is defined twice")
        self._operand(value, name)
        if name not in self.names:
            raise self._error(f"{name} is not an operation, only another name")

    def _operand(self, expression: ast.expr, name: str | None = None) -> Operand:
        match expression:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return self._number(number)
            case ast.Name(id=leaf):
                if leaf not in self.names:
                    raise self._error(f"{leaf} has no value")
                self.used.add(leaf)
                return self.names[leaf]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return self._number(-number)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._operation("neg", [operand], expression, name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return self._operation(_OPERATORS[type(op)], [left, right], expression, name)
            case ast.Call(func=ast.Name(id=function), args=[operand], keywords=[]) if function in FUNCTIONS:
                return self._operation(function, [operand], expression, name)
            case ast.Call(func=ast.Attribute(value=operand, attr=function), args=[], keywords=[]) if (
                function in FUNCTIONS
            ):
                return self._operation(function, [operand], expression, name)
            case _:
                raise self._error(f"`{ast.unparse(expression)}` is not supported in programs{_known(expression)}")

    def _number(self, number: int | float) -> Number:
        try:
            finite = math.isfinite(number)
        except OverflowError:
            finite = False
        if not finite:
            raise self._error("a number is too large for a float")
        return Number(number)

    def _operation(self, op: str, operands: list[ast.expr], whole: ast.expr, name: str | None) -> int:
        parts = tuple(self._operand(operand) for operand in operands)
        if all(isinstance(part, Number) for part in parts):
            raise self._error(f"`{ast.unparse(whole)}` has only numbers as operands; an operation needs a node")
        return self._add(Op(name or self._unnamed(ast.unparse(whole)), op, parts))

    def _unnamed(self, expression: str) -> str:
        name, count = expression, 1
        while name in self.names:
            count += 1
            name = f"{expression} #{count}"
        return name

    def _add(self, node: Node) -> int:
        self.nodes.append(node)
        self.names[node.name] = len(self.nodes) - 1
        return len(self.nodes) - 1
