"""Let all oracles of a test process ask the same process, because torch takes two seconds to start."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from grader.base.service import Ended, Service
from grader.oracle import answers

_idle: list["subprocess.Popen[bytes]"] = []


class _Kept(Service):
    """A service whose process is left to the next service, unless it failed."""

    _sound = False

    def ask(self, message: Any) -> Any:
        reply = super().ask(message)
        self._sound = not isinstance(reply, Ended)
        return reply

    def end(self) -> int:
        if self._process is None or not self._sound:
            return super().end()
        _idle.append(self._process)
        self._process, self._sound = None, False
        return 0

    def _spawn(self) -> None:
        self._sound = False
        self.end()
        while _idle:
            self._process = _idle.pop()
            if self.pid is not None:
                return
        super()._spawn()


@contextmanager
def one_torch() -> Iterator[None]:
    """Leave torch's process to the next oracle of this process, in the block."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(answers, "Service", _Kept)
        yield


def end_torch() -> None:
    """End the process that is left."""
    while _idle:
        with _idle.pop() as process:
            process.kill()
