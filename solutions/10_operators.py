"""10 operators: the rest of arithmetic, from + * and **

Subtraction and division need no rules of their own. -a is a * -1, a - b is a + (-b), a / b is a *
b**-1: the closures of + * and ** already know how to pass the gradient back through them.

    a = 6, b = 2, L = a / b = a * b**-1 = 3. dL/da = 1/2. dL/db = a * -1 * b**-2 = 6 * -0.25 = -1.5.

And numbers on the left: for 2 - a Python asks 2 first, which does not know Values, and then calls
a.__rsub__(2). So __rsub__(self, other) has to give other - self, not self - other.

Fill the seven methods, with + * and ** alone: no new closures. Afterwards sum([a, b, c]) works too,
because it starts with 0 + a.

`grade operators` tries each of them, with Values and numbers on either side, and compares with
PyTorch.
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
        # BEGIN SOLUTION which factor turns the sign?
        return self * -1
        # END SOLUTION

    def __sub__(self, other):  # self - other
        # BEGIN SOLUTION what has to be added to get a difference?
        return self + (-other)
        # END SOLUTION

    def __truediv__(self, other):  # self / other
        # BEGIN SOLUTION to which power is the divisor raised? (mind that it may be a plain number)
        return self * (other if isinstance(other, Value) else Value(other)) ** -1
        # END SOLUTION

    def __radd__(self, other):  # other + self
        # BEGIN SOLUTION does the order matter for +?
        return self + other
        # END SOLUTION

    def __rmul__(self, other):  # other * self
        # BEGIN SOLUTION does the order matter for *?
        return self * other
        # END SOLUTION

    def __rsub__(self, other):  # other - self
        # BEGIN SOLUTION which of the two changes its sign?
        return -self + other
        # END SOLUTION

    def __rtruediv__(self, other):  # other / self
        # BEGIN SOLUTION which of the two is the divisor?
        return self**-1 * other
        # END SOLUTION

    def backward(self):
        """Give every node below this one its gradient."""
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            node._backward()


def build_topo(root):
    """Every node below root and root itself, each once, inputs before the nodes computed from them."""
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


if __name__ == "__main__":  # for your own trials: python 10_operators.py
    a, b = Value(6.0), Value(2.0)
    L = a / b
    L.backward()
    print(a, b)  # gradients 0.5 and -1.5
