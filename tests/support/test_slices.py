"""The exhaustive tests are divided into slices."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from slices import COUNT, measured, slice_of_commit, slices

TESTS = Path(__file__).resolve().parents[1]
SMALL = [f"a/test_{number}.py::test_it" for number in range(3 * COUNT)]
LARGE = [f"b/test_large.py::test_it[{number}]" for number in range(400)]


def test_slices_take_as_long() -> None:
    """No slice takes much longer than another, though one file takes half of the whole time."""
    seconds = {"b/test_large.py": 2000.0} | {test.partition("::")[0]: 15.0 for test in SMALL}
    place = slices([*SMALL, *LARGE], seconds)
    loads: Counter[int] = Counter()
    for test, number in place.items():
        loads[number] += round(1000 * (15.0 if test in SMALL else 2000 / len(LARGE)))
    assert set(range(COUNT)) == set(loads)
    assert max(loads.values()) < 1.25 * min(loads.values())


def test_a_short_file_stays_together() -> None:
    """Its tests share what they prepare."""
    place = slices([*SMALL, *LARGE], {"b/test_large.py": 30.0})
    assert 1 == len({place[test] for test in LARGE})


def test_the_order_of_tests_does_not_matter() -> None:
    """Every process of a run finds the same slices."""
    seconds = {"b/test_large.py": 500.0}
    assert slices([*SMALL, *LARGE], seconds) == slices([*reversed(LARGE), *reversed(SMALL)], seconds)


def test_every_file_that_was_measured_is_there() -> None:
    """The list names no file that was moved."""
    assert [] == [name for name in measured() if not (TESTS / name).exists()]


@pytest.mark.slow
def test_commits_in_a_row_have_all_slices(tmp_path: Path) -> None:
    """The number of commits chooses the slice. In a clone without its history, the hash does, and always the same."""

    def git(*words: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "whole")
    found = []
    for _ in range(COUNT):
        git("-C", "whole", "commit", "--allow-empty", "-m", "a")
        found.append(slice_of_commit(tmp_path / "whole"))
    assert list(range(COUNT)) == sorted(found)
    git("clone", "--depth", "1", f"file://{tmp_path}/whole", "shallow")
    assert slice_of_commit(tmp_path / "shallow") == slice_of_commit(tmp_path / "shallow") < COUNT


@pytest.mark.slow
def test_pytest_runs_one_slice(tmp_path: Path) -> None:
    """The tests that `--slice` leaves are those of the slice, and all slices together are all exhaustive tests."""

    def collected(*words: str) -> list[str]:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--collect-only", "-m", "exhaustive", *words]
        listed = subprocess.run(
            [*command, TESTS / "docs"], cwd=TESTS.parent, capture_output=True, text=True, check=False
        )
        return [line.removeprefix("tests/") for line in listed.stdout.splitlines() if "::" in line]

    whole = collected()
    place = slices(whole, measured())
    number = place[whole[0]]
    assert {test for test in whole if place[test] == number} == set(collected("--slice", str(number)))
