"""Every number in the text of an exercise is right: its examples run in the solution."""

import ast
import doctest
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.py"))

# arithmetic on plain numbers, and the number that it is said to give
NUMBER = r"-?\d+(?:\.\d+)?"
SUM = re.compile(
    rf"(?<![\w.)*/+-])(?<![*/+-]\s)({NUMBER}(?:\s*(?:\*\*|[-+*/])\s*{NUMBER})+)\s*=\s*({NUMBER})(?![\w.]\w)"
)

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


@each_solution
def test_arithmetic_in_a_docstring_is_right(path: Path) -> None:
    """`3 - 0.1 * 16 = 1.4` in a text is true, to the digits that it gives."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert [] == [said for said in SUM.finditer(text) if not is_right(*said.groups())]


def is_right(expression: str, result: str) -> bool:
    digits = len(result.partition(".")[2])
    return float(result) == pytest.approx(round(eval(" ".join(expression.split())), digits))


@pytest.mark.parametrize(("text", "expected"), [("3 - 0.1 * 16 = 1.4", True), ("3 * 6.03 =\n18.1503", False)])
def test_arithmetic_is_found_and_worked_out(text: str, expected: bool) -> None:
    """A wrong result is seen, also across lines."""
    (said,) = SUM.finditer(text)
    assert expected == is_right(*said.groups())
