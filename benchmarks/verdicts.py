"""Grade every engine and variant whose verdict is known, many times, and look for wrong verdicts.

    python benchmarks/verdicts.py [--repetitions N] [--state FILE] [EXERCISE ...]

Each repetition runs in fresh processes, with another hash seed, another memory layout and unused
lines at the end of the file. Every second repetition draws its random programs from a secret seed,
as an official run does. Prints a line when a repetition ends, and a table at the end. With a state
file, an interrupted run continues after the last complete repetition. Exits with 1 if a verdict
was wrong, or if the points of a check differed between repetitions. It then names the checks.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "verdicts"))

import table  # noqa: E402


def seed_of(repetition: int) -> str | None:
    """Return None, for the course's own seed, and a secret seed in turn."""
    return f"verdicts {repetition}" if repetition % 2 else None


def graded(entries: Sequence[table.Entry], repetition: int, memo: Path) -> dict[str, Any]:
    """Grade every entry once. Return the results as a line of a state file."""
    started = time.monotonic()
    laid = [table.relaid(entry, repetition) for entry in entries]
    verdicts = table.grade_all(laid, memo=memo, seed=seed_of(repetition), hash_seed=repetition)
    rows = [[v.wrongly_accepted, v.wrongly_refused, v.points] for v in verdicts]
    return {"of": digest(entries), "repetition": repetition, "seconds": time.monotonic() - started, "verdicts": rows}


def digest(entries: Iterable[table.Entry]) -> str:
    """Return a digest of the programs and the checks, which shows whether a state file belongs to them."""
    checks = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "hidden").glob("test_*.py"))]
    return hashlib.sha256(json.dumps([checks, [[str(entry), entry.text] for entry in entries]]).encode()).hexdigest()


def done_before(state: Path | None, entries: Sequence[table.Entry]) -> list[dict[str, Any]]:
    """Return the repetitions of a state file. Exits if they are of other programs or checks."""
    if state is None or not state.exists():
        return []
    lines = state.read_text(encoding="utf-8").split("\n")[:-1]  # without a last line that a kill cut short
    found = [json.loads(line) for line in lines]
    if any(one["of"] != digest(entries) for one in found):
        sys.exit(f"{state} was made of other programs or checks; remove it, or name another file")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=20, metavar="N")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep each repetition here, and go on from there")
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE", help="such as 14_gradcheck (default: all)")
    options = parser.parse_args()
    entries = [*table.engines(), *table.variants(), *table.wrong_variants(), *table.misconceptions()]
    entries = [entry for entry in entries if not options.exercises or entry.stem in options.exercises]
    found = done_before(options.state, entries)
    if options.state and found:  # remove a line that was cut short
        options.state.write_text("".join(json.dumps(one) + "\n" for one in found), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for repetition in range(len(found), options.repetitions):
            found.append(graded(entries, repetition, Path(folder) / "memo.sqlite"))
            if options.state:
                with options.state.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found[-1]) + "\n")
            accepted, refused = (sum(row[i] for row in found[-1]["verdicts"]) for i in (0, 1))
            took = f"{found[-1]['seconds']:.0f} s"
            print(f"repetition {repetition + 1}: {took}, {accepted} wrongly accepted, {refused} refused", flush=True)
    return report(entries, found[: options.repetitions])


def report(entries: Sequence[table.Entry], found: Sequence[dict[str, Any]]) -> int:
    """Print the table of some repetitions, and return the exit code."""
    accepted, refused = Counter[table.Entry](), Counter[table.Entry]()
    points: defaultdict[tuple[table.Entry, str], set[int]] = defaultdict(set)
    for one in found:
        rows = zip(entries, one["verdicts"], strict=True)
        for entry, (wrongly_accepted, wrongly_refused, points_of) in rows:
            accepted[entry] += wrongly_accepted
            refused[entry] += wrongly_refused
            for check, scored in points_of.items():
                points[entry, check].add(scored)
    changed: defaultdict[table.Entry, list[str]] = defaultdict(list)
    for (entry, check), different in points.items():
        if len(different) > 1:
            changed[entry].append(check)
    print(f"{len(entries)} programs, {len(found)} repetitions, {sum(one['seconds'] for one in found):.0f} s")
    print(f"{'kind':34}{'count':>6}{'wrongly accepted':>18}{'wrongly refused':>17}{'changed':>9}")
    for kind in table.KINDS:
        chosen = [entry for entry in entries if entry.kind == kind]
        numbers = [sum(bool(c[e]) for e in chosen) for c in (accepted, refused)]
        print(f"{kind:34}{len(chosen):6}{numbers[0]:18}{numbers[1]:17}{sum(e in changed for e in chosen):9}")
    faults = {entry for counter in (accepted, refused) for entry, times in counter.items() if times} | changed.keys()
    for entry in sorted(faults, key=str):
        what = [f"accepted {accepted[entry]}x"] * bool(accepted[entry])
        what += [f"refused {refused[entry]}x"] * bool(refused[entry])
        what += [f"changed: {', '.join(changed[entry])}"] * (entry in changed)
        print(f"{entry.kind}: {entry}: {'; '.join(what)}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
