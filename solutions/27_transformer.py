"""27 transformer: a language model on your tensors

The network of exercise 17 sees two letters. This model sees all letters of a name so
far. It gets the tokens of a name at once: the dot, and then the indices of the letters.
For each of them, it predicts the next one, with a row of logits:

    token     .   e   l   a
    target    e   l   a   .

Each token has a row of numbers, x, which changes in these steps:

- At first, it is a row of `letters` plus a row of `positions`. Without the second one,
  the model does not know where in the name a letter is.
- attention is added, as in exercise 26. It reads the rows up to this one.
- A small network is added. It reads this row alone: a matrix, relu, another matrix.
- The last matrix makes the logits.

attention, the network and the last matrix read norm(x), in which each row has the mean
square 1. What they compute is added to x itself, so the gradient has a short way:

    [figure: residual]

    >>> x = Tensor([[3, 4]])
    >>> norm(x).data.round(4)
    array([[0.8485, 1.1314]])

    In PyTorch:  y = torch.rms_norm(x, (2,)); y.data  # tensor([[0.8485, 1.1314]])

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

Write the functions. attention, norm, the loss of exercise 25 and the engine are given.
The grader compares logits, losses and gradients with PyTorch's, and also the loss in
each of 50 steps of training.

To go on, read a large model in two files: https://github.com/karpathy/nanoGPT
"""

import numpy as np

LETTERS = ".abcdefghijklmnopqrstuvwxyz"


def tokens_of(name):
    """Return the tokens of a name, with a dot before and after it: indices of LETTERS."""
    # BEGIN SOLUTION which index does each letter have, and which one has the dot?
    return [0, *(LETTERS.index(letter) for letter in name), 0]
    # END SOLUTION


def logits_of(tokens, letters, positions, heads, matrices, network, output):
    """Return the logits of the next token, a row for each position.

    `matrices` are the four of attention, and `network` the two of the small network.
    """
    # BEGIN SOLUTION what is added to each row, and what is computed from its norm?
    x = letters[tokens] + positions[list(range(len(tokens)))]
    x = x + attention(norm(x), matrices, heads)
    wide, narrow = network
    x = x + (norm(x) @ wide).relu() @ narrow
    return norm(x) @ output
    # END SOLUTION


def loss_of(names, *model):
    """Return the mean of the losses of all predictions in a list of names."""
    # BEGIN SOLUTION what is read, what is predicted, and how often in all names?
    total, count = Tensor(0.0), 0
    for name in names:
        tokens, targets = tokens_of(name)[:-1], tokens_of(name)[1:]
        total = total + cross_entropy(logits_of(tokens, *model), targets) * len(targets)
        count += len(targets)
    return total / count
    # END SOLUTION


class Adam:
    """Gradient descent with a mean of the gradients and one of their squares."""

    def __init__(self, parameters, rate):
        self.parameters, self.rate = parameters, rate
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]
        self.steps = 0

    def step(self):
        """Change the parameters' data by their gradients."""
        # BEGIN SOLUTION what do m and v keep? what makes up for their first values?
        self.steps += 1
        for p, m, v in zip(self.parameters, self.m, self.v):
            m += 0.1 * (p.grad - m)
            v += 0.01 * (p.grad**2 - v)
            mean, square = m / (1 - 0.9**self.steps), v / (1 - 0.99**self.steps)
            p.data = p.data - self.rate * mean / (np.sqrt(square) + 1e-8)
        # END SOLUTION


def train(make_loss, parameters, steps, rate):
    """Take steps of Adam. Return the loss before each of them, a list of numbers."""
    # BEGIN SOLUTION what has to be set back before each backward pass?
    adam, losses = Adam(parameters, rate), []
    for _ in range(steps):
        loss = make_loss()
        for p in parameters:
            p.grad = None
        loss.backward()
        adam.step()
        losses.append(float(loss.data))
    return losses
    # END SOLUTION


def sample(draws, *model):
    """Return the tokens of a new name. Each number of `draws`, from 0 to 1, chooses one.

    The chosen token is the first one up to which the probabilities add up to more than
    the number. The name ends before the dot, or when there are no more numbers.
    """
    # BEGIN SOLUTION which tokens does the model get, and which of its rows is needed?
    tokens = [0]
    for draw in draws:
        logits = logits_of(tokens, *model).data[-1]
        p = np.exp(logits - logits.max())
        token = int((np.cumsum(p / p.sum()) <= draw).sum())
        if token == 0:
            break
        tokens.append(token)
    return tokens[1:]
    # END SOLUTION


def norm(x):
    """Divide each row by the root of its mean square."""
    return x * ((x * x).mean(axis=-1, keepdims=True) + 1e-5) ** -0.5


def attention(x, matrices, heads):
    """Return what each row finds in the rows up to itself, as in exercise 26."""
    queries, keys, values, last = matrices
    length, width = x.data.shape

    def split(y):  # the shape (length, width) becomes (heads, length, width / heads)
        return y.reshape(length, heads, width // heads).transpose(1, 0, 2)

    scores = split(x @ queries) @ split(x @ keys).transpose(0, 2, 1) * (width // heads) ** -0.5
    later = np.arange(length)[None, :] > np.arange(length)[:, None]
    scores = scores + np.where(later, -1e9, 0.0)
    e = (scores - scores.data.max(axis=-1, keepdims=True)).exp()
    p = e / e.sum(axis=-1, keepdims=True)
    return (p @ split(x @ values)).transpose(1, 0, 2).reshape(length, width) @ last


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

    def __matmul__(self, other):  # of matrices, or of batches of equal length
        out = Tensor(self.data @ other.data, (self, other))

        def _backward():
            self.accumulate(out.grad @ other.data.swapaxes(-1, -2))
            other.accumulate(self.data.swapaxes(-1, -2) @ out.grad)

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -as_tensor(other)

    def __truediv__(self, other):
        return self * as_tensor(other) ** -1.0

    __radd__, __rmul__ = __add__, __mul__

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
        kept = self.data.sum(axis=axis, keepdims=True).shape

        def _backward():
            self.accumulate(np.broadcast_to(out.grad.reshape(kept), self.data.shape))

        out._backward = _backward
        return out

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * (total.data.size / self.data.size)

    def reshape(self, *shape):
        out = Tensor(self.data.reshape(*shape), (self,))

        def _backward():
            self.accumulate(out.grad.reshape(self.data.shape))

        out._backward = _backward
        return out

    def transpose(self, *axes):
        out = Tensor(self.data.transpose(*axes), (self,))

        def _backward():
            self.accumulate(out.grad.transpose(np.argsort(axes)))

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
    rng = np.random.default_rng(1)

    def matrix(rows, columns, scale=0.2):
        return Tensor(rng.normal(size=(rows, columns)) * scale)

    names = ["ela", "anna", "lea", "nela", "lena", "alan", "mila", "emil", "nora", "aron"]
    width, heads, length = 16, 4, 12
    model = (
        matrix(len(LETTERS), width),
        matrix(length, width),
        heads,
        [matrix(width, width) for _ in range(4)],
        [matrix(width, 4 * width), matrix(4 * width, width)],
        matrix(width, len(LETTERS)),
    )
    letters, positions, _, matrices, network, output = model
    parameters = [letters, positions, *matrices, *network, output]
    losses = train(lambda: loss_of(names, *model), parameters, steps=100, rate=0.02)
    print("guessing:", np.log(len(LETTERS)), " first loss:", losses[0], " last loss:", losses[-1])
    for _ in range(10):
        print("".join(LETTERS[token] for token in sample(rng.random(length - 1), *model)))
