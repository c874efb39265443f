"""Checks of a learner's functions: right ones pass, and what else they return or leave is shown."""

from typing import Any

import pytest
from answering import Says, engine_that, honest, redrawn
from asks import BOTH, NINE, NONE, PASSES, SQUARE, Ask, Change, finding, halves, listened, with_result
from every import every

from grader.checks import EngineUnderCheck, GivenPass
from grader.course.program import ProgramError
from grader.course.remarks import (
    AfterCall,
    HoldsInput,
    ListChanged,
    NotRight,
    NoTruth,
    NumbersChanged,
    Remark,
    Returned,
    RightRefused,
    StartingFrom,
    Unnoticed,
)
from grader.runner.client import Batch, ask
from grader.verdict.checks.outcome import Finding

ONE_WRONG = with_result(0, 0, lambda result: ["called", [result[1][0], NONE]])


def test_a_function_that_returns_the_right_numbers_passes() -> None:
    """Functions of numbers are called directly, without reading an engine or building a program."""
    batches: list[Batch] = []
    engine = engine_that(listened(batches))
    halves(engine)
    assert (1, None) == (engine.comparisons, engine.reading)
    assert (False, ()) == (batches[0].engine, batches[0].runs[0].program.nodes)


def test_a_function_is_called_with_nodes_and_numbers() -> None:
    """A text is the name of a node, and lists have names or numbers."""
    batches: list[Batch] = []
    engine = engine_that(listened(batches, with_result(0, 0, lambda _: ["called", [NINE]])))
    engine.returns_from("chosen", [0.5, 2], "b", 3, ["a", "L"], on=BOTH, expected=[9])
    (call,) = batches[0].runs[0].steps
    given: list[ask.Argument] = [("numbers", [0.5, 2.0]), ("node", 1), ("number", 3), ("nodes", [0, 3])]
    assert ask.CallFunction("chosen", given) == call


@pytest.mark.parametrize(
    ("node", "shown"),
    [
        ("a", "chosen([0.5], a)    with a = 2, b = -3"),
        ("L", "L = a * b + a; chosen([0.5], L)    with a = 2, b = -3"),
    ],
)
def test_what_a_call_with_nodes_returns_is_shown_with_the_call(node: str, shown: str) -> None:
    """The finding has the call as the learner would write it, and the program if it makes an argument."""
    found = finding(
        with_result(0, 0, lambda _: ["called", [NINE]]),
        lambda engine: engine.returns_from("chosen", [0.5], node, on=BOTH, expected=[8]),
    )
    assert Finding("failed", shown, {"result[0]": 8.0}, {"result[0]": 9.0}) == found


def test_a_wrong_number_is_shown_beside_the_right_one() -> None:
    """The finding has the returned and the right number, under the name that the check gives."""
    assert Finding("failed", "half(3, 5)", {"half of 5": 2.5}, {"half of 5": 0.0}) == finding(ONE_WRONG, halves)


def test_the_right_numbers_may_be_kept_back() -> None:
    """Without `reveal`, the finding has the wrong numbers but not the right ones."""
    found = finding(ONE_WRONG, lambda engine: halves(engine, reveal=False))
    assert Finding("failed", "half(3, 5)", remarks=(NotRight({"half of 5": 0.0}),)) == found


@every(
    ("count", "type_name", "result"),
    [
        (None, "None", ["called"]),
        (1, None, ["called", [NONE]]),
        (None, "str", ["called", None, None, "str"]),
        (None, "a node", ["called", None, [-1]]),
        (0, None, ["called", None, []]),
    ],
)
def test_a_function_that_returns_something_else_fails(
    count: int | None, type_name: str | None, result: list[Any]
) -> None:
    """Too few numbers or none at all, None and text are each named."""
    assert (Returned("half", 2, count, type_name),) == finding(with_result(0, 0, lambda _: result), halves).remarks


@pytest.mark.parametrize("seeds", [(0,), (3,)])
def test_a_function_has_to_be_right_every_time(seeds: tuple[int, ...]) -> None:
    """One wrong answer among several runs fails."""
    assert finding(with_result(0, 0, lambda _: ["called", [NONE, NONE]], seeds), halves).status == "failed"


def flat(engine: EngineUnderCheck) -> None:
    engine.returns("flat", [3, [1, 2.5]], expected=[3, 1, 2.5])


def test_a_function_gets_a_list_and_returns_one() -> None:
    """The list keeps its integers. A wrong number is shown by its place, for the call as it is written."""
    batches: list[Batch] = []
    flat(engine_that(listened(batches)))
    assert (ask.CallFunction("flat", [("list", [3, [1, 2.5]])]),) == batches[0].runs[0].steps
    found = finding(with_result(0, 0, lambda result: ["called", [NINE, *result[1][1:]]]), flat)
    assert Finding("failed", "flat([3, [1, 2.5]])", {"result[0]": 3}, {"result[0]": 9.0}) == found


def test_an_answer_of_numbers_is_not_longer_than_a_worker_sends() -> None:
    """A longer list would never be right, so it is a mistake of the test."""
    with pytest.raises(ProgramError, match="`expected` has 65 numbers; at most 64"):
        engine_that(honest).returns("counts", expected=[*range(65)])


def column_sums(engine: EngineUnderCheck, expected: Any = (5.0, 7.0)) -> None:
    engine.returns_array("sums", [[1, 2.5], [4, 4.5]], (2,), expected=list(expected))


def array_of(shape: list[int], *numbers: float) -> list[Any]:
    return ["called", None, None, None, None, [shape, "float64", [number.hex() for number in numbers]]]


def test_a_function_gets_an_array_and_a_shape_and_returns_an_array() -> None:
    """No engine is read. A list is an array, and a tuple is a shape."""
    batches: list[Batch] = []
    column_sums(engine_that(listened(batches)))
    call = ask.CallFunction("sums", [("array", [[1.0, 2.5], [4.0, 4.5]]), ("shape", (2,))])
    assert (False, (call,)) == (batches[0].engine, batches[0].runs[0].steps)


@every(
    ("result", "wrong", "remarks"),
    [
        (array_of([2], 5.0, 7.5), {"result[1]": (7.0, 7.5)}, ()),
        (array_of([1, 2], 5.0, 7.0), {"result": ("shape (2,)", "shape (1, 2)")}, ()),
        (array_of([], 5.0), {"result": ("shape (2,)", "shape ()")}, ()),
        (array_of([9, 9]), {"result": ("shape (2,)", "shape (9, 9)")}, ()),
        (["called"], {}, (Returned("sums", 2, None, "None"),)),
        (["called", None, None, "str"], {}, (Returned("sums", 2, None, "str"),)),
        (["called", [NINE, NINE]], {}, (Returned("sums", 2, None, "no array"),)),
    ],
)
def test_another_array_is_shown(result: Any, wrong: dict[str, Any], remarks: tuple[Remark, ...]) -> None:
    """A wrong number or a wrong shape is shown beside the right one, for the call as it is written."""
    found = finding(with_result(0, 0, lambda _: result), column_sums)
    assert wrong == {name: (found.expected[name], found.actual[name]) for name in found.expected}
    assert (remarks, "sums([[1, 2.5], [4, 4.5]], (2,))") == (found.remarks, found.program)


def test_rows_of_an_array_have_one_length() -> None:
    """Another nested list is a mistake of the test."""
    with pytest.raises(ProgramError, match="is no array"):
        column_sums(engine_that(honest), expected=[[1, 2], [3]])


def total(engine: EngineUnderCheck) -> None:
    engine.measures("total", "L", "a", on=SQUARE, by=lambda values, grads: sum(values))


def sizes(engine: EngineUnderCheck) -> None:
    engine.measures("sizes", "a", "L", on=SQUARE, by=lambda values, grads: grads, passed=True)


def measured(ask: Ask, says: Says = honest) -> Says:
    """Return an engine whose function returns the right numbers in both calls."""

    def returned(*numbers: float) -> Change:
        return lambda _: ["called", [x.hex() for x in numbers]]

    calls = {0: returned(12.0), 8: returned(12.0)} if ask is total else {1: returned(6.0, 1.0), 9: returned(1.5, -2.5)}
    for step, change in calls.items():
        says = with_result(0, step, change, None, says)
    return says


def test_a_function_gets_a_list_of_nodes_and_returns_numbers() -> None:
    """The numbers come from the values, or from the gradients after backward(). Later the gradients are others."""
    batches: list[Batch] = []
    total(engine_that(listened(batches, measured(total))))
    sizes(engine_that(listened(batches, measured(sizes))))
    one, other = (batch.runs[0].steps for batch in batches)
    call = ask.CallFunction("total", [("nodes", [1, 0])])
    assert (call, call) == (one[0], one[-1])
    call = ask.CallFunction("sizes", [("nodes", [0, 1])])
    assert (ask.Backward(1), call, ask.Preload([(0, 1.5), (1, -2.5)]), call) == (*other[:2], *other[-2:])


ZEROS = ["grads", [(0.0).hex(), (0.0).hex()]]


@every(
    ("ask", "step", "result", "wrong", "remarks"),
    [
        (total, 0, ["called", [NINE]], {"total([L, a])": (12.0, 9.0)}, ()),
        (total, 0, ["called", None, [1]], {}, (Returned("total", 1, None, "a node"),)),
        (sizes, 1, ["called", None, [0, 1]], {}, (Returned("sizes", 2, None, "nodes"),)),
        (total, 1, ["called", None, []], {}, (ListChanged("total"),)),
        (total, 2, ["values", [NINE, NINE]], {"a": (3.0, 9.0)}, (AfterCall("total([L, a])"),)),
        (total, 6, ZEROS, {"dL/da": (6.0, 0.0)}, (AfterCall("total([L, a]) and L.backward()"),)),
        (sizes, 1, ["called", [NINE, (1.0).hex()]], {"sizes([a, L])[0]": (6.0, 9.0)}, ()),
        (sizes, 4, ZEROS, {"a.grad": (6.0, 0.0), "L.grad": (1.0, 0.0)}, (AfterCall("sizes([a, L])", True),)),
        (
            sizes,
            9,
            ["called", [(6.0).hex(), (-2.5).hex()]],
            {"sizes([a, L])[0]": (1.5, 6.0)},
            (AfterCall("sizes([a, L])"), StartingFrom({"a.grad": 1.5, "L.grad": -2.5})),
        ),
    ],
)
def test_other_numbers_of_nodes_are_shown(
    ask: Ask, step: int, result: Any, wrong: dict[str, tuple[float, float]], remarks: tuple[Remark, ...]
) -> None:
    """A wrong number is shown with the right one. The function may not change a value, a gradient or its list."""
    found = finding(with_result(0, step, lambda _: result, None, measured(ask)), ask)
    assert wrong == {name: (found.expected[name], found.actual[name]) for name in found.expected}
    assert remarks == found.remarks


def differentiates(engine: EngineUnderCheck) -> None:
    engine.differentiates("numeric_grad", BOTH, tolerance=1e-5)


AGREED, REFUSED = (["called", None, None, None, truth] for truth in (True, False))


def tells_apart(engine: EngineUnderCheck) -> None:
    engine.tells_apart("agrees", *PASSES)


def test_a_function_is_handed_over_with_wrong_gradients() -> None:
    """The learner's function is called for each leaf. Torch's gradients are not in the request."""
    batches: list[Batch] = []
    differentiates(engine_that(listened(batches)))
    (run,) = batches[0].runs
    handed: list[ask.Argument] = [("function", (BOTH.wire, BOTH.root, [2.5, -3.5])), ("numbers", [2.0, -3.0])]
    calls = [ask.CallFunction("numeric_grad", [*handed, ("number", i)]) for i in (0, 1)]
    assert [calls[0], ask.GIVEN_NUMBERS, calls[1], ask.GIVEN_NUMBERS] == list(run.steps)
    assert [] == run.program.wire


def without_gradients(call: ask.RunStep) -> tuple[Any, list[float]]:
    """Return a call of a function that is handed another one, without its gradients, and these."""
    assert isinstance(call, ask.CallFunction)
    handed, *others = call.arguments
    assert handed[0] == "function"
    program, root, grads = handed[1]
    return (call.function, program, root, others), [*grads]


def test_a_request_has_the_gradients_of_a_pass_and_not_whether_they_are_right() -> None:
    """Runs with right and with wrong gradients differ in these numbers alone."""
    batches: list[Batch] = []
    tells_apart(engine_that(listened(batches)))
    right, wrong, *_ = (run.steps for run in batches[0].runs)
    (call, left), (other, other_left) = right, wrong
    (one, grads), (another, false_grads) = without_gradients(call), without_gradients(other)
    assert ([-2.0, 2.0], [-3.0, 2.0]) == (grads, false_grads)
    assert (one, left) == (another, other_left)


def test_a_right_pass_comes_twice_at_the_end() -> None:
    """Gradients that stay from one call to the next are noticed in any order of the other passes."""
    batches: list[Batch] = []
    tells_apart(engine_that(listened(batches)))
    *others, one, again = (without_gradients(run.steps[0])[1] for run in batches[0].runs)
    assert len(PASSES) == len(others)
    assert [-2.0, 2.0] == one == again


def test_passes_come_in_another_order_under_a_secret_seed() -> None:
    """No answer can be known from the number of a call."""
    orders = set()
    for seed in range(8):
        batches: list[Batch] = []
        tells_apart(engine_that(listened(batches), redraw=redrawn(str(seed))))
        orders.add(tuple(len(without_gradients(run.steps[0])[1]) for run in batches[0].runs))
    assert 2 <= len(orders)


@pytest.mark.parametrize(
    ("ask", "run", "step", "result", "wrong", "remarks"),
    [
        (differentiates, 0, 0, ["called", [NINE]], {"dL/da": (-2.0, 9.0)}, ()),
        (differentiates, 0, 2, ["called", [(2.00003).hex()]], {"dL/db": (2.0, 2.00003)}, ()),
        (differentiates, 0, 2, ["called", None, [-1]], {}, (Returned("numeric_grad", 1, None, "a node"),)),
        (differentiates, 0, 3, ["called", [NINE, NINE]], {}, (NumbersChanged("numeric_grad"),)),
        (
            tells_apart,
            0,
            0,
            REFUSED,
            {},
            (RightRefused("agrees", {"dL/da": -2.0, "dL/db": 2.0}),),
        ),
        (
            tells_apart,
            1,
            0,
            AGREED,
            {},
            (Unnoticed("agrees", "lost", "dL/da", -3.0, -2.0),),
        ),
        (tells_apart, 1, 0, ["called", [(1.0).hex()]], {}, (Unnoticed("agrees", "lost", "dL/da", -3.0, -2.0),)),
        (tells_apart, 2, 0, ["called"], {}, (NoTruth("agrees", "None"),)),
        (tells_apart, 2, 0, ["called", [NINE]], {}, (NoTruth("agrees", "numbers"),)),
        (tells_apart, 2, 1, ["called", []], {}, (NumbersChanged("agrees"),)),
    ],
)
def test_a_function_that_tests_gradients_is_tested(
    ask: Ask, run: int, step: int, result: Any, wrong: dict[str, tuple[float, float]], remarks: tuple[Remark, ...]
) -> None:
    """A wrong gradient must be near torch's, and a verdict must be right. The list of numbers must stay."""
    found = finding(with_result(run, step, lambda _: result), ask)
    assert wrong == {name: (found.expected[name], found.actual[name]) for name in found.expected}
    assert remarks == found.remarks


def test_a_number_near_torchs_gradient_is_enough() -> None:
    """The tolerance is relative to the gradient."""
    engine_that(with_result(0, 2, lambda _: ["called", [(2.00001).hex()]])).differentiates(
        "numeric_grad", BOTH, tolerance=1e-5
    )


@pytest.mark.parametrize(
    ("fault", "by"), [(None, lambda a, b: (a, 2 * b)), ("small", lambda a, b: (a * 1.0001, b)), ("factor", None)]
)
def test_a_pass_must_be_right_or_clearly_wrong(fault: Any, by: Any) -> None:
    """An error that a right function may overlook is an error of the hidden test."""
    with pytest.raises(ProgramError, match=r"tells_apart: the gradients \[.*\] of L = a \* b \+ a .* do not fit"):
        engine_that(honest).tells_apart("agrees", GivenPass(BOTH, fault, by))


def test_a_leaf_has_no_inputs_and_no_gradient() -> None:
    """A node with an input is named. In a graph that is built again, only the given leaves have a gradient."""
    engine_that(honest).makes_leaves("a", on=SQUARE)
    copied = with_result(0, 3, lambda _: ["grads", [(0.5).hex(), (0.5).hex()]])
    found = finding(copied, lambda engine: engine.makes_leaves("a", on=SQUARE))
    assert (0.0, 0.5) == (found.expected["L.grad"], found.actual["L.grad"])
    assert (StartingFrom({"a.grad": 0.5}),) == found.remarks
    assert (HoldsInput("L"),) == finding(honest, lambda engine: engine.makes_leaves("a", "L", on=SQUARE)).remarks
