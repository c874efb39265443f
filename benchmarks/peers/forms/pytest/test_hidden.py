"""The eight checks for pytest, beside a learner's value.py."""

import math

import pytest
from expressions import agree
from value import Value, build_topo


def diamond():
    a, k, m = Value(3.0), Value(3.0), Value(-1.0)
    return a, (a * k) * (a + m)


def test_sum():
    a = Value(3.0)
    (a + a).backward()
    assert a.grad == 2.0


def test_product():
    a = Value(3.0)
    (a * a).backward()
    assert a.grad == 6.0


def test_power():
    a = Value(2.0)
    (a**3).backward()
    assert a.grad == pytest.approx(12.0)


def test_tanh():
    a = Value(0.5)
    a.tanh().backward()
    assert a.grad == pytest.approx(1 - math.tanh(0.5) ** 2)


def test_dead_relu():
    a = Value(-2.0)
    out = a.relu()
    out.backward()
    assert (out.data, out.grad, a.grad) == (0.0, 1.0, 0.0)


def test_order():
    order = build_topo(diamond()[1])
    assert len(order) == len(set(order)) == 6
    for i, node in enumerate(order):
        assert all(order.index(source) < i for source in node._prev)


def test_diamond():
    a, out = diamond()
    out.backward()
    assert a.grad == 15.0


def test_expressions():
    assert agree(Value)
