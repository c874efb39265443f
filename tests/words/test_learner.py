"""The sentences for learners: one for each code, true of its fields."""

import re
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from every import every
from problems import problem
from read_yaml import read_yaml
from reports import named_check

import grader
from grader.course.remarks import CellStart, ReasonCode, Remark
from grader.runner.client import CandidateKind, Problem, Reason
from grader.runner.client.protocol import SHAPES
from grader.verdict.checks.outcome import stopped
from grader.verdict.report import Repair, Repairs
from grader.words.learner import remark_text
from grader.words.practice import _UNREAD, unread_text
from grader.words.repairs import repair_question, repairs_text
from grader.words.stopped import ended_text, stopped_text

# the modules that find out why a file cannot be read
FINDERS = ("runner/client/source.py", "classes/intake/archives.py", "classes/intake/files.py")
SOURCE = "class Value:\n    def f(self):\n        return self.g()\n\n    def g(self):\n        raise E"


def said_of(cause: Problem, source: str = "") -> str:
    """Return the sentence about a problem in a file with this text."""
    return stopped_text(stopped(cause, source))


SENTENCES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("sentences.yaml"))
TEXTS: dict[str, Callable[[Any, dict[str, Any]], str]] = {
    "shape": lambda code, one: said_of(
        problem("shape", code, names=one.get("names", ()), counts=one.get("counts", ()))
    ),
    "remark": lambda remark, _: remark_text(msgspec.convert(remark, Remark)),  # type: ignore[call-overload]
    "ended": lambda fields, _: ended_text(Reason(**fields)),
    "unread": lambda fields, _: unread_text(msgspec.convert(fields, Reason), "01_add.py"),
    "problem": lambda fields, one: said_of(problem(**fields), one.get("source", "")),
}
CASES = [(name, one[name], one) for one in SENTENCES for name in TEXTS if name in one]


@every(("name", "about", "one"), CASES, ids=[f"{name}: {one['text'][:40]}" for name, _, one in CASES])
def test_each_code_is_a_sentence(name: str, about: Any, one: dict[str, Any]) -> None:
    """A sentence has the fields of what it is about: a remark, a problem, the end of a process, a file, a shape."""
    assert one["text"] == TEXTS[name](about, one)


def test_every_code_and_every_remark_is_tried() -> None:
    """Every shape, remark, end of a process and unread file has a sentence, and every sentence is tried above."""
    assert len(SENTENCES) == len(CASES)
    tried = {
        name: {about if name == "shape" else about["kind"] for of, about, _ in CASES if of == name} for name in TEXTS
    }
    assert SHAPES.keys() == tried["shape"]
    assert {kind.__struct_config__.tag for kind in get_args(Remark)} == tried["remark"]
    assert {*get_args(ReasonCode), "left_out"} == tried["ended"]
    texts = [(Path(grader.__file__).parent / name).read_text(encoding="utf-8") for name in FINDERS]
    assert set(re.findall(r'Reason\(\s*"(\w+)"', "".join(texts))) <= _UNREAD.keys() == tried["unread"]


TIMES = """class Value:
    def __mul__(self, other):
        out = Value(self.data * other.data)
        def _backward():
            self.grad += other * out.grad  # as it is
"""


@every(
    ("expected", "old", "new"),
    [
        ("; `other * out.grad` calls `__mul__`, because `other` is a node", "", ""),
        ("", "other * out", "f(other) * out"),
        ("", "__mul__", "__add__"),
        ("", "    def __mul__", "    def __rmul__(self, other):\n        return self\n    def __mul__"),
        ("", "__mul__(self, other)", "__mul__(self, other): # __rmul__"),
    ],
    ids=["a node", "more than variables", "another method", "the number may be on the left", "if in doubt, nothing"],
)
def test_the_left_operand_is_a_node_where_it_is_certain(expected: str, old: str, new: str) -> None:
    """Python calls the method of the left operand, unless the reflected method is the same function."""
    source = TIMES.replace(old, new) if old else TIMES
    inner, outer = (
        next(n for n, line in enumerate(source.splitlines(), 1) if part in line) for part in ("out = ", "+= ")
    )
    cause = problem("raised", "AttributeError", "'float' object has no attribute 'data'", lines=[outer, inner])
    assert f"the object before .data is a plain number (float){expected}" == said_of(cause, source).splitlines()[-1]


CALLS = """class Value:
    def __init__(self):
        self._backward = lambda: None

    def backward(self):
        for node in reversed(build_topo(self)):
            node.backward()

def build_topo(root):
    return [root]
"""


@every(
    ("expected", "old", "new"),
    [
        ("`node.backward()` calls the function that it is written in. Perhaps you meant `node._backward()`", "", ""),
        ("a function calls itself too deeply, directly or through other functions", "._backward", ".rule"),
        ("a function calls itself too deeply, directly or through other functions", "def backward", "def propagate"),
        ("a function calls itself too deeply, directly or through other functions", "node.backward()", "f(node)"),
    ],
    ids=["the rule", "there is no such name", "another function", "another call"],
)
def test_a_call_of_the_pass_in_place_of_the_rule_is_named(expected: str, old: str, new: str) -> None:
    """A method that calls itself has a name without an underscore, and the file has one with an underscore."""
    source = CALLS.replace(old, new) if old else CALLS
    cause = problem("raised", "RecursionError", "maximum recursion depth exceeded", lines=[6, 7, 10])
    assert expected == said_of(cause, source).splitlines()[-1]


STUB = 'def f():\n    """Do it."""\n    # TODO: what?\n    raise NotImplementedError("what?")\n\nx = 1\n'


@every(
    ("expected", "source", "line"),
    [
        ("this part is still to be filled in", STUB, 4),
        ("this part is still to be filled in", "def f(\n    a,\n):\n    raise NotImplementedError", 4),
        ("this part still raises NotImplementedError", STUB.replace("# TODO: what?", "y = 1"), 4),
        ("this part still raises NotImplementedError", STUB.replace("\n\nx", "\n\n    x"), 4),
        ("this part still raises NotImplementedError", "def f(x):\n    if x:\n        raise NotImplementedError", 3),
    ],
)
def test_a_part_is_unfilled_only_if_nothing_but_the_given_line_stands_in_it(
    expected: str, source: str, line: int
) -> None:
    """A line that raises NotImplementedError may be left over below the learner's own lines."""
    cause = problem("raised", "NotImplementedError", "what?", lines=[line])
    assert said_of(cause, source).startswith(expected)


@pytest.mark.parametrize(
    ("expected", "lines"),
    [("your code raised E: no", [2]), ("when the backward pass was called, Python said: E: no", [])],
)
def test_only_a_line_of_the_file_is_the_learners_code(expected: str, lines: list[int]) -> None:
    """If no line of the file is in the traceback, the sentence says what the grader did when the exception came."""
    assert expected == said_of(problem("raised", "E", "no", lines=lines), SOURCE).splitlines()[0]


@pytest.mark.parametrize(("expected", "where"), [(True, "build"), (False, "triple")])
def test_where_the_grader_computes_no_operator_is_missing(expected: bool, where: str) -> None:
    """The common cause of an exception is named only if the learner's own code computed."""
    message = "unsupported operand type(s) for *: 'int' and 'Value'"
    text = said_of(Problem(where, "raised", "TypeError", message, []), SOURCE)
    assert expected == ("looks for __rmul__ in the right operand" in text)


def test_a_notebook_is_called_one() -> None:
    """A notebook that was saved with the name of a Python file gets its own message."""
    source = '{"cells": [], "metadata": {"name": null}, "nbformat": 4}'
    text = said_of(problem("raised", "NameError", "name 'null' is not defined", lines=[1]), source)
    assert text.startswith("this file is a Jupyter notebook")
    assert text.endswith("rename it so that it ends in .ipynb")


@every(
    ("expected", "lines"),
    [
        ([], []),
        (["line 6: raise E"], [6]),
        (["line 3: return self.g()", "line 6: raise E"], [3, 6]),
        (["line 3: return self.g()"], [3, 3, 3, 3]),
        (["line 2: def f(self):", "line 3: return self.g()", "line 6: raise E"], [1, 2, 3, 6]),
        (["line 6: raise E"], [999, 6]),
        ([], [7]),
    ],
)
def test_the_learners_own_lines_follow(expected: list[str], lines: list[int]) -> None:
    """At most the three innermost lines are shown, innermost last, each once."""
    assert expected == said_of(problem("raised", lines=lines), SOURCE).splitlines()[1:]


def test_a_long_line_is_cut() -> None:
    """A shown line has at most 200 characters, including the mark. Blanks around it do not count."""
    source = "  " + "x" * 200 + "  \n" + "y" * 201
    expected = ["line 1: " + "x" * 200, "line 2: " + "y" * 199 + "…"]
    assert expected == said_of(problem("raised", lines=[1, 2]), source).splitlines()[1:]


def test_a_line_is_written_out_only_if_it_is_shown() -> None:
    """Thirty thousand line numbers of a line of 200,000 characters take no memory."""
    tracemalloc.start()
    text = said_of(problem("raised", lines=[1] * 30_000), "x" * 200_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ["line 1: " + "x" * 199 + "…"] == text.splitlines()[1:]
    assert peak < 2 << 20


@every(("expected", "message"), [("x" * 299, "x" * 299), ("x" * 298 + "…", "x" * 300), ("y", "y")])
@every("kind", ["raised", "syntax", "module"])
def test_a_message_that_the_worker_cut_has_a_mark(kind: str, expected: str, message: str) -> None:
    """A message of the maximum length is taken as cut."""
    assert expected == said_of(problem(kind, "E", message), "").splitlines()[0].split(" ")[-1]


def test_a_line_zero_is_no_line() -> None:
    """A line number below 1, which no honest worker sends, shows nothing."""
    assert [] == said_of(problem("raised", lines=[0]), SOURCE).splitlines()[1:]


def found(*places: tuple[int, ...], functions: Sequence[str] = (), check: str = "") -> Repairs:
    """Return the result of a search."""
    edits = [Repair("name", place) for place in places] + [Repair("function", (1,), name) for name in functions]
    return Repairs(tuple(edits), 40, exhaustive=True, check=check)


def added(*lines: int, check: str = "") -> Repairs:
    """Return the result of a search that found statements to add."""
    edits = [Repair("added", (line,), "Value.backward") for line in lines]
    return Repairs(tuple(edits), 40, exhaustive=True, check=check)


@every(
    ("result", "text"),
    [
        (found((7,)), "A change of the statement in line 7 alone makes every required check pass."),
        (found((7, 8)), "A change of both statements in lines 7 and 8 makes every required check pass."),
        (
            found((7,), (9,)),
            "Each of these statements can be changed alone to make every required check pass: line 7; line 9.",
        ),
        (
            found((7,), check="both"),
            "A change of the statement in line 7 alone makes the first failing check pass, but no change was"
            " found that makes every required check pass.",
        ),
        (
            found((7,), (9,), (12,), (13,), (14,)),
            "Each of 5 statements in lines 7 to 14 can be changed alone to make every required check pass.",
        ),
        (found((7,), (9,), (12,), (13,), (99,)), ""),
        (
            found((7, 8, 12)),
            "A change of the statements in lines 7, 8 and 12 makes every required check pass.",
        ),
        (added(7), "One statement added after line 7 makes every required check pass."),
        (added(7, 9), "One statement added to `backward` makes every required check pass."),
        (
            added(7, check="both"),
            "One statement added after line 7 makes the first failing check pass, but no change was found that makes"
            " every required check pass.",
        ),
        (found(), ""),
    ],
)
def test_a_repair_is_told_by_its_place(result: Repairs, text: str) -> None:
    """Only what was seen is said: one place, several, or nothing."""
    assert text == repairs_text(result, failed=[named_check("both", "failed"), named_check("last", "failed")])


@pytest.mark.parametrize(
    ("check", "text"), [("last", "another failing check pass (last is right)"), ("", "one failing check pass")]
)
def test_a_later_check_is_named(check: str, text: str) -> None:
    """The sentence contains the title of the check, if the failed checks are known."""
    failed = [named_check("both", "failed"), named_check("last", "failed")] if check else []
    told = repairs_text(found((7,), check=check or "both"), failed=failed)
    assert f"A change of the statement in line 7 alone makes {text}, but no change was found" in told


def test_one_function_is_named_if_no_place_is() -> None:
    """A place says more than a function. Several functions say nothing."""
    text = "With `backward` alone replaced by a correct one, every required check passes."
    assert text == repairs_text(found(functions=["Value.backward"]))
    assert text == repairs_text(found(*((line,) for line in (3, 5, 7, 9, 99)), functions=["Value.backward"]))
    for places in (((3,),), ((3,), (5,)), ((3,), (5,), (7,), (9,), (11,))):
        told = repairs_text(found(*places, functions=["Value.backward"]))
        assert "line" in told
        assert told == repairs_text(found(*places))
    assert "" == repairs_text(found(functions=["Value.backward", "Value.__init__"]))
    assert ["function", "added"] == [one.only and one.only.kind for one in (found(functions=["f"]), added(7))]


@every("kind", get_args(CandidateKind))
@every("lines", [(1,), (1, 2)])
def test_every_kind_of_repair_has_a_question(kind: str, lines: tuple[int, ...]) -> None:
    """The question names the lines or the function."""
    question = repair_question(kind, lines, "Value.backward", ["a.grad = 1", "b = 2"])
    assert question.endswith("?")
    where = "line 1" if len(lines) == 1 else "lines 1 and 2"
    assert ("`backward`" if kind == "function" else where) in question


def test_a_question_about_a_missing_statement_names_the_function() -> None:
    """If it can be added at several places, the question names none of them."""
    only = added(7, 9).only
    assert only is not None
    assert "Which step is missing in `backward`?" == repair_question(only.kind, only.lines, only.function, [])


@every(
    ("source", "about"),
    [
        ("    self.grad = 1", "the gradient that is already in `self.grad`"),
        ("total += self.grad", "the value that is already in `total`"),
        ("grads[self] -= 1", "the value that was stored before"),
    ],
)
def test_a_question_names_what_is_assigned(source: str, about: str) -> None:
    """A name or an attribute is named."""
    assert f"What happens to {about} when line 1 runs?" == repair_question("accumulate", (1,), "", [source])


def test_a_question_about_several_lines_names_each_line_and_each_target_once() -> None:
    """Two rules that assign the same two gradients have four lines and two names."""
    source = ["self.grad = 1", "other.grad = 1", "", "self.grad = 2", "other.grad = 2"]
    expected = (
        "What happens to the gradients that are already in `self.grad` and `other.grad` when lines 1, 2, 4 and 5 run?"
    )
    assert expected == repair_question("accumulate", (1, 2, 4, 5), "", source)


def test_a_repair_in_a_notebook_is_told_by_its_cell() -> None:
    """Lines count from the beginning of the cell."""
    assert "cell 3, line 2 alone" in repairs_text(found((11,)), [CellStart(3, 10)])
