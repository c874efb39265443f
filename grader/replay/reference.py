"""Compute a correct pass forward and backward over a program from the table of operations, without torch.

If an operation is undefined or overflows, its value or its local derivative is nan or an infinity.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..program import OPERATIONS, Leaf, Op, Program
from .model import Change, Contribution, Fault, Node, RightVisit, Visit


@dataclass(frozen=True)
class RightPass:
    """A value and a gradient for each node, and the visits of a correct backward pass.

    Attributes:
        before: the gradients before the pass, where that of the root is the one with which it begins.
    """

    values: tuple[float, ...]
    grads: tuple[float, ...]
    visits: tuple[RightVisit, ...]
    before: tuple[float, ...]


def right_pass(program: Program, upstream: float = 1.0, before: Mapping[int, float] | None = None) -> RightPass:
    """Return a correct pass over a program.

    Args:
        upstream: the gradient that the root is given.
        before: gradients that exist before the pass, by index; all others are 0.
    """
    values = forward(program)
    grads = [(before or {}).get(index, 0.0) for index in range(len(program.nodes))]
    grads[program.root] = upstream
    at_first = tuple(grads)
    visits = []
    for index in reversed(program.reachable):
        node = program.nodes[index]
        if isinstance(node, Op):
            given = contributions(node, values, values[index], grads[index])
            for one in given:
                grads[one.node] += number(one.amount)
            visits.append(RightVisit(index, finite(grads[index]), given))
    return RightPass(values, tuple(grads), tuple(visits), at_first)


def forward(program: Program) -> tuple[float, ...]:
    """Return the value of each node."""
    values: list[float] = []
    for node in program.nodes:
        values.append(node.value if isinstance(node, Leaf) else value(node.op, operands(node, values)))
    return tuple(values)


def operands(node: Op, values: Sequence[float]) -> tuple[float, ...]:
    """Return the values of an operation's operands."""
    return tuple(values[one] if isinstance(one, int) else float(one.value) for one in node.operands)


def contributions(node: Op, values: Sequence[float], out: float, upstream: float) -> tuple[Contribution, ...]:
    """Return the contributions of a correct rule, in the order of the operands that are nodes.

    Args:
        values: the values of all nodes before this one.
        out: the value of this node.
        upstream: the gradient of this node.
    """
    local = local_derivatives(node.op, operands(node, values), out)
    return tuple(
        Contribution(slot, one, finite(local[slot]), finite(upstream * local[slot]))
        for slot, one in enumerate(node.operands)
        if isinstance(one, int)
    )


def value(op: str, x: Sequence[float]) -> float:
    """Return the value of an operation on floats."""
    result = _computed(OPERATIONS[op].compute, *x)
    return math.nan if isinstance(result, complex) else float(result)


def local_derivatives(op: str, x: Sequence[float], out: float) -> tuple[float, ...]:
    """Return the local derivatives of an operation with respect to each operand."""
    found = _computed(OPERATIONS[op].local, x, out)
    if not isinstance(found, tuple):
        return (math.nan,) * len(x)
    return tuple(math.nan if isinstance(one, complex) else one for one in found)


def _computed(compute: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return compute(*arguments)
    except OverflowError:
        return math.inf
    except (ArithmeticError, ValueError):
        return math.nan


def finite(value: float) -> float | None:
    """Return a number in the form for JSON, which is None unless the number is finite."""
    return value if math.isfinite(value) else None


def number(value: float | None) -> float:
    """Return a number from JSON as a float, which is nan for None."""
    return math.nan if value is None else value


# -- Find the point where a recorded pass first differs from a correct one, and the kind of difference

_TOLERANCE = 1e-9  # relative to the largest number of the program, or to 1 if that is larger, as in a check


@dataclass(frozen=True)
class Difference:
    """A fault, the node that it is about, and the visit after which it shows. All are empty if there is no fault."""

    fault: Fault = ""
    node: int | None = None
    visit: int | None = None


NOTHING = Difference()


def first_difference(
    program: Program,
    nodes: Sequence[Node],
    visits: Sequence[Visit],
    right: RightPass,
    *,
    whole: bool = True,
    own: bool = False,
    later: Sequence[float | None] = (),
) -> Difference:
    """Return the first difference between the learner's pass and a correct one.

    There is no fault if every gradient is right at the end. A pass may also set the gradients of operations back to 0
    after their rules have run.

    Args:
        whole: whether the pass ran to its end and every visit was recorded.
        own: whether the learner's code built the graph, so that the graph itself may be wrong.
        later: the value of each node after the pass; empty if no value changed.
    """
    return _Comparison(program, nodes, visits, right, later).first(whole, own)


class _Comparison:
    def __init__(
        self,
        program: Program,
        nodes: Sequence[Node],
        visits: Sequence[Visit],
        right: RightPass,
        later: Sequence[float | None],
    ) -> None:
        self.program, self.nodes, self.visits, self.right, self.later = program, nodes, visits, right, later
        scale = max([1.0, *(abs(x) for x in (*right.values, *right.grads) if math.isfinite(x))])
        self.tolerance = _TOLERANCE * scale
        self.own = [visit for visit in visits if not visit.inner]

    def first(self, whole: bool, own_graph: bool) -> Difference:
        for index in self.program.reachable:
            if not self.close(self.nodes[index].yours.data, self.nodes[index].expected.data):
                return Difference("forward", index)
        if whole and all(self.is_right(index) for index in range(len(self.nodes))):
            return NOTHING
        first, root = next(iter(self.visits), None), self.program.root
        if first is not None and first.node == root and not self.close(first.upstream, self.right.grads[root]):
            return Difference("seed", root, 0)
        found = next(self.of_visits(), None)
        if found or not whole:
            return found or NOTHING
        return self.of_compounds() or self.missing() or self.held() or (self.of_graph() if own_graph else NOTHING)

    def close(self, one: float | None, other: float | None) -> bool:
        if one is None or other is None or not math.isfinite(other):
            return one is None and (other is None or not math.isfinite(other))
        return abs(one - other) <= self.tolerance

    def is_right(self, index: int) -> bool:
        """Return whether a node's gradient is right at the end, or was set back to 0 for an operation."""
        node, operation = self.nodes[index], isinstance(self.program.nodes[index], Op)
        cleared = operation and node.yours.grad == 0 and index != self.program.root
        return self.close(node.yours.grad, node.expected.grad) or cleared

    # -- single visits --------------------------------------------------------------------------

    def of_visits(self) -> Iterator[Difference]:
        """Yield the differences that single visits show, in the order of the visits."""
        users = [set(users).intersection(self.program.reachable) for users in self.program.users]
        ran: set[int] = set()
        later = [visit.node for visit in self.own]
        for at, visit in enumerate(self.visits):
            if visit.inner:
                continue
            later.pop(0)
            if visit.expected and (fault := self.of_changes(visit, visit.expected)):
                moved = self.moved(visit)
                yield Difference(fault, visit.node, at) if moved is None else Difference("moved", moved, at)
            if visit.node in ran and self.adds(visit):
                yield Difference("twice", visit.node, at)
            if users[visit.node] & set(later) - ran - {visit.node}:
                yield Difference("order", visit.node, at)
            ran.add(visit.node)

    def adds(self, visit: Visit) -> bool:
        return any(not self.close(change.before, change.after) for change in visit.changes)

    def moved(self, visit: Visit) -> int | None:
        """Return an input whose value changed before a visit whose rule is right for the new value; None for none."""
        node, upstream = self.program.nodes[visit.node], visit.upstream
        changed = [
            index
            for index in self.program.inputs[visit.node]
            if self.later and not self.close(self.nodes[index].yours.data, self.later[index])
        ]
        if not changed or not isinstance(node, Op) or upstream is None:
            return None
        values = tuple(map(number, self.later))
        fault = self.of_changes(visit, contributions(node, values, values[visit.node], upstream))
        return None if fault else changed[0]

    def of_changes(self, visit: Visit, expected: Sequence[Contribution]) -> Fault:
        """Return the fault of a visit, or an empty text if it adds these contributions, which are a correct rule's."""
        for target in dict.fromkeys([*(one.node for one in expected), *(one.input for one in visit.changes)]):
            given = [one for one in expected if one.node == target]
            changes = [change for change in visit.changes if change.input == target]
            if target == visit.node and all(change.after == 0 for change in changes):
                continue  # the node has made its contributions, so its gradient may be set back to 0
            if not self.agree(given, changes):
                return "lost" if any(self.overwrites(given, change) for change in changes) else "contribution"
        return ""

    def agree(self, given: Sequence[Contribution], changes: Sequence[Change]) -> bool:
        """Return whether changes add up to the contributions."""
        amount = sum(number(one.amount) for one in given)
        if not changes:
            return self.close(amount, 0.0)
        before, after = changes[0].before, changes[-1].after
        return self.close(after, number(before) + amount)

    def overwrites(self, given: Sequence[Contribution], change: Change) -> bool:
        """Return whether a write replaces an existing gradient with a contribution or with 0."""
        left = [*(one.amount for one in given), sum(number(one.amount) for one in given), 0.0]
        return not self.close(change.before, 0.0) and any(self.close(change.after, one) for one in left)

    # -- several visits -------------------------------------------------------------------------

    def of_compounds(self) -> Difference | None:
        """Return the fault of an operation that is composed of others, or None. All of its visits count together."""
        for visit in self.own:
            if visit.expected or visit.upstream is None:
                continue
            places = [at for at, other in enumerate(self.visits) if other.node == visit.node]
            if self.visits[places[0]].inner:
                return Difference("order", visit.node, places[0])
            for given in self.contributions(visit.node):
                changes = [c for at in places for c in self.visits[at].changes if c.input == given.node]
                of_node = [one for one in self.contributions(visit.node) if one.node == given.node]
                wanted = visit.upstream * sum(number(one.local) for one in of_node)
                if not self.close(sum(number(change.amount) for change in changes), wanted):
                    lost = any(not self.close(c.before, 0.0) and self.close(c.after, wanted) for c in changes)
                    return Difference("lost" if lost else "contribution", visit.node, places[-1])
        return None

    def contributions(self, index: int) -> Sequence[Contribution]:
        """Return the contributions of a node in a correct pass."""
        return next((one.contributions for one in self.right.visits if one.node == index), ())

    def missing(self) -> Difference | None:
        """Return the operation nearest to the root whose rule did not run although it has something to add, or None."""
        ran = {visit.node for visit in self.visits}
        for one in self.right.visits:
            if one.node not in ran and any(number(given.amount) != 0 for given in one.contributions):
                return Difference("never", one.node)
        return None

    # -- what no visit shows --------------------------------------------------------------------

    def held(self) -> Difference | None:
        """Return the first node that had another gradient than in a correct pass before any rule wrote it, or None."""
        seen = {self.program.root}
        for at, visit in enumerate(self.visits):
            for change in visit.changes:
                if change.input not in seen and not self.close(change.before, self.right.before[change.input]):
                    return Difference("held", change.input, at)
                seen.add(change.input)
        return None

    def of_graph(self) -> Difference:
        """Return the wrong node nearest to the root, in a graph whose rules all ran as they should."""
        wrong = [index for index in self.program.reachable if not self.is_right(index)]
        return Difference("graph", wrong[-1]) if wrong else NOTHING
