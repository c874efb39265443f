"""A process that does not answer is left alone, told, or ended."""

from collections.abc import Sequence
from typing import Any

import pytest
from every import every

from grader.runner.client import Budget, Died, transport
from grader.runner.client.bounds import STALLED_S
from grader.runner.client.transport import KeptOutput, _Progress, _Waiting

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


def watched(
    clock: Clock, used: Sequence[float | None], step_s: float = 1.0, *, sleeps: bool = True
) -> tuple[list[Died | None], Process]:
    """Return the result of each look at a process, given its CPU time at each look."""
    process: Any = Process()
    progress = _Progress(process, 1, CPU_S, Budget(), lambda: sleeps)
    said = []
    for process.used in used:
        clock.now += step_s
        said.append(progress.look())
    return said, process


STILL = [0.5] * (STALLED_S + 3)
LITTLE = [0.1 * (look // (STALLED_S - 1)) for look in range(40)]
# how often the process is signalled that it stalls, the look in which it is ended (None for never), the CPU time at
# each look, and the seconds between two looks
LOOKS: dict[str, tuple[int, int | None, Sequence[float | None], float]] = {
    "A process may use its CPU time, and one more second to stop by itself": (0, None, [1, 2, 3, 4, 5], 1),
    "One that does not stop by itself, such as a loop in C, is ended": (0, 5, [1, 2, 3, 4, 5, 6], 1),
    "CPU time before the present batch does not count": (0, 5, [31, 32, 33, 34, 35, 36], 1),
    "A process without progress is signalled once a second, because it may ignore a signal": (3, None, STILL, 1),
    "A little CPU time is progress, because a busy machine gives little": (0, None, LITTLE, 1),
    "It is looked at once a second, however often the trusted side wakes up": (0, None, STILL, 0.1),
    "If the trusted side was suspended, it did not see the process stand still": (0, None, [0.5, 0.5], 1000),
    "Where the system does not tell the CPU time, there is no verdict from it": (0, None, [None] * 50, 1),
}


@every(("told", "ended", "used", "step_s"), LOOKS.values(), ids=LOOKS)
def test_the_cpu_clock_of_a_process_decides(
    clock: Clock, told: int, ended: int | None, used: Sequence[float | None], step_s: float
) -> None:
    """A process that uses too much CPU time is ended, and one that uses none is told."""
    said, process = watched(clock, used, step_s)
    expected = [Died("cpu_limit", seconds=CPU_S) if look == ended else None for look in range(len(used))]
    assert (expected, told) == (said, process.told)


def test_a_process_that_gets_no_core_is_not_told(clock: Clock) -> None:
    """It uses no CPU time either, but it is ready to run."""
    said, process = watched(clock, STILL, sleeps=False)
    assert ([None] * len(STILL), 0) == (said, process.told)


class Account:
    """What the scheduler says of a process: for how long it was awake, and whether it sleeps now."""

    awake_s = 3.0


@every(
    ("slept", "awake", "own"),
    [
        ([1, 2, 3], [0, 0, 0], [0, 0, 0]),  # it sleeps
        ([0, 0, 0], [1, 2, 3], [0, 0, 0]),  # it runs, or has no core
        ([0.5, 0.5, 1.5], [0.5, 1.5, 1.5], [0, 0, 0]),
        ([0, 0, 0], [0.25, 0.5, 0.75], [0.75, 1.5, 2.25]),  # it has answered, and this process has no core
        ([1, 0.5, 1], [0, 1.5, 2], [0, 0, 0]),  # the scheduler says later that it had no core
    ],
)
def test_only_the_time_in_which_a_process_sleeps_is_waiting(
    monkeypatch: pytest.MonkeyPatch, slept: Sequence[float], awake: Sequence[float], own: Sequence[float]
) -> None:
    """Time counts neither while the process is awake nor while this one has no core to read the answer."""
    account, ready = Account(), 7.0
    monkeypatch.setattr(transport, "own_ready_s", lambda: ready)
    budget = Budget(wall_s=10.0)
    waiting = _Waiting(account, budget)  # type: ignore[arg-type]
    counted = []
    for account.awake_s, late in zip((3.0 + one for one in awake), own, strict=True):
        ready = 7.0 + late
        waiting.count(1.0)
        counted.append(waiting.slept_s)
    assert [*slept] == counted
    assert (10.0 + slept[-1], 3.0) == (budget.wall_s, budget.clock_s)


# -- The output of a process


def test_an_address_in_cut_output_is_masked() -> None:
    """The output is cut at 16 KB. If that is inside of an address, the rest of the address is masked as well."""
    texts = []
    for address in ("0x7fc1234567a0", "0x7f2765432100"):
        printed = KeptOutput(output_kb=16)
        printed.take(b"." * ((16 << 10) - 6) + b" " + address.encode())
        texts.append(printed.text())
    assert texts[0] == texts[1]
    assert texts[0].endswith(". 0x…\n[9 more bytes left out]\n")
