"""honest: has unit tests and doctests of its own, which only run when it is the main program."""

import doctest
import unittest

try:
    import torch
except ImportError:
    torch = None


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out


class TestValue(unittest.TestCase):
    def test_add(self):
        """
        >>> (Value(1) + Value(2)).data
        3
        """
        self.assertEqual((Value(1) + Value(2)).data, 3)
        if torch is not None:
            self.assertEqual(torch.tensor(1.0).item(), 1.0)


if __name__ == "__main__":
    doctest.testmod()
    unittest.main()
