"""01 distribute: the backward pass of `+`

These exercises build a small autograd engine, as Karpathy's micrograd does and as PyTorch does for
tensors. Such an engine computes a result and then applies the chain rule from the result back to
every input. This is backpropagation; its general name is reverse-mode automatic differentiation.

Let L be the final result. The gradient of a value is the derivative of L with respect to it. Each
operation, for example out = a + b, does the same thing in the backward pass:

    contribution to a  =  local derivative * upstream gradient

- The upstream gradient is the gradient of the operation's output, `out.grad`.
- The local derivative is the derivative of out with respect to a.
- The contribution is added to `a.grad`.

For out = a + b both local derivatives are 1: when a goes up by 0.1, out goes up by 0.1. So `+` adds
its upstream gradient to the gradients of both inputs.

    a = 2, b = -3, out = a + b = -1. Suppose out feeds into another operation and `out.grad` is
    already 4. Then a.grad goes up by 1 * 4 = 4, and b.grad goes up by 1 * 4 = 4.

Fill in `_backward`: read `out.grad` and add each input's contribution to its `.grad`. An input may
already hold a gradient from another use. Add to it; don't overwrite it.

`grade distribute` runs your `_backward` with several numbers in `out.grad` and in the gradients of
both inputs.

docs/glossary.md in the repository explains the words. More to read and watch:
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
            # TODO: what does `+` add to the gradient of each input?
            raise NotImplementedError("distribute: what does `+` add to the gradient of each input?")

        out._backward = _backward
        return out


if __name__ == "__main__":  # to try it yourself: python 01_distribute.py
    a, b = Value(2.0), Value(-3.0)
    out = a + b
    out.grad = 4.0
    out._backward()
    print(a.grad, b.grad)  # prints 4.0 4.0
