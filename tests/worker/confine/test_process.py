"""An engine process first gives up its rights. Each batch gets a restored interpreter."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.worker.confine import framing

ALONE = Path(__file__).parents[2] / "support" / "engine_process_alone.py"
LIMITS = {"cpu_s": 5.0, "memory_mb": 4096}


class Alone:
    """An engine process whose file does `act`, and the trusted ends of its channel and output."""

    def __init__(self, act: str) -> None:
        self.channel, theirs = socket.socketpair()
        self.out, out_end = os.pipe()
        with theirs:
            # standard input is opened for both ways, as the server process's is
            self.process = subprocess.Popen(
                [sys.executable, str(ALONE), str(theirs.fileno()), str(out_end), act],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), out_end),
            )
        os.close(out_end)

    def ask(self, message: Any) -> Any:
        framing.write_frame(self.channel.fileno(), message)
        return framing.read_frame(self.channel.fileno())

    def load(self) -> Any:
        return self.ask({"limits": LIMITS, "cpu_backstop_s": 60})

    def run(self) -> Any:
        return self.ask({"cpu_s": 5.0})

    def close(self) -> int:
        """End the process, and return its status."""
        self.channel.close()
        os.close(self.out)
        return self.process.wait()


Start = Callable[[str], Alone]


@pytest.fixture
def start() -> Iterator[Start]:
    made: list[Alone] = []

    def make(act: str) -> Alone:
        made.append(Alone(act))
        return made[-1]

    yield make
    for alone in made:
        if alone.channel.fileno() >= 0:
            alone.close()


def test_rights_are_given_up_before_the_file_is_compiled(start: Start) -> None:
    """Rights are given up after the imports, which need files, and before the learner's code is read."""
    assert ["imports made", "rights given up", None] == start("pass").load()


def test_the_file_is_run_afresh_before_each_batch_but_the_first(start: Start) -> None:
    """Loading runs the file for the first batch. Before any other batch, it runs again in a new namespace."""
    alone = start("pass")
    begun = ["imports made", "rights given up"]
    assert [*begun, None] == alone.load()
    assert [*begun, None] == alone.run()
    assert [*begun, "forgotten", "run afresh", None] == alone.run()


def test_a_batch_ends_with_its_context(start: Start) -> None:
    """A context variable that the file sets is set only for its batch."""
    alone = start("before = COLOUR.get()\nCOLOUR.set(when)\nreturn before")
    assert ["none", "load", "reload"] == [alone.load()[-1], alone.run()[-1], alone.run()[-1]]


def test_what_is_printed_is_shown_once(start: Start) -> None:
    """The output of the file is shown when it is loaded, and that of each batch with the batch.

    The output of further runs of the file is discarded.
    """
    alone = start("print(when, flush=False)")
    alone.load(), alone.run(), alone.run()
    assert os.read(alone.out, 1000) == b"load\nrun\nrun\n"


def test_streams_that_were_closed_are_open_again(start: Start) -> None:
    """Standard output works again, whatever a batch did to it and to its descriptor."""
    alone = start("print(when, flush=True)\nif when == 'run':\n    sys.stdout.close()\n    os.close(1)")
    alone.load(), alone.run(), alone.run()
    assert os.read(alone.out, 1000) == b"load\nrun\nrun\n"


def test_random_numbers_are_those_of_the_first_time(start: Start) -> None:
    """Each batch draws the same random numbers as the first one."""
    alone = start("return random.random()")
    alone.load()
    first = alone.run()[-1]
    assert first == alone.run()[-1]


def test_one_that_a_thread_holds_up_ends(start: Start) -> None:
    """If a thread still runs when the next batch comes, the process ends with its own status."""
    alone = start("threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()")
    alone.load()
    assert alone.run() is not None
    assert alone.run() is None
    assert framing.LEFT_BEHIND == alone.close()


def test_one_that_cannot_be_put_back_for_another_reason_ends_too(start: Start) -> None:
    """Without standard input, the output of the file cannot be discarded, and the process ends."""
    alone = start("os.close(0)")
    alone.load()
    assert alone.run() is None
    alone = start("if when == 'run': os.close(0)")
    alone.load()
    assert alone.run() is not None
    assert alone.run() is None
    assert framing.LEFT_BEHIND == alone.close()


def test_without_an_order_it_ends(start: Start) -> None:
    """The process ends if the trusted side closes the channel before it sends a file."""
    assert start("pass").close() == 1
