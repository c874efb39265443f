"""Leave a process of the grader to the next command that runs in the process of the tests.

Torch takes two seconds to start, and what grades a class takes one. These processes are services: what they do for one
command changes nothing for the next one, which `tests/classes/cohort` shows for processes that are not kept.
"""

import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from grader.base.processes import Service, encode
from grader.runner.sandbox import Warm
from grader.runner.sandbox.connection import Connection

TORCH = "grader.course.oracle.compute"
OF_A_CLASS = ("grader.classes.intake.server", "grader.classes.cohort.grading_process")
_MOST = 3  # kept processes of a module
# what a process reads from the environment when it starts
_VARIABLES = ("PATH", "GRADE_", "BACKWARD_", "PYTHON", "LC_", "LANG")
# after these replies, a process can go on; another one may be its last
_GOES_ON = ("Reply", "Ready", "Graded", "Intake")


class _Kept(msgspec.Struct):
    """An idle process, what it was started with, and its reply to that."""

    module: str
    key: bytes
    process: "subprocess.Popen[bytes]"
    ready: Any

    def kill(self) -> None:
        with self.process as process:
            process.kill()


_idle: list[_Kept] = []
_lock = threading.Lock()  # services start and end in threads


@contextmanager
def kept(modules: Sequence[str]) -> Iterator[None]:
    """Keep the processes of some modules, in the block. Those of other modules end as ever."""
    start, exchange, end = Service.start, Service._exchange, Service.end
    begun: dict[Service, _Kept] = {}  # by the service that uses it

    def kept_start(self: Service) -> Any:
        if self.pid is not None or self._module not in modules:
            return start(self)
        key = _key(self)
        while (one := _taken(self._module, key)) is not None:
            if one.process.poll() is None:
                self._process, begun[self] = one.process, one
                return one.ready
            one.kill()
        ready, process = start(self), self._process
        if process is not None:
            begun[self] = _Kept(self._module, key, process, ready)
        return ready

    def kept_exchange(self: Service, message: msgspec.Struct) -> Any:
        one = begun.pop(self, None)  # until there is a reply, the process can only end
        reply = exchange(self, message)
        if one is not None and type(reply).__name__ in _GOES_ON:
            begun[self] = one
        return reply

    def kept_end(self: Service) -> int:
        one = begun.pop(self, None)
        if one is None or one.process is not self._process or one.process.poll() is not None:
            return end(self)
        self._process = None
        with _lock:
            _idle.append(one)
        while len([other for other in _idle if other.module == one.module]) > _MOST:
            if (oldest := _taken(one.module)) is not None:
                oldest.kill()
        return 0

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Service, "start", kept_start)
        patched.setattr(Service, "_exchange", kept_exchange)
        patched.setattr(Service, "end", kept_end)
        yield


# -- The server process in the sandbox


class _Worker(msgspec.Struct):
    """An idle server process, and what `Warm` knows of it. `key` is what it was launched with."""

    key: Any
    state: dict[str, Any]


_workers: list[_Worker] = []


@contextmanager
def kept_workers() -> Iterator[None]:
    """Keep server processes, in the block. One that has an engine process left, or does not answer, ends as ever."""
    launch, start, end, close, ask = Warm._launch, Warm.start, Warm.end, Warm.close, Connection.ask
    running: dict[Warm, int] = {}
    keys: dict[Warm, Any] = {}
    unanswered: set[Connection] = set()  # to server processes that can only end

    def kept_launch(self: Warm) -> None:
        key = (tuple(self._candidates), sorted(self.allow.items()), _environment("PATH", "GRADE_"))
        for one in [one for one in _workers if one.key == key and not self._reasons]:
            _workers.remove(one)
            vars(self).update(one.state)
            if not self.ended:
                running[self], keys[self] = 0, key
                return
            close(self)
        launch(self)
        running[self], keys[self] = 0, None if self._reasons else key

    def kept_start(self: Warm, channel: int, output: int, imports: frozenset[str] = frozenset()) -> int:
        number = start(self, channel, output, imports)
        running[self] += 1
        return number

    def kept_end(self: Warm, number: int, by_itself: bool = False) -> Any:
        ended = end(self, number, by_itself)
        running[self] -= 1
        return ended

    def kept_ask(self: Connection, *arguments: Any, **named: Any) -> tuple[int, ...]:
        unanswered.add(self)
        answer = ask(self, *arguments, **named)
        unanswered.remove(self)
        return answer

    def kept_close(self: Warm) -> None:
        key = keys.pop(self, None)
        broken = not unanswered.isdisjoint(self._connections())
        if running.pop(self, 1) or key is None or self._settled is None or self.ended or broken:
            close(self)
            return
        names = ("_process", "_server", "_forks", "_settled", "_candidates")
        _workers.append(_Worker(key, {name: getattr(self, name) for name in names}))
        self._process, self._server, self._forks = None, None, {}
        while len(_workers) > _MOST:
            _end_worker()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Warm, "_launch", kept_launch)
        patched.setattr(Warm, "start", kept_start)
        patched.setattr(Warm, "end", kept_end)
        patched.setattr(Connection, "ask", kept_ask)
        patched.setattr(Warm, "close", kept_close)
        yield
    while _workers:
        _end_worker()


def _end_worker() -> None:
    """End the oldest idle server process."""
    state = _workers.pop(0).state
    for server in (state["_server"], *state["_forks"].values()):
        server.close()
    state["_process"].wait()


def end_kept(*modules: str) -> None:
    """End the processes of some modules that are left."""
    for module in modules:
        while (one := _taken(module)) is not None:
            one.kill()


def _taken(module: str, key: bytes | None = None) -> _Kept | None:
    """Take the oldest idle process of a module, with a key if one is given. Return None if there is none."""
    with _lock:
        for one in _idle:
            if one.module == module and key in (None, one.key):
                _idle.remove(one)
                return one
    return None


def _key(service: Service) -> bytes:
    """Return what a new process of a service would be started with."""
    setup = b"" if service.setup is None else encode(service.setup)
    return setup + "\0".join(_environment(*_VARIABLES)).encode("utf-8", "surrogateescape")


def _environment(*names: str) -> list[str]:
    """Return the variables of the environment whose names begin like this."""
    return sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith(names))
