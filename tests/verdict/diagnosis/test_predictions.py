"""The mistakes that lead to the numbers which learners return in 04 and 05.

Each catalogued wrong answer is the result of one mistake in the table, or its explanation covers all such mistakes.
"""

from collections.abc import Callable, Mapping
from math import tanh
from pathlib import Path
from typing import Any

from every import every
from read_yaml import read_yaml

from grader.author.build import catalogue
from grader.course.load import load_course

COURSE = load_course(Path(__file__).resolve().parents[3])
N = 0.6931471805599454  # the input of the neuron's tanh
S = 1 - tanh(N) ** 2

LISTED = read_yaml(Path(__file__).with_name("predictions.yaml"))
MISTAKES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    function: {
        mistake: tuple(float(eval(str(number), {"N": N, "S": S, "tanh": tanh})) for number in numbers)
        for mistake, numbers in listed.items()
    }
    for function, listed in LISTED["mistakes"].items()
}


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
    if len(leads) > 1 and known not in LISTED["together"]:
        assert LISTED["covered"][f"{name} {known}"] in explanation


@every("name", MISTAKES)
def test_no_mistake_gives_what_is_right(name: str) -> None:
    """The numbers of a function are chosen so that every mistake gives a wrong answer."""
    exercise = COURSE.exercises[3 if name in ("on_paper", "wrong_orders") else 4]
    right = _answer(_functions(COURSE.solution(exercise).read_text(encoding="utf-8"))[name])
    assert [] == [mistake for mistake, numbers in MISTAKES[name].items() if _close(numbers, right)]
