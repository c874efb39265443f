"""10 operators: the rest of arithmetic, from +, * and **

Subtraction and division need no `_backward` functions of their own. You can compute -a
as a * -1, a - b as a + (-b), and a / b as a * b**-1. Then the `_backward` functions of
+, * and ** propagate the gradient.

    >>> a, b = Value(6.0), Value(2.0)
    >>> L = a / b
    >>> L.backward()
    >>> L.data, a.grad, b.grad
    (3.0, 0.5, -1.5)

The derivative with respect to a is 1 / b = 0.5. With respect to b, it is a * -1 * b**-2
= 6 * -0.25 = -1.5.

    value | gradient of each node
    a  6 | 0.5 -------------------------.
                                       (*)--> L  3 | 1
    b  2 | -1.5 --(** -1)--> 0.5 | 6 ---'

    In PyTorch:  (a / b).backward(); b.grad  # tensor(-1.5000)

A plain number can also be the left operand. For 2 - a, Python first tries the method of
the number 2, which cannot subtract a Value. Then Python calls a.__rsub__(2). So in
__rsub__(self, other), `self` is the right operand, and the result has to be `other`
minus `self`.

Write the seven methods with +, *, ** and the methods that you have already written. You
need no new closures. Then sum([a, b, c]) works too, because it starts with 0 + a.

The grader tries the methods with Values and with plain numbers, and compares the
results with PyTorch's.

To go on, read which methods Python calls for which operator:
https://docs.python.org/3/reference/datamodel.html#emulating-numeric-types
"""


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        out = Value(self.data**n, (self,), f"**{n}")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def __neg__(self):  # -self
        # TODO: which factor flips the sign?
        raise NotImplementedError("operators: which factor flips the sign?")

    def __sub__(self, other):  # self - other
        # TODO: which sum equals self - other?
        raise NotImplementedError("operators: which sum equals self - other?")

    def __truediv__(self, other):  # self / other
        # TODO: which product equals self / other? other may be a number
        raise NotImplementedError("operators: which product equals self / other? other may be a number")

    def __radd__(self, other):  # other + self
        # TODO: does the order of the operands matter for +?
        raise NotImplementedError("operators: does the order of the operands matter for +?")

    def __rmul__(self, other):  # other * self
        # TODO: does the order of the operands matter for *?
        raise NotImplementedError("operators: does the order of the operands matter for *?")

    def __rsub__(self, other):  # other - self
        # TODO: which of the two operands gets a minus sign?
        raise NotImplementedError("operators: which of the two operands gets a minus sign?")

    def __rtruediv__(self, other):  # other / self
        # TODO: which of the two operands is the divisor?
        raise NotImplementedError("operators: which of the two operands is the divisor?")

    def backward(self):
        """Compute the gradient of every node that this node was computed from."""
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            node._backward()


def build_topo(root):
    """Return root and all nodes it was computed from, each once, inputs first."""
    order, visited = [], set()
    stack = [(root, False)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order


if __name__ == "__main__":  # runs if this file is run as a program
    a, b = Value(6.0), Value(2.0)
    L = a / b
    L.backward()
    print(a.grad, b.grad)  # prints 0.5 -1.5
