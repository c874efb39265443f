"""The sentences for a learner about a check that failed, and about the result of a submission.

Those about fault facts are in `facts`, about code that gave no answer in `stopped`, about the line that must change in
`repairs`, and those of the commands in `practice`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import structs

from ..base.text import counted, instant
from ..course.learners import Learner
from ..course.program import OPERATIONS, number_text
from ..course.remarks import (
    Averaged,
    CellStart,
    Condition,
    DataChanged,
    DependsOnOrder,
    Divided,
    FailsWhenever,
    NeverRan,
    NoList,
    NotCalled,
    NotRight,
    NoTruth,
    NotSummed,
    OneSlice,
    PassFault,
    Reason,
    Remark,
    Reshaped,
    Returned,
    RightRefused,
    RulesRunAgain,
    Scaled,
    Shown,
    StartingFrom,
    Stopped,
    SummedOverAll,
    Unnoticed,
    tag_of,
)
from .facts import orders_text
from .sentence import Sentence, duration_text, enumerated, filled
from .stopped import ended_text, stopped_text

# -- checks -------------------------------------------------------------------------------------------


# `grader.checks` comes after this package, so only the form of its findings is known here.
class FindingCauses(Protocol):
    """A finding of `grader.checks`, besides its numbers."""

    @property
    def remarks(self) -> Sequence[Remark]: ...
    @property
    def reason(self) -> Reason | None: ...
    @property
    def stopped(self) -> Stopped | None: ...


def finding_text(finding: FindingCauses, cells: Sequence[CellStart] = ()) -> str | None:
    """Return the text of a failure besides its numbers, or None. `cells` are the cells of a notebook."""
    if finding.stopped is not None or finding.reason is not None:
        return "\n".join([_why(finding.stopped, finding.reason, cells), *map(remark_text, finding.remarks)])
    return "; ".join(map(remark_text, finding.remarks)) or None


def load_failure(name: str, stopped: Stopped | None, ended: Reason | None, cells: Sequence[CellStart] = ()) -> str:
    """Say that the file `name` could not be loaded, and why."""
    joint = ", because" if stopped is not None and stopped.kind == "syntax" else ":"
    return f"{name} could not be loaded{joint} {_why(stopped, ended, cells)}"


def _why(stopped: Stopped | None, ended: Reason | None, cells: Sequence[CellStart]) -> str:
    """Say why the learner's code gave no answer: because it was stopped, or because of the way its process ended."""
    if stopped is not None:
        return stopped_text(stopped, cells)
    assert ended is not None
    return ended_text(ended)


def remark_text(remark: Remark) -> str:
    """Return the text of a remark as a part of a sentence."""
    text = filled(_REMARKS[tag_of(remark)], {**structs.asdict(remark), **_remark_fields(remark)})
    return f"in a second call, {text}" if getattr(remark, "again", False) else text


def _remark_fields(remark: Remark) -> dict[str, object]:
    """Return the fields of a remark that have a text of their own."""
    match remark:
        case StartingFrom():
            return {"grads": [f"{name} = {number_text(grad)}" for name, grad in remark.grads.items()]}
        case RulesRunAgain():
            return {"upstream": number_text(remark.upstream)}
        case DependsOnOrder():
            return {"runs": orders_text(remark.wrong, remark.of)}
        case DataChanged():
            return {"by": {"backward": "backward()", "rules": "the backward rules"}[remark.by]}
        case NeverRan():
            return {"nodes": enumerated([remark.node, *remark.others])}
        case NotCalled():
            return {"rules": enumerated([f"`{one}`" for one in remark.written])}
        case Unnoticed():
            numbers = {"given": digits(remark.given), "right": digits(remark.right)}
            return {**numbers, "fault": _FAULTS[remark.fault]}
        case RightRefused():
            return {"grads": [f"{name} = {digits(grad)}" for name, grad in remark.grads.items()]}
        case NoTruth():
            return {"type": _given_back(remark.type)}
        case Returned():
            return {"given": _given_back(remark.type) if remark.count is None else counted(remark.count, "number")}
        case NotRight():
            return {
                "numbers": [f"{name} (yours: {digits(value)})" for name, value in remark.numbers.items()],
                "signed": enumerated(remark.opposite),
                "exchanged": enumerated(remark.exchanged),
            }
        case NoList():
            return {"given": _given_back(remark.type)}
        case _:
            return _array_fields(remark)


def _array_fields(remark: Remark) -> dict[str, object]:
    """Return the fields of a remark on arrays that have a text of their own."""
    match remark:
        case NotSummed():
            return {"axes": _axes(remark.axes), "shape": str(remark.shape), "right": str(remark.right)}
        case Reshaped():
            return {"shape": str(remark.shape), "right": str(remark.right)}
        case Averaged() | OneSlice() | SummedOverAll():
            return {"axes": _axes(remark.axes)}
        case Divided():
            return {"should": "not be divided" if remark.right == 1 else f"be divided by {remark.right}"}
        case Scaled():
            return {"factor": digits(remark.factor)}
        case FailsWhenever():
            return {"conditions": [_condition_text(condition) for condition in remark.conditions]}
        case _:
            return {}


def _condition_text(condition: Condition) -> str:
    text = OPERATIONS[condition.op].text if condition.kind == "has" else condition.op
    return _CONDITIONS[condition.kind].format(op=f"`{text}`" if text else "`sum`, `mean` or `max`")


_CONDITIONS = {
    "has": "that has {op}",
    "stretched": "in which a broadcast stretches an axis of length 1",
    "lacks_axes": "in which an operand of a broadcast has fewer axes than the result",
    "broadcast": "in which an operand is broadcast",
    "several_axes": "in which the axis of {op} is a tuple",
    "negative_axis": "in which the axis of {op} is negative",
    "keeps_axes": "in which {op} has `keepdims=True`",
    "drops_axis": "in which {op} has an axis, without `keepdims=True`",
    "has_axis": "in which {op} has an axis",
    "batches": "in which an operand of `@` has more than two axes",
    "not_square": "in which an operand of `@` is not square",
    "vector": "in which an operand of `@` has one axis",
    "repeats": "in which an index takes a number more than once",
    "cyclic": "in which `transpose` moves axes in such a way that a second `transpose` does not move them back",
    "unequal_parts": "in which `concat` joins arrays of different lengths",
}


def of_answers(names: Sequence[str], explanation: str) -> str:
    """Return the explanation of some wrong answers of a function, with their names."""
    return f"This is about {enumerated(names)} alone. {explanation}"


def _axes(axes: Sequence[int]) -> str:
    """Return the names of axes: `axis 0`, or `axes 0 and 2`."""
    return f"{'axis' if len(axes) == 1 else 'axes'} {enumerated([str(axis) for axis in axes])}"


def _given_back(type_name: str | None) -> str:
    """Return the object that a function returned: the name of a type, or None with its usual cause."""
    return _NONE if type_name == "None" else str(type_name)


def digits(value: Shown) -> str:
    """Return a number with up to six digits. Text is returned unchanged."""
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0 turns -0 into 0


_NONE = "None, as a function without `return` does"
_REMARKS: dict[str, str] = {
    "int_leaves": "the numbers of the leaves are ints, such as 2",
    "in_place": "each operation is written in place: `x = a; x += b`",
    "starting_from": "starting from {grads}",
    "second_pass": "in {after:?a second backward pass, after a first one that began at {after}|the second pass}",
    "built_again": ("in a second pass, after the gradients of the leaves were set to 0 and the graph was built again"),
    "released": "when no variable holds a node other than the leaves and the root",
    "rules_run_again": "{clear:?after {clear}, }in the second pass, which starts from L.grad = {upstream}",
    "cleared": "after {function}",
    "rule_tripled": (
        "the grader changed the rule of {node} so that its contributions should triple"
        "{ignored:?, but the gradients are those that are right without this change}"
    ),
    "not_summed": (
        "the gradient of {node} has the shape {shape}, and {node} has {right}: "
        "`{user}` broadcasts {node}, and the gradient is not summed over {axes}"
    ),
    "averaged": "`{user}` broadcasts {node}, and the gradient of {node} is the mean over {axes}; it should be the sum",
    "one_slice": (
        "`{user}` broadcasts {node}, and the gradient of {node} has one of the contributions along {axes}; "
        "it should have their sum"
    ),
    "reshaped": "the gradient of {node} has the right numbers in the shape {shape}; {node} has the shape {right}",
    "transposed": "the gradient of {node} is transposed",
    "nothing_received": "{node} receives nothing from `{user}`",
    "ignores_upstream_array": (
        "the contribution of `{user}` to {node} ignores the upstream gradient: it is as if all its numbers were 1"
    ),
    "spread_along": (
        "the upstream gradient of `{user}` is spread along axis {axis} of {node}; "
        "it should be spread along axis {right}"
    ),
    "divided": "`{user}` gives {node} the upstream gradient divided by {by}; it should {should}",
    "scaled": "the gradient of {node} is {factor} times the right one",
    "repeated_index": (
        "`{user}` takes a number of {node} more than once, and the gradient of {node} has one of the contributions; "
        "it should have their sum"
    ),
    "spread_to_all": (
        "each number of {node} receives the upstream gradient of `{user}`; only the largest numbers should receive it"
    ),
    "not_moved_back": (
        "the contribution of `{user}` to {node} has its numbers in the order of `{user}`; "
        "they should be in the places where {node} has them"
    ),
    "only_one_use": (
        "the gradient of {node} is the contribution of `{user}` alone; the other contributions should be added to it"
    ),
    "one_of_two_uses": (
        "`{user}` uses {node} twice, and the gradient of {node} has the contribution of one use; it should have both"
    ),
    "not_in_place": (
        "the contribution of `{user}` to {node} has the right numbers, but not in the places where {node} has them"
    ),
    "other_part": (
        "`{user}` gives {node} part {part} of the upstream gradient; it should give part {right}, counted from 0"
    ),
    "largest_of_all": (
        "only the largest number of {node} receives the upstream gradient of `{user}`; "
        "the largest number along the axis should receive it"
    ),
    "summed_over_all": (
        "`{user}` broadcasts {node}, and the gradient of {node} is the sum over all axes; "
        "it should be the sum over {axes} alone"
    ),
    "other_product": (
        "with G for the upstream gradient of `{user}`, {node} receives {formula}; it should receive {right}"
    ),
    "one_array": (
        "the gradients of {node} and {other} are one array, so `+=` to one of them changes the other as well"
    ),
    "fails_whenever": (
        "of {count:program}, your code {stops:?stops|is wrong} in each {conditions: or }, and in no other"
    ),
    "int_gradient": "the gradient of {node} is an array of integers ({type})",
    "depends_on_order": "wrong in {runs}",
    "data_changed": "{by} changed the data",
    "no_gradient_changed": "after the backward rules ran, every gradient was the same as before",
    "nothing_stored": "no local derivatives were recognised in the result of `*` (or of `+`, if there is no `*`)",
    "no_rules": "no backward rule was found on the nodes, and this check has to observe the rules",
    "gave_none": f"an operation returned {_NONE}",
    "seed_changed": "{root}.grad is {found} at the end; a backward pass starts with {root}.grad = 1",
    "ran_twice": "the `_backward` of {node} ran more than once",
    "never_ran": "the `_backward` of {nodes} never ran",
    "not_called": "without `()`, {rules} {written:calls|call} no function",
    "ones_at_first": "these numbers follow if every gradient is 1 at first; only {root}.grad should be 1 at first",
    "ran_early": (
        "the `_backward` of {node} ran before that of {user}, which had not yet added its contribution to {gradient}"
    ),
    "changed": "{function} changed the {what} of {node}",
    "after_call": "after {second:?a backward pass and }{call}",
    "holds_input": "{node} has an input; a leaf has none, so that it keeps no graph in memory",
    "list_changed": (
        "{function} removed nodes from the list that it was given, or added some; the caller still needs the list"
    ),
    "returned": "{function} returned {given}; expected {expected:number}",
    "unnoticed": (
        "{function} returned True, but backward() gives {gradient} = {given}, and torch gives {right}: {fault}"
    ),
    "right_refused": "{function} returned False, but the gradients of backward() are right: {grads}",
    "no_truth": "{function} returned {type}; expected True or False",
    "numbers_changed": "{function} changed the list of numbers that it was given; the caller still needs the list",
    "not_right": (
        "not right yet: {numbers}{signed:?; the sign of {signed} is wrong}{exchanged:?; {exchanged} are exchanged}"
    ),
    "no_list": "build_topo returned {given}; it should return a list of nodes",
    "disordered": "a node is missing, is in the list twice, or comes before one of its inputs",
    "no_node": (
        "the list holds something that is not a node of this graph, perhaps a number or a node from an earlier call"
    ),
    "listed_twice": "{node} is in the list more than once",
    "not_listed": "{node} is missing from the list{equal:?; {equal}, which is in the list, has the same value}",
    "unrelated": "{node} is in the list, but {root} is not computed from it",
    "before_input": "{node} comes before its input {input}",
}

# the fault of a backward pass that a function has not noticed
_FAULTS: dict[PassFault, str] = {
    "factor": "a gradient has a wrong factor",
    "sign": "a gradient has the wrong sign",
    "lost": "one of two contributions is lost",
    "small": "a gradient is wrong in the fourth digit",
    "swapped": "two gradients are swapped",
    "missing": "an input gets no gradient",
    "extra": "an input without influence gets a gradient",
    "cancelling": "some gradients are wrong, but the sum of all is right",
}

# -- an engine's names, and what its code attempted ------------------------------------------------------

# about the names that were recognised in an engine
names_taken = Sentence(
    "the engine is the class `{cls}`, with the value in `{data}`, the gradient in `{grad}` and "
    "{inputs:?the inputs in `{inputs}`|no list of a node's inputs}"
)


def refused_calls(names: Sequence[str]) -> str:
    """Return a sentence about the system calls that the sandbox refused."""
    return f"the sandbox refused system calls that the code made: {', '.join(f'`{name}`' for name in names)}"


# -- the overall result: total, lateness, penalty and decisions ------------------------------------------

# titles and labels of the page with a learner's feedback
page_title = Sentence("{course}: feedback for {name}")
code_title = Sentence("Code{file:?: {file}}")
DECISIONS = "Decisions"
NOTES = "Notes"
COMMENT = "Comment"
YOURS, EXPECTED, EXAMPLE, PRINTED = "yours", "expected", "for example ", "printed"

# the parts of a result
points_text = Sentence("{score}/{most}{bonus:? +{bonus}}", "score most bonus", bonus=0)
bonus_text = Sentence("+{score}")
part_text = Sentence("{title}: {score}/{most}{bonus:? + {bonus} bonus}", "title score most bonus", bonus=0)
line_text = Sentence("line {line}")
grade_text = Sentence("{grade:?Grade: {grade}.}")
result_text = Sentence("{name}: {total} of {most:point}")
excused_text = Sentence("{name}: excused from this assignment; the points do not count")


def sum_text(row: Learner) -> str:
    """Return a sentence about the parts of the total, or an empty text if there is only one part."""
    parts = [f"{counted(row.score, 'point')} for the exercises"]
    if row.bonus:
        parts.append(f"plus {counted(row.bonus, 'bonus point')}")
    if row.penalty:
        why = "for lateness" if row.late_s else "as a penalty"
        parts.append(f"minus {counted(row.penalty, 'point')} {why}")
    return f"Total: {', '.join(parts)}." if len(parts) > 1 else ""


def time_text(row: Learner) -> str:
    """Return a sentence about time of submission, due date and lateness, or an empty text if no time is known."""
    at, due = instant(row.submitted_at), instant(row.due)
    if at is None:
        return ""
    text = f"Submitted {_clock(at)} ({at.tzinfo})"
    if due is not None:
        # both in the zone of the due date, in which the class was told it
        text = f"Submitted {_clock(at.astimezone(due.tzinfo))}, due {_clock(due)} ({due.tzinfo})"
    if not row.late_s:
        return f"{text}."
    costs = f"{counted(row.penalty, 'point')} taken off" if row.penalty else "no points taken off"
    return f"{text}: {_how_late(row)}, {costs}."


def penalty_title(row: Learner) -> str:
    """Return the title of a penalty in a list of check results."""
    return "Late penalty" if row.late_s else "Penalty"


def penalty_text(row: Learner) -> str:
    """Return a sentence about the points that are taken off, with the reason."""
    why = f"Submitted {_how_late(row)}: " if row.late_s else ""
    verb = "is" if row.penalty == 1 else "are"
    return f"{why}{counted(row.penalty, 'point')} {verb} taken off."


def _how_late(row: Learner) -> str:
    """Return how late a submission is. If exercises have due dates of their own, name those that are late."""
    by_time: dict[int, list[str]] = {}
    for exercise, seconds in row.late.items():
        by_time.setdefault(seconds, []).append(exercise)
    # exercises that are late by the same time are named together
    named = [f"{' and '.join(names)} {late_text(seconds)}" for seconds, names in by_time.items()]
    return ", ".join(named) or late_text(row.late_s)


def late_text(seconds: int) -> str:
    """Return how late a submission is, such as `1 day 3 hours late`."""
    return f"{duration_text(seconds)} late"


def _clock(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M")


def status_text(status: str) -> str:
    """Return the word for the status of a check or an exercise."""
    return status.replace("_", " ")


def check_decided(score: int, most: int, by: str, at: str, why: str) -> str:
    """Return a text about a decision on the points of a check: who made it, and why."""
    return f"decided: {score} of {counted(most, 'point')} ({by}, {at[:10]}: {why})"
