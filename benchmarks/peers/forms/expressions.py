"""Twenty random expressions, the same for a learner's Value and for torch: all peers' eighth check."""

import random

import torch


def build(seed, leaves):
    """Return some operations on the leaves; the result depends on each leaf."""
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
    """Of one expression's three leaves: the learner's gradients, and torch's."""
    rng = random.Random(f"leaves {seed}")
    data = [rng.uniform(-2, 2) for _ in range(3)]
    mine = [Value(x) for x in data]
    build(seed, mine).backward()
    right = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in data]
    build(seed, right).backward()
    return torch.tensor([leaf.grad for leaf in mine]).double(), torch.stack([leaf.grad for leaf in right])


def agree(Value):
    """Whether all twenty agree."""
    return all(torch.allclose(*gradients(seed, Value), rtol=1e-5) for seed in range(20))
