"""The sentences for a learner about their code, such as findings, exceptions and ends of processes, and its result.

The sentences about fault facts are in `facts`, and those of the commands in `practice`.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from msgspec import structs

from ..base.text import counted, instant, of_type
from ..course.learners import Learner
from ..course.program import BINARY, METHODS, REFLECTED, number_text
from ..course.remarks import (
    Averaged,
    CellStart,
    DataChanged,
    DependsOnOrder,
    Died,
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
    Shown,
    StartingFrom,
    Stopped,
    Unnoticed,
    tag_of,
)
from .facts import orders_text, place
from .sentence import Sentence, duration_text, filled

# -- repairs ------------------------------------------------------------------------------------------

searching = Sentence("searching for the line that must change: {tried:change} tried")
_one_place = Sentence("A change of the statement in {place} alone makes {checks}.")
_one_edit = Sentence("A change of {both:?both|the} statements in {places} makes {checks}.")
_added_after = Sentence("One statement added after {places: or } makes {checks}.")
_added_in = Sentence("One statement added to `{name}` makes {checks}.")
_many_places = Sentence("Each of {count} statements in {lines} can be changed alone to make {checks}.")
_edit_seen = Sentence("This edit makes {checks}:")
_several_places = Sentence("Each of these statements can be changed alone to make {checks}: {places:; }.")
_one_function = Sentence("With `{name}` alone replaced by a correct one, every required check passes.")
_no_place = Sentence("None of the {tried:change} that were tried makes every required check pass.")
_ended: dict[str, str] = {
    "count": "The search for the line that must change reached its limit. It found none in {tried:change}.",
    "waiting": "The search for the line that must change was ended, because changed code did not stop waiting.",
    "time": "The search for the line that must change was ended, because it took too long.",
}
_MOST_PLACES = 4  # places that are named one by one
_LONGEST_BLOCK = 20  # lines
_ALL = "every required check pass"
_NOT_ALL = "but no change was found that makes every required check pass"
_FIRST = f"the first failing check pass, {_NOT_ALL}"
_LATER = f"another failing check pass ({{title}}), {_NOT_ALL}"
_ONE = f"one failing check pass, {_NOT_ALL}"
SEARCH_ENDED = "The search for the line that must change was ended before all changes were tried."


# The report's classes import this module for their texts, so only their form is known here.
class _Added(Protocol):
    """An edit that adds a statement to a function after a line."""

    @property
    def lines(self) -> Sequence[int]: ...
    @property
    def function(self) -> str: ...


class _TitledCheck(Protocol):
    """A check of an exercise."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...


class _Repairs(Protocol):
    """The result of a search for the line that must change."""

    @property
    def places(self) -> Sequence[Sequence[int]]: ...
    @property
    def functions(self) -> Sequence[str]: ...
    @property
    def added(self) -> "Sequence[_Added]": ...
    @property
    def check(self) -> str: ...


def repairs_text(found: _Repairs, cells: Sequence[CellStart] = (), failed: Sequence[_TitledCheck] = ()) -> str:
    """Say which lines were changed so that checks passed, or nothing if none was found.

    Args:
        cells: as in a report.
        failed: the checks that failed, the one that is shown first.
    """
    # which checks pass with the edits
    checks = _ONE if found.check else _ALL
    for number, check in enumerate(failed):
        if check.id == found.check:
            checks = filled(_LATER, {"title": check.title}) if number else _FIRST
    # an edit of one place
    if len(found.places) == 1:
        (lines,) = found.places
        if len(lines) == 1:
            return _one_place(place(cells, *lines), checks)
        return _one_edit(len(lines) == 2, _listed(lines, cells), checks)
    # a statement that is missing
    after = list(dict.fromkeys(place(cells, one.lines[0]) for one in found.added))
    if len(after) == 1:
        return _added_after(after, checks)
    if after and not found.functions:
        functions = {one.function for one in found.added}
        return _added_in(min(functions).rpartition(".")[2], checks) if len(functions) == 1 else ""
    # several places, of which each may be the one: by name if they are few, or as one short block
    if 1 < len(found.places) <= _MOST_PLACES:
        return _several_places(checks, [_listed(lines, cells) for lines in found.places])
    every = sorted(line for lines in found.places for line in lines)
    near = every and every[-1] - every[0] < _LONGEST_BLOCK and not cells
    if near and all(len(lines) == 1 for lines in found.places):
        return _many_places(len(every), place(cells, every[0], every[-1]), checks)
    # a function is named if no lines can be
    if len(found.functions) == 1 and not found.check:
        return _one_function(found.functions[0].rpartition(".")[2])
    return ""


def _listed(lines: Sequence[int], cells: Sequence[CellStart]) -> str:
    """Return the names of lines: `lines 5, 6 and 9`, `lines 5 to 9`, or `cell 1, line 5, and cell 2, line 4`."""
    if len(lines) == 1 or cells:
        return ", and ".join(place(cells, line) for line in lines)
    if len(lines) > 2 and lines[-1] - lines[0] == len(lines) - 1:
        return f"lines {lines[0]} to {lines[-1]}"
    return f"lines {_and([str(line) for line in lines])}"


def edit_seen(check: str) -> str:
    """Return the sentence before the lines of an edit: it makes checks pass.

    Args:
        check: the failed check that passes with the edit. If it is empty, every required check passes.
    """
    return _edit_seen(_ONE if check else _ALL)


def no_repairs_text(tried: int, ended: str) -> str:
    """Say that no change was found, and why if the search ended before all changes were tried.

    Args:
        ended: the limit at which the search ended, as in a report, or empty.
    """
    return filled(_ended[ended], {"tried": tried}) if ended else _no_place(tried)


# for each kind of edit, a question about the statements that an edit of this kind changes; `where` names them
_QUESTIONS: dict[str, str] = {
    "accumulate": "What happens to the {stored} when {where} {places:runs|run}?",
    "assigned": "Which variable or attribute has another value after {where} {places:has|have} run?",
    "sign": "Which numbers {places:does|do} {where} negate or subtract, and for which ones is that right?",
    "operator": "Which operations {places:does|do} {where} carry out, and which ones are needed there?",
    "operands": "Which value belongs in which position in {where}?",
    "factor_dropped": "Is every part of the expression in {where} needed? Which one is not?",
    "constant": "Which constant is in {where}, and which value is needed there?",
    "comparison": "For which values is the comparison in {where} true, and for which should it be true?",
    "step": "What is computed in {where} for a negative number and for a positive one? What is needed there?",
    "reversed": "Which item comes first in {where}, and which one should come first?",
    "name": "Which name or number in {where} is not the one that is needed there?",
    "factor_added": "Which factor is missing in {where}?",
    "condition": "When is the condition in {where} true, and when should it be true?",
    "called": "Which functions {places:does|do} {where} call?",
    "added": "Which step is missing in `{name}`{places:?, after {where}|}?",
    "deleted": "What would be different without the {places:statement|statements} in {where}?",
    "moved": "When {places:does the statement|do the statements} in {where} run, and how often? When should "
    "{places:it|they} run?",
    "expression": "What is the value of each part of the expression in {where}, and which value is needed?",
    "grafted": "What {places:does|do} {where} do, part by part, and what should be done there?",
    "function": "Follow `{name}` step by step on the program of the failing check. Which step is wrong?",
}
_STORED = "value that was stored before"
# an assignment to a name or an attribute, also an augmented one such as `+=`
_TARGET = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?:[-+*/]|\*\*)?=(?!=)")


def repair_question(
    kind: str, lines: Sequence[int], function: str, source: Sequence[str], cells: Sequence[CellStart] = ()
) -> str:
    """Return a question about the place where an edit of a kind made checks pass. The question does not tell the edit.

    Args:
        kind: the kind of the edit.
        lines: the first line of each statement that it changes.
        function: the name of the function that it replaces, or empty.
        source: the lines of the file.
        cells: as in a report.
    """
    # the assigned names, if every statement is an assignment; otherwise the question names none
    found = [_TARGET.match(source[line - 1]) for line in lines if line <= len(source)]
    targets = dict.fromkeys(one[1] for one in found if one) if all(found) else {}
    noun = "gradient" if all(one.endswith(".grad") for one in targets) else "value"
    already = f"{noun} that is" if len(targets) == 1 else f"{noun}s that are"
    fields = {
        "places": [*lines],
        "where": _listed(lines, cells) if lines else "",
        "stored": f"{already} already in {_and([f'`{one}`' for one in targets])}" if targets else _STORED,
        "name": function.rpartition(".")[2],
    }
    return filled(_QUESTIONS[kind], fields)


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
            return {"nodes": _and([remark.node, *remark.others])}
        case NotCalled():
            return {"rules": _and([f"`{one}`" for one in remark.written])}
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
                "signed": _listing(remark.opposite),
                "exchanged": _listing(remark.exchanged),
            }
        case NoList():
            return {"given": _given_back(remark.type)}
        case NotSummed():
            return {"axes": _axes(remark.axes), "shape": str(remark.shape), "right": str(remark.right)}
        case Reshaped():
            return {"shape": str(remark.shape), "right": str(remark.right)}
        case Averaged() | OneSlice():
            return {"axes": _axes(remark.axes)}
        case _:
            return {}


def of_answers(names: Sequence[str], explanation: str) -> str:
    """Return the explanation of some wrong answers of a function, with their names."""
    return f"This is about {_and(names)} alone. {explanation}"


def _axes(axes: Sequence[int]) -> str:
    """Return the names of axes: `axis 0`, or `axes 0 and 2`."""
    return f"{'axis' if len(axes) == 1 else 'axes'} {_and([str(axis) for axis in axes])}"


def _given_back(type_name: str | None) -> str:
    """Return the object that a function returned: the name of a type, or None with its usual cause."""
    return _NONE if type_name == "None" else str(type_name)


def digits(value: Shown) -> str:
    """Return a number with up to six digits. Text is returned unchanged."""
    return value if isinstance(value, str) else f"{value + 0.0:.6g}"  # + 0.0 turns -0 into 0


def _listing(names: Sequence[str]) -> str:
    """Return names as a list in a sentence; an empty text for none."""
    return _and(names) if names else ""


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


_NONE = "None, as a function without `return` does"
_REMARKS: dict[str, str] = {
    "int_leaves": "the leaves are ints, as in `Value(2)`",
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

# -- ended processes ---------------------------------------------------------------------------------


def ended_text(ended: Died | Reason) -> str:
    """Return a sentence about the reason why no usable answer came."""
    seconds, count = counted(float(ended.seconds or 0), "second"), ended.count or 0
    fields = {"seconds": seconds, "count": count, "mb": (ended.limit_kb or 0) >> 10, "cpu": ended.clock == "cpu"}
    return filled(_ENDED[ended.kind], {**structs.asdict(ended), **fields})


_ENDED: dict[str, str] = {
    "answer_too_large": "the answer from your code's process is larger than the {limit_kb} KB that this check allows",
    "budget": "the submission has used up the {seconds} of {cpu:?CPU }time that it may use in total",
    "cpu_limit": (
        "your code used more than {seconds} of CPU time, and could not be interrupted; is there a very large "
        "computation in one step, or an `except` that catches everything?"
    ),
    "exited": "your code's process ended before it answered (os._exit, or out of memory?)",
    "killed": "your code's process was ended by {signal}",
    "left_out": "your code's process returned no results for some of the expressions that it was given",
    "not_reloaded": "the file loaded once, but not a second time",
    "output_too_large": "your code printed more than {mb} MB",
    "protocol_error": "your code's process gave no valid answer: {detail}",
    "unanswered": "not run: {count:earlier run} gave no answer in time",
    "wall_limit": "no answer within {seconds}",
}


# -- stopped code ------------------------------------------------------------------------------------

calls_itself = Sentence(
    "`{written}` calls the function that it is written in. Perhaps you meant `{meant}`",
    "written meant",
)


def stopped_text(stopped: Stopped, cells: Sequence[CellStart] = ()) -> str:
    """Return a sentence about the problem, the learner's own lines, and the usual cause. The innermost line is last.

    Args:
        cells: the cells of a notebook. They name its lines, as in `cell 3, line 5`.
    """
    if stopped.notebook:
        return (
            "this file is a Jupyter notebook (JSON) with the name of a Python file; rename it so that it ends in .ipynb"
        )
    # An exception has the usual cause only if the learner's own code raised it. In the steps of
    # `_BY_GRADER`, the grader computes with what is in the nodes, and may raise the same exception.
    certain = stopped.kind == "raised" and not stopped.unfilled and (stopped.in_file or stopped.where not in _BY_GRADER)
    usual = explain(stopped.type, stopped.message, [text for _, text in stopped.lines]) if certain else None
    # the line has an operator, but the error is in the method that Python calls for it
    if usual and stopped.operand and stopped.type == "AttributeError":
        operation, operand, method = stopped.operand
        usual = f"{usual}; `{operation}` calls `{method}`, because `{operand}` is a node"
    if stopped.meant:
        usual = calls_itself(*stopped.meant)
    if stopped.kind == "module":
        usual = "the file is run alone: it can import neither other packages nor your other files"
    sentence = " ".join(_sentence(stopped).split())
    return "\n".join(
        [sentence, *(f"{place(cells, n)}: {line}" for n, line in stopped.lines), *([usual] if usual else [])]
    )


# the grader's action, by step, when learner code raised outside of its own file
_DONE: dict[str, str] = {
    "load": "the file was run",
    "reading": "a few nodes were made to find out how the engine works",
    "build": "this was computed",
    "values": "the values were read",
    "grads": "the gradients were read",
    "backward": "the backward pass was called",
    "pass_or_rules": "the backward pass was run",
    "preload": "the gradients were set",
    "local_rules": "the backward rules were run one at a time",
    "triple": "a backward rule was replaced",
    "watch": "the backward rules were watched",
    "call": "your function was called",
    "anew": "the graph was built again from the same leaves",
    "build_again": "the graph was built again from the same leaves",
    "release": "all nodes except the leaves and the root were released",
    "inputs": "the inputs were read",
    "given_list": "the list was read",
    "given_numbers": "the list was read",
    "log": "your code was watched",
    "events": "what was watched was read",
    "train": "`train` was called",
}


# the steps in which the grader itself computes with the contents of nodes
_BY_GRADER = ("local_rules", "pass_or_rules", "preload", "triple", "watch")


_UNFILLED = "this part is still to be filled in"
_STOPPED: dict[str, str] = {
    "calls": (
        "stopped: your code called its functions too often; is there an endless loop or recursion, or work that is "
        "done again and again?"
    ),
    "cpu": ("stopped: your code ran out of CPU time; is there an endless loop, or work that is done again and again?"),
    "stalled": ("stopped: your code waited for {seconds} seconds without computing anything; what is it waiting for?"),
    "exit": "your code ends the program (sys.exit, exit or quit)",
    "module": "{message}",
    "syntax": "Python cannot parse the file: {message}",
}


def _sentence(stopped: Stopped) -> str:
    # kinds that have a sentence of their own
    if stopped.kind == "shape":
        return _shape_text(stopped)
    if stopped.kind == "not_offered":
        return _absent(*stopped.names)
    if stopped.kind == "wants_argument":
        return wants_argument(*stopped.names)
    if stopped.kind in _STOPPED:
        seconds = stopped.counts[0] if stopped.counts else 0
        return filled(_STOPPED[stopped.kind], {"message": stopped.message, "seconds": seconds})
    # exceptions: the one that a stub raises, and then all others
    if stopped.unfilled and stopped.begun:
        return "this part still raises NotImplementedError; remove that line once the part is filled in"
    if stopped.unfilled:
        return _UNFILLED
    if stopped.type == "MemoryError":
        return "your code asked for more memory than a check may use"
    # addresses differ between runs, and the same file must have the same report
    message = re.sub(r"\b0x[0-9a-f]{8,16}\b", "0x…", stopped.message)
    text = f"{stopped.type}: {message}" if message else stopped.type
    if stopped.in_file:
        return f"your code raised {text}"
    return f"when {_DONE.get(stopped.where, 'your code was run')}, Python said: {text}"


def _absent(method: str, user: str = "") -> str:
    """Say that an engine does not define the method of an operation, and which of its methods uses the operation."""
    used = f", which your `{user}` uses" if user else ""
    for op, name in METHODS.items():
        if method == name:
            return f"your engine has no `{BINARY.get(op, '-x')}`{used}: define `{method}`"
        if method == REFLECTED.get(op):
            return f"your engine has no `{BINARY[op]}` for a number on the left{used}: define `{method}`"
    return f"your engine has no `{method}` that takes a node and returns one: define a method `{method}`"


wants_argument = Sentence("`{method}` was not run: it takes an argument besides `self`, and checks call it without one")

# -- files that cannot be read as an engine -----------------------------------------------------------


def _shape_text(about: Stopped) -> str:
    """Say why a file cannot be read as an engine."""
    first, second = [*about.names, "", ""][:2]
    one, other = [*about.counts, 0, 0][:2]
    types = {f"{place}_type": name and of_type(name) for place, name in (("first", first), ("second", second))}
    return filled(_SHAPES[about.type], {"names": about.names, "first": first, "one": one, "other": other, **types})


# `first` is the first of the names, `one` and `other` are the counts
_SHAPES: dict[str, str] = {
    "no_class": "the file has no class `Value`, and no other class that defines `+` and `*`",
    "several_classes": "which class is the engine? It could be any of {names}; call one of them Value",
    "no_value": "a leaf has no attribute that holds its value; store the value in `data`",
    "several_values": "which attribute holds the value? It could be any of {names}; call it `data`",
    "no_gradient": "a leaf has no attribute that holds its gradient; store the gradient in `grad`",
    "several_gradients": "which attribute holds the gradient? It could be any of {names}; call it `grad`",
    "gradient_not_set": (
        "`{first}` of a node is a property without a setter, and no attribute behind it was found; "
        "the grader has to set gradients, so store the gradient in an attribute"
    ),
    "gradient_is": "`{first}` of a node is {second_type}; the grader needs a number there",
    "no_backward": "a node has no method `backward()`",
    "several_passes": "which function is the backward pass? It could be any of {names}; call it `backward`",
    "backward_is_rule": (
        "`{first}` of a node is its own rule; no function `backward(root)` runs the rules of all nodes"
    ),
    "no_function": "there is no function `{first}` in the file",
    "no_node": "an operation returned {first_type} instead of {second_type}",
    "makes_no_list": "`{first}` returned {second_type}; it should return a list of nodes",
    "makes_others": "`{first}` returned {one:item}; it should return {other}",
    "changes_list": "`{first}` changed a list that it was given; the caller still needs the list",
    "nothing_to_call": "a node made by an operation has no `{first}` to call",
    "rule_is_none": "`_backward` of the result is None; `out._backward = _backward`, without `()`, stores the closure",
    "no_rule": (
        "no backward rule was recognised in the result of `*` (or of `+`, if there is no `*`). "
        "{names:?Its attributes are {names}|It has no attributes}. A rule is a "
        "function, or a tuple or list of local derivatives (the values of the inputs do not count as such)"
    ),
    "pass_stops": (
        "this check runs the rule of one operation, and none was recognised. backward() on "
        "`{other:?(a * b) * c|(a + b) + c}` changes {one:?{one}|none} of the 3 gradients of a, b and c"
    ),
    "contributions": "the backward rule of a node gave {one:contribution} for {other:input}",
    "derivatives": "a node stores {one:local derivative} in `{first}` for {other:input}",
    "no_row": "`{first}` of a node is {second_type}; it should be a tuple or a list of the node's inputs",
    "no_derivatives": (
        "`{first}` of a node is {second_type}; it should be a tuple or a list with a local derivative for each input"
    ),
    "no_pairs": "not every entry in `{first}` of a node holds an input and a local derivative",
    "unclear_writes": (
        "this check runs the rule of one operation, and the grader could not tell which rule adds to which gradient in "
        "backward(). It can if the result of an operation keeps its rule: a function, or its local derivatives"
    ),
    "no_number": "backward() sets a gradient to something that is not a number",
}

# -- usual exceptions ---------------------------------------------------------------------------------

# as Python names the operators in its messages
_REFLECTED = {f"{BINARY[op]} or pow()" if op == "pow" else BINARY[op]: method for op, method in REFLECTED.items()}


class _Usual(NamedTuple):
    """An exception and what it usually means. The sentence must be true whenever Python gives such a message.

    Attributes:
        kind: the type of the exception.
        message: a pattern for its message. Its groups are filled in.
        text: the sentence.
        line: a pattern for one of the shown lines, or an empty text.
    """

    kind: str
    message: str
    text: str
    line: str = ""


# The first entry that fits is used, so the special cases of an exception come before the others.
_USUAL = (
    _Usual(
        "TypeError",
        r"'NoneType' object is not callable",
        "the `_backward` of this node is None",
        r"^\w+\._backward\(\)$",
    ),
    _Usual("TypeError", r"'NoneType' object is not callable", "the object that is called here is None"),
    _Usual(
        "AttributeError",
        r"'NoneType' object has no attribute '(\w+)'",
        "the object before .{0} is None; the usual cause is an operation or a function without `return`",
    ),
    _Usual(
        "TypeError",
        r"unsupported operand type\(s\) for .*'NoneType'",
        "at least one operand is None; the usual cause is an operation or a function without `return`, or a "
        "gradient that was set to None",
    ),
    _Usual(
        "TypeError",
        r"'NoneType' object is not iterable",
        "this is None where a list is needed; the usual cause is a function without `return`, or a method such as "
        "list.append() or list.reverse(), which returns None",
    ),
    _Usual(
        "AttributeError",
        r"'(int|float)' object has no attribute '(\w+)'",
        "the object before .{1} is a plain number ({0})",
    ),
    _Usual(
        "NameError",
        r"name '(math|numpy|np|random)' is not defined",
        "the import of {0} is missing at the top of the file",
    ),
    _Usual(
        "NameError",
        r"name '(Value)' is not defined",
        "the name {0} does not exist before the end of the class; in an annotation, write it in quotes: '{0}'",
        r"^class Value\b",
    ),
    _Usual("NameError", r"name '(\w+)' is not defined", "no variable, function or import is called {0} here"),
    _Usual("UnboundLocalError", r"'(\w+)'", "{0} is assigned inside this function, so Python looks it up only there"),
    _Usual(
        "TypeError",
        r"_backward\(\) takes 0 positional arguments but",
        "this `_backward` is defined without parameters, but is called with an argument",
    ),
    _Usual("TypeError", r"^(\w+)\(\) takes no arguments", "{0} has no `__init__` (two underscores on each side)"),
    _Usual(
        "TypeError",
        r"\w\.\w+\(\) takes (?:0 positional arguments but 1 was|1 positional argument but 2 were) given",
        "a method gets the object before the dot as its first argument, self",
    ),
    _Usual(
        "TypeError",
        r"unsupported operand type\(s\) for (\+|-|\*|/|\*\* or pow\(\)): '(?:int|float)' and",
        "when the left operand is a number, Python looks for {reflected} in the right operand",
    ),
    _Usual(
        "TypeError",
        r"unsupported operand type\(s\) for (\+|-|\*\*|\*|/)(?: or pow\(\))?: '([A-Z]\w*)' and '(\w+)'",
        "`{0}` is not defined for {1} and {2}; is the number inside meant?",
    ),
    _Usual(
        "TypeError",
        r"'(?!int|float)\w+' object is not iterable",
        "(self) is not a tuple; a tuple of one element needs a comma: (self,)",
        r"[(,]\s*\(\s*\w+\s*\)",
    ),
    _Usual("TypeError", r"'(\w+)' object is not iterable", "a single {0} is used where a list or a tuple is needed"),
    _Usual("EOFError", r"", "`input()` has nothing to read while your code is graded: remove it", r"\binput\("),
    _Usual(
        "KeyError", r"pdb", "a debugger cannot be used while grading: remove this call", r"\bbreakpoint\(|\bset_trace\("
    ),
    _Usual(
        "ModuleNotFoundError",
        r"",
        "use an `import` statement: it finds every module that is available while grading",
        r"\b(?:__import__|import_module)\b",
    ),
    _Usual("OverflowError", r"^math range error$", "exp of a number above 709 is too large for a float", r"\bexp\("),
    _Usual("RecursionError", r"", "a function calls itself too deeply, directly or through other functions"),
    _Usual("NotImplementedError", r"", _UNFILLED),
)


def explain(type_name: str, message: str, lines: Sequence[str] = ()) -> str | None:
    """Return a sentence about the meaning of an exception, or None if there is none for it.

    Args:
        type_name: the name of the exception's type.
        message: the message of the exception.
        lines: the learner's own lines in the traceback; long ones are cut.
    """
    for usual in _USUAL:
        match = re.search(usual.message, message) if usual.kind == type_name else None
        if match and (not usual.line or any(re.search(usual.line, line) for line in lines)):
            groups = match.groups()
            return usual.text.format(*groups, reflected=_REFLECTED.get(groups[0], "") if groups else "")
    return None


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

DECISIONS = "Decisions"
NOTES = "Notes"
COMMENT = "Comment"
YOURS, EXPECTED, EXAMPLE, PRINTED = "yours", "expected", "for example ", "printed"
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


def check_decided(score: int, most: int, by: str, at: str, why: str) -> str:
    """Return a text about a decision on the points of a check: who made it, and why."""
    return f"decided: {score} of {counted(most, 'point')} ({by}, {at[:10]}: {why})"


page_title = Sentence("{course}: feedback for {name}")


def status_text(status: str) -> str:
    """Return the word for the status of a check or an exercise."""
    return status.replace("_", " ")


points_text = Sentence("{score}/{most}{bonus:? +{bonus}}", "score most bonus", bonus=0)
bonus_text = Sentence("+{score}")
part_text = Sentence("{title}: {score}/{most}{bonus:? + {bonus} bonus}", "title score most bonus", bonus=0)
line_text = Sentence("line {line}")

code_title = Sentence("Code{file:?: {file}}")
grade_text = Sentence("{grade:?Grade: {grade}.}")
