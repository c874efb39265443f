"""01 distribute: the backward pass of `+`

In these exercises you build a small autograd engine. Karpathy's micrograd is such an engine for
single numbers, and PyTorch contains one for tensors. An autograd engine first computes a result.
Then it goes back from the result to every input and applies the chain rule at each operation. This
method is called reverse-mode automatic differentiation; for neural networks, it is better known as
backpropagation.

Let L be the final result. The gradient of a value is the derivative of L with respect to that
value. In the backward pass, each operation makes a contribution to the gradient of each of its
inputs. For example, out = a + b makes this contribution to the gradient of a:

    contribution to a  =  local derivative * upstream gradient

- The upstream gradient is the gradient of the operation's output, `out.grad`.
- The local derivative is the derivative of out with respect to a.
- The contribution is added to `a.grad`.

For out = a + b, both local derivatives are 1: when a or b goes up by 0.1, out goes up by 0.1. So
`+` adds its upstream gradient to the gradient of each input.

    Let a = 2 and b = -3, so that out = a + b = -1. Suppose that out is used in another operation,
    and that `out.grad` is already 4. Then a.grad goes up by 1 * 4 = 4, and b.grad goes up by
    1 * 4 = 4.

Fill in `_backward`: read `out.grad`, compute the contribution to each input, and add it to the
`.grad` of that input. That gradient may already hold contributions from other uses of the input.
Add to it; don't overwrite it.

`grade distribute` runs your `_backward` with different numbers in `out.grad` and in the gradients
of both inputs.

The glossary, docs/glossary.md in the repository, explains the terms. More to read and watch:
- micrograd, https://github.com/karpathy/micrograd, and the lecture that builds it, "The spelled-out
  intro to neural networks and backpropagation", https://www.youtube.com/watch?v=VMj-3S1tku0
- 3Blue1Brown on backpropagation, https://www.3blue1brown.com/lessons/backpropagation, and on its
  calculus, https://www.3blue1brown.com/lessons/backpropagation-calculus
- PyTorch's notes on autograd, https://docs.pytorch.org/docs/stable/notes/autograd.html
"""


class Value:
    """A number in the graph: its value, its gradient, and the nodes it was computed from."""

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
            # BEGIN SOLUTION what does `+` add to the gradient of each input?
            self.grad += out.grad
            other.grad += out.grad
            # END SOLUTION

        out._backward = _backward
        return out


if __name__ == "__main__":  # to try it yourself: python 01_distribute.py
    a, b = Value(2.0), Value(-3.0)
    out = a + b
    out.grad = 4.0
    out._backward()
    print(a.grad, b.grad)  # prints 4.0 4.0
