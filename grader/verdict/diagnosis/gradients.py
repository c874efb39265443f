"""Fault facts about gradients after `backward()`: of an operation, of a small program, and at shifted numbers."""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import starmap

import msgspec

from ...course.facts import FaultFact
from ...course.load import Limits
from ...course.program import FORMS, Op, Program, program
from ...runner.client import (
    Batch,
    Broke,
    Done,
    Read,
    Run,
    ask,
)
from .formula import formula
from .observations import expected_grads, is_close, numbers_of, program_of
from .passes import WATCHED
from .rules import FIRST_SETS, MADE_OF_OTHERS, local_formula

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
    alone = [(name, form.derivatives, [program_of(form, x) for x in form.numbers]) for name, form in FORMS.items()]
    alone = [one for one in alone if only in ("", one[0])]
    yield from (one for one in alone if one[0] not in MADE_OF_OTHERS)
    for text, right in [one for one in _COMPOSED if only in ("", one[0])]:
        yield "", right, [program(text, **dict(zip("abc", x[: len(right)], strict=False))) for x in _LEAF_VALUES]
    yield from (one for one in alone if one[0] in MADE_OF_OTHERS)


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
        if result and (not name or name in MADE_OF_OTHERS):
            continue
        if name and name not in WATCHED and answer.reading.rule not in ask.WITHOUT_FUNCTION:
            # The worker ran + and * before, to find the rules. If they are not where `WITHOUT_FUNCTION` says, the code
            # may keep state from these runs, which would look like a fault of another operation.
            continue
        first, *others = [_wrong_gradients(name, right, programs, seen) for seen in outcomes]
        result += first if all(facts == first for facts in others) else ()
    return tuple(result)


def rules_unused(rules: Read, passes: Read) -> bool:
    """Return whether `backward()` gives right gradients to the inputs of an operation whose rule alone adds nothing.

    Then `backward()` does not use what was taken for the rules. A pass in which each node collects its own gradient
    from its users is one of this kind.

    Args:
        rules: the answer to `rule_probes`.
        passes: the answer to `gradient_probes` for all operations.
    """
    tried = [program_of(form, x).key for form in FORMS.values() for x in form.numbers]
    alone = dict(zip(tried, rules.seeds[0][::3], strict=True))  # the first of each three runs
    programs = [p for *_, programs in _gradient_programs("") for p in programs]
    for p, whole in zip(programs, passes.seeds[0], strict=True):
        rule, right = alone.get(p.key), expected_grads(p)[: p.root]
        if not (isinstance(rule, Done) and isinstance(whole, Done)) or {0.0, 1.0}.issuperset(right):
            continue  # 0 and 1 may be right by accident
        if not any(rule.grads[0][: p.root]) and all(map(is_close, whole.grads[0], right)):
            return True
    return False


def _wrong_gradients(
    name: str, right: Sequence[str], programs: Sequence[Program], outcomes: Sequence[Done | Broke | None]
) -> list[FaultFact]:
    """Return the facts about the leaves with wrong gradients; none if the engine computes other values."""
    done = [(p, o) for p, o in zip(programs, outcomes, strict=True) if isinstance(o, Done)]
    if len(done) < FIRST_SETS or not all(_computes(p, o) and o.grads[0][p.root] == 1.0 for p, o in done):
        return []
    leaves: dict[str, list[tuple[str, str]]] = {}  # by the formula of their gradients
    for i, expected in enumerate(right):
        seen = [numbers_of(outcome.grads[0])[i] for _, outcome in done]
        pairs = list(zip(seen, (expected_grads(p)[i] for p, _ in done), strict=True))
        if all(map(math.isfinite, seen)) and not all(starmap(is_close, pairs)):
            found = _multiple(pairs, expected) or _gradient_formula(name, [p for p, _ in done], seen)
            leaves.setdefault(found or "", []).append(("abc"[i], expected))
    about = FaultFact("wrong_gradient", operation=name, program="" if name else programs[0].text)
    return [
        msgspec.structs.replace(about, input=",".join(names), expected=",".join(texts), found=found)
        for found, (names, texts) in ((found, zip(*same, strict=True)) for found, same in leaves.items() if found)
    ]


def _computes(p: Program, outcome: Done) -> bool:
    """Return whether an engine computed the values of a program."""
    return all(is_close(seen, value) for seen, value in zip(outcome.values[0], p.values, strict=True))


def _multiple(pairs: Sequence[tuple[float, float]], expected: str) -> str:
    """Return observed gradients as text if they are a whole multiple of the right ones; else an empty text."""
    if not all(right for _, right in pairs) or expected.isdecimal():
        return ""
    times = round(pairs[0][0] / pairs[0][1])
    if times < 2 or not all(is_close(seen, times * right) for seen, right in pairs):
        return ""
    if expected.startswith("2 * "):
        return f"{2 * times} * {expected.removeprefix('2 * ')}"
    return f"{times} * ({expected})" if " " in expected else f"{times} * {expected}"


def _gradient_formula(name: str, programs: Sequence[Program], seen: Sequence[float]) -> str | None:
    """Return the formula of observed gradients, in the names of the program's nodes."""
    if name:
        form = msgspec.structs.replace(FORMS[name], numbers=FORMS[name].numbers[: len(programs)])
        return local_formula(form, seen, [p.values[p.root] for p in programs])
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
        seen = [numbers_of(outcome.grads[0])[at] for outcome in done]
        if len(users) != 1 or users[0].inputs.count(at) != 1 or all(map(is_close, seen, _grads_of(programs, at))):
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
