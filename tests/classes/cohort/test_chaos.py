"""A run that is killed repeatedly, with its processes, ends with the reports of an undisturbed run.

`BACKWARD_CHAOS=500 pytest tests/classes/cohort/test_chaos.py` uses that many submissions, and ten kills.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.verdict.report import Report, read_report

# each run kills single processes: tests/classes/cohort/test_run.py
pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

ROOT = Path(__file__).resolve().parents[3]
GRADE = Path(sys.executable).parent / "grade"
COUNT = int(os.environ.get("BACKWARD_CHAOS", "24"))
KILLS = 10 if COUNT >= 500 else 2


@pytest.fixture(scope="module")
def submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a class with one exercise per person: a third of them wrong, a few hostile or empty."""
    folder = tmp_path_factory.mktemp("chaos") / "submissions"
    for number in range(COUNT):
        name = ("01_distribute.py", "02_swap.py", "08_relu.py")[number % 3]
        text = (ROOT / "solutions" / name).read_text(encoding="utf-8") + f"# {number}\n"
        if number % 3 == 1:
            text = text.replace("out.grad", "1.0")
        if number % 17 == 5:
            text = "import os\nos._exit(3)\n" + text
        (folder / f"p{number:04}").mkdir(parents=True)
        if number % 19 != 7:
            (folder / f"p{number:04}" / name).write_text(text, encoding="utf-8")
    return folder


def start(submissions: Path, out: Path, tier: str = "auto") -> "subprocess.Popen[bytes]":
    """Start a run with the given tier, because reports contain the tier."""
    command: list[str | Path] = [GRADE, "cohort", submissions, "--out", out]
    command += ["--seed", "backward 2026.1", "--isolation", tier]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def below(pid: int) -> Iterator[int]:
    """Return all processes below a process, except those of submissions below a warm worker.

    If one of the latter dies, this is a crash of the submission and is rightly reported as one.
    """
    with contextlib.suppress(OSError):
        warm = b"worker.confine" in Path(f"/proc/{pid}/cmdline").read_bytes()
        if warm and Path(f"/proc/{pid}/comm").read_text() != "bwrap\n":
            return
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from below(int(child))


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="NOT TESTED: finding processes needs /proc")
def test_a_disturbed_run_ends_with_the_same_reports(
    submissions: Path, tmp_path: Path, timeless: Callable[[Report], bytes]
) -> None:
    """`kill -9` ends the run and processes below it at random, and each time the same command continues.

    Nothing that was written is graded again.
    """
    quiet, chaos = tmp_path / "quiet", tmp_path / "chaos"
    undisturbed = start(submissions, quiet)
    undisturbed.communicate(timeout=900)
    assert undisturbed.returncode in (0, 1)
    tier = json.loads((quiet / "run.json").read_text())["isolation"]
    rng = random.Random(COUNT)
    written: dict[str, int] = {}
    for kill in range(KILLS):
        running = start(submissions, chaos, tier)
        aim = len(written) + rng.randrange(1, 1 + COUNT // (KILLS + 2))
        while running.poll() is None and len(list((chaos / "reports").glob("p*.json"))) < aim:
            time.sleep(0.01)
            victims = list(below(running.pid))
            if victims and rng.random() < 0.01:  # a grading process, one of its forks, a sandbox, a warm worker
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rng.choice(victims), signal.SIGKILL)
        running.kill()
        running.communicate()
        now = {path.name: path.stat().st_mtime_ns for path in (chaos / "reports").glob("p*.json")}
        assert written.items() <= now.items(), f"kill {kill}: a report was lost or graded again"
        written = now
    assert KILLS < len(written)
    last = start(submissions, chaos, tier)
    _, said = last.communicate(timeout=900)
    assert last.returncode in (0, 1), said.decode()
    expected, found = (
        {path.name: timeless(read_report(path.read_bytes())) for path in (folder / "reports").iterdir()}
        for folder in (quiet, chaos)
    )
    assert expected == found
    assert COUNT == len(expected)
    summaries = [json.loads((folder / "cohort.json").read_text()) for folder in (quiet, chaos)]
    assert summaries[0] == summaries[1]
