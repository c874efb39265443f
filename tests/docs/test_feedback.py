"""docs/feedback.md has the exact feedback for twelve typical wrong submissions.

`make feedback` runs this file, which writes the page again.
"""

import re
import tempfile
from pathlib import Path

import pytest
from in_process import run_grade
from read_yaml import read_yaml

from grader.course.load import load_course
from grader.verdict.diagnosis import read_misconceptions

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "feedback.md"
COURSE = load_course(ROOT)
LINES_PER_CHECK = 10
_REASON = re.compile(r"^ {12}(?:fact|why) .*\n(?: {29}.*\n)*", re.MULTILINE)

TYPICAL = read_yaml(Path(__file__).with_name("typical.yaml"))


def wrong(case: dict[str, str]) -> str:
    """The wrong submission of a case."""
    exercise = next(e for e in COURSE.exercises if e.id == case["of"])
    path = COURSE.solution(exercise)
    solution = path.read_text(encoding="utf-8")
    if "old" in case:
        assert case["old"] in solution
        return solution.replace(case["old"], case["new"], 1)
    known = read_misconceptions(path.with_suffix(".mistakes.yaml"), solution, len(exercise.hints))
    return next(one.source for one in known if one.id == case["what"])


def told(case: dict[str, str]) -> str:
    """Return the output of `grade --all` for a case."""
    exercise = next(e for e in COURSE.exercises if e.id == case["of"])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / exercise.filename).write_text(wrong(case), encoding="utf-8")
        run = run_grade(exercise.id, exercise.filename, "--all", "--course", ROOT, cwd=Path(folder))
    assert run.stderr == ""
    return run.stdout


def section(case: dict[str, str]) -> str:
    return f"## {case['of']}: {case['what'].replace('_', ' ')}\n\n```text\n{told(case)}```\n"


def page() -> str:
    head = (
        "# What learners are told\n\n"
        "This page shows twelve typical wrong submissions, and everything that `grade --all` prints for\n"
        "each of them. A number that PyTorch computed is labelled `torch`, and any other correct number is\n"
        "labelled `expected`. `…` marks text that was left out.\n\n"
    )
    return head + "\n".join(section(case) for case in TYPICAL)


# an endless loop takes the whole CPU time of each check
CASES = [pytest.param(case, marks=pytest.mark.exhaustive) if "loop" in case["what"] else case for case in TYPICAL]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['of']}-{case['what'].replace(' ', '_')}")
def test_the_page_shows_what_is_printed(case: dict[str, str]) -> None:
    """The page contains the whole output. No failing check takes more than ten lines besides its reasons."""
    text = section(case)

    assert text in PAGE.read_text(encoding="utf-8")
    checks = re.split(r"\n(?=  (?:FAIL|ERROR|TIMEOUT|CRASHED|PASS|TODO) )", text.partition("\nScore")[0])
    assert max(len(_REASON.sub("", check).splitlines()) for check in checks[1:]) <= LINES_PER_CHECK


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
