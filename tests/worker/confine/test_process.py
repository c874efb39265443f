"""An engine process: rights are given up first, each batch finds the interpreter as it was."""

import os
import random
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import FrameType
from typing import Any

import pytest

from grader.worker.confine import framing, process
from grader.worker.confine.leftovers import Snapshot

LIMITS = {"cpu_s": 5.0, "memory_mb": 4096}
COLOUR: ContextVar[str] = ContextVar("COLOUR", default="none")


class Plan:
    """Gives up nothing, and notes when it was asked to."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def apply(self) -> None:
        self.log.append("rights given up")


class File:
    """Notes what is done with it, and answers with that; `act` is done when it is run, and in each batch."""

    def __init__(self, log: list[str], act: Callable[[str], object]) -> None:
        self.log = log
        self.act = act
        self.loaded = False

    def load(self) -> list[Any]:
        self.loaded = True
        return [*self.log, self.act("load")]

    def is_theirs(self, frame: FrameType | None) -> bool:
        return True

    def forget(self) -> None:
        self.log.append("forgotten")

    def reload(self) -> list[Any] | None:
        self.log.append("run afresh")
        self.act("reload")
        return None

    def run(self, batch: dict[str, Any]) -> list[Any]:
        return [*self.log, self.act("run")]


class Fork:
    """An engine process with a `File`, in a fork of this one, and the trusted ends of its channel and output."""

    def __init__(self, act: Callable[[str], object]) -> None:
        self.channel, theirs = socket.socketpair()
        self.out, out_end = os.pipe()
        log: list[str] = []

        def loader(order: dict[str, Any]) -> File:
            log.append("imports made")
            return File(log, act)

        self.pid = os.fork()
        if self.pid == 0:
            self.channel.close()
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)  # as the server process is started
            process.start(theirs.detach(), out_end, Plan(log), loader, Snapshot())  # type: ignore[arg-type]
        theirs.close()
        os.close(out_end)

    def ask(self, message: Any) -> Any:
        framing.write_frame(self.channel.fileno(), message)
        return framing.read_frame(self.channel.fileno())

    def load(self) -> Any:
        return self.ask({"limits": LIMITS, "cpu_backstop_s": 60})

    def run(self) -> Any:
        return self.ask({"cpu_s": 5.0})

    def close(self) -> int:
        """End it, and return its status."""
        self.channel.close()
        os.close(self.out)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


Start = Callable[[Callable[[str], object]], Fork]


@pytest.fixture
def start() -> Iterator[Start]:
    made: list[Fork] = []

    def make(act: Callable[[str], object]) -> Fork:
        made.append(Fork(act))
        return made[-1]

    yield make
    for fork in made:
        if fork.channel.fileno() >= 0:
            fork.close()


def test_rights_are_given_up_before_the_file_is_compiled(start: Start) -> None:
    """Between the imports, which need files, and the first thing that is done with the learner's code."""
    assert ["imports made", "rights given up", None] == start(lambda _: None).load()


def test_the_file_is_run_afresh_before_each_batch_but_the_first(start: Start) -> None:
    """Loading has run it for the first batch; before any other it is let go, and run again."""
    fork = start(lambda _: None)
    begun = ["imports made", "rights given up"]
    assert [*begun, None] == fork.load()
    assert [*begun, None] == fork.run()
    assert [*begun, "forgotten", "run afresh", None] == fork.run()


def test_a_batch_ends_with_its_context(start: Start) -> None:
    """A context variable that the file sets is set for its batch, and for no other."""

    def colour(when: str) -> str:
        before = COLOUR.get()
        COLOUR.set(when)
        return before

    fork = start(colour)
    assert ["none", "load", "reload"] == [fork.load()[-1], fork.run()[-1], fork.run()[-1]]


def test_what_is_printed_is_shown_once(start: Start) -> None:
    """The file's output when it is loaded, and each batch's; not the file's when it is run afresh."""
    fork = start(lambda when: print(when, flush=False))
    fork.load(), fork.run(), fork.run()
    assert os.read(fork.out, 1000) == b"load\nrun\nrun\n"


def test_streams_that_were_closed_are_open_again(start: Start) -> None:
    """Whatever a batch does to standard output and its descriptor."""

    def break_them(when: str) -> None:
        print(when, flush=True)
        if when == "run":
            sys.stdout.close()
            os.close(1)

    fork = start(break_them)
    fork.load(), fork.run(), fork.run()
    assert os.read(fork.out, 1000) == b"load\nrun\nrun\n"


def test_random_numbers_are_those_of_the_first_time(start: Start) -> None:
    """Each batch draws what the first one drew."""
    fork = start(lambda _: random.random())
    fork.load()
    first = fork.run()[-1]
    assert first == fork.run()[-1]


def test_one_that_a_thread_holds_up_ends(start: Start) -> None:
    """It says so by its status, when the next batch comes."""
    fork = start(lambda _: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start())
    fork.load()
    assert fork.run() is not None
    assert fork.run() is None
    assert framing.LEFT_BEHIND == fork.close()


def test_one_that_cannot_be_put_back_for_another_reason_ends_too(start: Start) -> None:
    """Without standard input, there is nowhere to discard what the file prints."""
    fork = start(lambda _: os.close(0))
    fork.load()
    assert fork.run() is None
    fork = start(lambda when: os.close(0) if when == "run" else None)
    fork.load()
    assert fork.run() is not None
    assert fork.run() is None
    assert framing.LEFT_BEHIND == fork.close()


def test_without_an_order_it_ends(start: Start) -> None:
    """The trusted side went away before it said what to load."""
    assert start(lambda _: None).close() == 1
