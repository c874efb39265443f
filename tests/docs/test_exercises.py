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
from read_yaml import read_yaml
from torch_answers import answer

from grader.program import program

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
    text = path.read_text(encoding="utf-8")
    for step in (
        "p = x * y = 3 * 2 = 6      p._backward():  x.grad = 2 + 2 * 2 = 6",
        "                                           y.grad = 9 + 2 * 3 = 15",
        "q = p + x = 6 + 3 = 9      q._backward():  p.grad = 2,  x.grad = 2",
        "L = q * y = 9 * 2 = 18     L._backward():  q.grad = 2,  y.grad = 9",
    ):
        assert f"    {step}\n" in text
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


@pytest.mark.slow
def test_the_example_of_predict_is_right() -> None:
    """The example has the results 3, 2 and 1, and the effect of a nudge is right."""
    assert [3.0, 2.0, 1.0] == gradients(lambda a, b, c: a * b + c, 2, 3, 4)
    assert pytest.approx(10.03) == 2.01 * 3 + 4
    assert pytest.approx(3) == 0.03 / 0.01


@pytest.mark.slow
def test_the_table_of_relu_is_right() -> None:
    """Each gradient is how far f moves when one input goes up by 1, as long as relu stays active."""

    def f(a: float, b: float, d: float) -> float:
        return max(0, a * b + d)

    text = run("05")["__doc__"]
    rows = re.findall(r"df/d(\w) = +(-?\d)      when (\w) goes up by 1, f moves by +(-?\d), to (\d)", text)
    at = {"a": 2.0, "b": -3.0, "d": 10.0}
    slopes = dict(zip("abd", gradients(lambda a, b, d: (a * b + d).relu(), *at.values()), strict=True))
    expected = []
    for name in "abd":
        after = f(**{**at, name: at[name] + 1})
        expected.append((name, f"{slopes[name]:.0f}", name, f"{after - f(**at):.0f}", f"{after:.0f}"))
    assert expected == rows
    assert (4, -4) == (f(**at), f(4, -3, 10) - f(**at))
    words = " ".join(text.split())
    assert "when a goes up by 2, the input of relu becomes -2 and f becomes 0: f moves by -4" in words


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
    text = lesson(path)
    assert len(text.splitlines()) <= 60
    *_, last = text.split("\n\n")
    assert 1 == text.count("https://") == last.count("https://")


PICTURES = read_yaml(Path(__file__).with_name("pictures.yaml"))
ARRAY = r"\[[-\d., \[\]]*\]"
NODE = re.compile(rf"\b([A-Za-z]\w*) +({NUMBER}|{ARRAY}) \| ({NUMBER}|{ARRAY})")


def numbers(text: str) -> list[float]:
    """Return the numbers of `3` or `[[1, 2], [3, 4]]`, in order."""
    return [float(number) for number in re.findall(NUMBER, text)]


@pytest.mark.slow
@each_solution
def test_the_picture_of_a_lesson_has_torchs_numbers(path: Path) -> None:
    """Each named node shows its values and its gradients, to two digits after the point."""
    picture = PICTURES[path.name[:2]]
    text, leaves, upstream = picture["program"], picture["leaves"], picture.get("upstream", 1)
    graph = program(text, **leaves)
    values, grads = answer(graph.wire, graph.root)
    shown = {name: (numbers(value), numbers(grad)) for name, value, grad in NODE.findall(lesson(path))}
    root = text.rpartition("; ")[2].split(" = ")[0]
    assert {*leaves, root} <= shown.keys()
    of = {name: graph.slices[graph.index[name]] for name in shown}
    assert {name: pytest.approx(values[of[name]], abs=0.006) for name in shown} == {n: v for n, (v, _) in shown.items()}
    expected = {name: pytest.approx([upstream * grad for grad in grads[of[name]]], abs=0.006) for name in shown}
    assert expected == {name: grad for name, (_, grad) in shown.items()}


@pytest.mark.slow
@each_solution
def test_the_line_of_pytorch_shows_the_same(path: Path) -> None:
    """The line runs with the picture's leaves, and its last expression is what the comment says."""
    import torch

    leaves = PICTURES[path.name[:2]]["leaves"]
    lines = re.findall(r"^    In PyTorch:  (.*); (.*?)  # (.*)$", lesson(path), re.MULTILINE)
    assert len(lines) == (path.name[:2] != "05")  # which has five lines
    for code, expression, result in lines:
        names = {name: torch.tensor(value, dtype=torch.float32, requires_grad=True) for name, value in leaves.items()}
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
