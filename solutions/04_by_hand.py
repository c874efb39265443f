"""04 by_hand: you are the backward pass

`out._backward()` reads `out.grad` and adds a contribution to the gradient of each input
of out. We then say that the node out propagates. Before out can propagate, `out.grad`
must be complete: every node that uses out must have propagated already.

The backward pass therefore mirrors the forward pass. Take p = x * y, q = p + x, L = q *
y at x = 3, y = 2:

    [figure: trace]

    In PyTorch:  ((x * y + x) * y).backward(); y.grad  # tensor(15.)

If q propagated before L, `q.grad` would still be 0, so q would contribute 0 to p and to
x. Nothing would call `q._backward()` again, so the real contributions of q would be
lost. Run as a program, this file prints the numbers above. Then it runs
`sum_of_product`, the second of your functions.

Fill in the four functions, from the top of the file to the bottom:
- `on_paper` returns three gradients. Work them out on paper before you write any of the
  calls.
- `sum_of_product` and `product_of_sums` each run a backward pass. Set the gradient of
  L, the root, and then call the `_backward` of each operation's node, one call per
  line. The leaves a, b and c are not the results of operations, so they have nothing to
  propagate. For `product_of_sums`, more than one order is correct.
- `wrong_orders` returns four values of a.grad, one for each of four orders of the
  calls.

The grader checks your numbers, compares all gradients with PyTorch's, and checks
the order of your calls.

To go on, see more graphs drawn and traversed:
https://colah.github.io/posts/2015-08-Backprop/
"""


class Value:
    """A number in the graph, with its gradient and the nodes it was computed from."""

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out


def on_paper():
    """Return dL/da, dL/db and dL/dc for L = (a*b + c) * (a + b).

    Here a = 2, b = -3, c = 10.
    """
    # BEGIN SOLUTION through which operations does each of a, b and c reach L?
    return 7, 2, -1
    # END SOLUTION


def sum_of_product(a, b, c, e, L):
    """Run the backward pass for e = a * b and L = e + c."""
    # BEGIN SOLUTION which two nodes have to propagate, and which one comes first?
    L.grad = 1.0
    L._backward()
    e._backward()
    # END SOLUTION


def product_of_sums(a, b, c, e, f, g, L):
    """Run the backward pass for e = a * b, f = e + c, g = a + b, L = f * g."""
    # BEGIN SOLUTION which nodes have to propagate before which other nodes?
    L.grad = 1.0
    L._backward()
    f._backward()
    g._backward()
    e._backward()
    # END SOLUTION


def wrong_orders():
    """Return the final a.grad for each of four orders of the calls.

    The graph is b = a + 1, c = a * 3, d = b * c at a = 2. In each case, d.grad starts
    at 1, the other gradients start at 0, and each `_backward` is called once. The four
    orders are: d, b, c (which is correct); b, d, c; c, d, b; b, c, d.
    """
    # BEGIN SOLUTION which nodes propagate while their own gradient is still 0?
    return 15, 9, 6, 0
    # END SOLUTION


if __name__ == "__main__":  # runs if this file is run as a program
    x, y = Value(3.0), Value(2.0)
    p = x * y
    q = p + x
    L = q * y
    for name, node in ("p", p), ("q", q), ("L", L):
        print(f"forward   {name} = {node.data}")
    L.grad = 1.0
    for name, node in ("L", L), ("q", q), ("p", p):
        node._backward()
        grads = ", ".join(f"{n}.grad = {v.grad}" for n, v in [("q", q), ("p", p), ("x", x), ("y", y)])
        print(f"backward  {name}: {grads}")

    a, b, c = Value(2.0), Value(-3.0), Value(10.0)
    e = a * b
    L = e + c
    sum_of_product(a, b, c, e, L)
    print(a.grad, b.grad, c.grad)  # prints -3.0 2.0 1.0
