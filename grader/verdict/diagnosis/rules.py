"""Fault facts about the rule of an operation, which the grader runs alone, without `backward()`.

A fact about a contribution holds for every set of numbers that was tried, for two upstream gradients, and both with and
without existing gradients. The kind `contribution` is the exception: the numbers fit no known form, so the fact quotes
one set of numbers.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import filterfalse, pairwise, takewhile
from typing import NamedTuple

import msgspec

from ...base.text import of_type
from ...course.facts import FaultFact
from ...course.load import Limits
from ...course.program import FORMS, METHODS, Form, Op, Program, number_text
from ...runner.client import (
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
    Values,
    ask,
)
from ..checks.outcome import in_single_precision
from .facts import operation_of
from .formula import formula
from .observations import ENOUGH, Single, apart, is_close, program_of

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
FIRST_SETS = 4
_LONGEST = 80  # the most characters of names that a fact quotes from the file
_MOST_CALLED = 20  # the most functions that all rules call, if the file is searched for them
# operations that many engines compose of others, such as `a - b` as `a + -b`
MADE_OF_OTHERS = frozenset(name for name, form in FORMS.items() if form.made_of)
# facts that keep their lines even if operations share the rule: the fault is in the shared lines
_OF_RULE = ("overwrites", "no_upstream")
# facts about an operation that hold whatever its rule is
_OF_RESULT = ("single_precision", "value", "gives_other", "gives_input")
# If the observed local derivative is one of these, the fact says so. Otherwise, a constant factor
# is the simpler thing to say.
_SIMPLE_LOCALS = ("1", "a", "b", "n", "L")
_PER_INPUT = ("no_upstream", "upstream_added", "parentheses")  # one fact for both inputs, even if `expected` differs


@cache
def rule_probes(limits: Limits) -> Batch:
    """Return the batch in which the grader runs the rule of each operation alone."""
    runs = [run for name in FORMS for runs in _rule_runs(FORMS[name]) for run in runs]
    return Batch(tuple(runs), limits.calls, limits.cpu_s, order_seeds=(0,))


def _rule_runs(form: Form) -> Iterator[tuple[Run, Run, Run]]:
    """Yield three runs for each set of numbers.

    Gradients are 0 in the first run. In the second one there are existing gradients. The third one has another
    upstream gradient.
    """
    for x, upstream, another, already in zip(form.numbers, _UPSTREAM, _ANOTHER, _ALREADY, strict=False):
        p = program_of(form, x)
        existing = [*zip(range(p.root), already, strict=False)]
        yield (
            Run(p, (ask.VALUES, ask.LookAtRule(p.root), ask.Preload(), ask.LocalRules(p.root, upstream), ask.GRADS)),
            Run(p, (ask.Preload(existing), ask.LocalRules(p.root, upstream), ask.GRADS)),
            Run(p, (ask.Preload(), ask.LocalRules(p.root, another), ask.GRADS)),
        )


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
        further = takewhile(lambda three: all(isinstance(o, Done) for o in three), tries[FIRST_SETS:])
        tries = [*tries[:FIRST_SETS], *further]
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
        return self._with_helper(
            [
                msgspec.structs.replace(fact, lines=None)
                if len(self._users.get(fact.lines, ())) > 1 and fact.kind not in _OF_RULE
                else fact
                for fact in found
            ]
        )

    def _with_helper(self, facts: list[FaultFact]) -> list[FaultFact]:
        """Return the facts that rules overwrite gradients with the function that they all call, if it is certain.

        That is so if every rule that ran overwrites, no rule assigns a gradient itself, and exactly one function of
        the file that all rules call does so. The text of the file is only searched for names.
        """
        overwriting = [fact for fact in facts if fact.kind == "overwrites" and not fact.found]
        operations = {FORMS[fact.operation].op for fact in overwriting}
        places = {fact.lines for fact in overwriting}
        if len(places) < 2 or not operations.issuperset(set[str]().union(*self._users.values())):
            return facts
        lines = self._source.split("\n")
        rules = [_code(lines[first:last]) for first, last in filter(None, places)]  # without their first line
        sets = re.compile(rf"\.{re.escape(self._reading.grad)}\b(\[[^\]]{{0,{_LONGEST}}}\])? *=(?!=)")
        if len(rules) < len(places) or any(map(sets.search, rules)):
            return facts
        called = set[str].intersection(*({*re.findall(r"\b(\w+)\(", rule)} for rule in rules))
        if len(called) > _MOST_CALLED:
            return facts
        heads: dict[str, list[int]] = {}
        for i, line in enumerate(lines):
            if (head := re.match(r" *def (\w+)\(", line)) and head[1] in called:
                heads.setdefault(head[1], []).append(i)
        helpers = [
            (name, at_lines[0], end)
            for name, at_lines in heads.items()
            if len(at_lines) == 1 and sets.search(_code(lines[at_lines[0] : (end := _end(lines, at_lines[0]))]))
        ]
        if len(helpers) != 1 or len(helpers[0][0]) > _LONGEST:
            return facts
        ((name, start, end),) = helpers
        return [
            msgspec.structs.replace(fact, node=name, lines=(start + 1, end)) if fact in overwriting else fact
            for fact in facts
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
        texts = [program_of(form, x).shown for x in form.numbers]
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


def _code(lines: Sequence[str]) -> str:
    """Return lines of a file without those that are comments alone."""
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def _end(lines: Sequence[str], head: int) -> int:
    """Return the number of lines up to the last one of the function whose head is at an index."""
    depth = len(lines[head]) - len(lines[head].lstrip())
    rest = lines[head + 1 :]
    inside = len([*takewhile(lambda line: not line.strip() or line.startswith(" " * (depth + 1)), rest)])
    while inside and not rest[inside - 1].strip():
        inside -= 1
    return head + 1 + inside


def _with_function(fact: FaultFact, source: str, rule: str) -> FaultFact:
    """Return a fact about a result without a rule, with the function that the learner wrote as the rule.

    That is a function which the operation's method defines, and then does not use, or stores on one of its parameters
    instead of the result. If the method does anything else, or defines several functions, the fact is unchanged. The
    text of the method is only searched for names.

    Args:
        source: the text of the learner's file.
        rule: the name of the attribute in which results have their rule, or an empty text.
    """
    heads = list(re.finditer(rf"^ *def {METHODS.get(fact.operation, fact.operation)}\(([\w, ]*)\)", source, re.M))
    if len(heads) != 1 or not rule:
        return fact
    (parameters,) = heads[0].groups()
    all_lines, start = source.split("\n"), source.count("\n", 0, heads[0].start())
    inside = all_lines[start + 1 : _end(all_lines, start)]
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
    # the root is the last node
    tried = [(x, o, o.values[0][-1]) for x, o in zip(form.numbers, outcomes, strict=True) if o is not None and o.values]
    kinds = {of_type(seen.type) if isinstance(seen, Odd) and not o.ruled else "" for _, o, seen in tried}
    for x, outcome, seen in tried:
        right = form.value(x)
        kind = of_type(seen.type) if isinstance(seen, Odd) else ""
        if kind and not outcome.ruled:
            shown = "" if len(kinds) == 1 else program_of(form, x).shown
            return FaultFact("gives_other", operation=form.name, found=kind, program=shown)
        if not is_close(seen, right):
            found, expected = (kind, f"{right:.6g}") if isinstance(seen, Odd) else apart(seen, right)
            return FaultFact(
                "value", operation=form.name, expected=expected, found=found, program=program_of(form, x).shown
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


def _singles(outcome: Done | Broke | None) -> Done | Broke | None:
    """Return an outcome in which all numbers are of single precision."""
    if outcome is None:
        return None
    results = [
        type(one)(Numbers(Single(x) if isinstance(x, float) else x for x in one.numbers))
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
        if not is_close(three[0].values[0][-1], value):
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
        program=program_of(form, x).shown,
        upstream=number_text(upstream),
    )


def _of_input(form: Form, j: int, inputs: Sequence[Sequence[_Sample]]) -> Iterator[FaultFact]:
    """Yield the facts about the contribution to input `j`."""
    samples, right = inputs[j], form.derivatives[j]
    if len(samples) < ENOUGH:
        return
    fact = partial(FaultFact, operation=form.name, input="ab"[j])
    # what the rule does with an existing gradient: replace it, add to it as it should, or anything else
    overwrites = all(is_close(sample.second, sample.first) for sample in samples)
    if not overwrites and not all(is_close(sample.second, sample.already + sample.first) for sample in samples):
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
    if any(sample.local for sample in samples) and all(is_close(sample.first, sample.third) for sample in samples):
        yield fact("no_upstream", expected=right)
        return
    # a constant factor, if a formula would not say more than that
    factor = _factor(samples)
    if factor is not None and is_close(factor, -1.0):
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
        known = local_formula(form, local, [sample.value for sample in samples])
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
    right = next((program_of(form, sample.x).shown for sample in samples if _fits([sample], _right)), "")
    for sample in samples:
        for upstream, seen in sample.tries():
            if not is_close(seen, upstream * sample.local):
                found, expected = apart(seen, upstream * sample.local + 0.0)  # not -0
                wrong = _contribution(form, j, sample.x, upstream, found, expected)
                yield msgspec.structs.replace(wrong, other=right)
                return


def local_formula(form: Form, local: Sequence[float], values: Sequence[float]) -> str | None:
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
    return all(
        is_close(seen, contribution(sample, upstream)) for sample in samples for upstream, seen in sample.tries()
    )


def _factor(samples: Sequence[_Sample]) -> float | None:
    """Return the constant by which the right contributions have to be multiplied to give the observed ones, or None."""
    if not all(sample.local for sample in samples):
        return None
    first, *others = (sample.first / (sample.upstream * sample.local) for sample in samples)
    constant = all(is_close(factor, other) for factor, other in pairwise([first, *others]))
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
        if not any(is_close(one.second, base + added) for added in contributions for base in (0.0, one.already)):
            return False
        # without existing gradients, the gradient of `b` is still 0 when the rule changes that of `a`
        if j == 0 and (one.first != 0.0 or one.third != 0.0):
            return False
    return True


def of_results(facts: Iterable[FaultFact]) -> tuple[FaultFact, ...]:
    """Return the facts that hold whatever the rules of the operations are."""
    return tuple(fact for fact in facts if fact.kind in _OF_RESULT)
