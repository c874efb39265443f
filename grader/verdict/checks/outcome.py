"""The outcome of a check, the finding of one that did not pass, and the comparisons that find it.

Only a finding counts as a learner's failure.
"""

import math
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, filterfalse
from operator import lt
from typing import Literal, NoReturn, TypeAlias

import msgspec

from ...base.text import of_type
from ...course.oracle import Answer
from ...course.program import BINARY, METHODS, REFLECTED, Leaf, Op, Program, arrays
from ...course.remarks import (
    BeforeInput,
    Changed,
    Disordered,
    GaveNone,
    ListChanged,
    ListedTwice,
    NeverRan,
    NoList,
    NoNode,
    NotListed,
    NotRight,
    OrderFault,
    RanEarly,
    RanTwice,
    Remark,
    Returned,
    Shown,
    Stopped,
    TraceFault,
    Unrelated,
)
from ...runner.client import (
    RAN_OUT,
    Broke,
    Called,
    Died,
    Done,
    Misshapen,
    Observed,
    Odd,
    Problem,
    Reason,
    Traced,
    bounds,
    cut,
)
from .shapes import shape_remarks

ExpectedBy: TypeAlias = Literal["torch", "check"]
Status: TypeAlias = Literal["failed", "error", "timeout", "crashed", "not_started"]

_STATUS: dict[str, Status] = {
    "shape": "failed",
    "not_offered": "failed",
    "wants_argument": "failed",
    **dict.fromkeys(RAN_OUT, "timeout"),
}


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A check's failure as data: the program, the expected numbers, the learner's numbers.

    Attributes:
        remarks: Further remarks on the failure.
        reason: Why there are no numbers to compare, as a code.
        stopped: Why there are no numbers to compare, as the problem in the learner's code.
        expected_by: Who computed the expected numbers: torch alone, or the check from torch's numbers.
    """

    status: Status
    program: str | None = None
    expected: dict[str, Shown] = {}
    actual: dict[str, Shown] = {}
    remarks: tuple[Remark, ...] = ()
    reason: Reason | None = None
    stopped: Stopped | None = None
    expected_by: ExpectedBy = "check"


class CheckFailed(Exception):
    """The failure of a check, with its `Finding`. Only the grader's comparisons raise it."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding


def fail(
    *remarks: Remark,
    program: str | None = None,
    expected: dict[str, Shown] | None = None,
    actual: dict[str, Shown] | None = None,
    status: Status = "failed",
    reason: Reason | None = None,
    expected_by: ExpectedBy = "check",
) -> NoReturn:
    """Raise `CheckFailed` with these fields of a `Finding`."""
    finding = Finding(status, program, expected or {}, actual or {}, remarks, reason, expected_by=expected_by)
    raise CheckFailed(finding)


def fail_for(
    cause: Problem | Died, source: str, program: str | None = None, remarks: tuple[Remark, ...] = ()
) -> NoReturn:
    """Fail because the learner's code raised an error, ran out of a limit, or died. `source` is the file's text."""
    reason = reason_of(cause)
    if isinstance(cause, Died):
        raise CheckFailed(Finding(cause.status, program, remarks=remarks, reason=reason))
    status: Status = "not_started" if cause.unfilled else _STATUS.get(cause.kind, "error")
    raise CheckFailed(Finding(status, program, remarks=remarks, reason=reason, stopped=stopped(cause, source)))


def shown(value: Observed) -> Shown:
    """Return an observed number for a report. JSON has no infinity, so it becomes text."""
    if isinstance(value, Misshapen):
        return shape_text(value.shape)
    if isinstance(value, Odd):
        return of_type(value.type)
    return value if math.isfinite(value) else str(value)


def shape_text(shape: Sequence[int]) -> str:
    """Return the text that stands for an array of which only the shape is shown."""
    return f"shape {tuple(shape)}"


class GraderFault(RuntimeError):
    """The grader itself failed, so there is no verdict. Learner code never causes this."""


class EngineShape(msgspec.Struct, frozen=True):
    """The names that were recognised in a learner's engine, by their role."""

    cls: str
    data: str
    grad: str
    inputs: str


class CheckOutcome(msgspec.Struct, frozen=True):
    """The outcome of a check that was run.

    Attributes:
        finding: Why the check did not pass; None if it passed.
        left_out: Whether the answers lack programs although no limit was reached.
        not_run: Methods that were not called because they need an argument.
        replayable: Whether `grade play` can show the run that failed.
        operations: The operations of the program that failed.
        single: Whether the program that failed has one operation only.
        once: Whether each gradient was 0 at first and at most one contribution was stored in it. Then `=` and `+=` give
            the same gradients.
        wrong_value: Whether the value of a node is wrong, before any gradient.
        passes: Whether the run that failed calls `backward()`. True if it is not known.
        calls: The functions of the file that the run that failed calls.
    """

    exercise: str
    check: str
    status: Literal["passed"] | Status
    duration_s: float = 0.0
    output: str = ""
    finding: Finding | None = None
    shape: EngineShape | None = None
    left_out: bool = False
    not_run: tuple[str, ...] = ()
    replayable: bool = False
    operations: tuple[str, ...] = ()
    single: bool = False
    once: bool = False
    wrong_value: bool = False
    passes: bool = True
    calls: tuple[str, ...] = ()

    @property
    def unfilled(self) -> bool:
        """Return whether the check reached code that is still to be filled in.

        A check may count as not started for another reason, too: because something that it needs is wrong.
        """
        stop = self.finding.stopped if self.finding else None
        return stop is not None and stop.unfilled


# -- the reason why learner code gave no answer, and what stopped it, as data for `grader.words`


def reason_of(cause: Died | Problem) -> Reason:
    """Return the reason for a death, or for a problem in the learner's code."""
    if isinstance(cause, Died):
        return Reason(**msgspec.structs.asdict(cause))
    raised = cause.type_name if cause.kind == "raised" else None
    detail = cause.type_name if cause.kind == "shape" else cause.method
    return Reason(cause.kind, type=raised, line=cause.lines[-1] if cause.lines else None, detail=detail)


def stopped(problem: Problem, source: str) -> Stopped:
    """Return a problem with the learner's own lines.

    Args:
        source: the text of the learner's file.
    """
    # the worker's line numbers are claims, so those beyond the file are dropped
    every = source.split("\n")
    known = [number for number in problem.lines if 1 <= number <= len(every)][-bounds.SHOWN_LINES :]
    lines = [(number, cut(every[number - 1].strip(), bounds.SOURCE_LINE)) for number in known]
    return Stopped(
        problem.kind,
        problem.where,
        problem.type_name,
        # a message of the maximum length is probably cut
        cut(problem.message, bounds.MESSAGE - 1),
        names=tuple(problem.names),
        counts=(bounds.STALLED_S,) if problem.kind == "stalled" else tuple(problem.counts),
        lines=tuple(dict.fromkeys(lines)),
        in_file=bool(problem.lines),
        unfilled=problem.unfilled,
        begun=problem.unfilled and bool(known) and not _stands_alone(every, known[-1]),
        notebook=is_notebook(source),
        operand=_operand(every, known),
        meant=_meant(every, known) if problem.type_name == "RecursionError" else None,
    )


_NEAR = 1_000  # lines that are searched before or after another one
_CALL = re.compile(r"\b([A-Za-z_]\w{0,39})\.([A-Za-z]\w{0,39})\(\)")  # a call of a method without arguments
_OF_TWO = re.compile(r"[\w.]+ *[-+]?= *(([A-Za-z_]\w*) *([-+*/]) *[\w.]+)")


def _operand(lines: Sequence[str], known: Sequence[int]) -> tuple[str, str, str] | None:
    """Return the operation in the line that called the innermost function, its left operand, and the function.

    The result is None unless the operation is the only one of its line, the innermost function is the method of this
    operation, and the file does not define the reflected method. Then the left operand is an object of the method's
    class.
    """
    if len(known) < 2:
        return None
    # the line of the call, and the innermost `def` around the line that raised the error
    written = _OF_TWO.fullmatch(lines[known[-2] - 1].partition("#")[0].strip())
    function = _function_around(lines, known[-1])
    op = next((op for op, symbol in BINARY.items() if written and symbol == written[3]), None)
    if written is None or op is None or METHODS[op] != function or any(REFLECTED[op] in line for line in lines):
        return None
    return (written[1], written[2], function) if len(written[1]) <= bounds.SOURCE_LINE else None


def _meant(lines: Sequence[str], known: Sequence[int]) -> tuple[str, str] | None:
    """Return the call in which a method calls itself, and the call that was probably meant; None if there is none."""
    for number in known:
        written = _CALL.search(lines[number - 1].partition("#")[0])
        if written is None or written[2] != _function_around(lines, number):
            continue
        owner, name = written[1], written[2]
        if any(re.search(rf"\._{name}\b", line) for line in lines):
            return f"{owner}.{name}()", f"{owner}._{name}()"
    return None


def _function_around(lines: Sequence[str], number: int) -> str:
    """Return the name of the innermost function around a line, or an empty text."""
    inner = lines[number - 1]
    depth = len(inner) - len(inner.lstrip())
    heads = (re.match(r"( *)def (\w+)\(", lines[at]) for at in range(number - 2, -1, -1)[:_NEAR])
    return next((head[2] for head in heads if head and len(head[1]) < depth), "")


_HEAD = re.compile(r"(async )?def |\)")  # the first or the last line of a function's head
_DOCSTRING = ('"""', "'''", '"', "'")


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """Return whether a line is the only statement of a function, from the lines around it.

    The text is not parsed, because the grader never gives learner code to Python's compiler.
    """

    def code(numbers: Iterable[int]) -> str:
        texts = (lines[other] for other in numbers)
        return next((text for text in texts if text.strip() and not text.lstrip().startswith("#")), "")

    def indent(text: str) -> int:
        return len(text) - len(text.lstrip())

    here = lines[number - 1]
    # the nearest lines with code on either side
    before, after = code(range(number - 2, -1, -1)[:_NEAR]), code(range(number, len(lines))[:_NEAR])
    # nothing but the head or a docstring comes before it, and nothing of the function after it
    first = _HEAD.match(before.lstrip()) or (indent(before) == indent(here) and before.rstrip().endswith(_DOCSTRING))
    return bool(first) and indent(after) < indent(here)


def is_notebook(source: str) -> bool:
    """Return whether a file's text is that of a Jupyter notebook: JSON with cells."""
    return source.lstrip().startswith("{") and '"cells"' in source and '"nbformat"' in source


# -- Compare observations with the expected numbers

# Sums in another order differ by about 1e-15 of the largest term; wrong formulas by far more than this. The derivative
# of log(x + 1e-12) is off by 2e-9 at 0.0005, the smallest x that checks use, so this formula fails. A tolerance that
# accepted it would accept rounded gradients too.
TOLERANCE = 1e-9
_SINGLE = 1e-5  # relative to the expected number, or to 1; single precision is more accurate except in long sums
_ROUNDING = 1e-15  # relative to the largest number; the smallest number that a check asks for is 1e-14 of it
_ROWS = 3


def close(observed: Observed, expected: float, largest: float) -> bool:
    """Return whether a number is right, apart from the order of summation.

    Args:
        largest: the largest absolute value of the numbers in the program.
    """
    # relative to the largest number, because rounding errors of large terms remain in small sums
    return not isinstance(observed, Odd) and abs(observed - expected) <= TOLERANCE * max(1.0, largest)


def largest(answer: Answer) -> float:
    return max(map(abs, (*answer.values, *answer.grads)))


def alike(one: Answer, other: Answer) -> bool:
    """Return whether two answers to a program are equal within the tolerance."""
    pairs = ((one.values, other.values), (one.grads, other.grads))
    return all(
        len(mine) == len(others) and all(close(a, b, largest(one)) for a, b in zip(mine, others, strict=True))
        for mine, others in pairs
    )


def compare_values(
    program: Program, answer: Answer, observed: Sequence[Observed], *remarks: Remark, by: ExpectedBy = "torch"
) -> None:
    """Fail unless every node has the value in an answer, which comes from torch unless `by` says otherwise."""
    if not remarks and observed != answer.values and Odd("NoneType") in observed:
        remarks = (GaveNone(),)
    _compare(program, answer.values, observed, largest(answer), lambda name: name, remarks, by)


def compare_grads(
    program: Program,
    expected: Sequence[float],
    observed: Sequence[Observed],
    scale: float,
    remarks: Sequence[Remark] = (),
    cleared: bool = False,
    by: ExpectedBy = "torch",
) -> None:
    """Fail unless every node has the expected gradient.

    Args:
        scale: The largest absolute value of the numbers in the program.
        remarks: Remarks for the failure.
        cleared: Whether a pass may clear the gradients of operations at its end. A pass did so if all of them, except
            perhaps that of the root, are 0. The leaves still show whether the pass was right. A node that a function
            of the file makes may be a leaf, and keep its gradient.
        by: Where the expected gradients come from.
    """
    operations = {i: node for i, node in enumerate(program.owners) if isinstance(node, Op)}
    root = program.nodes[program.root]
    between = [i for i, node in operations.items() if not node.made and node is not root]
    cleared = cleared and isinstance(root, Op) and all(observed[i] == 0.0 for i in between)

    def equal(seen: Observed, right: float) -> bool:
        return close(seen, right, scale)

    # what an operation gives back follows from its upstream gradient, also if that was cleared afterwards
    explained = partial(shape_remarks, program, expected, observed, equal, cleared)
    if cleared:
        expected = [0.0 if i in operations and observed[i] == 0.0 else grad for i, grad in enumerate(expected)]
    label = attribute_name if by == "check" else lambda name: gradient_name(program, name)
    _compare(program, expected, observed, scale, label, remarks, by, explained)


def compare_untouched(program: Program, outcome: Done | Broke, function: str) -> None:
    """Fail unless a function left the values, gradients and inputs of all nodes unchanged.

    They are observed before the function is called, and after each call.
    """
    observed: tuple[tuple[Literal["value", "gradient", "inputs"], object], ...]
    observed = (("value", outcome.values), ("gradient", outcome.grads), ("inputs", outcome.inputs))
    for what, (old, *later) in observed:
        for new in later:
            changed = [node.name for node, x, y in zip(program.nodes, old, new, strict=True) if x != y]
            if changed:
                fail(Changed(function, what, changed[0]), program=program.shown)


def compare_list(function: str, given: Sequence[int], left: Called, about: str) -> None:
    """Fail unless a list that was given to a function holds the same nodes afterwards, in any order."""
    if sorted(given) != sorted(left.nodes or ()):
        fail(ListChanged(function), program=about)


def gradient_name(program: Program, name: str) -> str:
    """Return the name of a gradient, such as `dL/da`, or `dL/d(a * b)` for a node without a name."""
    return f"d{program.root_name}/d{name}" if name.isidentifier() else f"d{program.root_name}/d({name})"


def attribute_name(name: str) -> str:
    """Return the attribute that holds a gradient, such as `a.grad`.

    It is not `dL/da` if the pass began with other gradients than 0 and 1.
    """
    return f"{name}.grad" if name.isidentifier() else f"({name}).grad"


def miscounted(function: str, returned: Called, count: int) -> Returned | None:
    """Return a remark if a function did not return `count` numbers."""
    # what is empty has no nodes either, so it counts as no numbers
    numbers = () if returned.nodes is not None and not len(returned.nodes) else returned.numbers
    if numbers is not None:
        return None if len(numbers) == count else Returned(function, count, len(numbers))
    nodes = "None" if returned.nodes is None else "a node" if len(returned.nodes) == 1 else "nodes"
    return Returned(function, count, None, returned.other or nodes)


def compare_returned(
    function: str,
    returned: Called,
    expected: Mapping[str, float],
    about: str,
    reveal: bool,
    remarks: Sequence[Remark] = (),
) -> None:
    """Fail unless a function returned the expected numbers, in their order.

    Args:
        about: The description of the numbers for the learner.
        reveal: Whether the failure shows the right numbers.
        remarks: Further remarks on a failure with wrong numbers.
    """
    if (count := miscounted(function, returned, len(expected))) is not None:
        fail(count, program=about)
    numbers = returned.numbers or ()
    scale = max(map(abs, expected.values()))
    seen = dict(zip(expected, numbers, strict=True))
    wrong = [name for name, right in expected.items() if not close(seen[name], right, scale)]
    if wrong and not reveal:
        opposite = tuple(name for name in wrong if close(seen[name], -expected[name], scale))
        exchanged = next((pair for pair in combinations(wrong, 2) if _exchanged(pair, seen, expected, scale)), ())
        fail(NotRight({name: shown(seen[name]) for name in wrong}, opposite, exchanged), program=about)
    if wrong:
        fail(
            *remarks,
            program=about,
            expected={name: shown(expected[name]) for name in wrong[:_ROWS]},
            actual={name: shown(seen[name]) for name in wrong[:_ROWS]},
        )


def compare_returned_array(
    function: str, returned: Called, numbers: Sequence[float], shape: tuple[int, ...], about: str
) -> None:
    """Fail unless a function returned an array with these numbers in this shape.

    Args:
        about: The call, as the learner would write it.
    """
    if returned.array is None or returned.array.shape is None:
        fail(
            miscounted(function, returned, len(numbers)) or Returned(function, len(numbers), None, "no array"),
            program=about,
        )
    seen = returned.array.as_shape(shape)
    if isinstance(seen[0], Misshapen):
        fail(program=about, expected={"result": shape_text(shape)}, actual={"result": shown(seen[0])})
    scale = max(map(abs, numbers))
    names = [f"result[{', '.join(map(str, index))}]" if index else "result" for index in arrays.indices(shape)]
    rows = [row for row in zip(names, numbers, seen, strict=True) if not close(row[2], row[1], scale)][:_ROWS]
    if rows:
        fail(
            program=about,
            expected={name: shown(right) for name, right, _ in rows},
            actual={name: shown(number) for name, _, number in rows},
        )


def _exchanged(pair: tuple[str, str], seen: Mapping[str, Observed], right: Mapping[str, float], scale: float) -> bool:
    """Return whether each of two numbers is right in the place of the other."""
    one, other = pair
    return close(seen[one], right[other], scale) and close(seen[other], right[one], scale)


def _compare(
    program: Program,
    expected: Sequence[float],
    observed: Sequence[Observed],
    scale: float,
    label: Callable[[str], str],
    remarks: Sequence[Remark],
    by: ExpectedBy,
    explained: Callable[[], tuple[Remark, ...]] = lambda: (),
) -> None:
    # most numbers are equal, and an infinity is not `close` to itself
    wrong = [i for i, e in enumerate(expected) if observed[i] != e and not close(observed[i], e, scale)]
    if not wrong:
        return
    # leaves first, because a learner can change their values
    wrong.sort(key=lambda i: not isinstance(program.owners[i], Leaf))
    # of an array with a wrong shape, only the shape is shown, once
    misshapen = {id(program.owners[i]): i for i in reversed(wrong) if isinstance(observed[i], Misshapen)}
    wrong = [i for i in wrong if misshapen.get(id(program.owners[i]), i) == i]
    rows: dict[str, tuple[Shown, Shown]] = {}
    for i in wrong[:_ROWS]:
        node = program.owners[i]
        if isinstance(observed[i], Misshapen):
            right = shape_text(program.shapes[program.index[node.name]])
            rows[label(node.name)] = right, shown(observed[i])
        else:
            rows[label(program.names[i])] = shown(exact(expected[i], scale)), shown(observed[i])
    fail(
        *remarks,
        *explained(),
        expected_by=by,
        program=program.shown,
        expected={name: right for name, (right, _) in rows.items()},
        actual={name: yours for name, (_, yours) in rows.items()},
    )


def exact(number: float, scale: float) -> float:
    """Return 0 in place of a rounding error, such as -1.1e-16 for the gradient of a in `(2 / a) * a`."""
    return 0.0 if abs(number) < _ROUNDING * scale else number


def in_single_precision(expected: Sequence[float], observed: Sequence[Observed]) -> bool:
    """Return whether all observed numbers exist in single precision, and most are near the expected ones.

    Not all of these expected numbers may exist in single precision.
    """
    numbers = [number for number in observed if not isinstance(number, Odd)]
    if len(numbers) < len(observed) or not all(map(_is_single, numbers)):
        return False
    # numbers such as 0.5 exist in single precision as well, and prove nothing
    near = [e for o, e in zip(numbers, expected, strict=True) if nearly(o, e)]
    return 2 * len(near) > len(numbers) and not all(map(_is_single, near))


def nearly(observed: float, expected: float) -> bool:
    """Return whether a number is right, apart from the errors of single precision."""
    return abs(observed - expected) <= _SINGLE * max(1.0, abs(expected))


def _is_single(number: float) -> bool:
    try:
        return bool(struct.unpack("f", struct.pack("f", number))[0] == number)
    except OverflowError:
        return False


# -- orders: that of a topological sort, and that in which a backward pass ran the closures

_MOST_NAMES = 12  # the most names of an order that are shown
_LONG = 1_000  # an order longer than this is not shown


def judge_topological(program: Program, returned: Called, again: bool = False) -> None:
    """Fail unless the order lists each node once, after all its inputs. Any such order passes.

    Args:
        again: Whether a second call returned it.
    """
    if returned.nodes is None:
        what = returned.other or ("numbers" if returned.numbers is not None else "None")
        fail(NoList(what, again), program=program.shown)
    order = list(returned.nodes)
    fault = _disorder(program, order, again)
    if fault and len(order) > _LONG:  # the faulty node may change from run to run, so it is not named
        fail(Disordered(again), program=program.shown)
    if fault:
        right = _names(program, program.reachable)
        fail(
            fault,
            program=program.shown,
            expected={"order": right},
            actual={"order": _names(program, order)},
        )


def _disorder(program: Program, order: Sequence[int], again: bool) -> OrderFault | None:
    place = dict(zip(order, range(len(order)), strict=True))
    if -1 in place:
        return NoNode(again)
    if len(place) < len(order):
        doubled = next(index for position, index in enumerate(order) if place[index] != position)
        return ListedTwice(_name(program, doubled), again)
    # without a loop in Python, because an order may have very many nodes
    missing = next(filterfalse(place.__contains__, program.reachable), None)
    if missing is not None:
        # code that compares nodes by value skips a node if another one has the same value
        values = dict(enumerate(program.values)) if len(program.nodes) <= _LONG else {}
        equal = next((i for i in order if i in values and values[i] == values[missing]), None)
        return NotListed(program.nodes[missing].name, again, None if equal is None else program.nodes[equal].name)
    if len(order) > len(program.reachable):  # it has additional nodes of the engine, or unrelated ones
        belongs = set(program.reachable)
        unrelated = next((i for i in order if i < len(program.nodes) and i not in belongs), None)
        if unrelated is not None:
            return Unrelated(_name(program, unrelated), program.root_name, again)
    used, users = program.edges
    if not all(map(lt, map(place.__getitem__, used), map(place.__getitem__, users))):
        for i, user in zip(used, users, strict=True):
            if place[i] > place[user]:
                return BeforeInput(program.nodes[user].name, program.nodes[i].name, again)
    return None


def _name(program: Program, index: int) -> str:
    return program.nodes[index].name if index < len(program.nodes) else "a number"


def _names(program: Program, order: Sequence[int]) -> str:
    names = ["?" if i < 0 else _name(program, i) for i in order[:_MOST_NAMES]]
    return ", ".join(names + ["…"] * (len(order) > _MOST_NAMES)) or "nothing"


def judge_trace(program: Program, trace: Traced) -> None:
    """Fail unless the closure of every operation ran exactly once, after the closures of all its users."""
    disorder = trace_disorder(program, trace)
    if disorder:
        fail(disorder, program=program.shown)


def trace_disorder(program: Program, trace: Traced) -> TraceFault | None:
    """Return the fault in the order in which closures ran, or None."""
    ran: dict[int, int] = {}
    for position, (runner, _) in enumerate(trace.calls):
        if runner in ran:
            return RanTwice(_name(program, runner))
        ran[runner] = position
    for index in program.reachable:
        node = program.nodes[index]
        if not isinstance(node, Op):
            continue
        if index not in ran:
            others = (i for i in program.reachable if i > index and i not in ran and isinstance(program.nodes[i], Op))
            return NeverRan(node.name, tuple(program.nodes[i].name for i in others)[:_MOST_NAMES])
        for source in node.inputs:
            if source in ran and ran[source] < ran[index]:
                early = program.nodes[source].name
                return RanEarly(early, node.name, gradient_name(program, early))
    return None


# -- rules that are named and not called

_MOST = 4
_NAMED = re.compile(r" *(\w{1,40}\._backward) *(#.*)?")


def not_called(source: str, function: str) -> tuple[str, ...]:
    """Return the first expressions such as `L._backward` that stand alone in a line of a function, without `()`.

    Args:
        source: The text of the learner's file, which is not parsed. A line that may continue another one is left out.
        function: The name of the function.
    """
    expressions = []
    head = re.search(rf"^def {re.escape(function)}\(", source, re.M)
    # the last line with code, which may continue in the next one
    before = ""
    for line in source[head.end() :].split("\n")[1:] if head else ():
        if line.strip() and not line.startswith(" "):
            break
        named = _NAMED.fullmatch(line)
        if named and not before.endswith(tuple("([{,\\=+-*/")):
            expressions.append(named[1])
        before = line.partition("#")[0].strip() or before
    return tuple(dict.fromkeys(expressions))[:_MOST]
