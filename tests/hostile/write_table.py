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

`python tests/hostile/write_table.py` writes this page; do not edit it by hand.
[SECURITY.md](../SECURITY.md) says what is promised.

Each row describes an attack in `tests/hostile/attacks/`: a submission that has wrong gradients and
tries something else as well. The suite grades the attack, and then an honest and a wrong file, in
one warm process for the whole tier. A cell has the verdict and any effect of the attack. To print a
whole attack, run `python tests/support/edited_texts.py tests/hostile/attacks NAME`.

| verdict | meaning |
|---|---|
| failed | graded like any wrong file: the comparison with torch failed |
| error | the file raised, or its answer was refused by the decoder |
| ended | stopped by a limit, or it ended its own process |
| not loaded | stopped by a limit, or it ended its own process, while the file was loaded |
| not started | it claimed to be the untouched stub |
| no verdict | it ended the grader |
| ACCEPTED | it got full marks |
"""

_CONTROLS = """\
The `process` tier is not a sandbox. Its column is the positive control: many attacks have an effect
where nothing contains them. The attacks were run inside separate namespaces, which ended with them.
"""

_BOUNDS = """\
## Bounds

This table limits what a submission can cost the process that grades, and the people who read its
results. `grader/runner/client/bounds.py` sets the sizes. `tests/hostile/test_bounds.py` tests their sum.

| what | at most | beyond that |
|---|---|---|
| a file | 256 KB | it is unreadable |
| bytes of an answer | 64 KB, and 64 for each number asked for; 20 MB in all | refused, not decoded |
| JSON values in it | 10,000, and 2 for each number, 300 for each run; a million in all | refused, not decoded |
| the answer to a load | 64 KB, 1,000 values | refused, not decoded |
| an exception's message | 300 characters | cut by the worker, and marked `…`; a longer one is refused |
| an exception's line numbers | 4; the last 3 lines are shown | refused |
| a source line in a message | 200 characters | cut, and marked `…` |
| lines of a rule that a page marks | 20 at each end | left out, with those far from a marked line |
| lines of a file that the class page shows | 2,000, and 8 around each marked line | left out, and marked `⋯` |
| a name from the learner's code | 40 characters | refused |
| what a check prints | 16 KB of the report | cut, and the bytes left out are counted |
| notes on files that cannot be read | 20, of 2,000 characters each | counted; cut, and marked `…` |
| CPU time of a submission | 60 s | the remaining checks are not run, and the submission needs review |
| waiting for a submission's code while it sleeps | 90 s | the same |
| waiting for it by the clock | 900 s | the same |
| a terminal's lines | 10 for a check, 20 for a file that was not loaded | cut, and marked `…` |

So a report has at most 32 KB for each check: with every message, program, label and output at its
longest, the report of this course stays below that. An exercise takes fewer than 200 lines on a
terminal.

The process that grades takes at most 300 MB more than for an honest submission. A test gives a
process this limit on its address space (`RLIMIT_AS`), and sends it forged answers together with
arbitrary source files. The decoder, the report, the page and every export must not raise an
exception. The feedback page of a submission must be smaller than three times the longest report.
`BACKWARD_FUZZ_CASES=1000 python tests/hostile/trusted_side.py` runs more cases than the suite.
"""

_LIMITS = """\
## What is not prevented

The files in `tests/hostile/limits/` show attacks that are known and accepted. Tests make sure that
these results do not change in any tier.

| file | what it does | {tiers} |
|---|---|{rules}|
"""

_REPLAYS = """\
`tests/hostile/test_replay.py` also makes files that compute nothing and play back the answers of a
correct engine to the course's own programs. In a practice run, these files get full marks. Under a
secret seed, they get points only for answers that are the same for all numbers.
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
    head = [
        "tier",
        "run",
        "accepted",
        "with an effect",
        "honest or wrong files judged wrongly",
        "honest files accepted",
    ]
    lines += [f"| {' | '.join(head)} |"]
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
