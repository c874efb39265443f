"""Measure the cost of each tier of isolation, relative to the `process` tier, in one run.

    python benchmarks/isolation.py [--rounds N]

For every tier that works on this machine, three steps are measured:

- the start of the server process, once for each run of `grade`;
- the start of an engine process, which drops its rights, compiles a file and runs it;
- a check in an engine process.

The tiers are measured in turn. Prints medians, and ratios to the `process` tier.
"""

import argparse
import statistics
import time
from pathlib import Path

from grader.course.load import Limits
from grader.program import program
from grader.runner import sandbox
from grader.runner.client import Batch, EngineProcess, Loaded, Ran, Read, Run, Source, ask

ROOT = Path(__file__).resolve().parent.parent
SOURCE = (ROOT / "solutions" / "01_distribute.py").read_text(encoding="utf-8")
LEAVES = program("L = a + b", a=2, b=-3)
BATCH = Batch((Run(LEAVES, (ask.VALUES, ask.Preload(), ask.LocalRules(LEAVES.root, 1.0), ask.GRADS)),), 10_000, 1.0)


SERVER, FILE, CHECK = "start of the server process", "an engine process, to loaded", "a check in it"


def measure(tier: str, times: dict[str, list[float]]) -> None:
    """Measure one start of the server, and ten files with three checks each."""
    started = time.perf_counter()
    with sandbox.start(tier) as warm:
        assert warm.tier == tier
        times[SERVER].append(time.perf_counter() - started)
        for _ in range(10):
            started = time.perf_counter()
            with EngineProcess(warm, Source(Path("01_distribute.py"), SOURCE), None, Limits()) as process:
                assert isinstance(process.load(), Loaded)
                times[FILE].append(time.perf_counter() - started)
                for _ in range(3):
                    started = time.perf_counter()
                    ran = process.run(BATCH)
                    times[CHECK].append(time.perf_counter() - started)
                    assert isinstance(ran, Ran)
                    assert isinstance(ran.answer, Read)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    times: dict[str, dict[str, list[float]]] = {}
    for tier in reversed(list(sandbox.TIERS)):
        try:
            with sandbox.start(tier) as warm:
                times[tier] = {step: [] for step in (SERVER, FILE, CHECK)} if warm.tier else {}
        except (sandbox.IsolationError, OSError) as error:
            print(f"{tier}: not available on this machine ({error})")
    for _ in range(rounds):
        for tier, measured in times.items():
            measure(tier, measured)
    print(f"{'median ms (and ratio to `process`)':<42}" + "".join(f"{tier:>18}" for tier in times))
    for step in (SERVER, FILE, CHECK):
        medians = {tier: statistics.median(measured[step]) * 1000 for tier, measured in times.items()}
        cells = "".join(f"{m:>9.2f} ({m / medians['process']:>4.2f}x)" for m in medians.values())
        print(f"{step:<42}{cells}")


if __name__ == "__main__":
    main()
