"""Members of a crew work side by side, and a flow collects their results."""

import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

import pytest

from grader.base.processes import Crew, Flow


def twice(number: int, _: "Member") -> int:
    return 2 * number


class Member:
    """A member of a crew that counts how often it was closed."""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


Task = Callable[[Member], Any]


def crew(count: int) -> Crew[Member, Task]:
    """Return a crew whose tasks are functions of a member."""
    return Crew((Member() for _ in range(count)), lambda member, task: task(member))


def test_every_task_is_done_once() -> None:
    """Any free member does a task. A single member keeps the order."""
    for count in (1, 3):
        flow = Flow()
        with closing(crew(count)) as several:
            for number in range(100):
                flow.begin(partial(several.begin, partial(twice, number)))
            results = [flow.next() for _ in range(100)]
        assert list(range(0, 200, 2)) == (results if count == 1 else sorted(results))
        assert 0 == flow.running


def test_a_slow_task_does_not_delay_others() -> None:
    """All other tasks finish while one member is busy."""
    others, flow = threading.Event(), Flow()
    with closing(crew(2)) as two:
        flow.begin(partial(two.begin, lambda _: others.wait(60)))
        for number in range(50):
            flow.begin(partial(two.begin, partial(twice, number)))
        assert list(range(0, 100, 2)) == [flow.next() for _ in range(50)]
        others.set()
        assert flow.next() is True


def test_an_error_of_a_task_is_raised() -> None:
    """An error in a member's thread is raised unchanged where the result is taken, and the member goes on."""

    def fail(_: Member) -> None:
        raise LookupError("task")

    flow = Flow()
    with closing(crew(1)) as one:
        flow.begin(partial(one.begin, fail))
        flow.begin(partial(one.begin, lambda _: 1))
        with pytest.raises(LookupError, match="task"):
            flow.next()
        assert 1 == flow.next()


def test_closing_ends_every_task() -> None:
    """Tasks that have not begun are dropped, every member is closed, and the threads end."""
    began, held = threading.Event(), threading.Event()
    done: list[object] = []
    one = crew(1)

    def hold(_: Member) -> bool:
        began.set()
        return held.wait(60)

    one.begin(hold, done.append)
    one.begin(lambda _: "dropped", done.append)
    assert began.wait(60)
    one.close()
    held.set()
    workers = [thread for thread in threading.enumerate() if "_work" in thread.name]
    for thread in workers:
        thread.join(60)
    assert (1, [True]) == (one.members[0].closed, done)
    assert not any(thread.is_alive() for thread in workers)
