"""The transport to a learner's file in the same interpreter, for a browser tab, which has no processes.

Nothing here keeps learner code from the grader, so results are for practice. The page that holds the interpreter keeps
both from everything else, and ends an interpreter that does not answer (`docs/site.md`).
"""

import builtins
import contextlib
import json
import math
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from io import StringIO, TextIOBase
from pathlib import Path
from types import ModuleType

from ..course.load import Limits
from ..course.remarks import Died
from .client.transport import MAX_CPU_S, Budget, KeptOutput, Transport, TransportAnswer
from .worker.adapter import imports, load, traces
from .worker.adapter.execute import LearnerFile
from .worker.adapter.trials import CandidateFile, open_file
from .worker.confine import framing, leftovers
from .worker.confine.limits import LoopSteps

TIER = "browser"
SMALL = str(Path(__file__).parent / "worker" / "small")  # the folder of what stands in for numpy in a tab
_MOST_SLOWNESS = 4.0  # the limit of time is at most so many times longer because the machine is busy
_SMALL_SLOWNESS = 2.0  # how many times more time a file gets if its arrays are lists
_LONGEST_SPAN = 160_000  # steps of a loop, which take about 5 ms in a browser
_NOISE = 1.25  # a slowness below this says nothing: the clocks of browsers are coarse


class Here:
    """The same interpreter as a host of learner files. A context manager.

    Args:
        longest_s: The seconds that a file may take in total once one of its loops has run out of steps or of time.
        patience: How many times more time code may take than on a usual machine.
        alive: A function to call whenever a request is answered.

    Attributes:
        tier: The name of this kind of isolation in reports.
        allow: The folder of each module, by name, that learner code may import.
        depth: The number of nested calls that a file may make.
        longest_s: As above. It may be changed between two requests.
    """

    def __init__(
        self,
        allow: Mapping[str, str] | None = None,
        longest_s: float = MAX_CPU_S,
        patience: float = 1.0,
        alive: Callable[[], object] = lambda: None,
    ) -> None:
        self.tier = TIER
        self.allow: Mapping[str, str] = allow or {}
        self.longest_s = longest_s
        self.patience = patience
        self.alive = alive
        self.depth = sys.getrecursionlimit()
        self.steps = LoopSteps()
        self._pace = Pace()

    def connect(self, limits: Limits, budget: Budget) -> Transport:
        """Return a transport for one learner file."""
        return SameInterpreter(self, limits, budget)

    def slowness(self) -> float:
        """Return how many times longer Python takes now than it took at best. The page gets a sign of life."""
        self.alive()
        return self._pace.slowness()

    def __enter__(self) -> "Here":
        return self

    def __exit__(self, *_: object) -> None:
        self.steps.close()


class Pace:
    """How fast the interpreter runs, because a browser measures no CPU time.

    Args:
        clock: Returns the time in seconds. The clocks of browsers are coarse: some show the time in steps of 1 ms, and
            those that hide from trackers in steps of 100 ms.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        # a span has to be long enough for the clock; the shorter it is, the fewer spans does the system interrupt
        self._steps, tick = 10_000, self._tick()
        while self._span() < 3 * tick and self._steps < _LONGEST_SPAN:
            self._steps *= 2
        self._best = math.inf
        self.slowness()

    def slowness(self) -> float:
        """Return how many times longer Python takes now than it took at best; 1 if the clock is too coarse."""
        begun = self._clock()
        # at least five spans, and as many more as fit into a tenth of a second
        spans: list[float] = []
        while len(spans) < 40 and (len(spans) < 5 or self._clock() - begun < 0.1):
            spans.append(self._span())
        self._best = min(self._best, *spans)
        return sum(spans) / len(spans) / self._best if self._best > 0 else 1.0

    def _span(self) -> float:
        begun = self._clock()
        for _ in range(self._steps):
            pass
        return self._clock() - begun

    def _tick(self) -> float:
        """Return the step of the clock."""
        begun = self._clock()
        while (now := self._clock()) == begun:
            pass
        return now - begun


class MoreTime:
    """The seconds that a request gets beyond its limit, because the machine is busy.

    Args:
        seconds: The limit.
        slowness: Returns how many times longer Python takes now than it took at best.
    """

    def __init__(self, seconds: float, slowness: Callable[[], float]) -> None:
        self._seconds = self._granted = seconds
        self._slowness = slowness
        self._measured: list[float] = []

    def __call__(self) -> float:
        """Return the seconds to add when the limit and all that was added are over."""
        self._measured.append(self._slowness())
        slowness = min(sum(self._measured) / len(self._measured), _MOST_SLOWNESS)
        entitled = self._seconds * slowness if slowness >= _NOISE else self._seconds
        # at most as long again as the limit, so that the slowness is measured again
        more = min(entitled - self._granted, self._seconds)
        self._granted += more
        return more


class SameInterpreter:
    """The transport to one learner's file in the same interpreter. The file is executed afresh for each batch.

    Args:
        host: Counts the steps of loops. A request may take as many as the limit of calls.
    """

    def __init__(self, host: Here, limits: Limits, budget: Budget) -> None:
        self._host = host
        self._limits = limits
        self._budget = budget
        self._file: LearnerFile | CandidateFile | None = None
        self._filename = ""
        self._named: list[str] = []  # the modules that the file names
        self._used = False  # whether the file has run a batch
        self._finders = list(sys.meta_path)
        self.attempts: Collection[str] = ()
        self.running = False

    def check(self) -> None:
        """Do nothing: there is no process that may have ended."""

    def start(self) -> None:
        """Forget the file. The next request is an order."""
        self.close()
        self.running = True

    def exchange(self, request: bytes, cap: int, cpu_s: float) -> TransportAnswer:
        """Answer a request. Steps of loops are counted, because no signal ends a loop here."""
        # load the file, if this request is an order
        message = json.loads(request)
        printed = _Output(self._limits.output_kb)
        begun = time.perf_counter()
        file, ordered = self._file, self._file is not None
        if file is None:
            self._filename, self._named = message["filename"], sorted(imports.named_modules(message["source"]))
            file = self._file = open_file(message)
        # run it within the limits
        host, budget = self._host, self._budget
        slow = _SMALL_SLOWNESS if "numpy" in self._named and host.allow.get("numpy") == SMALL else 1.0
        seconds = min(cpu_s * host.patience * slow, budget.left_cpu_s, host.longest_s * slow)
        more = MoreTime(seconds, host.slowness)
        steps = host.steps.counted(self._filename, self._limits.calls, seconds, more)
        with _restored(self._named, printed, host.depth), steps:
            answer = self._run(file, message, printed) if ordered else file.load()
        # no CPU time is measured here, so the time on the clock counts
        budget.cpu_s += time.perf_counter() - begun
        # a file with an endless loop would otherwise take the whole budget, check after check
        if host.steps.ran_out:
            budget.max_cpu_s = min(budget.max_cpu_s, host.longest_s)
        host.alive()
        frame: bytes | Died = printed.printed.flood or framing.encode(answer)
        if isinstance(frame, bytes) and len(frame) > cap:
            frame = Died("answer_too_large", limit_kb=cap >> 10)
        if isinstance(frame, Died):
            self.close()
        return TransportAnswer(frame, printed.printed.text())

    def _run(self, file: LearnerFile | CandidateFile, batch: dict[str, object], printed: "_Output") -> list[object]:
        failed = None
        if self._used:
            printed.muted = True  # the file prints again what it printed when it was loaded
            failed = file.reload()
            printed.muted = False
        self._used = True
        return failed or file.run(batch)

    def close(self) -> None:
        """Forget the file."""
        if self._file is not None:
            self._file.forget()
            sys.meta_path[:] = self._finders  # a file adds one
        self._file, self._used, self.running = None, False, False


class _Flood(BaseException):
    """The learner's code printed too much."""


class _Output(TextIOBase):
    """Standard output and error of learner code."""

    def __init__(self, output_kb: int) -> None:
        self.printed = KeptOutput(output_kb)
        self.muted = False

    def write(self, text: str) -> int:
        """Keep a text, or discard it. Raise `_Flood` if there is too much."""
        if not self.muted:
            self.printed.take(text.encode("utf-8", "backslashreplace"))
        if self.printed.flood:
            raise _Flood
        return len(text)


@contextlib.contextmanager
def _restored(named: Iterable[str], output: _Output, calls: int) -> Iterator[None]:
    """Run learner code, and restore the interpreter as far as that is cheap.

    The builtins and the named modules get their contents back, and the interpreter its settings and its environment.
    """
    # remember what learner code may change
    modules = [sys.modules[name] for name in named if isinstance(sys.modules.get(name), ModuleType)]
    contents = leftovers.Contents([vars(module) for module in modules])
    names, known_names = vars(builtins), dict(vars(builtins))
    known = {name: module for name, module in sys.modules.items() if name != load.MODULE}
    environment, chance = dict(os.environ), random.getstate()
    streams, hooks, depth = (
        (sys.stdin, sys.stdout, sys.stderr),
        (sys.gettrace(), sys.getprofile()),
        sys.getrecursionlimit(),
    )
    # give it streams of its own, and the same random numbers as in a fresh process
    sys.stdin, sys.stdout, sys.stderr = StringIO(), output, output
    random.seed(0)
    # without the two frames of this context manager, a batch may nest as many calls as in a sandbox
    sys.setrecursionlimit(calls + len(list(traceback.walk_stack(None))) - 2)
    try:
        yield
    finally:
        names.clear()  # first, because the following code looks up names there
        names.update(known_names)
        contents.restore()
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.settrace(hooks[0])
        sys.setprofile(hooks[1])
        sys.setrecursionlimit(depth)
        random.setstate(chance)
        os.environ.clear()
        os.environ.update(environment)
        sys.modules.update(known)


def leaves_traces(source: str, allow: Mapping[str, str] | None = None) -> bool:
    """Return whether a file, when it runs, can leave something behind that is not undone.

    Args:
        allow: The folder of each module, by name, that the file may import. The small numpy is as harmless as a module
            of the standard library.
    """
    small = allow is not None and allow.get("numpy") == SMALL
    return traces.leaves_traces(source, {"numpy": "grader.runner.worker.small.numpy"} if small else {})
