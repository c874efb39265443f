"""Figures in characters: every line of a graph leads from a node to its user, and every number is right."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from read_yaml import read_yaml

from grader.author.drawing import COLUMNS, drawn
from grader.course.figures import Figure
from grader.program import draw

LISTED = read_yaml(Path(__file__).with_name("drawings.yaml"))


@pytest.mark.parametrize("case", LISTED, ids=lambda case: case["program"])
def test_a_figure_in_characters(case: dict[str, object]) -> None:
    """Each listed figure is drawn as it is listed."""
    figure = Figure("one", str(case["program"]), case["leaves"], tuple(case["show"]), **case.get("more", {}))  # type: ignore[arg-type,call-overload]
    assert case["drawn"] == "\n".join(drawn(figure)) + "\n"


@pytest.mark.slow
def test_a_random_program_fits() -> None:
    """A drawing has at most 68 columns, and names every leaf; where a graph is too wide, each node has a line."""
    for one in draw("figures", 12, sizes=(1, 5)):
        leaves = {leaf.name: leaf.value for leaf in one.leaves}
        figure = Figure("one", one.text, leaves, ("graph", "table"))
        lines = drawn(figure)
        assert max(map(len, lines)) <= COLUMNS
        assert leaves.keys() <= {line.split()[0] for line in lines if line.strip()}
        assert lines == drawn(replace(figure, id="other"))
