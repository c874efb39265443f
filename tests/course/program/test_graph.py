import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from every import every
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.course.program import Descent, Leaf, Number, Op, ProgramError, Question, tree
from grader.program import Program, braids, chain, diamonds, draw, leaf, number_text, program

A, B = Leaf("a", 2.0), Leaf("b", -3.0)


@every(
    "nodes",
    [
        pytest.param((A, Op("L", "add", (0, 1))), id="itself"),
        pytest.param((A, Op("L", "add", (0, 2)), B), id="a later node"),
        pytest.param((A, Op("L", "add", (0, 9))), id="no node at all"),
        pytest.param((A, Op("L", "neg", (-1,))), id="counted from the end"),
    ],
)
def test_operands_are_earlier_nodes(nodes: tuple[Leaf | Op, ...]) -> None:
    """A program whose operation uses anything but an earlier node cannot be made."""
    with pytest.raises(ProgramError, match="L uses a node that comes after it"):
        Program(nodes, 0, "L")


def test_names_are_unique() -> None:
    """Two nodes of one name cannot be made: nobody could say which is meant."""
    with pytest.raises(ProgramError, match="two nodes share a name"):
        Program((A, Leaf("a", 3.0)), 0, "a")


def test_inputs_count_every_use() -> None:
    """A node used twice is an input twice; a plain number is none."""
    assert (3, 3) == Op("L", "mul", (3, 3)).inputs
    assert (1,) == Op("L", "mul", (Number(2), 1)).inputs


def test_inputs_users_and_methods_of_a_program() -> None:
    """A node has an input for each use, and each user once. A number on the left calls a reflected method."""
    p = program("c = a * a; d = c + b; L = d + relu(1 - c)", a=2, b=3)
    places = {name: p.index[name] for name in ("a", "b", "c", "d")}
    less = p.inputs[p.root][1] - 1
    assert (places["a"], places["a"]) == p.inputs[places["c"]]
    assert [places["c"]] == p.users[places["a"]]
    assert [places["d"], less] == p.users[places["c"]]
    assert [] == p.users[p.root]
    assert {"__mul__", "__add__", "relu", "__rsub__"} == p.methods
    assert {("__mul__", False), ("__add__", False), ("relu", False), ("__rsub__", True)} == p.calls
    assert {"mul", "add", "rsub", "relu"} == p.operations


def test_the_wire_form_has_no_names() -> None:
    """On the wire a program is lists of operations, indices and numbers."""
    expected = [["leaf", 2.0], ["leaf", -3.0], ["mul", 0, 1], ["pow", 2, ["number", 2]], ["neg", 3]]
    assert expected == program("c = a * b; d = c ** 2; L = -d", a=2, b=-3).wire


def test_the_key_is_pinned() -> None:
    """Shipped answers are found by this key: a change here makes every answer book stale."""
    expected = "0c9455d8cd74f9bd3300ad83a1688b0dc19fa1aec2682f9c810ac144c04af873"
    assert expected == program("L = a * b + 2", a=2, b=-3).key


def test_nodes_are_found_by_name() -> None:
    """`index` says where each name stands, `leaves` which nodes have a value."""
    parsed = program("c = a * b; L = c + a", a=2, b=-3)
    assert {"a": 0, "b": 1, "c": 2, "L": 3} == parsed.index
    assert (A, B) == parsed.leaves


@every(
    ("given_program", "expected"),
    [
        (program("L = a * a", a=3), "L = a * a    with a = 3"),
        (program("L = a / b", a=0.5, b=-2), "L = a / b    with a = 0.5, b = -2"),
        (Program((), 0, "nothing"), "nothing"),
    ],
)
def test_a_program_as_a_learner_reads_it(given_program: Program, expected: str) -> None:
    """The text, and the leaves' values after it."""
    assert expected == given_program.shown


@every(
    ("value", "expected"),
    [(3.0, "3"), (3, "3"), (-2.25, "-2.25"), (0.1, "0.1"), (-0.0, "0"), (1e14, "100000000000000"), (1e16, "1e+16")],
)
def test_numbers_as_a_learner_would_write_them(value: float, expected: str) -> None:
    """Whole numbers have no point, large ones an exponent."""
    assert expected == number_text(value)


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_number_text_loses_nothing(value: float) -> None:
    """The text of a number is that number again."""
    assert value == float(number_text(value))


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_values_survive_the_wire(value: float) -> None:
    """A leaf's value is the same float on the wire, to the sign of zero."""
    ((_, sent),) = Program((Leaf("a", value),), 0, "a").wire
    assert isinstance(sent, float)
    assert (value, math.copysign(1, value)) == (sent, math.copysign(1, sent))


@pytest.mark.parametrize(
    ("expected", "at_first"), [((-3.0, 2.0, 1.0, 1.0, 1.0), 0.0), ((-5.0, 5.0, 2.0, 2.0, 1.0), 1.0)]
)
def test_the_gradients_of_a_program(expected: tuple[float, ...], at_first: float) -> None:
    """They follow from the local derivatives. If every gradient is 1 at first, that of e counts twice."""
    p = program("e = a * b; L = e + c", a=2, b=-3, c=10)
    assert expected == p.gradients(at_first)


def test_a_value_that_is_not_defined_is_nan() -> None:
    """No error of float arithmetic is raised."""
    p = program("b = log(a); L = a / c", a=-1, c=0)
    assert [-1.0, 0.0] == [value for value in p.values if not math.isnan(value)]
    assert all(math.isnan(grad) for grad in p.gradients()[:2])


def test_a_leaf_alone() -> None:
    """A single node has the derivative 1 with respect to itself."""
    assert ((-2.5,), (1.0,)) == (leaf(-2.5).values, leaf(-2.5).gradients())


@every("length", [3, 4, 10, 50])
def test_a_chain(length: int) -> None:
    """`length` nodes; each link adds b, so b counts once for each of them."""
    made = chain(length)
    assert (length, 1 + 0.5 * (length - 2)) == (len(made.nodes), made.values[made.root])
    assert (1.0, length - 2) == made.gradients()[:2]


@pytest.mark.slow
def test_a_long_chain_is_made_at_once() -> None:
    """100,000 nodes are no recursion."""
    made = chain(100_000)
    assert (100_000, 99_999) == (len(made.nodes), made.root)
    assert "x = a; x = x + b, 99,998 times    with a = 1, b = 0.5" == made.shown


def test_a_chain_is_the_program_that_it_stands_for() -> None:
    """A short chain is the same program as the one written out."""
    assert program("x2 = a + b; x3 = x2 + b; x4 = x3 + b", a=1, b=0.5).key == chain(5).key


@every("count", [1, 2, 10, 40])
def test_stacked_diamonds(count: int) -> None:
    """Three nodes for each diamond; the derivative by x is (1 + a) to the number of diamonds."""
    made = diamonds(count)
    assert 3 + 3 * count == len(made.nodes)
    assert 1.25**count == pytest.approx(made.gradients()[0], rel=1e-12)


def test_a_tree_has_few_levels_and_many_nodes() -> None:
    """The derivative by a is b for each product."""
    made = tree(9)
    assert (2 + 512 + 511, 512 * 0.5) == (len(made.nodes), made.gradients()[0])


def test_diamonds_are_the_program_that_they_stand_for() -> None:
    """Two diamonds are the same program as the one written out."""
    written = "l = x * a; r = x + b; y = l + r; m = y * a; s = y + b; z = m + s"
    assert program(written, x=1, a=0.25, b=0.5).key == diamonds(2).key


def test_braids_have_nodes_with_three_users_or_more() -> None:
    """They have few paths, so that an engine that follows each path is not cut off by a limit."""
    for braid in braids():
        assert max(map(len, braid.users)) in (3, 4)
        paths = [1] * len(braid.nodes)
        for index, inputs in enumerate(braid.inputs):
            paths[index] += sum(paths[one] for one in set(inputs))
        assert paths[braid.root] < 1_000


START = program("L = a * b + 2", a=2, b=-3)


def test_the_question_holds_the_start_and_the_steps() -> None:
    """The oracle is asked with the values before the first step, the rate and the number of steps."""
    assert [*START.question, 0.1, 3] == Descent(START, 0.1, 3).question


def test_the_question_says_who_takes_the_steps_and_which_leaves_stay() -> None:
    """Only if it is Adam, or if a leaf keeps its value, so that other keys stay the same. A leaf may be an array."""
    assert [*START.question, 0.1, 3, False, [1]] == Descent(START, 0.1, 3, fixed=("b",)).question
    adam = Descent(program("L = a.sum()", a=[[1, 2, 3]]), 0.1, 3, adam=True)
    assert [True, []] == adam.question[-2:]
    assert (6, 0) == adam.sizes
    assert adam.shown.endswith("after 3 steps of Adam at rate 0.1")


def test_the_key_of_a_descent_is_pinned() -> None:
    """Shipped answers are found by this key: a change here makes every answer book stale."""
    expected = "541e39495cc964311669d64323f61d6d58616a5f7c80fa01af40e9022d0aebb8"
    assert expected == Descent(START, 0.1, 3).key


def test_the_key_depends_on_program_rate_and_steps() -> None:
    """Each of the three makes another key, and none is that of the program itself; names make none."""
    renamed = program("z = x * y + 2", x=2, y=-3)
    other = program("L = a * b + 2", a=2, b=3)
    asked: list[Question] = [
        START,
        *(Descent(p, rate, steps) for p in (START, other) for rate in (1, 0.5) for steps in (1, 2)),
    ]
    assert len(asked) == len({question.key for question in asked})
    assert Descent(START, 1, 2).key == Descent(renamed, 1.0, 2).key


def test_it_is_shown_as_a_program_and_its_steps() -> None:
    """A message can say which program it is about, and how far the descent has gone."""
    expected = "L = a * b + 2    with a = 2, b = -3, after 3 steps of gradient descent at rate 0.1"
    assert expected == Descent(START, 0.1, 3).shown


@every(("rate", "steps"), [(0.1, 0), (0.1, -1), (math.nan, 1), (math.inf, 1)])
def test_no_steps_or_an_endless_rate_are_refused(rate: float, steps: int) -> None:
    """Before the first step the program is itself; a rate has to be finite."""
    with pytest.raises(ProgramError, match="a descent needs at least 1 step and a finite rate"):
        Descent(START, rate, steps)


FUNCTIONS: dict[str, Callable[[float], float]] = {
    "relu": lambda x: max(0.0, x),
    "tanh": math.tanh,
    "exp": math.exp,
    "log": math.log,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
}
OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "neg": operator.neg,
    **FUNCTIONS,
}
VALUES = {"a": 2.0, "b": -0.75, "c": 1.5}

numbers = st.sampled_from(["2", "0.5", "-3", "1e-2", "7"])
names = st.sampled_from(sorted(VALUES))


@st.composite
def nested(draw: st.DrawFn, depth: int = 4) -> str:
    """An expression with at least one name in every operation, bracketed wherever it is put together."""
    shape = draw(st.sampled_from(["name", "join", "number first", "number last", "function", "minus"]))
    if depth == 0 or shape == "name":
        return draw(names)
    inner = draw(nested(depth - 1))
    if shape == "function":
        return f"{draw(st.sampled_from(sorted(FUNCTIONS)))}({inner})"
    if shape == "minus":
        return f"(-{inner})"
    sign = draw(st.sampled_from(["+", "-", "*", "/", "**"]))
    if shape == "number first":
        return f"({draw(numbers)} {sign} {inner})"
    if shape == "number last":
        return f"({inner} {sign} {draw(numbers)})"
    return f"({inner} {sign} {draw(nested(depth - 1))})"


@st.composite
def flat(draw: st.DrawFn) -> str:
    """An expression without a bracket: only precedence says what belongs together."""
    parts = [draw(st.sampled_from(["", "-"])) + draw(names)]
    for _ in range(draw(st.integers(1, 5))):
        parts += [draw(st.sampled_from(["+", "-", "*", "/", "**"])), draw(st.sampled_from(["", "-"])) + draw(names)]
    return " ".join(parts)


def outcome(compute: Callable[[], Any]) -> str:
    """What came out, nan and complex numbers included, or what was raised."""
    try:
        return repr(compute())
    except (ArithmeticError, TypeError, ValueError) as error:
        return type(error).__name__


def evaluate(of: Program) -> Any:
    values: list[Any] = []
    for node in of.nodes:
        if isinstance(node, Leaf):
            values.append(node.value)
        else:
            operands = [o.value if isinstance(o, Number) else values[o] for o in node.operands]
            values.append(OPERATIONS[node.op](*operands))
    return values[of.root]


def leaves_of(text: str) -> dict[str, float]:
    return {name: value for name, value in VALUES.items() if re.search(rf"\b{name}\b", text)}


def ops_of(of: Program) -> list[str]:
    return [node.op for node in of.nodes if isinstance(node, Op)]


@pytest.mark.slow
@settings(max_examples=200)
@given(text=st.one_of(nested(), flat()).filter(lambda text: text not in VALUES))
def test_a_program_computes_what_python_does(text: str) -> None:
    """Evaluating the parsed program in plain floats gives what Python gives for the text, to the last bit."""
    leaves = leaves_of(text)
    parsed = program(text, **leaves)
    assert outcome(lambda: eval(text, {**FUNCTIONS, **leaves})) == outcome(lambda: evaluate(parsed))


@pytest.mark.slow
@settings(max_examples=100)
@given(text=nested().filter(lambda text: text not in VALUES))
def test_the_key_does_not_depend_on_the_names_of_leaves(text: str) -> None:
    """Renaming every leaf leaves the key as it is."""
    leaves = leaves_of(text)
    renamed = re.sub(r"\b[abc]\b", lambda match: f"leaf_{match[0]}", text)
    expected = program(text, **leaves).key
    assert expected == program(renamed, **{f"leaf_{name}": value for name, value in leaves.items()}).key


@settings(max_examples=50)
@given(seed=st.text(max_size=5))
def test_the_key_does_not_depend_on_the_names_of_operations(seed: str) -> None:
    """Calling every node something else leaves the key as it is."""
    (drawn,) = draw(seed, 1, sizes=(8, 8))
    nodes = tuple(
        Leaf(f"node {i}", node.value) if isinstance(node, Leaf) else Op(f"node {i}", node.op, node.operands)
        for i, node in enumerate(drawn.nodes)
    )
    assert drawn.key == Program(nodes, drawn.root, "").key


@every(
    ("one", "other"),
    [
        ("(a + b) * c", "L = (a + b) * c"),
        ("L = (a + b) * c", "d = a + b; L = d * c"),
        ("d = a + b; L = d * c", "d = a + b\n\n  L = d * c  "),
        ("L = relu(a * b) + c", "L = (a * b).relu() + c"),
        ("L = a*b+c", "M = a * b + c  # a remark"),
        ("L = (a +\n b) * c", "L = (a + b) * c"),
    ],
)
def test_two_ways_to_write_one_program(one: str, other: str) -> None:
    """Line ends, remarks, names of steps and the two forms of a function do not change the key."""
    assert program(one, **VALUES).key == program(other, **VALUES).key


@every(
    ("one", "other"),
    [
        (program("a + b", a=1, b=2), program("a + b", a=1, b=3)),
        (program("a + b", a=1, b=2), program("a * b", a=1, b=2)),
        (program("a - b", a=1, b=2), program("b - a", a=1, b=2)),
        (program("a + a", a=1), program("a + 1", a=1)),
        (program("b = a * 2; L = a * 3", a=1), program("b = a * 3; L = a * 2", a=1)),
        (program("b = a + a; c = a + b", a=1), program("b = a + a; c = b + b", a=1)),
    ],
)
def test_other_programs_have_other_keys(one: Program, other: Program) -> None:
    """Values, operations, operands and their order all count."""
    assert one.key != other.key


@every("function", sorted(FUNCTIONS))
def test_a_function_may_be_written_as_a_method(function: str) -> None:
    """`relu(a)` and `a.relu()` are the same operation."""
    assert [function] == ops_of(program(f"a.{function}()", a=1)) == ops_of(program(f"{function}(a)", a=1))


@every(
    ("text", "ops"),
    [
        ("-a ** 2", ["pow", "neg"]),
        ("(-a) ** 2", ["neg", "pow"]),
        ("a ** b ** c", ["pow", "pow"]),
        ("a - b - c", ["sub", "sub"]),
        ("a + b * c", ["mul", "add"]),
        ("-2 * a", ["mul"]),
        ("a - -b", ["neg", "sub"]),
    ],
)
def test_operations_stand_in_the_order_of_evaluation(text: str, ops: list[str]) -> None:
    """Inner operations come first; a minus before a number belongs to the number."""
    assert ops == ops_of(program(text, **leaves_of(text)))


def test_a_plain_number_stays_what_it_is() -> None:
    """A number in an operation is no node, and an int stays an int."""
    parsed = program("L = 2 * a - 0.5", a=3)
    assert (Leaf("a", 3.0), Op("2 * a", "mul", (Number(2), 0)), Op("L", "sub", (1, Number(0.5)))) == parsed.nodes


def test_leaves_stand_first_in_the_order_given() -> None:
    """The leaves' order is that of the keyword arguments, whatever the text uses first."""
    assert ["b", "a", "L"] == [node.name for node in program("a * b", b=1, a=2).nodes]


def test_steps_without_a_name_are_called_after_what_they_compute() -> None:
    """An inner step is called by its expression; the same expression again gets a number."""
    parsed = program("L = (a * b) + (a * b)", a=1, b=2)
    assert ["a", "b", "a * b", "a * b #2", "L"] == [node.name for node in parsed.nodes]


def test_the_last_line_is_the_root() -> None:
    """The root is the node assigned last."""
    assert "d" == program("c = a + 1; d = a * 2", a=1).root_name


def test_the_text_is_kept_on_one_line() -> None:
    """Lines become statements with `; ` between them."""
    assert "b = a + a; L = b * b" == program("\n  b = a + a\n  L = b * b\n", a=1).text


@every(
    ("text", "says"),
    [
        ("", "it is empty"),
        ("# nothing", "it is empty"),
        ("a +", "not an expression"),
        ("a + + ", "not an expression"),
        ("a b", "not an expression"),
        ("a\0b", "not an expression"),
        ("a + z", "z has no value"),
        ("1 + 2 + a", "`1 + 2` has only numbers as operands"),
        ("exp(2) * a", "`exp(2)` has only numbers as operands"),
        ("L = a", "L is not an operation, only another name"),
        ("L = 3", "L is not an operation, only another name"),
        ("a = a + 1", "a is defined twice"),
        ("b = a + 1; b = a * 2", "b is defined twice"),
        ("b = c = a + 1", "every line must be an assignment"),
        ("b: float = a + 1", "every line must be an assignment"),
        ("b, c = a + 1", "every line must be an assignment"),
        ("b += a", "every line must be an assignment"),
        ("a + 1; a + 2", "every line must be an assignment"),
        ("import os; L = a + 1", "every line must be an assignment"),
        ("a // 2", "is not supported in programs"),
        ("a % 2", "is not supported in programs"),
        ("a @ a", "`a @ a` needs a leaf that is an array"),
        ("+a", "is not supported in programs"),
        ("~a", "is not supported in programs"),
        ("a < 2", "is not supported in programs"),
        ("f(a)", "is not supported in programs"),
        ("neg(a)", "is not supported in programs"),
        ("a.f()", "is not supported in programs"),
        ("relu(a, a)", "is not supported in programs"),
        ("relu(x=a)", "is not supported in programs"),
        ("relu(*a)", "is not supported in programs"),
        ("a.relu(a)", "is not supported in programs"),
        ("a.data * 2", "is not supported in programs"),
        ("a[0] + 1", "a[0] has no value"),
        ("a + True", "is not supported in programs"),
        ("a + 2j", "is not supported in programs"),
        ("a + 'b'", "is not supported in programs"),
        ("(lambda: a)() + 1", "is not supported in programs"),
        ("__import__('os') + a", "is not supported in programs"),
    ],
)
def test_anything_else_is_a_program_error(text: str, says: str) -> None:
    """A text that is not a program is refused with the reason."""
    with pytest.raises(ProgramError, match=re.escape(says)):
        program(text, a=1)


@every(
    "text",
    [
        pytest.param("a" + " + a" * 3000, id="long sum"),
        pytest.param("-" * 3000 + "a", id="many signs"),
        pytest.param("a" + ".relu()" * 3000, id="many methods"),
        pytest.param("(" * 500 + "a" + ")" * 500, id="many brackets"),
        pytest.param("\ud800 + a", id="lone surrogate"),
        pytest.param("a * 1e999", id="infinite number"),
        pytest.param("a * " + "9" * 400, id="integer beyond every float"),
        pytest.param("a * " + "9" * 5000, id="integer beyond Python's limit"),
    ],
)
def test_what_python_itself_cannot_take_is_a_program_error(text: str) -> None:
    """Neither a limit of Python's nor a number without a float comes out as anything else."""
    with pytest.raises(ProgramError):
        program(text, a=1)


@settings(max_examples=200)
@given(text=st.one_of(st.text(max_size=30), st.text("ab L=+-*/().;\n#'0123e", max_size=30)))
def test_whatever_is_written_is_a_program_or_a_program_error(text: str) -> None:
    """No text at all makes the parser fail in any other way, and what it takes has a key."""
    try:
        parsed = program(text, a=1.0, b=2.0)
    except ProgramError:
        return
    assert 64 == len(parsed.key)


@every("value", [math.nan, math.inf, -math.inf])
def test_a_leaf_must_be_finite(value: float) -> None:
    """A leaf that is infinite or no number is refused."""
    with pytest.raises(ProgramError, match="is not finite"):
        program("a + 1", a=value)


def test_a_leaf_must_be_used() -> None:
    """A value that nothing uses is a slip of whoever wrote the check."""
    with pytest.raises(ProgramError, match="b, c has a value but is not used"):
        program("a + 1", a=1, b=2, c=3)


def test_an_error_shows_the_expression() -> None:
    """The message begins with what was written."""
    with pytest.raises(ProgramError, match=re.escape("'b = a + 1; L = b % 2': ")):
        program("b = a + 1\nL = b % 2", a=1)


@pytest.mark.parametrize(("seed", "ops"), [("x", ("add", "mul")), ("y", ("sub", "div", "pow", "neg", "tanh"))])
def test_the_text_of_a_drawn_program_parses_back(seed: str, ops: Sequence[str]) -> None:
    """A random program's text with its leaves' values is the same program."""
    for drawn in draw(seed, 20, ops=ops, numbers=True):
        assert drawn.key == program(drawn.text, **{leaf.name: leaf.value for leaf in drawn.leaves}).key


# -- nodes that a function of the learner's file makes

PAIR = program("p, q = half([a, b], 2); L = p * q", "p = a / 2; q = b / 2; L = p * q", a=3, b=-8)


def test_a_function_makes_a_node_for_each_name() -> None:
    """The wire names the call and the place of each result, and the numbers of the nodes are those of `truth`."""
    call = ["p", "half", (("nodes", (0, 1)), ("number", 2))]
    wire = [["leaf", 3.0], ["leaf", -8.0], ["made", [*call, 0, 2], 0, 1], ["made", [*call, 1, 2], 0, 1], ["mul", 2, 3]]
    assert wire == PAIR.wire
    assert (3.0, -8.0, 1.5, -4.0, -6.0) == PAIR.values
    assert (-2.0, 0.75, -4.0, 1.5, 1.0) == PAIR.gradients()
    assert "p, q = half([a, b], 2); L = p * q    with a = 3, b = -8" == PAIR.shown
    assert {PAIR} == {PAIR, PAIR.following(PAIR.truth or PAIR)}


def test_leaves_that_only_one_text_names_belong_to_it() -> None:
    """A leaf of `truth` alone may stand for a value that the function reads as a number."""
    made = program("d = detach(a); L = d * a", "d = c * 1; L = d * a", a=3, c=3)
    assert (["a"], ["a", "c"]) == ([one.name for one in made.leaves], [one.name for one in (made.truth or made).leaves])
    assert (3.0, 3.0, 1.0) == made.gradients()


ROWS = program(
    "L = f([0, 1], ['an', ''], table, row); M = L * a",
    "L = row[0] * table[1][0]; M = L * a",
    table=[[1, 2], [3, 4]],
    row=[5],
    a=2,
)


def test_a_function_gets_texts_and_lists_of_leaves() -> None:
    """The name of a list stands for all its leaves. `truth` need not use them, and their gradients are then 0."""
    numbers, texts = (("number", 0), ("number", 1)), (("text", "an"), ("text", ""))
    rows = (("nodes", (0, 1)), ("nodes", (2, 3)))
    call = ["L", "f", (("list", numbers), ("list", texts), ("list", rows), ("nodes", (4,))), None, 1]
    assert ["made", call, 0, 1, 2, 3, 4] == ROWS.wire[6]
    names = ["table[0][0]", "table[0][1]", "table[1][0]", "table[1][1]", "row[0]", "a", "L", "M"]
    assert names == [node.name for node in ROWS.nodes]
    assert (0.0, 0.0, 10.0, 0.0, 6.0, 15.0, 2.0, 1.0) == ROWS.gradients()


SOFTMAX = program(
    "p = softmax(z); L = sum(p * c)",
    "e = exp(z); p = e / e.sum(axis=1, keepdims=True); L = sum(p * c)",
    z=[[0, 0, 0, 0], [0, 0, 0, 0]],
    c=[[1, 2, 3, 6], [4, 0, 0, 0]],
)


def test_a_function_gets_an_array_and_returns_one() -> None:
    """A list is one leaf if `truth` names it as a whole. The shapes of nodes that a function makes are those there."""
    assert ["made", ["p", "softmax", (("node", 0),), None, 1], 0] == SOFTMAX.wire[2]
    assert ["z", "c", "p", "p * c", "L"] == [node.name for node in SOFTMAX.nodes]
    assert [(2, 4), (2, 4), (2, 4), (2, 4), ()] == SOFTMAX.shapes
    assert (0.25,) * 8 == SOFTMAX.numbers_of("p", SOFTMAX.values)
    assert (-0.5, -0.25, 0.0, 0.75, 0.75, -0.25, -0.25, -0.25) == SOFTMAX.numbers_of("z", SOFTMAX.gradients())


def test_a_call_contributes_as_the_nodes_of_its_truth_do() -> None:
    """From any upstream gradient, and to its own operands alone: `truth` may compute one of them from another."""
    assert [[0.75, -0.25, -0.25, -0.25, 0.0, 0.0, 0.0, 0.0]] == SOFTMAX.contributions(2, [4.0, *[0.0] * 7])
    assert [] == SOFTMAX.terms(2, [1.0] * 8)
    text = "b = a * a; L = f(b, a, b)"
    made = program(text, "b = a * a; s = b.sum(); L = s * a.sum()", a=[2, 3])
    assert [[15.0, 15.0], [39.0, 39.0], [0.0, 0.0]] == made.contributions(made.index["L"], [3.0])


@every(
    ("truth", "leaves"),
    [
        ("L = row[0] * row[1]", ["row[0]", "row[1]"]),
        ("L = row.sum()", ["row"]),
        ("L = row[0] * row.sum()", ["row"]),
        ("L = a * a", ["row[0]", "row[1]"]),
    ],
)
def test_a_list_that_truth_names_as_a_whole_is_an_array(truth: str, leaves: list[str]) -> None:
    """Otherwise it makes a leaf for each number, also if `truth` does not name it."""
    made = program("L = f(row, a)", truth, row=[2, 3], a=5)
    assert [*leaves, "a"] == [leaf.name for leaf in made.leaves]


def test_a_list_of_leaves_is_shown_by_its_beginning() -> None:
    """A learner reads the first four numbers of a list."""
    assert "table = [1, 2, 3, 4], row = [5], a = 2" in ROWS.shown
    longer = program("L = row[0] + row[1] + row[2] + row[3] + row[4]", row=[1, 2, 3, 4, 5])
    assert longer.shown.endswith("with row = [1, 2, 3, 4, …]")


def test_a_program_follows_the_leaves_of_its_truth() -> None:
    """With other numbers in `truth`, the program has them too."""
    assert PAIR.truth is not None
    other = PAIR.following(PAIR.truth.with_leaves([2.0, 10.0]))
    assert (2.0, 10.0, 1.0, 5.0, 5.0) == other.values
    assert other.nodes[2:] == PAIR.nodes[2:]


@every(
    ("text", "truth", "says"),
    [
        ("d = f(a); L = d * a", "L = a * a", "`truth` has no node d"),
        ("L = f(a); M = L * a", "M = a * a; L = M * a", "its root is M, and that of `truth` is L"),
        ("L = f(a * a)", "L = a * a", "`a * a` is not a name, a number, a text or a list of these"),
        ("L = f([a * a])", "L = a * a", "`a * a` is not a name, a number, a text or a list of these"),
        ("L = f([b])", "L = a * a", "b has no value"),
        ("L = f(a, k=2)", "L = a * a", "needs a new name on the left for each node"),
        ("a = f(a)", "L = a * a", "needs a new name on the left for each node"),
        ("L = f(a)", "", "`f(a)` is not supported in programs"),
    ],
)
def test_a_call_that_is_no_program_is_refused(text: str, truth: str, says: str) -> None:
    """The error names the part of the text."""
    with pytest.raises(ProgramError, match=re.escape(says)):
        program(text, truth, a=2)


def test_a_program_with_a_truth_is_made_once() -> None:
    """All submissions of a class share what is computed from it."""
    made = [program("d = double(a); L = d * a", "d = a + a; L = d * a", a=value) for value in (2, 2, 3)]
    assert made[0] is made[1]
    assert made[0] is not made[2]
