import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.program import Leaf, Number, Op, Program, ProgramError, number_text, program

A, B = Leaf("a", 2.0), Leaf("b", -3.0)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
