"""torch's answers, from a module that is imported when the first is asked for.

Importing torch takes seconds, which a test run that asks for none need not spend. Tests that do are marked slow.
"""

from typing import IO, Any


def answer(nodes: list[list[Any]], root: int) -> list[list[float]]:
    """Return what `grader.course.oracle.compute.answer` does."""
    from grader.course.oracle import compute

    return compute.answer(nodes, root)


def descended(nodes: list[list[Any]], root: int, rate: float, steps: int, *more: Any) -> list[list[Any]]:
    """Return what `grader.course.oracle.compute.descended` does."""
    from grader.course.oracle import compute

    return compute.descended(nodes, root, rate, steps, *more)


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Do what `grader.course.oracle.compute.serve` does."""
    from grader.course.oracle import compute

    compute.serve(requests, replies)
