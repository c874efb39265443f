"""The point where a recorded pass first differs from a correct one, and the kind of difference."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...course.program import Op, Program
from .amounts import Amount, Field, Shaped, flat, is_zero, number, shape_of
from .model import Change, Contribution, ReplayFault, ReplayNode, Visit
from .right_pass import RightPass, contributions

_TOLERANCE = 1e-9  # relative to the largest number of the program, or to 1 if that is larger, as in a check


@dataclass(frozen=True)
class Difference:
    """A fault, the node that it is about, and the visit after which it shows. All are empty if there is no fault."""

    fault: ReplayFault = ""
    node: int | None = None
    visit: int | None = None


NOTHING = Difference()


def first_difference(
    program: Program,
    nodes: Sequence[ReplayNode],
    visits: Sequence[Visit],
    right: RightPass,
    *,
    whole: bool = True,
    own: bool = False,
    later: Sequence[Field] = (),
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


def _parts(amount: Field) -> Sequence[float | None]:
    return amount.numbers if isinstance(amount, Shaped) else (amount,)


def _largest(amounts: Sequence[Field]) -> float:
    """Return the largest number, or 1 if that is larger."""
    return max([1.0, *(abs(x) for x in flat(amounts) if math.isfinite(x))])


@dataclass
class _Comparison:
    program: Program
    nodes: Sequence[ReplayNode]
    visits: Sequence[Visit]
    right: RightPass
    later: Sequence[Field]

    def __post_init__(self) -> None:
        nodes, visits, right = self.nodes, self.visits, self.right
        # errors of rounding grow with the largest numbers that were added
        self.tolerance = _TOLERANCE * _largest([*right.values, *right.grads])
        # inner nodes may have far larger numbers, which must not hide a wrong gradient of another
        named = [x for node in nodes if not node.inner for x in (node.expected.data, node.expected.grad)]
        self.of_named = _TOLERANCE * _largest(named)
        self.own = [visit for visit in visits if not visit.inner]

    def first(self, whole: bool, own_graph: bool) -> Difference:
        # a wrong value explains every gradient that follows from it, so values come first
        for index in self.program.reachable:
            node = self.nodes[index]
            if not self.close(node.yours.data, node.expected.data, node):
                return Difference("forward", index)
        if whole and all(self.is_right(index) for index in range(len(self.nodes))):
            return NOTHING
        # a wrong gradient at the root explains those of all other nodes
        first, root = next(iter(self.visits), None), self.program.root
        if first is not None and first.node == root and not self.close(first.upstream, self.right.grads[root]):
            return Difference("seed", root, 0)
        # what a single rule did, and what only shows when all rules have run
        found = next(self.of_visits(), None)
        if found or not whole:
            return found or NOTHING
        return self.of_compounds() or self.missing() or self.held() or (self.of_graph() if own_graph else NOTHING)

    def close(self, one: Field, other: Field, of: ReplayNode | None = None) -> bool:
        """Return whether two amounts are equal, up to rounding in the graph, or in the program for a node of it."""
        if isinstance(one, Shaped) or isinstance(other, Shaped):
            return shape_of(one) == shape_of(other) and all(
                self.close(first, second, of) for first, second in zip(_parts(one), _parts(other), strict=True)
            )
        if one is None or other is None or not math.isfinite(other):
            return one is None and (other is None or not math.isfinite(other))
        return abs(one - other) <= (self.tolerance if of is None or of.inner else self.of_named)

    def no_more_than_rounding(self, amount: Field) -> bool:
        """Return whether all numbers are 0 up to rounding."""
        return all(self.close(part, 0.0) for part in _parts(amount))

    def is_right(self, index: int) -> bool:
        """Return whether a node's gradient is right at the end, or was set back to 0 for an operation."""
        node, operation = self.nodes[index], isinstance(self.program.nodes[index], Op)
        # a pass may set gradients of operations back to 0, but not that of the root
        cleared = operation and is_zero(node.yours.grad) and index != self.program.root
        return self.close(node.yours.grad, node.expected.grad, node) or cleared

    # -- single visits --------------------------------------------------------------------------

    def of_visits(self) -> Iterator[Difference]:
        """Yield the differences that single visits show, in the order of the visits."""
        users = [set(users).intersection(self.program.reachable) for users in self.program.users]
        ran: set[int] = set()
        later = [visit.node for visit in self.own]
        for at, visit in enumerate(self.visits):
            # rules inside of an operation are judged together with it, in `of_compounds`
            if visit.inner:
                continue
            later.pop(0)
            # the rule may be right for a value that was changed after the forward pass
            if visit.expected and (fault := self.of_changes(visit, visit.expected)):
                moved = self.moved(visit)
                yield Difference(fault, visit.node, at) if moved is None else Difference("moved", moved, at)
            if visit.node in ran and self.adds(visit):
                yield Difference("twice", visit.node, at)
            # a user whose rule runs only later has not made its contribution yet
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

    def of_changes(self, visit: Visit, expected: Sequence[Contribution]) -> ReplayFault:
        """Return the fault of a visit, or an empty text if it adds these contributions, which are a correct rule's."""
        # an input may be written though nothing is due to it, and due though it is not written
        for target in dict.fromkeys([*(one.node for one in expected), *(one.input for one in visit.changes)]):
            given = [one for one in expected if one.node == target]
            changes = [change for change in visit.changes if change.input == target]
            if target == visit.node and all(is_zero(change.after) for change in changes):
                continue  # the node has made its contributions, so its gradient may be set back to 0
            if not self.agree(given, changes):
                return "lost" if any(self.overwrites(given, change) for change in changes) else "contribution"
        return ""

    def agree(self, given: Sequence[Contribution], changes: Sequence[Change]) -> bool:
        """Return whether changes add up to the contributions."""
        amount: Amount = sum(number(one.amount) for one in given)
        if not changes:
            return self.no_more_than_rounding(amount)
        before, after = changes[0].before, changes[-1].after
        return self.close(after, number(before) + amount)

    def overwrites(self, given: Sequence[Contribution], change: Change) -> bool:
        """Return whether a write replaces an existing gradient with a contribution or with 0."""
        # one contribution, or the sum of those to an input that is used twice
        left = [*(one.amount for one in given), sum(number(one.amount) for one in given)]
        is_left = self.no_more_than_rounding(change.after) or any(self.close(change.after, one) for one in left)
        return is_left and not self.no_more_than_rounding(change.before)

    # -- several visits -------------------------------------------------------------------------

    def of_compounds(self) -> Difference | None:
        """Return the fault of an operation that is composed of others, or None. All of its visits count together."""
        # visits with expected contributions were judged one by one
        for visit in self.own:
            if visit.expected or shape_of(visit.upstream) != self.program.shapes[visit.node] or visit.upstream is None:
                continue
            places = [at for at, other in enumerate(self.visits) if other.node == visit.node]
            # an inner rule ran before the rule of the operation itself
            if self.visits[places[0]].inner:
                return Difference("order", visit.node, places[0])
            expected = self.contributions(visit.node, visit.upstream)
            for given in expected:
                changes = [c for at in places for c in self.visits[at].changes if c.input == given.node]
                wanted: Amount = sum(number(one.amount) for one in expected if one.node == given.node)
                if not self.close(sum((number(change.amount) for change in changes), 0.0 * wanted), wanted):
                    lost = any(
                        not self.no_more_than_rounding(c.before) and self.close(c.after, wanted) for c in changes
                    )
                    return Difference("lost" if lost else "contribution", visit.node, places[-1])
        return None

    def contributions(self, index: int, upstream: Amount) -> Sequence[Contribution]:
        """Return the contributions of a correct rule for an upstream gradient, if the rule runs in a correct pass."""
        node, values = self.program.nodes[index], self.right.values
        if not isinstance(node, Op) or all(one.node != index for one in self.right.visits):
            return ()
        return contributions(node, values, values[index], upstream)

    def missing(self) -> Difference | None:
        """Return the operation nearest to the root whose rule did not run although it has something to add, or None."""
        ran = {visit.node for visit in self.visits}
        for one in self.right.visits:
            if one.node not in ran and any(not is_zero(given.amount) for given in one.contributions):
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
        wrong = [index for index in range(len(self.nodes)) if index != self.program.root and not self.is_right(index)]
        # nodes are in a topological order, so the last one is nearest to the root
        return Difference("graph", wrong[-1]) if wrong else NOTHING
