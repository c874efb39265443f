"""Mutants are small, different, and within the solution regions."""

import ast
from pathlib import Path

import pytest
from every import every
from read_yaml import read_yaml

from grader.author.verify import mutants

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = read_yaml(Path(__file__).with_name("texts.yaml"))["mutable"]


def test_nothing_outside_the_region_is_touched() -> None:
    """No mutant changes the given code."""
    assert all("return a + 1" in mutant.source for mutant in mutants(SOLUTION))


@every(
    "wanted",
    [
        "self.grad = other.data * 2",
        "self.grad -= other.data * 2",
        "self.grad += other.data / 2",
        "self.grad += other.data * 3",
        "self.grad += other.grad * 2",
        "self.grad += self.data * 2",
        "if self.data >= 0:",
        "if self.data < 0:",
        "return +self.data",
        "return [x for x in list(other)]",
    ],
)
def test_each_kind_of_edit_is_made(wanted: str) -> None:
    """Operators, `+=`, numbers, names, attributes, comparisons, signs and directions are all exchanged."""
    assert wanted in {mutant.after for mutant in mutants(SOLUTION)}


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "solutions").glob("*.py")), ids=lambda path: path.stem)
def test_every_solution_has_mutants_that_are_python(path: Path) -> None:
    """The mutants of each solution parse, differ from it and from each other."""
    text = path.read_text(encoding="utf-8")
    sources = [mutant.source for mutant in mutants(text)]
    assert len(sources) == len(set(sources)) > 4
    assert ast.unparse(ast.parse(text)) not in sources
    for source in sources:
        ast.parse(source)
