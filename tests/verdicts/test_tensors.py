"""Sentences about wrong tensor engines, and verdicts on exercise 24 with other numbers."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from read_yaml import read_yaml

pytestmark = pytest.mark.slow

STEM = "24_tensor"
SAYS: dict[str, list[str]] = read_yaml(Path(__file__).with_name("tensors.yaml"))
LATE = pytest.mark.exhaustive
EACH = 5  # each run of the tests grades one of this many wrong engines


def wrong(table: ModuleType) -> list[Any]:
    return [one for one in table.wrong_variants() + table.misconceptions() if one.stem == STEM]


@pytest.mark.parametrize("rest", [0, *(pytest.param(rest, marks=LATE) for rest in range(1, EACH))])
def test_a_wrong_engine_is_told_what_is_wrong(table: ModuleType, memo: Path, rest: int) -> None:
    """The first check that fails, and what is said of it: a remark on the failure, or a fact about the engine."""
    found = {}
    for verdict in table.grade_all(wrong(table)[rest::EACH], memo=memo):
        failed = next(check for check in verdict.result["checks"] if check["status"] != "passed")
        said = "\n".join([failed.get("message", ""), *(fact["text"] for fact in verdict.result.get("facts", ()))])
        expected = SAYS[verdict.entry.name][1]
        found[verdict.entry.name] = [failed["id"], expected if expected in said else said]
    assert {name: SAYS[name] for name in found} == found


def test_each_wrong_engine_is_in_the_list(table: ModuleType) -> None:
    """And none that is not there."""
    assert {entry.name for entry in wrong(table)} == set(SAYS)


@LATE
@pytest.mark.parametrize("seed", ["a secret seed", "another one"])
@pytest.mark.parametrize("stem", ["19_arrays", STEM])
def test_other_numbers_change_no_verdict(table: ModuleType, memo: Path, seed: str, stem: str) -> None:
    """Every check has the same status for each right and each wrong file, whichever numbers are drawn."""
    everything = table.variants() + table.wrong_variants() + table.misconceptions()
    entries = [one for one in everything if one.stem == stem]
    here, there = (table.grade_all(entries, memo=memo, seed=one) for one in (None, seed))
    statuses = [
        {str(one.entry): {c["id"]: c["status"] for c in one.result["checks"]} for one in some} for some in (here, there)
    ]
    assert statuses[0] == statuses[1]
