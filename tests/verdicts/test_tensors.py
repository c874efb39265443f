"""Sentences about wrong files of the part on tensors, and verdicts on them with other numbers."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from read_yaml import read_yaml

pytestmark = pytest.mark.slow

# for each exercise, the first check that each wrong file fails, and a part of what is said of it
SAYS: dict[str, dict[str, list[str]]] = {
    path.stem: read_yaml(path) for path in sorted(Path(__file__).with_name("says").glob("*.yaml"))
}
LATE = pytest.mark.exhaustive
EACH = 24  # each run of the tests grades one of this many wrong files


def wrong(table: ModuleType, stem: str) -> list[Any]:
    return [one for one in table.wrong_variants() + table.misconceptions() if one.stem == stem]


@pytest.mark.parametrize("stem", SAYS)
@pytest.mark.parametrize("rest", [0, *(pytest.param(rest, marks=LATE) for rest in range(1, EACH))])
def test_a_wrong_file_is_told_what_is_wrong(table: ModuleType, memo: Path, kept: Path, rest: int, stem: str) -> None:
    """The first check that fails, and what is said of it: numbers or shapes, a remark, or a fact about the engine."""
    found = {}
    for verdict in table.grade_all(wrong(table, stem)[rest::EACH], memo=memo, kept=kept):
        failed = next(check for check in verdict.result["checks"] if check["status"] != "passed")
        rows = [f"{name}: {yours}, not {failed['expected'][name]}" for name, yours in failed.get("actual", {}).items()]
        facts = (fact["text"] for fact in verdict.result.get("facts", ()))
        said = "\n".join([failed.get("message", ""), *facts, *rows])
        expected = SAYS[stem][verdict.entry.name][1]
        found[verdict.entry.name] = [failed["id"], expected if expected in said else said]
    assert {name: SAYS[stem][name] for name in found} == found


@pytest.mark.parametrize("stem", SAYS)
def test_each_wrong_file_is_in_the_list(table: ModuleType, stem: str) -> None:
    """And none that is not there."""
    assert {entry.name for entry in wrong(table, stem)} == set(SAYS[stem])


@LATE
@pytest.mark.parametrize("seed", ["a secret seed", "another one"])
@pytest.mark.parametrize("stem", ["19_arrays", *SAYS])
def test_other_numbers_change_no_verdict(table: ModuleType, memo: Path, kept: Path, seed: str, stem: str) -> None:
    """Every check has the same status for each right and each wrong file, whichever numbers are drawn."""
    everything = table.variants() + table.wrong_variants() + table.misconceptions()
    entries = [one for one in everything if one.stem == stem]
    here, there = (table.grade_all(entries, memo=memo, seed=one, kept=kept) for one in (None, seed))
    statuses = [
        {str(one.entry): {c["id"]: c["status"] for c in one.result["checks"]} for one in some} for some in (here, there)
    ]
    assert statuses[0] == statuses[1]
