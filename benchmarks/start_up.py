"""Measure how long a learner waits: `grade` against `python -m pytest` on one empty test.

    python benchmarks/start_up.py [--rounds N]

Prints medians of wall time and of CPU time, child processes included. Also prints their ratios to two
runs of pytest: with all installed plugins, and without them. The commands take turns, so that load on
the machine affects all of them. On a busy machine CPU time is the more reliable of the two. `grade`
spends part of it in a second process, in parallel with the first.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GRADE = str(Path(sys.executable).parent / "grade")


def times(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Return the wall time and the CPU time of a command in seconds."""
    started, before = time.perf_counter(), cpu()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started, cpu() - before


def cpu() -> float:
    """Return the CPU time in seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    plain = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "test_empty.py").write_text("def test_nothing():\n    pass\n")
        plain["BACKWARD_CACHE"] = str(folder / "cache")
        bare = {**plain, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        pytest = [sys.executable, "-m", "pytest", "-q", "test_empty.py"]
        solutions = ["--course", str(ROOT), "--from", str(ROOT / "solutions")]
        cases = {
            "pytest, one empty test, plugins as installed": (pytest, plain),
            "pytest, one empty test, no plugins": (pytest, bare),
            "grade hint 01": ([GRADE, "hint", "01", "--course", str(ROOT)], plain),
            "grade 01": ([GRADE, "01", *solutions], plain),
            "grade, all but 06 and its long chain": ([GRADE, "1", "2", "3", "7", "8", "12", *solutions], plain),
            "grade, the whole course": ([GRADE, *solutions], plain),
        }
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
        for _ in range(rounds):
            for name, (command, environment) in cases.items():
                measured[name].append(times(command, folder, environment))
    for place, clock in enumerate(("wall", "CPU")):
        medians = {name: statistics.median(one[place] for one in found) for name, found in measured.items()}
        floors = list(medians.values())[:2]
        print(f"{'':<46} {clock:>5} ms {'to pytest':>10} {'to bare pytest':>15}   ({rounds} rounds, medians)")
        for name, median in medians.items():
            print(f"{name:<46} {median * 1000:>8.0f} {median / floors[0]:>9.2f}x {median / floors[1]:>14.2f}x")


if __name__ == "__main__":
    main()
