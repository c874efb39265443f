"""17 names under secret seeds. The parameters of its models have other numbers."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from module_file import module_of

from grader.course.oracle import TableOracle
from grader.course.program import Descent

pytestmark = pytest.mark.slow

STEM = "17_names"
SEEDS = ["a secret", "another secret"]
# one of this many of the right files and of the wrong ones is graded
EACH = [60, pytest.param(1, marks=pytest.mark.timeout(900))]
RECORDED = """
def train(make_loss, parameters, steps, rate):
    moved, losses = {trained}[steps]
    for p in parameters:
        p.data = moved.get(p.data, 0.0)
    return losses


def guessing(n):
    return {{5: 1.6094379124341003, 27: 3.295836866004329}}.get(n, 0)
"""


@pytest.mark.exhaustive  # each run grades files of 17 under the course's seed, and others under a secret one
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("each", EACH)
def test_verdicts_do_not_depend_on_the_seed(table: ModuleType, memo: Path, seed: str, each: int) -> None:
    """Right models are accepted. Wrong ones are refused, and so is a recorded training."""
    right = [entry for entry in table.variants() if entry.stem == STEM]
    wrong = [entry for entry in (*table.wrong_variants(), *table.misconceptions()) if entry.stem == STEM]
    first, *others = table.grade_all([recorded(table), *right[::each], *wrong[::each]], memo=memo, seed=seed)
    assert {"guessing", "training"} == first.lost
    assert {} == table.told(verdict for verdict in others if verdict.wrongly_accepted or verdict.wrongly_refused)


def test_a_recorded_training_is_right_under_the_courses_own_seed(table: ModuleType, memo: Path) -> None:
    """Only other numbers refuse it."""
    (verdict,) = table.grade_all([recorded(table)], memo=memo)
    assert set() == verdict.lost


def recorded(table: ModuleType) -> Any:
    """Return the solution with a `train` and a `guessing` that return what is right in the public tests."""
    trained = {}
    for names, steps, rate in ((["a"], 10, 1), (["ela", "anna"], 20, 1.5)):
        with module_of(table.ROOT / "tests" / "hidden" / f"test_{STEM}.py") as hidden:
            loss = hidden.loss_of(*names)
        (answer,) = TableOracle().answers([Descent(loss.truth, rate, steps)])
        moved = dict(zip((leaf.value for leaf in loss.truth.leaves), answer.values[steps:], strict=True))
        assert len(moved) == len(loss.truth.leaves)
        trained[steps] = moved, list(answer.values[:steps])
    (solution,) = (entry.text for entry in table.variants() if (entry.stem, entry.name) == (STEM, "solution"))
    text = RECORDED.format(trained=trained)
    return table.Entry(table.WRONG_VARIANT, STEM, "recorded", solution + text)
