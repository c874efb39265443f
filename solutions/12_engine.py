"""12 engine: all of it, from an empty class

You have written every piece. Now write the whole engine, one step at a time. Each step
earns points.

    1. Value(data) makes a leaf with .data and .grad; a + b and a * b make new Values.
    2. backward() sets the gradient of the root to 1, and runs the rule of each
       operation. (The root is the node that backward() is called on.)
    3. A value can have several users: sort the nodes topologically, and accumulate
       contributions.
    4. Add the other operations: -a, a - b, a / b, a ** n with a plain number n, and
       a.relu(). The derivative of relu at exactly 0 is not checked here.

    >>> x = Value(2.0)
    >>> y = x * x + x
    >>> y.backward()
    >>> y.data, x.grad
    (6.0, 5.0)

The product contributes 2 + 2 to x.grad, and the sum contributes 1.

    [figure: reuse]

    In PyTorch:  (x * x + x).backward(); x.grad  # tensor(5.)

You can also define tanh(), exp(), log() and sigmoid(), and accept plain numbers on
either side of +, -, * and /. Whatever you define is checked. Leaving these out costs
nothing.

How you build the engine is up to you: closures or stored local derivatives, a set or a
tuple for the inputs, recursion or a loop. It must be possible to call backward() again,
on the same node or on another one, after all gradients have been set back to 0.

The grader compares values and gradients with PyTorch's, and also runs the rule of
each operation on its own. It takes any other engine in place of this one.

These are not graded: the name of the backward pass, if there is only one; whether the
results of operations, such as x * x, keep their gradients after it; whether it adds to
gradients that have not been set back to 0; graphs of more than 100 nodes.

To go on, compare your engine with micrograd: https://github.com/karpathy/micrograd
"""

import math


class Value:
    """A number that remembers how it was made."""

    # BEGIN SOLUTION what does a node have to remember? what is each operation's rule?
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

    def __pow__(self, exponent):
        out = Value(self.data**exponent, (self,), f"**{exponent}")

        def _backward():
            self.grad += exponent * self.data ** (exponent - 1) * out.grad

        out._backward = _backward
        return out

    def _function(self, result, local, name):
        """Make a node with one input. `local` is the local derivative."""
        out = Value(result, (self,), name)

        def _backward():
            self.grad += local * out.grad

        out._backward = _backward
        return out

    def relu(self):
        return self._function(self.data if self.data > 0 else 0.0, 1.0 if self.data > 0 else 0.0, "relu")

    def tanh(self):
        t = math.tanh(self.data)
        return self._function(t, 1 - t * t, "tanh")

    def exp(self):
        e = math.exp(self.data)
        return self._function(e, e, "exp")

    def log(self):
        return self._function(math.log(self.data), 1 / self.data, "log")

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        return self._function(s, s * (1 - s), "sigmoid")

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self**-1 * other

    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for source in node._prev:
                    visit(source)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    # END SOLUTION
