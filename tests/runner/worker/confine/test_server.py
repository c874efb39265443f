"""The server process and its forks start engine processes, report on them, and end them on request."""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.runner import sandbox
from grader.runner.sandbox import Warm
from grader.runner.worker.confine import framing

ORDER: dict[str, Any] = {
    "filename": "07_learner.py",
    "stub": None,
    "cells": [],
    "allow": {},
    "limits": {"calls": 1000, "cpu_s": 20.0, "memory_mb": 512},
    "cpu_backstop_s": 60.0,
}


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with sandbox.start("process", allow_imports=["numpy", "yaml"]) as started:
        assert isinstance(started, Warm)
        yield started


class Engine:
    """An engine process as the server process knows it, with the trusted ends of its channel and output."""

    def __init__(self, warm: Warm, *imports: str) -> None:
        self.warm = warm
        self.channel, theirs = socket.socketpair()
        self.out, out_end = os.pipe()
        with theirs:
            self.number = warm.start(theirs.fileno(), out_end, frozenset(imports))
        os.close(out_end)

    def order(self, source: str) -> None:
        framing.write_frame(self.channel.fileno(), {**ORDER, "source": source})

    def answer(self) -> Any:
        return framing.read_frame(self.channel.fileno())

    def close(self) -> None:
        self.channel.close()
        os.close(self.out)
        self.warm.end(self.number)


@pytest.fixture(params=[(), ("numpy",)], ids=["server", "fork"])
def engine(warm: Warm, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine process of the server process, and one of a fork that has imported a module."""
    made = Engine(warm, *request.param)
    yield made
    made.close()


def test_modules_are_imported_once_for_all_that_name_them(warm: Warm) -> None:
    """They are there when an engine process starts. The others do not have them."""
    shown = "import os, sys\nnames = [name for name in ('numpy', 'yaml') if name in sys.modules]\n"
    shown += "os.write(1, f'{os.getppid()} {names}'.encode())\n"
    told = []
    for imports in ((), ("numpy",), ("numpy",), ("yaml", "numpy")):
        engine = Engine(warm, *imports)
        engine.order(shown)
        assert ["loaded"] == engine.answer()
        told.append(os.read(engine.out, 1000).decode().split(maxsplit=1))
        engine.close()
    parents, names = zip(*told, strict=True)
    assert ("[]", "['numpy']", "['numpy']", "['numpy', 'yaml']") == names
    assert parents[1] == parents[2]
    assert 3 == len(set(parents))


def test_a_fork_ends_with_the_connection() -> None:
    """It is no child of the trusted side, and is left behind in no tier."""
    with sandbox.start("process", allow_imports=["numpy"]) as warm:
        assert isinstance(warm, Warm)
        engine = Engine(warm, "numpy")
        engine.order("import os\nos.write(1, str(os.getppid()).encode())\n")
        assert ["loaded"] == engine.answer()
        fork = int(os.read(engine.out, 100))
        assert _runs(fork)
        engine.channel.close()
        os.close(engine.out)
    assert _eventually(lambda: not _runs(fork))


@pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: only Linux has the scheduler's account")
def test_the_scheduler_gives_an_account_of_each(engine: Engine) -> None:
    """Whether it sleeps depends on the process, not on the one that has started it."""
    engine.order("import time\ntime.sleep(1000)\n")
    schedule = engine.warm.schedule(engine.number)
    assert schedule is not None
    assert _eventually(lambda: schedule.sleeps)
    schedule.close()


def test_one_is_started_and_answers(engine: Engine) -> None:
    """The process answers its first frame with one frame."""
    engine.order("x = 1\n")
    assert ["loaded"] == engine.answer()


def test_without_an_order_one_ends(engine: Engine) -> None:
    """The process ends if the trusted side closes the channel before it sends a file."""
    engine.channel.close()
    assert 1 == engine.warm.end(engine.number, by_itself=True).code


@pytest.mark.slow
def test_its_cpu_time_is_told_while_it_runs(engine: Engine) -> None:
    """The CPU time of a computing process increases. It is in seconds."""
    engine.order("while True: pass\n")
    deadline = time.monotonic() + 120
    while (engine.warm.cpu_time(engine.number) or 0.0) < 0.2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert 0.2 <= (engine.warm.cpu_time(engine.number) or 0.0) < 60


def test_an_unknown_number_has_no_cpu_time_and_no_end(warm: Warm) -> None:
    """The server process reports on no other processes, and ends none of them."""
    assert warm.cpu_time(os.getpid()) is None
    assert (0, 0.0) == warm.end(os.getpid())
    warm.tell_stalled(os.getpid())


@pytest.mark.parametrize(
    ("code", "act"),
    [(7, "os._exit(7)"), (-signal.SIGKILL, "os.kill(os.getpid(), 9)"), (-signal.SIGSEGV, "signal.raise_signal(11)")],
)
def test_how_one_ended_is_told_to_who_waits_for_it(engine: Engine, code: int, act: str) -> None:
    """The result is an exit status, or the negative number of a signal."""
    engine.order(f"import os, signal\n{act}\n")
    assert engine.answer() is None
    assert code == engine.warm.end(engine.number, by_itself=True).code


@pytest.mark.slow
def test_what_one_has_used_is_told_when_it_has_ended(engine: Engine) -> None:
    """The CPU time includes the last moments of the process."""
    engine.order("import os, time\nwhile time.process_time() < 0.3: pass\nos._exit(0)\n")
    assert engine.answer() is None
    assert 0.3 <= engine.warm.end(engine.number, by_itself=True).cpu_s < 5


@pytest.mark.parametrize("by_itself", [pytest.param(True, marks=pytest.mark.slow), False])
def test_one_that_does_not_end_is_killed(engine: Engine, by_itself: bool) -> None:
    """A process that closes its channel and continues is killed after a second."""
    engine.order("import os, time\nos.closerange(3, 64)\ntime.sleep(1000)\n")
    assert engine.answer() is None
    assert engine.warm.end(engine.number, by_itself).code == 0


def test_its_children_end_with_it(engine: Engine) -> None:
    """Forks of the process are in its process group, and are killed with it."""
    engine.order("import os, time\nif os.fork():\n    os.write(1, b'.')\nelse:\n    time.sleep(1000)\n")
    assert ["loaded"] == engine.answer()
    children = Path(f"/proc/{engine.number}/task/{engine.number}/children").read_text().split()
    assert 1 == len(children)
    engine.warm.end(engine.number)
    gone = _eventually(lambda: not _runs(int(children[0])))
    assert gone


def test_one_that_is_still_importing_is_not_ended_by_being_told(engine: Engine) -> None:
    """Waiting for a slow disk before the clock runs does not count as stalling."""
    engine.warm.tell_stalled(engine.number)
    engine.order("x = 1\n")
    assert ["loaded"] == engine.answer()


def test_one_that_makes_no_progress_is_told_where_it_stands(engine: Engine) -> None:
    """The line that waits raises an exception, and the answer says so."""
    engine.order("import os, time; os.write(1, b'.'); time.sleep(1000)\n")
    assert os.read(engine.out, 1) == b"."
    engine.warm.tell_stalled(engine.number)
    assert ["failed", ["load", "stalled", "Stalled", "", [1]]] == engine.answer()


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 120
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()
