"""Hands the module table.py, and verdicts of what it lists, to the tests beside it."""

import importlib.util
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdict_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def table() -> Iterable[ModuleType]:
    yield _load(Path(__file__).with_name("table.py"))
    del sys.modules["verdict_table"]


@pytest.fixture(scope="session")
def memo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where fresh answers of the oracle are remembered while these tests run."""
    return tmp_path_factory.mktemp("memo") / "memo.sqlite"


@pytest.fixture(scope="session")
def engines(table: ModuleType, memo: Path, once: Callable[..., Any]) -> list[Any]:
    """Return the verdicts on all right engines and some wrong ones, graded once in a test run."""
    entries = [entry for place, entry in enumerate(table.engines()) if table.sampled(entry, place)]
    verdicts: list[Any] = once("verdicts on engines", lambda: table.grade_all(entries, memo=memo))
    return verdicts


@pytest.fixture(scope="session")
def other_engines(table: ModuleType, memo: Path) -> list[Any]:
    """Return the verdicts on the wrong engines that `engines` leaves out."""
    entries = [entry for place, entry in enumerate(table.engines()) if not table.sampled(entry, place)]
    verdicts: list[Any] = table.grade_all(entries, memo=memo)
    return verdicts


@pytest.fixture(scope="session")
def variants(table: ModuleType, memo: Path, once: Callable[..., Any]) -> list[Any]:
    """Return the verdicts on every variant and misconception of every exercise, graded once in a test run."""
    entries = [*table.variants(), *table.wrong_variants(), *table.misconceptions()]
    verdicts: list[Any] = once("verdicts on variants", lambda: table.grade_all(entries, memo=memo))
    return verdicts
