"""`grade` grades files side by side on several cores, in practice only. Nothing but the time depends on it."""

import json
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from in_process import GRADE

from grader.base.processes import cores
from grader.cli import run
from grader.course.load import load_course
from grader.runner import sandbox
from grader.runner.client import EngineProcess

from .conftest import ROOT

pytestmark = pytest.mark.slow

Grade = Callable[..., Any]
NAMES = {exercise.number: exercise.filename for exercise in load_course(ROOT).exercises}
TIMES = re.compile(r'"(duration_s|graded_at)": *("[^"]*"|[0-9.e-]+)')
ENDLESS = ("+= out.grad", "+= out.grad\n            while True:\n                pass")
# an edit of the solution by the number of the exercise; the other files are the solutions, and one is missing
EDITS = {
    "01": ("+= out.grad", "+= out.grad ** 2"),
    "03": ENDLESS,
    "07": ("def ", "def )"),
    "08": ("out.grad", "self.nothing"),
    "09": ("class Value", "print('a' * 300_000)\nclass Value"),
    "11": ("class Value", "import os\nos._exit(3)\nclass Value"),
    "12": ("reversed(order)", "set(order)"),
}


@pytest.fixture
def exercises(work: Path, quick_course: Path) -> Path:
    """Return a folder with right files, wrong ones, a stub, an endless loop and a file that ends its process."""
    folder = work / "exercises"
    folder.mkdir()
    for number, name in NAMES.items():
        if number <= "13" and number != "10":
            text = (ROOT / "solutions" / name).read_text(encoding="utf-8")
            old, new = EDITS.get(number, ("", ""))
            assert old in text
            (folder / name).write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    shutil.copy(quick_course / "exercises" / NAMES["06"], folder)
    return folder


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that says on how many cores the command may run."""
    return lambda count: monkeypatch.setattr(run, "cores", lambda: count)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--json", "--instructor"], marks=pytest.mark.exhaustive),
        pytest.param(["--line", "--json"], marks=pytest.mark.exhaustive),
        pytest.param(["--all"], marks=pytest.mark.exhaustive),
    ],
    ids=" ".join,
)
def test_the_report_is_the_same_on_any_number_of_cores(
    grade: Grade, exercises: Path, quick_course: Path, on: Callable[[int], None], words: list[str]
) -> None:
    """Reports and pages are the same byte for byte, but for the times in them."""
    printed = []
    for count in (1, 3):
        on(count)
        done = grade("--course", quick_course, "--from", exercises, "--fresh", *words)
        assert "" == done.stderr
        printed.append(TIMES.sub(r"\1", done.stdout))
    assert printed[0] == printed[1]
    if "--json" in words:
        statuses = {one["status"] for one in json.loads(done.stdout)["exercises"]}
        assert {"passed", "partial", "failed", "missing", "not_started"} == statuses


def test_a_kept_result_is_one_of_a_helper_too(
    grade: Grade, exercises: Path, quick_course: Path, on: Callable[[int], None]
) -> None:
    """The result of a helper is kept, unless it came from a limit. The next run shows it without running the file."""
    words = ("--course", quick_course, "--from", exercises)
    on(3)
    first = grade(*words).stdout
    on(1)
    assert first == grade(*words).stdout


@pytest.mark.parametrize(
    ("words", "files", "servers"),
    [
        (["--fresh"], "1-12", 3),
        pytest.param(["--fresh", "--json"], "1-12", 3, marks=pytest.mark.exhaustive),
        pytest.param(["--fresh"], "1-5", 1, marks=pytest.mark.exhaustive),
        (["--official", "--seed", "course", "--isolation", "auto"], "1-12", 1),
        pytest.param(["--fresh", "--seed", "another"], "1-2", 1, marks=pytest.mark.exhaustive),
    ],
)
def test_there_are_as_many_sandboxes_as_cores(
    grade: Grade,
    exercises: Path,
    quick_course: Path,
    on: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    files: str,
    servers: int,
) -> None:
    """So no more memory is used than a file may take, times the cores. An official run has one sandbox."""
    started: list[str] = []
    start = sandbox.start

    def noted(*arguments: Any, **named: Any) -> Any:
        started.append("start")
        return start(*arguments, **named)

    monkeypatch.setattr(sandbox, "start", noted)
    on(3)
    grade(files, "--course", quick_course, "--from", exercises, *words)
    assert servers == len(started)


def test_this_process_grades_only_some_of_the_files(
    grade: Grade, exercises: Path, on: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one core it grades all. On several, it begins with the first one, and the last one is a helper's."""
    seen: list[str] = []
    init = EngineProcess.__init__

    def noted(self: EngineProcess, host: Any, source: Any, *more: Any, **named: Any) -> None:
        seen.append(source.path.name[:2])
        init(self, host, source, *more, **named)

    monkeypatch.setattr(EngineProcess, "__init__", noted)
    words = ("--course", ROOT, "--from", ROOT / "solutions", "1-9", "--fresh")
    on(1)
    grade(*words)
    assert sorted(NAMES)[:9] == seen
    seen.clear()
    on(2)
    grade(*words)
    assert ("01", True, False) == (seen[0], seen == sorted(NAMES)[: len(seen)], "09" in seen)


def test_an_interrupt_leaves_no_process(exercises: Path, quick_course: Path, environment: dict[str, str]) -> None:
    """Ctrl-C ends the helpers and their sandboxes, and a further run has its results as ever."""
    for number in ("01", "13"):  # this process has the first one, and a helper the last one
        text = (ROOT / "solutions" / NAMES[number]).read_text(encoding="utf-8")
        (exercises / NAMES[number]).write_text("import time\ntime.sleep(60)\n" + text, encoding="utf-8")
    command = [str(GRADE), "--course", str(quick_course), "--from", str(exercises)]
    process = subprocess.Popen(
        command, env=environment, cwd=exercises, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        helpers = min(2, cores()) - 1
        _until(lambda: helpers == [_command(one) for one in _below(process.pid)].count(_command(process.pid)))
        time.sleep(1)  # so that the files run
        started = _below(process.pid)
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (130, "") == (process.returncode, output)
    assert ("interrupted" in error, "Traceback" in error) == (True, False)
    _until(lambda: not [one for one in started if Path(f"/proc/{one}").exists()])


def _until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def _below(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [one for child in map(int, children) for one in (child, *_below(child))]


def _command(pid: int) -> str:
    """Return the command line of a process, which a fork shares with its parent; empty after its end."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
