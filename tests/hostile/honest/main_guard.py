"""honest: tries itself out under a main guard, with arguments, plots and an exit code."""

import sys

import matplotlib.pyplot as plt


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


def main():
    a, b = Value(2.0), Value(-3.0)
    out = a + b
    out.grad = 1.0
    out._backward()
    plt.plot([a.grad, b.grad])
    plt.savefig("gradients.png")
    return len(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
