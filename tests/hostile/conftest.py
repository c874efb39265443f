"""Fixtures for harness.py and write_table.py, and for the results of every file in every tier."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from module_file import module_of
from slices import slice_of_commit

HERE = Path(__file__).resolve().parent


STRONGEST = ("namespaces", "landlock")
# a test that uses no more than these only looks at files
_STILL = {"_only_on_linux", "harness", "write_table", "request"}


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Mark every test of this folder that runs something as hostile, with time for all attacks on a busy machine.

    All attacks in a tier that is not one of the two strongest are left to `make test-all`, and so are those outside of
    the harness's `sample` in the two strongest.
    """
    for item in items:
        if item.path.is_relative_to(HERE) and not _STILL.issuperset(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.hostile)
            item.add_marker(pytest.mark.timeout(900))
            if _runs_all(item) and tier_of(item) not in STRONGEST:
                item.add_marker(pytest.mark.exhaustive)


def _runs_all(item: Any) -> bool:
    """Return whether a test uses the fixture `runs` below. Tests of other folders have parameters of this name."""
    return item.path.is_relative_to(HERE) and "runs" in getattr(item, "fixturenames", ())


def tier_of(item: Any) -> str | None:
    """Return the tier that is a parameter of a test; None for a test that uses every tier."""
    return item.callspec.params.get("tier") if hasattr(item, "callspec") else None


@pytest.fixture(scope="session", autouse=True)
def _only_on_linux() -> None:
    if sys.platform != "linux":
        pytest.skip("NOT TESTED: the sandboxes are Linux's")


@pytest.fixture(scope="session")
def harness() -> Iterable[ModuleType]:
    with module_of(HERE / "harness.py") as module:
        yield module


@pytest.fixture(scope="session")
def write_table() -> Iterable[ModuleType]:
    with module_of(HERE / "write_table.py") as module:
        yield module


@pytest.fixture(scope="session")
def runs(harness: ModuleType, once: Callable[..., Any], request: pytest.FixtureRequest) -> dict[str, Any]:
    """Run every attack, honest file and known limit in each tier that a test asks for, side by side."""
    asked = {tier_of(item) for item in request.session.items if _runs_all(item)}
    tiers = [tier for tier in harness.TIERS if tier in asked or None in asked]
    turn = slice_of_commit(HERE.parents[1]) if set(STRONGEST).issuperset(tiers) else None
    outcomes: dict[str, Any] = once("hostile", lambda: harness.run_all(tiers, turn))
    return outcomes


@pytest.fixture
def run(runs: dict[str, Any], tier: str) -> Any:
    """Return the results in the test's tier."""
    return available(runs[tier])


def available(run: Any) -> Any:
    """Return the run of an available tier. If it is unavailable, the test fails in CI and is skipped elsewhere."""
    if run.unavailable is not None:
        text = f"NOT TESTED: the {run.tier} tier cannot be had here:\n{run.unavailable}"
        if os.environ.get("CI") and run.tier in ("namespaces", "landlock"):
            pytest.fail(text)
        pytest.skip(text)
    return run
