"""Measure how long a learner waits: `grade` against `python -m pytest` on one empty test.

    python benchmarks/start_up.py [--rounds N]

Prints medians of wall time and of the CPU time of all processes. Also prints their ratios to two runs
of pytest: with all installed plugins, and without them. The commands take turns, so that load on the
machine affects all of them. On a busy machine CPU time is the more reliable of the two.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from peers.meter import Meter, Spent

ROOT = Path(__file__).resolve().parent.parent
GRADE = str(Path(sys.executable).parent / "grade")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    plain = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    with Meter() as meter, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "test_empty.py").write_text("def test_nothing():\n    pass\n")
        plain["BACKWARD_CACHE"] = str(folder / "cache")
        bare = {**plain, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        pytest = [sys.executable, "-m", "pytest", "-q", "test_empty.py"]
        solutions = ["--course", str(ROOT), "--from", str(ROOT / "solutions"), "--isolation", meter.isolation]
        cases = {
            "pytest, one empty test, plugins as installed": (pytest, plain),
            "pytest, one empty test, no plugins": (pytest, bare),
            "grade hint 01": ([GRADE, "hint", "01", "--course", str(ROOT)], plain),
            "grade 01": ([GRADE, "01", "--fresh", *solutions], plain),
            "grade, six exercises without 06": ([GRADE, "1", "2", "3", "7", "8", "12", "--fresh", *solutions], plain),
            "grade, the whole course": ([GRADE, "--fresh", *solutions], plain),
        }
        measured: dict[str, list[Spent]] = {name: [] for name in cases}
        for number in range(rounds + 1):
            for name, (command, environment) in cases.items():
                spent = meter.run(command, folder, environment)
                if spent.status:
                    sys.exit(f"{name}: exit status {spent.status}\n{spent.output}")
                if number:  # the first round writes the bytecode
                    measured[name].append(spent)
    print(meter.about)
    for clock, time_of in (("wall", lambda spent: spent.wall_s), ("CPU", lambda spent: spent.cpu_s)):
        medians = {name: statistics.median(map(time_of, found)) for name, found in measured.items()}
        floors = list(medians.values())[:2]
        print(f"{'':<46} {clock:>5} ms {'to pytest':>10} {'to bare pytest':>15}   ({rounds} rounds, medians)")
        for name, median in medians.items():
            print(f"{name:<46} {median * 1000:>8.0f} {median / floors[0]:>9.2f}x {median / floors[1]:>14.2f}x")


if __name__ == "__main__":
    main()
