"""Every number in the text of an exercise is right: its examples run in the solution."""

import ast
import contextlib
import doctest
import io
import itertools
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from every import every
from torch_answers import answer

from grader.author.drawing import drawn
from grader.course.load import load_course

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.py"))

# arithmetic on plain numbers, and the number that it is said to give
NUMBER = r"-?\d+(?:\.\d+)?"
SUM = re.compile(
    rf"(?<![\w.)*/+-])(?<![*/+-]\s)({NUMBER}(?:\s*(?:\*\*|[-+*/])\s*{NUMBER})+)\s*=\s*({NUMBER})(?![\w.]\w)"
)

each_solution = every("path", SOLUTIONS, ids=lambda path: path.stem)


def run(number: str) -> dict[str, Any]:
    """Load a solution without running it as a program. Return its names."""
    (path,) = (ROOT / "solutions").glob(f"{number}_*.py")
    return runpy.run_path(str(path))


def printed(path: Path) -> list[str]:
    """Return the lines that a solution prints when it runs as a program."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        runpy.run_path(str(path), run_name="__main__")
    return out.getvalue().splitlines()


def gradients(expression: Callable[..., Any], *values: float) -> list[float]:
    """Return torch's derivatives of an expression with respect to each of its values."""
    import torch  # it takes seconds: only slow tests ask

    leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
    expression(*leaves).backward()
    return [float(leaf.grad) for leaf in leaves if leaf.grad is not None]


def lesson(path: Path) -> str:
    """Return the docstring of a solution's module."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def block(text: str, beginning: str) -> str:
    """Return the indented lines after a given line of a docstring."""
    lines = text[text.index(f"    {beginning}") :].split("\n\n")[0].splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines)


@each_solution
def test_the_examples_of_a_docstring_run(path: Path) -> None:
    """Each `>>>` in a module's docstring gives the result below it."""
    names = runpy.run_path(str(path))
    examples = doctest.DocTestParser().get_doctest(names["__doc__"], names, path.stem, str(path), 0)
    found: list[str] = []
    doctest.DocTestRunner().run(examples, out=found.append)
    assert [] == found


@pytest.mark.slow
@each_solution
def test_a_solution_prints_what_its_comments_say(path: Path) -> None:
    """A `print(...)  # prints 15.0` at the end of the file prints that."""
    said = re.findall(r"^ +print\(.*\)  # prints (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    if not said:
        return
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert said == [line for line in run.stdout.splitlines() if line in said]


@pytest.mark.slow
def test_the_trace_of_by_hand_is_the_one_of_its_text() -> None:
    """The docstring shows the values and gradients that the file prints, step by step."""
    path = ROOT / "solutions" / "04_by_hand.py"
    lines = printed(path)
    assert ["forward   p = 6.0", "forward   q = 9.0", "forward   L = 18.0"] == lines[:3]
    assert "backward  L: q.grad = 2.0, p.grad = 0.0, x.grad = 0.0, y.grad = 9.0" == lines[3]
    assert "backward  q: q.grad = 2.0, p.grad = 2.0, x.grad = 2.0, y.grad = 9.0" == lines[4]
    assert "backward  p: q.grad = 2.0, p.grad = 2.0, x.grad = 6.0, y.grad = 15.0" == lines[5]
    for step in (
        "p = x * y = 3 * 2 = 6     p._backward():  x.grad = 2 + 2 * 2 = 6",
        "                                          y.grad = 9 + 3 * 2 = 15",
        "q = p + x = 6 + 3 = 9     q._backward():  p.grad = 1 * 2 = 2",
        "                                          x.grad = 1 * 2 = 2",
        "L = q * y = 9 * 2 = 18    L._backward():  q.grad = 2 * 1 = 2",
        "                                          y.grad = 9 * 1 = 9",
    ):
        assert f"{step}\n" in shown_by(path.stem)
    assert [6.0, 15.0] == gradients(lambda x, y: (x * y + x) * y, 3, 2)


def test_an_order_of_visits_leaves_one_of_four_numbers() -> None:
    """Each of the diamond's 24 orders leaves 0, 6, 9 or 15 in a.grad; `wrong_orders` has one of each."""
    names = run("04")
    value = names["Value"]

    def left(order: Iterable[str]) -> float:
        a = value(2.0)
        nodes = {"a": a, "b": a + value(1.0), "c": a * value(3.0)}
        nodes["d"] = nodes["b"] * nodes["c"]
        nodes["d"].grad = 1.0
        for name in order:
            nodes[name]._backward()
        return float(a.grad)

    assert {0.0, 6.0, 9.0, 15.0} == {left(order) for order in itertools.permutations("abcd")}
    assert list(names["wrong_orders"]()) == [left(order) for order in ("dbc", "bdc", "cdb", "bcd")]


def test_a_relu_that_becomes_inactive_moves_less() -> None:
    """When a goes up by 2, f moves by -4, and not by twice its gradient."""

    def f(a: float, b: float, d: float) -> float:
        return max(0, a * b + d)

    assert (4, -4, -6) == (f(2, -3, 10), f(4, -3, 10) - f(2, -3, 10), 2 * FIGURES["05_predict", "active"].gradients[0])
    words = " ".join(lesson(ROOT / "solutions" / "05_predict.py").split())
    assert "when a goes up by 2, the input of relu becomes -2 and f becomes 0: f moves by -4, not by" in words


@pytest.mark.slow
def test_the_five_lines_of_torch_run() -> None:
    """The lines print the text in the comments beside them."""
    text = run("05")["__doc__"]
    code = block(text, "import torch")
    assert 5 == len(code.splitlines())
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    assert code.rpartition("# ")[2] == out.getvalue().strip()


@pytest.mark.slow
def test_the_neuron_has_the_sum_that_its_text_names() -> None:
    """Its bias makes tanh 0.6, so the square of tanh differs from 1 minus that square."""
    import torch

    n = 2 * -3 + 0 * 1 + 6.693147180559945
    o = torch.tanh(torch.tensor(n, dtype=torch.float64))
    text = run("05")["neuron"].__doc__
    assert f"{n}" in text
    assert pytest.approx(0.6, abs=1e-15) == float(o)
    assert pytest.approx(0.36, abs=1e-15) == float(o**2)


@pytest.mark.slow
def test_the_closed_form_is_the_diamond() -> None:
    """3 * a**2 + 3 * a has the values and the derivative of the diamond."""
    for a in (5.0, -2.0, 2.0):
        assert gradients(lambda a: (a + 1) * (a * 3), a) == gradients(lambda a: 3 * a**2 + 3 * a, a)
    assert gradients(lambda a: 3 * a**2 + 3 * a, 2.0)[0] == run("05")["diamond"]()[2]


@pytest.mark.slow
def test_the_orders_of_build_topo_are_as_its_text_says() -> None:
    """a, b, c, L is a topological order; a, c, b, L is not, and gives a wrong gradient."""
    value = run("06")["Value"]

    def left(order: str) -> float:
        a = value(2.0)
        b = a + a
        c = a * b
        root = b + c
        root.grad = 1.0
        for name in reversed(order):
            {"a": a, "b": b, "c": c, "L": root}[name]._backward()
        return float(a.grad)

    (right,) = gradients(lambda a: (a + a) + a * (a + a), 2)
    assert right == left("abcL")
    assert right != left("acbL")


@each_solution
def test_lines_of_an_exercise_fit_a_narrow_editor(path: Path) -> None:
    """Docstrings, and the questions in the places to fill in, have at most 88 columns."""
    text = path.read_text(encoding="utf-8")
    prose = [line for part in text.split('"""')[1::2] for line in part.splitlines()]
    questions = [line for line in text.splitlines() if "# BEGIN SOLUTION" in line]
    assert [] == [line for line in prose + questions if len(line) > 88]


@each_solution
def test_a_lesson_is_no_longer_than_a_screen_and_a_half(path: Path) -> None:
    """A screen has 40 lines. The lesson ends with one link."""
    text = shown_by(path.stem)
    assert len(text.splitlines()) <= 60
    *_, last = text.split("\n\n")
    assert 1 == text.count("https://") == last.count("https://")


COURSE = load_course(ROOT)
FIGURES = {(e.stem, figure.id): figure for e in COURSE.exercises for figure in e.figures}
NODE = re.compile(rf"\b([A-Za-z]\w*)(?: = [^|\n]*?)?  +({NUMBER}) \| ({NUMBER})")


def shown_by(stem: str) -> str:
    """Return the lesson of an exercise as learners read it, with its figures."""
    return lesson(ROOT / "exercises" / f"{stem}.py")


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES, ids="-".join)
def test_a_figure_of_a_lesson_has_torchs_numbers(name: tuple[str, str]) -> None:
    """Each named node shows its value and its gradient, to four digits."""
    figure = FIGURES[name]
    graph = figure.parsed
    values, grads = answer(graph.wire, graph.root)
    shown = {node: (float(value), float(grad)) for node, value, grad in NODE.findall("\n".join(drawn(figure)))}
    assert {leaf.name for leaf in graph.leaves} | {graph.root_name} <= shown.keys()
    at = graph.index
    expected = {node: (values[at[node]], figure.upstream * grads[at[node]]) for node in shown}
    assert {node: pytest.approx(pair, rel=6e-4) for node, pair in expected.items()} == shown


@each_solution
def test_a_lesson_has_its_figures_in_characters(path: Path) -> None:
    """Every lesson has one, and its file has every line of it, in at most 72 columns."""
    figures = [figure for (stem, _), figure in FIGURES.items() if stem == path.stem]
    text = shown_by(path.stem)
    assert figures
    for figure in figures:
        assert "\n".join(f"    {line}".rstrip() for line in drawn(figure)) in text
        assert max(map(len, drawn(figure))) <= 68


@pytest.mark.slow
@each_solution
def test_the_line_of_pytorch_shows_the_same(path: Path) -> None:
    """The line runs with the leaves of the figure or example, and its last expression is what the comment says."""
    import torch

    leaves: dict[str, Any] = dict(next(figure.leaves for (stem, _), figure in FIGURES.items() if stem == path.stem))
    leaves |= {name: ast.literal_eval(data) for name, data in re.findall(r">>> (\w) = Tensor\((.*)\)", lesson(path))}
    lines = re.findall(r"^    In PyTorch:  (.*); (.*?)  # (.*)$", lesson(path), re.MULTILINE)
    assert len(lines) == (path.name[:2] != "05")  # which has five lines
    for code, expression, result in lines:
        names = {name: torch.tensor(data, dtype=torch.float32, requires_grad=True) for name, data in leaves.items()}
        exec(code, {"torch": torch}, names)
        assert result == str(eval(expression, {"torch": torch}, names))


@each_solution
def test_arithmetic_in_a_docstring_is_right(path: Path) -> None:
    """`3 - 0.1 * 16 = 1.4` in a text is true, to the digits that it gives."""
    assert [] == [said for said in SUM.finditer(lesson(path)) if not is_right(*said.groups())]


def is_right(expression: str, result: str) -> bool:
    digits = len(result.partition(".")[2])
    return float(result) == pytest.approx(round(eval(" ".join(expression.split())), digits))


@pytest.mark.parametrize(("text", "expected"), [("3 - 0.1 * 16 = 1.4", True), ("3 * 6.03 =\n18.1503", False)])
def test_arithmetic_is_found_and_worked_out(text: str, expected: bool) -> None:
    """A wrong result is found, also across lines."""
    (said,) = SUM.finditer(text)
    assert expected == is_right(*said.groups())
