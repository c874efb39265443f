"""Programs are put together from a base, edits and gaps; what does not fit is refused with file and line."""

import subprocess
import sys
from pathlib import Path

import pytest
from edited_texts import Text, edited_texts, listing, of_solution, texts

from grader.course.load import CourseError

HERE = Path(__file__).resolve().parent
BASE = '''"""WHAT"""

import os


def run():
    ATTACK
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one base, in which a list can be put."""
    (tmp_path / "bases").mkdir()
    (tmp_path / "bases" / "plain.py").write_text(BASE)
    return tmp_path


def listed(folder: Path, text: str) -> Path:
    path = folder / "list.yaml"
    path.write_text(text)
    return path


def test_a_program_is_a_base_with_edits_and_filled_gaps(folder: Path) -> None:
    """`what` is the docstring, edits are made, and what fills a gap takes its indentation."""
    listed(
        folder,
        """- id: loop
  what: loops
  edits:
    - {old: import os, new: import sys}
  fill:
    ATTACK: |
      while True:

          pass
""",
    )
    text = '"""loops"""\n\nimport sys\n\n\ndef run():\n    while True:\n\n        pass\n'
    assert [Text("loop", text, "loops", "plain")] == texts(folder)


def test_an_exercise_is_a_base() -> None:
    """What it gives has a gap for each region of its solution, with the name of the function around it."""
    head = '"""WHAT"""\nclass Value:\n    def __add__(self, other):\n        '
    region = "# BEGIN SOLUTION what is it?\n        return 1\n        # END SOLUTION"
    solution = head.replace("WHAT", "01\n\nMore.\n") + region
    assert {"given": head + "ADD", "solution": head + region} == of_solution(solution)


def test_no_two_programs_have_one_name(folder: Path) -> None:
    """A listed program may not be called like a file."""
    (folder / "b.py").write_text("b = 1\n")
    listed(folder, "- {id: b, what: first, fill: {ATTACK: pass}}\n")
    with pytest.raises(ValueError, match=r"called b$"):
        texts(folder)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{id: a, what: x, on: nothing}", "neither a base nor a program above is called `nothing`"),
        ("{id: a, what: x}", "`a` leaves ATTACK as it stands in its base"),
        ("{id: a, what: x, fill: {ATTACK: pass, OTHER: pass}}", "there are 0 gaps called OTHER, not one"),
        ("{id: a, what: x, edits: [{old: nowhere, new: pass}]}", "'nowhere' stands 0 times"),
        ("{id: a, what: x, edits: [{in: run, old: os, new: sys}]}", "`in` is for edits of a solution"),
        ("{id: first, what: x, fill: {ATTACK: pass}}", "there are two programs `first`"),
        ("{id: a, what: x, fil: {ATTACK: pass}}", "unknown key `fil`"),
    ],
    ids=["base", "gap left", "no such gap", "edit", "function", "twice", "key"],
)
def test_what_does_not_fit_is_refused(folder: Path, entry: str, message: str) -> None:
    """The error names the file and the line."""
    path = listed(folder, f"- {{id: first, what: x, fill: {{ATTACK: pass}}}}\n- {entry}\n")
    with pytest.raises(CourseError) as caught:
        edited_texts(path, {"plain": BASE})
    assert str(caught.value).startswith(f"{path}:2: {message}")


def test_a_listing_counts_lines() -> None:
    """A program is shown with its name and with the numbers that messages use."""
    assert "--- a\n   1  x = 1\n   2  y = 2\n" == listing([Text("a", "x = 1\ny = 2\n")])


def test_the_command_prints_a_program(folder: Path) -> None:
    """`python tests/support/edited_texts.py FOLDER NAME` shows what is graded."""
    listed(folder, "- {id: one, what: first, fill: {ATTACK: pass}}\n")
    command: list[str | Path] = [sys.executable, HERE / "edited_texts.py", folder, "one"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert listing(texts(folder)) == done.stdout
