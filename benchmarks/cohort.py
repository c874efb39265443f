"""Measure the cost of grading a class: `grade cohort` against other graders, and large classes.

    python benchmarks/cohort.py [--submissions 20] [--throughput 100,1000,10000] [--whole 100,1000]
        [--peers pytest,gradescope,otter,check50,nbgrader]

Each grader runs the same eight checks on the same submissions. A submission is right, has `=` for
`+=`, or is almost empty, and every file is different. The graders take turns in one run. Each peer is
installed in its own environment below --folder. A peer that cannot be installed is left out, with
a message. Then two processes grade classes of the given sizes, on that course and on the whole one.

Prints Markdown. Exits with 1 if a grader gave a right submission less than full marks, or gave a
wrong submission full marks.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from peers.graders import PEERS, Grader, Ours, OursTwice, run_cohort
from peers.meter import Meter, Spent
from peers.small import CHECKS, make_course, make_submissions
from peers.synthetic import ROOT, make_class
from peers.venvs import NotHereError, default_folder

_JOBS = 2
_FURTHER = 5  # the cost of a further submission is measured with this many times more submissions
MakeClass = Callable[[Path, int], object]
KINDS = ("right", "overwrite", "unfilled")


@dataclass
class Tally:
    """The costs of a grader so far, the number of submissions, and the scores by kind of submission."""

    submissions: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    scores: defaultdict[str, set[float]] = field(default_factory=lambda: defaultdict(set))

    def add(self, batch: Sequence[Path], spent: Spent, scores: Mapping[str, float]) -> None:
        self.submissions += len(batch)
        self.cpu_s += spent.cpu_s
        self.wall_s += spent.wall_s
        for one in batch:
            self.scores[one.name.rstrip("0123456789")].add(scores.get(one.name, 0))

    @property
    def cpu(self) -> float:
        return self.cpu_s / self.submissions

    @property
    def wall(self) -> float:
        return self.wall_s / self.submissions

    @property
    def wrong(self) -> bool:
        """Return whether a right submission lost marks, or a wrong one got full marks."""
        full = {kind: scores == {CHECKS} for kind, scores in self.scores.items()}
        return not full.pop("right") or any(CHECKS in scores for kind, scores in self.scores.items() if kind in full)

    def row(self, name: str, to: "Tally") -> str:
        cells = [name, f"{self.cpu * 1000:.0f}", f"{self.cpu / to.cpu:.2f}", f"{self.wall * 1000:.0f}"]
        cells += [f"{self.wall / to.wall:.2f}", *(_span(self.scores[kind]) for kind in KINDS)]
        return f"| {' | '.join(cells)} |"


def _span(scores: Iterable[float]) -> str:
    found = sorted(scores)
    return " to ".join(f"{score:g}" for score in dict.fromkeys((found[0], found[-1]))) if found else "-"


def compare(meter: Meter, folder: Path, count: int, peers: Sequence[str], venvs: Path) -> bool:
    """Print the table of costs. Return whether every verdict was right."""
    course = make_course(folder)
    submissions = make_submissions(folder / "class", count)
    ours = Ours(meter, folder / "one process", course)
    graders: list[Grader] = [ours, OursTwice(meter, folder / "two processes", course)]
    missing: dict[str, str] = {}
    for name in peers:
        try:
            graders.append(PEERS[name](meter, folder / name, venvs))
        except NotHereError as error:
            missing[name] = str(error)
    for grader in graders:  # a first run that is not counted, to fill caches and compile files
        _try(grader, submissions[:1], missing)
    turns = sorted(
        ((at + 0.5) / len(batches), number, batch)
        for number, batches in enumerate(grader.batches(submissions) for grader in graders)
        for at, batch in enumerate(batches)
    )
    tallies = {grader.name: Tally() for grader in graders}
    for done, number, batch in turns:
        print(f"{done:4.0%} {graders[number].name}", file=sys.stderr, flush=True)
        result = _try(graders[number], batch, missing)
        if result is not None:
            tallies[graders[number].name].add(batch, *result)
    base = tallies[ours.name]
    further = _further(ours, base, make_submissions(folder / "larger class", (_FURTHER + 1) * count))
    print(f"\n{count} submissions, {CHECKS} checks; {meter.about}.\n")
    print("| grader | CPU ms per submission | to ours | wall ms | to ours | score: right | `=` | almost empty |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    rows = {name: tally for name, tally in tallies.items() if name not in missing}
    for name, tally in (*rows.items(), ("ours, each further submission", further)):
        print(tally.row(name, base))
    for name, why in missing.items():
        print(f"\n{name} is left out: {why}")
    return not any(tally.wrong for tally in rows.values())


def _try(grader: Grader, batch: Sequence[Path], missing: dict[str, str]) -> tuple[Spent, Mapping[str, float]] | None:
    """Grade a batch. Return None for a peer that does not run on this machine."""
    if grader.name in missing:
        return None
    try:
        return grader.grade(batch)
    except NotHereError as error:
        if isinstance(grader, Ours):
            raise
        missing[grader.name] = str(error)
        return None


def _further(ours: Ours, base: Tally, larger: Sequence[Path]) -> Tally:
    """Return the cost of the further submissions in a larger class, without start-up and oracle."""
    spent, scores = ours.grade(larger)
    whole = Tally()
    whole.add(larger, spent, scores)
    count = len(larger) * _FURTHER // (_FURTHER + 1)
    first = len(larger) - count
    return Tally(count, whole.cpu_s - base.cpu * first, whole.wall_s - base.wall * first, whole.scores)


def throughput(meter: Meter, about: str, course: Path, make: MakeClass, sizes: Sequence[int]) -> None:
    """Print speed and memory for classes of several sizes. The smallest is also graded with one process."""
    print(f"\n{about}; the sum of memory counts shared pages once for each process.\n")
    print("| submissions | --jobs | per second | CPU ms each | wall s | largest process MB | all together MB | mean |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for learners, jobs in [(min(sizes), 1), *((size, _JOBS) for size in sizes)]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make(folder / "class", learners)
            spent = run_cohort(meter, course, folder, jobs)
            summary = json.loads((folder / "results" / "cohort.json").read_bytes())
        assert summary["graded"] == learners, spent.output
        mean = f"{summary['scores']['mean']:.1f} of {summary['max_score']}"
        cells = [f"{learners:,}", str(jobs), f"{learners / spent.wall_s:.1f}", f"{spent.cpu_s / learners * 1000:.0f}"]
        cells += [f"{spent.wall_s:.1f}", f"{spent.largest / 2**20:.0f}", f"{spent.together / 2**20:.0f}", mean]
        print(f"| {' | '.join(cells)} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--submissions", type=int, default=20, metavar="N", help="0: no comparison")
    parser.add_argument("--throughput", default="100,1000,10000", metavar="N,…", help="sizes of classes; 0: none")
    parser.add_argument("--whole", default="100,1000", metavar="N,…", help="sizes of classes for the whole course")
    parser.add_argument("--peers", default=",".join(PEERS), metavar="NAME,…", help=f"of {', '.join(PEERS)}")
    parser.add_argument(
        "--folder", type=Path, default=default_folder(), metavar="DIR", help="for the peers' environments"
    )
    options = parser.parse_args()
    peers = [name for name in options.peers.split(",") if name]
    if unknown := set(peers) - set(PEERS):
        parser.error(f"there is no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    right = True
    with Meter() as meter, tempfile.TemporaryDirectory() as folder:
        _busy("at the start")
        if options.submissions:
            right = compare(meter, Path(folder), options.submissions, peers, options.folder.absolute())
        if sizes := _sizes(options.throughput):
            small = make_course(Path(folder) / "small")
            throughput(meter, "The same course of one exercise", small, make_submissions, sizes)
        if sizes := _sizes(options.whole):
            throughput(meter, "The whole course of this repository", ROOT, make_class, sizes)
        _busy("at the end")
    return 0 if right else 1


def _sizes(text: str) -> list[int]:
    return sorted(int(size) for size in text.split(",") if int(size))


def _busy(when: str) -> None:
    one, five, _ = os.getloadavg()
    print(f"\nload {when}: {one:.1f} (one minute), {five:.1f} (five), {os.cpu_count()} cores", flush=True)


if __name__ == "__main__":
    sys.exit(main())
