"""Programs executed with a learner's engine, step by step, in this process."""

import json
import re
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import msgspec
import pytest
from every import every
from read_yaml import read_yaml

from grader.course.program import NOTHING, operations
from grader.program import Program, chain, diamonds, leaf, program
from grader.runner.client import Run, ask, bounds
from grader.runner.worker.adapter import arrays
from grader.runner.worker.adapter.ask import Look, read_step
from grader.runner.worker.adapter.execute import _REFLECTED, _REFUSED, Graph, execute
from grader.runner.worker.adapter.given import FUNCTIONS, OPERATORS

FILE = "07_learner.py"
TENSOR = (Path(__file__).resolve().parents[4] / "solutions" / "24_tensor.py").read_text(encoding="utf-8")
Execute = Callable[..., Any]
Load = Callable[..., ModuleType]


def floats(result: list[Any]) -> list[float | str]:
    """Return the numbers of a `values`, `grads` or `numbers` result. Anything else stays a text."""
    return [token if token.startswith("!") else float.fromhex(token) for token in result[1]]


def results(outcome: list[Any]) -> list[Any]:
    """Return the results of a run without a problem."""
    assert outcome[0] == "done", outcome
    return list(outcome[1])


BOTH = program("L = a * b + a", a=2, b=-3)  # nodes: a, b, a * b, L


def with_function(closures: str, body: str) -> str:
    """Return the usual engine with a function `f(root)`."""
    return closures + "\ndef f(root, *more):\n" + "\n".join(f"    {line}" for line in body.splitlines()) + "\n"


# -- a table of programs -------------------------------------------------------------------------------

OPERATIONS = """
class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def __add__(self, other):
        return Value(self.data + getattr(other, "data", other))
    __radd__ = __add__
    def __sub__(self, other):
        return Value(self.data - getattr(other, "data", other))
    def __rsub__(self, other):
        return Value(other - self.data)
    def __mul__(self, other):
        return Value(self.data * getattr(other, "data", other))
    def __truediv__(self, other):
        return Value(self.data / getattr(other, "data", other))
    def __rtruediv__(self, other):
        return Value(other / self.data)
    def __pow__(self, exponent):
        return Value(self.data ** exponent)
    def __rpow__(self, base):
        return Value(base ** self.data)
    def __neg__(self):
        return Value(-self.data)
    def relu(self):
        return Value(max(0.0, self.data))
def tanh(x):
    return Value(x.data / 100)
"""
CASES = [
    fact | case for fact in read_yaml(Path(__file__).with_name("programs.yaml")) for case in fact.get("cases", [{}])
]
_HEX = re.compile(r"-?0x[0-9a-f.]+p[+-][0-9]+")


def plain(part: Any) -> Any:
    """Return a part of an answer with its numbers as floats, and the result of a function with its kind."""
    if isinstance(part, list) and part[:1] == ["called"]:
        given = [
            [kind, one]
            for kind, one in zip(("numbers", "nodes", "other", "truth"), part[1:], strict=True)
            if one is not None
        ]
        return plain(given[0] if given else ["nothing"])
    if isinstance(part, list):
        return [plain(one) for one in part]
    return float.fromhex(part) if isinstance(part, str) and _HEX.fullmatch(part) else part


def fits(expected: Any, found: Any) -> bool:
    """Return whether a part of an answer is the expected one, in which None stands for anything."""
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(fits, expected, found))
    return expected is None or (expected == found and isinstance(expected, bool) == isinstance(found, bool))


def file_of(case: dict[str, Any], engine: str) -> str:
    """Return the engine with the edits of a case."""
    for old, new in case.get("edits", ()):
        assert old in engine
        engine = engine.replace(old, new, 1)
    return f"{engine}\n{case.get('adds', '')}\n"


@every("case", CASES, ids=[case["fact"] for case in CASES])
def test_a_program_has_its_results(
    executed: Execute, engines: dict[str, str], shapes: dict[str, str], case: dict[str, Any]
) -> None:
    """The outcome has the results of a case of `programs.yaml`, or breaks off with its problem."""
    files = {**shapes, **engines, "operations": OPERATIONS}
    chosen = case.get("engine", "closure")
    for name in engines if chosen == "each" else [chosen] if isinstance(chosen, str) else chosen:
        source = file_of(case, files[name])
        *texts, values = case.get("program", ["L = a * b + a", {"a": 2, "b": -3}])
        steps = [[*arguments, step] for step, *arguments in case["steps"]]
        outcome = executed(source, program(*texts, **values), *steps, order_seed=case.get("order_seed", 0))
        if "gives" in case:
            assert fits(case["gives"], plain(outcome[1])), (name, outcome)
        if "breaks" in case:
            problem = [*case["breaks"]]
            if len(problem) > 4:
                problem[4] = [source[: source.index(text)].count("\n") + 1 for text in problem[4]]
            assert fits(problem, outcome[2][: len(problem)]), (name, outcome)
        assert ("broke" if "breaks" in case else "done") == outcome[0]


# -- building and reading ------------------------------------------------------------------------------


def test_a_rule_says_where_it_stands(executed: Execute, closures: str) -> None:
    """`rule` gives the lines of a closure that belongs to the operation.

    A leaf, and a node whose rule is None, have no such lines.
    """
    lines = closures.splitlines()
    first = next(i for i, line in enumerate(lines, 1) if "self.data * other.data" in line) + 1
    assert [["rule", "own", True, first, first + 2]] == results(executed(closures, BOTH, ask.LookAtRule(2)))
    assert [["rule", "input", True, 0, 0]] == results(executed(closures, BOTH, ask.LookAtRule(0)))
    head, _, mul = closures.rpartition("out._backward = run")
    called = f"{head}out._backward = run(){mul}"
    assert [["rule", "none", True, 0, 0]] == results(executed(called, BOTH, ask.LookAtRule(2)))


def test_a_single_leaf_is_a_program(executed: Execute, closures: str) -> None:
    """A program may have no operation."""
    _, grads, values = results(executed(closures, leaf(2.0), ask.Backward(0), ask.GRADS, ask.VALUES))
    assert ([1.0], [2.0]) == (floats(grads), floats(values))


@pytest.mark.parametrize(("leaf_type", "whole"), [("float", False), ("int", True)])
def test_whole_leaves_are_ints_where_a_run_says_so(leaf_type: str, whole: bool) -> None:
    """A leaf is given as `2.0`, or as `2` if the run asks for ints."""
    (_, first, *_), (_, second, *_) = Run(program("L = a * b", a=2, b=0.5), (), whole=whole).spell(BOTH.wire)[:2]
    assert [leaf_type] * 2 == [type(first).__name__, type(second).__name__]


def test_operations_in_place_are_sent_as_that() -> None:
    """If the left operand is a node, `x + y` is executed as `x += y`."""
    asked = program("b = 2 + a; L = b * a", a=3)
    assert ["leaf", "add", "imul"] == [op for op, *_ in Run(asked, (), in_place=True).spell(asked.wire)]


# -- steps ---------------------------------------------------------------------------------------------


def test_each_step_is_a_method_of_a_graph() -> None:
    """A step has the name of the method that takes it, and a field for each parameter of this method."""
    looks = [step.name for step in vars(ask).values() if isinstance(step, Look)]
    steps = {kind._field_defaults["name"]: kind._fields[:-1] for kind in get_args(ask.RunStep) if kind is not Look}
    for name, fields in {**dict.fromkeys(looks, ()), **steps}.items():
        _, *parameters = signature(getattr(Graph, name)).parameters
        assert [*fields] == parameters, name


def test_a_step_is_the_same_after_it_was_sent() -> None:
    """A step that is encoded as JSON and read again has the same type and the same fields."""
    for step in (
        ask.VALUES,
        ask.Backward(3),
        ask.Preload([(0, 1.5)]),
        ask.Train(3, 2, 0.5),
        ask.CallFunction("f", [("node", 1)]),
    ):
        read = read_step(json.loads(msgspec.json.encode(step)))
        assert (type(step), msgspec.json.encode(step)) == (type(read), msgspec.json.encode(read))


# -- local rules ---------------------------------------------------------------------------------------


def test_a_trace_is_cut_after_a_thousand_runs(executed: Execute, closures: str) -> None:
    """The answer stays small, however often a closure is called."""
    source = closures.replace("node._backward()", "[node._backward() for _ in range(1500)]")
    _, _, traced = results(executed(source, program("L = a * b", a=2, b=3), ask.WATCH, ask.Backward(2), ask.TRACED))
    assert len(traced[1]) == 1000


# -- calls ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["return Value(1.0)", "return [Value(1.0), root]", "return (root * root, root)"])
def test_a_node_made_besides_has_an_index_beyond_the_program(executed: Execute, closures: str, body: str) -> None:
    """A node that the engine made in addition to the program's nodes differs from an unknown object."""
    (returned,) = results(executed(with_function(closures, body), BOTH, ask.CallFunction("f", [("node", 3)])))
    index, *rest = returned[2]
    assert index >= 4
    assert rest in ([], [3])


def test_a_generator_without_end_is_cut(executed: Execute, closures: str) -> None:
    """An endless generator gives a list of bounded length."""
    source = with_function(closures, "while True:\n    yield 1.0")
    (returned,) = results(executed(source, BOTH, ask.CallFunction("f", [("node", 3)])))
    assert 8 <= len(returned[1]) <= 100


# -- order, budgets, batches ---------------------------------------------------------------------------


FIRST_INPUTS = "\ndef first_inputs(root):\n    return [next(iter(node._prev or [node])) for node in root]\n"


def test_a_large_graph_has_a_chosen_order_of_sets(executed: Execute, closures: str) -> None:
    """The order of the inputs of a node is the same wherever Python puts the nodes, and mixes early and late ones."""
    orders = []
    for layout in range(2):
        junk = [[None] * (size % 61) for size in range(4001 * layout)]
        del junk[::3]
        call = ask.CallFunction("first_inputs", [("nodes", list(range(5000)))])
        orders.append(results(executed(closures + FIRST_INPUTS, chain(5000), call, calls=100_000, order_seed=2)))
    assert orders[0] == orders[1]
    assert 2000 < orders[0][0][2].count(1) < 3000


WEAK = """
import weakref

class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad = data, 0.0
        self._prev = weakref.WeakSet(inputs)
        self._backward = lambda: None

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def run():
            for source in out._prev:
                source.grad += out.data / source.data * out.grad
        out._backward = run
        return out

    def backward(self):
        self.grad = 1.0
        self._backward()
        for source in self._prev:
            source._backward()
"""


def test_a_released_node_lives_as_long_as_its_users_hold_it(executed: Execute, closures: str) -> None:
    """Only weak references lose it. Its own gradient is not reported."""
    graph = program("L = (a * b) * c", a=2, b=-3, c=10)
    steps = (ask.Release(graph.root), ask.Backward(graph.root), ask.GRADS)
    index = graph.index
    for source, expected in ((closures, [-30.0, 20.0, -6.0]), (WEAK, [0.0, 0.0, -6.0])):
        *_, grads = results(executed(source, graph, *steps))
        assert expected == [floats(grads)[index[name]] for name in "abc"]
        assert floats(grads)[index["a * b"]] == 0.0


def test_inputs_are_read_for_every_node(executed: Execute, closures: str) -> None:
    """Leaves have none, and a node that is used twice counts once in a set."""
    graph = program("b = a * a; L = b + a", a=2)
    (inputs,) = results(executed(closures, graph, ask.INPUTS))
    assert ["inputs", [[], [0], [0, 1]]] == [inputs[0], [sorted(of_node) for of_node in inputs[1]]]


def handed(asked: Program, *grads: float) -> list[ask.Argument]:
    values = [node.value for node in asked.leaves]
    return [("function", (asked.wire, asked.root, grads)), ("numbers", values)]


TRIED = """
def tried(f, values):
    leaves = [Value(x) for x in values]
    result = f(*leaves)
    result.backward()
    values.append(0.5)
    return [result.data, *[leaf.grad for leaf in leaves], f(*[Value(x + 1) for x in values[:2]]).data]
"""


def test_a_function_is_handed_over_with_its_gradients(executed: Execute, closures: str) -> None:
    """Its value is that of the program, wherever it is computed. Its gradients are those of the table."""
    returned, left = results(
        executed(f"{closures}{TRIED}", NOTHING, ask.CallFunction("tried", handed(BOTH, 7.0, -0.25)), ask.GIVEN_NUMBERS)
    )
    assert [BOTH.values[BOTH.root], 7.0, -0.25] == floats(returned)[:3]
    assert BOTH.with_leaves([x + 1 for x in BOTH.values[:2]]).values[BOTH.root] == floats(returned)[3]
    assert [*BOTH.values[:2], 0.5] == floats(left)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ("f(Value(1.0))", "TypeError", "f() takes 2 positional arguments but 1 was given"),
        ("f(Value(1.0), 2.0)", "TypeError", "argument 2 of f() is of type float, but f() takes a Value"),
        (
            "f(Value(1.0), Value(Value(2.0)))",
            "TypeError",
            "argument 2 of f() is a Value that holds no number, but a Value",
        ),
    ],
)
def test_a_handed_function_takes_nodes(executed: Execute, closures: str, call: str, error: str, message: str) -> None:
    """The exception is raised in the line of the learner's file that calls the function."""
    source = f"{closures}\ndef tried(f, values):\n    return {call}\n"
    outcome = executed(source, NOTHING, ask.CallFunction("tried", handed(BOTH, 0.0, 0.0)))
    assert ["raised", error, message, [source.count("\n")]] == outcome[2][1:5]


def batch(*runs: tuple[Program, list[Any]], seeds: tuple[int, ...] = (0,), calls: int = 5000) -> dict[str, Any]:
    wire = [[asked.wire, steps] for asked, steps in runs]
    return {"runs": wire, "order_seeds": list(seeds), "calls": calls, "engine": True}


def test_a_batch_has_an_outcome_for_each_seed_and_run(loaded: Load, closures: str) -> None:
    """Every run is executed once under every order seed. The reading comes first."""
    asked = batch((BOTH, [ask.VALUES]), (leaf(1.0), []), seeds=(0, 1, 2, 3))
    read, wire, seeds = execute(loaded(closures), FILE, asked)
    assert (read, wire[0]) == ("read", "Value")
    assert [[outcome[0] for outcome in outcomes] for outcomes in seeds] == [["done", "done"], *[["same", "same"]] * 3]


def test_an_outcome_that_differs_between_seeds_is_told_each_time(loaded: Load, closures: str) -> None:
    """An outcome that is equal to that of the first order seed is `same`. Any other is given in full."""
    source = closures + "def first(node):\n    return [next(iter(node._prev))]\n"
    asked = batch((BOTH, [ask.CallFunction("first", [("node", 3)])]), (leaf(1.0), []), seeds=(0, 1))
    _, _, (one, other) = execute(loaded(source), FILE, asked)
    assert ["done", "done"] == [outcome[0] for outcome in one]
    assert ["done", "same"] == [outcome[0] for outcome in other]
    assert one[0] != other[0]


def test_a_row_in_short_makes_the_same_nodes(loaded: Load, closures: str) -> None:
    """A chain in its short form gives the same nodes as one with every operation spelled out."""
    made = chain(50)
    answers = []
    for wire in (made.sent, made.wire):
        asked = {"runs": [[wire, [ask.VALUES, ask.Backward(made.root), ask.GRADS]]], "order_seeds": [0]}
        answers.append(execute(loaded(closures), FILE, asked | {"calls": 5000, "engine": True}))
    assert len(made.sent) < 10
    assert answers[0] == answers[1]


def test_one_broken_run_leaves_the_others(loaded: Load, closures: str) -> None:
    """An exception ends only the present run. The runs before and after it are complete."""
    asked = batch((leaf(1.0), []), (program("L = a / b", a=1, b=2), []), (leaf(2.0), []))
    _, _, (outcomes,) = execute(loaded(closures), FILE, asked)
    assert ["done", "broke", "done"] == [outcome[0] for outcome in outcomes]


def test_once_the_budget_is_spent_nothing_more_is_run(loaded: Load, closures: str) -> None:
    """After a run that used up its calls, the rest of the batch is left out, under every order seed."""
    source = closures.replace("visit(source)", "visit(source); seen.clear()")
    asked = batch((leaf(1.0), []), (diamonds(30), [ask.Backward(diamonds(30).root)]), (leaf(2.0), []), seeds=(0, 1))
    _, _, (first, second) = execute(loaded(source), FILE, asked)
    assert ("done", "broke", "calls", None) == (first[0][0], first[1][0], first[1][2][1], first[2])
    assert [None] * 3 == second


def test_after_calls_that_are_nested_too_deeply_nothing_more_is_run(loaded: Load, closures: str) -> None:
    """Each later run would make a thousand nested calls as well."""
    asked = batch((leaf(1.0), []), (diamonds(3), [ask.Backward(diamonds(3).root)]), (leaf(2.0), []), seeds=(0, 1))
    source = closures.replace("def backward(self):", "def backward(self):\n        self.backward()")
    _, _, (first, second) = execute(loaded(source), FILE, asked)
    assert ("done", "broke", "RecursionError", None) == (first[0][0], first[1][0], first[1][2][2], first[2])
    assert [None] * 3 == second


def test_each_run_has_a_budget_of_its_own(loaded: Load, closures: str) -> None:
    """Calls are counted for each run."""
    runs = [(program("L = a + b", a=1, b=2), [ask.VALUES])] * 50
    _, _, (outcomes,) = execute(loaded(closures), FILE, batch(*runs, calls=20))
    assert {"done"} == {outcome[0] for outcome in outcomes}


def test_a_file_that_is_no_engine_is_unread(loaded: Load) -> None:
    """A file that is not readable as an engine gives one problem for the whole batch."""
    answer = execute(loaded("x = 1\n"), FILE, batch((leaf(1.0), [])))
    assert answer == ["unread", ["reading", "shape", "no_class", "", [], [], []]]


def test_without_an_engine_functions_are_called_with_numbers(loaded: Load) -> None:
    """A file with only functions needs no class, and no node is built."""
    asked = batch((Program((), 0, ""), [ask.CallFunction("half", [("number", 3.0)])]))
    read, wire, ((outcome,),) = execute(loaded("def half(x):\n    return x / 2\n"), FILE, asked | {"engine": False})
    assert (read, wire[1:]) == ("read", ["data", "grad", "", "", "", False])
    assert [["numbers", [1.5]]] == plain(results(outcome))


def test_each_call_gets_a_list_of_its_own(loaded: Load) -> None:
    """What a function changes in its list, or in a list in it, the next call does not see."""
    source = "def f(pairs):\n    pairs[0].append(9)\n    pairs.append([])\n    return [*pairs[0], len(pairs)]\n"
    call = ask.CallFunction("f", [("list", [[3, 4]])])
    asked = batch((Program((), 0, ""), [call, call])) | {"engine": False}
    (outcome,) = execute(loaded(source), FILE, asked)[2][0]
    assert [["numbers", [3.0, 4.0, 9.0, 2.0]]] * 2 == plain(results(outcome))


@every(
    ("body", "expected"),
    [
        ("x.sum(axis=0)", [[3], "float64", [5.0, 7.0, 9.0]]),
        ("x.reshape(shape)", [[3, 2], "float64", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]),
        ("x.sum()", [[], "float64", [21.0]]),
        ("[[1, 2.5]]", [[1, 2], "list", [1.0, 2.5]]),
        ("type(x)(shape=(9, 9))", [[9, 9], "float64", []]),
    ],
)
def test_a_function_that_gets_an_array_returns_one(loaded: Load, body: str, expected: list[Any]) -> None:
    """A shape is a tuple. The answer has the shape, the type and the numbers. A large array has no numbers."""
    source = f"import numpy\ndef f(x, shape):\n    assert type(shape) is tuple\n    return {body}\n"
    arrays.learn_numpy()
    call = ask.CallFunction("f", [("array", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), ("shape", (3, 2))])
    (outcome,) = execute(loaded(source), FILE, batch((Program((), 0, ""), [call])) | {"engine": False})[2][0]
    (answer,) = results(outcome)
    assert ["called", None, None, None, None, expected] == [*answer[:5], plain(answer[5])]


@every(("returned", "expected"), [("None", ["nothing"]), ("str(x)", ["other", "str"]), ("(x, x)", ["other", "tuple"])])
def test_a_function_that_gets_an_array_may_return_none(loaded: Load, returned: str, expected: list[Any]) -> None:
    """An object that is not an array is reported by the name of its type."""
    call = ask.CallFunction("f", [("array", [1.0, 2.0])])
    asked = batch((Program((), 0, ""), [call])) | {"engine": False}
    (outcome,) = execute(loaded(f"def f(x):\n    return {returned}\n"), FILE, asked)[2][0]
    assert [expected] == plain(results(outcome))


def test_a_function_gets_a_node_of_an_array_and_numbers_and_makes_another_one(loaded_shape: Load) -> None:
    """Its result is a node of the program, with the values and the gradients of an array."""
    source = TENSOR + "\ndef times(x, numbers):\n    return x * (numbers[0] + numbers[1])\n"
    made = program("h = times(a, [2, 3]); L = sum(h * b)", "h = a * 5; L = sum(h * b)", a=[[1, -2]], b=[[4, 0.5]])
    asked = batch((made, [ask.VALUES, ask.Backward(made.root), ask.GRADS])) | {"most": 2}
    (outcome,) = execute(loaded_shape(source), FILE, asked)[2][0]
    values, _, grads = plain(results(outcome))
    assert [[1, 2], "float64", [5.0, -10.0]] == values[2][2]
    assert [[[1, 2], "float64", numbers] for numbers in ([20.0, 2.5], [5.0, -10.0], [4.0, 0.5])] == grads[2][:3]


def test_a_constructor_without_end_is_unread(loaded: Load) -> None:
    """Reading the engine has a budget of calls, too."""
    source = (
        "class Value:\n    def __init__(self, x):\n        while self.m(): pass\n    def m(self):\n        return 1\n"
    )
    answer = execute(loaded(source), FILE, batch((leaf(1.0), [])))
    assert answer[0] == "unread"
    assert answer[1][:2] == ["reading", "calls"]


def test_the_worker_knows_the_operators_of_the_table() -> None:
    """The worker imports nothing of the grader, so it has lists of its own, which are the same."""
    table = {name: operation.compute for name, operation in operations.OPERATIONS.items() if operation.symbol}
    methods = {symbol: operations.METHODS[name] for name, symbol in operations.BINARY.items()}
    assert (table, operations.REFLECTED) == (OPERATORS, _REFLECTED)
    assert [{"-": operations.METHODS["neg"]}, methods] == list(_REFUSED.values())


def test_the_worker_computes_the_functions_of_the_table() -> None:
    """A function that is handed to the learner's code has the values of the table."""
    others = [one for one in operations.ELEMENTWISE.values() if one.symbol is None]
    assert {one.name for one in others} == set(FUNCTIONS)
    cases = [
        (one, x) for one in others for (x,) in (*one.numbers, *(case for _, _, more in one.cases for case in more))
    ]
    wanted = [one.compute(x) for one, x in cases]
    assert wanted == [FUNCTIONS[one.name](x) for one, x in cases]


# -- the same leaves again -----------------------------------------------------------------------------


BY_ID = """
GRADS = {}
KEPT = []
Value.grad = property(lambda v: GRADS.get(id(v), 0.0), lambda v, grad: GRADS.__setitem__(id(v), grad))
"""


@pytest.mark.parametrize(
    ("expected", "also"),
    [([0.0, 0.0, 1.0, 1.0], ""), ([0.0] * 4, "; KEPT.append(self)")],
    ids=["nobody keeps them", "the file keeps them"],
)
def test_nodes_made_anew_take_the_ids_of_those_that_died(
    executed: Execute, closures: str, expected: list[float], also: str
) -> None:
    """New nodes get the ids of removed nodes, so an engine that keeps gradients by `id()` finds old ones.

    A node that still exists keeps its id.
    """
    init = "self.data, self.grad, self._prev = data, 0.0, set(_prev)"
    source = closures.replace(init, "self.data, self._prev = data, set(_prev)" + also) + BY_ID
    *_, again = results(executed(source, BOTH, ask.Backward(3), ask.ANEW, ask.GRADS))
    assert expected == floats(again)


# -- the log of a training ------------------------------------------------------------------------------------

LOGGED = program("L = a * b", a=2, b=3)
LOOP = """
def train(loss_of, parameters, steps, rate):
    for _ in range(steps):
        loss = loss_of()
        {clear}
        loss.backward()
        for p in parameters:
            p.data -= rate * p.grad
        Value(7.0)
"""


@pytest.mark.parametrize("clear", ["for p in parameters: p.grad = 0.0", "for p in parameters: vars(p)['grad'] = 0.0"])
def test_a_log_has_what_happens_to_the_leaves(executed: Execute, closures: str, clear: str) -> None:
    """The log has losses, passes and changes of leaves in their order, even those without a write to an attribute."""
    steps = (ask.Preload([(0, 1.0), (1, 1.0)]), ask.LOG, ask.Train(2, 1, 0.5), ask.EVENTS)
    *_, (tag, events, complete) = results(executed(closures + LOOP.format(clear=clear), LOGGED, *steps))
    assert ("log", True) == (tag, complete)
    assert [
        ["loss", 0, 6.0],
        ["grad", 0, 0.0],
        ["grad", 1, 0.0],
        ["pass", 0, 6.0],
        ["left", 0, 3.0],
        ["left", 1, 2.0],
        ["data", 0, 0.5],
        ["data", 1, 2.0],
        ["made", -1, 7.0],
    ] == [[kind, place, float.fromhex(number)] for kind, place, number in events]


def test_a_log_is_cut(executed: Execute, closures: str) -> None:
    """A log holds at most `EVENTS` events, and says that others are left out."""
    more = closures + "\ndef many(nodes):\n    for k in range(1001):\n        nodes[0].data = float(k)\n"
    steps = (ask.LOG, ask.CallFunction("many", [("nodes", [0])]), ask.EVENTS)
    (*_, (_, events, complete)) = results(executed(more, LOGGED, *steps))
    assert (bounds.EVENTS, False) == (len(events), complete)


def test_nothing_is_watched_after_a_log(loaded: Load, closures: str) -> None:
    """The class is as before, also if the run broke."""
    module = loaded(closures + LOOP.format(clear="raise ValueError"))
    run = [LOGGED.sent, [ask.LOG, ask.Train(2, 1, 0.5), ask.EVENTS]]
    execute(module, FILE, {"runs": [run], "order_seeds": [0], "calls": 1000, "engine": True})
    assert {"grad", "data"}.isdisjoint(vars(module.Value))
    assert module.Value.backward.__code__.co_freevars == ()
