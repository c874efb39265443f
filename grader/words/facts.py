"""The sentences for fault facts, which are data of `grader.course.facts`."""

import re
from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from ..course.facts import FactKind, FaultFact
from ..course.program import FORMS, METHODS
from ..course.remarks import CellStart
from .sentence import filled

# The sentences, by kind. Their fields are those of a fact, of `_fields`, and of `_rule_fields` for facts about a rule.
_OF_RULES: dict[FactKind, str] = {  # after the operation and the place of its rule
    "overwrites": (
        "the rule sets {both_grads}{found:? to {found}} instead of adding to {them}.{node:? So does the rule of every "
        "other operation that was tried. All of them call `{node}` ({helper}).}"
    ),
    "gives_input": "the result is {any_input} itself, not a new node.",
    "rule_is_none": (
        "L.{found} is None, so no rule of L can run. `L.{found} = f` stores a function f; "
        "`L.{found} = f()` stores what f returns."
    ),
    "no_rule": "L has the same backward rule as a leaf, and running it adds nothing.{stored}",
    "nothing_added": "the rule adds nothing to {any_grad}.",
    "no_upstream": "{contribution} does not depend on the upstream gradient L.grad.{should}",
    "upstream_added": "the upstream gradient L.grad is added to the local derivative.{should}",
    "sign": "{contributions_have} the wrong sign.",
    "factor": "{contribution} is {found} times what it should be.",
    "local_derivative": "{each} receives {product}.{should}",
    "swapped": "a receives the contribution that b should receive, and b receives the one that a should receive.",
    "gradient_for_value": "{each} receives {product}.{should}",
    "parentheses": "only a part of the local derivative is multiplied by L.grad.{should}",
    "depends_on_gradients": "{contribution} depends on existing gradients.{should}",
    "upstream_cleared": "the rule sets L.grad, its upstream gradient, to 0.",
}
OF_TRAINING: dict[FactKind, str] = {
    "gradients_left": "`zero_grad` {leaves} the gradient of {which}.",
    "gradients_set": "`zero_grad` sets every gradient to {found}. It should be {expected}.",
    "values_set": "`zero_grad` sets values to {found}. It should leave the values as they are.",
    "values_left": "`step` {leaves} the value of {which}.",
    "steps_by": "`step` sets p.data to `{found}`. It should be `{expected}`.",
    "rebound": (
        "`{node}` makes new nodes with the moved values. The parameters, which the loss is computed from, keep their "
        "values."
    ),
    "stale_loss": "`train` calls {stale} after a step. The graph of a loss keeps the values with which it was built.",
    "passed_twice": "`train` calls backward() twice on the same loss, with no step in between.",
    "never_passed": "`train` does not call backward().",
    "other_root": "`train` calls backward() on another node than the one that loss_of() returns.",
    "passes_taken": "In a training of {expected} steps, `train` calls backward() {moves}.",
    "moved_early": "`train` moves the parameters {early}.",
    "not_cleared": (
        "When {passes_that} in `train` begins, {one:?the gradient of {which} is|the gradients are} not 0. "
        "The pass adds to {one:?it|them}."
    ),
    "cleared_early": "`train` sets the gradients to 0 after backward() and before the step, so nothing moves.",
    "never_moved": "`train` changes the value of no parameter.",
    "some_left": "`train` {leaves} the value of {which}.",
    "moved_apart": (
        "After a backward(), `train` moves some parameters, and the others after the next one. All should move after "
        "the same backward()."
    ),
    "moved_again": "`train` moves the parameters more than once after the same backward().",
    "other_rate": "In a training at rate {expected}, `train` takes its steps at {rates}.",
    "steps_taken": "In a training of {expected} steps, `train` moves the parameters {moves}.",
    "losses_late": "`train` returns the loss after each step. It should return the loss before each step.",
    "losses_kept": "A second call of `train` returns the losses of the first call, too.",
}
_PARAMETERS = {"all": "any parameter", "first": "the first parameter", "last": "the last parameter"}
_ONLY = {"not_first": "first", "not_last": "last"}  # what remains if all parameters but these are meant
_EARLY = {
    "first": "before the first backward(), by the gradients that they had before",
    "loss": "between loss_of() and the backward() of this loss",
}
_PASSES = {
    "first": "the first backward()",
    "later": "each backward() after the first",
    "some": "a later backward()",
}
_STALE = {"1": "loss_of() once, and backward() on this loss again"}
SENTENCES: dict[FactKind, str] = {
    **OF_TRAINING,
    **{kind: f"In {{operation_text}}{{where}}, {sentence}" for kind, sentence in _OF_RULES.items()},
    # numbers of an operation
    "gives_other": (
        "In {shown:?`{shown}` with {numbers}|{operation_text}}, the result is {found}. It should be a node."
    ),
    "value": "In `{shown}` with {numbers}, L.data is {found}. It should be {expected}.",
    "contribution": (
        "In `{shown}`{where}, with {numbers} and L.grad = {upstream}, {each} receives {found}. "
        "It should receive {expected}.{other:? In `{elsewhere}` with {other_numbers}, it receives the right "
        "contribution.}"
    ),
    "wrong_gradient": (
        "After backward() on {program_text}, {grads: and } {grads:is|are} {found}. "
        "{grads:It|They} should be {right: and }."
    ),
    "shifted": (
        "In `{shown}` with {numbers}, {node}.grad is the gradient for {node} {found} in place of {node}. An added "
        "number, however small, changes the gradient."
    ),
    # the whole engine, and the backward pass
    "single_precision": "All {found} have single precision (float32). Use double precision, as Python's float does.",
    "not_seeded": (
        "After backward() every gradient is {found:?0 or None|0}, even the root's. The root's gradient should be 1."
    ),
    "all_cleared": "Rules add to gradients during backward(), but afterwards every gradient is 0.",
    "seed": "After backward() on {program}, the root's gradient is {found}. It should be 1.",
    "no_rule_ran": "After backward() only the root has a gradient. No rule ran.",
    "nothing_propagated": "After backward() only the root has a gradient. All others are 0.",
    "all_ones": "After backward() every gradient is 1. Only the root's gradient should be set to 1.",
    "stops_at": "After backward() on {program}, {node} has the right gradient, but the gradients of its inputs are 0.",
    "ran_twice": "In {program}, the rule of {node} runs more than once.",
    "never_ran": "In {program}, the rule of {node} does not run.",
    "ran_early": "In {program}, the rule of {node} runs before that of its user {other}.",
    "second_pass": (
        "In {program}, a second call to backward() computes different gradients, although all gradients were set back "
        "to 0 before it."
    ),
}


def fact_text(fact: FaultFact, cells: Sequence[CellStart] = ()) -> str:
    """Return a fact in sentences.

    Args:
        cells: the cells of a notebook. They name its lines, as in `cell 3, line 5`.
    """
    fields = {**msgspec.structs.asdict(fact), **_fields(fact)}
    if fact.operation:
        fields |= _rule_fields(fact, cells)
    text = filled(SENTENCES[fact.kind], fields)
    if fact.orders:
        text += f" This was seen in {orders_text(*fact.orders)}."
    return " ".join(text.split())  # a program's text contains several spaces in a row


def _fields(fact: FaultFact) -> dict[str, object]:
    """Return the fields for sentences about programs, and about gradients after a backward pass."""
    # a program with values has the form `L = a * b    with a = 2, b = 3`
    shown, _, numbers = fact.program.partition("with")
    elsewhere, _, other_numbers = fact.other.partition("with")
    # Every field gets a text for every kind of fact. A template names those with a meaning for it.
    return {
        # a program, and gradients after a backward pass on it
        "shown": shown.strip(),
        "numbers": numbers,
        "elsewhere": elsewhere.strip(),
        "other_numbers": other_numbers,
        "program_text": _operation_text(fact.operation) if fact.operation else f"`{fact.program}`",
        "grads": [f"{leaf}.grad" for leaf in fact.input.split(",")],
        "right": [*dict.fromkeys(fact.expected.split(","))],
        # a training
        "which": _PARAMETERS.get(_ONLY.get(fact.other, fact.other), "some parameters"),
        "early": _EARLY.get(fact.found, _EARLY["first"]),
        "passes_that": _PASSES.get(fact.found, "each backward()"),
        "one": fact.other in ("first", "last"),
        "stale": _STALE.get(fact.found, "backward() on the same loss again"),
        "leaves": "changes only" if fact.other in _ONLY else "does not change",
        "moves": {"1": "once", "2": "twice"}.get(fact.found, f"{fact.found} times"),
        "rates": f"{fact.found} times the rate" if fact.other == "times" else f"a rate of {fact.found}",
    }


def _rule_fields(fact: FaultFact, cells: Sequence[CellStart]) -> dict[str, str]:
    """Return the fields for sentences about the rule of an operation. They differ if a fact is about both inputs."""
    two = len(FORMS[fact.operation].derivatives) == 2
    # a fact without an input holds for all inputs
    both = two and not fact.input
    name = fact.input or "a"
    expected = "the local derivative times L.grad" if both or not fact.expected else _times(fact.expected)
    each = "each input" if both else name
    contribution = f"the contribution to {each}"
    at = place(cells, *fact.lines) if fact.lines else ""
    return {
        "operation_text": _operation_text(fact.operation),
        "where": f" ({at})" if at and not fact.node else "",
        "helper": at,
        "each": each,
        "contribution": contribution,
        "contributions_have": "the contributions to a and b have" if both else f"{contribution} has",
        "any_input": "a or b" if two else "a",
        "both_grads": "a.grad and b.grad" if both else f"{name}.grad",
        "any_grad": "a.grad or b.grad" if both else f"{name}.grad",
        "them": "them" if both else "it",
        "product": _times(fact.found),
        "should": f" The contribution should be {expected}.",
        "stored": _stored(fact),
    }


def _operation_text(form: str) -> str:
    """Return the text of an operation, such as "`L = n * a` (n a number)" and "`L = relu(a)` with a > 0"."""
    of = FORMS[form]
    number = " (n a number)" if of.reflected else ""
    return f"`L = {of.text}`{number}" + (f" with {of.condition}" if of.condition else "")


def _stored(fact: FaultFact) -> str:
    """Return a sentence about the function that the operation's method defines as the rule, if it is known."""
    if not fact.found:
        return ""
    method = METHODS.get(fact.operation, fact.operation)
    if fact.other:
        return f" `{method}` stores `{fact.found}` in `{fact.other}`, and not on the result."
    return f" `{method}` defines `{fact.found}`, but does not store it on the result."


def _times(factor: str) -> str:
    """Return the text of a factor times the upstream gradient."""
    special = {"": "", "0": "0", "1": "L.grad", "-1": "-L.grad"}
    if factor in special:
        return special[factor]
    outside = factor
    # innermost parentheses first; a sum that is left is not in parentheses yet
    while (shorter := re.sub(r"\([^()]*\)", "", outside)) != outside:
        outside = shorter
    return f"({factor}) * L.grad" if " + " in outside or " - " in outside else f"{factor} * L.grad"


# -- parts of sentences, which remarks have too


def orders_text(some: int, of: int) -> str:
    """Return a text about the runs in which something was observed."""
    why = "runs differ in the order of nodes and of any sets, and a later one may meet what an earlier one left"
    return f"{some} of {of} runs ({why})"


def place(cells: Sequence[CellStart], first: int, last: int | None = None) -> str:
    """Return the place of lines in a text: `line 5`, `lines 5 to 9`, or `cell 3, line 5` in a notebook."""
    # the last cell that begins at this line or before it; lines are counted from its beginning
    at = bisect_right(cells, first, key=lambda start: start.line) - 1
    shift = cells[at].line - 1 if at >= 0 else 0
    lines = f"line {first - shift}" if last in (None, first) else f"lines {first - shift} to {(last or 0) - shift}"
    return f"cell {cells[at].cell}, {lines}" if at >= 0 else lines


_PLACES = re.compile(r"\blines? \d+(?:(?:,? and |, | or | to )\d+)*")
_RANGE = re.compile(r"lines? (\d+)(?: to (\d+))?")


def line_parts(text: str) -> list[tuple[str, tuple[int, int] | None]]:
    """Split a sentence at the lines of a file that it names, as `place` and the sentences about repairs name them.

    Returns:
        Pieces of the text. A piece that names lines has the first and the last of them: `line 5`, `lines 5 to 9`, and
        each number of `lines 5, 7 and 9`.
    """
    parts: list[tuple[str, tuple[int, int] | None]] = []
    end = 0
    for match in _PLACES.finditer(text):
        named = match[0]
        whole = _RANGE.fullmatch(named)
        spans = [whole] if whole else list(re.finditer(r"\d+", named))
        for one in spans:
            first, last = (one[1], one[2] or one[1]) if whole else (one[0], one[0])
            start = match.start() + one.start()
            parts += [(text[end:start], None), (one[0], (int(first), int(last)))]
            end = match.start() + one.end()
    return [part for part in [*parts, (text[end:], None)] if part[0]]
