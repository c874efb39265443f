"""Write docs/threat-model.md: every attack, what it tries, and what became of it in each tier.

    python tests/hostile/write_table.py

Runs the whole suite. The text has no times, so that running it twice gives the same file.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[2] / "docs" / "threat-model.md"
_ROW = re.compile(r"^\| \w+ \| `(\w+)` \|", re.MULTILINE)

_HEAD = """\
# Threat model: what was tried

Written by `python tests/hostile/write_table.py`; do not edit by hand. [SECURITY.md](../SECURITY.md) says what is
promised.

Each row is an attack in `tests/hostile/attacks/`: a submission whose gradients are wrong, and which tries something. It
is graded with an honest and a wrong file behind it, in one warm process for the whole tier. A cell has the verdict, and
behind it what the attack achieved besides. `python tests/support/edited_texts.py tests/hostile/attacks NAME` prints
a whole attack.

| verdict | means |
|---|---|
| failed | graded like any wrong file: the comparison with torch failed |
| error | the file raised, or its answer was refused by the decoder |
| ended | stopped by a limit, or it ended its own process |
| not loaded | the same, while the file was loaded |
| not started | it claimed to be the untouched stub |
| no verdict | it ended the grader |
| ACCEPTED | it got full marks |
"""

_CONTROLS = """\
The `process` tier is no sandbox. What it shows are the positive controls: that the attacks work where nothing contains
them. It was run inside namespaces of its own, which were thrown away with it.
"""

_BOUNDS = """\
## Bounds

What a submission may take of the process that grades, and of what people read. The sizes stand in
`grader/client/bounds.py`; `tests/hostile/test_bounds.py` shows what they add up to.

| what | at most | beyond that |
|---|---|---|
| a file | 256 KB | it is unreadable |
| bytes of an answer | 64 KB, and 64 for each number asked for; 20 MB in all | refused, not decoded |
| JSON values in it | 10,000, and 2 for each number, 300 for each run; a million in all | refused, not decoded |
| the answer to a load | 64 KB, 1,000 values | refused, not decoded |
| an exception's message | 300 characters | cut by the worker, and marked `…`; a longer one is refused |
| an exception's line numbers | 4; the last 3 lines are shown | refused |
| a source line in a message | 200 characters | cut, and marked `…` |
| a name of the learner's | 40 characters | refused |
| what a check prints | 16 KB of the report | cut, and the bytes left out are counted |
| notes on files that cannot be read | 20, of 2,000 characters each | counted; cut, and marked `…` |
| CPU time of a submission | 60 s | checks that are left are not run; it needs review |
| waiting for a submission's code | 90 s | the same |
| a terminal's lines | 10 for a check, 20 for a file that was not loaded | cut, and marked `…` |

So a report holds at most 30 KB for each check. With every message, program, label and output of this course's 63
checks at its longest it stays below 2 MB, and an exercise below 200 lines on a terminal.

The process that grades takes at most 300 MB more than for an honest submission. This is tested in a process that has
this limit on its address space (`RLIMIT_AS`), from the decoder to the report, the page and every export: it is told
whatever a forger may say, beside any source, and must raise nothing. For more cases than the suite has time for:
`BACKWARD_FUZZ_CASES=1000 python tests/hostile/trusted_side.py`.
"""

_LIMITS = """\
## What is not prevented

Files in `tests/hostile/limits/`: they show what is known and accepted, and the tests pin in which tiers.

| file | what it does | {tiers} |
|---|---|{rules}|
"""

_REPLAYS = """\
Beside them `tests/hostile/test_replay.py` makes files that play back what a right engine answered to the
course's own programs, and compute nothing. In a practice run they get full marks; under a secret seed they get
no point but for answers that are the same for all numbers.
"""


def names_in(text: str) -> list[str]:
    """The attacks that a written table has, in its order."""
    return _ROW.findall(text)


def render(attacks: Sequence[Any], limits: Sequence[Any], runs: Mapping[str, Any]) -> str:
    """The page: totals, bounds, then a row per attack, then the known limits."""
    tiers = list(runs)
    lines = [_HEAD, *_totals(attacks, runs), "", _CONTROLS, _BOUNDS, "## Attacks", ""]
    lines += [f"| class | attack | what it tries | {' | '.join(tiers)} |", f"|---|---|---|{'---|' * len(tiers)}"]
    for file in attacks:
        cells = [_cell(runs[tier].attacks.get(file.name)) for tier in tiers]
        lines.append(f"| {file.kind} | `{file.name}` | {_plain(file.sentence)} | {' | '.join(cells)} |")
    lines += ["", _LIMITS.format(tiers=" | ".join(tiers), rules="|".join(["---"] * len(tiers))).rstrip("\n")]
    for file in limits:
        cells = [_cell(runs[tier].limits[file.name]) for tier in tiers]
        lines.append(f"| `{file.name}` | {_plain(file.sentence)} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", _REPLAYS])


def _totals(attacks: Sequence[Any], runs: Mapping[str, Any]) -> list[str]:
    lines = [f"{len(attacks)} attacks:", ""]
    lines += ["| tier | run | accepted | with an effect | controls judged wrongly | honest files accepted |"]
    lines += ["|---|---|---|---|---|---|"]
    for tier, run in runs.items():
        honest = f"{len(run.honest) - len(run.rejected)} of {len(run.honest)}"
        counts = [len(run.attacks), len(run.accepted), len(run.with_effect), len(run.controls_wrong)]
        lines.append(f"| {tier} | {' | '.join(map(str, counts))} | {honest} |")
    return lines


def _cell(outcome: Any) -> str:
    return "not run" if outcome is None else "; ".join([outcome.verdict, *outcome.effects])


def _plain(sentence: str) -> str:
    return sentence.rstrip(".").replace("|", "\\|")


def main() -> int:
    import harness  # beside this file, which is run as a script

    runs = harness.run_all()
    missing = {tier: run.unavailable for tier, run in runs.items() if run.unavailable is not None}
    if missing or not harness.throw_away():
        print(f"the table needs every tier, and namespaces to run the process tier in: {missing}", file=sys.stderr)
        return 1
    TABLE.write_text(render(harness.files("attacks"), harness.files("limits"), runs), encoding="utf-8")
    for tier, run in runs.items():
        print(
            f"{tier}: {len(run.attacks)} attacks, {len(run.accepted)} accepted, {len(run.with_effect)} with an effect"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
