"""The sentences for learners: one for each code, true of its fields."""

import tracemalloc
from typing import get_args

import pytest
from problems import problem

from grader import remarks
from grader.client import Problem, Reason, stopped
from grader.client.protocol import SHAPES
from grader.remarks import Remark
from grader.words.learner import ended_text, remark_text, stopped_text

SOURCE = "class Value:\n    def f(self):\n        return self.g()\n\n    def g(self):\n        raise E"


def said_of(cause: Problem, source: str) -> str:
    """Return the sentence about a problem in a file with this text."""
    return stopped_text(stopped(cause, source))


def test_one_second_is_in_the_singular() -> None:
    """A limit may be one second."""
    assert "your code used more than 1 second of CPU time, " in ended_text(Reason("cpu_limit", seconds=1.0))
    assert "no answer within 2 seconds" == ended_text(Reason("wall_limit", seconds=2.0))


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


UNREADABLE: list[tuple[str, str, list[str], list[int]]] = [
    ("the file has no class `Value`, and no other class that defines `+` and `*`", "no_class", [], []),
    ("which class is the engine? It could be any of A, B; call one of them Value", "several_classes", ["A", "B"], []),
    ("a leaf has no attribute that holds its value; store the value in `data`", "no_value", [], []),
    ("which attribute holds the value? It could be any of x, y; call it `data`", "several_values", ["x", "y"], []),
    ("a leaf has no attribute that holds its gradient; store the gradient in `grad`", "no_gradient", [], []),
    (
        "which attribute holds the gradient? It could be any of u, v; call it `grad`",
        "several_gradients",
        ["u", "v"],
        [],
    ),
    ("a node has no method `backward()`", "no_backward", [], []),
    (
        "which function is the backward pass? It could be any of flow, push; call it `backward`",
        *("several_passes", ["flow", "push"], []),
    ),
    (
        "`grad` of a node is a property without a setter, and no attribute behind it was found; the grader has to set "
        "gradients, so store the gradient in an attribute",
        *("gradient_not_set", ["grad"], []),
    ),
    ("`grad` of a node is a Value; the grader needs a number there", "gradient_is", ["grad", "Value"], []),
    (
        "`backward` of a node is its own rule; no function `backward(root)` runs the rules of all nodes",
        "backward_is_rule",
        ["backward"],
        [],
    ),
    ("there is no function `half` in the file", "no_function", ["half"], []),
    ("an operation returned None instead of a Value", "no_node", ["NoneType", "Value"], []),
    ("a node made by an operation has no `_backward` to call", "nothing_to_call", ["_backward"], []),
    (
        "`_backward` of the result is None; `out._backward = _backward`, without `()`, stores the closure",
        *("rule_is_none", [], []),
    ),
    (
        "no backward rule was recognised in the result of `*` (or of `+`, if there is no `*`). Its attributes are a, "
        "b. A rule is a function, or a tuple or list of local derivatives (the values of the inputs do not count as "
        "such)",
        *("no_rule", ["a", "b"], []),
    ),
    (
        "this check runs the rule of one operation, and none was recognised. backward() on `(a * b) * c` changes 1 of "
        "the 3 gradients of a, b and c",
        *("pass_stops", [], [1, 1]),
    ),
    ("the backward rule of a node gave 1 contribution for 2 inputs", "contributions", [], [1, 2]),
    (
        "`grads` of a node is a float; it should be a tuple or a list with a local derivative for each input",
        *("no_derivatives", ["grads", "float"], []),
    ),
    ("a node stores 2 local derivatives in `grads` for 1 input", "derivatives", ["grads"], [2, 1]),
    (
        "not every entry in `grads` of a node holds an input and a local derivative",
        *("no_pairs", ["grads"], []),
    ),
    (
        "`_children` of a node is a Value; it should be a tuple or a list of the node's inputs",
        *("no_row", ["_children", "Value"], []),
    ),
    (
        "this check runs the rule of one operation, and the grader could not tell which rule adds to which gradient in "
        "backward(). It can if the result of an operation keeps its rule: a function, or its local derivatives",
        *("unclear_writes", [], []),
    ),
    ("backward() sets a gradient to something that is not a number", "no_number", [], []),
]


@pytest.mark.parametrize(
    ("expected", "code", "names", "counts"), UNREADABLE, ids=[code for _, code, _, _ in UNREADABLE]
)
def test_what_cannot_be_read_is_a_sentence(expected: str, code: str, names: list[str], counts: list[int]) -> None:
    """Each code for a file that is not readable as an engine has a sentence with its names and numbers."""
    assert expected == said_of(problem("shape", code, names=names, counts=counts), "")


def test_every_code_of_an_unreadable_file_has_a_sentence() -> None:
    """The test above has every code."""
    assert SHAPES.keys() == {code for _, code, _, _ in UNREADABLE}


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


SAID: list[tuple[str, Remark]] = [
    ("the leaves are ints, as in `Value(2)`", remarks.IntLeaves()),
    ("each operation is written in place: `x = a; x += b`", remarks.InPlace()),
    ("starting from L.grad = -2.5, a.grad = 5", remarks.StartingFrom({"L.grad": -2.5, "a.grad": 5.0})),
    ("in the second pass", remarks.SecondPass()),
    ("in a second backward pass, after a first one that began at h", remarks.SecondPass("h")),
    (
        "in a second pass, after all gradients were set to 0 and the graph was built again from the same leaves",
        remarks.BuiltAgain(),
    ),
    ("when no variable holds a node other than the leaves and the root", remarks.Released()),
    ("in the second pass, which starts from L.grad = 2", remarks.RulesRunAgain(2.0)),
    ("after zero_grad, in the second pass, which starts from L.grad = 2", remarks.RulesRunAgain(2.0, "zero_grad")),
    ("after zero_grad", remarks.Cleared("zero_grad")),
    ("the grader changed the rule of L so that its contributions should triple", remarks.RuleTripled("L")),
    (
        "the grader changed the rule of L so that its contributions should triple, "
        "but the gradients are those that are right without this change",
        remarks.RuleTripled("L", ignored=True),
    ),
    (
        "wrong in 1 of 4 runs (runs differ in the order of nodes and of any sets, and a later one may meet what an "
        "earlier one left)",
        remarks.DependsOnOrder(1, 4),
    ),
    ("backward() changed the data", remarks.DataChanged("backward")),
    ("the backward rules changed the data", remarks.DataChanged("rules")),
    ("no gradient changed when the backward rules ran", remarks.NoGradientChanged()),
    (
        "no local derivatives were recognised in the result of `*` (or of `+`, if there is no `*`)",
        remarks.NothingStored(),
    ),
    ("no backward rule was found on the nodes, and this check has to observe the rules", remarks.NoRules()),
    ("an operation returned None, as a function without `return` does", remarks.GaveNone()),
    ("L.grad is 0.0 at the end; a backward pass starts with L.grad = 1", remarks.SeedChanged("L", 0.0)),
    ("the `_backward` of a * b ran more than once", remarks.RanTwice("a * b")),
    ("the `_backward` of a * b never ran", remarks.NeverRan("a * b")),
    ("the `_backward` of e, f and L never ran", remarks.NeverRan("e", ("f", "L"))),
    ("without `()`, `L._backward` calls no function", remarks.NotCalled(("L._backward",))),
    (
        "these numbers follow if every gradient is 1 at first; only L.grad should be 1 at first",
        remarks.OnesAtFirst("L"),
    ),
    (
        "the `_backward` of b ran before that of L, which had not yet added its contribution to dL/db",
        remarks.RanEarly("b", "L", "dL/db"),
    ),
    ("build_topo changed the gradient of a", remarks.Changed("build_topo", "gradient", "a")),
    ("build_topo changed the inputs of L", remarks.Changed("build_topo", "inputs", "L")),
    (
        "zero_grad removed nodes from the list that it was given, or added some; the caller still needs the list",
        remarks.ListChanged("zero_grad"),
    ),
    ("half returned 1 number; expected 2 numbers", remarks.Returned("half", 2, count=1)),
    (
        "train returned None, as a function without `return` does; expected 1 number",
        remarks.Returned("train", 1, type="None"),
    ),
    ("not right yet: dL/da (yours: 0), dL/db (yours: nan)", remarks.NotRight({"dL/da": -0.0, "dL/db": "nan"})),
    ("build_topo returned str; it should return a list of nodes", remarks.NoList("str")),
    ("a node is missing, is in the list twice, or comes before one of its inputs", remarks.Disordered()),
    (
        "the list holds something that is not a node of this graph, perhaps a number or a node from an earlier call",
        remarks.NoNode(),
    ),
    ("a is in the list more than once", remarks.ListedTwice("a")),
    ("in a second call, a is missing from the list", remarks.NotListed("a", again=True)),
    ("a is missing from the list; b, which is in the list, has the same value", remarks.NotListed("a", equal="b")),
    ("p is in the list, but L is not computed from it", remarks.Unrelated("p", "L")),
    ("L comes before its input a", remarks.BeforeInput("L", "a")),
]


@pytest.mark.parametrize(("expected", "remark"), SAID, ids=[type(remark).__name__ for _, remark in SAID])
def test_each_remark_is_a_sentence(expected: str, remark: Remark) -> None:
    """Each remark has a sentence with its fields."""
    assert expected == remark_text(remark)


def test_every_kind_of_remark_has_a_sentence() -> None:
    """The test above has every kind."""
    assert set(get_args(Remark)) == {type(remark) for _, remark in SAID}
