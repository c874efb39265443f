"""The output of `grade`: the report, JSON, colours, and how the command ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.verdict.report import read_report

Grade = Callable[..., Any]
Solved = Callable[[str], str]


@pytest.fixture(autouse=True)
def _files(work: Path, solved: Solved) -> None:
    """Write one exercise that is solved and one that is wrong."""
    (work / "01_distribute.py").write_text(solved("01_distribute.py").replace("+= out.grad", "+= out.grad ** 2"))
    (work / "02_swap.py").write_text(solved("02_swap.py"))


BOTH = ("distribute", "swap")


@pytest.mark.slow
def test_a_report_is_written_and_named(grade: Grade, work: Path) -> None:
    """By default, the report goes to a folder beside the files that git ignores, and its path is printed."""
    done = grade(*BOTH)
    assert done.returncode == 1
    assert done.stdout.endswith("Report: .backward/report.json\n")
    report = read_report((work / ".backward" / "report.json").read_bytes())
    assert "*\n" == (work / ".backward" / ".gitignore").read_text()
    assert ["partial", "passed"] == [exercise.status for exercise in report.exercises]


def test_the_report_goes_where_it_is_told(grade: Grade, work: Path) -> None:
    """`--report` names the file, and no other file is written."""
    assert "Report: mine.json" in grade(*BOTH, "--report", "mine.json").stdout
    assert read_report((work / "mine.json").read_bytes()).score > 0
    assert not (work / ".backward").exists()


@pytest.mark.parametrize("target", ["no/such/folder/report.json", ".", "02_swap.py/report.json", "/proc/report.json"])
def test_a_report_that_cannot_be_written_is_told_after_the_results(grade: Grade, work: Path, target: str) -> None:
    """The learner still gets the results, followed by the path and the reason, and exit code 2."""
    before = sorted(work.iterdir())
    done = grade(*BOTH, "--report", target)
    assert done.returncode == 2
    assert "PASS     02 swap" in done.stdout
    assert "Score " in done.stdout
    assert "the report could not be written to" in done.stderr
    create = "create the folder no/such/folder, or " if target.startswith("no") else ""
    assert f"; {create}choose another file with" in done.stderr
    assert "--report FILE" in done.stderr
    assert before == sorted(work.iterdir())


@pytest.mark.slow
def test_a_report_that_cannot_be_written_leaves_json_whole(grade: Grade) -> None:
    """With `--json`, the report on standard output is still complete."""
    done = grade(*BOTH, "--json", "--report", "no/such/folder/report.json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["status"] == "partial"


@pytest.mark.slow
def test_json_is_all_that_is_printed_and_nothing_is_written(grade: Grade, work: Path) -> None:
    """`--json` prints one JSON document, the report, and writes no file."""
    before = sorted(work.iterdir())
    done = grade(*BOTH, "--json")
    assert (1, "") == (done.returncode, done.stderr)
    assert read_report(done.stdout.encode()).status == "partial"
    assert before == sorted(work.iterdir())


def test_json_and_a_report_are_the_same(grade: Grade, work: Path) -> None:
    """With both `--json` and `--report`, the file has the printed text."""
    done = grade(*BOTH, "--json", "--report", "mine.json")
    assert done.stdout.encode() == (work / "mine.json").read_bytes()


def test_a_failure_is_told_in_at_most_ten_lines(grade: Grade) -> None:
    """The lines have the program, both numbers and the command for a hint, but no traceback or source of a check."""
    done = grade("distribute")
    lines = done.stdout.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("FAIL"))
    end = next(i for i in range(begin, len(lines)) if not lines[i])
    assert end - begin <= 11
    text = "\n".join(lines[begin:end])
    assert "yours" in text
    assert "expected" in text  # torch was asked for other gradients: here one is there before
    assert "hint" in text
    assert "engine." not in done.stdout


@pytest.mark.slow
def test_the_reports_of_learners_have_no_seed(grade: Grade) -> None:
    """The seed is only for instructors, even if it was given."""
    words = ("distribute", "--seed", "s", "--json")
    assert "seed" not in json.loads(grade(*words).stdout)
    assert json.loads(grade(*words, "--instructor").stdout)["seed"] == "s"


# -- colours ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("coloured", "environment_of"),
    [
        (False, {}),
        (False, {"NO_COLOR": "1"}),
        (False, {"NO_COLOR": "1", "FORCE_COLOR": "1"}),
        (False, {"TERM": "xterm-256color"}),
        (True, {"FORCE_COLOR": "1"}),
    ],
    ids=str,
)
def test_a_pipe_gets_no_colours_unless_asked(grade: Grade, coloured: bool, environment_of: Mapping[str, str]) -> None:
    """Escape sequences go only to a terminal, or if they are forced. NO_COLOR takes precedence."""
    done = grade(*BOTH, **environment_of)
    assert coloured is ("\x1b" in done.stdout)
    assert "\x1b" not in done.stderr


def test_what_learners_print_cannot_steer_the_terminal(grade: Grade, work: Path) -> None:
    """Escapes, carriage returns and workflow commands from learner code are shown as text."""
    evil = "\\x1b[2J\\x1b]0;title\\x07\\r::set-output name=score::100\\u202e"
    file = work / "01_distribute.py"
    text = file.read_text().replace("self.grad += out.grad ** 2", f"print('{evil}'); raise ValueError('{evil}')")
    file.write_text(text)
    done = grade("distribute", FORCE_COLOR="")
    for character in "\x1b\x07\r\u202e":
        assert character not in done.stdout
    assert not any(line.startswith("::") for line in done.stdout.splitlines())
    assert "\\x1b[2J" in done.stdout


# -- how it is left ---------------------------------------------------------------------------------------


def start(work: Path, environment: Mapping[str, str], *words: object, **options: Any) -> "subprocess.Popen[str]":
    command = [str(Path(sys.executable).parent / "grade"), *map(str, words)]
    return subprocess.Popen(command, cwd=work, env=environment, text=True, stderr=subprocess.PIPE, **options)


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_fault(work: Path, environment: dict[str, str]) -> None:
    """`grade | head -0` ends without a message."""
    reader, writer = os.pipe()
    process = start(work, environment, *BOTH, stdout=writer)
    os.close(writer)
    os.close(reader)
    _, error = process.communicate(timeout=240)
    assert (1, "") == (process.returncode, error)


@pytest.mark.slow
def test_an_interrupt_is_told_as_one(work: Path, quick_course: Path, environment: dict[str, str]) -> None:
    """Ctrl-C during a check ends with exit code 130 and writes no report."""
    file = work / "01_distribute.py"
    file.write_text("import time\n" + file.read_text().replace("self.grad += out.grad ** 2", "time.sleep(60)"))
    words = ("distribute", "--course", quick_course, "--from", work)
    process = start(work, environment, *words, stdout=subprocess.PIPE)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=240)
    assert (130, "") == (process.returncode, output)
    assert "interrupted" in error
    assert "Traceback" not in error
    assert not (work / ".backward").exists()


_SAY_WHEN_THE_FIRST_IMPORT_BEGINS = """
import os, sys
class Say:
    def find_spec(self, name, *rest):
        if name == "grader.cli":
            print(flush=True)
os.setsid()
sys.meta_path.insert(0, Say())
from grader.__main__ import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.15, 0.3, 0.5])
def test_an_interrupt_in_the_first_moments_is_told_as_one_too(
    work: Path, quick_course: Path, environment: dict[str, str], after_s: float
) -> None:
    """While modules are imported and processes are started, Ctrl-C shows no traceback of any process."""
    command = [sys.executable, "-c", _SAY_WHEN_THE_FIRST_IMPORT_BEGINS]
    words = ["distribute", "--course", str(quick_course), "--from", str(work), "--seed", "another"]
    process = subprocess.Popen(
        [*command, *words], cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after_s)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=240)
    assert "Traceback" not in error
