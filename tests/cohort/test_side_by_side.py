"""Threads that process items in parallel."""

import threading
from collections.abc import Iterator

import pytest

from grader.cohort.side_by_side import side_by_side


def doubled(number: int) -> int:
    return 2 * number


def test_every_item_is_worked_on_once() -> None:
    """Any free worker takes an item. A single worker keeps the order."""
    assert list(range(0, 200, 2)) == sorted(side_by_side([doubled] * 3, range(100), 6))
    assert list(range(0, 200, 2)) == list(side_by_side([doubled], range(100), 1))
    assert [] == list(side_by_side([doubled] * 2, [], 4))


def test_who_is_slow_holds_up_nobody() -> None:
    """All other items finish while one worker is busy."""
    others = threading.Event()

    def work(number: int) -> int:
        assert number or others.wait(60)
        return number

    results = side_by_side([work] * 2, range(50), 4)
    assert list(range(1, 50)) == [next(results) for _ in range(49)]
    others.set()
    assert [0] == list(results)


def test_only_so_many_items_are_taken_ahead() -> None:
    """If results are not consumed, no further items are taken."""
    taken = []

    def numbers() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = side_by_side([doubled] * 2, numbers(), 4)
    for asked in range(1, 50):
        next(results)
        assert len(taken) <= asked + 4


@pytest.mark.parametrize("where", ["item", "worker"])
def test_an_error_comes_out(where: str) -> None:
    """An error in the items or in a worker's thread is raised unchanged."""

    def numbers() -> Iterator[int]:
        yield 1
        if where == "item":
            raise LookupError(where)

    def work(number: int) -> int:
        if where == "worker":
            raise LookupError(where)
        return number

    with pytest.raises(LookupError, match=where):
        list(side_by_side([work] * 2, numbers(), 4))


def test_who_leaves_early_leaves_nobody_waiting() -> None:
    """No further item is taken, and the threads end."""
    before = threading.active_count()
    results = side_by_side([doubled] * 3, iter(int, 1), 3)
    assert 0 == next(results)
    results.close()  # type: ignore[attr-defined]
    for thread in threading.enumerate():
        if "(work)" in thread.name:
            thread.join(60)
    assert before == threading.active_count()
