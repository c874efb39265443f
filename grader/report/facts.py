"""Fault facts in a learner's words."""

from msgspec import UNSET

from ..diagnosis import Fact
from .model import FaultFact

_SHAPES = {
    "add": "`a + b`",
    "sub": "`a - b`",
    "radd": "`n + a` (n a number)",
    "rsub": "`n - a` (n a number)",
    "rmul": "`n * a` (n a number)",
    "rdiv": "`n / a` (n a number)",
    "mul": "`a * b`",
    "div": "`a / b`",
    "pow": "`a ** n`",
    "neg": "`-a`",
    "relu": "`relu(a)` with a > 0",
    "relu_below_zero": "`relu(a)` with a < 0",
    "tanh": "`tanh(a)`",
    "exp": "`exp(a)`",
    "log": "`log(a)`",
    "sigmoid": "`sigmoid(a)`",
}
_SOMETIMES = "This happens in some runs only: it depends on the order in which nodes are made or a set is walked."
_OF_TWO = ("add", "sub", "mul", "div")


def fault_fact(fact: Fact) -> FaultFact:
    """Return a fact as a report holds it."""
    return FaultFact(
        fact.kind,
        fact_text(fact),
        fact.operation or UNSET,
        fact.input or UNSET,
        fact.expected or UNSET,
        fact.found or UNSET,
        fact.lines or UNSET,
        fact.program or UNSET,
        fact.node or UNSET,
        fact.other or UNSET,
        fact.upstream or UNSET,
        fact.sometimes or UNSET,
    )


def fact_text(fact: Fact) -> str:
    """Return a fact in sentences."""
    if not fact.operation:
        said = " ".join(_of_pass(fact).split())  # a program's text has several blanks
        return f"{said} {_SOMETIMES}" if fact.sometimes else said
    where = f" ({_lines(fact.lines)})" if fact.lines else ""
    if fact.kind in ("value", "contribution"):
        return " ".join(_of_numbers(fact, where).split())
    return f"In `L = {_SHAPES[fact.operation][1:]}{where}, {_of_operation(fact)}"


def _lines(lines: tuple[int, int]) -> str:
    first, last = lines
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _of_numbers(fact: Fact, where: str) -> str:
    text, _, numbers = fact.program.partition("with")
    if fact.kind == "value":
        return f"In `{text.strip()}` with {numbers}, L.data is {fact.found}. It should be {fact.expected}."
    given = f"with {numbers} and L.grad = {fact.upstream}"
    return (
        f"In `{text.strip()}`{where}, {given}, {fact.input} receives {fact.found}. It should receive {fact.expected}."
    )


def _of_operation(fact: Fact) -> str:
    both = fact.operation in _OF_TWO and not fact.input
    name = fact.input or "a"
    to = "the contribution to each input" if both else f"the contribution to {name}"
    match fact.kind:
        case "overwrites":
            inputs = "a.grad and b.grad" if both else f"{name}.grad"
            return f"the rule sets {inputs}{f' to {fact.found}' * bool(fact.found)}. It should add to what is there."
        case "gives_other":
            return f"the result is {fact.found}. It should be a node."
        case "depends_on_gradients":
            return f"what {name} receives depends on gradients that are there already.{_should(fact, both)}"
        case "gives_input":
            return f"the result is {'a or b' if fact.operation in _OF_TWO else 'a'} itself, and no new node."
        case "rule_is_none":
            return (
                f"L.{fact.found} is None, so no rule of L can run. `L.{fact.found} = f` stores a function f; "
                "`f()` would be what f returns."
            )
        case "no_rule":
            return "L has the same backward rule as a leaf, and running it adds nothing."
        case "nothing_added" if both:
            return "the rule adds nothing to a.grad and b.grad."
        case "nothing_added":
            return f"the rule adds nothing to {name}.grad."
        case "no_upstream":
            return f"{to} does not depend on the upstream gradient L.grad.{_should(fact, both)}"
        case "upstream_added":
            return f"the upstream gradient L.grad is added to the local derivative.{_should(fact, both)}"
        case "sign" if both:
            return "the contributions to a and b have the wrong sign."
        case "sign":
            return f"{to} has the wrong sign."
        case "factor":
            return f"{to} is {fact.found} times what it should be."
        case "swapped":
            return "a receives the contribution of b, and b that of a."
        case "parentheses":
            return f"only a part of the local derivative is multiplied by L.grad.{_should(fact, both)}"
        case "local_derivative" if both:
            return f"each input receives {_times(fact.found)}.{_should(fact, both)}"
        case _:
            return f"{name} receives {_times(fact.found)}.{_should(fact, both)}"


def _should(fact: Fact, both: bool) -> str:
    if both or not fact.expected:
        return " It should be the local derivative times L.grad."
    return f" It should be {_times(fact.expected)}."


def _times(factor: str) -> str:
    """A factor times the upstream gradient."""
    if factor in ("0", "1"):
        return {"0": "0", "1": "L.grad"}[factor]
    if factor == "-1":
        return "-L.grad"
    sum_ = " + " in factor or " - " in factor
    bare = factor.replace("(n - 1)", "").replace("(1 - L)", "").replace("(1 - a)", "")
    return f"({factor}) * L.grad" if sum_ and (" + " in bare or " - " in bare) else f"{factor} * L.grad"


def _of_pass(fact: Fact) -> str:
    match fact.kind:
        case "single_precision":
            return f"All {fact.found} have single precision (float32). Use double precision, which Python's float has."
        case "not_seeded":
            return "After backward() every gradient is 0, that of the root too. The root's should be 1."
        case "all_cleared":
            return "Rules add to gradients during backward(), and after it every gradient is 0."
        case "seed":
            return f"After backward() on {fact.program}, the root's gradient is {fact.found}. It should be 1."
        case "no_rule_ran":
            return "backward() runs none of the rules that nodes have."
        case "nothing_propagated":
            return "After backward() only the root has a gradient: nothing was propagated."
        case "stops_at":
            return f"After backward() on {fact.program}, {fact.node} has the right gradient, but its inputs have 0."
        case "ran_twice":
            return f"In {fact.program}, the rule of {fact.node} runs more than once."
        case "never_ran":
            return f"In {fact.program}, the rule of {fact.node} does not run."
        case "ran_early":
            return f"In {fact.program}, the rule of {fact.node} runs before that of its user {fact.other}."
        case _:
            return f"In {fact.program}, a second backward() gives other gradients, though all were set back to 0."
