"""A condition is said only if exactly the failing programs meet it, and if no other operation may be the reason."""

from typing import Any

from every import every

from grader.course.program import Program, program
from grader.course.remarks import Condition
from grader.verdict.checks.conditions import fails_whenever

LEAVES: dict[str, Any] = {"a": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "b": [7.0, 8.0, 9.0], "c": [[2.0], [3.0]]}
PLAIN = "L = sum(a * a)"


def programs(*texts: str) -> list[Program]:
    return [program(text, **{name: value for name, value in LEAVES.items() if name in text[3:]}) for text in texts]


@every(
    ("failing", "others", "stops", "conditions"),
    [
        (["L = sum(a + b)"], [PLAIN, "L = sum(a + c)"], False, [Condition("lacks_axes")]),
        (["L = sum(a + c)"], [PLAIN, "L = sum(a + b)"], True, [Condition("stretched")]),
        (["L = sum(a.mean(axis=0))"], [PLAIN, "L = sum(a.sum(axis=0))"], False, [Condition("drops_axis", "mean")]),
        # two operations, either of which may be the reason
        (["L = sum(a.T @ (a + b))"], [PLAIN], True, []),
        (["L = sum(a @ b)"], [PLAIN, "L = sum(a @ a.T)"], True, [Condition("vector")]),
        (["L = sum(-a)"], [PLAIN], True, []),
        (["L = sum(-a)", "L = sum(-a + a)"], [PLAIN], True, [Condition("has", "neg")]),
        (["L = sum(-a)", "L = sum(-a + a)"], [PLAIN], False, []),
        (["L = sum(-a)", "L = sum(a - a * a)"], [PLAIN], True, [Condition("has", "sub"), Condition("has", "neg")]),
        ([PLAIN], [], True, []),
        ([], [PLAIN], True, []),
    ],
)
def test_the_condition_of_the_failing_programs(
    failing: list[str], others: list[str], stops: bool, conditions: list[Condition]
) -> None:
    """It has to hold for all of them, and for no other program."""
    found = fails_whenever(programs(*failing), programs(*others), stops)
    assert conditions == [condition for remark in found for condition in remark.conditions]


def test_nothing_is_said_of_nodes_that_a_function_of_the_file_makes() -> None:
    """The operations around such a node are not those in which it was made."""
    failing = program("y = twice(a); L = sum(y @ b)", "y = a + a; L = sum(y @ b)", a=LEAVES["a"], b=LEAVES["b"])
    assert [] == [*fails_whenever([failing], programs(PLAIN), False)]
    alone = program("y = a + a; L = sum(y @ b)", a=LEAVES["a"], b=LEAVES["b"])
    assert [Condition("not_square")] == [
        one for remark in fails_whenever([alone], programs(PLAIN), False) for one in remark.conditions
    ]
