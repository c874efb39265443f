"""Problems as a learner's process reports them."""

from collections.abc import Sequence

from grader.runner.client import Problem


def problem(
    kind: str,
    type_name: str = "ValueError",
    message: str = "",
    lines: Sequence[int] = (),
    names: Sequence[str] = (),
    counts: Sequence[int] = (),
) -> Problem:
    """Return a problem. A test gives only the fields that matter to it."""
    return Problem("backward", kind, type_name, message, list(lines), list(names), list(counts))
