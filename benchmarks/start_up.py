"""Measure how long a learner waits: `grade` against `python -m pytest` on one empty test.

    python benchmarks/start_up.py [--rounds N]

Prints medians of wall time and of the CPU time of all processes. Also prints their ratios to two runs
of pytest: with all installed plugins, and without them. The commands take turns, so that load on the
machine affects all of them. On a busy machine CPU time is the more reliable of the two.

The whole course is also graded on one core alone (`taskset`): the solutions, and a mixed folder in
which one file of three has a misconception and one of six is a stub. For each of them, prints the
median of the ratio of the wall time on one core to that on all cores, in each round.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from peers.meter import Meter, Spent

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.author.build import catalogue  # noqa: E402
from grader.course.load import load_course  # noqa: E402

GRADE = str(Path(sys.executable).parent / "grade")
WHOLE, MIXED = "grade, the whole course", "grade, a mixed folder"


def mix(folder: Path) -> Path:
    """Write a mixed folder of the whole course, and return it."""
    course = load_course(ROOT)
    folder.mkdir()
    for number, exercise in enumerate(course.exercises):
        text = course.solution(exercise).read_text(encoding="utf-8")
        if number % 3 == 1:
            text = catalogue(course, exercise)[0].source
        elif number % 6 == 5:
            text = (course.folder / "exercises" / exercise.filename).read_text(encoding="utf-8")
        (folder / exercise.filename).write_text(text, encoding="utf-8")
    return folder


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
        settings = ["--course", str(ROOT), "--isolation", meter.isolation, "--exit-zero", "--from"]
        solutions, mixed = [*settings, str(ROOT / "solutions")], [*settings, str(mix(folder / "mixed"))]
        alone = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]
        cases = {
            "pytest, one empty test, plugins as installed": (pytest, plain),
            "pytest, one empty test, no plugins": (pytest, bare),
            "grade hint 01": ([GRADE, "hint", "01", "--course", str(ROOT)], plain),
            "grade 01": ([GRADE, "01", "--fresh", *solutions], plain),
            "grade, six exercises without 06": ([GRADE, "1", "2", "3", "7", "8", "12", "--fresh", *solutions], plain),
            WHOLE: ([GRADE, "--fresh", *solutions], plain),
            f"{WHOLE}, one core": ([*alone, GRADE, "--fresh", *solutions], plain),
            MIXED: ([GRADE, "--fresh", *mixed], plain),
            f"{MIXED}, one core": ([*alone, GRADE, "--fresh", *mixed], plain),
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
    for name in (WHOLE, MIXED):
        pairs = zip(measured[f"{name}, one core"], measured[name], strict=True)
        ratio = statistics.median(one.wall_s / all_.wall_s for one, all_ in pairs)
        print(f"{name}: one core takes {ratio:.2f} times as long as {len(os.sched_getaffinity(0))} cores")


if __name__ == "__main__":
    main()
