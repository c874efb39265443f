import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

GRADE_THE_SOLUTIONS = """
import sys
from pathlib import Path

import grader.cli
import grader.grading
from grader.course import load_course
from grader.oracle.answer_book import read_book
from grader.oracle import Oracle

def refuse(self, program):
    raise AssertionError(f"not in the answer book: {program.shown}")

Oracle._ask = refuse
course = load_course(Path(sys.argv[1]))
files = {exercise.id: course.solution(exercise) for exercise in course.exercises}
report = grader.grading.grade(course, read_book(course.book), files, seed=course.seed, memo=None)
print(report.status, "torch" in sys.modules, "sqlite3" in sys.modules)
"""


@pytest.mark.exhaustive  # each run grades without torch: tests/packaging/test_light.py
def test_grading_imports_no_torch() -> None:
    """A whole run with the course's own seed computes nothing, opens no database and never imports torch."""
    done = subprocess.run(
        [sys.executable, "-c", GRADE_THE_SOLUTIONS, str(ROOT)], capture_output=True, text=True, timeout=240, check=False
    )
    assert ("passed False False\n", "") == (done.stdout, done.stderr)
