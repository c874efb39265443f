"""A process that does not answer is left alone, told, or ended."""

from collections.abc import Sequence
from typing import Any

import pytest
from every import every

from grader.client import (
    Budget,
    Died,
    transport,
)
from grader.client.bounds import STALLED_S
from grader.client.transport import Printed, _Progress

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


def watched(clock: Clock, used: Sequence[float | None], step_s: float = 1.0) -> tuple[list[Died | None], Process]:
    """Return the result of each look at a process, given its CPU time at each look."""
    process: Any = Process()
    progress = _Progress(process, 1, CPU_S, Budget())
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


# -- The output of a process


def test_an_address_in_cut_output_is_masked() -> None:
    """The output is cut at 16 KB. If that is inside of an address, the rest of the address is masked as well."""
    texts = []
    for address in ("0x7fc1234567a0", "0x7f2765432100"):
        printed = Printed(output_kb=16)
        printed.take(b"." * ((16 << 10) - 6) + b" " + address.encode())
        texts.append(printed.text())
    assert texts[0] == texts[1]
    assert texts[0].endswith(". 0x…\n[9 more bytes left out]\n")
