"""Hands the module table.py, and verdicts of what it lists, to the tests beside it."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from module_file import module_of


@pytest.fixture(scope="session")
def table() -> Iterable[ModuleType]:
    with module_of(Path(__file__).with_name("table.py")) as module:
        yield module


@pytest.fixture(scope="session")
def memo(of_this_run: Path) -> Path:
    """Where fresh answers of the oracle are remembered while these tests run."""
    return of_this_run / "memo.sqlite"


@pytest.fixture(scope="session")
def kept(of_this_run: Path) -> Path:
    """Where results are kept while these tests run, so that no file is graded twice under one seed."""
    return of_this_run / "results"


# the first in each run of the tests, and the others in a long one
OTHERS = 24
LONG = pytest.mark.timeout(900)
LATE = [pytest.mark.exhaustive, LONG]
PARTS = [
    pytest.param("sample", marks=LONG),
    *(pytest.param(f"others {number}", marks=LATE) for number in range(OTHERS)),
]


@pytest.fixture(scope="session")
def graded(table: ModuleType, memo: Path, kept: Path, once: Callable[..., Any]) -> Callable[[str, str], list[Any]]:
    """Return a function that grades `engines` or `variants`, the `sample` or some `others`, once in a test run."""

    def verdicts(name: str, part: str) -> list[Any]:
        engines = name == "engines"
        everything = table.engines() if engines else table.variants() + table.wrong_variants() + table.misconceptions()
        sample = table.sample(everything)
        others = [entry for entry in everything if entry not in sample]
        entries = sample if part == "sample" else others[int(part.split()[1]) :: OTHERS]
        return once(f"verdicts on {name}, {part}", lambda: table.grade_all(entries, memo=memo, kept=kept))

    return verdicts


@pytest.fixture(scope="session", params=PARTS)
def engines(graded: Callable[[str, str], list[Any]], request: pytest.FixtureRequest) -> list[Any]:
    """Return the verdicts on engines: in each run on a sample, and in a long run on all others."""
    return graded("engines", request.param)


@pytest.fixture(scope="session", params=PARTS)
def variants(graded: Callable[[str, str], list[Any]], request: pytest.FixtureRequest) -> list[Any]:
    """Return the verdicts on variants and misconceptions of exercises, as `engines` does."""
    return graded("variants", request.param)
