"""Measure where the CPU time of a correct submission of the whole course goes: to the grader, or to the learner's code.

    python benchmarks/halves.py [--rounds 5] [--further 3] [--against CHECKOUT]

Each round starts a process that imports the grader, prepares the checks, and grades the solutions several times. The
CPU time of that process is the trusted half: learner code never runs in it. The other half is the CPU time that the
engine processes report to the budget of the submission. Programs are read and arranged once in a process, so the first
submission costs more than a further one, and both are measured. Modules have their bytecode, as in an installation.
With --against, another checkout is measured in turn.
Prints medians in CPU milliseconds, and with --against the median of the ratios of both checkouts in each round.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_STAGES = ("imports", "checks", "first", "first, engine processes", "further", "further, engine processes")
_OBJECTS = 200_000  # the threshold of garbage collection in `grade`


def measure(checkout: Path, further: int) -> dict[str, float]:
    """Return the CPU seconds of each stage in this process. Of the further submissions, the fastest one counts."""
    gc.set_threshold(_OBJECTS)
    begun = time.process_time()
    # imported here, because the imports are measured, and may come from another checkout
    from grader.course.load import load_course
    from grader.course.oracle import Oracle, read_book
    from grader.runner import sandbox
    from grader.runner.client import Budget, read_exercise
    from grader.verdict import grading
    from grader.verdict.checks.session import CheckSession
    from grader.verdict.report import Report

    imported = time.process_time()
    course = load_course(checkout)
    book = read_book(course.book)
    halves: list[tuple[float, float]] = []
    with (
        sandbox.start(allow_imports=course.allow_imports) as warm,
        Oracle(book, None) as oracle,
        CheckSession(course, course.exercises) as checks,
    ):
        prepared = time.process_time()
        for _ in range(1 + further):
            before, budget = time.process_time(), Budget()
            read = {exercise.id: read_exercise(exercise, course.solution(exercise)) for exercise in course.exercises}
            submission = grading.Submission(read, grading.stamp_of("halves", read))
            grader = grading.Grader(course, book, checks, oracle, warm, course.seed)
            *_, report = grading.submission_events(grader, submission, budget=budget)
            assert isinstance(report, Report)
            assert report.score == report.max_score, "a solution lost points"
            halves.append((time.process_time() - before, budget.cpu_s))
    stages = (imported - begun, prepared - imported, *halves[0], *min(halves[1:]))
    return dict(zip(_STAGES, stages, strict=True))


def measured(checkout: Path, further: int) -> dict[str, float]:
    """Return the CPU seconds of each stage in a new process that imports the grader of a checkout."""
    words = [sys.executable, __file__, "--measure", str(checkout), "--further", str(further)]
    # the checkout's package must be found before the installed one
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed grader has its bytecode
    done = subprocess.run(words, env=environment, check=True, stdout=subprocess.PIPE)
    stages: dict[str, float] = json.loads(done.stdout)
    return stages


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--further", type=int, default=3, metavar="N", help="further submissions in each process")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout of this repository")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.further)))
        return
    for checkout in filter(None, (ROOT, options.against)):
        measured(checkout.resolve(), 1)  # not counted: it writes the bytecode
    ours, theirs = [], []
    for _ in range(options.rounds):
        ours.append(measured(ROOT, options.further))
        if options.against:
            theirs.append(measured(options.against.resolve(), options.further))
    print(f"{'':<26} {'CPU ms':>8}" + (f" {'--against':>10} {'ratio':>6}" if theirs else ""))
    for stage in _STAGES:
        line = f"{stage:<26} {statistics.median(one[stage] for one in ours) * 1000:>8.0f}"
        if theirs:
            ratio = statistics.median(one[stage] / other[stage] for one, other in zip(ours, theirs, strict=True))
            line += f" {statistics.median(other[stage] for other in theirs) * 1000:>10.0f} {ratio:>6.2f}"
        print(line)


if __name__ == "__main__":
    main()
