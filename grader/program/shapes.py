"""Large programs of regular shape, described by a short text instead of their full expression."""

from functools import lru_cache

from .graph import Leaf, Node, Op, Program

NOTHING = Program((), 0, "")


def leaf(value: float) -> Program:
    """Return a program of one leaf and no operation."""
    return Program((Leaf("a", value),), 0, "a")


@lru_cache(maxsize=8)
def chain(length: int) -> Program:
    """Return a chain of `length` nodes, each of which is the sum of the previous one and b."""
    nodes: list[Node] = [Leaf("a", 1.0), Leaf("b", 0.5)]
    nodes += [Op(f"x{i}", "add", (i - 1 if i > 2 else 0, 1)) for i in range(2, length)]
    short: list[list[object]] = [["leaf", 1.0], ["leaf", 0.5], ["add", 0, 1]]
    short.append(["repeat", length - 3, "add", ["back", 1], 1])
    return Program(tuple(nodes), len(nodes) - 1, f"x = a; x = x + b, {length - 2:,} times", short)


def diamonds(count: int) -> Program:
    """Return `count` stacked diamonds, each x = (x * a) + (x + b). Each of them doubles the number of paths."""
    nodes: list[Node] = [Leaf("x", 1.0), Leaf("a", 0.25), Leaf("b", 0.5)]
    x = 0
    for i in range(count):
        n = len(nodes)
        nodes += [Op(f"l{i}", "mul", (x, 1)), Op(f"r{i}", "add", (x, 2)), Op(f"x{i}", "add", (n, n + 1))]
        x = n + 2
    return Program(tuple(nodes), x, f"x = (x * a) + (x + b), {count} times")
