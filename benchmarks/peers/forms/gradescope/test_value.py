"""The eight checks for gradescope-utils."""
# ruff: noqa: PT009 (unittest style is what gradescope-utils shows)

import math
import unittest

from expressions import agree
from gradescope_utils.autograder_utils.decorators import weight
from value import Value, build_topo


def diamond():
    a, k, m = Value(3.0), Value(3.0), Value(-1.0)
    return a, (a * k) * (a + m)


class TestValue(unittest.TestCase):
    @weight(1)
    def test_sum(self):
        a = Value(3.0)
        (a + a).backward()
        self.assertEqual(a.grad, 2.0)

    @weight(1)
    def test_product(self):
        a = Value(3.0)
        (a * a).backward()
        self.assertEqual(a.grad, 6.0)

    @weight(1)
    def test_power(self):
        a = Value(2.0)
        (a**3).backward()
        self.assertAlmostEqual(a.grad, 12.0)

    @weight(1)
    def test_tanh(self):
        a = Value(0.5)
        a.tanh().backward()
        self.assertAlmostEqual(a.grad, 1 - math.tanh(0.5) ** 2)

    @weight(1)
    def test_dead_relu(self):
        a = Value(-2.0)
        out = a.relu()
        out.backward()
        self.assertEqual((out.data, out.grad, a.grad), (0.0, 1.0, 0.0))

    @weight(1)
    def test_order(self):
        order = build_topo(diamond()[1])
        self.assertEqual((len(order), len(set(order))), (6, 6))
        for i, node in enumerate(order):
            self.assertTrue(all(order.index(source) < i for source in node._prev))

    @weight(1)
    def test_diamond(self):
        a, out = diamond()
        out.backward()
        self.assertEqual(a.grad, 15.0)

    @weight(1)
    def test_expressions(self):
        self.assertTrue(agree(Value))
