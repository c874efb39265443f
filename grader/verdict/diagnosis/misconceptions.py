"""Misconceptions: known wrong solutions, given as edits of the solution, and the one that behaves like an engine.

An edit is a passage that occurs once, and its replacement. Other lists of edited texts are read here too.
"""

import ast
import copy
import hashlib
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import yaml
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from ...course.facts import FaultFact
from ...course.load import CourseError, Document, child, line
from ...course.oracle import UNCLEAR, KnownBehaviour, KnownExercise
from ...runner.client import (
    Broke,
    Called,
    Died,
    Done,
    Grads,
    Inputs,
    Logged,
    Nothing,
    Numbers,
    Observed,
    Odd,
    Problem,
    Recorded,
    Result,
    Ruled,
    Run,
    Traced,
    ask,
)
from ..checks.outcome import close
from ..checks.questions import AnsweredBatch
from .facts import NOTHING_ADDED

# returns the spans in which `old` is searched, from a text and the `in` of an edit
SpansToSearch = Callable[[str, "str | None"], list[tuple[int, int]]]

_BEGIN = re.compile(r"^[ ]*# BEGIN SOLUTION.*$", re.MULTILINE)
_END = re.compile(r"^[ ]*# END SOLUTION[ ]*$", re.MULTILINE)
_HEAD = re.compile(r"^(?P<indent>[ ]*)(?:def|class) (?P<name>\w+)", re.MULTILINE)


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"within": "in"}):
    """A replacement of `old` by `new`. `old` must occur exactly once in the searched text.

    Attributes:
        within: The function to search; None for all of the text.
    """

    old: Annotated[str, Meta(min_length=1)]
    new: str
    within: str | None = None


def in_solution(text: str, within: str | None) -> list[tuple[int, int]]:
    """Return the solution regions, or those of one function. Raises `ValueError` if there are none."""
    spans = [(start, end) for name, start, end in regions(text) if within in (None, name)]
    if not spans:
        raise ValueError(f"there is no solution region in `{within}`")
    return spans


def anywhere(text: str, within: str | None) -> list[tuple[int, int]]:
    """Return the whole text as one span. Raises `ValueError` if a function is named, which only solutions support."""
    if within is not None:
        raise ValueError("`in` is for edits of a solution")
    return [(0, len(text))]


def apply_edits(text: str, edits: Iterable[Edit], where: SpansToSearch = in_solution) -> str:
    """Return the text after all edits, one after the other. Raises `ValueError` if one does not fit exactly once."""
    for edit in edits:
        pattern = re.compile(re.escape(edit.old))
        places = [match.start() for span in where(text, edit.within) for match in pattern.finditer(text, *span)]
        if len(places) != 1:
            raise ValueError(f"{edit.old!r} stands {len(places)} times where it is looked for, not once")
        text = text[: places[0]] + edit.new + text[places[0] + len(edit.old) :]
    return text


def edited(document: Document, node: yaml.Node, text: str, where: SpansToSearch = in_solution) -> str:
    """Return the text after the edits listed in a node of a document. Raises `CourseError` if one does not fit."""
    for one in child(node, "edits").value:
        try:
            text = apply_edits(text, [document.convert(one, Edit, "this edit")], where)
        except ValueError as error:
            raise document.error(one, str(error)) from None
    return text


def regions(solution: str) -> list[tuple[str, int, int]]:
    """Return the solution regions of a text: for each, the name of its function or class, its start and its end.

    Of nested functions, the outermost one below a class is named.
    """
    spans = []
    for begin in _BEGIN.finditer(solution):
        end = _END.search(solution, begin.end())
        if end is None:
            raise CourseError(Path("solution"), None, "BEGIN SOLUTION without an END SOLUTION")
        spans.append((_around(solution, begin.start()), begin.end() + 1, end.start()))
    return spans


def without(solution: str, function: str) -> str:
    """Return the solution with one function still to be filled in."""
    for name, start, end in reversed(regions(solution)):
        if name == function:
            solution = _replaced(solution, start, end, "raise NotImplementedError")
    return solution


def unfinished(solution: str) -> Iterator[str]:
    """Yield unfinished versions of the solution.

    Some have only the first statements of a region. In others, one statement is missing, is emptied (a function, a
    loop, a condition) or is mistyped (`x + y` for `x += y`, `f` for `f()`).
    """
    yield from _beginnings(solution)
    tree = ast.parse(solution)
    lines = {
        number
        for _, start, end in regions(solution)
        for number in range(solution.count("\n", 0, start) + 1, solution.count("\n", 0, end) + 1)
    }
    for parent in ast.walk(tree):
        for _, statements in ast.iter_fields(parent):
            for index, statement in enumerate(statements if isinstance(statements, list) else []):
                if isinstance(statement, ast.stmt) and statement.lineno in lines:
                    for other in (ast.Pass(), _emptied(statement), _mistyped(statement)):
                        if other is not None:
                            # the tree itself is changed for a moment, and not copied for each
                            # version
                            statements[index] = ast.copy_location(other, statement)
                            yield ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                    statements[index] = statement


def _emptied(statement: ast.stmt) -> ast.stmt | None:
    if not isinstance(statement, ast.FunctionDef | ast.For | ast.While | ast.If):
        return None
    empty = copy.copy(statement)
    empty.body = [ast.Pass()]
    return empty


def _mistyped(statement: ast.stmt) -> ast.stmt | None:
    if isinstance(statement, ast.AugAssign):
        left = copy.copy(statement.target)
        left.ctx = ast.Load()
        return ast.Expr(ast.BinOp(left, statement.op, statement.value))
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        left = copy.copy(statement.targets[0])
        left.ctx = ast.Load()
        return ast.Expr(ast.Compare(left, [ast.Eq()], [statement.value]))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return ast.Expr(statement.value.func)
    return None


def _beginnings(solution: str) -> Iterator[str]:
    """Yield the solution with only the first statements of one region, from none to all but the last."""
    for _, start, end in regions(solution):
        body = textwrap.dedent(solution[start:end])
        lines = body.splitlines()
        for statement in ast.parse(body).body:
            kept = "\n".join(lines[: _first_line(statement) - 1]).rstrip()
            yield _replaced(solution, start, end, kept or "pass")


def _first_line(statement: ast.stmt) -> int:
    placed: list[ast.stmt | ast.expr] = [statement, *getattr(statement, "decorator_list", [])]
    return min(node.lineno for node in placed)


def _replaced(solution: str, start: int, end: int, body: str) -> str:
    """Return the solution with another text in a region, indented like its end marker."""
    marker = solution[end:]
    indent = marker[: len(marker) - len(marker.lstrip(" "))]
    return f"{solution[:start]}{textwrap.indent(body, indent)}\n{marker}"


def _around(solution: str, position: int) -> str:
    """Return the name of the function around a position. Of nested functions, return the outermost within a class."""
    # go back over the heads, to ever smaller indentation
    depth = len(solution[position:]) - len(solution[position:].lstrip(" "))
    name = ""
    for head in reversed(list(_HEAD.finditer(solution, 0, position))):
        indent = len(head["indent"])
        if indent < depth:
            if head.group().lstrip().startswith("class") and name:
                break
            name, depth = head["name"], indent
    return name


# -- the misconceptions listed beside a solution

LONGEST_TITLE = 60


class _Raw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
    title: Annotated[str, Meta(min_length=1)]
    explanation: Annotated[str, Meta(min_length=1)]
    hint: Annotated[int, Meta(ge=0)]
    edits: Annotated[list[Any], Meta(min_length=1)]
    about: str | None = None
    unfinished: bool = False
    on: str | None = None  # an earlier misconception; the edits apply to its source instead of the solution


class Misconception(msgspec.Struct, frozen=True):
    """A known wrong way to solve an exercise, and the solution edited by it.

    Attributes:
        title: The mistake in a few words, for the list on a class page.
        explanation: The text for the learner: what their code behaves like, and what is right.
        hint: The number of the hint that helps, or 0 if none does.
        line: The line of the file at which the misconception begins.
        source: The text of the solution after its edits.
        about: The check whose title describes the mistake, and which fails before any other.
        unfinished: Whether the explanation is also true of an unfinished solution that behaves the same.
    """

    id: str
    title: str
    explanation: str
    hint: int
    line: int
    source: str
    about: str | None = None
    unfinished: bool = False


def read_misconceptions(path: Path, solution: str, hints: int) -> list[Misconception]:
    """Return the misconceptions in a file, applied to the text of the solution beside it.

    If the file does not exist, there are none.

    Raises:
        CourseError: A key is unknown, an id is given twice, a title is too long, a hint does not exist, or the `old`
            of an edit does not occur exactly once where it should.
    """
    if not path.exists():
        return []
    document = Document(path)
    document.convert(document.root, list[object])  # raises an error if it is no list
    misconceptions: list[Misconception] = []
    for node in document.root.value:
        raw = document.convert(node, _Raw, "this misconception")
        if any(raw.id == other.id for other in misconceptions):
            raise document.error(child(node, "id"), f"there are two misconceptions `{raw.id}`")
        if len(raw.title) > LONGEST_TITLE:
            message = f"a title has at most {LONGEST_TITLE} characters; this one has {len(raw.title)}"
            raise document.error(child(node, "title"), message)
        if raw.hint > hints:
            raise document.error(child(node, "hint"), f"there is no hint {raw.hint}: the exercise has {hints}")
        # an earlier misconception may be the base, so their order matters
        start = solution if raw.on is None else next((m.source for m in misconceptions if m.id == raw.on), None)
        if start is None:
            raise document.error(child(node, "on"), f"no misconception `{raw.on}` stands before this one")
        source = edited(document, node, start)
        about = raw.about, raw.unfinished
        misconceptions.append(Misconception(raw.id, raw.title, raw.explanation, raw.hint, line(node), source, *about))
    return misconceptions


# -- the behaviour of an engine on each program, as a short fingerprint
#
# Two fingerprints are equal exactly if the behaviour is. It consists of values, gradients, orders and results under
# every order seed. Of an exception it includes the type, and the names in quotes in its message, such as `'NoneType'`.
# Numbers count to nine digits, so that another order of summation makes no difference. The other words of a message do
# not count, because they change between Python versions. Neither do lines, nor which limit was reached first, which
# depends on the speed of the machine.

RIGHT = ""  # the fingerprint of any behaviour that passes
_RAN_OUT = "ran out of calls, time or memory"
# the steps in which rules run; a function that is called may run them too, but none has to
_PASSES = (ask.Backward, ask.LocalRules, ask.PassOrRules)
_QUOTED = re.compile(r"(?<!\w)'(\w+)'")


class Behaviour(Struct, frozen=True):
    """The behaviour of an engine on the fixed programs of an exercise's checks.

    Attributes:
        programs: `RIGHT` or a fingerprint for each program, by `check:batch:program`. It has no entry for a program
            that was not run, that needs an operation which the engine does not offer, or that stops at code still to
            be filled in. If a function returns what a learner has worked out, each answer has an entry of its own, by
            `check:batch:program:answer`.
        unclear: The keys of programs about which nothing is known.
        arrived: Whether any node but the root received a gradient; None if no run observed gradients.
        overflowed: The keys of programs that ended in an `OverflowError` under every order seed.
    """

    programs: Mapping[str, str] = field(default_factory=dict)
    unclear: frozenset[str] = frozenset()
    arrived: bool | None = None
    overflowed: frozenset[str] = frozenset()

    @property
    def wrong(self) -> dict[str, str]:
        """Return the programs that did not pass."""
        return {key: look for key, look in self.programs.items() if look != RIGHT}


def behaviour(shown: Mapping[str, Sequence[AnsweredBatch]]) -> Behaviour:
    """Return the behaviour of an engine, from the batches of each check."""
    programs: dict[str, str] = {}
    unclear: set[str] = set()
    overflowed: set[str] = set()
    every = [batch for batches in shown.values() for batch in batches]
    # whether no result depends on the order of a set
    settled = not any(batch.unsettled for batch in every)
    for check, batches in shown.items():
        for n, batch in enumerate(batches):
            for i in range(len(batch.runs)):
                if i in batch.aside:
                    continue
                outcomes = _outcomes(batch, i)
                key = f"{check}:{n}:{i}"
                # a huge graph is run under one order seed, so it may be right by chance
                by_chance = batch.huge and i in batch.wrong and not settled
                keys = [f"{key}:{name}" for name in batch.answers] or [key]
                # a run that ends the batch may not have been run under the other order seeds
                if ended := next((one for one in outcomes if _ends_batch(one)), None):
                    outcomes = [Died("cpu_limit") if _reached_a_limit(ended) else ended]
                if by_chance or any(map(_no_evidence, outcomes)):
                    unclear.update(keys)
                elif i in batch.wrong:
                    programs.update(_looks_of_answers(keys, batch.answers, outcomes))
                else:
                    programs.update(dict.fromkeys(keys, RIGHT))
                if i in batch.wrong and all(map(_overflowed, outcomes)):
                    overflowed.update(keys)
    return Behaviour(programs, frozenset(unclear), arrived(every), frozenset(overflowed))


def _looks_of_answers(
    keys: Sequence[str], answers: Mapping[str, float], outcomes: "Sequence[Done | Broke | Problem | Died | None]"
) -> dict[str, str]:
    """Return the fingerprint of each answer of a wrong run: that of its number, or of the whole run without numbers."""
    first = outcomes[0]
    called = first.results[0] if isinstance(first, Done) and answers else None
    numbers = called.numbers if isinstance(called, Called) else None
    if numbers is None or len(numbers) != len(answers) or len(set(map(fingerprint, ([one] for one in outcomes)))) > 1:
        return dict.fromkeys(keys, fingerprint(outcomes))
    scale = max(map(abs, answers.values()))
    return {
        key: RIGHT if close(number, right, scale) else fingerprint([Done((Called(Numbers((number,))),))])
        for key, number, right in zip(keys, numbers, answers.values(), strict=True)
    }


def arrived(batches: Iterable[AnsweredBatch]) -> bool | None:
    """Return whether any node but the root received a gradient; None if no run observed gradients."""
    result = None
    for batch in batches:
        for i, run in enumerate(batch.runs):
            if i in batch.aside or not _asks_gradients(run):
                continue
            if any(_arrived(run, outcome) for outcome in _outcomes(batch, i) if isinstance(outcome, Done | Broke)):
                return True
            result = False
    return result


def check_of(key: str) -> str:
    """Return the check to which a key of `Behaviour.programs` belongs."""
    return key.partition(":")[0]


def answer_of(key: str) -> str | None:
    """Return the name of the answer to which a key of `Behaviour.programs` belongs; None if it is that of a program."""
    return key.split(":", 3)[3] if key.count(":") >= 3 else None


def _outcomes(batch: AnsweredBatch, i: int) -> "Sequence[Done | Broke | Problem | Died | None]":
    """Return the outcomes of a run under each order seed. If the whole batch failed, return its failure."""
    if isinstance(batch.answer, (Problem, Died)):
        return [batch.answer]
    return [seed[i] for seed in batch.answer.seeds]


def _no_evidence(outcome: "Done | Broke | Problem | Died | None") -> bool:
    # what was not run, is to be filled in or is not offered says nothing about a mistake
    problem = outcome.problem if isinstance(outcome, Broke) else outcome
    if not isinstance(problem, Problem):
        return outcome is None
    return problem.unfilled or problem.absent


def _overflowed(outcome: "Done | Broke | Problem | Died | None") -> bool:
    return isinstance(outcome, Broke) and outcome.problem.type_name == "OverflowError"


def _ends_batch(outcome: "Done | Broke | Problem | Died | None") -> bool:
    return isinstance(outcome, Broke) and outcome.problem.ends_batch


def _reached_a_limit(outcome: "Done | Broke | Problem | Died | None") -> bool:
    return isinstance(outcome, Broke) and outcome.problem.ran_out


def _asks_gradients(run: Run) -> bool:
    """Return whether a run asks for gradients after rules may have run."""
    return ask.TRACED in run.steps or (ask.GRADS in run.steps and any(isinstance(step, _PASSES) for step in run.steps))


def _arrived(run: Run, outcome: Done | Broke) -> bool:
    """Return whether a gradient differs from the number that the grader set."""
    # the gradients that the grader has set, by node
    preset: dict[int, float] = {}
    for step, result in zip(run.steps, outcome.results, strict=False):
        if isinstance(step, ask.Preload):
            preset = dict(step.grads)
        elif isinstance(result, Grads):
            if any(grad != preset.get(i, 0.0) for i, grad in enumerate(result.numbers) if i != run.program.root):
                return True
        elif isinstance(result, Traced) and any(added for _, added in result.calls):
            return True
    return False


def fingerprint(outcomes: "Sequence[Done | Broke | Problem | Died | None]") -> str:
    """Return sixteen hexadecimal digits for the behaviour on one program under all order seeds."""
    lines = (line for outcome in outcomes for line in ("seed", *_outcome(outcome)))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _outcome(outcome: Done | Broke | Problem | Died | None) -> Iterator[str]:
    if outcome is None:
        yield "unrun"
        return
    if isinstance(outcome, Died):
        yield _RAN_OUT if outcome.status == "timeout" else f"died {outcome.status}"
        return
    if isinstance(outcome, Problem):
        yield _problem(outcome)
        return
    for result in outcome.results:
        yield _result(result)
    if isinstance(outcome, Broke):
        yield _problem(outcome.problem)


def _problem(problem: Problem) -> str:
    if problem.ran_out:
        return _RAN_OUT
    quoted = _QUOTED.findall(problem.message)
    about = (problem.where, problem.kind, problem.type_name, *quoted, *problem.names, *problem.counts)
    return " ".join(map(str, about))


def _result(result: Result) -> str:
    if isinstance(result, Called) and result.array is not None:
        return f"called {result.array.shape} {' '.join(map(_number, result.array.numbers))}"
    if isinstance(result, Called):
        numbers = None if result.numbers is None else " ".join(map(_number, result.numbers))
        return f"called {numbers} {result.nodes} {result.other if result.truth is None else result.truth}"
    if isinstance(result, Ruled):
        return f"rule {result.state} {result.alone}"
    if isinstance(result, Traced):
        return "trace " + " ".join(str(node) for node, _ in result.calls)
    if isinstance(result, Inputs):
        return f"inputs {list(result.of_nodes)}"
    if isinstance(result, Nothing | Recorded | Logged):  # no check records or logs
        return "nothing"
    return " ".join(map(_number, result.numbers))


def _number(value: Observed) -> str:
    if isinstance(value, Odd):
        return f"a {value.type}"
    text = f"{value:.9g}"  # the sign of 0 says nothing
    return "0" if text == "-0" else text


# -- compare an engine with each misconception, program by program


def diagnose(
    known: KnownExercise,
    seen: Behaviour,
    failures: Iterable[str],
    facts: Iterable[FaultFact] = (),
    other: Collection[str] = (),
) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that explain the failed checks, by check. A check has none if that is not certain.

    A misconception is named if it behaves like the engine on every program that both have run, and at least one of
    these programs is wrong. No other misconception and no unfinished solution may behave the same. It explains the
    checks in which it gets a program wrong.

    If no misconception is named, two that together explain everything are named. Otherwise, the programs that depend
    on one function alone are compared, function by function. If an answer of such a function is wrong in an unknown
    way, its other answers are compared without it.

    Many mistakes look alike if no gradient was propagated anywhere, or if by `facts` an operation propagates none.
    Nothing is named then. One overflow looks like any other, so a misconception is named only if the engine behaves
    like it on another wrong program, too.

    Args:
        failures: The checks that failed.
        other: The checks among them that failed because of an error, or of a wrong value before any gradient. A
            misconception explains such a check only if the engine behaves like it on a wrong program of the check.
    """
    if not seen.wrong or not can_be_named(known, facts) or not can_be_told(known, seen):
        return {}
    clear = seen.wrong.items() - {(key, seen.wrong[key]) for key in seen.overflowed}
    known = replace(known, misconceptions=tuple(one for one in known.misconceptions if clear & one.behaviour.items()))
    alike = [one for one in known.misconceptions if _alike(one.behaviour, seen.programs)]
    if alike:
        (one, *others) = _seen_whole(alike, seen)
        return _by_function(known, seen) if others else dict.fromkeys(_explained(one, seen, failures, other), one)
    return _pair(known, seen) or _by_function(known, seen)


def _explained(one: KnownBehaviour, seen: Behaviour, failures: Iterable[str], other: Collection[str]) -> Iterator[str]:
    """Yield the failed checks that a misconception explains, if the engine behaves like it on all programs."""
    compared = {check_of(key) for key in seen.wrong}
    fails = {check_of(key) for key in one.behaviour}
    for check in failures:
        # if only programs that were not compared are wrong, the failure may have another reason
        if check in compared or (check in fails and check not in other):
            yield check


def _seen_whole(alike: list[KnownBehaviour], seen: Behaviour) -> list[KnownBehaviour]:
    """Return the misconceptions for which every program that they get wrong is clear in the engine's behaviour.

    If there is no such misconception, return all.
    """
    return [one for one in alike if seen.unclear.isdisjoint(one.behaviour)] or alike


def can_be_named(known: KnownExercise, facts: Iterable[FaultFact]) -> bool:
    """Return whether an exercise has misconceptions, and by `facts` no operation propagates nothing."""
    return bool(known.misconceptions) and not any(fact.kind in NOTHING_ADDED for fact in facts)


def can_be_told(known: KnownExercise, seen: Behaviour) -> bool:
    """Return whether a misconception may be named: an input got a contribution, and no unfinished solution fits."""
    return seen.arrived is not False and not any(_alike(one, seen.programs) for one in known.unfinished)


def _alike(candidate: Mapping[str, str], programs: Mapping[str, str]) -> bool:
    """Return whether a candidate behaves like the engine on all of these programs. At least one must be wrong."""
    separated = False
    for key, look in programs.items():
        expected = candidate.get(key, RIGHT)
        if expected == UNCLEAR:
            continue
        if expected != look:
            return False
        separated = separated or look != RIGHT
    return separated


class _Candidate(NamedTuple):
    """A known wrong solution: a misconception, or an unfinished solution if `one` is None."""

    behaviour: Mapping[str, str]
    one: KnownBehaviour | None = None

    def independent(self, other: "_Candidate") -> bool:
        """Return whether both may be in one file: they change different functions, as far as that is known."""
        if self.one is None or other.one is None:
            return self.one is not other.one
        if self.one.functions.keys().isdisjoint(other.one.functions):
            return True
        answers = all(map(answer_of, (*self.behaviour, *other.behaviour)))
        return answers and self.behaviour.keys().isdisjoint(other.behaviour)


def _pair(known: KnownExercise, seen: Behaviour) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that occur in every pair that explains the engine, by check.

    In such a pair, wherever only one of the two is wrong, the engine behaves like it. Programs on which both are
    wrong decide nothing. Each of the two must be the only wrong one on at least one program.
    """
    # the candidates that explain something, and the pairs of them that explain everything
    possible = [
        candidate
        for candidate in (
            *(_Candidate(one.behaviour, one) for one in known.misconceptions),
            *map(_Candidate, known.unfinished),
        )
        if _explains_some(candidate.behaviour, seen)
    ]
    pairs = [
        by_check
        for one, other in combinations(possible, 2)
        if one.independent(other) and (by_check := _together(one, other, seen.programs))
    ]
    return {
        check: candidate.one
        for check, candidate in (pairs[0] if pairs else {}).items()
        if candidate.one is not None and all(pair.get(check) is candidate for pair in pairs)
    }


def _explains_some(candidate: Mapping[str, str], seen: Behaviour) -> bool:
    return any(candidate.get(key) == look for key, look in seen.wrong.items())


def _together(one: _Candidate, other: _Candidate, programs: Mapping[str, str]) -> dict[str, _Candidate] | None:
    """Return which one of two candidates explains each check; None if they do not explain everything."""
    by_check: dict[str, _Candidate] = {}
    alone: list[_Candidate] = []
    for key, look in programs.items():
        looks = [candidate.behaviour.get(key, RIGHT) for candidate in (one, other)]
        wrong = [candidate for candidate, expected in zip((one, other), looks, strict=True) if expected != RIGHT]
        # two mistakes on one program may look like anything, except right
        if len(wrong) == 2 or UNCLEAR in looks:
            if look == RIGHT:
                return None
            continue
        if look != next((expected for expected in looks if expected != RIGHT), RIGHT):
            return None
        if wrong:
            alone.append(wrong[0])
            by_check.setdefault(check_of(key), wrong[0])
    return by_check if any(c is one for c in alone) and any(c is other for c in alone) else None


def _by_function(known: KnownExercise, seen: Behaviour) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that explain the programs which depend on one function alone, function by function.

    A misconception explains a check if the check's first wrong program is one of these.
    """
    explained: dict[str, KnownBehaviour] = {}
    # the first wrong program of each check
    first: dict[str, str] = {}
    for key in seen.wrong:
        first.setdefault(check_of(key), key)
    for function, keys in known.functions.items():
        programs = {key: seen.programs[key] for key in keys if key in seen.programs}
        alike = [one for one in known.misconceptions if function in one.functions and _alike(one.behaviour, programs)]
        ways = {one.functions[function] for one in alike}  # several may write this function the same way
        alone = [one for one in alike if len(one.functions) == 1]
        if len(ways) == len(alone) == 1 and not any(_alike(one, programs) for one in known.unfinished):
            explained.update({check: alone[0] for check, key in first.items() if programs.get(key, RIGHT) != RIGHT})
        elif not alike and programs and all(map(answer_of, programs)):
            for one in _by_answer(known, function, programs):
                explained.setdefault(next(check_of(key) for key in one.behaviour if key in programs), one)
    return explained


def _by_answer(known: KnownExercise, function: str, programs: Mapping[str, str]) -> Iterator[KnownBehaviour]:
    """Yield the misconceptions that explain some answers of a function, though others are wrong in an unknown way.

    Of misconceptions that explain the same answer, the one that explains the most answers counts, if there is only one.
    """
    wrong = {
        one.id: {key: look for key, look in one.behaviour.items() if key in programs}
        for one in known.misconceptions
        if function in one.functions
    }
    fitting = [
        one
        for one in known.misconceptions
        if wrong.get(one.id) and all(programs[key] == look for key, look in wrong[one.id].items())
    ]
    for one in fitting:
        looks = wrong[one.id]
        # several may write this function the same way
        others = [wrong[other.id] for other in fitting if other.functions[function] != one.functions[function]]
        smaller = all(other.keys() < looks.keys() or looks.keys().isdisjoint(other) for other in others)
        unfinished = any(looks.items() <= other.items() for other in known.unfinished)
        if len(one.functions) == 1 and smaller and not unfinished:
            yield one
