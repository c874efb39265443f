"""A diagnosis has the same words every time."""

import re
from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.course.oracle.answer_book import read_book
from grader.runner import sandbox
from grader.verdict.grading import grade
from grader.verdict.report import to_json

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


def test_eight_gradings_say_the_same(tmp_path: Path) -> None:
    """Eight gradings of one wrong file give the same report, including the diagnosis."""
    course = load_course(ROOT)
    book = read_book(course.book)
    file = tmp_path / "07_backward.py"
    solution = (ROOT / "solutions" / "07_backward.py").read_text(encoding="utf-8")
    file.write_text(solution.replace("reversed(build_topo(self))", "build_topo(self)"), encoding="utf-8")

    seen = set()
    with sandbox.start(allow_imports=course.allow_imports) as warm:
        for _ in range(8):
            report = grade(course, book, {"backward": file}, seed=course.seed, memo=None, warm=warm)
            text = to_json(report).decode()
            seen.add(re.sub(r'"(graded_at|duration_s)": [^,\n]*', "", text))

    assert 1 == len(seen)
    assert '"id": "not_reversed"' in seen.pop()
