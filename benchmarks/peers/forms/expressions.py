"""Compare a learner's Value with torch on twenty random expressions. This is the eighth check of each grader."""

import random

import torch


def build(seed, leaves):
    """Return an expression of random operations. It depends on each leaf."""
    rng = random.Random(seed)
    nodes = list(leaves)
    for _ in range(rng.randint(1, 8)):
        a, b, op = rng.choice(nodes), rng.choice(nodes), rng.randrange(5)
        if op < 2:
            nodes.append(a + b if op else a * b)
        else:
            nodes.append(a**2 if op == 2 else a.relu() if op == 3 else a.tanh())
    result = nodes[-1]
    for leaf in leaves:
        result = result + leaf
    return result


def gradients(seed, Value):
    """Return the learner's and torch's gradients of the three leaves of an expression."""
    rng = random.Random(f"leaves {seed}")
    data = [rng.uniform(-2, 2) for _ in range(3)]
    mine = [Value(x) for x in data]
    build(seed, mine).backward()
    right = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in data]
    build(seed, right).backward()
    return torch.tensor([leaf.grad for leaf in mine]).double(), torch.stack([leaf.grad for leaf in right])


def agree(Value):
    """Return whether the gradients of all twenty expressions agree."""
    return all(torch.allclose(*gradients(seed, Value), rtol=1e-5) for seed in range(20))
