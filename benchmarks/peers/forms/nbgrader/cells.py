"""The eight checks for nbgrader: a cell of hidden tests for each check, below the learner's cell."""
# ruff: noqa: E402, F821 (the learner's cell and expressions.py define these names)

# %% sum
a = Value(3.0)
(a + a).backward()
assert a.grad == 2.0

# %% product
a = Value(3.0)
(a * a).backward()
assert a.grad == 6.0

# %% power
a = Value(2.0)
(a**3).backward()
assert abs(a.grad - 12.0) < 1e-9

# %% tanh
import math

a = Value(0.5)
a.tanh().backward()
assert abs(a.grad - (1 - math.tanh(0.5) ** 2)) < 1e-9

# %% dead_relu
a = Value(-2.0)
out = a.relu()
out.backward()
assert (out.data, out.grad, a.grad) == (0.0, 1.0, 0.0)

# %% order
a, k, m = Value(3.0), Value(3.0), Value(-1.0)
order = build_topo((a * k) * (a + m))
assert len(order) == len(set(order)) == 6
for i, node in enumerate(order):
    assert all(order.index(source) < i for source in node._prev)

# %% diamond
a, k, m = Value(3.0), Value(3.0), Value(-1.0)
((a * k) * (a + m)).backward()
assert a.grad == 15.0

# %% expressions
assert agree(Value)
