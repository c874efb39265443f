"""The programs and numbers that a check sends, and what is read from the steps of a run and from a whole answer.

The families of checks compare the observations with what is expected.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ...course.oracle import Redraw
from ...course.program import (
    METHODS,
    OPERATIONS,
    REFLECTED,
    Number,
    Op,
    Program,
    ProgramError,
    draw,
    draw_arrays,
    parts,
    parts_of_arrays,
    program,
)
from ...course.remarks import StartingFrom
from ...runner.client import Broke, Died, Problem, Read, Run, ask

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

    def fresh(
        self, count: int, ops: Sequence[str], sizes: tuple[int, int], numbers: bool, with_arrays: bool = False
    ) -> list[Program]:
        """Return programs drawn from the seed. `draw` and `draw_arrays` of `grader.course.program` explain more."""
        if with_arrays and numbers:
            raise ProgramError("programs with arrays are drawn without plain numbers")
        if with_arrays:
            drawn = draw_arrays(self._seed, count, ops=ops, sizes=sizes)
        else:
            drawn = draw(self._seed, count, ops=ops, sizes=sizes, numbers=numbers)
        self._fresh |= {p.key for p in drawn}
        return drawn

    def parts(self, drawn: Program) -> list[Program]:
        """Return the parts of a program that was drawn for this check, smallest first. Other programs have none."""
        if not self.is_fresh(drawn):
            return []
        programs = parts_of_arrays(drawn) if drawn.has_arrays else parts(drawn)
        self._fresh |= {p.key for p in programs}
        return programs

    def is_fresh(self, p: Program) -> bool:
        """Return whether a program was drawn for this check."""
        # the first condition avoids computing the key, which is slow for a large program
        return bool(self._fresh) and p.key in self._fresh

    def programs(self, given: Given, leaves: dict[str, float], beside: Sequence[float] = ()) -> list[Program]:
        """Return the programs to send. With a redraw, all except fresh ones get other leaf values.

        Args:
            beside: the numbers that the check sends with the programs.
        """
        programs = parsed(given, leaves)
        if self._redraw is None:
            return programs
        # torch does not know functions of the learner's file. A program that calls them has a `truth`:
        # a program for torch with the same nodes, which is redrawn in its place.
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
        """Return the leaf values with which the program `text` is sent. With a redraw, they are others.

        Args:
            leaves: the leaf values of the check. Values that are ints are replaced by ints.
        """
        if self._redraw is None:
            return leaves
        (redrawn,) = self._redraw.programs(parsed([text], leaves))
        return {leaf.name: type(leaves[leaf.name])(leaf.value) for leaf in redrawn.leaves}


def _redrawn(p: Program, other: Program) -> Program:
    """Return a program with other numbers. `other` is the redrawn program, or its redrawn `truth` if it has one."""
    return p.following(other) if p.truth else other


def parsed(given: Given, leaves: dict[str, float]) -> list[Program]:
    """Return the given programs. A program given as text is parsed, with the values of its leaves."""
    return [program(p, **leaves) if isinstance(p, str) else p for p in given]


def start(p: Program, upstream: float, already: dict[str, float]) -> tuple[StartingFrom, ...]:
    """Return a remark on the gradients that were set before; nothing if they were the usual ones.

    Args:
        upstream: the gradient of the root, usually 1.
        already: existing gradients of other nodes by their names, usually none.
    """
    if upstream == 1.0 and not already:
        return ()
    return (StartingFrom({f"{p.root_name}.grad": upstream} | {f"{name}.grad": grad for name, grad in already.items()}),)


# -- what `grade play` can show of a run: a training, layers, or a recorded pass

MOST_NODES = 40  # the most nodes of a program that is recorded
_MOST_NUMBERS = 1_000  # the most numbers of all its nodes
_MOST_WITH_CALLS = 20  # the same for a program in which functions of the file make nodes
# the steps that may run rules; `_is_pass` says which calls do
_PASSES = ask.Backward | ask.LocalRules | ask.CallFunction

MOST_STEPS = 60  # the most steps of a training that is shown
MOST_PARAMETERS = 20  # the most parameters of a training that is shown


class Training(Struct, frozen=True):
    """A training in a check's run: the loss, the number of steps, and the learning rate.

    Attributes:
        before: The existing gradients of the parameters: pairs of the index of a node and its gradient.
    """

    loss: Program
    steps: int
    rate: float
    before: tuple[tuple[int, float], ...] = ()


def training(run: Run) -> Training | None:
    """Return the training in a check's run, or None if there is none, or if it cannot be shown."""
    p = run.program
    train = next((step for step in run.steps if isinstance(step, ask.Train)), None)
    if train is None or p.truth or len(p.nodes) > MOST_NODES or len(p.leaves) > MOST_PARAMETERS:
        return None
    if train.steps > MOST_STEPS:
        return None
    before = next((step.grads for step in run.steps if isinstance(step, ask.Preload)), ())
    return Training(p, train.steps, train.rate, tuple(before))


_LAYERS = 10  # the fewest nodes in a list that are shown as layers


def layers(p: Program) -> tuple[int, ...]:
    """Return the indices of the nodes that a function of the file is given, and of those that it makes.

    Return no indices if no function makes a list long enough to be shown as layers.
    """
    for index, node in enumerate(p.nodes):
        if isinstance(node, Op) and node.made and node.made.count >= _LAYERS:
            given = [node.operands[at] for kind, at in node.made.arguments if kind == "node" and isinstance(at, int)]
            return (*(i for i in given if isinstance(i, int)), *range(index, index + node.made.count))
    return ()


_ON_ARRAYS = ("values", "grads", "backward", "anew", "preload", "train", "given_list", "call")


def takes_arrays(run: Run) -> bool:
    """Return whether the steps of a run can be taken on a program with arrays, or the program has none."""
    trains = any(isinstance(step, ask.Train) for step in run.steps)
    return not run.program.has_arrays or all(
        step.name in _ON_ARRAYS and (trains or not (isinstance(step, ask.Preload) and step.grads)) for step in run.steps
    )


def is_played(run: Run) -> bool:
    """Return whether `grade play` can show a check's run."""
    return recorded(run) is not None or training(run) is not None


def recorded(run: Run) -> Run | None:
    """Return a check's run as it is sent to be recorded.

    It begins with a step `record`, and ends with the last pass of the check's run, which is the recorded one.

    Return None for a run without a pass, without an operation, with too many nodes, or with large arrays. Also return
    None if a function of the file is called after the last pass, or if one makes nodes that are arrays.
    """
    if run.program.truth and run.program.has_arrays:
        return None
    passes = [number for number, step in enumerate(run.steps) if isinstance(step, _PASSES) and _is_pass(run, number)]
    operations = any(isinstance(node, Op) for node in run.program.nodes)
    most = _MOST_WITH_CALLS if run.program.truth else MOST_NODES
    if not passes or not operations or len(run.program.nodes) > most or run.program.sizes[0] > _MOST_NUMBERS:
        return None
    if any(isinstance(step, ask.CallFunction) for step in run.steps[passes[-1] + 1 :]):
        return None
    # keep that pass, and the steps before it that change gradients or build the program anew
    kept = ask.Preload | _PASSES
    steps = [step for step in run.steps[: passes[-1] + 1] if step == ask.ANEW or isinstance(step, kept)]
    # record from that pass on, or from the step right before it if that one sets gradients
    begin = len(steps) - 1
    if begin and isinstance(steps[begin - 1], ask.Preload):
        begin -= 1
    return replace(run, steps=(ask.Record(begin + 1), *steps))


def _is_pass(run: Run, number: int) -> bool:
    """Return whether a step of `_PASSES` runs rules.

    A call of a function of the file is taken for a backward pass if its gradients are read next, and if the function
    gets nodes and numbers one by one. A function that gets a list of nodes is one that sets their gradients to 0.

    Args:
        number: the number of the step in the run.
    """
    step, later = run.steps[number], run.steps[number + 1 :]
    if not isinstance(step, ask.CallFunction):
        return True
    return later[:1] == (ask.GRADS,) and all(kind in ("node", "number") for kind, _ in step.arguments)


# -- the answer to a whole batch

NO_ANSWERS: Mapping[str, float] = MappingProxyType({})


class AnsweredBatch(Struct, frozen=True):
    """A batch and its answer.

    Attributes:
        wrong: The indices of the runs that were wrong.
        aside: The indices of the runs that a diagnosis must ignore: those of programs drawn at random, and of
            programs that the engine need not be able to build.
        unsettled: The indices of the runs that were wrong under some order seeds only.
        huge: Whether a graph was so large that it was run under one order seed only.
        answers: The right numbers by their names, if the only run calls a function that returns what a learner has
            worked out.
    """

    runs: tuple[Run, ...]
    answer: Read | Problem | Died
    wrong: frozenset[int]
    aside: frozenset[int]
    unsettled: frozenset[int] = frozenset()
    huge: bool = False
    answers: Mapping[str, float] = NO_ANSWERS


def outline(answer: Read | Problem | Died) -> Read | Problem | Died:
    """Return an answer without results, which only tells whether each run was completed.

    For a huge graph, a diagnosis compares nothing else, because engines that make the same mistake in slightly
    different ways have different results.
    """
    if not isinstance(answer, Read):
        return answer
    return Read(
        answer.reading,
        tuple(tuple(replace(outcome, results=()) if outcome else None for outcome in seed) for seed in answer.seeds),
    )


def left_out(answer: Read) -> bool:
    """Return whether the answer lacks a run, and no earlier run has ended the batch, which would be the reason."""
    for outcome in chain.from_iterable(answer.seeds):
        if outcome is None:
            return True
        if isinstance(outcome, Broke) and outcome.problem.ends_batch:
            return False
    return False


# -- operations that an engine does not offer

# the exceptions that an operator may raise to refuse a plain number
_REFUSALS = ("TypeError", "AttributeError", "AssertionError", "ValueError", "NotImplementedError")
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
    # An operator that exists may refuse a number on the right. An operation that returned None, or a reflected
    # operator that exists and fails for a number on the left, is offered and wrong.
    return refused and sides == {"right"} and not extra and "NoneType" not in problem.message


def lacks(about: Program, problem: Problem, operations: Collection[str]) -> bool:
    """Return whether a program could not be built because the engine does not define one of these operations.

    An operation also counts as not defined if its method uses another one of these operations, and the engine lacks
    that one. Then `problem.user` is the method that uses it.
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
