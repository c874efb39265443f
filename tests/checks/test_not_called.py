"""Lines that name a backward rule without calling it are found in the text of a function."""

import pytest

from grader.checks.order import not_called


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        (("L._backward", "e._backward"), "    L._backward\n    e._backward  # then this\n"),
        ((), "    L._backward()\n"),
        ((), "    out = (\n        L._backward\n    )\n"),
        ((), "    rule = \\\n    L._backward\n"),
        ((), "    pass\n\n\ndef g():\n    L._backward\n"),
        (("L._backward",), "    L._backward\n    L._backward\n"),
    ],
    ids=["two", "called", "in brackets", "continued", "in another function", "twice"],
)
def test_lines_without_parentheses(expected: tuple[str, ...], body: str) -> None:
    """Only a line of its own in the function counts."""
    assert expected == not_called(f"def f(e, L):\n{body}", "f")
    assert () == not_called(f"def f(e, L):\n{body}", "h")
