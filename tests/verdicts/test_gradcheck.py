"""14 gradcheck under secret seeds. The gradients that its functions are given have other numbers and another order."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from module_file import module_of

from grader.checks import GivenPass

pytestmark = pytest.mark.slow

STEM = "14_gradcheck"
SEEDS = ["a secret", pytest.param("another secret", marks=pytest.mark.exhaustive)]
# each run of the tests grades one of this many of the right files and of the wrong ones; a long run grades all
EACH = [36, pytest.param(1, marks=pytest.mark.exhaustive)]
RECORDED = """
def agrees(f, values):
    left = agrees.__dict__.setdefault("left", [])
    if not left:
        left += {recorded}[agrees.__dict__.setdefault("count", len(values))]
    return left.pop(0)
"""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("each", EACH)
def test_verdicts_do_not_depend_on_the_seed(table: ModuleType, memo: Path, seed: str, each: int) -> None:
    """Right ways to test gradients are accepted. Wrong ones are refused, and so are recorded verdicts."""
    right = [entry for entry in table.variants() if entry.stem == STEM]
    wrong = [entry for entry in (*table.wrong_variants(), *table.misconceptions()) if entry.stem == STEM]
    verdicts = table.grade_all([recorded(table), *right[::each], *wrong[::each]], memo=memo, seed=seed)
    assert {} == table.told(verdict for verdict in verdicts if verdict.wrongly_accepted or verdict.wrongly_refused)


@pytest.mark.exhaustive
def test_points_of_a_wrong_step_do_not_depend_on_the_seed(table: ModuleType, memo: Path) -> None:
    """A step that is too large or too small loses the same checks whatever the seed draws."""
    steps = ("step_of_a_hundredth", "step_of_1e-10")
    wrong = [entry for entry in table.wrong_variants() if entry.stem == STEM and entry.name in steps]
    own, others = (table.grade_all(wrong, memo=memo, seed=seed) for seed in (None, "plum"))
    assert len(steps) == len(own)
    assert [one.lost for one in own] == [one.lost for one in others]


def recorded(table: ModuleType) -> Any:
    """Return the solution with an `agrees` that returns what is right in the first, second and further calls.

    It knows the checks from the public tests, and recognises a check by the number of inputs in its first call.
    """
    found: dict[int, list[bool]] = {}

    class Listening:
        def tells_apart(self, function: str, *passes: GivenPass) -> None:
            found.setdefault(len(passes[0].on.leaves), [one.fault is None for one in passes] + [True, True])

    with module_of(table.ROOT / "tests" / "hidden" / f"test_{STEM}.py") as hidden:
        hidden.test_wrong_rules(Listening())
        hidden.test_each_input(Listening())
    (solution,) = (entry.text for entry in table.variants() if (entry.stem, entry.name) == (STEM, "solution"))
    assert [1, 2] == sorted(found)
    return table.Entry(table.WRONG_VARIANT, STEM, "recorded", solution + RECORDED.format(recorded=found))


def test_recorded_verdicts_are_right_under_the_courses_own_seed(table: ModuleType, memo: Path) -> None:
    """There, the passes come in the order of the public tests. So only the other order refuses the recorded file."""
    (verdict,) = table.grade_all([recorded(table)], memo=memo)
    assert {"tolerance"} == verdict.lost
