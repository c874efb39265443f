"""Fault facts: statements about one operation, or about `backward()`, derived from observations alone.

There are three kinds of observations. Each has a batch of programs to run, and a function that derives facts from the
answer:

| batch             | observations                                                        | facts            |
|-------------------|---------------------------------------------------------------------|------------------|
| `rule_probes`     | the grader runs the rule of one operation, without `backward()`     | `rule_facts`     |
| `pass_probes`     | `backward()` runs on programs of + and *; the rules are watched     | `pass_facts`     |
| `gradient_probes` | `backward()` runs on each operation alone, and on small programs    | `gradient_facts` |

A fact about a contribution holds for every set of numbers that was tried, for two upstream gradients, and both with and
without existing gradients. The kind `contribution` is the exception: the numbers fit no known form, so the fact quotes
one set of numbers.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import chain, filterfalse, pairwise, starmap, takewhile
from typing import NamedTuple, TypeAlias

import msgspec

from ...base.text import of_type
from ...course.facts import FaultFact
from ...course.load import Limits
from ...course.program import FORMS, METHODS, Form, Op, Program, number_text, program
from ...runner.client import (
    RAN_OUT,
    Batch,
    Broke,
    Done,
    Grads,
    Numbers,
    Observed,
    Odd,
    Read,
    Reading,
    Ruled,
    Run,
    Traced,
    Values,
    ask,
)
from ..checks.outcome import CheckOutcome, close, in_single_precision, nearly
from .formula import formula
from .training import function_of

# upstream gradients of the first two runs and of the third one, for each set of numbers
_UPSTREAM = (2.5, -1.5, 0.75, 3.5, -2.25, 1.75, -3.25, 1.25)
_ANOTHER = (-0.5, 4.0, -3.0, 1.25, 0.5, -4.0, 2.75, -1.75)
# existing gradients of the two inputs in the second run
_ALREADY = (
    *((5.0, -7.0), (-3.0, 4.5), (11.0, 6.0), (-2.25, 9.0)),
    *((7.0, -1.5), (-6.0, 8.0), (3.25, -8.5), (-12.0, 2.75)),
)
# The rule has to run without an error for the first four sets of numbers. If it raises an error for
# a later set, the facts are about the sets before it.
_FIRST_SETS = 4
_LONGEST = 80  # the most characters of names that a fact quotes from the file
_ENOUGH = 3  # the fewest sets of numbers for a fact about an input; the fewest programs for one about `backward()`
# operations that many engines compose of others, such as `a - b` as `a + -b`
_MADE_OF_OTHERS = frozenset(name for name, form in FORMS.items() if form.made_of)
NOTHING_ADDED = ("no_rule", "nothing_added")  # the kinds of facts that say that no contribution is added
# facts that keep their lines even if operations share the rule: the fault is in the shared lines
_OF_RULE = ("overwrites", "no_upstream")
# facts about an operation that hold whatever its rule is
_OF_RESULT = ("single_precision", "value", "gives_other", "gives_input")
# If the observed local derivative is one of these, the fact says so. Otherwise, a constant factor
# is the simpler thing to say.
_SIMPLE_LOCALS = ("1", "a", "b", "n", "L")
_PER_INPUT = ("no_upstream", "upstream_added", "parentheses")  # one fact for both inputs, even if `expected` differs
_WATCHED = ("add", "mul")  # the operations of the programs with which `backward()` is tested
# facts about `backward()` that hold even if the rule of + or * is wrong; a wrong rule may cause all others
_OF_PASS_ALONE = ("not_seeded", "all_cleared", "seed", "no_rule_ran", "ran_twice", "ran_early")

_CHAIN = program("L = (a * b) * c", a=2, b=-3, c=10)
_EXISTING = tuple(enumerate((3.0, 5.0, 7.0, 11.0)))  # existing gradients of all nodes of `_CHAIN` but the root
# programs of several operations, with the right gradients of the leaves; `_LEAF_VALUES` has the values of the leaves
_COMPOSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("L = a + a", ("2",)),
    ("L = a * a", ("2 * a",)),
    ("y = a * b; L = y * c", ("b * c", "a * c", "y")),
    ("y = a + b; L = y * y", ("2 * y", "2 * y")),
    ("y = a + b; L = y * c + y", ("c + 1", "c + 1", "y")),
    ("y = a + b; L = y + y * c", ("1 + c", "1 + c", "y")),
    ("L = a - a", ("0",)),
    ("L = a / a", ("0",)),
)
_LEAF_VALUES = (
    *((2.0, -3.0, 1.7), (1.5, 0.7, -2.2), (-4.0, 2.5, 0.6), (0.75, -1.25, -3.1)),
    *((-0.5, 1.75, -0.3), (0.3, -2.6, 2.4), (-2.3, -0.4, -1.4), (-1.4, 3.6, 0.9)),
)
_PASS_PROGRAMS = (  # the programs with which `backward()` is tested
    program("L = a + b", a=2, b=-3),
    program("L = a * b", a=2, b=-3),
    _CHAIN,
    program("y = a * b; L = y * b + y", a=2, b=3),
    program("y = a + b; L = ((y + b) + b) + y", a=2, b=3),
    program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
)


def operation_of(fact: FaultFact) -> str | None:
    """Return the operation that a fact is about, as programs name it; None for a fact about `backward()`."""
    return FORMS[fact.operation].op if fact.operation else None


# -- the programs to run --------------------------------------------------------------------------


@cache
def rule_probes(limits: Limits) -> Batch:
    """Return the batch in which the grader runs the rule of each operation alone."""
    runs = [run for name in FORMS for runs in _rule_runs(FORMS[name]) for run in runs]
    return Batch(tuple(runs), limits.calls, limits.cpu_s, order_seeds=(0,))


@cache
def pass_probes(limits: Limits, shown: Program | None = None) -> Batch:
    """Return the batch that tests `backward()`.

    First, each program has a run with its rules watched. Then each has a run with two passes in a row. The last run of
    the batch starts with gradients other than 0, which every rule that runs would change.

    Args:
        shown: the program that the learner sees. If it is as small as the others, it comes first.
    """
    programs = _pass_programs(shown)
    look = (ask.VALUES, ask.GRADS, ask.INPUTS, ask.TRACED)
    # a watched pass shows the order of rules; `preload` sets all gradients to 0, so those at the end
    # are of the second pass alone
    watched = [Run(p, (ask.WATCH, ask.Backward(p.root), *look)) for p in programs]
    twice = [
        Run(p, (ask.Backward(p.root), ask.GRADS, ask.Preload(), ask.Backward(p.root), ask.GRADS)) for p in programs
    ]
    from_others = Run(_CHAIN, (ask.Preload(_EXISTING), ask.Backward(_CHAIN.root), ask.GRADS))
    return Batch((*watched, *twice, from_others), limits.calls, limits.cpu_s)


def _pass_programs(shown: Program | None) -> tuple[Program, ...]:
    """Return the programs of `pass_probes`: those of `_PASS_PROGRAMS`, after `shown` if it fits among them."""
    if shown is None or not 0 < len(shown.nodes) <= max(len(p.nodes) for p in _PASS_PROGRAMS):
        return _PASS_PROGRAMS
    if any(isinstance(node, Op) and node.op not in _WATCHED for node in shown.nodes):
        return _PASS_PROGRAMS
    return (shown, *(p for p in _PASS_PROGRAMS if p != shown))


def _rule_runs(form: Form) -> Iterator[tuple[Run, Run, Run]]:
    """Yield three runs for each set of numbers.

    Gradients are 0 in the first run. In the second one there are existing gradients. The third one has another
    upstream gradient.
    """
    for x, upstream, another, already in zip(form.numbers, _UPSTREAM, _ANOTHER, _ALREADY, strict=False):
        p = _program(form, x)
        existing = [*zip(range(p.root), already, strict=False)]
        yield (
            Run(p, (ask.VALUES, ask.LookAtRule(p.root), ask.Preload(), ask.LocalRules(p.root, upstream), ask.GRADS)),
            Run(p, (ask.Preload(existing), ask.LocalRules(p.root, upstream), ask.GRADS)),
            Run(p, (ask.Preload(), ask.LocalRules(p.root, another), ask.GRADS)),
        )


def _program(form: Form, x: Sequence[float]) -> Program:
    """Return the program of an operation for a set of numbers, such as `L = a * b`."""
    text = form.text.replace("n", number_text(x[-1])) if len(x) > len(form.derivatives) else form.text
    return program(f"L = {text}", **dict(zip("ab"[: len(form.derivatives)], x, strict=False)))


# -- facts about the rule of an operation ----------------------------------------------------------


def rule_facts(answer: Read, source: str, shown: Program | None) -> tuple[FaultFact, ...]:
    """Return the facts about each operation's rule, simple operations first.

    There are no facts about an operation that is composed of others (`a - b` as `a + -b`).

    Args:
        answer: the answer to `rule_probes`.
        source: the text of the learner's file. Line numbers beyond its end are dropped.
        shown: the program that the learner sees. Facts about its operations come first.
    """
    # numbers of single precision are a fact of their own, and then compared less strictly
    single = _single_precision(answer.seeds[0])
    outcomes = iter([_singles(outcome) for outcome in answer.seeds[0]] if single else answer.seeds[0])
    rules = _RuleFacts(source, answer.reading)
    for form in FORMS.values():
        tries = [tuple(next(outcomes) for _ in range(3)) for _ in form.numbers]
        # further sets of numbers count up to the first that raises an error
        further = takewhile(lambda three: all(isinstance(o, Done) for o in three), tries[_FIRST_SETS:])
        tries = [*tries[:_FIRST_SETS], *further]
        rules.add(msgspec.structs.replace(form, numbers=form.numbers[: len(tries)]), tries)
    facts = [*rules.facts(), *([single] if single else [])]
    forms = _forms_in(shown) if shown else set()
    return tuple(sorted(facts, key=lambda fact: operation_of(fact) not in forms))


class _RuleFacts:
    """The facts about the rules of operations, derived from one operation after the other.

    Args:
        source: the text of the learner's file.
        reading: how the engine was read.
    """

    def __init__(self, source: str, reading: Reading) -> None:
        self._source = source
        self._reading = reading
        self._found: list[FaultFact] = []  # the facts so far, without those of the kind `upstream_cleared`
        self._clearing: list[FaultFact] = []  # the facts of this kind
        self._users: dict[tuple[int, int] | None, set[str]] = {}  # the operations whose rule has these lines

    def facts(self) -> list[FaultFact]:
        """Return all facts. If operations share a rule, a fact about it only has lines if its kind is in `_OF_RULE`."""
        # a rule may clear a gradient that is no longer needed, so that is a fault only if nothing else is
        found = self._found or self._clearing
        return [
            msgspec.structs.replace(fact, lines=None)
            if len(self._users.get(fact.lines, ())) > 1 and fact.kind not in _OF_RULE
            else fact
            for fact in found
        ]

    def add(self, form: Form, tries: Sequence[tuple[Done | Broke | None, ...]]) -> None:
        """Derive the facts about an operation from its three runs for each set of numbers.

        Call this for simple operations first, because the ones that use them may have their faults from them.
        """
        firsts = [first for first, *_ in tries]
        done = [tuple(o for o in three if isinstance(o, Done)) for three in tries]
        # look for a result without a rule, then for a wrong value, then for a wrong rule; each may
        # cause those after it, so only the first one found is certain
        if without := _without_rule(form.name, firsts, self._reading.rule_name):
            # the fault may be that of an operation that it uses
            if not (self._found and form.made_of):
                self._found.append(without)
        elif wrong := _wrong_value(form, firsts):
            # not again for another form of the operation, and not for one that may use a faulty simple one
            is_known = any(fact.kind == wrong.kind and fact.operation == form.op for fact in self._found)
            simple = any(not FORMS[fact.operation].made_of for fact in self._found)
            if not is_known and not (form.made_of and simple):
                self._found.append(wrong)
        elif all(len(three) == 3 for three in done):
            self._add_rule(form, done)

    def _add_rule(self, form: Form, done: Sequence[tuple[Done, ...]]) -> None:
        """Derive the facts about a rule that ran without an error, and whose values are right."""
        # the rule for each set of numbers; if any is not an own one, that one stands for all
        rules = [three[0].ruled[0] for three in done]
        rule = next(filterfalse(_is_own, rules), rules[0])
        # an operation may have a rule for each case, and then a fact about all cases has no lines
        places = [_lines(one, self._source.count("\n") + 1) for one in rules]
        lines = places[0] if len(set(places)) == 1 else None
        if not form.made_of:
            self._users.setdefault(lines, set()).add(form.op)
        if not self._is_certain(form, rule, lines):
            return
        facts = _merged(_of_operation(form, done), rule)
        if not facts and _is_own(rule) and _clears(done):
            self._clearing.append(FaultFact("upstream_cleared", operation=form.name, lines=lines))
        # the facts that are not known yet, of this operation or of another one with the same rule
        known = {one.kind for one in self._found if one.operation == form.op or (lines and one.lines == lines)}
        # a fact about one program has the lines of the rule that ran for it
        texts = [_program(form, x).shown for x in form.numbers]
        for fact in (fact for fact in facts if fact.kind not in known):
            at = places[texts.index(fact.program)] if fact.program else lines
            self._found.append(msgspec.structs.replace(self._completed(fact), lines=at))

    def _completed(self, fact: FaultFact) -> FaultFact:
        """Return a fact, to which the text of the file adds a function if the kind is `no_rule`."""
        return _with_function(fact, self._source, self._reading.rule_name) if fact.kind == "no_rule" else fact

    def _is_certain(self, form: Form, rule: Ruled, lines: tuple[int, int] | None) -> bool:
        """Return whether the rule that ran is certainly that of this operation."""
        if not form.made_of:
            return rule.alone or not self._found
        # Without lines, the rule may be the one of a known fact. If the engine stores no inputs, nodes that the
        # operation made in between are not recognised.
        shared = lines in self._users if lines else bool(self._found) or not self._reading.inputs
        return rule.alone and not shared and not (self._found and rule.state != "own")


def _is_own(rule: Ruled) -> bool:
    """Return whether a result has a rule of its own, and this rule alone ran."""
    return rule.state == "own" and rule.alone


def _clears(done: Sequence[tuple[Done, ...]]) -> bool:
    """Return whether the rule sets the upstream gradient to 0 in every run."""
    return all(outcome.grads[0][-1] == 0.0 for three in done for outcome in three)


def _with_function(fact: FaultFact, source: str, rule: str) -> FaultFact:
    """Return a fact about a result without a rule, with the function that the learner wrote as the rule.

    That is a function which the operation's method defines, and then does not use, or stores on one of its parameters
    instead of the result. If the method does anything else, or defines several functions, the fact is unchanged. The
    text of the method is only searched for names.

    Args:
        source: the text of the learner's file.
        rule: the name of the attribute in which results have their rule, or an empty text.
    """
    # the text of the method, up to the next line that is not indented more than its head
    heads = list(re.finditer(rf"^( *)def {METHODS.get(fact.operation, fact.operation)}\(([\w, ]*)\)", source, re.M))
    if len(heads) != 1 or not rule:
        return fact
    ((depth, parameters),) = (head.groups() for head in heads)
    rest = source[heads[0].end() :].split("\n")[1:]
    inside = [*takewhile(lambda line: not line.strip() or line.startswith(f"{depth} "), rest)]
    # the only function that it defines
    functions = [head[1] for line in inside if (head := re.match(r" *def (\w+)\(", line))]
    if len(functions) != 1 or len(functions[0]) + len(parameters) > _LONGEST:
        return fact
    (function,) = functions
    code = [line for line in inside if not line.lstrip().startswith("#")]
    if any(line.lstrip().startswith("@") for line in code):
        return fact  # a decorator may store the function
    # the lines after the `def` that name the function without an owner
    uses = [line for line in code if re.search(rf"(?<!\.)\b{function}\b", line)][1:]
    stored = [re.fullmatch(rf" *((\w+)\.{re.escape(rule)}) *= *{function} *(#.*)?", line) for line in uses]
    if not uses:
        return msgspec.structs.replace(fact, found=function)
    if len(stored) == 1 and stored[0] and stored[0][2] in re.split(r"[, ]+", parameters):
        return msgspec.structs.replace(fact, found=function, other=stored[0][1])
    return fact


def _forms_in(p: Program) -> set[str]:
    """Return the names in `FORMS` of a program's operations."""
    nodes = (node for node in p.nodes if isinstance(node, Op))
    return {node.op if isinstance(node.operands[0], int) else f"r{node.op}" for node in nodes}


def _without_rule(name: str, outcomes: Sequence[Done | Broke | None], rule_name: str) -> FaultFact | None:
    """Return the fact that a result is one of the inputs, or has None as its rule; None for neither."""
    states = {rule.state for o in outcomes if o is not None for rule in o.ruled}
    if states == {"input"}:
        return FaultFact("gives_input", operation=name)
    return FaultFact("rule_is_none", operation=name, found=rule_name) if states == {"none"} else None


def _wrong_value(form: Form, outcomes: Sequence[Done | Broke | None]) -> FaultFact | None:
    """Return a fact with the first set of numbers for which the result is not a node, or has a wrong value."""
    for x, outcome in zip(form.numbers, outcomes, strict=True):
        if outcome is None or not outcome.values:
            continue
        seen, right = outcome.values[0][-1], form.value(x)  # the root is the last node
        kind = of_type(seen.type) if isinstance(seen, Odd) else ""
        if kind and not outcome.ruled:
            return FaultFact("gives_other", operation=form.name, found=kind)
        if not _close(seen, right):
            found, expected = (kind, f"{right:.6g}") if isinstance(seen, Odd) else _apart(seen, right)
            return FaultFact(
                "value", operation=form.name, expected=expected, found=found, program=_program(form, x).shown
            )
    return None


def _single_precision(outcomes: Sequence[Done | Broke | None]) -> FaultFact | None:
    """Return the fact that all values, or all gradients, are in single precision and most are near the right ones."""
    values: list[tuple[float, Observed]] = []
    grads: list[tuple[float, Observed]] = []
    shapes = [(name, i) for name, form in FORMS.items() for i in range(len(form.numbers))]
    for (name, i), outcome in zip(shapes, outcomes[::3], strict=True):  # the first of each three runs
        if outcome is None:
            continue
        form = FORMS[name]
        x = form.numbers[i]
        value = form.value(x)
        values += [(value, seen[-1]) for seen in outcome.values]
        for seen in outcome.grads:
            right = [_UPSTREAM[i] * local for local in form.local(x, value)]
            grads += zip(right, seen, strict=False)
    for what, pairs in (("values", values), ("gradients", grads)):
        if in_single_precision([right for right, _ in pairs], [seen for _, seen in pairs]):
            return FaultFact("single_precision", found=what)
    return None


class _Single(float):
    """A number of single precision. `_close` compares it with a wider tolerance."""


def _singles(outcome: Done | Broke | None) -> Done | Broke | None:
    """Return an outcome in which all numbers are of single precision."""
    if outcome is None:
        return None
    results = [
        type(one)(Numbers(_Single(x) if isinstance(x, float) else x for x in one.numbers))
        if isinstance(one, Values | Grads)
        else one
        for one in outcome.results
    ]
    return msgspec.structs.replace(outcome, results=tuple(results))


def _lines(rule: Ruled, source_lines: int) -> tuple[int, int] | None:
    """Return the first and the last line of a rule; None if they are not in the file, or if other rules ran, too."""
    return (rule.first, rule.last) if rule.alone and 0 < rule.first <= rule.last <= source_lines else None


def _merged(facts: list[FaultFact], rule: Ruled) -> list[FaultFact]:
    """Return the facts with one fact for both inputs in place of two equal ones.

    If nothing is added and there is no rule, return `no_rule` alone.
    """
    alike: dict[FaultFact, list[FaultFact]] = {}
    for fact in facts:
        expected = "" if fact.kind in _PER_INPUT else fact.expected
        alike.setdefault(msgspec.structs.replace(fact, input="", expected=expected), []).append(fact)
    inputs = {fact.input for fact in facts}
    merged = [one if len(same) > 1 else same[0] for one, same in alike.items()]
    unary = len(FORMS[facts[0].operation].derivatives) == 1 if facts else False
    if rule.state != "own" and merged and all(fact.kind == "nothing_added" for fact in merged):
        return [FaultFact("no_rule", operation=facts[0].operation)] if unary or len(inputs) > 1 else []
    return merged


class _Sample(NamedTuple):
    """The observed contributions to one input, for one set of numbers.

    Attributes:
        x: The numbers.
        value: The value of the operation.
        local: The right local derivative.
        upstream: The upstream gradient of the first two runs.
        another: The upstream gradient of the third run.
        already: The existing gradient in the second run. It is 0 in the others.
        first: The gradient after the first run.
        second: The gradient after the second run.
        third: The gradient after the third run.
    """

    x: Sequence[float]
    value: float
    local: float
    upstream: float
    another: float
    already: float
    first: float
    second: float
    third: float

    def tries(self) -> Iterator[tuple[float, float]]:
        """Yield the upstream gradients of the runs without an existing gradient, each with the contribution."""
        yield self.upstream, self.first
        yield self.another, self.third


def _of_operation(form: Form, done: Sequence[tuple[Done, ...]]) -> list[FaultFact]:
    """Return the facts about each input of one operation; none if the values are wrong."""
    # the observations by input; a fact needs a number from every run
    inputs: list[list[_Sample]] = [[] for _ in form.derivatives]
    for i, (x, three) in enumerate(zip(form.numbers, done, strict=True)):
        value = form.value(x)
        if not _close(three[0].values[0][-1], value):
            return []
        for j, local in enumerate(form.local(x, value)):
            grads = [outcome.grads[0][j] for outcome in three]
            if not all(isinstance(grad, float) and math.isfinite(grad) for grad in grads):
                return _no_number(form, j, x, _UPSTREAM[i], local, grads[0])
            sample = _Sample(x, value, local, _UPSTREAM[i], _ANOTHER[i], _ALREADY[i][j], *grads)  # type: ignore[arg-type]
            inputs[j].append(sample)
    facts = [fact for j in range(len(inputs)) for fact in _of_input(form, j, inputs)]
    # for `*`, two facts with the formulas `a` and `b` say the same
    if len(inputs) == 2 and form.name != "mul" and _swapped(inputs):
        facts = [fact for fact in facts if fact.kind == "overwrites"] + [FaultFact("swapped", operation=form.name)]
    return facts


def _no_number(
    form: Form, j: int, x: Sequence[float], upstream: float, local: float, seen: Observed
) -> list[FaultFact]:
    """Return the fact that a contribution is nan, infinite or a complex number; none for other types."""
    if isinstance(seen, float):
        found = "" if math.isfinite(seen) else f"{seen}"
    else:
        found = "a complex number" if seen.type == "complex" else ""
    expected = f"{upstream * local + 0.0:.6g}"  # not -0
    return [_contribution(form, j, x, upstream, found, expected)] if found else []


def _contribution(form: Form, j: int, x: Sequence[float], upstream: float, found: str, expected: str) -> FaultFact:
    """Return the fact that input `j` receives a wrong contribution for one set of numbers."""
    return FaultFact(
        "contribution",
        operation=form.name,
        input="ab"[j],
        expected=expected,
        found=found,
        program=_program(form, x).shown,
        upstream=number_text(upstream),
    )


def _of_input(form: Form, j: int, inputs: Sequence[Sequence[_Sample]]) -> Iterator[FaultFact]:
    """Yield the facts about the contribution to input `j`."""
    samples, right = inputs[j], form.derivatives[j]
    if len(samples) < _ENOUGH:
        return
    fact = partial(FaultFact, operation=form.name, input="ab"[j])
    # what the rule does with an existing gradient: replace it, add to it as it should, or anything else
    overwrites = all(_close(sample.second, sample.first) for sample in samples)
    if not overwrites and not all(_close(sample.second, sample.already + sample.first) for sample in samples):
        if len(inputs) == 2 and _by_gradient(inputs, j):
            yield fact("gradient_for_value", expected=right, found=f"{'ba'[j]}.grad")
        else:
            yield fact("depends_on_gradients", expected=right)
        return
    zero = all(sample.first == 0.0 == sample.third for sample in samples)
    if overwrites:
        yield fact("overwrites", found="0" if zero and any(sample.local for sample in samples) else "")
    # the contribution itself
    if _fits(samples, _right):
        return
    if not zero:
        yield from _of_contribution(form, j, samples)
    elif not overwrites:
        yield fact("nothing_added")


def _of_contribution(form: Form, j: int, samples: Sequence[_Sample]) -> Iterator[FaultFact]:
    """Yield the facts about a wrong contribution to input `j`, which is not always 0."""
    fact, right = partial(FaultFact, operation=form.name, input="ab"[j]), form.derivatives[j]
    if any(sample.local for sample in samples) and all(_close(sample.first, sample.third) for sample in samples):
        yield fact("no_upstream", expected=right)
        return
    # a constant factor, if a formula would not say more than that
    factor = _factor(samples)
    if factor is not None and _close(factor, -1.0):
        yield fact("sign")
        return
    # whether to say `factor` at once. If the right derivative is the same for all numbers, the wrong
    # one is a constant, for which a formula may say more.
    constant = factor is not None and len({round(sample.local, 9) for sample in samples}) > 1
    # only a contribution that is proportional to the upstream gradient has a local derivative
    linear = _fits(samples, lambda sample, upstream: upstream * (sample.first / sample.upstream))
    known = None
    if linear and not constant:
        local = [sample.first / sample.upstream for sample in samples]
        known = _formula(form, local, [sample.value for sample in samples])
    if factor is not None and known not in _SIMPLE_LOCALS:
        yield fact("factor", expected="1", found=f"{factor:.6g}")
    # another local derivative, or another use of the upstream gradient
    elif known:
        yield fact("local_derivative", expected=right, found=known)
    elif _fits(samples, lambda sample, upstream: sample.local + upstream):
        yield fact("upstream_added", expected=right)
    elif _fits(samples, lambda sample, upstream: form.without_parentheses(j, sample.x, sample.value, upstream)):
        yield fact("parentheses", expected=right)
    else:
        yield from _first_wrong(form, j, samples)


def _first_wrong(form: Form, j: int, samples: Sequence[_Sample]) -> Iterator[FaultFact]:
    """Yield a fact with the first wrong contribution. If one is right, the fact has its set of numbers, too."""
    right = next((_program(form, sample.x).shown for sample in samples if _fits([sample], _right)), "")
    for sample in samples:
        for upstream, seen in sample.tries():
            if not _close(seen, upstream * sample.local):
                found, expected = _apart(seen, upstream * sample.local + 0.0)  # not -0
                wrong = _contribution(form, j, sample.x, upstream, found, expected)
                yield msgspec.structs.replace(wrong, other=right)
                return


def _apart(one: float, other: float) -> tuple[str, str]:
    """Return two different numbers as text, with at least six digits and enough to distinguish them."""
    texts = ((f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in (6, 9, 12, 17))
    return next((pair for pair in texts if pair[0] != pair[1]), (repr(one), repr(other)))


def _formula(form: Form, local: Sequence[float], values: Sequence[float]) -> str | None:
    """Return the formula of an observed local derivative, in the names of the operation's text."""
    names = dict(zip(form.letters, zip(*form.numbers, strict=True), strict=True))
    if form.name != "pow":
        return formula(local, (*names.items(), ("L", tuple(values))))
    names = {"n": names["n"], "n - 1": tuple(n - 1 for n in names["n"]), "a": names["a"]}
    known = formula(local, tuple(names.items()))
    return known and re.sub(r"a \*\* \(n \* (n|\(n - 1\))\)", r"L ** \1", known)  # L is a ** n


def _right(sample: _Sample, upstream: float) -> float:
    """Return the right contribution."""
    return upstream * sample.local


def _fits(samples: Sequence[_Sample], contribution: Callable[[_Sample, float], float]) -> bool:
    """Return whether the contributions are those of a function of the sample and the upstream gradient."""
    return all(_close(seen, contribution(sample, upstream)) for sample in samples for upstream, seen in sample.tries())


def _factor(samples: Sequence[_Sample]) -> float | None:
    """Return the constant by which the right contributions have to be multiplied to give the observed ones, or None."""
    if not all(sample.local for sample in samples):
        return None
    first, *others = (sample.first / (sample.upstream * sample.local) for sample in samples)
    constant = all(_close(factor, other) for factor, other in pairwise([first, *others]))
    return first if constant and _fits(samples, lambda sample, upstream: upstream * (first * sample.local)) else None


def _swapped(inputs: Sequence[Sequence[_Sample]]) -> bool:
    """Return whether each of two inputs receives the contribution of the other one."""
    pairs = [[(one, two), (two, one)] for one, two in zip(*inputs, strict=True)]
    exchanged = [one._replace(local=other.local) for both in pairs for one, other in both]
    return _fits(exchanged, _right) and not all(_fits(samples, _right) for samples in inputs)


def _by_gradient(inputs: Sequence[Sequence[_Sample]], j: int) -> bool:
    """Return whether input `j` receives the other input's gradient times the upstream gradient.

    The other input's gradient may be the one before the rule ran, or the one after it.
    """
    for one, other in zip(inputs[j], inputs[1 - j], strict=True):
        contributions = [one.upstream * grad for grad in (other.already, other.second)]
        if not any(_close(one.second, base + added) for added in contributions for base in (0.0, one.already)):
            return False
        # without existing gradients, the gradient of `b` is still 0 when the rule changes that of `a`
        if j == 0 and (one.first != 0.0 or one.third != 0.0):
            return False
    return True


# -- facts about `backward()` ----------------------------------------------------------------------


def pass_facts(answer: Read, rules: Collection[FaultFact], shown: Program | None) -> tuple[FaultFact, ...]:
    """Return the most important fact about `backward()`, or none.

    Args:
        answer: the answer to `pass_probes`.
        rules: the known facts about rules. If any is about + or *, no fact is derived from numbers.
        shown: the program that the learner sees. A fact about it comes before facts about other programs.
    """
    rule = answer.reading.rule
    programs = _pass_programs(shown)
    # the facts under each order seed; where a run is missing, the runs before it reached a limit
    complete = [seed for seed in answer.seeds if None not in seed] or answer.seeds
    by_seed = [_of_seed(programs, seed, not rule or rule in ask.WITHOUT_FUNCTION) for seed in complete]
    if any(fact.operation.removeprefix("r") in _WATCHED for fact in rules):
        by_seed = [[fact for fact in of_seed if fact.kind in _OF_PASS_ALONE] for of_seed in by_seed]
    holds = Counter(chain.from_iterable(map(set, by_seed)))
    facts = list(dict.fromkeys(chain.from_iterable(by_seed)))
    if not facts:
        return ()
    seeds = len(answer.seeds)
    about = shown.shown if shown else ""
    # choose a fact about the program that the learner sees, if there is one, and then one that holds
    # under every order seed
    first = min(facts, key=lambda fact: (fact.program not in ("", about), holds[fact] < seeds))
    orders = None if holds[first] == seeds else (holds[first], len(by_seed))
    stays_none = first.kind == "not_seeded" and answer.reading.grad_starts_as_none
    return (msgspec.structs.replace(first, orders=orders, found="None" if stays_none else first.found),)


def _of_seed(programs: Sequence[Program], seed: Sequence[Done | Broke | None], stored: bool) -> list[FaultFact]:
    """Return the facts about the backward pass under one order seed, most important first.

    Args:
        seed: the outcomes under that order seed.
        stored: whether the rules cannot be watched, because no function for each was found.
    """
    # the three parts of `pass_probes`
    watched, twice, from_others = seed[: len(programs)], seed[len(programs) : -1], seed[-1]
    # if watching breaks the engine, take the first passes of the runs that are not watched
    if not any(isinstance(outcome, Done) for outcome in watched):
        watched, stored = twice, True
    done = [(p, o) for p, o in zip(programs, watched, strict=True) if isinstance(o, Done)]
    kept = isinstance(from_others, Done) and list(from_others.grads[0][:-1]) == [grad for _, grad in _EXISTING]
    return (_of_pass(done, stored, not kept) or _of_second(programs, twice)) if len(done) >= _ENOUGH else []


@cache
def gradient_probes(limits: Limits, only: str) -> Batch:
    """Return the batch in which `backward()` runs on each operation alone, and on small programs of several.

    Args:
        only: an operation, or the text of a program of several, to run no other; an empty text for all.
    """
    programs = [p for *_, programs in _gradient_programs(only) for p in programs]
    runs = [Run(p, (ask.VALUES, ask.Backward(p.root), ask.GRADS)) for p in programs]
    return Batch(tuple(runs), limits.calls, limits.cpu_s)


def _gradient_programs(only: str) -> Iterator[tuple[str, Sequence[str], Sequence[Program]]]:
    """Yield an operation, or an empty text for several, with the right gradients of the leaves and the programs."""
    alone = [(name, form.derivatives, [_program(form, x) for x in form.numbers]) for name, form in FORMS.items()]
    alone = [one for one in alone if only in ("", one[0])]
    yield from (one for one in alone if one[0] not in _MADE_OF_OTHERS)
    for text, right in [one for one in _COMPOSED if only in ("", one[0])]:
        yield "", right, [program(text, **dict(zip("abc", x[: len(right)], strict=False))) for x in _LEAF_VALUES]
    yield from (one for one in alone if one[0] in _MADE_OF_OTHERS)


def gradient_facts(answer: Read, only: str) -> tuple[FaultFact, ...]:
    """Return the formulas of wrong gradients after `backward()`.

    Operations that are not composed of others come first. If their gradients are right, there are facts about one
    other program only.

    Args:
        answer: the answer to `gradient_probes`.
        only: as given to `gradient_probes`.
    """
    seeds = [iter(seed) for seed in answer.seeds]
    result: list[FaultFact] = []
    for name, right, programs in _gradient_programs(only):
        outcomes = [[next(seed) for _ in programs] for seed in seeds]
        if result and (not name or name in _MADE_OF_OTHERS):
            continue
        if name and name not in _WATCHED and answer.reading.rule not in ask.WITHOUT_FUNCTION:
            # The worker ran + and * before, to find the rules. If they are not where `WITHOUT_FUNCTION` says, the code
            # may keep state from these runs, which would look like a fault of another operation.
            continue
        first, *others = [_wrong_gradients(name, right, programs, seen) for seen in outcomes]
        result += first if all(facts == first for facts in others) else ()
    return tuple(result)


def of_results(facts: Iterable[FaultFact]) -> tuple[FaultFact, ...]:
    """Return the facts that hold whatever the rules of the operations are."""
    return tuple(fact for fact in facts if fact.kind in _OF_RESULT)


def rules_unused(rules: Read, passes: Read) -> bool:
    """Return whether `backward()` gives right gradients to the inputs of an operation whose rule alone adds nothing.

    Then `backward()` does not use what was taken for the rules. A pass in which each node collects its own gradient
    from its users is one of this kind.

    Args:
        rules: the answer to `rule_probes`.
        passes: the answer to `gradient_probes` for all operations.
    """
    tried = [_program(form, x).key for form in FORMS.values() for x in form.numbers]
    alone = dict(zip(tried, rules.seeds[0][::3], strict=True))  # the first of each three runs
    programs = [p for *_, programs in _gradient_programs("") for p in programs]
    for p, whole in zip(programs, passes.seeds[0], strict=True):
        rule, right = alone.get(p.key), expected_grads(p)[: p.root]
        if not (isinstance(rule, Done) and isinstance(whole, Done)) or {0.0, 1.0}.issuperset(right):
            continue  # 0 and 1 may be right by accident
        if not any(rule.grads[0][: p.root]) and all(map(_close, whole.grads[0], right)):
            return True
    return False


def _wrong_gradients(
    name: str, right: Sequence[str], programs: Sequence[Program], outcomes: Sequence[Done | Broke | None]
) -> list[FaultFact]:
    """Return the facts about the leaves with wrong gradients; none if the engine computes other values."""
    done = [(p, o) for p, o in zip(programs, outcomes, strict=True) if isinstance(o, Done)]
    if len(done) < _FIRST_SETS or not all(_computes(p, o) and o.grads[0][p.root] == 1.0 for p, o in done):
        return []
    leaves: dict[str, list[tuple[str, str]]] = {}  # by the formula of their gradients
    for i, expected in enumerate(right):
        seen = [_numbers(outcome.grads[0])[i] for _, outcome in done]
        pairs = list(zip(seen, (expected_grads(p)[i] for p, _ in done), strict=True))
        if all(map(math.isfinite, seen)) and not all(starmap(_close, pairs)):
            found = _multiple(pairs, expected) or _gradient_formula(name, [p for p, _ in done], seen)
            leaves.setdefault(found or "", []).append(("abc"[i], expected))
    about = FaultFact("wrong_gradient", operation=name, program="" if name else programs[0].text)
    return [
        msgspec.structs.replace(about, input=",".join(names), expected=",".join(texts), found=found)
        for found, (names, texts) in ((found, zip(*same, strict=True)) for found, same in leaves.items() if found)
    ]


def _computes(p: Program, outcome: Done) -> bool:
    """Return whether an engine computed the values of a program."""
    return all(_close(seen, value) for seen, value in zip(outcome.values[0], p.values, strict=True))


def _multiple(pairs: Sequence[tuple[float, float]], expected: str) -> str:
    """Return observed gradients as text if they are a whole multiple of the right ones; else an empty text."""
    if not all(right for _, right in pairs) or expected.isdecimal():
        return ""
    times = round(pairs[0][0] / pairs[0][1])
    if times < 2 or not all(_close(seen, times * right) for seen, right in pairs):
        return ""
    if expected.startswith("2 * "):
        return f"{2 * times} * {expected.removeprefix('2 * ')}"
    return f"{times} * ({expected})" if " " in expected else f"{times} * {expected}"


def _gradient_formula(name: str, programs: Sequence[Program], seen: Sequence[float]) -> str | None:
    """Return the formula of observed gradients, in the names of the program's nodes."""
    if name:
        form = msgspec.structs.replace(FORMS[name], numbers=FORMS[name].numbers[: len(programs)])
        return _formula(form, seen, [p.values[p.root] for p in programs])
    nodes = enumerate(programs[0].nodes)
    return formula(seen, tuple((node.name, tuple(p.values[i] for p in programs)) for i, node in nodes))


# numbers that code adds to an operand, for example so that it is not 0
_SHIFTS = tuple(sign + text for text in [f"1e-{digits:02}" for digits in range(16, 3, -1)] for sign in ("+ ", "- "))


@cache
def shift_probes(limits: Limits, p: Program) -> Batch:
    """Return the batch in which `backward()` runs on a program with its own leaf values, and with two others."""
    runs = [Run(near, (ask.Backward(near.root), ask.GRADS)) for near in _near(p)]
    return Batch(tuple(runs), limits.calls, limits.cpu_s, order_seeds=(0,))


def _near(p: Program) -> list[Program]:
    return [p.with_leaves([times * leaf.value for leaf in p.leaves]) for times in (1.0, 0.75, 1.25)]


def shift_facts(answer: Read, p: Program) -> tuple[FaultFact, ...]:
    """Return the fact that a gradient is that of an operand to which a tiny number is added, such as log(a + 1e-12).

    Args:
        answer: the answer to `shift_probes`.
        p: the program.
    """
    done = [outcome for outcome in answer.seeds[0] if isinstance(outcome, Done)]
    programs = _near(p)
    if len(done) < len(programs):
        return ()
    # a leaf that one operation uses once: the number may be added to the leaf as well
    for leaf in p.leaves:
        at = p.index[leaf.name]
        users = [node for node in p.nodes if isinstance(node, Op) and at in node.inputs]
        seen = [_numbers(outcome.grads[0])[at] for outcome in done]
        if len(users) != 1 or users[0].inputs.count(at) != 1 or all(map(_close, seen, _grads_of(programs, at))):
            continue
        for shift in _SHIFTS:
            moved = [_shifted(one, leaf.name, float(shift.replace(" ", ""))) for one in programs]
            if all(math.isclose(*pair, rel_tol=1e-13) for pair in zip(seen, _grads_of(moved, at), strict=True)):
                op = users[0]
                name = op.op if isinstance(op.operands[0], int) else f"r{op.op}"
                return (FaultFact("shifted", operation=name, program=p.shown, node=leaf.name, found=shift),)
    return ()


def _grads_of(programs: Sequence[Program], at: int) -> list[float]:
    return [expected_grads(p)[at] for p in programs]


def _shifted(p: Program, name: str, by: float) -> Program:
    return p.with_leaves([leaf.value + by * (leaf.name == name) for leaf in p.leaves])


_Seen: TypeAlias = tuple[Program, Sequence[float], Traced]  # a program, its gradients, and the rules that ran


class _NoNumber(float):
    """The number nan, in place of a gradient that is no number."""

    def __new__(cls, kind: str) -> "_NoNumber":
        """Return nan, with the name of the gradient's type."""
        made = super().__new__(cls, math.nan)
        made.kind = kind
        return made

    kind: str


def _of_pass(done: Sequence[tuple[Program, Done]], stored: bool, changes: bool) -> list[FaultFact]:
    """Return the facts about the first backward pass on these programs.

    The most general fact comes first: the root's gradient is wrong, or the same thing is wrong with every program. If
    there is none, the facts are about single programs.

    Args:
        stored: whether the rules were not watched: the engine has no function for each, or watching breaks it.
        changes: whether the pass may change existing gradients, other than the root's.
    """
    seen = [(p, _numbers(o.grads[0]), o.traced[0] if o.traced else Traced(())) for p, o in done]
    wrong = [(p, grads, trace) for p, grads, trace in seen if not _leaves_right(p, grads)]
    if root := _wrong_root(seen):
        return root
    if not wrong:
        return []
    ran = any(trace.calls for _, _, trace in seen)
    if alike := _alike_everywhere(seen, wrong, stored or ran or changes):
        return [alike]
    if stored:
        return [fact for p, grads, _ in wrong for fact in _stops(p, grads)]
    inputs = {p.key: _inputs_returned(p, outcome) for p, outcome in done}
    return [fact for p, grads, trace in wrong if ran for fact in _out_of_order(p, grads, trace, inputs[p.key])]


def _out_of_order(p: Program, grads: Sequence[float], trace: Traced, inputs: Collection[str]) -> Iterator[FaultFact]:
    """Yield the faults in the order in which rules ran, if these rules account for all gradients.

    Args:
        inputs: the operations that may return an input. Such a result has no rule of its own to run.
    """
    for fact in _disorder(p, trace) if _accounts_for_all(p, grads, trace) else ():
        if fact.kind != "never_ran" or fact.node not in inputs:
            yield fact


def _inputs_returned(p: Program, outcome: Done) -> set[str]:
    """Return the operations whose result may be one of their inputs: it has the same value, gradient and inputs.

    Such a result has no rule of its own to run.
    """
    seen = list(zip(outcome.values[0], outcome.grads[0], outcome.inputs[0], strict=True))
    operations = ((i, node) for i, node in enumerate(p.nodes) if isinstance(node, Op))
    return {node.name for i, node in operations if any(seen[i] == seen[source] for source in node.inputs)}


def _alike_everywhere(seen: Sequence[_Seen], wrong: Sequence[_Seen], may_have_run: bool) -> FaultFact | None:
    """Return the fact that a pass does the same wrong thing with every program, or None.

    Args:
        seen: all programs.
        wrong: the programs with wrong gradients.
        may_have_run: whether a rule may have run.
    """
    of_roots = [grads[p.root] for p, grads, _ in seen]
    of_others = [grad for p, grads, _ in seen for i, grad in enumerate(grads) if i != p.root]
    if not any(of_others) and not any(of_roots):
        added = any(amounts for _, _, trace in seen for _, amounts in trace.calls)
        return FaultFact("all_cleared" if added else "not_seeded")
    if all(grads[p.root] not in (0.0, 1.0) for p, grads, _ in wrong):
        p, grads, _ = wrong[0]
        return _wrong_seed(p, grads)
    if not any(of_others):
        return FaultFact("nothing_propagated" if may_have_run else "no_rule_ran")
    return FaultFact("all_ones") if all(grad == 1.0 for grad in of_roots + of_others) else None


def _accounts_for_all(p: Program, grads: Sequence[float], trace: Traced) -> bool:
    """Return whether the watched rules alone account for the gradients of the leaves.

    They do not if the pass also runs rules that are not those of a node. Rules that return their contributions add
    nothing themselves.
    """
    added = Counter[int]()  # the sum of the contributions to each node
    for _, contributions in trace.calls:
        added.update(dict(contributions))
    return not added or all(
        _close(grads[i], added[i]) for i, node in enumerate(p.nodes) if not isinstance(node, Op) and i != p.root
    )


def _wrong_root(seen: Sequence[_Seen]) -> list[FaultFact]:
    """Return the fact that the root's gradient is not 1 after any pass, if all other gradients are right."""
    for p, grads, _ in seen:
        right = expected_grads(p)
        if grads[p.root] == 1.0 or not all(_close(g, right[i]) for i, g in enumerate(grads) if i != p.root):
            return []
    # name a program with an operation, if there is one
    p, grads, _ = max(seen, key=lambda one: isinstance(one[0].nodes[one[0].root], Op))
    return [_wrong_seed(p, grads)]


def _wrong_seed(p: Program, grads: Sequence[float]) -> FaultFact:
    """Return the fact that the root's gradient is not 1."""
    seen = grads[p.root]
    found = of_type(seen.kind) if isinstance(seen, _NoNumber) else _apart(seen, 1.0)[0]
    return FaultFact("seed", found=found, program=p.shown)


def _stops(p: Program, grads: Sequence[float]) -> Iterator[FaultFact]:
    """Yield a fact for each operation that has its gradient, but whose inputs have none."""
    right = expected_grads(p)
    for index, node in enumerate(p.nodes):
        if not isinstance(node, Op) or index == p.root or not right[index]:
            continue
        if _close(grads[index], right[index]) and all(grads[i] == 0.0 != right[i] for i in node.inputs):
            yield FaultFact("stops_at", program=p.shown, node=node.name)


def _leaves_right(p: Program, grads: Sequence[float]) -> bool:
    """Return whether every leaf has the right gradient."""
    right = expected_grads(p)
    return all(_close(grads[i], right[i]) for i, node in enumerate(p.nodes) if not isinstance(node, Op))


def _disorder(p: Program, trace: Traced) -> Iterator[FaultFact]:
    """Yield every fault in the order in which rules ran."""
    place: dict[int, int] = {}
    for position, (node, _) in enumerate(trace.calls):
        if not 0 <= node < len(p.nodes):
            return  # an additional node of the engine
        if node in place:
            yield FaultFact("ran_twice", program=p.shown, node=p.nodes[node].name)
        place.setdefault(node, position)
    for index in reversed(p.reachable):
        node_ = p.nodes[index]
        if not isinstance(node_, Op):
            continue
        if index not in place:
            yield FaultFact("never_ran", program=p.shown, node=node_.name)
            continue
        for source in node_.inputs:
            if source in place and place[source] < place[index]:
                yield FaultFact("ran_early", program=p.shown, node=p.nodes[source].name, other=node_.name)


def _of_second(programs: Sequence[Program], twice: Sequence[Done | Broke | None]) -> list[FaultFact]:
    """Return a fact for each program whose first pass gives the right gradients, and whose second one does not."""
    return [
        FaultFact("second_pass", program=p.shown)
        for p, o in zip(programs, twice, strict=True)
        if isinstance(o, Done) and _leaves_right(p, _numbers(o.grads[0])) and not _leaves_right(p, _numbers(o.grads[1]))
    ]


@lru_cache(maxsize=256)
def expected_grads(p: Program) -> tuple[float, ...]:
    """Return the derivatives of the root with respect to each node."""
    return p.gradients()


def _numbers(observed: Numbers) -> list[float]:
    """Return the observed gradients, with `_NoNumber` in place of anything that is not a number."""
    return [value if isinstance(value, float) else _NoNumber(value.type) for value in observed]


def _close(one: object, other: float) -> bool:
    """Return whether an observation is a number, and equal to the expected number up to rounding."""
    if isinstance(one, _Single):
        return nearly(one, other)
    return isinstance(one, float) and close(one, other, abs(other))


# -- the failed checks that a fact can explain -----------------------------------------------------

_RAISING = ("gives_other", "rule_is_none")  # the kinds of facts that explain an error in code that uses the result
_OF_VALUE = ("value", "gives_other", "gives_input")  # the kinds of facts that explain a wrong value
_LIMITS = (*RAN_OUT, "cpu_limit", "wall_limit")  # the reasons for which a fault of the backward pass may be the cause


def explains(fact: FaultFact, outcome: CheckOutcome) -> bool:
    """Return whether a fact can be the reason why a check failed.

    The kind of failure must fit the fact. The program that failed must use the operation that the fact is about. If the
    fact is about `backward()`, the run that failed must call it.
    """
    if outcome.status in ("passed", "not_started"):
        return False
    # a fact about a function that trains explains wrong numbers of a run that calls this function
    if function := function_of(fact):
        return function in outcome.calls and outcome.finding is not None and outcome.finding.reason is None
    operation = operation_of(fact)
    reason = outcome.finding and outcome.finding.reason
    # a fault of the pass may make code run without end; an error follows only from a result that
    # cannot be used
    if reason and reason.kind in _LIMITS:
        return operation is None and outcome.passes
    if reason:
        return fact.kind in _RAISING and operation in _used(outcome.operations)
    # values are computed before any gradient, so no fact about gradients explains a wrong value
    if fact.kind == "single_precision":
        return fact.found == "values" or not outcome.wrong_value
    if outcome.wrong_value and fact.kind not in _OF_VALUE:
        return False
    # a single rule has no user whose rule could run after it
    if operation is None:
        one_rule = outcome.single and not any(map(_made_of, outcome.operations))
        return outcome.passes and not (one_rule and fact.kind == "ran_early")
    if fact.kind == "wrong_gradient" and not outcome.passes:
        return False
    # where each gradient gets one contribution, `=` and `+=` give the same
    if fact.kind == "overwrites" and not fact.found and outcome.once and not any(map(_made_of, outcome.operations)):
        return False
    # a wrong value of an operation that the program does not contain, but its methods use, explains
    # only wrong values
    return operation in (_used if outcome.wrong_value or fact.kind != "value" else set)(outcome.operations)


def _used(operations: Sequence[str]) -> set[str]:
    """Return the operations of a program, and those that their methods commonly use."""
    found = set(operations)
    todo = list(operations)
    while todo:
        new = {*_made_of(todo.pop())} - found
        found |= new
        todo += new
    return found


def _made_of(operation: str) -> tuple[str, ...]:
    """Return the operations that the method of an operation commonly uses."""
    return FORMS[operation].made_of if operation in FORMS else ()
