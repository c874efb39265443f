"""Replays of programs with arrays: shapes, contributions before and after they are summed, and the first difference."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
from every import every
from torch_answers import answer

from grader.course.load import Limits
from grader.practice.replay import Replay
from grader.practice.replay.amounts import Shaped, amount_of, finite, flat, is_zero, shape_of
from grader.practice.replay.record import FileToReplay, record, subject_of
from grader.practice.replay.right_pass import right_pass
from grader.program import Program, program
from grader.runner.client import Source
from grader.runner.same_interpreter import Here

ROOT = Path(__file__).resolve().parents[3]
TENSOR = (ROOT / "solutions" / "24_tensor.py").read_text(encoding="utf-8")
ARRAYS = (ROOT / "solutions" / "19_arrays.py").read_text(encoding="utf-8")
FIXTURES = ROOT / "tests" / "fixtures" / "right" / "24_tensor" / "bases"

Make = Callable[..., Replay]
A, ROW, COLUMN = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [10.0, 20.0, 30.0], [[2.0], [-3.0]]
STRETCHED = program("L = sum((a + b) * a)", a=A, b=ROW)  # nodes: a, b, a + b, (a + b) * a, L
PROGRAMS = [
    STRETCHED,
    program("L = sum(a * a * b)", a=A, b=COLUMN),
    program("L = sum(tanh(a / b) - b)", a=A, b=[[4.0]]),
    program("L = sum((a @ w) * t)", a=A, w=[[0.5, -1.0], [0.25, 0.75], [-0.5, 1.0]], t=COLUMN),
    program("L = sum(a.sum(axis=1, keepdims=True) * a)", a=A),
]
OPTIONAL = [
    program("L = sum(a.T * b) + mean(a)", a=A, b=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    program("L = sum(a[:, 1:] * b.max(axis=0, keepdims=True).reshape(2))", a=A, b=[[1.0, 5.0], [3.0, 4.0]]),
    program("L = sum(concat([a, b], axis=1) * concat([b, a], axis=1))", a=A, b=COLUMN),
]
SUMS = ("gradient = gradient.sum(axis=tuple(range(gradient.ndim - self.data.ndim)))", "pass")
ADDS = "self.grad = self.grad + gradient"


def gradients(shown: Replay) -> list[Any]:
    return [node.yours.grad for node in shown.nodes]


def ones(*shape: int) -> Shaped:
    size = 1
    for length in shape:
        size *= length
    return Shaped(shape, (1.0,) * size)


# -- arithmetic -------------------------------------------------------------------------------------


def test_amounts_broadcast_as_numpys_arrays_do() -> None:
    """Numbers and arrays are added, subtracted and multiplied, and shapes that do not fit give nan."""
    row, column = Shaped((2,), (1.0, 2.0)), Shaped((2, 1), (10.0, None))
    assert Shaped((2, 2), (11.0, 12.0, None, None)) == row + column
    assert Shaped((2,), (2.0, 3.0)) == 1.0 + row == row + 1.0
    assert Shaped((2,), (-1.0, -2.0)) == row - 2.0 * row == 0.0 - row
    assert finite(row + Shaped((3,), (1.0, 2.0, 3.0))) is None


def test_a_scalar_is_a_number() -> None:
    """An amount of the shape () is a float, and one of another shape keeps what is finite."""
    assert 2.5 == amount_of([2.5], ())
    assert Shaped((2,), (1.0, None)) == amount_of([1.0, float("inf")], (2,))
    assert [(), (), (2,)] == [shape_of(None), shape_of(1.0), shape_of(ones(2))]
    assert (True, True, False, False) == (is_zero(0.0), is_zero(0.0 * ones(2)), is_zero(ones(2)), is_zero(None))


@pytest.mark.slow
@every("asked", PROGRAMS + OPTIONAL, ids=[one.text for one in PROGRAMS + OPTIONAL])
def test_a_right_pass_over_arrays_has_torchs_numbers(asked: Program) -> None:
    """Values and gradients are torch's, and each contribution has the shape of its operand."""
    right = right_pass(asked)
    values, grads = answer(asked.wire, asked.root)
    assert pytest.approx(values) == flat(right.values)
    assert pytest.approx(grads) == flat(right.grads)
    for one in (one for visit in right.visits for one in visit.contributions):
        assert asked.shapes[one.node] == shape_of(one.amount)
        assert bool(one.axes) == (one.term is not None)
        assert one.term is None or pytest.approx(sum(flat([one.term]))) == sum(flat([one.amount]))


# -- right engines ----------------------------------------------------------------------------------


NAMES = ["solution", "function_classes", "functions_per_input", "nested_lists", "tape"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "programs"),
    [
        ("solution", PROGRAMS[:2]),
        ("function_classes", PROGRAMS[:2]),
        *(pytest.param(name, PROGRAMS, marks=pytest.mark.exhaustive) for name in NAMES),
    ],
)
def test_a_right_engine_of_arrays_differs_nowhere(replay: Make, name: str, programs: list[Program]) -> None:
    """Closures, classes of functions, functions for each input, nested lists and a tape are read as they are."""
    text = TENSOR if name == "solution" else (FIXTURES / f"{name}.py").read_text(encoding="utf-8")
    for asked in programs:
        shown = replay(asked, text=text)
        assert ("", None) == (shown.fault, shown.problem), asked.text
        assert pytest.approx(flat(node.expected.grad for node in shown.nodes)) == flat(gradients(shown))
        assert {visit.node for visit in shown.reference} <= {visit.node for visit in shown.backward}


@pytest.mark.slow
def test_a_gradient_of_none_is_one_of_zeros(replay: Make) -> None:
    """In exercise 19, a gradient is None until the first contribution. The gradient before it is shown as zeros."""
    shown = replay(program("L = sum(a * b)", a=A, b=A), text=ARRAYS)
    assert ("", None) == (shown.fault, shown.problem)
    assert {0.0 * ones(2, 3)} == {change.before for change in shown.backward[1].changes}


def test_a_contribution_is_shown_before_and_after_it_is_summed(replay: Make) -> None:
    """The operand that is repeated along axis 0 has the numbers before the sum, the axis, and the sum."""
    shown = replay(STRETCHED, text=TENSOR)
    to_a, to_b = shown.reference[2].contributions
    assert (None, ()) == (to_a.term, to_a.axes)
    upstream = Shaped((2, 3), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert (upstream, (0,), Shaped((3,), (5.0, 7.0, 9.0))) == (to_b.term, to_b.axes, to_b.amount)
    assert [(2, 3), (3,), (2, 3), (2, 3), ()] == [node.shape for node in shown.nodes]


def test_arguments_are_shown_as_a_program_writes_them(replay: Make) -> None:
    """A sum has its axis, and an index of two axes has no parentheses."""
    shown = replay(program("L = sum(a[:, 1:].sum(axis=0))", a=A), text=TENSOR)
    assert ["", ":, 1:", "axis=0", ""] == [node.arguments for node in shown.nodes]


@pytest.mark.slow
def test_a_replay_in_a_tab_is_that_of_a_process(replay: Make) -> None:
    """An engine that does not sum is recorded in the same interpreter as in a process."""
    text = TENSOR.replace(*SUMS)
    expected = replay(STRETCHED, text=text)
    assert "contribution" == expected.fault
    file = FileToReplay("engine", "12_engine.py", Source(Path("12_engine.py"), text))
    with Here({"numpy": str(Path(numpy.__file__).parents[1])}) as here:
        assert (expected,) == record(here, Limits(), file, subject_of(STRETCHED), (), lambda p: None)


# -- wrong engines ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "fault", "of", "after"),
    [
        (SUMS, "contribution", 1, Shaped((2, 3), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))),
        ((ADDS, "self.grad = gradient"), "lost", 0, Shaped((2, 3), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))),
        ((ADDS, "self.grad = self.grad - gradient"), "contribution", 3, -1.0 * ones(2, 3)),
        (("np.ones_like(self.data)", "np.zeros_like(self.data)"), "seed", 3, 0.0 * ones(2, 3)),
        (("Tensor(self.data + other.data", "Tensor(self.data - other.data"), "forward", None, None),
    ],
    ids=["not summed", "overwritten", "a wrong sign", "no seed", "a wrong value"],
)
def test_the_first_difference_of_arrays(replay: Make, edit: tuple[str, str], fault: str, of: int, after: Any) -> None:
    """The fault is that of scalars: a wrong amount, a lost gradient, a wrong start, or a wrong value."""
    shown = replay(STRETCHED, edit, text=TENSOR)
    assert fault == shown.fault
    if shown.first_difference is not None:
        changes = {change.input: change.after for change in shown.backward[shown.first_difference].changes}
        assert after is None or changes.get(of, after) == after


@pytest.mark.slow
def test_an_array_that_two_tensors_share(replay: Make) -> None:
    """If a gradient changes together with another one, the visit in which it changes is the first difference."""
    text = ARRAYS.replace("self.grad = self.grad + contribution", "self.grad += contribution")
    shown = replay(
        program("L = (a + a) * b", a=A, b=A),
        ("np.zeros_like(self.data)", "contribution\n            return"),
        text=text,
    )
    assert ("contribution", 1) == (shown.fault, shown.first_difference)
    visit = shown.backward[1]
    assert visit.node in {change.input for change in visit.changes}


@pytest.mark.slow
def test_arrays_that_no_write_changes_are_not_accused(replay: Make) -> None:
    """Without functions to watch, a change in place belongs to no rule. The replay says that it shows no steps."""
    text = (FIXTURES / "function_classes.py").read_text(encoding="utf-8")
    adds = "source.grad = gradient if source.grad is None else source.grad + gradient"
    zeros = ("self.grad = None", "self.grad = np.zeros(np.shape(data))")
    shown = replay(STRETCHED, zeros, (adds, "source.grad[...] += gradient"), text=text)
    assert shown.problem is not None
    assert ("read", "") == (shown.problem.where, shown.fault)


@pytest.mark.slow
def test_an_error_in_a_rule_of_arrays_ends_the_replay_there(replay: Make) -> None:
    """numpy refuses to add an array in place to one of another shape. The line is shown, and no fault is named."""
    shown = replay(STRETCHED, SUMS, (ADDS, "self.grad += gradient"), text=TENSOR)
    assert shown.problem is not None
    assert ("backward", "") == (shown.problem.where, shown.fault)
    assert "self.grad += gradient" == shown.source.lines[shown.problem.line - 1].strip()


@pytest.mark.slow
@pytest.mark.parametrize("instead", ["'text'", "np.zeros((0, 3))", "np.full((2, 3), np.nan)", "np.ones((40, 40))"])
def test_a_gradient_that_is_no_array_of_numbers(replay: Make, instead: str) -> None:
    """A gradient may be anything. It is shown by its type or its shape, and never as a right one."""
    shown = replay(STRETCHED, (ADDS, f"self.grad = {instead}"), text=TENSOR)
    assert shown.fault or shown.problem
