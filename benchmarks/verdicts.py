"""Grade every engine and variant whose verdict is known, many times, and look for wrong verdicts.

    python benchmarks/verdicts.py [--repetitions N]

Each repetition runs in fresh processes, with another hash seed, another memory layout and unused
lines at the end of the file. Every second repetition draws its random programs from its own seed,
as an official run does. Prints a table. Exits with 1 if a verdict was wrong, or differed between
repetitions.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "verdicts"))

import table  # noqa: E402


def seed_of(repetition: int) -> str | None:
    """Return None, for the course's own seed, and a secret seed in turn."""
    return f"verdicts {repetition}" if repetition % 2 else None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=20, metavar="N")
    repetitions = parser.parse_args().repetitions
    entries = [*table.engines(), *table.variants(), *table.wrong_variants(), *table.misconceptions()]
    accepted, refused = Counter[table.Entry](), Counter[table.Entry]()
    seen: defaultdict[table.Entry, set[tuple[bool, bool]]] = defaultdict(set)
    points: defaultdict[table.Entry, set[str]] = defaultdict(set)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for repetition in range(repetitions):
            seed = seed_of(repetition)
            laid = [table.relaid(entry, repetition) for entry in entries]
            verdicts = table.grade_all(laid, memo=Path(folder) / "memo.sqlite", seed=seed, hash_seed=repetition)
            for entry, verdict in zip(entries, verdicts, strict=True):
                accepted[entry] += verdict.wrongly_accepted
                refused[entry] += verdict.wrongly_refused
                seen[entry].add((bool(verdict.lost), bool(verdict.lost_bonus)))
                points[entry].add(str(verdict.points))
            print(f"repetition {repetition + 1}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    changed = {entry for entry, outcomes in seen.items() if len(outcomes) > 1}
    changed |= {entry for entry, found in points.items() if len(found) > 1}
    print(f"{len(entries)} programs, {repetitions} repetitions, {time.monotonic() - started:.0f} s")
    print(f"{'kind':34}{'count':>6}{'wrongly accepted':>18}{'wrongly refused':>17}{'changed':>9}")
    for kind in table.KINDS:
        chosen = [entry for entry in entries if entry.kind == kind]
        numbers = [sum(bool(c[e]) for e in chosen) for c in (accepted, refused)]
        print(f"{kind:34}{len(chosen):6}{numbers[0]:18}{numbers[1]:17}{sum(e in changed for e in chosen):9}")
    faults = {entry for counter in (accepted, refused) for entry, times in counter.items() if times} | changed
    for entry in sorted(faults, key=str):
        what = [f"accepted {accepted[entry]}x"] * bool(accepted[entry])
        what += [f"refused {refused[entry]}x"] * bool(refused[entry]) + ["changed"] * (entry in changed)
        print(f"{entry.kind}: {entry}: {', '.join(what)}")
    by_seed = sorted({str(e) for (e, s), found in points.items() if s and len(found | points[e, None]) > 1})
    print(f"points that depend on the seed of fresh programs, though the verdict does not: {len(by_seed)}")
    for name in by_seed:
        print(f"    {name}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
