import io
import math

import pytest
from every import every
from torch_answers import answer, descended, serve

from grader.base.processes import receive, send
from grader.course.oracle.answer_book import Answer
from grader.course.oracle.answers import OracleQuestion, OracleReply
from grader.course.program import Descent, Question
from grader.program import program

pytestmark = pytest.mark.slow

NEURON = "n = x * w + y * v + b; o = tanh(n)"
NEURON_LEAVES = {"x": 2.0, "w": -3.0, "y": 0.0, "v": 1.0, "b": 6.8813735870195432}


def grads(text: str, **leaves: float) -> dict[str, float]:
    """Return the derivative of the root with respect to every node, by name."""
    asked = program(text, **leaves)
    _, found = answer(asked.wire, asked.root)
    return dict(zip(asked.index, found, strict=True))


@every(
    ("text", "leaves", "expected"),
    [
        ("L = a + b", {"a": 2, "b": -3}, {"a": 1, "b": 1, "L": 1}),
        ("L = a - b", {"a": 2, "b": -3}, {"a": 1, "b": -1}),
        ("L = a * b", {"a": 2, "b": -3}, {"a": -3, "b": 2}),
        ("L = a / b", {"a": 6, "b": 2}, {"a": 0.5, "b": -1.5}),
        ("L = -a", {"a": 2}, {"a": -1}),
        ("L = a ** 3", {"a": 2}, {"a": 12}),
        ("L = a ** -1", {"a": 2}, {"a": -0.25}),
        ("L = a ** 0.5", {"a": 4}, {"a": 0.25}),
        ("L = a ** 0", {"a": 3}, {"a": 0}),
        ("L = a ** b", {"a": 2, "b": 3}, {"a": 12, "b": 8 * math.log(2)}),
        ("L = 2 ** a", {"a": 3}, {"a": 8 * math.log(2)}),
        ("L = 3 - a", {"a": 1}, {"a": -1}),
        ("L = 3 / a", {"a": 2}, {"a": -0.75}),
        ("L = exp(a)", {"a": 1}, {"a": math.e}),
        ("L = log(a)", {"a": 4}, {"a": 0.25}),
        ("L = sigmoid(a)", {"a": 0}, {"a": 0.25}),
        ("L = tanh(a)", {"a": 0}, {"a": 1}),
        ("L = relu(a) * 3", {"a": 2}, {"a": 3}),
        ("L = relu(a) * 3", {"a": -2}, {"a": 0}),
        ("L = relu(a) * 3", {"a": 0}, {"a": 0}),
        ("L = relu(a) * 3", {"a": -0.0}, {"a": 0}),
        # a value used more than once
        ("L = a + a", {"a": 3}, {"a": 2}),
        ("L = a * a", {"a": 3}, {"a": 6}),
        ("L = a - a", {"a": 3}, {"a": 0}),
        ("L = a / a", {"a": 3}, {"a": 0}),
        ("b = a + a; c = b + b; L = c + c", {"a": 1}, {"a": 8, "b": 4, "c": 2}),
        # the diamond: a and b each reach L through c and through d
        ("c = a * b; d = a + b; L = c * d", {"a": 1, "b": 3}, {"a": 15, "b": 7, "c": 4, "d": 3, "L": 1}),
        # a unit that lives and one that is dead
        ("n = w * x; o = relu(n); L = o * 5", {"w": 2, "x": 3}, {"w": 15, "x": 10, "n": 5, "o": 5}),
        ("n = w * x; o = relu(n); L = o * 5", {"w": -2, "x": 3}, {"w": 0, "x": 0, "n": 0, "o": 5}),
    ],
)
def test_gradients_by_hand(text: str, leaves: dict[str, float], expected: dict[str, float]) -> None:
    """The oracle's answers are those of a computation by hand."""
    found = grads(text, **leaves)
    assert expected == pytest.approx({name: found[name] for name in expected}, rel=1e-15, abs=0)


def test_a_tanh_neuron() -> None:
    """micrograd's neuron has the output 1/sqrt(2), so the derivative of tanh is one half."""
    found = grads(NEURON, **NEURON_LEAVES)
    expected = {"x": -1.5, "w": 1.0, "y": 0.5, "v": 0.0, "b": 0.5, "n": 0.5, "o": 1.0}
    assert expected == pytest.approx({name: found[name] for name in expected}, rel=1e-14, abs=0)


def test_values_of_all_nodes() -> None:
    """Values are in the program's order, including those of interior nodes."""
    asked = program("c = a * b; d = c + 10; L = d ** 2", a=2, b=-3)
    values, _ = answer(asked.wire, asked.root)
    assert [2.0, -3.0, -6.0, 4.0, 16.0] == values


def test_a_node_that_the_root_does_not_use_has_gradient_zero() -> None:
    """The derivative with respect to a node that L does not depend on is 0."""
    assert {"a": 2.0, "c": 0.0, "L": 1.0} == grads("c = a * a; L = a + a", a=3)


@every(("op", "value", "grad"), [("sum", 7.0, 1.0), ("mean", 3.5, 0.5), ("max", 5.0, 0.0)])
def test_all_axes_of_a_reduction_stay(op: str, value: float, grad: float) -> None:
    """With keepdims=True and no axis, the result has the shape (1, 1), and meets an array with two axes."""
    asked = program(f"L = a.{op}(keepdims=True) * b", a=[[2, 5]], b=[[3]])
    values, grads = answer(asked.wire, asked.root)
    assert (value, 3 * grad) == (asked.numbers_of(f"a.{op}(keepdims=True)", values)[0], grads[0])


def test_doubles_are_used() -> None:
    """Numbers are float64 and not torch's default, so a change of 1e-12 has an effect."""
    asked = program("L = a + 1", a=1e-12)
    assert 1e-12 == pytest.approx(answer(asked.wire, asked.root)[0][1] - 1, rel=1e-3)


@every(
    ("text", "leaves"),
    [
        ("L = log(a)", {"a": -1}),
        ("L = log(a)", {"a": 0}),
        ("L = 1 / a", {"a": 0}),
        ("L = a ** 0.5", {"a": -4}),
        ("L = a ** 0.5", {"a": 0}),
        ("L = a ** -1", {"a": 0}),
        ("L = exp(a)", {"a": 1000}),
        ("c = log(a); L = a + 1", {"a": -1}),
        ("L = a * b", {"a": 1e200, "b": 1e200}),
    ],
)
def test_no_finite_answer(text: str, leaves: dict[str, float]) -> None:
    """An infinite or undefined value or derivative, anywhere in the program, is an error."""
    asked = program(text, **leaves)
    with pytest.raises(ValueError, match="not finite"):
        answer(asked.wire, asked.root)


def replies(*asked: Question) -> list[OracleReply]:
    """Return what the process answers to these questions."""
    requests, answers = io.BytesIO(), io.BytesIO()
    for one in asked:
        send(requests, OracleQuestion(one.question))
    requests.seek(0)
    serve(requests, answers)
    answers.seek(0)
    return list(iter(lambda: receive(answers, OracleReply), None))


NOT_FINITE = OracleReply(error="a value or a gradient is not finite")


def test_the_process_answers_each_question() -> None:
    """After an error, the next program is answered."""
    found = replies(program("L = a * a", a=3), program("L = log(a)", a=-1), program("L = a + a", a=3))
    assert [
        OracleReply(Answer((3.0, 9.0), (6.0, 1.0))),
        NOT_FINITE,
        OracleReply(Answer((3.0, 6.0), (2.0, 1.0))),
    ] == found


def test_a_descent_by_hand() -> None:
    """From 3 down a square, at rate 0.1, each step removes a fifth."""
    asked = program("L = a * a", a=3)
    values, grads = descended(asked.wire, asked.root, 0.1, 2)
    assert [9.0, 5.76, 1.92] == pytest.approx(values, rel=1e-15, abs=0)
    assert [] == grads


def test_a_step_moves_every_leaf() -> None:
    """Each leaf moves against its own gradient. A leaf that the root does not use stays."""
    asked = program("L = a - b; M = L * c", a=2, b=-3, c=0.5).rooted_at("L")
    after, _ = descended(asked.wire, asked.root, 0.25, 4)
    assert [5.0, 4.5, 4.0, 3.5, 1.0, -2.0, 0.5] == after


def test_arrays_move_and_fixed_leaves_stay() -> None:
    """Each number of an array moves against its own gradient."""
    asked = program("L = sum(a * b)", a=[1, 2], b=[3, -4])
    fixed = [asked.index["b"]]
    assert [[-5.0, -17.5, -2.0, 6.0, 3.0, -4.0], []] == descended(asked.wire, asked.root, 0.5, 2, False, fixed)


def test_the_first_step_of_adam_is_the_rate() -> None:
    """Whatever the gradient is. A second one with an equal gradient is as long."""
    asked = program("L = sum(a * b)", a=[1, 2], b=[3, -4])
    values, _ = descended(asked.wire, asked.root, 0.5, 2, True, [asked.index["b"]])
    assert [-5.0, -8.5, 0.0, 3.0, 3.0, -4.0] == pytest.approx(values, abs=1e-7)


def test_the_process_takes_the_steps_of_a_descent() -> None:
    """The answer to a descent has losses and leaves, or an error if numbers become infinite."""
    found = replies(Descent(program("L = a * a", a=3), 0.5, 2), Descent(program("L = exp(a)", a=3), -9, 5))
    assert [OracleReply(Answer((9.0, 0.0, 0.0), ())), NOT_FINITE] == found
