"""The engine that hidden tests use: correct engines pass, and no false answer within the protocol passes."""

import copy
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from grader.checks import CheckFailed, EngineUnderCheck
from grader.checks.outcome import Finding
from grader.client import Batch, Died, Problem, Ran, Reason
from grader.oracle import Redraw
from grader.oracle.answer_book import Answer
from grader.program import Descent, ProgramError, Question, chain, leaf, program
from grader.remarks import Changed, Kind, ListChanged
from grader.words.learner import ended_text, finding_text

EngineThat = Callable[..., EngineUnderCheck]
Ask = Callable[[EngineUnderCheck], None]
Says = Callable[[Batch], Any]

BOTH = program("L = a * b + a", a=2, b=-3)
SQUARE = program("L = a * a", a=3)
TANH = program("L = tanh(a)", a=3)
DOUBLED = program("L = (2 * a) * a", a=3)
NONE = (0.0).hex()

ASKS: dict[str, Ask] = {
    "agrees": lambda engine: engine.agrees(BOTH, SQUARE),
    "agrees where offered": lambda engine: engine.agrees(BOTH, SQUARE, where_offered=True),
    "computes": lambda engine: engine.computes(BOTH, SQUARE),
    "local rules": lambda engine: engine.local_rules_agree(BOTH, SQUARE, upstream=-2.5, already={"a": 5.0}),
    "uses local rules": lambda engine: engine.backward_uses_local_rules(BOTH, SQUARE),
    "each rule once": lambda engine: engine.backward_runs_each_rule_once(BOTH, SQUARE),
    "agrees anew": lambda engine: engine.agrees_anew(BOTH, SQUARE),
    "agrees released": lambda engine: engine.agrees_released(BOTH, SQUARE),
    "sorts": lambda engine: engine.sorts(BOTH, SQUARE),
    "sorts untouched": lambda engine: engine.sorts(BOTH, SQUARE, untouched=True),
    "by hand": lambda engine: engine.by_hand("pass_back", BOTH, SQUARE),
}


@pytest.fixture(params=ASKS.values(), ids=list(ASKS))
def ask(request: pytest.FixtureRequest) -> Ask:
    """Call one method of the engine after another."""
    method: Ask = request.param
    return method


def finding(engine: EngineUnderCheck, ask: Ask) -> Finding:
    """Return the finding of a check that fails."""
    with pytest.raises(CheckFailed) as failure:
        ask(engine)
    return failure.value.finding


# -- wrong calls -------------------------------------------------------------------------------------------

LEAVES = [(3.0, 16.0), (-1.0, 2.0)]
WRONG: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "list": (
        "returns: `arguments` is [[1, 2]]; expected finite number",
        lambda engine: engine.returns("half", [[1, 2]], expected={"x": 3}, about="y"),
    ),
    "text": (
        "returns: `arguments` is '2'; expected finite number",
        lambda engine: engine.returns("half", "2", expected={"x": 3}, about="y"),
    ),
    "complex": ("`arguments` is", lambda engine: engine.returns("half", 2j, expected={"x": 3}, about="y")),
    "nan": ("`arguments` is nan", lambda engine: engine.returns("half", float("nan"), expected={"x": 3}, about="y")),
    "huge": ("`arguments` is 100", lambda engine: engine.returns("half", 10**400, expected={"x": 3}, about="y")),
    "infinite": ("`expected` is", lambda engine: engine.returns("half", 2, expected={"x": 1e999}, about="y")),
    "expected": (
        "`expected` is [3]; expected dict[str, finite number]",
        lambda engine: engine.returns("half", 2, expected=[3], about="y"),
    ),
    "nothing expected": ("names no number", lambda engine: engine.returns("half", 2, expected={}, about="y")),
    "about": ("`about` is 7; expected str", lambda engine: engine.returns("half", 2, expected={"x": 1}, about=7)),
    "missing": ("missing a required argument: 'about'", lambda engine: engine.returns("half", 2, expected={"x": 1})),
    "start": (
        "`start` is [3, 16]",
        lambda engine: engine.changes_leaves("step", start=[3, 16], expected={"a.grad": 0}),
    ),
    "one leaf": (
        "two or more leaves",
        lambda engine: engine.changes_leaves("step", start=LEAVES[:1], expected={"a.grad": 0}),
    ),
    "attribute": (
        "the keys of `expected` are some of a.data, a.grad, b.data, b.grad",
        lambda engine: engine.changes_leaves("step", start=LEAVES, expected={"a": 0}),
    ),
    "leaf": ("some of a.data", lambda engine: engine.changes_leaves("step", start=LEAVES, expected={"z.grad": 0})),
    "upstream": ("`upstream` is [1]", lambda engine: engine.local_rules_agree("L = a * a", a=3, upstream=[1])),
    "already": ("`already` is 3", lambda engine: engine.local_rules_agree("L = a * a", a=3, already=3)),
    "already elsewhere": (
        "`already` names `z`, and no program has such a node",
        lambda engine: engine.local_rules_agree("L = a * a", a=3, already={"z": 3}),
    ),
    "program": ("`programs` is 7; expected str | ", lambda engine: engine.agrees(7)),
    "no program": ("there is no program", lambda engine: engine.agrees()),
    "no random program": ("there is no program", lambda engine: engine.agrees(*engine.fresh(0))),
    "value of a leaf": ("the value of a leaf is not a number", lambda engine: engine.agrees("L = a * a", a=[3])),
    "first": ("L = a * a has no node `z`", lambda engine: engine.agrees_again("L = a * a", a=3, first="z")),
    "steps": ("`steps` is 1.5; expected int", lambda engine: engine.trains("L = w * w", w=3, steps=1.5, rate=0.1)),
    "no steps": ("`steps` is 0", lambda engine: engine.trains("L = w * w", w=3, steps=0, rate=0.1)),
    "calls": ("`calls` is 'x'", lambda engine: engine.sorts("L = a * a", a=3, calls="x")),
    "sizes": ("`sizes` is 3", lambda engine: engine.fresh(3, sizes=3)),
    "operations": ("`ops` is 'add'", lambda engine: engine.fresh(3, ops="add")),
    "numbers": ("`numbers` is [1]", lambda engine: engine.numbers([1])),
    "operation": ("no operation `sbu`; did you mean `sub`?", lambda engine: engine.charged_elsewhere("sbu")),
}


@pytest.mark.parametrize(("expected", "call"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_call_is_an_error_of_the_course(
    engine_that: EngineThat, expected: str, call: Callable[[Any], Any]
) -> None:
    """It is said while the check is planned too, so `grade build` finds it, and it never counts against a learner."""
    for engine in (engine_that(), engine_that(None)):
        with pytest.raises(ProgramError) as error:
            call(engine)
        assert expected in str(error.value)


# -- honest engines ----------------------------------------------------------------------------------------


def test_a_right_engine_passes(engine_that: EngineThat, ask: Ask) -> None:
    """A right answer raises nothing, and the comparisons are counted."""
    engine = engine_that()
    ask(engine)
    assert engine.comparisons == 2
    assert engine.reading is not None


def test_each_method_sends_one_batch_under_every_order_seed(engine_that: EngineThat, ask: Ask, honest: Says) -> None:
    """All programs of a call go out together, and each is judged under four orders."""
    batches: list[Batch] = []
    ask(engine_that(lambda batch: batches.append(batch) or honest(batch)))
    (batch,) = batches
    assert (2, (0, 1, 2, 3)) == (len(batch.runs), batch.order_seeds)
    assert (2_000_000, 2.0) == (batch.calls, batch.cpu_s)


def test_planning_judges_nothing(engine_that: EngineThat) -> None:
    """While planning, programs are counted and no verdict is given."""
    engine = engine_that(None)
    for ask in ASKS.values():
        ask(engine)
    assert (2 * len(ASKS), None, []) == (engine.comparisons, engine.reading, engine.output)


def test_a_program_may_be_written_as_text(engine_that: EngineThat) -> None:
    """Text with the values of its leaves is a program."""
    engine = engine_that()
    engine.agrees("L = a * b", a=2, b=3)
    engine.sorts("L = a * a", a=1)
    assert engine.comparisons == 2


def test_limits_may_be_set_for_one_check(engine_that: EngineThat, honest: Says) -> None:
    """`calls` and `cpu_s` of sorts() replace the course's."""
    batches: list[Batch] = []
    engine_that(lambda batch: batches.append(batch) or honest(batch)).sorts(SQUARE, calls=7, cpu_s=0.5)
    assert (7, 0.5) == (batches[0].calls, batches[0].cpu_s)


def test_a_large_graph_runs_once(engine_that: EngineThat, honest: Says) -> None:
    """A graph of more than a thousand nodes runs under one order seed, which scatters the objects."""
    batches: list[Batch] = []
    engine_that(lambda batch: batches.append(batch) or honest(batch)).sorts(chain(1_001))
    assert (2,) == batches[0].order_seeds


def test_output_is_kept(engine_that: EngineThat, honest: Says) -> None:
    """The output of the learner's code is kept for the report."""
    from grader.client.protocol import decode_batch
    from grader.worker.confine.framing import HEADER

    def says(batch: Batch) -> Ran:
        import json

        body = json.dumps(honest(batch)).encode()
        return Ran(decode_batch(HEADER.pack(len(body)) + body, batch), "hello\n", 0.1)

    engine = engine_that(says)
    engine.agrees(SQUARE)
    engine.sorts(SQUARE)
    assert ["hello\n", "hello\n"] == engine.output


def test_fresh_programs_come_from_the_seed(engine_that: EngineThat) -> None:
    """A seed always draws the same programs, and another seed draws others. The smallest come first."""
    one, again, other = (engine_that(seed=seed).fresh(8) for seed in ("s", "s", "t"))
    assert one == again
    assert one != other
    assert sorted(len(p.nodes) for p in one)[0] == len(one[0].nodes)


# -- wrong numbers ---------------------------------------------------------------------------------------------


def with_result(honest: Says, run: int, step: int, change: Callable[[Any], Any], seeds: Any = None) -> Says:
    """Return a right answer in which one result is changed, under all or some order seeds."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        for i, seed in enumerate(message[2]):
            results = seed[run][1]
            if (seeds is None or i in seeds) and step < len(results):
                results[step] = change(results[step])
        return message

    return says


def zeroed(result: list[Any]) -> list[Any]:
    return [result[0], [NONE] * len(result[1])]


def zeroed_throughout(message: Any) -> Any:
    """Return an answer in which every number is 0."""
    for seed in message[2]:
        for outcome in seed:
            outcome[1] = [zeroed(r) if r[0] in ("values", "grads") else r for r in outcome[1]]
    return message


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("run", [0, 1])
@pytest.mark.parametrize("seeds", [None, (0,), (3,)], ids=["always", "first", "last"])
def test_wrong_numbers_fail_under_any_order(
    engine_that: EngineThat, honest: Says, name: str, step: int, run: int, seeds: Any
) -> None:
    """A wrong value or gradient in any program fails the check, even under a single order seed."""
    found = finding(engine_that(with_result(honest, run, step, zeroed, seeds)), ASKS[name])
    assert found.status == "failed"
    assert (BOTH, SQUARE)[run].shown == found.program
    assert found.actual


def test_the_first_program_that_is_wrong_is_shown(engine_that: EngineThat, honest: Says) -> None:
    """Programs come smallest first, and the first one with a difference is shown."""

    def says(batch: Batch) -> Any:
        message = with_result(honest, 0, 0, zeroed, seeds=(3,))(batch)
        message[2][0][1][1][0] = zeroed(message[2][0][1][1][0])
        return message

    assert BOTH.shown == finding(engine_that(says), ASKS["computes"]).program


def test_values_that_backward_changed_are_told(engine_that: EngineThat, honest: Says) -> None:
    """If values are right before the pass and wrong after it, the pass changed them."""
    found = finding(engine_that(with_result(honest, 0, 3, zeroed)), ASKS["agrees"])
    assert finding_text(found) == "backward() changed the data"


def test_what_the_rules_started_from_is_told(engine_that: EngineThat, honest: Says) -> None:
    """The finding of a failing local rule has the upstream gradient and the earlier gradients of the leaves."""
    found = finding(engine_that(with_result(honest, 0, 3, zeroed)), ASKS["local rules"])
    assert finding_text(found) == "starting from L.grad = -2.5, a.grad = 5"
    assert found.expected["a.grad"] == 5.0 + -2.5 * -2.0


def test_the_plain_start_needs_no_words(engine_that: EngineThat, honest: Says) -> None:
    """With upstream gradient 1 and no earlier gradients, there is no remark about the start."""
    engine = engine_that(with_result(honest, 0, 3, lambda result: [result[0], [(3.0).hex(), *result[1][1:]]]))
    assert finding_text(finding(engine, lambda e: e.local_rules_agree(SQUARE))) is None


def test_rules_that_add_nothing_are_told_as_that(engine_that: EngineThat, honest: Says) -> None:
    """If no gradient changes, the only remark is that no gradient changed."""
    engine = engine_that(with_result(honest, 0, 3, zeroed))
    assert "no gradient changed when the backward rules ran" in str(
        finding_text(finding(engine, lambda e: e.local_rules_agree(SQUARE)))
    )


def test_a_pass_that_takes_no_notice_of_the_rules_is_told(engine_that: EngineThat, honest: Says) -> None:
    """Right gradients that do not follow a tripled rule fail, and a remark gives the reason."""

    def says(batch: Batch) -> Any:
        plain = Batch(tuple(type(r)(r.program, (("backward", r.program.root), ("grads",))) for r in batch.runs), 1, 1)
        message = honest(plain)
        for seed in message[2]:
            for outcome in seed:
                outcome[1].insert(0, ["nothing"])
        return message

    found = finding(engine_that(says), ASKS["uses local rules"])
    assert "the gradients are those that are right without this change" in str(finding_text(found))


def test_gradients_that_are_wrong_without_a_tripled_rule_are_shown_without_it(
    engine_that: EngineThat, honest: Says
) -> None:
    """If the gradients are wrong anyway, the failure is that of the program as it is, and torch has the right ones."""
    found = finding(engine_that(lambda batch: zeroed_throughout(honest(batch))), ASKS["uses local rules"])
    assert ((), "torch", BOTH.shown) == (found.remarks, found.expected_by, found.program)


def test_a_pass_that_follows_the_rules_and_is_wrong_is_not_told_that_it_does_not(
    engine_that: EngineThat, honest: Says
) -> None:
    """Gradients that match neither the tripled rule nor the original one do not prove that the rules are ignored."""
    found = finding(engine_that(with_result(honest, 0, 2, zeroed)), ASKS["uses local rules"])
    assert "right without this change" not in str(finding_text(found))


@pytest.mark.parametrize("name", ["uses local rules", "each rule once"])
def test_an_engine_without_rules_is_told_that_numbers_are_not_enough(
    engine_that: EngineThat, honest: Says, name: str
) -> None:
    """If no backward rule was found, these checks fail with a remark."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        message[1][4] = message[1][5] = ""
        return message

    assert "has to observe the rules" in str(finding_text(finding(engine_that(says), ASKS[name])))


def test_a_wrong_order_of_rules_fails(engine_that: EngineThat, honest: Says) -> None:
    """A trace in which an input ran before its user fails."""
    says = with_result(honest, 0, 2, lambda result: ["trace", result[1][::-1]])
    assert "ran before that of" in str(finding_text(finding(engine_that(says), ASKS["each rule once"])))


def test_a_pass_by_hand_that_skips_a_rule_fails(engine_that: EngineThat, honest: Says) -> None:
    """Right gradients fail if not every rule ran once, with users first."""
    says = with_result(honest, 0, 4, lambda result: ["trace", result[1][:1]])
    assert finding_text(finding(engine_that(says), ASKS["by hand"])) == "the `_backward` of a * b never ran"


def test_a_pass_by_hand_with_wrong_gradients_says_which_rule_was_at_fault(
    engine_that: EngineThat, honest: Says
) -> None:
    """If gradients are wrong because of the order, the finding has both."""

    def says(batch: Batch) -> Any:
        message = with_result(honest, 0, 3, zeroed)(batch)
        for seed in message[2]:
            seed[0][1][4] = ["trace", seed[0][1][4][1][::-1]]
        return message

    found = finding(engine_that(says), ASKS["by hand"])
    assert "ran before that of L" in str(finding_text(found))
    assert found.expected["dL/da"] == -2.0


# -- plain functions ----------------------------------------------------------------------------------------------

HALVES = {"half of 3": 1.5, "half of 5": 2.5}


def halves(engine: EngineUnderCheck, **options: Any) -> None:
    engine.returns("half", 3.0, 5.0, expected=HALVES, about="half(3, 5)", **options)


def test_a_function_that_returns_the_right_numbers_passes(engine_that: EngineThat, honest: Says) -> None:
    """Functions of numbers are called directly, without reading an engine or building a program."""
    batches: list[Batch] = []
    engine = engine_that(lambda batch: batches.append(batch) or honest(batch))
    halves(engine)
    assert (1, None) == (engine.comparisons, engine.reading)
    assert (False, ()) == (batches[0].engine, batches[0].runs[0].program.nodes)


def test_a_wrong_number_is_shown_beside_the_right_one(engine_that: EngineThat, honest: Says) -> None:
    """The finding has the returned and the right number, under the name that the check gives."""
    says = with_result(honest, 0, 0, lambda result: ["numbers", [result[1][0], NONE]])
    found = finding(engine_that(says), halves)
    assert Finding("failed", "half(3, 5)", {"half of 5": 2.5}, {"half of 5": 0.0}) == found


def test_what_is_right_may_be_kept_back(engine_that: EngineThat, honest: Says) -> None:
    """Without `reveal`, the finding has the wrong numbers but not the right ones."""
    says = with_result(honest, 0, 0, lambda result: ["numbers", [result[1][0], NONE]])
    found = finding(engine_that(says), lambda engine: halves(engine, reveal=False))
    assert ({}, {}, "not right yet: half of 5 (yours: 0)") == (found.expected, found.actual, finding_text(found))
    assert "2.5" not in str(found)


@pytest.mark.parametrize(
    ("expected", "result"),
    [
        ("half returned None, as a function without `return` does; expected 2 numbers", ["nothing"]),
        ("half returned 1 number; expected 2 numbers", ["numbers", [NONE]]),
        ("half returned str; expected 2 numbers", ["other", "str"]),
        ("half returned nodes; expected 2 numbers", ["nodes", [-1]]),
    ],
)
def test_a_function_that_returns_something_else_is_told_what(
    engine_that: EngineThat, honest: Says, expected: str, result: list[Any]
) -> None:
    """Too few numbers, None and text are each named."""
    assert expected == finding_text(finding(engine_that(with_result(honest, 0, 0, lambda _: result)), halves))


@pytest.mark.parametrize("seeds", [(0,), (3,)])
def test_a_function_has_to_be_right_every_time(engine_that: EngineThat, honest: Says, seeds: tuple[int, ...]) -> None:
    """One wrong answer among several runs fails."""
    says = with_result(honest, 0, 0, lambda result: ["numbers", [NONE, NONE]], seeds)
    assert finding(engine_that(says), halves).status == "failed"


def test_a_wrong_list_fails(engine_that: EngineThat, honest: Says) -> None:
    """The list that build_topo returns is checked as an order."""
    says = with_result(honest, 1, 0, lambda result: ["nothing"])
    assert finding_text(finding(engine_that(says), ASKS["sorts"])) == (
        "build_topo returned None, as a function without `return` does; it should return a list of nodes"
    )


@pytest.mark.parametrize(("name", "step"), [("agrees", 0), ("agrees", 2), ("computes", 0), ("local rules", 3)])
@pytest.mark.parametrize("seeds", [(0,), (1, 2), (3,)])
def test_a_failure_that_hangs_on_luck_says_so(
    engine_that: EngineThat, honest: Says, name: str, step: int, seeds: tuple[int, ...]
) -> None:
    """If an answer is right only under some orders, a remark says so."""
    found = finding(engine_that(with_result(honest, 0, step, zeroed, seeds)), ASKS[name])
    assert f"wrong in {len(seeds)} of 4 runs" in str(finding_text(found))


def test_a_failure_in_every_run_does_not_count_the_runs(engine_that: EngineThat, honest: Says) -> None:
    """If all runs are wrong, each with its own numbers, their count says nothing."""
    says = with_result(honest, 0, 2, zeroed, (0, 1))
    says = with_result(says, 0, 2, lambda result: ["grads", [(9.5).hex() for _ in result[1]]], (2, 3))
    assert finding_text(finding(engine_that(says), ASKS["agrees"])) is None


# -- what stops a run --------------------------------------------------------------------------------------------

SOURCE = "class Value:\n    pass\n\ndef f():\n    return g()\n"


def broken(problem: list[Any], results: Callable[[list[Any]], list[Any]] = lambda done: [], where: int = 0) -> Any:
    """Return a function that makes a right answer in which one run broke."""

    def change(message: Any) -> Any:
        for seed in message[2]:
            seed[where] = ["broke", results(seed[where][1]), problem]
        return message

    return change


@pytest.mark.parametrize(
    ("status", "kind", "type_name"),
    [
        ("error", "raised", "E"),
        ("timeout", "calls", "E"),
        ("timeout", "cpu", "E"),
        ("failed", "shape", "no_class"),
    ],
)
@pytest.mark.parametrize("where", [0, 1])
def test_a_broken_run_fails_its_check(
    engine_that: EngineThat, honest: Says, ask: Ask, status: str, kind: str, type_name: str, where: int
) -> None:
    """A run that raises, spends its budget or lacks a part fails the check, with status and program."""
    change = broken(["backward", kind, type_name, "why", [5]], where=where)
    found = finding(engine_that(lambda batch: change(honest(batch)), SOURCE), ask)
    assert (status, (BOTH, SQUARE)[where].shown) == (found.status, str(found.program).partition(", where variables")[0])
    assert "line 5: return g()" in str(finding_text(found))


def test_all_results_and_a_problem_is_a_broken_run(engine_that: EngineThat, honest: Says, ask: Ask) -> None:
    """A run that has every result but also a problem is a broken run."""
    change = broken(["backward", "raised", "E", "why", []], results=list)
    assert finding(engine_that(lambda batch: change(honest(batch))), ask).status == "error"


def test_wrong_values_are_told_before_what_came_later(engine_that: EngineThat, honest: Says) -> None:
    """If the values were already wrong, the finding shows them and not a later exception."""
    change = broken(["backward", "raised", "E", "why", []], results=lambda done: [zeroed(done[0])])
    found = finding(engine_that(lambda batch: change(honest(batch))), ASKS["agrees"])
    assert ("failed", {"a": 2.0, "b": -3.0, "a * b": -6.0}) == (found.status, found.expected)


@pytest.mark.parametrize(
    ("status", "kind"), [("timeout", "cpu_limit"), ("crashed", "exited"), ("error", "protocol_error")]
)
def test_a_death_fails_the_check(engine_that: EngineThat, ask: Ask, status: str, kind: Kind) -> None:
    """A process that gives no answer fails the current check, with the way in which it ended."""
    died = Died(kind, seconds=2.0, detail="how")
    found = finding(engine_that(lambda batch: Ran(died, "out", 0.0)), ask)
    assert (status, ended_text(died)) == (found.status, finding_text(found))


def test_an_unread_engine_fails_the_check(engine_that: EngineThat, ask: Ask) -> None:
    """If no engine was found in a file, every check fails with the reason."""
    problem = Problem("reading", "shape", "no_class", "", [])
    found = finding(engine_that(lambda batch: Ran(problem, "", 0.0)), ask)
    assert ("failed", "the file has no class `Value`, and no other class that defines `+` and `*`") == (
        found.status,
        finding_text(found),
    )


@pytest.mark.parametrize(
    "lines", ["a = 1\x0c\nb = 2\n", "a = '\x1c'\nb = 2\n", "a = '\u2028'\nb = 2\n", "# \x85\nb = 2"]
)
def test_lines_are_counted_as_python_counts_them(engine_that: EngineThat, lines: str) -> None:
    """A form feed or another separator inside a line does not start a new line."""
    problem = Problem("backward", "raised", "E", "why", [2])
    engine = engine_that(lambda batch: Ran(problem, "", 0.0), lines)
    assert "line 2: b = 2" in str(finding_text(finding(engine, ASKS["agrees"])))


# -- what an engine need not offer ---------------------------------------------------------------------------------

NOT_OFFERED = ["build", "not_offered", "NotOffered", "", [], ["tanh"]]


@pytest.mark.parametrize(
    ("problem", "asked"),
    [
        (NOT_OFFERED, TANH),
        (["build", "not_offered", "NotOffered", "", [], ["__rmul__"]], DOUBLED),
        (["build", "raised", "TypeError", "no", []], program("L = a * 2", a=3)),
        (["build", "raised", "AttributeError", "'int' object has no attribute 'data'", []], program("L = a + 2", a=3)),
        (["build", "raised", "ValueError", "no numbers", [3]], program("L = a + 2", a=3)),
        (["build", "raised", "TypeError", "unsupported operand type(s) for +: 'int' and 'Value'", []], DOUBLED),
    ],
)
def test_what_is_not_offered_costs_nothing_where_it_need_not_be(
    engine_that: EngineThat, honest: Says, problem: list[Any], asked: Any
) -> None:
    """Operations and plain numbers that an engine does not accept are skipped if they are optional."""
    change = broken(problem)
    engine_that(lambda batch: change(honest(batch))).agrees(asked, where_offered=True)


@pytest.mark.parametrize(
    ("problem", "asked"),
    [
        (NOT_OFFERED, BOTH),
        (NOT_OFFERED, program("L = a ** 2", a=3)),
        (["build", "raised", "TypeError", "no", []], BOTH),
        (["build", "raised", "TypeError", "no", []], DOUBLED),
        (["build", "raised", "TypeError", "unsupported operand type(s) for +: 'int' and 'Value'", [3]], DOUBLED),
        (["build", "raised", "TypeError", "'NoneType' and 'Value'", []], program("L = a * 2", a=3)),
        (["build", "raised", "TypeError", "no", []], TANH),
        (["build", "raised", "TypeError", "no", []], program("L = a ** 2", a=3)),
        (["build", "raised", "ValueError", "no", []], DOUBLED),
        (["backward", "raised", "TypeError", "no", []], DOUBLED),
        (["build", "calls", "OutOfCalls", "", []], TANH),
    ],
)
def test_everything_else_that_breaks_fails_also_there(
    engine_that: EngineThat, honest: Says, problem: list[Any], asked: Any
) -> None:
    """Required operations, other or later exceptions and endless loops fail even if operations are optional."""
    change = broken(problem)
    finding(engine_that(lambda batch: change(honest(batch))), lambda e: e.agrees(asked, where_offered=True))


@pytest.mark.parametrize("asked", [TANH, DOUBLED])
def test_elsewhere_everything_has_to_be_offered(engine_that: EngineThat, honest: Says, asked: Any) -> None:
    """Without `where_offered` a missing operation fails."""
    change = broken(NOT_OFFERED)
    found = finding(engine_that(lambda batch: change(honest(batch))), lambda e: e.agrees(asked))
    said = "your engine has no `tanh` that takes a node and returns one: define a method `tanh`"
    assert ("failed", said) == (found.status, finding_text(found))


DIFFERENCE = program("L = (a - b) * a", a=3, b=2)
NO_MINUS = ["build", "not_offered", "NotOffered", "", [], ["__sub__"]]


def without_minus(honest: Says) -> Says:
    """Return an engine that lacks only `-`."""
    change = broken(NO_MINUS)
    return lambda batch: change(honest(batch)) if batch.runs[0].program.key == DIFFERENCE.key else honest(batch)


def test_a_missing_operation_costs_nothing_where_another_check_asks_for_it(
    engine_that: EngineThat, honest: Says
) -> None:
    """Programs with a missing operation are left out, as long as one program remains."""
    engine = engine_that(without_minus(honest))
    engine.charged_elsewhere("sub", "div")
    engine.agrees(DIFFERENCE)
    engine.local_rules_agree(BOTH)
    engine.finish()


def test_a_check_of_which_nothing_is_left_fails(engine_that: EngineThat, honest: Says) -> None:
    """An engine that lacks every operation passes no check."""
    engine = engine_that(without_minus(honest))
    engine.charged_elsewhere("sub")
    engine.agrees(DIFFERENCE)
    found = finding(engine, EngineUnderCheck.finish)
    assert ("failed", "your engine has no `-`: define `__sub__`") == (found.status, finding_text(found))
    assert Reason("not_offered", detail="__sub__") == found.reason


def test_an_operation_that_another_program_has_is_not_missing(engine_that: EngineThat, honest: Says) -> None:
    """If `-` works in one program, it cannot be missing in another."""
    engine = engine_that(without_minus(honest))
    engine.charged_elsewhere("sub")
    engine.agrees(DIFFERENCE)
    engine.agrees(program("L = a - b", a=3, b=2))
    finding(engine, EngineUnderCheck.finish)


MINUS_USES_NEG = ["build", "not_offered", "NotOffered", "", [7], ["__neg__", "__sub__"]]
USES = {"nodes": program("L = a - b", a=3, b=2), "right": program("L = a - 2", a=3), "left": program("L = 2 - a", a=3)}


def without_neg(honest: Says, *cannot: str, by: str = "__sub__") -> Says:
    """Return an engine whose methods for `-` use `-x`, which it lacks, in these programs of `USES`."""
    change = broken([*MINUS_USES_NEG[:5], ["__neg__", by]])
    keys = {USES[name].key for name in cannot}
    return lambda batch: change(honest(batch)) if batch.runs[0].program.key in keys else honest(batch)


@pytest.mark.parametrize(("cannot", "by"), [("nodes", "__sub__"), ("right", "__sub__"), ("left", "__rsub__")])
def test_an_operation_that_uses_a_missing_one_costs_nothing_where_others_ask_for_both(
    engine_that: EngineThat, honest: Says, cannot: str, by: str
) -> None:
    """An engine may need `-x` for `a - b`, and not for `a - 2`."""
    engine = engine_that(without_neg(honest, cannot, by=by))
    engine.charged_elsewhere("sub", "neg")
    for asked in USES.values():
        engine.agrees(asked)
    engine.finish()


def test_an_operation_that_uses_a_missing_one_in_some_programs_fails(engine_that: EngineThat, honest: Says) -> None:
    """If `a - b` works in one program, it does not need `-x` in another."""
    engine = engine_that(without_neg(honest, "nodes"))
    engine.charged_elsewhere("sub", "neg")
    engine.agrees(USES["nodes"])
    engine.agrees(DIFFERENCE)
    assert Reason("not_offered", detail="__neg__", line=7) == finding(engine, EngineUnderCheck.finish).reason


@pytest.mark.parametrize("charged", [(), ("sub",), ("neg",), ("neg", "div", "add")])
@pytest.mark.parametrize("where_offered", [False, True])
def test_an_operation_that_uses_a_missing_one_costs_where_either_is_asked_for(
    engine_that: EngineThat, honest: Says, charged: tuple[str, ...], where_offered: bool
) -> None:
    """Only a program whose operation and whose missing method belong to other checks is left out."""
    engine = engine_that(without_neg(honest, "nodes"))
    engine.charged_elsewhere(*charged)
    finding(engine, lambda e: e.agrees(USES["nodes"], where_offered=where_offered))


def test_an_optional_function_that_uses_a_missing_method_is_offered_and_fails(
    engine_that: EngineThat, honest: Says
) -> None:
    """A defined `tanh` has to work."""
    change = broken([*MINUS_USES_NEG[:5], ["__neg__", "tanh"]])
    engine = engine_that(lambda batch: change(honest(batch)))
    engine.charged_elsewhere("sub", "neg")
    finding(engine, lambda e: e.agrees(TANH, where_offered=True))


@pytest.mark.parametrize("charged", [(), ("div", "neg")])
def test_a_missing_operation_costs_where_it_is_asked_for(
    engine_that: EngineThat, honest: Says, charged: tuple[str, ...]
) -> None:
    """A missing operation is skipped only if another check asks for it."""
    engine = engine_that(without_minus(honest))
    engine.charged_elsewhere(*charged)
    assert Reason("not_offered", detail="__sub__") == finding(engine, lambda e: e.agrees(DIFFERENCE)).reason


def test_methods_that_are_passed_over_are_named(engine_that: EngineThat, honest: Says) -> None:
    """A `tanh` that takes an argument is skipped if it is optional, with a remark."""
    change = broken(["build", "wants_argument", "WantsArgument", "", [], ["tanh"]])
    engine = engine_that(lambda batch: change(honest(batch)))
    engine.agrees(TANH, where_offered=True)
    assert ["tanh"] == engine.not_run


def test_what_is_offered_has_to_be_right(engine_that: EngineThat, honest: Says) -> None:
    """An optional function that exists and is wrong fails."""
    engine = engine_that(with_result(honest, 0, 2, zeroed))
    finding(engine, lambda e: e.agrees(TANH, where_offered=True))


# -- liars -----------------------------------------------------------------------------------------------------------


def outcomes(outcome: Any) -> Callable[[Batch], Any]:
    """Return a process that gives the same outcome for every run."""

    def says(batch: Batch) -> Any:
        reading = ["Value", "data", "grad", "_prev", "closure", "_backward", False]
        return ["read", reading, [[outcome] * len(batch.runs)] * len(batch.order_seeds)]

    return says


def all_alike(tokens: str) -> Callable[[Batch], Any]:
    """Return a process that answers each step in the right form, with the same number everywhere."""

    def says(batch: Batch) -> Any:
        def result(step: Any, nodes: int) -> Any:
            if step[0] in ("values", "grads"):
                return [step[0], [tokens] * nodes]
            return {"traced": ["trace", []], "call": ["numbers", [tokens]]}.get(step[0], ["nothing"])

        runs = [["done", [result(step, len(run.program.nodes)) for step in run.steps]] for run in batch.runs]
        reading = ["Value", "data", "grad", "_prev", "closure", "_backward", False]
        return ["read", reading, [runs] * len(batch.order_seeds)]

    return says


LIARS: dict[str, Callable[[Batch], Any]] = {
    "nothing was run": outcomes(["unrun"]),
    "nothing is offered": outcomes(["broke", [], ["build", "not_offered", "NotOffered", "", [], ["add"]]]),
    "numbers are refused": outcomes(["broke", [], ["build", "raised", "TypeError", "", []]]),
    "done with nothing": outcomes(["done", []]),
    "broke with nothing": outcomes(["broke", [], ["build", "passed", "Passed", "", []]]),
    "all zeros": all_alike(NONE),
    "all ones": all_alike((1.0).hex()),
    "all nan": all_alike("nan"),
    "all infinite": all_alike("inf"),
    "no numbers": all_alike("!float"),
    "no seeds": lambda batch: ["read", ["Value", "data", "grad", "", "", "", False], []],
    "no runs": lambda batch: ["read", ["Value", "data", "grad", "", "", "", False], [[]] * len(batch.order_seeds)],
    "unread": lambda batch: ["unread", ["reading", "passed", "Passed", "", []]],
    "loaded": lambda batch: ["loaded"],
    "nothing at all": lambda batch: None,
    "passed": lambda batch: {"status": "passed"},
}


@pytest.mark.parametrize("liar", LIARS.values(), ids=LIARS.keys())
def test_no_liar_passes(engine_that: EngineThat, ask: Ask, liar: Callable[[Batch], Any]) -> None:
    """An answer that is independent of the question fails every kind of check."""
    engine = engine_that(liar)
    finding(engine, ask)
    assert engine.comparisons == 2


@pytest.mark.parametrize("liar", LIARS.values(), ids=LIARS.keys())
def test_no_liar_passes_for_a_function(engine_that: EngineThat, liar: Callable[[Batch], Any]) -> None:
    """A function is judged by its numbers alone."""
    finding(engine_that(liar), halves)


@pytest.mark.parametrize("where", [0, 1])
@pytest.mark.parametrize("seeds", [(0,), (3,), (0, 1, 2, 3)], ids=["first", "last", "all"])
def test_nobody_passes_by_leaving_a_program_out(
    engine_that: EngineThat, honest: Says, ask: Ask, where: int, seeds: tuple[int, ...]
) -> None:
    """An answer fails if it leaves out one run under one order seed."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        for seed in seeds:
            message[2][seed][where] = ["unrun"]
        return message

    assert finding_text(finding(engine_that(says), ask)) == (
        "your code's process returned no results for some of the expressions that it was given"
    )


def test_a_program_left_out_is_a_doubt(engine_that: EngineThat, honest: Says, ask: Ask) -> None:
    """An answer that leaves out a program is suspect, because no engine can cause that."""

    def says(batch: Batch) -> Any:
        message = zeroed_throughout(honest(batch))
        message[2][3][1] = ["unrun"]
        return message

    engine = engine_that(says)
    finding(engine, ask)
    assert engine.left_out


@pytest.mark.parametrize("kind", ["calls", "cpu", "stalled"])
def test_what_is_left_out_behind_a_used_up_budget_is_no_doubt(
    engine_that: EngineThat, honest: Says, ask: Ask, kind: str
) -> None:
    """An answer may leave out programs after its budget is spent, because the worker then runs nothing more."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        message[2][0][0] = ["broke", [], ["backward", kind, "OutOfCalls", "", []]]
        message[2][0][1] = ["unrun"]
        message[2][1:] = [[["unrun"]] * len(batch.runs)] * 3
        return message

    engine = engine_that(says)
    assert ("timeout", False) == (finding(engine, ask).status, engine.left_out)


@pytest.mark.parametrize("kind", ["", "closure", "visit", "pull", "local_grads", "pairs", "parallel", "passed"])
def test_a_false_reading_does_not_pass_wrong_numbers(engine_that: EngineThat, honest: Says, kind: str) -> None:
    """Gradients that do not follow the rules fail, even if the engine claims another structure of its nodes."""

    def says(batch: Batch) -> Any:
        message = all_alike((1.0).hex())(batch)
        message[1][4] = message[1][5] = kind
        return message

    for name in ("agrees", "local rules", "uses local rules"):
        finding(engine_that(says), ASKS[name])


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
    spare = [NONE, "nan", "inf", "!str", [], ["nothing"], ["unrun"], -1, 0, 10**7, ["nodes", [-1, 99]], True, "x"]
    inside[i] = rng.choice([copy.deepcopy(other[j]), *spare])


@pytest.mark.parametrize("name", ASKS)
def test_no_damaged_answer_gives_anything_but_a_verdict(engine_that: EngineThat, honest: Says, name: str) -> None:
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


def test_a_right_engine_passes_with_other_numbers(engine_that: EngineThat, redraw: Redraw, ask: Ask) -> None:
    """A correct engine passes with any numbers."""
    engine = engine_that(redraw=redraw)
    ask(engine)
    assert engine.comparisons == 2


def test_a_recorded_answer_fails_with_other_numbers(
    engine_that: EngineThat, honest: Says, redraw: Redraw, ask: Ask
) -> None:
    """Recorded answers to the programs of a check are wrong for the programs with redrawn numbers."""
    recorded: list[Any] = []
    ask(engine_that(lambda batch: recorded.append(honest(batch)) or recorded[0]))
    found = finding(engine_that(lambda batch: recorded[0], redraw=redraw), ask)
    assert found.program not in (BOTH.shown, SQUARE.shown)


def test_the_order_in_which_a_program_is_sent_is_no_answer(
    engine_that: EngineThat, honest: Says, redraw: Redraw
) -> None:
    """Programs contain additional nodes that belong to no order, so the order of sending is not an answer."""

    def says(batch: Batch) -> Any:
        message = honest(batch)
        for seed in message[2]:
            for run, outcome in zip(batch.runs, seed, strict=True):
                outcome[1] = [["nodes", list(range(len(run.program.nodes)))]] * len(run.steps)
        return message

    ASKS["sorts"](engine_that(says))
    found = finding(engine_that(says, redraw=redraw), ASKS["sorts"])
    assert "p is in the list, but L is not computed from it" == finding_text(found)


def test_numbers_beside_programs_change_too(engine_that: EngineThat, honest: Says, redraw: Redraw) -> None:
    """Upstream gradients and earlier gradients are redrawn as well, with numbers of the same kind."""
    batches: list[Batch] = []
    engine = engine_that(lambda batch: batches.append(batch) or honest(batch), redraw=redraw)
    ASKS["local rules"](engine)
    engine.local_rules_agree_again(None, SQUARE, upstream=1)
    _, preload, (_, _, upstream), *_ = batches[0].runs[0].steps
    (_, already) = preload[1][0]
    assert (True, True) == (upstream < 0, upstream != -2.5)
    assert (True, True) == (already > 1, already != 5.0)
    assert ("local_rules", 1, 1) == batches[1].runs[0].steps[1]


def test_fresh_programs_are_asked_as_they_are(engine_that: EngineThat, honest: Says, redraw: Redraw) -> None:
    """Random programs are not redrawn, because they already come from the seed."""
    batches: list[Batch] = []
    engine = engine_that(lambda batch: batches.append(batch) or honest(batch), redraw=redraw)
    fresh = engine.fresh(3)
    engine.agrees(SQUARE, *fresh)
    engine.sorts(*fresh)
    assert fresh == [run.program for run in batches[0].runs[1:]]
    assert fresh == [run.program for run in batches[1].runs]
    assert SQUARE != batches[0].runs[0].program


def test_numbers_for_functions(engine_that: EngineThat, redraw: Redraw) -> None:
    """A check gets its own numbers if nothing is redrawn, or else other and more numbers."""
    assert [2, -3.5, 0] == engine_that().numbers(2, -3.5, 0, more=2)
    two, minus, zero, *more = engine_that(redraw=redraw).numbers(2, -3.5, 0, more=2)
    assert (True, True, 0) == (two > 2, minus < 0 and minus != -3.5, zero)
    assert 1 <= len(more) <= 2


def test_leaves_for_functions(engine_that: EngineThat, redraw: Redraw) -> None:
    """A check in which the learner's code builds a program gets the leaves, with which the oracle is asked too."""
    assert {"a": 2, "b": -3} == engine_that().leaves("L = a * b", a=2, b=-3)
    engine = engine_that(redraw=redraw)
    leaves = engine.leaves("L = a * b", a=2, b=-3)
    assert {"a": int, "b": int} == {name: type(value) for name, value in leaves.items()}
    assert (leaves["b"], leaves["a"], 1.0) == engine.truth("L = a * b", **leaves).grads
    assert leaves != {"a": 2, "b": -3}


def test_a_single_leaf_is_judged(engine_that: EngineThat) -> None:
    """A program without operations is sorted as any other."""
    engine = engine_that()
    engine.sorts(leaf(2.0))
    assert engine.comparisons == 1


# -- what checks compute with ------------------------------------------------------------------------------


def test_a_descent_is_left_to_the_oracle(engine_that: EngineThat) -> None:
    """The oracle computes a descent from its start, so no program is made from an answer."""
    heard: list[Question] = []

    def hear(questions: Sequence[Question]) -> list[Answer]:
        heard.extend(questions)
        return [Answer((float(place),), (1.0,)) for place, _ in enumerate(questions)]

    answers = engine_that(answers=hear).descent(SQUARE, rate=0.1, steps=3)
    assert [SQUARE, Descent(SQUARE, 0.1, 1), Descent(SQUARE, 0.1, 2)] == heard
    assert [(0.0,), (1.0,), (2.0,)] == [answer.values for answer in answers]


# -- functions that change leaves ---------------------------------------------------------------------------------

HELD = [(3.0, 5.0), (4.0, -1.0)]


def changes(engine: EngineUnderCheck, **expected: float) -> None:
    engine.changes_leaves("keep", 0.5, start=HELD, expected={k.replace("_", "."): v for k, v in expected.items()})


def test_a_function_is_given_the_leaves_and_the_numbers(engine_that: EngineThat, honest: Says) -> None:
    """The function gets a list of leaves with values and gradients, followed by the arguments."""
    batches: list[Batch] = []
    changes(engine_that(lambda batch: batches.append(batch) or honest(batch)), a_data=3, a_grad=5, b_data=4, b_grad=-1)
    preload, call, *_ = batches[0].runs[0].steps
    assert ("preload", [[0, 5.0], [1, -1.0]]) == preload
    assert ("call", "keep", [["nodes", [0, 1]], ["number", 0.5]]) == call


@pytest.mark.parametrize(("expected", "actual"), [({"b_grad": 0.0}, -1.0), ({"a_data": 2.5}, 3.0)])
def test_a_leaf_that_holds_another_number_is_shown(
    engine_that: EngineThat, expected: dict[str, float], actual: float
) -> None:
    """The finding has the actual and the expected number of a leaf, under the name of its attribute."""
    found = finding(engine_that(), lambda engine: changes(engine, a_grad=5, **expected))
    ((name, number),) = expected.items()
    about = "a = 3 with gradient 5, b = 4 with gradient -1, keep(parameters, 0.5)"
    assert Finding("failed", about, {name.replace("_", "."): number}, {name.replace("_", "."): actual}) == found


def trained(honest: Says, losses: Any, a: float) -> Says:
    """Return an engine whose `train` returns these losses and sets a, the only parameter of `SQUARE`, to this value."""
    says = with_result(honest, 0, 1, lambda _: losses)
    return with_result(says, 0, 3, lambda result: ["values", [a.hex(), result[1][1]]])


def trains(engine: EngineUnderCheck) -> None:
    engine.trains("L = a * a", a=3, steps=2, rate=0.25)


LOSSES = ["numbers", [(9.0).hex(), (2.25).hex()]]


def test_training_that_goes_down_the_gradient_passes(engine_that: EngineThat, honest: Says) -> None:
    """From a = 3 two steps of 0.25 * 2a lead to 1.5 and 0.75; the losses before them are 9 and 2.25."""
    batches: list[Batch] = []
    says = trained(honest, LOSSES, 0.75)
    trains(engine_that(lambda batch: batches.append(batch) or says(batch)))
    preload, train, *_ = batches[0].runs[0].steps
    assert ("preload", [[0, 1.0]]) == preload
    assert ("train", SQUARE.root, 2, 0.25) == train


@pytest.mark.parametrize(
    ("losses", "a", "wrong"),
    [
        (LOSSES, 0.5, {"a after 2 steps": (0.75, 0.5)}),
        (["numbers", [(9.0).hex(), (9.0).hex()]], 0.75, {"loss before step 2": (2.25, 9.0)}),
    ],
)
def test_training_that_goes_elsewhere_is_shown(
    engine_that: EngineThat, honest: Says, losses: Any, a: float, wrong: dict[str, tuple[float, float]]
) -> None:
    """A parameter or a loss that differs from torch's is shown with torch's."""
    found = finding(engine_that(trained(honest, losses, a)), trains)
    assert wrong == {name: (found.expected[name], found.actual[name]) for name in found.expected}


def test_a_list_that_a_function_has_emptied_is_a_failure(engine_that: EngineThat, honest: Says) -> None:
    """All is right except that the list of parameters is empty afterwards."""
    emptied = with_result(trained(honest, LOSSES, 0.75), 0, 2, lambda _: ["nodes", []])
    assert (ListChanged("train"),) == finding(engine_that(emptied), trains).remarks
    cleared = with_result(honest, 0, 2, lambda _: ["nodes", [1]])
    assert (ListChanged("keep"),) == finding(engine_that(cleared), lambda engine: changes(engine, a_grad=5)).remarks


@pytest.mark.parametrize(
    ("step", "result", "what"),
    [
        (5, ["values", [(1.0).hex()] * 2], "value"),
        (10, ["grads", [(1.0).hex()] * 2], "gradient"),
        (11, ["inputs", [[], []]], "inputs"),
    ],
)
def test_a_graph_that_sorting_has_changed_is_a_failure(
    engine_that: EngineThat, honest: Says, step: int, result: list[Any], what: Any
) -> None:
    """The first and the second call leave the values, the gradients and the inputs as they were."""
    changed = with_result(honest, 0, step, lambda _: result)
    found = finding(engine_that(changed), lambda engine: engine.sorts(SQUARE, untouched=True))
    assert [what] == [remark.what for remark in found.remarks if isinstance(remark, Changed)]


def test_training_that_returns_no_losses_is_told_so(engine_that: EngineThat, honest: Says) -> None:
    """Losses are required even if the parameters are right."""
    found = finding(engine_that(trained(honest, ["nothing"], 0.75)), trains)
    assert "train returned None, as a function without `return` does; expected 2 numbers" == finding_text(found)


def test_training_that_goes_elsewhere_and_returns_too_little_is_told_both(
    engine_that: EngineThat, honest: Says
) -> None:
    """The parameters are shown, and the wrong number of losses is a remark."""
    found = finding(engine_that(trained(honest, ["numbers", [(9.0).hex()]], 0.5)), trains)
    assert {"a after 2 steps": 0.5} == found.actual
    assert "train returned 1 number; expected 2 numbers" == finding_text(found)


def test_fixed_training_keeps_its_start(engine_that: EngineThat, honest: Says, redraw: Redraw) -> None:
    """The leaves of a `fixed` start are not redrawn, unlike others."""
    engine = engine_that(trained(honest, LOSSES, 0.75), redraw=redraw)
    engine.trains("L = a * a", a=3, steps=2, rate=0.25, fixed=True)


# -- programs that the learner's file is given otherwise ---------------------------------------------------------


def test_a_failing_random_program_is_shown_by_its_smallest_part_that_fails(
    engine_that: EngineThat, honest: Says
) -> None:
    """For an engine with a wrong product, a single product is shown, even if a large program failed."""

    def says(batch: Batch) -> Any:
        answer = honest(batch)
        for seed in answer[2]:
            for run, outcome in zip(batch.runs, seed, strict=True):
                if any(op == "mul" for op, *_ in run.program.wire):
                    outcome[1][2] = ["grads", [(9.5).hex()] * len(run.program.nodes)]
        return answer

    found = finding(engine_that(says), lambda e: e.agrees(*e.fresh(6, sizes=(8, 12))))
    text = str(found.program).partition("with")[0]
    assert (1, 1) == (text.count("="), text.count("*"))


def test_a_note_says_that_leaves_were_ints(engine_that: EngineThat, honest: Says) -> None:
    """A remark says that leaves are ints, because the program text does not show it."""
    found = finding(engine_that(with_result(honest, 0, 2, zeroed)), lambda e: e.agrees(SQUARE, whole=True))
    assert "the leaves are ints" in str(finding_text(found))


def test_inner_gradients_may_be_set_back_but_where_they_are_asked_for(engine_that: EngineThat, honest: Says) -> None:
    """Without `inner`, a pass may clear the gradients of interior nodes."""

    def tidy(batch: Batch) -> Any:
        answer = honest(batch)
        for seed, arrangements in zip(answer[2], batch.arrangements, strict=True):
            for run, outcome, arrangement in zip(batch.runs, seed, arrangements, strict=True):
                for i, node in enumerate(run.program.wire):
                    if node[0] != "leaf":
                        outcome[1][2][1][arrangement.places[i] if arrangement else i] = NONE
        return answer

    engine_that(tidy).agrees(BOTH)
    finding(engine_that(tidy), lambda e: e.agrees(BOTH, inner=True))
