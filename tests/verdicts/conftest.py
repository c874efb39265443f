"""Hands the module table.py, and verdicts of what it lists, to the tests beside it."""

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

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
