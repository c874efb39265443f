"""Checks of training, and of the functions that change a list of parameters."""

from collections.abc import Sequence
from typing import Any

import pytest
from answering import Says, engine_that, honest, redrawn
from asks import NINE, SQUARE, finding, listened, with_result
from every import every

from grader.checks import EngineUnderCheck
from grader.course.oracle.answer_book import Answer
from grader.course.program import Descent, Question, program
from grader.course.remarks import (
    ListChanged,
    Remark,
    Returned,
)
from grader.runner.client import Batch, ask
from grader.verdict.checks.outcome import Finding


def test_a_descent_is_left_to_the_oracle() -> None:
    """The oracle computes a descent from its start, so no program is made from an answer."""
    heard: list[Question] = []

    def hear(questions: Sequence[Question]) -> list[Answer]:
        heard.extend(questions)
        return [Answer((9.0, 5.0, 3.0, 1.5), ())]

    assert ([9.0, 5.0, 3.0], {"a": 1.5}) == engine_that(answers=hear).descent(SQUARE, rate=0.1, steps=3)
    assert [Descent(SQUARE, 0.1, 3)] == heard


def test_a_descent_moves_the_numbers_of_the_programs_own_leaves() -> None:
    """A leaf that only the second text has keeps its value, and the numbers of an array have names of their own."""
    heard: list[Question] = []

    def hear(questions: Sequence[Question]) -> list[Answer]:
        heard.extend(questions)
        return [Answer((9.0, 1.5, 2.5, 7.0), ())]

    asked = program("L = f(a)", "L = sum(a * c)", a=[1, 2], c=7)
    moved = {"a[0]": 1.5, "a[1]": 2.5, "c": 7.0}
    assert ([9.0], moved) == engine_that(answers=hear).descent(asked, rate=0.1, steps=1, adam=True)
    assert [Descent(asked.truth or asked, 0.1, 1, True, ("c",))] == heard


HELD = [(3.0, 5.0), (4.0, -1.0)]


def changes(engine: EngineUnderCheck, **expected: float) -> None:
    engine.changes_leaves("keep", 0.5, start=HELD, expected={k.replace("_", "."): v for k, v in expected.items()})


def test_a_function_is_given_the_leaves_and_the_numbers() -> None:
    """The function gets a list of leaves with values and gradients, followed by the arguments."""
    batches: list[Batch] = []
    changes(engine_that(listened(batches)), a_data=3, a_grad=5, b_data=4, b_grad=-1)
    preload, call, *_ = batches[0].runs[0].steps
    assert ask.Preload([(0, 5.0), (1, -1.0)]) == preload
    assert ask.CallFunction("keep", [("nodes", [0, 1]), ("number", 0.5)]) == call


@pytest.mark.parametrize(("name", "number", "actual"), [("b.grad", 0.0, -1.0), ("a.data", 2.5, 3.0)])
def test_a_leaf_that_holds_another_number_is_shown(name: str, number: float, actual: float) -> None:
    """The finding has the actual and the expected number of a leaf, under the name of its attribute."""
    found = finding(honest, lambda engine: changes(engine, a_grad=5, **{name: number}))
    about = "a = 3 with gradient 5, b = 4 with gradient -1, keep(parameters, 0.5)"
    assert Finding("failed", about, {name: number}, {name: actual}) == found


LOSSES = ["called", [NINE, (2.25).hex()]]


def trained(losses: Any, a: float) -> Says:
    """Return an engine whose `train` returns these losses and sets a, the only parameter of `SQUARE`, to this value."""
    return with_result(
        0, 3, lambda result: ["values", [a.hex(), result[1][1]]], None, with_result(0, 1, lambda _: losses)
    )


def trains(engine: EngineUnderCheck) -> None:
    engine.trains("L = a * a", a=3, steps=2, rate=0.25)


def test_training_that_goes_down_the_gradient_passes() -> None:
    """From a = 3 two steps of 0.25 * 2a lead to 1.5 and 0.75; the losses before them are 9 and 2.25."""
    batches: list[Batch] = []
    trains(engine_that(listened(batches, trained(LOSSES, 0.75))))
    preload, train, *_ = batches[0].runs[0].steps
    assert ask.Preload([(0, 1.0)]) == preload
    assert ask.Train(SQUARE.root, 2, 0.25) == train


@every(("brief", "steps", "orders"), [(False, 50, 4), (True, 3, 1)])
def test_a_long_training_is_cut_where_arrays_are_slow(brief: bool, steps: int, orders: int) -> None:
    """Its first steps are taken, once. The question to the oracle stays the same."""
    batches: list[Batch] = []
    heard: list[Question] = []

    def hear(questions: Sequence[Question]) -> list[Answer]:
        heard.extend(questions)
        return [Answer((9.0,) * 52, ())]

    def stop(batch: Batch) -> None:
        batches.append(batch)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        engine_that(stop, answers=hear, brief=brief).trains(program("L = sum(a * a)", a=[1, 2]), steps=50, rate=0.1)
    (question,) = heard
    assert isinstance(question, Descent)
    assert 50 == question.steps
    assert (steps, orders) == (batches[0].runs[0].trained_steps, len(batches[0].order_seeds))


@every(
    ("losses", "a", "wrong", "remarks"),
    [
        (LOSSES, 0.5, {"a after 2 steps": (0.75, 0.5)}, ()),
        (["called", [NINE, NINE]], 0.75, {"loss at step 2": (2.25, 9.0)}, ()),
        (["called", [(8.0).hex(), (2.25).hex()]], 0.5, {"loss at step 1": (9.0, 8.0)}, ()),
        (["called"], 0.75, {}, (Returned("train", 2, None, "None"),)),
        (["called", [NINE]], 0.5, {"a after 2 steps": (0.75, 0.5)}, (Returned("train", 2, 1),)),
    ],
)
def test_training_that_goes_elsewhere_is_shown(
    losses: Any, a: float, wrong: dict[str, tuple[float, float]], remarks: tuple[Remark, ...]
) -> None:
    """A parameter or a loss that differs from torch's is shown with torch's. A wrong number of losses is a remark."""
    found = finding(trained(losses, a), trains)
    assert wrong == {name: (found.expected[name], found.actual[name]) for name in found.expected}
    assert remarks == found.remarks


def test_a_list_that_a_function_has_emptied_is_a_failure() -> None:
    """All is right except that the list of parameters is empty afterwards."""
    emptied = with_result(0, 2, lambda _: ["called", None, []], None, trained(LOSSES, 0.75))
    assert (ListChanged("train"),) == finding(emptied, trains).remarks
    cleared = with_result(0, 2, lambda _: ["called", None, [1]])
    assert (ListChanged("keep"),) == finding(cleared, lambda engine: changes(engine, a_grad=5)).remarks


def test_fixed_training_keeps_its_start() -> None:
    """The leaves of a `fixed` start are not redrawn, unlike others."""
    engine = engine_that(trained(LOSSES, 0.75), redraw=redrawn())
    engine.trains("L = a * a", a=3, steps=2, rate=0.25, fixed=True)
