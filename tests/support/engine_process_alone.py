"""An engine process in an interpreter of its own: `engine_process_alone.py CHANNEL OUTPUT ACT`.

ACT is the body of a function `act(when)`, which is called when the file is loaded, reloaded and run; every answer
says what was done so far, and ends with what `act` returned.
"""

import os
import random
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from grader.worker.confine import process
from grader.worker.confine.leftovers import Snapshot

COLOUR: ContextVar[str] = ContextVar("COLOUR", default="none")


def _act(body: str) -> Any:
    namespace: dict[str, Any] = {
        "COLOUR": COLOUR,
        "os": os,
        "random": random,
        "sys": sys,
        "threading": threading,
        "time": time,
    }
    exec(f"def act(when):\n{textwrap.indent(body, '    ')}", namespace)
    return namespace["act"]


class Plan:
    """Gives up nothing, and notes when it was asked to."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def apply(self, send: Callable[[int], None]) -> None:
        self.log.append("rights given up")


class File:
    """Notes what is done with it, and answers with that."""

    def __init__(self, log: list[str], body: str) -> None:
        self.log = log
        self.act = _act(body)
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


def main() -> None:
    channel, output, body = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    log: list[str] = []

    def loader(order: dict[str, Any]) -> File:
        log.append("imports made")
        return File(log, body)

    process.start(channel, output, Plan(log), loader, Snapshot())  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
