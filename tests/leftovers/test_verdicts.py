"""For files with known verdicts, it makes no difference that checks share a process."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.slow

Grade = Callable[..., dict[str, Any]]

# Where CPU time runs out is chance: wrong engines and misconceptions, which are many and some of which run on, are
# compared in a long run alone, and by what does not depend on that.
LONG = bool(os.environ.get("BACKWARD_ALL_LEFTOVERS"))
KINDS = ["variants", "wrong_variants", *(["misconceptions", "engines"] if LONG else [])]


@pytest.fixture(scope="module")
def table() -> Iterator[ModuleType]:
    folder = str(Path(__file__).resolve().parents[1] / "verdicts")
    sys.path.insert(0, folder)
    import table

    yield table
    sys.path.remove(folder)
    del sys.modules["table"]


def submissions(entries: list[Any]) -> list[dict[str, Any]]:
    """Return submissions of the entries, each of which has entries of several exercises."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        place = next((one for one in found if entry.stem not in one), None)
        if place is None:
            place = {}
            found.append(place)
        place[entry.stem] = entry
    return found


def without_chance(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without the details of checks that ran out of time."""
    checks = [{"id": c["id"], "status": c["status"]} if c["status"] == "timeout" else c for c in result["checks"]]
    return {**result, "checks": checks}


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_those_of_one_process_per_batch(table: ModuleType, grade: Grade, kind: str) -> None:
    """Numbers, statuses, messages, diagnoses and output are the same, for right and for wrong files."""
    differing = []
    for entries in submissions(getattr(table, kind)()):
        texts = {stem: entry.text for stem, entry in entries.items()}
        shared, apart = (grade(texts, apart=apart) for apart in (False, True))
        differing += [str(entries[s]) for s in texts if without_chance(shared[s]) != without_chance(apart[s])]
    assert [] == differing
