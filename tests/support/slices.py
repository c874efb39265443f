"""Slices of the tests marked `exhaustive`. A run of CI runs one of them, and as many commits in a row run all.

`tests/slices.yaml` has the seconds that the tests of a file took when they were last measured.
"""

import math
import subprocess
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from read_yaml import read_yaml

TESTS = Path(__file__).resolve().parents[1]
COUNT = 23  # a prime, so that pushes of as many commits each run all slices, too
_UNKNOWN_S = 1.0  # for each test of a file that was not measured
_PART_S = 40.0  # the tests of a file that takes longer belong to several slices


def measured() -> dict[str, float]:
    """Return the seconds that the exhaustive tests of files took, by the path below `tests`."""
    return {str(path): float(seconds) for path, seconds in read_yaml(TESTS / "slices.yaml").items()}


def slices(tests: Iterable[str], seconds: Mapping[str, float]) -> dict[str, int]:
    """Return the slice of each test, from 0 to COUNT - 1.

    A file stays together, because its tests share what they prepare. A file that takes long is taken apart by a hash of
    the tests' parameters, which are a part of their ids, because tests with the same ones may share them. The longest
    parts are placed first, each into the slice that has the least to do.

    Args:
        tests: ids of tests, such as `packaging/test_wheel.py::test_it`.
        seconds: by file.
    """
    files: dict[str, list[str]] = {}
    for test in sorted(tests):
        files.setdefault(test.partition("::")[0], []).append(test)
    # the parts of each file, with the seconds that they may take
    parts: list[tuple[float, list[str]]] = []
    for name, listed in files.items():
        whole = seconds.get(name, _UNKNOWN_S * len(listed))
        count = min(len(listed), math.ceil(whole / _PART_S)) or 1
        shares: list[list[str]] = [[] for _ in range(count)]
        for test in listed:
            key = test.partition("[")[2] or test
            shares[zlib.crc32(key.encode()) % count].append(test)
        parts += [(whole * len(share) / len(listed), share) for share in shares if share]
    # the longest first
    loads = dict.fromkeys(range(COUNT), 0.0)
    found: dict[str, int] = {}
    for took, part in sorted(parts, key=lambda one: (-one[0], one[1])):
        place = min(loads, key=lambda number: (loads[number], number))
        loads[place] += took
        found |= dict.fromkeys(part, place)
    return found


def slice_of_commit(root: Path) -> int:
    """Return the slice of a repository's present commit. The next commit has the next slice.

    In a clone without its history, the commit's hash chooses the slice.
    """

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()

    if git("rev-parse", "--is-shallow-repository") == "true":
        return int(git("rev-parse", "HEAD"), 16) % COUNT
    return int(git("rev-list", "--count", "HEAD")) % COUNT
