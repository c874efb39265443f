"""The budget of calls."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from grader.worker.adapter import load
from grader.worker.adapter.load import CallBudget, OutOfCalls

FILE = "07_learner.py"


def code(source: str) -> dict[str, Any]:
    """Return the names that a learner's source defines."""
    parsed = load.parse(source, FILE)
    return vars(load.execute(parsed, load.builtins_for(parsed, {})))


SPIN = {
    "recursion": "import sys\nsys.setrecursionlimit(10**6)\ndef run():\n    return run()\n",
    "loop of calls": "def step():\n    pass\ndef run():\n    while True:\n        step()\n",
    "loop of methods": "class A:\n    def m(self): pass\ndef run():\n    a = A()\n    while True:\n        a.m()\n",
    "two paths at each step": "def walk(n):\n    return n and walk(n - 1) + walk(n - 1)\ndef run():\n    walk(60)\n",
    "endless generator": "def count():\n    while True:\n        yield 1\ndef run():\n    return sum(count())\n",
}


@pytest.fixture
def _recursion_limit() -> Iterator[None]:
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("source", SPIN.values(), ids=SPIN.keys())
@pytest.mark.usefixtures("_recursion_limit")
def test_calls_without_end_are_stopped(source: str) -> None:
    """Endless recursion, loops of calls, repeated work and generators use up the budget."""
    names = code(source)
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], 500):
        names["run"]()


@pytest.mark.parametrize(("allowed", "calls"), [(True, 10), (True, 11), (False, 12)])
def test_the_budget_is_exact(allowed: bool, calls: int) -> None:
    """Exactly as many calls as the budget allows are made."""
    names = code("def step():\n    pass\ndef run(n):\n    for _ in range(n):\n        step()\n")
    went_through = False
    try:
        with CallBudget(names["__builtins__"], 12):
            names["run"](calls)
            went_through = True
    except OutOfCalls:
        pass
    assert allowed is went_through


def test_code_of_other_files_is_free() -> None:
    """Calls inside the standard library are not counted."""
    names = code("import textwrap\ndef run():\n    return textwrap.wrap('word ' * 1000)\n")
    with CallBudget(names["__builtins__"], 1):
        assert names["run"]()


def test_a_budget_ends_with_its_block() -> None:
    """After the block, no call is counted."""
    names = code("def step():\n    pass\n")
    with CallBudget(names["__builtins__"], 5):
        names["step"]()
    for _ in range(10):
        names["step"]()


def test_a_budget_ends_also_when_it_is_spent() -> None:
    """The exception that ends a run also ends the counting. Inside the block, each further call raises it."""
    names = code("def step():\n    pass\n")
    with CallBudget(names["__builtins__"], 0):
        for _ in range(3):
            with pytest.raises(OutOfCalls):
                names["step"]()
    names["step"]()


@pytest.mark.parametrize(
    ("calls", "source"),
    [
        (1, "def run():\n    'A docstring.'\n    return 7\n"),
        (2, "def run():\n    return (lambda x: x + 6)(1)\n"),
        (4, "def run():\n    def two():\n        yield 3\n        yield 4\n    return sum(two())\n"),
        (3, "def run():\n    def one():\n        yield\n    return [7 for _ in one()][0]\n"),
        (2, "class A:\n    def __init__(self):\n        self.x = 7\ndef run():\n    return A().x\n"),
        (2, "def run():\n    x = 0\n    def inner():\n        nonlocal x\n        x = 7\n    inner()\n    return x\n"),
        (1, "def run():\n    'Only a docstring.'\nrun.__defaults__ = None\n"),
    ],
)
def test_functions_do_what_they_did_and_spend_a_call(calls: int, source: str) -> None:
    """Counting changes no result and no docstring. Each call and each item of a generator costs one."""
    names = code(source)
    plain: dict[str, Any] = {}
    exec(compile(source, FILE, "exec"), plain)
    with CallBudget(names["__builtins__"], calls):
        assert plain["run"]() == names["run"]()
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], calls - 1):
        names["run"]()
    assert plain["run"].__doc__ == names["run"].__doc__


def test_counting_shows_in_no_name_and_no_line() -> None:
    """A learner's module has only the learner's names, and tracebacks have the learner's lines."""
    names = code("def run():\n    'Doc.'\n    1 / 0\n")
    assert {"run"} == {name for name in names if not name.startswith("__")}
    with pytest.raises(ZeroDivisionError) as caught:
        names["run"]()
    assert caught.traceback[-1].lineno + 1 == 3


def test_the_learners_except_exception_does_not_catch_it() -> None:
    """`except Exception` in a learner's loop does not catch the end of a budget."""
    source = """
def step():
    pass
def run():
    while True:
        try:
            step()
        except Exception:
            pass
"""
    names = code(source)
    with pytest.raises(OutOfCalls), CallBudget(names["__builtins__"], 100):
        names["run"]()


def test_without_a_budget_calls_are_free() -> None:
    """A budget of None counts nothing."""
    names = code("def step():\n    pass\ndef run(n):\n    for _ in range(n):\n        step()\n")
    with CallBudget(names["__builtins__"], None):
        names["run"](10_000)
