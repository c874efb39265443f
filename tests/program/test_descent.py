import math

import pytest

from grader.program import Descent, ProgramError, Question, program

START = program("L = a * b + 2", a=2, b=-3)


def test_the_question_holds_the_start_and_the_steps() -> None:
    """The oracle is asked with the values before the first step, the rate and the number of steps."""
    assert [*START.question, 0.1, 3] == Descent(START, 0.1, 3).question


def test_the_key_is_pinned() -> None:
    """Shipped answers are found by this key: a change here makes every answer book stale."""
    expected = "541e39495cc964311669d64323f61d6d58616a5f7c80fa01af40e9022d0aebb8"
    assert expected == Descent(START, 0.1, 3).key


def test_the_key_depends_on_program_rate_and_steps() -> None:
    """Each of the three makes another key, and none is that of the program itself; names make none."""
    renamed = program("z = x * y + 2", x=2, y=-3)
    other = program("L = a * b + 2", a=2, b=3)
    asked: list[Question] = [
        START,
        *(Descent(p, rate, steps) for p in (START, other) for rate in (1, 0.5) for steps in (1, 2)),
    ]
    assert len(asked) == len({question.key for question in asked})
    assert Descent(START, 1, 2).key == Descent(renamed, 1.0, 2).key


def test_it_is_shown_as_a_program_and_its_steps() -> None:
    """A message can say which program it is about, and how far the descent has gone."""
    expected = "L = a * b + 2    with a = 2, b = -3, after 3 steps of gradient descent at rate 0.1"
    assert expected == Descent(START, 0.1, 3).shown


@pytest.mark.parametrize(("rate", "steps"), [(0.1, 0), (0.1, -1), (math.nan, 1), (math.inf, 1)])
def test_no_steps_or_an_endless_rate_are_refused(rate: float, steps: int) -> None:
    """Before the first step the program is itself; a rate has to be finite."""
    with pytest.raises(ProgramError, match="a descent needs at least 1 step and a finite rate"):
        Descent(START, rate, steps)
