"""The mistakes that lead to the numbers which learners return in 04 and 05.

Each catalogued wrong answer is the result of one mistake in the table, or its explanation covers all such mistakes.
"""

from collections.abc import Callable, Mapping
from math import tanh
from pathlib import Path
from typing import Any

from every import every

from grader.author.build import catalogue
from grader.course import load_course

COURSE = load_course(Path(__file__).resolve().parents[2])
N = 0.6931471805599454  # the input of the neuron's tanh
S = 1 - tanh(N) ** 2

# by function: the mistakes that lead to a wrong answer, and the answer
MISTAKES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "product_of_sum": {
        "each factor its own value": (-1, -1, 10),
        "no multiplication by c": (1, 1, -1),
        "the rule of * for +": (-30, 20, -1),
        "own values, and the rule of * for +": (3, -2, 10),
        "the inputs' values": (2, -3, 10),
        "a * b for a + b": (-30, 20, -6),
        "multiplied by the inputs": (20, -30, -10),
    },
    "diamond": {
        "each factor its own value": (3, 6, 3 * 1 + 6 * 3),
        "the path through b alone": (6, 3, 6 * 1),
        "the path through c alone": (6, 3, 3 * 3),
        "paths multiplied": (6, 3, (6 * 1) * (3 * 3)),
        "the gradients of b and c added": (6, 3, 6 + 3),
        "the gradients of b and c multiplied": (6, 3, 6 * 3),
        "the value of d": (6, 3, 18),
        "local derivatives added along a path": (6, 3, (6 + 1) + (3 + 3)),
        "local derivatives alone": (6, 3, 1 + 3),
        "local derivatives alone, multiplied": (6, 3, 1 * 3),
    },
    "closed_form": {
        "the same everywhere": (15, 15),
        "the value of d": (90, 6),
        "no 3": (30, -12),
        "the first use of a": (15, -6),
        "the second use of a": (18, -3),
        "a for the derivative of a**2": (18, -3),
        "2 for the derivative of a**2": (9, 9),
        "a**2 for its derivative": (78, 15),
        "no factor 3 of a**2": (13, -1),
    },
    "neuron": {
        "no tanh": (2, -3),
        "1 - n**2": (2 * (1 - N**2), -3 * (1 - N**2)),
        "tanh for its derivative": (2 * tanh(N), -3 * tanh(N)),
        "1 - tanh": (2 * (1 - tanh(N)), -3 * (1 - tanh(N))),
        "tanh**2 for its derivative": (2 * tanh(N) ** 2, -3 * tanh(N) ** 2),
        "each factor its own value": (-3 * S, 2 * S),
        "the derivative of tanh alone": (S, S),
    },
    "zero_input": {
        "w2 receives the upstream gradient": (S, S, S),
        "each factor its own value": (S, 0.0, S),
        "the two in the other order": (S, 0.0, S),
        "nothing for both": (0.0, 0.0, S),
        "nothing at all": (0.0, 0.0, 0.0),
        "no tanh": (0.0, 1.0, 1.0),
        "tanh for its derivative": (0.0, tanh(N), tanh(N)),
    },
    "alive": {
        "relu lets nothing through": (0, 0, 0),
        "relu for its derivative": (7 * 3, 7 * 2, 7),
        "each factor its own value": (2, 3, 1),
        "the rule of + for *": (1, 1, 1),
    },
    "dead_weight": {
        "the gradient passes an inactive relu": (15,),
        "the upstream gradient": (5,),
        "the local derivative of *": (3,),
        "relu passes the sign": (-15,),
        "the input's value": (-2,),
        "own value, passed": (-10,),
    },
    "scaled_square": {
        "relu lets nothing through": (0,),
        "relu for its derivative": (75 * 30,),
        "no factor 3": (10,),
        "2 for the derivative of x**2": (6,),
        "x for the derivative of x**2": (15,),
        "x**2 for its derivative": (75,),
        "2 * x**2 for the derivative of x**2": (150,),
        "the 3 is squared": (90,),
        "the 3 is added": (13,),
        "the derivative of 3 for 3": (0,),
        "the factor 3 alone": (3,),
    },
    "rank_and_sign": {
        "by absolute value of the input": (3, -2, 1, 4),
        "each factor its own value": (3, -2, 1, 4),
        "by value of the input": (2, -4, 1, 3),
        "no signs": (2, 3, 4, 1),
        "signs reversed": (2, -3, -4, -1),
        "negative last": (-4, 2, 3, 1),
        "weakest first": (-3, 2, 1, 4),
        "the gradients": (-3, 2, 0.5, 10),
        "the inputs in the order of their ranks": (4, -1, 2, 3),
    },
    "on_paper": {
        "through g alone": (4, 4, -1),
        "through e alone": (3, -2, -1),
        "own value in f * g": (-13, 7, 4),
        "own value in a * b": (2, 7, -1),
        "own value in both": (8 - 1, -12 - 1, 4),
        "the values of e, f and g": (-6, 4, -1),
        "the inputs' values": (2, -3, 10),
    },
    "wrong_orders": {
        "every order is right": (15, 15, 15, 15),
        "a wrong order loses everything": (15, 0, 0, 0),
        "the node before d contributes": (15, 6, 9, 0),
        "the contributions of b and c are interchanged": (15, 6, 9, 0),
        "only the first call counts": (15, 0, 0, 0),
    },
}
# wrong answers to which several mistakes lead, and the words of the explanation that cover the others
COVERED = {
    ("zero_input", "own_value_at_zero"): "interchanged",
    ("rank_and_sign", "ranked_by_value"): "own value",
    ("wrong_orders", "orders_lose_the_other"): "interchanged",
    ("wrong_orders", "orders_lose_everything"): "leaves a.grad at 0",
    ("diamond", "slopes_left_out"): "only the path through c counts",
}
# named only together with what the same learner returns elsewhere, which separates the mistakes
TOGETHER = ("relu_stops_everything", "relu_for_its_slope", "own_value", "first_use_only")


def _functions(source: str) -> dict[str, Callable[[], Any]]:
    space: dict[str, Any] = {"__name__": "solution"}
    exec(compile(source, "solution", "exec"), space)
    return {name: space[name] for name in MISTAKES if name in space}


def _answer(function: Callable[[], Any]) -> tuple[float, ...]:
    returned = function()
    return tuple(returned) if isinstance(returned, tuple) else (returned,)


def _close(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(abs(a - b) < 1e-9 for a, b in zip(one, other, strict=True))


def _cases() -> list[tuple[str, str, str, tuple[float, ...]]]:
    """Yield the function, misconception, explanation and answer of each catalogued wrong answer."""
    found = []
    for exercise in COURSE.exercises[3:5]:
        right = _functions(COURSE.solution(exercise).read_text(encoding="utf-8"))
        for one in catalogue(COURSE, exercise):
            for name, function in _functions(one.source).items():
                if not _close(_answer(function), _answer(right[name])):
                    found.append((name, one.id, one.explanation, _answer(function)))
    return found


CASES = _cases()


@every(("name", "known", "explanation", "answer"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_a_catalogued_answer_comes_from_one_mistake(
    name: str, known: str, explanation: str, answer: tuple[float, ...]
) -> None:
    """A single mistake leads to the answer, or the explanation covers all of them."""
    leads = [mistake for mistake, numbers in MISTAKES[name].items() if _close(numbers, answer)]
    assert leads
    if len(leads) > 1 and known not in TOGETHER:
        assert COVERED[name, known] in explanation


@every("name", MISTAKES)
def test_no_mistake_gives_what_is_right(name: str) -> None:
    """The numbers of a function are chosen so that every mistake gives a wrong answer."""
    exercise = COURSE.exercises[3 if name in ("on_paper", "wrong_orders") else 4]
    right = _answer(_functions(COURSE.solution(exercise).read_text(encoding="utf-8"))[name])
    assert [] == [mistake for mistake, numbers in MISTAKES[name].items() if _close(numbers, right)]
