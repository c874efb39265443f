"""Grading any submission takes limited memory, and the texts from it in a report are short."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from module_file import module_of

from grader.runner import sandbox
from grader.runner.client.bounds import OUTPUT
from grader.verdict.grading import grade
from grader.verdict.report import Report

HERE = Path(__file__).resolve().parent
Graded = Callable[..., Report]

# an exception with a long message, raised through four lines of sixty thousand characters, after much was printed
RAISES = """\
import os
def fail(*_): return a()  # {wide}
def a(): return b()  # {wide}
def b(): return c()  # {wide}
def c(): os.write(1, {text!r}.encode() * 100_000); raise ValueError({text!r} * 1_000)  # {wide}
class Value:
    __init__ = __add__ = __mul__ = fail
{names} = fail
"""
# says that it could not be loaded, and names a line of two hundred thousand characters again and again
FORGES = """\
import json, os, struct
def say(message):
    for fd in range(3, 64):
        try: os.write(fd, struct.pack("!I", len(message)) + message)
        except OSError: pass
say(json.dumps(["failed", ["load", "raised", "X", "m", [7] * 20_000]]).encode())
# {wide}
os._exit(0)
"""


@pytest.fixture(scope="module")
def trusted_side() -> Iterator[ModuleType]:
    with module_of(HERE / "trusted_side.py") as module:
        yield module


@pytest.fixture(scope="module")
def side(trusted_side: ModuleType) -> Any:
    return trusted_side.TrustedSide()


@pytest.fixture
def graded(trusted_side: ModuleType, side: Any, tmp_path: Path) -> Iterator[Graded]:
    """Grade a submission whose files a function makes from the names that the solutions define.

    The grading process may take no more memory than is promised.
    """
    course = side.course
    with sandbox.start(allow_imports=course.allow_imports) as warm:
        assert warm.tier in sandbox.TIERS  # it has started: the limit on memory is this process's alone

        def grade_files(make: Callable[[list[str]], str]) -> Report:
            files = {}
            for exercise in course.exercises:
                solution = course.solution(exercise).read_text(encoding="utf-8")
                files[exercise.id] = tmp_path / exercise.filename
                files[exercise.id].write_text(make(re.findall(r"^def (\w+)", solution, re.MULTILINE)), encoding="utf-8")
            with trusted_side.memory(trusted_side.MEMORY):
                return grade(course, side.book, files, seed=course.seed, memo=None, warm=warm)

        yield grade_files


def test_a_line_named_again_and_again_is_not_copied_as_often(
    trusted_side: ModuleType, side: Any, graded: Graded
) -> None:
    """A forged failure with twenty thousand line numbers and one line of 200,000 characters takes little memory."""
    report = graded(lambda names: FORGES.format(wide="x" * 200_000))
    assert {"failed"} == {exercise.status for exercise in report.exercises}
    assert side.show(report)["bytes"] < (OUTPUT + 3_000) * len(report.exercises)  # what the files print is kept


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("\u2028", False),
        pytest.param("\x1b", True, marks=pytest.mark.exhaustive),
        pytest.param("\x1b", False, marks=pytest.mark.exhaustive),
        pytest.param("\u2028", True, marks=pytest.mark.exhaustive),
    ],
)
def test_what_is_raised_in_long_lines_is_cut(
    trusted_side: ModuleType, side: Any, graded: Graded, text: str, loaded: bool
) -> None:
    """Files that print and raise as much as possible make a report within its bound, and short pages."""
    wide = text * (60_000 // len(text.encode()))
    raises = RAISES if loaded else f"{RAISES}fail()\n"
    report = graded(lambda names: raises.format(text=text, wide=wide, names=" = ".join(["unused", *names])))
    checks = [check for exercise in report.exercises for check in exercise.checks]
    unjudged = {check.id for check in checks if check.status == "not_started"}
    # what an engine may offer is not judged where its operations raise
    assert ({"optional"} if loaded else set()) == unjudged
    assert {"error" if loaded else "skipped"} == {check.status for check in checks if check.id not in unjudged}
    shown = side.show(report)
    assert shown["bytes"] <= trusted_side.REPORT
    assert shown["lines"] <= trusted_side.LINES


def test_a_report_of_everything_at_its_longest_is_within_its_bound(trusted_side: ModuleType, side: Any) -> None:
    """The report has every check with the longest possible program, labels, message and output."""
    shown = side.show(side.longest())
    assert shown["bytes"] <= trusted_side.REPORT
    assert shown["lines"] <= trusted_side.LINES
    assert shown["page"] <= trusted_side.PAGE


@pytest.mark.exhaustive  # grades and shows several whole submissions of forged answers
def test_whatever_is_said_takes_less_than_300_mb(trusted_side: ModuleType) -> None:
    """With any forged messages and any source, the process raises nothing and stays within its limits."""
    done = subprocess.run(
        [sys.executable, "-s", "-P", str(HERE / "trusted_side.py")], capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stderr[-4_000:])
    largest = json.loads(done.stdout)
    assert largest["grown"] <= trusted_side.MEMORY
    assert largest["bytes"] <= trusted_side.REPORT
    assert largest["lines"] <= trusted_side.LINES
    assert largest["page"] <= trusted_side.PAGE
