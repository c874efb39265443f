"""12 engine: all of it, from an empty class

You have written every piece; now write the engine. `Value(data)` makes a leaf with `.data` and
`.grad`; operations make new Values; `backward()` on the last one gives every node the derivative of
that last one by it.

    x = 2: y = x * x + x has y.data = 6, and after y.backward() x.grad = 2 * 2 + 1 = 5.

Asked for: + * - / between Values, ** with a number as exponent, unary minus, and .relu(). If you
also define tanh(), exp(), log() or sigmoid(), or accept plain numbers on either side of + - * /,
they are checked too; leaving them out costs nothing. How you build it is up to you: closures or
stored local derivatives, a set or a tuple for the inputs, recursion or a loop. backward() may be
called again, on the same node or on another: once all gradients have been set back to 0, nothing is
left of the pass before.

`grade engine` compares values and gradients with PyTorch on expressions of all these operations,
small and random, with values used many times; and it runs your local rules one at a time. `grade
engine FILE` grades any engine.
"""

import math


class Value:
    """A number that remembers how it was made."""

    # TODO: what does a value have to remember, and how does each operation pass its gradient on?
    raise NotImplementedError("engine: what does a value have to remember, and how does each operation pass its gradient on?")
