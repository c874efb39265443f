"""The captured output in the README is that of the command."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.author.build import shown_solution
from grader.course.load import load_course

ROOT = Path(__file__).resolve().parents[2]
GRADE = Path(sys.executable).parent / "grade"
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n\$ (?P<command>grade .*)\n(?P<output>(?:.*\n)+?)```", README)


def overwriting(solution: str) -> str:
    """Return the solution of exercise 03 with `=` instead of `+=` in `__mul__`."""
    return solution.replace("self.grad += other.data", "self.grad = other.data").replace(
        "other.grad += self.data", "other.grad = self.data"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("shown", "edit"), [(0, overwriting), (1, str)], ids=["failing", "passing"])
def test_the_captures_are_real(tmp_path: Path, shown: int, edit: object) -> None:
    """Both captured runs have the same text as real ones."""
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "04_by_hand.py").touch()  # the next one
    course = load_course(ROOT)
    source = shown_solution(course, course.by_id["accumulate"])
    (tmp_path / "exercises" / "03_accumulate.py").write_text(edit(source), encoding="utf-8")  # type: ignore[operator]
    command, expected = CONSOLE[shown]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "FORCE_COLOR"))}

    run = subprocess.run(
        [GRADE, *command.split()[1:]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert expected == run.stdout
    assert "" == run.stderr


def test_the_table_of_exercises_is_that_of_the_course() -> None:
    """The README lists each exercise with its points."""
    course = load_course(ROOT)
    rows = re.findall(r"^\| (\d\d \w+) \|[^|]*\| (\d+)(?: \+ (\d+) bonus)? \|$", README, flags=re.MULTILINE)

    expected = []
    for exercise in course.exercises:
        bonus = sum(check.points for check in exercise.checks if check.bonus)
        expected.append((f"{exercise.number} {exercise.id}", str(exercise.max_score), str(bonus) if bonus else ""))
    assert expected == rows


def test_links_lead_somewhere() -> None:
    """The target of every relative link in the documents exists."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
