"""27 transformer: a language model on your tensors

The network of exercise 17 sees two letters. This model sees all letters of a name so
far. It gets the tokens of a name at once: the dot, and then the indices of the letters.
For each of them, it predicts the next one, with a row of logits:

    token     .   e   l   a
    target    e   l   a   .

Each token has a row of numbers, x, which changes in these steps:

- At first, it is a row of `letters` plus a row of `positions`. Without the second one,
  the model does not know where in the name a letter is.
- Attention is added. norm(x) times `queries`, `keys` and `values` are q, k and v. The
  result of `heads`, which is that of exercise 26, times `last` is added to x.
- A small network is added. It is norm(x) times `wide`, then relu, then times `narrow`.
- norm(x) times `output` has the logits.

norm(x) is layer_norm of exercise 26, with the gain 1 and the bias 0. Both results are
added to x itself. So x receives the upstream gradient of the sum unchanged, and the
contribution through the layer is added to it. In this figure, the layer is h = x * w:

    value | gradient of each node
    x    3 | 1.5 ---.------------------(+)--> L  4.5 | 1
                   (*)--> h  1.5 | 1 ---'
    w  0.5 | 3 -----'

    >>> x = Tensor([[2, 6]])
    >>> norm(x).data.round(3)
    array([[-1.,  1.]])

    In PyTorch:  y = torch.layer_norm(x, (2,), eps=0.0); y.tolist()  # [[-1.0, 1.0]]

Adam is gradient descent with a memory. For each parameter, m is a mean of its gradients
g, and v is a mean of their squares, in which older ones count less and less:

    m = 0.9 * m + 0.1 * g        v = 0.99 * v + 0.01 * g ** 2

Both are 0 before the first step, so they are too small at first. After t steps,
m / (1 - 0.9 ** t) and v / (1 - 0.99 ** t) are not. With these for m and v, a parameter
moves by -rate * m / (sqrt(v) + 1e-8). So in the first step, it moves by the rate:

    >>> a = Tensor([2.0, -0.5])
    >>> a.grad = np.array([4.0, -0.25])
    >>> Adam([a], 0.1).step()
    >>> a.data.round(4)
    array([ 1.9, -0.4])

Write the functions. heads, norm, the loss of exercise 25 and the engine are given.
The grader compares logits, losses and gradients with PyTorch's, and also the loss in
each of 50 steps of training. In a browser without numpy, it compares 3 steps of them.

To go on, read a large model in two files: https://github.com/karpathy/nanoGPT
"""

import numpy as np

LETTERS = ".abcdefghijklmnopqrstuvwxyz"


def tokens_of(name):
    """Return the tokens of a name, with a dot before and after it: indices of LETTERS."""
    # TODO: which index does each letter have, and which one has the dot?
    raise NotImplementedError("transformer: which index does each letter have, and which one has the dot?")


def logits_of(tokens, letters, positions, count, matrices, network, output):
    """Return the logits of the next token, a row for each position. `count` heads look."""
    queries, keys, values, last = matrices
    wide, narrow = network
    # TODO: what is added to each row, and what is computed from its norm?
    raise NotImplementedError("transformer: what is added to each row, and what is computed from its norm?")


def loss_of(names, *model):
    """Return the mean of the losses of all predictions in a list of names."""
    # TODO: what is read, what is predicted, and how often in all names?
    raise NotImplementedError("transformer: what is read, what is predicted, and how often in all names?")


class Adam:
    """Gradient descent with a mean of the gradients and one of their squares."""

    def __init__(self, parameters, rate):
        self.parameters, self.rate = parameters, rate
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]
        self.steps = 0

    def step(self):
        """Change the parameters' data by their gradients."""
        # TODO: what do m and v keep? what makes up for their first values?
        raise NotImplementedError("transformer: what do m and v keep? what makes up for their first values?")


def train(make_loss, parameters, steps, rate):
    """Take steps of Adam. Return the loss before each of them, a list of numbers."""
    # TODO: what has to be set back before each backward pass?
    raise NotImplementedError("transformer: what has to be set back before each backward pass?")


def sample(draws, *model):
    """Return the tokens of a new name. Each number of `draws`, from 0 to 1, chooses one.

    The chosen token is the first one up to which the probabilities add up to more than
    the number: with 0.2, 0.5 and 0.3, the number 0.6 chooses token 1. The name ends
    before the dot, or when there are no more numbers.
    """
    # TODO: which tokens does the model get, and which of its rows is needed?
    raise NotImplementedError("transformer: which tokens does the model get, and which of its rows is needed?")


def norm(x):
    """Return x with each row brought to the mean 0 and the variance 1, as in exercise 26."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / (variance + 1e-5) ** 0.5


def softmax(scores):
    """Return the softmax along the last axis."""
    e = (scores - scores.data.max(axis=-1, keepdims=True)).exp()
    return e / e.sum(axis=-1, keepdims=True)


def future(length):
    """Return an array with -1e9 where a key comes after the query, and 0 elsewhere."""
    places = np.arange(length)
    return np.where(places[None, :] > places[:, None], -1e9, 0.0)


def attention(q, k, v):
    """Return the weighted sum of the values that each query sees."""
    length, width = q.data.shape[-2:]
    scores = q @ k.swapaxes(-1, -2) / width**0.5
    return softmax(scores + future(length)) @ v


def heads(q, k, v, count):
    """Return the results of `count` heads, side by side."""
    length, width = q.data.shape
    q, k, v = (x.reshape(length, count, width // count).swapaxes(0, 1) for x in (q, k, v))
    return attention(q, k, v).swapaxes(0, 1).reshape(length, width)


def cross_entropy(logits, targets):
    """Return the mean of the losses of all rows, as in exercise 25."""
    shifted = logits - logits.data.max(axis=1, keepdims=True)
    of_targets = shifted[list(range(len(targets))), targets]
    return (shifted.exp().sum(axis=1).log() - of_targets).mean()


def unbroadcast(array, shape):
    """Sum an array over the axes along which numpy repeated an operand of this shape."""
    array = array.sum(axis=tuple(range(array.ndim - len(shape))))
    for axis, length in enumerate(shape):
        if length == 1:
            array = array.sum(axis=axis, keepdims=True)
    return array


def as_tensor(x):
    """Return a Tensor, or a leaf for a plain array or number."""
    return x if isinstance(x, Tensor) else Tensor(x)


class Tensor:
    """An array in the graph, with its gradient and the Tensors it was computed from."""

    __array_ufunc__ = None  # so that numpy leaves `array + tensor` to the Tensor

    def __init__(self, data, inputs=()):
        self.data = np.array(data, dtype=float)
        self.grad = None  # until the first contribution
        self._backward = lambda: None
        self._prev = inputs

    def __repr__(self):
        return f"Tensor(data={self.data}, grad={self.grad})"

    def accumulate(self, contribution):
        """Add a contribution, an array of the same shape, to the gradient."""
        if self.grad is None:
            self.grad = np.zeros_like(self.data)
        self.grad = self.grad + contribution

    def __add__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data + other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad, self.data.shape))
            other.accumulate(unbroadcast(out.grad, other.data.shape))

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = as_tensor(other)
        out = Tensor(self.data * other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(other.data * out.grad, self.data.shape))
            other.accumulate(unbroadcast(self.data * out.grad, other.data.shape))

        out._backward = _backward
        return out

    def __pow__(self, n):
        out = Tensor(self.data**n, (self,))

        def _backward():
            self.accumulate(n * self.data ** (n - 1) * out.grad)

        out._backward = _backward
        return out

    def __matmul__(self, other):
        out = Tensor(self.data @ other.data, (self, other))

        def _backward():
            self.accumulate(unbroadcast(out.grad @ other.data.swapaxes(-1, -2), self.data.shape))
            other.accumulate(unbroadcast(self.data.swapaxes(-1, -2) @ out.grad, other.data.shape))

        out._backward = _backward
        return out

    def exp(self):
        out = Tensor(np.exp(self.data), (self,))

        def _backward():
            self.accumulate(out.data * out.grad)

        out._backward = _backward
        return out

    def log(self):
        out = Tensor(np.log(self.data), (self,))

        def _backward():
            self.accumulate(out.grad / self.data)

        out._backward = _backward
        return out

    def relu(self):
        out = Tensor(np.maximum(self.data, 0), (self,))

        def _backward():
            self.accumulate((self.data > 0) * out.grad)

        out._backward = _backward
        return out

    def sum(self, axis=None, keepdims=False):
        out = Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,))

        def _backward():
            gradient = out.grad
            if axis is not None and not keepdims:
                gradient = np.expand_dims(gradient, axis)
            self.accumulate(np.broadcast_to(gradient, self.data.shape))

        out._backward = _backward
        return out

    def reshape(self, *shape):
        out = Tensor(self.data.reshape(*shape), (self,))

        def _backward():
            self.accumulate(out.grad.reshape(self.data.shape))

        out._backward = _backward
        return out

    def swapaxes(self, one, other):
        out = Tensor(self.data.swapaxes(one, other), (self,))

        def _backward():
            self.accumulate(out.grad.swapaxes(one, other))

        out._backward = _backward
        return out

    def __getitem__(self, index):
        out = Tensor(self.data[index], (self,))

        def _backward():
            contribution = np.zeros_like(self.data)
            np.add.at(contribution, index, out.grad)
            self.accumulate(contribution)

        out._backward = _backward
        return out

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis=axis, keepdims=keepdims)
        return total / (self.data.size // total.data.size)

    def __sub__(self, other):
        return self + as_tensor(other) * -1

    def __truediv__(self, other):
        return self * as_tensor(other) ** -1

    # a number on the left, as in 2 * a
    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for source in node._prev:
                    visit(source)
                order.append(node)

        visit(self)
        self.grad = np.ones_like(self.data)
        for node in reversed(order):
            node._backward()


if __name__ == "__main__":  # runs if this file is run as a program
    import random

    random.seed(1)

    def matrix(rows, columns, scale=0.2):
        return Tensor([[random.gauss(0, scale) for _ in range(columns)] for _ in range(rows)])

    names = ["ela", "anna", "lea", "nela", "lena", "alan", "mila", "emil", "nora", "aron"]
    width, count, length = 16, 4, 12
    model = (
        matrix(len(LETTERS), width),
        matrix(length, width),
        count,
        [matrix(width, width) for _ in range(4)],
        [matrix(width, 4 * width), matrix(4 * width, width)],
        matrix(width, len(LETTERS)),
    )
    letters, positions, _, matrices, network, output = model
    parameters = [letters, positions, *matrices, *network, output]
    losses = train(lambda: loss_of(names, *model), parameters, steps=100, rate=0.02)
    print("guessing:", np.log(len(LETTERS)), " first loss:", losses[0], " last loss:", losses[-1])
    for _ in range(10):
        draws = [random.random() for _ in range(length - 1)]
        print("".join(LETTERS[token] for token in sample(draws, *model)))
