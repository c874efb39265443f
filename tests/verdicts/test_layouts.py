"""A verdict does not hang on where Python puts its objects, though the order of a set of nodes does."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.slow

LAYOUTS = 3
# Each run of the tests has the same verdicts on other programs under a layout by chance: `grade_all`.
PROGRAMS = [pytest.param(rest, marks=pytest.mark.exhaustive) for rest in range(6)]
LAYOUT = range(1, LAYOUTS)
WRONG = ("X1", "X4", "X10", "T1", "T7", "T8", "T21", "A3-mul-tanh", "W3", "local_gradients_for_a_set")
RIGHT = ("base", "kahn_users", "frozenset_prev", "dataclass_eq_ids", "counter_dict", "global_tape")
EXERCISES = (
    "03_accumulate/keep_the_first",
    "06_build_topo/a_set",
    "06_build_topo/level_by_level",
    "06_build_topo/sorted_by_address",
    "06_build_topo/stops_at_visited",
    "06_build_topo/inputs_after_then_turned_with_a_stack",
    "06_build_topo/first_input_only",
    "06_build_topo/forgets_again",
    "06_build_topo/eight_expansions",
    "06_build_topo/input_lost",
    "06_build_topo/kahn_from_the_root",
    "07_backward/on_first_visit",
    "07_backward/order_lost",
    "07_backward/kahn_inside",
)


@pytest.fixture(scope="module", params=PROGRAMS)
def entries(table: ModuleType, request: pytest.FixtureRequest) -> list[Any]:
    """Return some programs in which the order of nodes matters."""
    every = [*table.variants(), *table.wrong_variants(), *table.misconceptions()]
    chosen = [entry for entry in table.engines() if entry.name in WRONG + RIGHT]
    chosen += [entry for entry in every if str(entry) in EXERCISES]
    assert len(WRONG + RIGHT + EXERCISES) == len(chosen)
    return chosen[request.param :: len(PROGRAMS)]


@pytest.fixture(scope="module")
def first(table: ModuleType, memo: Path, entries: list[Any]) -> list[Any]:
    """Return the verdicts on the programs as they are."""
    return table.grade_all(entries, memo=memo)


@pytest.mark.parametrize("layout", LAYOUT)
def test_reports_are_the_same_under_every_layout(
    table: ModuleType, memo: Path, entries: list[Any], first: list[Any], layout: int
) -> None:
    """Every number, status and message of the report is that of the first run."""
    relaid = [table.relaid(entry, layout * 17) for entry in entries]
    again = table.grade_all(relaid, memo=memo, hash_seed=layout)
    assert {str(v.entry): v.result for v in first} == {str(v.entry): v.result for v in again}


def test_verdicts_are_right(table: ModuleType, first: list[Any]) -> None:
    """Wrong programs are refused and right ones accepted."""
    assert {} == table.told(verdict for verdict in first if verdict.wrongly_accepted or verdict.wrongly_refused)


def test_layouts_differ(table: ModuleType) -> None:
    """Each layout leaves the program's own lines where they are and puts others below them."""
    entry = table.engines()[0]
    texts = [table.relaid(entry, layout * 17).text for layout in range(LAYOUTS)]
    assert LAYOUTS == len(set(texts))
    assert [entry.text] * LAYOUTS == [text[: len(entry.text)] for text in texts]
