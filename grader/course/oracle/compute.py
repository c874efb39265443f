"""The oracle's process. It computes values and gradients of every node with torch in float64.

It answers each `OracleQuestion` with an `OracleReply`. A question is `[nodes, root]` with the nodes of `Program.wire`,
or that of a `Descent`, with further items.

Answers are identical on every x86-64 CPU, because torch and MKL are set not to choose their code by the CPU. With
other builds of torch, such as those without MKL, the last digits may differ. No verdict and no key depends on them.
"""

import math
import operator
import os
from collections.abc import Callable, Sequence
from typing import IO, Any

# torch and MKL read these at the first computation. By default, each uses the fastest code for the CPU.
os.environ.update(MKL_CBWR="COMPATIBLE", ATEN_CPU_CAPABILITY="default")

import torch

from ...base.processes import own_streams, receive, send
from ..program import arrays
from ..program.operations import OPERATIONS
from .answer_book import Answer
from .answers import OracleQuestion, OracleReply


def _reduction(reduce: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return a reduction that keeps all axes if it gets `keepdims` and no axis, which torch's does not take."""

    def reduced(a: torch.Tensor, *axis: Any, **named: Any) -> torch.Tensor:
        if "keepdims" in named and not axis and named.get("axis") is None:
            named["axis"] = tuple(range(a.ndim))
        return reduce(a, *axis, **named)

    return reduced


_ON_ARRAYS: dict[str, Callable[..., torch.Tensor]] = {
    "sum": _reduction(torch.sum),
    "mean": _reduction(torch.mean),
    "max": torch.amax,  # `torch.max` with an axis also returns indices
    "reshape": torch.Tensor.reshape,
    "transpose": lambda a, *axes: a.permute(*(axes or reversed(range(a.ndim)))),
    "T": lambda a: a.permute(*reversed(range(a.ndim))),
    "getitem": operator.getitem,
    "stack": lambda *tensors, **axis: torch.stack(tensors, **axis),
    "concat": lambda *tensors, **axis: torch.concat(tensors, **axis),
}


def answer(nodes: list[list[Any]], root: int) -> list[list[float]]:
    """Return the values of all nodes, and the derivatives of the root with respect to them: the numbers of all nodes.

    If the root is an array, they are the derivatives of the sum of its numbers. A derivative is 0 if the root does not
    depend on the node. Raises `ValueError` for a number that is not finite.
    """
    tensors = _after_pass(nodes, root)
    values = [number for node in tensors for number in node.flatten().tolist()]
    grads = [
        number
        for node in tensors
        for number in (torch.zeros_like(node) if node.grad is None else node.grad).flatten().tolist()
    ]
    if not all(map(math.isfinite, values + grads)):
        raise ValueError("a value or a gradient is not finite")
    return [values, grads]


def _after_pass(nodes: list[list[Any]], root: int, leaves: Sequence[torch.Tensor] = ()) -> list[torch.Tensor]:
    """Return all nodes after a backward pass from the root. `leaves` may be leaves that were made before, in order."""
    tensors: list[torch.Tensor] = []
    given = iter(leaves)
    for op, *operands in nodes:
        if op == "leaf":
            tensors.append(next(given) if leaves else _leaf(operands[0]))
            continue
        operation = OPERATIONS[op]
        compute = _ON_ARRAYS.get(op) or (getattr(torch, op) if operation.is_function else operation.compute)
        arguments = operands.pop()[1:] if isinstance(operands[-1], list) and operands[-1][0] == "named" else ()
        args, named = arrays.called_with(arguments)
        result = compute(*(tensors[o] if isinstance(o, int) else o[1] for o in operands), *args, **named)
        result.retain_grad()  # torch keeps only the gradients of leaves by itself
        tensors.append(result)
    torch.autograd.backward(tensors[root], torch.ones_like(tensors[root]))
    return tensors


def _leaf(value: Any) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def descended(
    nodes: list[list[Any]], root: int, rate: float, steps: int, adam: bool = False, fixed: Sequence[int] = ()
) -> list[list[float]]:
    """Return the values of the root before each step of gradient descent, and those of the leaves after the last one.

    Each step subtracts `rate` times its gradient from every leaf, or changes it as Adam does. The second list, of
    gradients, is empty. `Descent` explains the arguments.
    """
    leaves = {index: _leaf(node[1]) for index, node in enumerate(nodes) if node[0] == "leaf"}
    moved = [leaf for index, leaf in leaves.items() if index not in fixed]
    optimiser = torch.optim.Adam(moved, rate, betas=(0.9, 0.99), eps=1e-8) if adam else None
    before = []
    for _ in range(steps):
        for leaf in leaves.values():
            leaf.grad = None
        before.append(_after_pass(nodes, root, list(leaves.values()))[root].item())
        if optimiser:
            optimiser.step()
            continue
        with torch.no_grad():
            for leaf in moved:
                leaf.sub_(rate * (0.0 if leaf.grad is None else leaf.grad))
    after = [*before, *(number for leaf in leaves.values() for number in leaf.flatten().tolist())]
    if not all(map(math.isfinite, after)):
        raise ValueError("a value or a gradient is not finite")
    return [after, []]


def main() -> None:
    serve(*own_streams())


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer every request."""
    torch.set_num_threads(1)  # the tensors have one number each
    while (request := receive(requests, OracleQuestion)) is not None:
        nodes, root, *steps = request.question
        try:
            values, grads = descended(nodes, root, *steps) if steps else answer(nodes, root)
            reply = OracleReply(Answer(tuple(values), tuple(grads)))
        except (ArithmeticError, ValueError, RuntimeError) as error:
            reply = OracleReply(error=str(error))
        try:
            send(replies, reply)
        except BrokenPipeError:  # the grader has ended
            os._exit(1)


if __name__ == "__main__":
    main()
