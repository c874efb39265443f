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

    value | gradient of each node
               .---.-------------(+)--> y  6 | 1
    x  2 | 5 --|  (*)--> 4 | 1 ---'
               '---'

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

    # TODO: what does a node have to remember? what is each operation's rule?
    raise NotImplementedError("engine: what does a node have to remember? what is each operation's rule?")
