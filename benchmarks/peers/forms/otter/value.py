"""The eight checks for Otter, in its format of functions. Otter takes one file, so expressions.py is appended."""

import math

from otter.test_files import test_case

OK_FORMAT = False
name = "value"
points = 8


def diamond(Value):
    a, k, m = Value(3.0), Value(3.0), Value(-1.0)
    return a, (a * k) * (a + m)


@test_case(points=1, hidden=True)
def test_sum(Value):
    a = Value(3.0)
    (a + a).backward()
    assert a.grad == 2.0


@test_case(points=1, hidden=True)
def test_product(Value):
    a = Value(3.0)
    (a * a).backward()
    assert a.grad == 6.0


@test_case(points=1, hidden=True)
def test_power(Value):
    a = Value(2.0)
    (a**3).backward()
    assert math.isclose(a.grad, 12.0)


@test_case(points=1, hidden=True)
def test_tanh(Value):
    a = Value(0.5)
    a.tanh().backward()
    assert math.isclose(a.grad, 1 - math.tanh(0.5) ** 2)


@test_case(points=1, hidden=True)
def test_dead_relu(Value):
    a = Value(-2.0)
    out = a.relu()
    out.backward()
    assert (out.data, out.grad, a.grad) == (0.0, 1.0, 0.0)


@test_case(points=1, hidden=True)
def test_order(Value, build_topo):
    order = build_topo(diamond(Value)[1])
    assert len(order) == len(set(order)) == 6
    for i, node in enumerate(order):
        assert all(order.index(source) < i for source in node._prev)


@test_case(points=1, hidden=True)
def test_diamond(Value):
    a, out = diamond(Value)
    out.backward()
    assert a.grad == 15.0


@test_case(points=1, hidden=True)
def test_expressions(Value):
    assert agree(Value)  # noqa: F821
