"""11 local_grads: the same engine without closures

So far, every node has stored its rule as a closure, `_backward`. There is another way.
The local derivatives are plain numbers, and they are known as soon as the node is made,
so the node can store them. Here `_children` holds the inputs of a node, and
`_local_grads` holds the derivative of the node with respect to each of them, in the
same order. A single loop then runs the backward pass for all operations.

    >>> a, b = Value(2.0), Value(-3.0)
    >>> e = a * b
    >>> e._local_grads
    (-3.0, 2.0)

If e.grad is 4 in the backward pass, the loop adds -3 * 4 to a.grad and 2 * 4 to b.grad.
The loop does not have to know that e is a product.

    [figure: product]

    In PyTorch:  (a * b).backward(torch.tensor(4.0)); a.grad  # tensor(-12.)

The product of the upstream gradient and the local derivatives is called a
vector-Jacobian product. Here the upstream gradient is one number, and the Jacobian is
the row of local derivatives. If a node holds a whole array, as in PyTorch, the upstream
gradient is a vector and the Jacobian is a matrix.

Write `__add__`, `__mul__` and `relu`. Each of them makes a node that stores its inputs
and its local derivatives. Then write `backward`: set the root's gradient to 1, then go
through the nodes, users before inputs. Each node adds a contribution to the gradient of
each of its inputs. It must be possible to call `backward` again, on the same node or on
another one, after all gradients have been set back to 0.

The grader compares the gradients with PyTorch's, and checks what your nodes
store.

To go on, read what PyTorch's nodes store:
https://docs.pytorch.org/docs/stable/notes/autograd.html
"""


class Value:
    """A number that remembers how it was made."""

    def __init__(self, data, _children=(), _local_grads=()):
        self.data = data
        self.grad = 0.0
        self._children = _children
        self._local_grads = _local_grads

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        # BEGIN SOLUTION what is the derivative of a sum with respect to each input?
        return Value(self.data + other.data, (self, other), (1.0, 1.0))
        # END SOLUTION

    def __mul__(self, other):
        # BEGIN SOLUTION what is the derivative of a product with respect to each input?
        return Value(self.data * other.data, (self, other), (other.data, self.data))
        # END SOLUTION

    def relu(self):
        # BEGIN SOLUTION what is the derivative of relu for each kind of input?
        return Value(max(0.0, self.data), (self,), (1.0 if self.data > 0 else 0.0,))
        # END SOLUTION

    def backward(self):
        """Compute the gradient of every node that this node was computed from."""
        # BEGIN SOLUTION what does a node add to its inputs' gradients? which one first?
        self.grad = 1.0
        for node in reversed(build_topo(self)):
            for child, local in zip(node._children, node._local_grads):
                child.grad += local * node.grad
        # END SOLUTION


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
            stack.extend((source, False) for source in node._children)
    return order


if __name__ == "__main__":  # runs if this file is run as a program
    a, b = Value(2.0), Value(-3.0)
    L = a * b + a
    L.backward()
    print(a.grad, b.grad)  # prints -2.0 2.0
