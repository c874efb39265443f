"""A file may also run in the same interpreter, behind the same interface."""

import json
from collections.abc import Mapping

from grader.client import Batch, Broke, Budget, Done, EngineProcess, Loaded, LoadFailed, NotStarted, Read, Run
from grader.client.transport import Answer, Transport
from grader.course import Limits
from grader.program import program
from grader.worker.adapter.engine import LearnerFile
from grader.worker.confine import framing

ENGINE = """
class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, set(_prev), lambda: None

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    def backward(self):
        self.grad = 1.0
        self._backward()
"""


class Same:
    """The transport of a host without processes. It counts how often a file was started."""

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self.started = 0
        self._file: LearnerFile | None = None
        self._fresh = True

    @property
    def running(self) -> bool:
        return self.started > 0

    def check(self) -> None:
        pass

    def start(self) -> None:
        self._file, self._fresh, self.started = None, True, self.started + 1

    def exchange(self, request: bytes, cap: int, cpu_s: float) -> Answer:
        message = json.loads(request)
        if self._file is None:
            self._file = LearnerFile(message)
            return Answer(framing.encode(self._file.load()), "")
        failed = None if self._fresh else self._file.reload()
        self._fresh = False
        return Answer(framing.encode(failed or self._file.run(message)), "")

    def close(self) -> None:
        self._file = None


class Here:
    """A host without processes."""

    tier = "here"
    allow: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.transport = Same()

    def connect(self, limits: Limits, budget: Budget) -> Transport:
        return self.transport


def batch() -> Batch:
    asked = program("L = a * b", a=2, b=3)
    return Batch((Run(asked, (("backward", 2), ("grads",))),), 20_000, 1.0)


def test_a_file_runs_without_a_process() -> None:
    """Under every order seed, the observations are those that a process would send."""
    host = Here()
    with EngineProcess(host, ENGINE, "07_learner.py", None, Limits()) as process:
        assert Loaded() == process.load()
        answers = [process.run(batch()).answer for _ in range(2)]
        assert 1 == host.transport.started
    for answer in answers:
        assert isinstance(answer, Read)
        assert [(3.0, 2.0, 1.0)] * 4 == [seed[0].grads[0] for seed in answer.seeds if isinstance(seed[0], Done)]


def test_what_goes_wrong_is_known_without_a_process() -> None:
    """A file that is the stub, one that cannot be loaded, and a rule that raises give the answers of a process."""
    with EngineProcess(Here(), ENGINE, "07_learner.py", ENGINE, Limits()) as process:
        assert NotStarted() == process.load()
    with EngineProcess(Here(), "1 / 0", "07_learner.py", None, Limits()) as process:
        assert isinstance(process.load(), LoadFailed)
    broken = ENGINE.replace("self.grad += other.data", "self.grad += nothing")
    with EngineProcess(Here(), broken, "07_learner.py", None, Limits()) as process:
        answer = process.run(batch()).answer
        assert isinstance(answer, Read)
        assert isinstance(answer.seeds[0][0], Broke)
