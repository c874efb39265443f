"""08 relu: a unit that can die

relu(x) is x where x is positive and 0 elsewhere. Its slope is 1 where x is positive and 0
elsewhere; exactly at 0, where there is no slope, PyTorch takes 0 and so do we. A unit whose input
is negative is called dead: nothing of the gradient gets through it, so nothing before it learns.

    w = -2, x = 3, n = w * x = -6, o = relu(n) = 0, L = o * 5. dL/do = 5 arrives at o, but n
    receives 0 * 5 = 0, and so dL/dw = 3 * 0 = 0. With w = 2 the unit is alive: n = 6, dL/dn = 5,
    dL/dw = 15.

Fill `relu`: make the output node, give it a `_backward`, return it. `__add__` above shows the
pattern.

`grade relu` tries it alive, dead, exactly at 0, and inside a neuron.
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

    def relu(self):
        """This value where it is positive, else 0."""
        # BEGIN SOLUTION what comes out, and when does anything come back?
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out
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


if __name__ == "__main__":  # for your own trials: python 08_relu.py
    w, x = Value(-2.0), Value(3.0)
    L = (w * x).relu() * 5
    L.backward()
    print(w)  # gradient 0.0: the unit is dead
