"""Figures of lessons: an expression with numbers, and what to show of it.

A terminal shows a figure in characters (`grader.author.drawing`), and the page of a site draws it.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from .program import Leaf, Op, Program, ProgramError, number_text, program

View: TypeAlias = Literal["graph", "steps", "order", "table", "thermometer", "curve"]
MOST_CALLS = 3  # of `_backward` in an order, because each order is a line
_LARGEST = 1e9


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of a lesson.

    Attributes:
        id: its name in the lesson, which has `[figure: ID]` in its place.
        program: the expression, as the programs of checks are written.
        leaves: the value of each leaf.
        show: what is shown, in this order. `graph`: each node with its value and its gradient. `steps`: the forward
            pass beside the backward pass. `order`: each order of the calls of `_backward`, with what it leaves in the
            leaves. `table`: what each gradient says about its leaf. `thermometer`: gradients as bars. `curve`: the root
            over the first leaf, with steps of gradient descent if there is a `rate`.
        upstream: the gradient of the root.
        edges: whether the graph shows the local derivative of each edge.
        rate: the rate of gradient descent; 0 for no descent.
        steps: the number of its steps.
    """

    id: str
    program: Annotated[str, Meta(min_length=1, max_length=200)]
    leaves: Annotated[dict[str, float], Meta(min_length=1, max_length=6)]
    show: Annotated[tuple[View, ...], Meta(min_length=1)]
    upstream: float = 1.0
    edges: bool = False
    rate: Annotated[float, Meta(ge=0)] = 0.0
    steps: Annotated[int, Meta(ge=1, le=20)] = 1

    def __hash__(self) -> int:
        """Return a hash, which a struct with a mapping does not have by itself. Exercises are keys of mappings."""
        return hash((self.id, self.program, *self.leaves.items()))

    @property
    def parsed(self) -> Program:
        """Return the expression. Raises `ProgramError`."""
        return program(self.program, **self.leaves)

    @property
    def title(self) -> str:
        """Return what the figure is about: `L = a * a at a = 3`."""
        text = self.parsed.text
        named = text if "=" in text else f"L = {text}"
        values = ", ".join(f"{name} = {number_text(float(f'{value:.6g}'))}" for name, value in self.leaves.items())
        return f"{named.replace('; ', ', ')} at {values}"

    @property
    def gradients(self) -> list[float]:
        """Return the gradient of each node."""
        return [self.upstream * gradient for gradient in self.parsed.gradients()]


def problem_of(figure: Figure) -> tuple[str, str] | None:
    """Return the key that is wrong in a figure, and why; None if it can be drawn."""
    try:
        parsed = figure.parsed
    except ProgramError as error:
        return "program", str(error)
    if parsed.has_arrays:
        return "program", "a figure has no arrays"
    if not all(abs(number) < _LARGEST for number in (*parsed.values, *figure.gradients)):
        return "leaves", "with these leaves, a value or a gradient is not defined or too large"
    calls = sum(isinstance(node, Op) for node in parsed.nodes)
    if "order" in figure.show and not 2 <= calls <= MOST_CALLS:
        return "show", f"`order` needs 2 or {MOST_CALLS} operations, and the program has {calls}"
    return None


# -- the nodes of a program, as pages get them


class Input(Struct, frozen=True):
    """One operand of an operation. Either `node` or `number` is set, and the other is None."""

    node: int | None = None
    number: float | None = None

    @classmethod
    def of(cls, node: Leaf | Op) -> "tuple[Input, ...]":
        """Return the operands of a program's node."""
        operands = () if isinstance(node, Leaf) else node.operands
        return tuple(cls(node=one) if isinstance(one, int) else cls(number=float(one.value)) for one in operands)


class GameNode(Struct, frozen=True):
    """A node of a program. `op` is `leaf` or an operation of `grader.program.OPERATIONS`."""

    name: str
    op: str
    inputs: tuple[Input, ...]
    leaf_value: float | None
