"""01 distribute: the backward pass of `+`

In these exercises you build a small autograd engine. Karpathy's micrograd is such an
engine for single numbers, and PyTorch contains one for tensors. An autograd engine
first computes a result. Then it goes back from the result to every input and applies
the chain rule at each operation. This method is called reverse-mode automatic
differentiation; for neural networks, it is better known as backpropagation.

Let L be the final result. The gradient of a value is the derivative of L with respect
to that value. In the backward pass, each operation makes a contribution to the gradient
of each of its inputs. For example, out = a + b makes this contribution to the gradient
of a:

    contribution to a  =  local derivative * upstream gradient

- The upstream gradient is the gradient of the operation's output, `out.grad`.
- The local derivative is the derivative of out with respect to a.
- The contribution goes into `a.grad`.

For out = a + b, both local derivatives are 1: when a or b goes up by 0.1, out goes up
by 0.1. So `+` passes its upstream gradient to both inputs.

Let a = 2 and b = -3, and suppose that out is used in another operation, which has made
`out.grad` 4. Then 1 * 4 = 4 goes into a.grad, and 1 * 4 = 4 into b.grad.

    [figure: plus]

    In PyTorch:  (a + b).backward(torch.tensor(4.0)); a.grad  # tensor(4.)

(There, a is `torch.tensor(2.0, requires_grad=True)`, and b is made in the same way.)

Fill in `_backward`: read `out.grad`, compute the contribution to each input, and store
it in the `.grad` of that input. Before `_backward` runs, the gradients of the inputs
are 0.

The grader runs your `_backward` with different numbers in `out.grad`.

To go on, watch the lecture that builds micrograd:
https://www.youtube.com/watch?v=VMj-3S1tku0
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
            # BEGIN SOLUTION what is the contribution of `+` to each input?
            self.grad += out.grad
            other.grad += out.grad
            # END SOLUTION

        out._backward = _backward
        return out


if __name__ == "__main__":  # runs if this file is run as a program
    a, b = Value(2.0), Value(-3.0)
    out = a + b
    out.grad = 4.0
    out._backward()
    print(a.grad, b.grad)  # prints 4.0 4.0
