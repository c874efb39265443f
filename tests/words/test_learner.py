"""The sentences for learners: one for each code, true of its fields."""

import tracemalloc
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from problems import problem
from read_yaml import read_yaml

from grader.checks.outcome import stopped
from grader.client import Problem, Reason
from grader.client.protocol import SHAPES
from grader.remarks import CellStart, Remark
from grader.words.learner import ended_text, remark_text, repairs_text, stopped_text

SOURCE = "class Value:\n    def f(self):\n        return self.g()\n\n    def g(self):\n        raise E"


def said_of(cause: Problem, source: str) -> str:
    """Return the sentence about a problem in a file with this text."""
    return stopped_text(stopped(cause, source))


def test_one_second_is_in_the_singular() -> None:
    """A limit may be one second."""
    assert "your code used more than 1 second of CPU time, " in ended_text(Reason("cpu_limit", seconds=1.0))
    assert "no answer within 2 seconds" == ended_text(Reason("wall_limit", seconds=2.0))


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        ("the answer from your code's process is larger than the 64 KB", Reason("answer_too_large", limit_kb=64)),
        ("used up the 60 seconds of CPU time", Reason("budget", seconds=60, clock="cpu")),
        ("used up the 90 seconds of time", Reason("budget", seconds=90, clock="wall")),
        ("more than 2 seconds of CPU time", Reason("cpu_limit", seconds=2)),
        ("ended before it answered", Reason("exited")),
        ("ended by SIGKILL", Reason("killed", signal="SIGKILL")),
        ("loaded once, but not a second time", Reason("not_reloaded")),
        ("printed more than 16 MB", Reason("output_too_large", limit_kb=16_384)),
        ("no valid answer: it is malformed", Reason("protocol_error", detail="it is malformed")),
        ("not run: 2 earlier runs", Reason("unanswered", count=2)),
    ],
)
def test_each_way_to_end_has_a_sentence(expected: str, reason: Reason) -> None:
    """The sentence has the limit, the signal or the number of runs."""
    assert expected in ended_text(reason)


@pytest.mark.parametrize(
    ("expected", "kind", "type_name", "message"),
    [
        ("Python said: ValueError: no", "raised", "ValueError", "no"),
        ("Python said: AssertionError", "raised", "AssertionError", ""),
        ("Python cannot parse the file: invalid syntax", "syntax", "SyntaxError", "invalid syntax"),
        ("your code ends the program", "exit", "SystemExit", "0"),
        ("torch is not available while grading", "module", "NotAvailable", "torch is not available while grading"),
        ("your code called its functions too often", "calls", "OutOfCalls", ""),
        ("your code ran out of CPU time", "cpu", "OutOfTime", ""),
        ("your code waited for 5 seconds without computing", "stalled", "Stalled", ""),
        ("memory", "raised", "MemoryError", ""),
        ("RecursionError", "raised", "RecursionError", "maximum recursion depth exceeded"),
    ],
)
def test_each_kind_is_a_sentence(expected: str, kind: str, type_name: str, message: str) -> None:
    """The first line says what happened."""
    assert expected in said_of(problem(kind, type_name, message), "").splitlines()[0]


TIMES = """class Value:
    def __mul__(self, other):
        out = Value(self.data * other.data)
        def _backward():
            self.grad += other * out.grad  # as it is
"""


@pytest.mark.parametrize(
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


STUB = 'def f():\n    """Do it."""\n    # TODO: what?\n    raise NotImplementedError("what?")\n\nx = 1\n'


@pytest.mark.parametrize(
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
    ("expected", "kind", "name"),
    [
        (
            "your engine has no `tanh` that takes a node and returns one: define a method `tanh`",
            *("not_offered", "tanh"),
        ),
        ("your engine has no `-`: define `__sub__`", "not_offered", "__sub__"),
        ("your engine has no `-x`: define `__neg__`", "not_offered", "__neg__"),
        (
            "your engine has no `/` for a number on the left: define `__rtruediv__`",
            *("not_offered", "__rtruediv__"),
        ),
        (
            "`exp` was not run: it takes an argument besides `self`, and checks call it without one",
            *("wants_argument", "exp"),
        ),
    ],
)
def test_a_method_is_asked_for_by_its_name(expected: str, kind: str, name: str) -> None:
    """If the engine lacks a method, the sentence names it."""
    assert expected == said_of(problem(kind, names=[name]), "")


def test_a_missing_method_is_named_with_the_method_that_uses_it() -> None:
    """The line of the use follows, so that both places are known."""
    missing = problem("not_offered", lines=[2], names=["__neg__", "__sub__"])
    said = said_of(missing, "def __sub__(self, other):\n    return self + (-other)\n")
    assert [
        "your engine has no `-x`, which your `__sub__` uses: define `__neg__`",
        "line 2: return self + (-other)",
    ] == said.splitlines()


SENTENCES = read_yaml(Path(__file__).with_name("sentences.yaml"))
UNREADABLE = [one for one in SENTENCES if "shape" in one]
REMARKS = [one for one in SENTENCES if "remark" in one]


@pytest.mark.parametrize("one", UNREADABLE, ids=lambda one: one["shape"])
def test_what_cannot_be_read_is_a_sentence(one: dict[str, Any]) -> None:
    """Each code for a file that is not readable as an engine has a sentence with its names and numbers."""
    cause = problem("shape", one["shape"], names=one.get("names", []), counts=one.get("counts", []))
    assert one["text"] == said_of(cause, "")


@pytest.mark.parametrize("one", REMARKS, ids=lambda one: one["remark"]["kind"])
def test_each_remark_is_a_sentence(one: dict[str, Any]) -> None:
    """Each remark has a sentence with its fields."""
    assert one["text"] == remark_text(msgspec.convert(one["remark"], Remark))  # type: ignore[call-overload]


def test_every_code_and_every_remark_is_tried() -> None:
    """The tests above have every code, and every kind of remark."""
    assert SHAPES.keys() == {one["shape"] for one in UNREADABLE}
    assert {kind.__struct_config__.tag for kind in get_args(Remark)} == {one["remark"]["kind"] for one in REMARKS}


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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("expected", "message"), [("x" * 299, "x" * 299), ("x" * 298 + "…", "x" * 300), ("y", "y")])
@pytest.mark.parametrize("kind", ["raised", "syntax", "module"])
def test_a_message_that_the_worker_cut_has_a_mark(kind: str, expected: str, message: str) -> None:
    """A message of the maximum length is taken as cut."""
    assert expected == said_of(problem(kind, "E", message), "").splitlines()[0].split(" ")[-1]


def test_a_line_zero_is_no_line() -> None:
    """A line number below 1, which no honest worker sends, shows nothing."""
    assert [] == said_of(problem("raised", lines=[0]), SOURCE).splitlines()[1:]


@pytest.mark.parametrize(
    ("places", "moved", "text"),
    [
        ([(7,)], False, "A change in line 7 alone makes every required check pass."),
        ([(7, 8)], False, "The same change in line 7 and line 8 makes every required check pass."),
        ([(7,), (9,)], True, "Each of these can be changed so that every required check passes: line 7; line 9."),
        ([], True, "Every required check passes if one statement is moved."),
        ([], False, "None of the 40 changes that were tried makes every required check pass."),
    ],
)
def test_a_repair_is_told_by_its_place(places: list[tuple[int, ...]], moved: bool, text: str) -> None:
    """Only what was seen is said: one place, several, none, or a statement that moves."""
    assert text == repairs_text(places, 40, moved)


def test_a_repair_in_a_notebook_is_told_by_its_cell() -> None:
    """Lines count from the beginning of the cell."""
    assert "cell 3, line 2 alone" in repairs_text([(11,)], 40, False, [CellStart(3, 10)])
