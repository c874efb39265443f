"""Compare the CPU time of a right submission of the whole course in a cohort with a lower bound.

    python benchmarks/floor.py [--rounds 5] [--submissions 4] [--against CHECKOUT]

The lower bound (floor) is the time for the course's programs alone: the batches that the grader sends
for a right submission under the cohort's seed are recorded once. The worker's adapter executes them
in this process, under the same order seeds, and runs the file again for each batch. There is no
pytest, no sandbox and no protocol, and no garbage is collected while the time is measured, as in an
engine process. Each answer is compared with that of the first run and freed at once,
because kept answers take new memory, which costs about a tenth of the time.

The time of a further submission is the CPU time of `grade cohort` for a class of twice the size,
minus that for the class. It includes all processes. With --against, another checkout is measured
in turn. Prints medians in CPU milliseconds, and ratios to the floor.
"""

import argparse
import gc
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

from peers.meter import Meter

ROOT = Path(__file__).resolve().parent.parent

from grader.course.load import Course, load_course  # noqa: E402
from grader.course.oracle import Oracle  # noqa: E402
from grader.course.oracle.answer_book import read_book  # noqa: E402
from grader.runner import sandbox  # noqa: E402
from grader.runner.client import Batch, EngineProcess, read_exercise  # noqa: E402
from grader.runner.worker.adapter import execute, load  # noqa: E402
from grader.verdict import grading  # noqa: E402
from grader.verdict.checks.session import CheckSession  # noqa: E402

SEED = "benchmark"  # with a fixed seed, every round draws the same programs
Asked = dict[str, list[dict[str, Any]]]


class Recording(EngineProcess):
    """An engine process that keeps each batch that it is sent, in the form that a worker reads."""

    sent: Asked = {}  # by the name of the file

    def run(self, batch: Batch) -> Any:
        self.sent.setdefault(self._order["filename"], []).append(json.loads(batch.encode()))
        return super().run(batch)


def batches(course: Course) -> Asked:
    """Return every batch that the grader sends for the solutions, by exercise."""
    book = read_book(course.book)
    read = {exercise.id: read_exercise(exercise, course.solution(exercise)) for exercise in course.exercises}
    submission = grading.Submission(read, grading.stamp_of("floor", read))
    with (
        sandbox.start(allow_imports=course.allow_imports) as warm,
        Oracle(book, None) as oracle,
        CheckSession(course, course.exercises) as checks,
    ):
        grader = grading.Grader(course, book, checks, oracle, warm, SEED, process=Recording)
        report = grading.grade_submission(grader, submission)
    assert report.score == report.max_score, "a solution lost points"
    return {exercise.id: Recording.sent[exercise.filename] for exercise in course.exercises}


def floor(course: Course, asked: Asked, expected: list[bytes]) -> float:
    """Return the CPU seconds for one right submission. The first call fills `expected`; later ones compare with it."""
    taken = 0.0
    recorded = iter(list(expected))
    for exercise in course.exercises:
        path = course.solution(exercise)
        source = path.read_text(encoding="utf-8")
        gc.disable()
        before = time.process_time()
        parsed = load.parse(source, path.name)
        builtins = load.builtins_for(parsed, ())
        taken += time.process_time() - before
        for batch in asked[exercise.id]:
            before = time.process_time()
            module = load.execute(parsed, builtins, course.limits.calls)
            answer = execute.execute(module, path.name, batch)
            taken += time.process_time() - before
            # outside of the measured time: compare the answer and free it, as an engine process does when it is sent
            digest = sha256(json.dumps(without_orders(answer)).encode()).digest()
            if (first := next(recorded, None)) is None:
                expected.append(digest)
            else:
                assert first == digest, f"another answer for {exercise.id}"
            del module, answer
            gc.collect()
        gc.enable()
    return taken


def without_orders(answer: Any) -> Any:
    """Return an answer with the nodes of each list sorted, because large sets are iterated in the order of memory."""
    match answer:
        case ["nodes", [*nodes]]:
            return ["nodes", sorted(nodes)]
        case [*parts]:
            return [without_orders(part) for part in parts]
        case _:
            return answer


def make_class(checkout: Path, folder: Path, size: int) -> Path:
    """Write submissions of a checkout's solutions to `folder`, each of them unique, and return `folder`."""
    for number in range(size):
        for solution in checkout.glob("solutions/[0-9]*.py"):
            target = folder / f"learner{number:03}" / solution.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(f"{solution.read_text(encoding='utf-8')}\n# {number}\n", encoding="utf-8")
    return folder


def cohort(meter: Meter, checkout: Path, submissions: Path, folder: Path) -> float:
    """Return the CPU seconds of `grade cohort` for a folder, including all of its processes."""
    out = folder / "results"
    shutil.rmtree(out, ignore_errors=True)
    words = [
        "cohort",
        str(submissions),
        "--out",
        str(out),
        "--jobs",
        "1",
        "--isolation",
        meter.isolation,
        "--seed",
        SEED,
        "--course",
        str(checkout),
    ]
    script = f"import sys; from grader.cli.main import main; sys.exit(main({words!r}))"
    # the processes that the command starts must also find the checkout's package before the installed one
    environment = {**os.environ, "BACKWARD_CACHE": str(folder / "cache"), "PYTHONPATH": str(checkout)}
    spent = meter.run([sys.executable, "-c", script], folder, environment)
    summary = json.loads((out / "cohort.json").read_bytes())
    assert summary["scores"]["mean"] == summary["max_score"], "a right submission lost points"
    return spent.cpu_s


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--submissions", type=int, default=4, metavar="N")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout of this repository")
    options = parser.parse_args()
    course = load_course(ROOT)
    asked = batches(course)
    checkouts = {"this checkout": ROOT, **({"--against": options.against.resolve()} if options.against else {})}
    measured: dict[str, list[float]] = {"floor": [], **{name: [] for name in checkouts}}
    expected: list[bytes] = []
    floor(course, asked, expected)
    with Meter() as meter, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        classes = {
            (checkout, times): make_class(checkout, folder / f"{place}x{times}", times * options.submissions)
            for place, checkout in enumerate(checkouts.values())
            for times in (1, 2)
        }
        for checkout in checkouts.values():
            cohort(meter, checkout, classes[checkout, 1], folder)  # torch's answers are kept for the measured runs
        for _ in range(options.rounds):
            measured["floor"].append(floor(course, asked, expected))
            for name, checkout in checkouts.items():
                small, large = (cohort(meter, checkout, classes[checkout, times], folder) for times in (1, 2))
                measured[name].append((large - small) / options.submissions)
    print(meter.about)
    least = statistics.median(measured["floor"])
    print(f"{'':<16} {'CPU ms':>8} {'to the floor':>13}   ({options.rounds} rounds, medians)")
    for name, seconds in measured.items():
        median = statistics.median(seconds)
        print(f"{name:<16} {median * 1000:>8.0f} {median / least:>12.2f}x")


if __name__ == "__main__":
    main()
