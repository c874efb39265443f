"""A process that does not answer is left alone, told, or ended."""

from typing import Any

import pytest

from grader.client import (
    Died,
    transport,
)
from grader.client.bounds import STALLED_S
from grader.client.transport import _Progress

# -- Deciding from its CPU clock alone whether a process that does not answer makes progress

CPU_S = 4.0


class Process:
    """A fake server process that reports the CPU time of an engine process and counts notifications."""

    def __init__(self) -> None:
        self.used: float | None = 0.0
        self.told = 0

    def cpu_time(self, number: int) -> float | None:
        return self.used

    def tell_stalled(self, number: int) -> None:
        self.told += 1


class Clock:
    """The clock of the trusted side, which the test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(transport, "time", made)
    return made


def watched(clock: Clock, used: list[float | None], step_s: float = 1.0) -> tuple[list[Died | None], Process]:
    """Return the result of each look at a process, given its CPU time at each look."""
    process: Any = Process()
    progress = _Progress(process, 1, CPU_S)
    said = []
    for process.used in used:
        clock.now += step_s
        said.append(progress.look())
    return said, process


def test_one_that_computes_within_its_limit_is_left_alone(clock: Clock) -> None:
    """A process may use its CPU time, and one more second to stop by itself."""
    said, process = watched(clock, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert [None] * 5 == said
    assert process.told == 0


def test_one_that_uses_more_is_to_be_ended(clock: Clock) -> None:
    """A process that does not stop by itself, such as a loop in C, is ended."""
    said, _ = watched(clock, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert Died("cpu_limit", seconds=CPU_S) == said[-1]


def test_what_it_used_before_it_was_asked_does_not_count(clock: Clock) -> None:
    """CPU time before the present batch does not count, because one process answers many batches."""
    said, _ = watched(clock, [31.0, 32.0, 33.0, 34.0, 35.0, 36.0])
    assert [None] * 5 == said[:5]
    assert Died("cpu_limit", seconds=CPU_S) == said[5]


def test_one_that_stands_still_is_told_after_some_seconds(clock: Clock) -> None:
    """The process is notified again each second, because it may not listen, but it is not ended."""
    said, process = watched(clock, [0.5] * (STALLED_S + 3))
    assert [None] * (STALLED_S + 3) == said
    assert process.told == 3


def test_a_little_cpu_time_now_and_then_is_progress(clock: Clock) -> None:
    """Only a time without any CPU time counts, because a busy machine gives little."""
    _, process = watched(clock, [0.1 * (i // (STALLED_S - 1)) for i in range(40)])
    assert process.told == 0


def test_it_is_looked_at_once_a_second(clock: Clock) -> None:
    """The process is looked at once a second, however often the trusted side wakes up."""
    _, process = watched(clock, [0.5] * (STALLED_S + 3), step_s=0.1)
    assert process.told == 0


def test_a_long_stop_of_the_trusted_side_is_one_look(clock: Clock) -> None:
    """If the trusted side was suspended, it did not see the process stand still."""
    _, process = watched(clock, [0.5, 0.5], step_s=1000.0)
    assert process.told == 0


def test_where_the_system_does_not_tell_the_wall_clock_decides(clock: Clock) -> None:
    """Without a CPU clock, there is no verdict from it."""
    said, process = watched(clock, [None] * 50)
    assert [None] * 50 == said
    assert process.told == 0
