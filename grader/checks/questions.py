"""The programs of a check and the answer to them, before the programs are judged one by one."""

import re
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..client import Broke, Died, Problem, Read, Run
from ..oracle import Redraw
from ..program import METHODS, OPERATIONS, REFLECTED, Number, Op, Program, draw, parts, program
from ..remarks import StartingFrom

Given: TypeAlias = Sequence[str | Program]
T = TypeVar("T")


class Questions:
    """The programs and numbers of one check.

    Args:
        seed: the seed from which fresh programs are drawn.
        redraw: changes the numbers of all other programs; None to keep them.
    """

    def __init__(self, seed: str, redraw: Redraw | None) -> None:
        self._seed = seed
        self._redraw = redraw
        self._fresh: set[str] = set()

    @property
    def redraws(self) -> bool:
        """Return whether programs are sent with numbers other than those of the check."""
        return self._redraw is not None

    def fresh(self, count: int, ops: Sequence[str], sizes: tuple[int, int], numbers: bool) -> list[Program]:
        """Return programs drawn from the seed."""
        drawn = draw(self._seed, count, ops=ops, sizes=sizes, numbers=numbers)
        self._fresh |= {p.key for p in drawn}
        return drawn

    def parts(self, drawn: Program) -> list[Program]:
        """Return the parts of a program that was drawn for this check, smallest first. Other programs have none."""
        if not self.is_fresh(drawn):
            return []
        programs = parts(drawn)
        self._fresh |= {p.key for p in programs}
        return programs

    def is_fresh(self, p: Program) -> bool:
        """Return whether a program was drawn for this check."""
        return bool(self._fresh) and p.key in self._fresh  # computing the key of a large program is slow

    def programs(self, given: Given, leaves: dict[str, float], beside: Sequence[float] = ()) -> list[Program]:
        """Return the programs to send. With a redraw, all except fresh ones get other leaf values.

        Args:
            beside: the numbers that the check sends with the programs.
        """
        programs = parsed(given, leaves)
        if self._redraw is None:
            return programs
        # torch does not know functions of the file, so `truth` is redrawn in place of such a
        # program
        redrawn = iter(self._redraw.programs([p.truth or p for p in programs if not self.is_fresh(p)], beside))
        return [p if self.is_fresh(p) else _redrawn(p, next(redrawn)) for p in programs]

    def in_other_places(self, given: Given, leaves: dict[str, float]) -> list[Program]:
        """Return the programs to send when only an order is judged, not numbers.

        With a redraw, all except fresh ones become the same graphs with other indices.
        """
        programs = parsed(given, leaves)
        if self._redraw is None:
            return programs
        return [p if self.is_fresh(p) else self._redraw.among_others(p) for p in programs]

    def numbers(self, numbers: Sequence[float], more: int = 0) -> list[float]:
        """Return the numbers to send with programs.

        Args:
            more: with a redraw, the most additional numbers. If it is not 0, at least one is added.
        """
        if self._redraw is None:
            return list(numbers)
        return list(self._redraw.more_numbers(numbers, more) if more else self._redraw.numbers(numbers))

    def in_other_order(self, items: Sequence[T]) -> list[T]:
        """Return items in the order in which they are sent. With a redraw, it is another order."""
        return list(items) if self._redraw is None else self._redraw.in_other_order(items)

    def leaves(self, text: str, leaves: dict[str, float]) -> dict[str, float]:
        """Return the leaf values with which a program is sent. Ints stay ints."""
        if self._redraw is None:
            return leaves
        (redrawn,) = self._redraw.programs(parsed([text], leaves))
        return {leaf.name: type(leaves[leaf.name])(leaf.value) for leaf in redrawn.leaves}


def _redrawn(p: Program, other: Program) -> Program:
    """Return a program with the numbers of `other`: the program itself redrawn, or its `truth`."""
    return p.following(other) if p.truth else other


def parsed(given: Given, leaves: dict[str, float]) -> list[Program]:
    """Return the given programs. A program given as text is parsed, with the values of its leaves."""
    return [program(p, **leaves) if isinstance(p, str) else p for p in given]


def aimed(p: Program, *steps: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    """Return steps in the worker's form.

    Passes begin at the program's root, and functions get all nodes as one list.
    """
    every_node = [["nodes", list(range(len(p.nodes)))]]
    more = dict.fromkeys(("backward", "local_rules", "release"), (p.root,))
    after = {"call": (every_node,)}
    return tuple((step[0], *more.get(step[0], ()), *step[1:], *after.get(step[0], ())) for step in steps)


def start(p: Program, upstream: float, already: dict[str, float]) -> tuple[StartingFrom, ...]:
    """Return a remark on the gradients that were set before; nothing if they were the usual ones."""
    if upstream == 1.0 and not already:
        return ()
    return (StartingFrom({f"{p.root_name}.grad": upstream} | {f"{name}.grad": grad for name, grad in already.items()}),)


# -- runs in the form in which they are recorded

MOST_NODES = 40  # the most nodes of a program that is recorded
_MOST_WITH_CALLS = 20  # the same for a program in which functions of the file make nodes
_PASSES = ("backward", "local_rules", "call")


MOST_STEPS = 60  # the most steps of a training that is shown
MOST_PARAMETERS = 20


class Training(Struct, frozen=True):
    """A training in a check's run: the loss, the number of steps, and the rate.

    Attributes:
        before: The gradients of the parameters at first: pairs of a node and its gradient.
    """

    loss: Program
    steps: int
    rate: float
    before: tuple[tuple[int, float], ...] = ()


def training(run: Run) -> Training | None:
    """Return the training in a check's run, or None if there is none, or if it cannot be shown."""
    p = run.program
    step = next((step for step in run.steps if step[0] == "train"), None)
    if step is None or p.truth or len(p.nodes) > MOST_NODES or len(p.leaves) > MOST_PARAMETERS or step[2] > MOST_STEPS:
        return None
    before = next((step[1] for step in run.steps if step[0] == "preload"), ())
    return Training(p, step[2], step[3], tuple((index, grad) for index, grad in before))


_LAYERS = 10  # the fewest nodes in a list that are shown as layers


def layers(p: Program) -> tuple[int, ...]:
    """Return the node that a function of the file is given and the list of nodes that it makes, if the list is long."""
    for index, node in enumerate(p.nodes):
        if isinstance(node, Op) and node.made and node.made.count >= _LAYERS:
            given = [node.operands[at] for kind, at in node.made.arguments if kind == "node" and isinstance(at, int)]
            return (*(i for i in given if isinstance(i, int)), *range(index, index + node.made.count))
    return ()


def is_played(run: Run) -> bool:
    """Return whether `grade play` can show a check's run."""
    return recorded(run) is not None or training(run) is not None


def recorded(run: Run) -> Run | None:
    """Return a check's run in a form that is recorded. It ends with the last pass, which is the recorded one.

    Return None for a run without a pass, without an operation, or with too many nodes. Also return None if a function
    of the file is called after the last pass.
    """
    # the last pass is the recorded one
    passes = [number for number, step in enumerate(run.steps) if step[0] in _PASSES and _is_pass(run, number)]
    operations = any(isinstance(node, Op) for node in run.program.nodes)
    most = _MOST_WITH_CALLS if run.program.truth else MOST_NODES
    if not passes or not operations or len(run.program.nodes) > most:
        return None
    if any(step[0] == "call" for step in run.steps[passes[-1] + 1 :]):
        return None
    # only what changes gradients before that pass, and the pass
    steps = [step for step in run.steps[: passes[-1] + 1] if step[0] in ("preload", "anew", *_PASSES)]
    # the gradients that the grader sets right before it belong to it
    begin = len(steps) - 1
    if begin and steps[begin - 1][0] == "preload":
        begin -= 1
    return replace(run, steps=(("record", begin + 1), *steps))


def _is_pass(run: Run, number: int) -> bool:
    """Return whether a step runs rules. A function of the file does so if the gradients are read next.

    It gets nodes and numbers one by one. A function with a list of nodes sets their gradients to 0.
    """
    step, later = run.steps[number], run.steps[number + 1 :]
    if step[0] != "call":
        return True
    return later[:1] == (("grads",),) and all(kind in ("node", "number") for kind, _ in step[2])


# -- the answer to a whole batch


class Shown(Struct, frozen=True):
    """A batch and its answer.

    Attributes:
        wrong: The indices of the runs that were wrong.
        aside: The indices of the runs that a diagnosis must ignore: those of programs drawn at random, and of
            programs that the engine need not be able to build.
        unsettled: The indices of the runs that were wrong under some order seeds only.
        huge: Whether a graph was so large that it was run under one order seed only.
    """

    runs: tuple[Run, ...]
    answer: Read | Problem | Died
    wrong: frozenset[int]
    aside: frozenset[int]
    unsettled: frozenset[int] = frozenset()
    huge: bool = False


def outline(answer: Read | Problem | Died) -> Read | Problem | Died:
    """Return only whether each run was completed.

    Of a huge graph, other observations differ between engines that make the same mistake in slightly different ways.
    """
    if not isinstance(answer, Read):
        return answer
    return Read(
        answer.reading,
        tuple(tuple(replace(outcome, results=()) if outcome else None for outcome in seed) for seed in answer.seeds),
    )


def left_out(answer: Read) -> bool:
    """Return whether the answer lacks a requested run, although no earlier run had reached a limit."""
    for outcome in chain.from_iterable(answer.seeds):
        if outcome is None:
            return True
        if isinstance(outcome, Broke) and outcome.problem.ran_out:
            return False
    return False


# -- operations that an engine does not offer

_REFUSALS = ("TypeError", "AttributeError", "AssertionError", "ValueError", "NotImplementedError")  # for a plain number
_NUMBER_REFUSED = re.compile(r"unsupported operand type.*'(int|float)'")


def not_offered(about: Program, problem: Problem) -> bool:
    """Return whether a program failed only because it uses an optional operation.

    Functions beyond those of the course are optional. Plain numbers other than exponents are optional, too.
    """
    operations = [node for node in about.nodes if isinstance(node, Op)]
    extra = any(OPERATIONS[node.op].optional for node in operations)
    sides = {side for node in operations if node.op != "pow" for side in _number_sides(node)}
    # the engine lacks the operation itself
    if problem.absent and problem.user is None:
        return extra or bool(sides)
    if sides and problem.where == "build" and not problem.lines and _NUMBER_REFUSED.search(problem.message):
        return True  # Python itself refused: the operator is missing, or it returned NotImplemented
    refused = problem.where == "build" and (problem.user is not None or problem.type_name in _REFUSALS)
    # an operation that returned None, or a reflected operator that exists and fails, is offered and wrong
    return refused and sides == {"right"} and not extra and "NoneType" not in problem.message


def lacks(about: Program, problem: Problem, operations: Collection[str]) -> bool:
    """Return whether a program could not be built because the engine does not define one of these operations.

    An operation whose method uses another one of these operations, which the engine lacks, counts as not defined.
    """
    methods = {METHODS.get(op, op) for op in operations}
    if problem.user is None:
        return problem.method in methods & about.methods
    users = methods | {REFLECTED[op] for op in operations if op in REFLECTED}
    return problem.method in methods and problem.user in users & about.methods


def _number_sides(node: Op) -> list[str]:
    """Return the sides of an operation that have a plain number as operand."""
    return [
        side for side, operand in zip(("left", "right"), node.operands, strict=False) if isinstance(operand, Number)
    ]
