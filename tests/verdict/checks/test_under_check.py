"""The engine that hidden tests use: correct engines pass, and no false answer within the protocol passes."""

import copy
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from answering import READING, Says, all_zeroed, engine_that, honest, redrawn, zeroed
from asks import (
    ASKS,
    BOTH,
    DOUBLED,
    NINE,
    NONE,
    SQUARE,
    TANH,
    Ask,
    broken,
    every_ask,
    finding,
    finding_of,
    halves,
    left_out,
    listened,
    read_as,
    with_result,
)
from every import every

from grader.checks import CheckFailed, EngineUnderCheck
from grader.course.program import ProgramError
from grader.course.remarks import (
    AfterCall,
    Changed,
    DataChanged,
    DependsOnOrder,
    IntLeaves,
    NeverRan,
    NoGradientChanged,
    NoList,
    NoRules,
    RanEarly,
    ReasonCode,
    Remark,
    RuleTripled,
    StartingFrom,
    Unrelated,
)
from grader.program import chain, leaf, program
from grader.runner.client import Batch, Died, Problem, Ran, Reason, Run, ask

# -- wrong calls -------------------------------------------------------------------------------------------

LEAVES = [(3.0, 16.0), (-1.0, 2.0)]
HALF = {"about": "y", "expected": {"x": 3}}
KEYS = "the keys of `expected` are some of a.data, a.grad, b.data, b.grad"
WRONG: list[tuple[str, str, tuple[Any, ...], dict[str, Any]]] = [
    ("`arguments` is [[1, 2j]]; a list has finite numbers, texts and lists", "returns", ("half", [[1, 2j]]), HALF),
    ("`arguments` is", "returns", ("half", 2j), HALF),
    ("`arguments` is nan", "returns", ("half", float("nan")), HALF),
    ("`arguments` is 100", "returns", ("half", 10**400), HALF),
    ("`expected` is", "returns", ("half", 2), HALF | {"expected": {"x": 1e999}}),
    ("`expected` is ['3']; expected ", "returns", ("half", 2), HALF | {"expected": ["3"]}),
    ("names no number", "returns", ("half", 2), HALF | {"expected": {}}),
    ("`about` is 7; expected str", "returns", ("half", 2), HALF | {"about": 7}),
    ("missing a required argument: 'expected'", "returns", ("half", 2), {"about": "y"}),
    ("`start` is [3, 16]", "changes_leaves", ("step",), {"start": [3, 16], "expected": {"a.grad": 0}}),
    ("two or more leaves", "changes_leaves", ("step",), {"start": LEAVES[:1], "expected": {"a.grad": 0}}),
    (KEYS, "changes_leaves", ("step",), {"start": LEAVES, "expected": {"a": 0}}),
    ("some of a.data", "changes_leaves", ("step",), {"start": LEAVES, "expected": {"z.grad": 0}}),
    ("`upstream` is [1]", "local_rules_agree", ("L = a * a",), {"a": 3, "upstream": [1]}),
    ("`already` is 3", "local_rules_agree", ("L = a * a",), {"a": 3, "already": 3}),
    (
        "`already` names `z`, and no program has such a node",
        "local_rules_agree",
        ("L = a * a",),
        {"a": 3, "already": {"z": 3}},
    ),
    ("`programs` is 7; expected str or ", "agrees", (7,), {}),
    ("there is no program", "agrees", (), {}),
    ("the value of a leaf is not a number", "agrees", ("L = a * a",), {"a": [None]}),
    ("L = a * a has no node `z`", "agrees_again", ("L = a * a",), {"a": 3, "first": "z"}),
    ("`steps` is 1.5; expected int", "trains", ("L = w * w",), {"w": 3, "steps": 1.5, "rate": 0.1}),
    ("`steps` is 0", "trains", ("L = w * w",), {"w": 3, "steps": 0, "rate": 0.1}),
    ("`calls` is 'x'", "sorts", ("L = a * a",), {"a": 3, "calls": "x"}),
    ("`sizes` is 3", "fresh", (3,), {"sizes": 3}),
    ("`ops` is 'add'", "fresh", (3,), {"ops": "add"}),
    ("`numbers` is [1]", "numbers", ([1],), {}),
    ("no operation `rleu`; did you mean `relu`?", "charged_elsewhere", ("rleu",), {}),
]


@every(("expected", "method", "arguments", "named"), WRONG)
@every("says", [honest, None], ids=["running", "planning"])
def test_a_wrong_call_is_an_error_of_the_course(
    says: Says | None, expected: str, method: str, arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    """It is said while the check is planned too, so `grade build` finds it, and it never counts against a learner."""
    with pytest.raises(ProgramError) as error:
        getattr(engine_that(says), method)(*arguments, **named)
    assert expected in str(error.value)


# -- honest engines ----------------------------------------------------------------------------------------


@every_ask
@every("redraw", [None, redrawn()], ids=["its numbers", "other numbers"])
def test_a_right_engine_passes(ask: Ask, redraw: Any) -> None:
    """All programs of a call are sent at once, judged under four orders, and counted."""
    batches: list[Batch] = []
    engine = engine_that(listened(batches), redraw=redraw)
    ask(engine)
    assert engine.comparisons == 2
    assert engine.reading is not None
    (batch,) = batches
    assert (2, (0, 1, 2, 3)) == (len(batch.runs), batch.order_seeds)
    assert (2_000_000, 2.0) == (batch.calls, batch.cpu_s)


def test_planning_judges_nothing() -> None:
    """While planning, programs are counted and no verdict is given."""
    engine = engine_that(None)
    for each in ASKS.values():
        each(engine)
    assert (2 * len(ASKS), None, []) == (engine.comparisons, engine.reading, engine.output)


def test_a_program_may_be_written_as_text() -> None:
    """Text with the values of its leaves is a program. It need not have an operation."""
    engine = engine_that()
    engine.agrees("L = a * b", a=2, b=3)
    engine.sorts("L = a * a", a=1)
    engine.sorts(leaf(2.0))
    assert engine.comparisons == 3


def test_limits_may_be_set_for_one_check() -> None:
    """`calls` and `searches` of sorts() replace the course's limits. A graph of over a thousand nodes runs once."""
    batches: list[Batch] = []
    engine = engine_that(listened(batches))
    engine.sorts(SQUARE, calls=7, searches=1)
    engine.sorts(SQUARE, calls=7, searches=10**6)
    engine.sorts(chain(1_001))
    few, many, huge = batches
    assert 0 < few.cpu_s < many.cpu_s
    assert (7, (0, 1, 2, 3)) == (few.calls, few.order_seeds)
    assert (None, 2.0, (2,)) == (huge.calls, huge.cpu_s, huge.order_seeds)


def test_output_is_kept() -> None:
    """The output of the learner's code is kept for the report."""
    engine = engine_that(printed="hello\n")
    engine.agrees(SQUARE)
    engine.sorts(SQUARE)
    assert ["hello\n", "hello\n"] == engine.output


def test_fresh_programs_come_from_the_seed() -> None:
    """A seed always draws the same programs, and another seed draws others. The smallest come first."""
    one, again, other = (engine_that(seed=seed).fresh(8) for seed in ("s", "s", "t"))
    assert one == again
    assert one != other
    assert sorted(len(p.nodes) for p in one)[0] == len(one[0].nodes)


# -- wrong numbers ---------------------------------------------------------------------------------------------


@every(
    ("name", "step"),
    [
        ("agrees", 0),
        ("agrees", 2),
        ("agrees", 3),
        ("computes", 0),
        ("local rules", 0),
        ("local rules", 3),
        ("uses local rules", 2),
    ],
)
@every("run", [0, 1])
@every("seeds", [None, (0,), (3,)], ids=["always", "first", "last"])
def test_wrong_numbers_fail_under_any_order(name: str, step: int, run: int, seeds: Any) -> None:
    """A wrong value or gradient in any program fails the check, even under a single order seed."""
    found = finding(with_result(run, step, zeroed, seeds), ASKS[name])
    assert ("failed", (BOTH, SQUARE)[run].shown) == (found.status, found.program)
    assert found.actual


def test_the_first_program_that_is_wrong_is_shown() -> None:
    """Programs come smallest first, and the first one with a difference is shown."""
    says = with_result(1, 0, zeroed, seeds=(0,), says=with_result(0, 0, zeroed, seeds=(3,)))
    assert BOTH.shown == finding(says, ASKS["computes"]).program


def plain_rules(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(SQUARE)


def whole(engine: EngineUnderCheck) -> None:
    engine.agrees(SQUARE, whole=True)


START = StartingFrom({"L.grad": -2.5, "a.grad": 5.0})
THREE, ZERO = (3.0).hex(), (0.0).hex()


@every(
    ("expected", "ask", "says"),
    [
        ((DataChanged("backward"),), ASKS["agrees"], with_result(0, 3, zeroed)),
        ((START,), ASKS["local rules"], with_result(0, 3, zeroed)),
        ((), plain_rules, with_result(0, 3, lambda result: [result[0], [THREE, *result[1][1:]]])),
        ((NoGradientChanged(),), plain_rules, with_result(0, 3, lambda result: [result[0], [ZERO, *result[1][1:]]])),
        ((), plain_rules, with_result(0, 3, zeroed)),  # the root's gradient was 1
        ((RuleTripled("L"),), ASKS["uses local rules"], with_result(0, 2, zeroed)),
        ((NoRules(),), ASKS["uses local rules"], read_as(honest, "")),
        ((NoRules(),), ASKS["each rule once"], read_as(honest, "")),
        ((NoList("None"),), ASKS["sorts"], with_result(1, 0, lambda _: ["called"])),
        ((NeverRan("a * b"),), ASKS["by hand"], with_result(0, 4, lambda result: ["trace", result[1][:1]])),
        ((IntLeaves(),), whole, with_result(0, 2, zeroed)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_failure_has_remarks(expected: tuple[Remark, ...], ask: Ask, says: Says) -> None:
    """They say how the program was run, and which faults were seen. A usual start needs none."""
    assert expected == finding(says, ask).remarks


def test_the_start_of_a_rule_counts() -> None:
    """The expected gradient contains the earlier gradient, and the contribution from the upstream gradient."""
    found = finding(with_result(0, 3, zeroed), ASKS["local rules"])
    assert found.expected["a.grad"] == 5.0 + -2.5 * -2.0


def test_a_pass_that_ignores_the_rules_is_told() -> None:
    """Right gradients that do not follow a tripled rule fail, and a remark gives the reason."""

    def says(batch: Batch) -> Any:
        runs = tuple(Run(run.program, (ask.Backward(run.program.root), ask.GRADS)) for run in batch.runs)
        message = honest(Batch(runs, 1, 1))
        for seed in message[2]:
            for outcome in seed:
                outcome[1].insert(0, ["nothing"])
        return message

    assert (RuleTripled("L", ignored=True),) == finding(says, ASKS["uses local rules"]).remarks


def test_gradients_that_are_wrong_without_a_tripled_rule_are_shown_without_it() -> None:
    """If the gradients are wrong anyway, the failure is that of the program as it is, and torch has the right ones."""
    found = finding(all_zeroed, ASKS["uses local rules"])
    assert ((), "torch", BOTH.shown) == (found.remarks, found.expected_by, found.program)


def backwards(result: list[Any]) -> list[Any]:
    return ["trace", result[1][::-1]]


@pytest.mark.parametrize(
    ("says", "name"),
    [
        (with_result(0, 2, backwards), "each rule once"),
        (with_result(0, 3, zeroed, says=with_result(0, 4, backwards)), "by hand"),
    ],
)
def test_a_wrong_order_of_rules_fails(says: Says, name: str) -> None:
    """A trace in which an input ran before its user fails. Wrong gradients are shown too."""
    found = finding(says, ASKS[name])
    (remark,) = found.remarks
    assert isinstance(remark, RanEarly)
    assert ({"dL/da": -2.0, "dL/db": 2.0} if name == "by hand" else {}).items() <= found.expected.items()


@every(("name", "step"), [("agrees", 0), ("agrees", 2), ("computes", 0), ("local rules", 3)])
@every("seeds", [(0,), (1, 2), (3,)])
def test_a_failure_that_depends_on_the_order_says_so(name: str, step: int, seeds: tuple[int, ...]) -> None:
    """If an answer is right only under some orders, a remark says so."""
    assert DependsOnOrder(len(seeds), 4) in finding(with_result(0, step, zeroed, seeds), ASKS[name]).remarks


def test_a_failure_in_every_run_does_not_count_the_runs() -> None:
    """If all runs are wrong, each with its own numbers, their count says nothing."""
    says = with_result(0, 2, lambda result: ["grads", [(9.5).hex() for _ in result[1]]], (2, 3))
    assert () == finding(with_result(0, 2, zeroed, (0, 1), says), ASKS["agrees"]).remarks


# -- what stops a run --------------------------------------------------------------------------------------------

SOURCE = "class Value:\n    pass\n\ndef f():\n    return g()\n"
RAISED = ["backward", "raised", "E", "why", []]


@every(
    ("status", "kind", "type_name"),
    [("error", "raised", "E"), ("timeout", "calls", "E"), ("timeout", "cpu", "E"), ("failed", "shape", "no_class")],
)
@every("where", [0, 1])
@every_ask
def test_a_broken_run_fails_its_check(ask: Ask, status: str, kind: str, type_name: str, where: int) -> None:
    """A run that raises, spends its budget or lacks a part fails the check, with status, program and line."""
    found = finding(broken(["backward", kind, type_name, "why", [5]], where=where), ask, SOURCE)
    assert (status, (BOTH, SQUARE)[where].shown) == (found.status, str(found.program).partition(", where variables")[0])
    assert found.stopped is not None
    assert ((5, "return g()"),) == found.stopped.lines


def test_what_is_needed_is_not_started_if_it_is_wrong() -> None:
    """A check of further operations says nothing about them if one is wrong that they need. A limit stays one."""
    wrong = finding(broken(RAISED), lambda engine: engine.needs(BOTH, SQUARE))
    stopped = finding(broken(["backward", "calls", "E", "why", [5]]), lambda engine: engine.needs(BOTH, SQUARE), SOURCE)
    assert ("not_started", "timeout") == (wrong.status, stopped.status)


@every_ask
def test_all_results_and_a_problem_is_a_broken_run(ask: Ask) -> None:
    """A run that has every result but also a problem is a broken run."""
    assert finding(broken(RAISED, results=list), ask).status == "error"


def test_wrong_values_are_told_before_a_later_error() -> None:
    """If the values were already wrong, the finding shows them and not a later exception."""
    found = finding(broken(RAISED, results=lambda done: [zeroed(done[0])]), ASKS["agrees"])
    assert ("failed", {"a": 2.0, "b": -3.0, "a * b": -6.0}) == (found.status, found.expected)


@every("seed", [1, 2, 3])
def test_wrong_numbers_are_told_before_a_limit(seed: int) -> None:
    """The moment at which CPU time runs out depends on the machine, so a program that is wrong anyway is shown.

    How many runs are wrong depends on it as well.
    """

    def says(batch: Batch) -> Any:
        message = with_result(1, 0, zeroed, (0,))(batch)
        message[2][seed:] = [[["broke", [], ["backward", "cpu", "OutOfTime", "", []]], None]] * (4 - seed)
        return message

    found = finding(says, ASKS["computes"])
    assert ("failed", SQUARE.shown, ()) == (found.status, found.program, found.remarks)


@every(("status", "kind"), [("timeout", "cpu_limit"), ("crashed", "exited"), ("error", "protocol_error")])
@every_ask
def test_a_death_fails_the_check(ask: Ask, status: str, kind: ReasonCode) -> None:
    """A process that gives no answer fails the current check, with the way in which it ended."""
    found = finding(lambda batch: Ran(Died(kind, seconds=2.0, detail="how"), "out", 0.0), ask)
    assert (status, kind) == (found.status, found.reason and found.reason.kind)


@every_ask
def test_an_unread_engine_fails_the_check(ask: Ask) -> None:
    """If no engine was found in a file, every check fails with the reason."""
    found = finding(lambda batch: Ran(Problem("reading", "shape", "no_class", "", []), "", 0.0), ask)
    assert ("failed", Reason("shape", detail="no_class")) == (found.status, found.reason)


@every("lines", ["a = 1\x0c\nb = 2\n", "a = '\x1c'\nb = 2\n", "a = '\u2028'\nb = 2\n", "# \x85\nb = 2"])
def test_lines_are_counted_as_python_counts_them(lines: str) -> None:
    """A form feed or another separator inside a line does not start a new line."""
    problem = Problem("backward", "raised", "E", "why", [2])
    found = finding(lambda batch: Ran(problem, "", 0.0), ASKS["agrees"], lines)
    assert found.stopped is not None
    assert ((2, "b = 2"),) == found.stopped.lines


# -- what an engine need not offer ---------------------------------------------------------------------------------


def build_problem(kind: str, *names: str) -> list[Any]:
    return ["build", kind, "E", "", [], [*names]]


NOT_OFFERED = build_problem("not_offered", "tanh")
NO_ADDITION = ["build", "raised", "TypeError", "unsupported operand type(s) for +: 'int' and 'Value'"]


@every(
    ("problem", "asked"),
    [
        (NOT_OFFERED, TANH),
        (build_problem("not_offered", "__rmul__"), DOUBLED),
        (["build", "raised", "TypeError", "no", []], program("L = a * 2", a=3)),
        (["build", "raised", "AttributeError", "'int' object has no attribute 'data'", []], program("L = a + 2", a=3)),
        (["build", "raised", "ValueError", "no numbers", [3]], program("L = a + 2", a=3)),
        ([*NO_ADDITION, []], DOUBLED),
    ],
)
def test_a_missing_option_costs_nothing_where_it_may_be_missing(problem: list[Any], asked: Any) -> None:
    """Operations and plain numbers that an engine does not accept are skipped if they are optional."""
    engine_that(broken(problem)).agrees(asked, where_offered=True)


@every(
    ("problem", "asked"),
    [
        (NOT_OFFERED, BOTH),
        (NOT_OFFERED, program("L = a ** 2", a=3)),
        (["build", "raised", "TypeError", "no", []], BOTH),
        (["build", "raised", "TypeError", "no", []], DOUBLED),
        ([*NO_ADDITION, [3]], DOUBLED),
        (["build", "raised", "TypeError", "'NoneType' and 'Value'", []], program("L = a * 2", a=3)),
        (["build", "raised", "TypeError", "no", []], TANH),
        (["build", "raised", "TypeError", "no", []], program("L = a ** 2", a=3)),
        (["build", "raised", "ValueError", "no", []], DOUBLED),
        (["backward", "raised", "TypeError", "no", []], DOUBLED),
        (["build", "calls", "OutOfCalls", "", []], TANH),
    ],
)
def test_everything_else_that_breaks_fails_also_there(problem: list[Any], asked: Any) -> None:
    """Required operations, other or later exceptions and endless loops fail even if operations are optional."""
    finding(broken(problem), lambda e: e.agrees(asked, where_offered=True))


@pytest.mark.parametrize("asked", [TANH, DOUBLED])
def test_elsewhere_everything_has_to_be_offered(asked: Any) -> None:
    """Without `where_offered` a missing operation fails."""
    found = finding(broken(NOT_OFFERED), lambda e: e.agrees(asked))
    assert ("failed", Reason("not_offered", detail="tanh")) == (found.status, found.reason)


DIFFERENCE = program("L = (a - b) * a", a=3, b=2)
WITHOUT_MINUS = broken(build_problem("not_offered", "__sub__"), only=[DIFFERENCE.key])
USES = {"nodes": program("L = a - b", a=3, b=2), "right": program("L = a - 2", a=3), "left": program("L = 2 - a", a=3)}


def without_neg(*cannot: str, by: str = "__sub__") -> Says:
    """Return an engine whose methods for `-` use `-x`, which it lacks, in these programs of `USES`."""
    problem = ["build", "not_offered", "NotOffered", "", [7], ["__neg__", by]]
    return broken(problem, only=[USES[name].key for name in cannot])


def charged(says: Says, *operations: str, asked: Sequence[Any]) -> EngineUnderCheck:
    """Return the engine of a check that ran these programs, and leaves the operations to other checks."""
    engine = engine_that(says)
    engine.charged_elsewhere(*operations)
    for one in asked:
        engine.agrees(one)
    return engine


def test_a_missing_operation_costs_nothing_where_another_check_asks_for_it() -> None:
    """Programs with a missing operation are left out, as long as one program remains."""
    charged(WITHOUT_MINUS, "sub", "div", asked=[DIFFERENCE, BOTH]).finish()


@pytest.mark.parametrize("others", [[], [program("L = a - b", a=3, b=2)]], ids=["nothing is left", "elsewhere"])
def test_a_missing_operation_costs_something(others: list[Any]) -> None:
    """A check fails if nothing is left of it, and if `-` works in another program, so that it cannot be missing."""
    engine = charged(WITHOUT_MINUS, "sub", asked=[DIFFERENCE, *others])
    found = finding_of(engine, EngineUnderCheck.finish)
    assert ("failed", Reason("not_offered", detail="__sub__")) == (found.status, found.reason)


@every(("cannot", "by"), [("nodes", "__sub__"), ("right", "__sub__"), ("left", "__rsub__")])
def test_an_operation_that_uses_a_missing_one_costs_nothing_where_others_ask_for_both(cannot: str, by: str) -> None:
    """An engine may need `-x` for `a - b`, and not for `a - 2`."""
    charged(without_neg(cannot, by=by), "sub", "neg", asked=[*USES.values()]).finish()


def test_an_operation_that_uses_a_missing_one_in_some_programs_fails() -> None:
    """If `a - b` works in one program, it does not need `-x` in another."""
    engine = charged(without_neg("nodes"), "sub", "neg", asked=[USES["nodes"], DIFFERENCE])
    assert Reason("not_offered", detail="__neg__", line=7) == finding_of(engine, EngineUnderCheck.finish).reason


@every("operations", [(), ("sub",), ("neg",), ("neg", "div", "add")])
@every("where_offered", [False, True])
def test_an_operation_that_uses_a_missing_one_costs_where_either_is_asked_for(
    operations: tuple[str, ...], where_offered: bool
) -> None:
    """Only a program whose operation and whose missing method belong to other checks is left out."""
    engine = charged(without_neg("nodes"), *operations, asked=[])
    finding_of(engine, lambda e: e.agrees(USES["nodes"], where_offered=where_offered))


def test_an_optional_function_that_uses_a_missing_method_is_offered_and_fails() -> None:
    """A defined `tanh` has to work."""
    engine = charged(broken(build_problem("not_offered", "__neg__", "tanh")), "sub", "neg", asked=[])
    finding_of(engine, lambda e: e.agrees(TANH, where_offered=True))


@pytest.mark.parametrize("operations", [(), ("div", "neg")])
def test_a_missing_operation_costs_where_it_is_asked_for(operations: tuple[str, ...]) -> None:
    """A missing operation is skipped only if another check asks for it."""
    engine = charged(WITHOUT_MINUS, *operations, asked=[])
    assert Reason("not_offered", detail="__sub__") == finding_of(engine, lambda e: e.agrees(DIFFERENCE)).reason


def test_methods_that_are_passed_over_are_named() -> None:
    """A `tanh` that takes an argument is skipped if it is optional, with a remark."""
    engine = engine_that(broken(build_problem("wants_argument", "tanh")))
    engine.agrees(TANH, where_offered=True)
    assert ["tanh"] == engine.not_run


def test_an_option_has_to_be_right() -> None:
    """An optional function that exists and is wrong fails."""
    finding(with_result(0, 2, zeroed), lambda e: e.agrees(TANH, where_offered=True))


# -- liars -----------------------------------------------------------------------------------------------------------


def outcomes(outcome: Any) -> Callable[[Batch], Any]:
    """Return a process that gives the same outcome for every run."""

    def says(batch: Batch) -> Any:
        return ["read", READING, [[outcome] * len(batch.runs)] * len(batch.order_seeds)]

    return says


def all_alike(tokens: str) -> Callable[[Batch], Any]:
    """Return a process that answers each step in the right form, with the same number everywhere."""

    def says(batch: Batch) -> Any:
        def result(step: Any, nodes: int) -> Any:
            if step in (ask.VALUES, ask.GRADS):
                return [step.name, [tokens] * nodes]
            return {"traced": ["trace", []], "call": ["called", [tokens]]}.get(step.name, ["nothing"])

        runs = [["done", [result(step, len(run.program.nodes)) for step in run.steps]] for run in batch.runs]
        return ["read", READING, [runs] * len(batch.order_seeds)]

    return says


LIARS: dict[str, Callable[[Batch], Any]] = {
    "nothing was run": outcomes(None),
    "nothing is offered": outcomes(["broke", [], ["build", "not_offered", "NotOffered", "", [], ["add"]]]),
    "numbers are refused": outcomes(["broke", [], ["build", "raised", "TypeError", "", []]]),
    "done with nothing": outcomes(["done", []]),
    "broke with nothing": outcomes(["broke", [], ["build", "passed", "Passed", "", []]]),
    "all zeros": all_alike(NONE),
    "all ones": all_alike((1.0).hex()),
    "all nan": all_alike("nan"),
    "all infinite": all_alike("inf"),
    "no numbers": all_alike("!float"),
    "no seeds": lambda batch: ["read", READING, []],
    "no runs": lambda batch: ["read", READING, [[]] * len(batch.order_seeds)],
    "unread": lambda batch: ["unread", ["reading", "passed", "Passed", "", []]],
    "loaded": lambda batch: ["loaded"],
    "nothing at all": lambda batch: None,
    "passed": lambda batch: {"status": "passed"},
}


every_liar = every("liar", LIARS.values(), ids=LIARS.keys())


@every_ask
@every_liar
def test_no_liar_passes(ask: Ask, liar: Says) -> None:
    """An answer that is independent of the question fails every kind of check."""
    engine = engine_that(liar)
    finding_of(engine, ask)
    assert engine.comparisons == 2


@every_liar
def test_no_liar_passes_for_a_function(liar: Says) -> None:
    """A function is judged by its numbers alone."""
    finding(liar, halves)


@every("where", [0, 1])
@every("seeds", [(0,), (3,), (0, 1, 2, 3)], ids=["first", "last", "all"])
@every_ask
def test_nobody_passes_by_leaving_a_program_out(ask: Ask, where: int, seeds: tuple[int, ...]) -> None:
    """An answer fails if it leaves out one run under one order seed."""
    found = finding(left_out(*((seed, where) for seed in seeds)), ask)
    assert ("error", Reason("left_out")) == (found.status, found.reason)


@every_ask
def test_a_program_left_out_is_a_doubt(ask: Ask) -> None:
    """An answer that leaves out a program is suspect, because no engine can cause that."""
    engine = engine_that(left_out((3, 1), says=all_zeroed))
    finding_of(engine, ask)
    assert engine.left_out


@every("kind", ["calls", "cpu", "stalled"])
@every_ask
def test_a_program_left_out_behind_a_used_up_budget_is_no_doubt(ask: Ask, kind: str) -> None:
    """An answer may leave out programs after its budget is spent, because the worker then runs nothing more."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        message[2][0] = [["broke", [], ["backward", kind, "OutOfCalls", "", []]], None]
        message[2][1:] = [[None] * len(batch.runs)] * 3
        return message

    engine = engine_that(says)
    assert ("timeout", False) == (finding_of(engine, ask).status, engine.left_out)


@every("kind", ["", "closure", "visit", "pull", "called", "pairs", "parallel", "inline"])
@every("name", ["agrees", "local rules", "uses local rules"])
def test_a_false_reading_does_not_pass_wrong_numbers(kind: str, name: str) -> None:
    """Gradients that do not follow the rules fail, even if the engine claims another structure of its nodes."""
    finding(read_as(all_alike((1.0).hex()), kind), ASKS[name])


def damage(message: Any, rng: random.Random) -> None:
    """Replace one place of an answer by another value of the protocol."""
    parts: list[tuple[list[Any], int]] = []

    def collect(part: Any) -> None:
        if isinstance(part, list):
            for i, inner in enumerate(part):
                parts.append((part, i))
                collect(inner)

    collect(message)
    inside, i = rng.choice(parts)
    other, j = rng.choice(parts)
    spare = [NONE, "nan", "inf", "!str", [], ["nothing"], None, -1, 0, 10**7, ["called", None, [-1, 99]], True, "x"]
    inside[i] = rng.choice([copy.deepcopy(other[j]), *spare])


@pytest.mark.parametrize("name", ASKS)
def test_no_damaged_answer_gives_anything_but_a_verdict(name: str) -> None:
    """For any answer, a check passes or fails: the grader itself never fails."""
    rng = random.Random(name)

    def says(batch: Batch) -> Any:
        message = honest(batch)
        for _ in range(rng.randint(1, 3)):
            damage(message, rng)
        return message

    failed = 0
    for _ in range(120):
        try:
            ASKS[name](engine_that(says, SOURCE))
        except CheckFailed:
            failed += 1
    assert failed > 60


# -- other numbers ---------------------------------------------------------------------------------------------------


@every_ask
def test_a_recorded_answer_fails_with_other_numbers(ask: Ask) -> None:
    """Recorded answers to the programs of a check are wrong for the programs with redrawn numbers."""
    recorded: list[Any] = []
    ask(engine_that(lambda batch: recorded.append(honest(batch)) or recorded[0]))
    found = finding(lambda batch: recorded[0], ask, redraw=redrawn())
    assert found.program not in (BOTH.shown, SQUARE.shown)


def test_the_order_in_which_a_program_is_sent_is_no_answer() -> None:
    """Programs contain additional nodes that belong to no order, so the order of sending is not an answer."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        for seed in message[2]:
            for run, outcome in zip(batch.runs, seed, strict=True):
                outcome[1] = [["called", None, list(range(len(run.program.nodes)))]] * len(run.steps)
        return message

    ASKS["sorts"](engine_that(says))
    assert (Unrelated("p", "L"),) == finding(says, ASKS["sorts"], redraw=redrawn()).remarks


def test_numbers_beside_programs_change_too() -> None:
    """Upstream gradients and earlier gradients are redrawn as well, with numbers of the same kind."""
    batches: list[Batch] = []
    engine = engine_that(listened(batches), redraw=redrawn())
    ASKS["local rules"](engine)
    engine.local_rules_agree_again(None, SQUARE, upstream=1)
    _, preload, rules, *_ = batches[0].runs[0].steps
    assert isinstance(preload, ask.Preload)
    assert isinstance(rules, ask.LocalRules)
    ((_, already),) = preload.grads
    assert (True, True) == (rules.upstream < 0, rules.upstream != -2.5)
    assert (True, True) == (already > 1, already != 5.0)
    assert ask.LocalRules(1, 1) == batches[1].runs[0].steps[1]


def test_fresh_programs_are_asked_as_they_are() -> None:
    """Random programs are not redrawn, because they already come from the seed."""
    batches: list[Batch] = []
    engine = engine_that(listened(batches), redraw=redrawn())
    fresh = engine.fresh(3)
    engine.agrees(SQUARE, *fresh)
    engine.sorts(*fresh)
    assert fresh == [run.program for run in batches[0].runs[1:]]
    assert fresh == [run.program for run in batches[1].runs]
    assert SQUARE != batches[0].runs[0].program


def test_numbers_for_functions() -> None:
    """A check gets its own numbers if nothing is redrawn, or else other and more numbers."""
    assert [2, -3.5, 0] == engine_that().numbers(2, -3.5, 0, more=2)
    two, minus, zero, *more = engine_that(redraw=redrawn()).numbers(2, -3.5, 0, more=2)
    assert (True, True, 0) == (two > 2, minus < 0 and minus != -3.5, zero)
    assert 1 <= len(more) <= 2


def test_leaves_for_functions() -> None:
    """A check in which the learner's code builds a program gets the leaves, with which the oracle is asked too."""
    assert {"a": 2, "b": -3} == engine_that().leaves("L = a * b", a=2, b=-3)
    engine = engine_that(redraw=redrawn())
    leaves = engine.leaves("L = a * b", a=2, b=-3)
    assert {"a": int, "b": int} == {name: type(value) for name, value in leaves.items()}
    assert (leaves["b"], leaves["a"], 1.0) == engine.truth("L = a * b", **leaves).grads
    assert leaves != {"a": 2, "b": -3}


# -- functions that run passes ------------------------------------------------------------------------------------


def called(engine: EngineUnderCheck, second: bool = False) -> None:
    engine.agrees_after("again", "L", 0.25, on=[SQUARE], second=second, added={"a": 0.25})


@pytest.mark.parametrize(("second", "grad"), [(False, 6.5), (True, 12.5)])
def test_gradients_after_a_call_are_those_of_one_pass_or_two(second: bool, grad: float) -> None:
    """A leaf has the gradient that was there, and the contributions. The root has 1, and the value has changed."""
    grads, values = ["grads", [grad.hex(), (1.0).hex()]], ["values", [(3.25).hex(), NINE]]
    says = with_result(0, 2 + second, lambda _: grads, None, with_result(0, 3 + second, lambda _: values))
    batches: list[Batch] = []
    called(engine_that(listened(batches, says)), second)
    preload, *passes, call, _, _ = batches[0].runs[0].steps
    assert (ask.Preload([(0, 0.5)]), [ask.Backward(1)] * second) == (preload, passes)
    assert ask.CallFunction("again", [("node", 1), ("number", 0.25)]) == call
    after, start = AfterCall("again(L, 0.25)", second), StartingFrom({"a.grad": 0.5})
    assert (after, start) == finding(honest, lambda engine: called(engine, second)).remarks
    unmoved = finding(with_result(0, 2 + second, lambda _: grads), lambda engine: called(engine, second))
    assert ((after,), "check") == (unmoved.remarks, unmoved.expected_by)


def test_several_calls_are_several_passes() -> None:
    """After a pass and two calls, a leaf has the contributions of three passes."""
    grads = ["grads", [(18.5).hex(), (1.0).hex()]]
    batches: list[Batch] = []
    says = listened(batches, with_result(0, 4, lambda _: grads))
    engine_that(says).agrees_after("again", "L", on=[SQUARE], second=True, calls=2)
    calls = [step for step in batches[0].runs[0].steps if isinstance(step, ask.CallFunction)]
    assert [ask.CallFunction("again", [("node", 1)])] * 2 == calls


@every(
    ("step", "result", "what"),
    [
        (5, ["values", [(1.0).hex()] * 2], "value"),
        (10, ["grads", [(1.0).hex()] * 2], "gradient"),
        (11, ["inputs", [[], []]], "inputs"),
    ],
)
def test_a_graph_that_sorting_has_changed_is_a_failure(step: int, result: list[Any], what: Any) -> None:
    """The first and the second call leave the values, the gradients and the inputs as they were."""
    found = finding(with_result(0, step, lambda _: result), lambda engine: engine.sorts(SQUARE, untouched=True))
    assert [what] == [remark.what for remark in found.remarks if isinstance(remark, Changed)]


# -- other runs --------------------------------------------------------------------------------------------------


def test_a_failing_random_program_is_shown_by_its_smallest_part_that_fails() -> None:
    """For an engine with a wrong product, a single product is shown, even if a large program failed."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        for seed in message[2]:
            for run, outcome in zip(batch.runs, seed, strict=True):
                if any(op == "mul" for op, *_ in run.program.wire):
                    outcome[1][2] = ["grads", [(9.5).hex()] * len(run.program.nodes)]
        return message

    found = finding(says, lambda e: e.agrees(*e.fresh(6, sizes=(8, 12))))
    text = str(found.program).partition("with")[0]
    assert (1, 1) == (text.count("="), text.count("*"))


def test_inner_gradients_may_be_set_back_but_where_they_are_asked_for() -> None:
    """Without `inner`, a pass may clear the gradients of interior nodes."""

    def tidy(batch: Batch) -> Any:
        message = honest(batch)
        for seed, arrangements in zip(message[2], batch.arrangements, strict=True):
            for run, outcome, arrangement in zip(batch.runs, seed, arrangements, strict=True):
                for i, node in enumerate(run.program.wire):
                    if node[0] != "leaf":
                        outcome[1][2][1][arrangement.places[i] if arrangement else i] = NONE
        return message

    engine_that(tidy).agrees(BOTH)
    finding(tidy, lambda e: e.agrees(BOTH, inner=True))
