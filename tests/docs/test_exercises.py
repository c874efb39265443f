"""Every number in the text of an exercise is right: its examples run in the solution."""

import doctest
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.py"))

each_solution = pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)


@each_solution
def test_the_examples_of_a_docstring_run(path: Path) -> None:
    """Each `>>>` in a module's docstring gives what stands below it."""
    names = runpy.run_path(str(path))
    examples = doctest.DocTestParser().get_doctest(names["__doc__"], names, path.stem, str(path), 0)
    found: list[str] = []
    doctest.DocTestRunner().run(examples, out=found.append)
    assert [] == found


@each_solution
def test_a_solution_prints_what_its_comments_say(path: Path) -> None:
    """A `print(...)  # prints 15.0` at the end of the file prints that."""
    said = re.findall(r"^ +print\(.*\)  # prints (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert said == [line for line in run.stdout.splitlines() if line in said]
