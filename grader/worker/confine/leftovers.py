"""Put an interpreter back as it was before learner code ran in it, as far as that is cheap.

What is not put back here (patched classes, filled memory, settings inside objects) can only cost a check that
fails or dies: the trusted side runs that check again in a fresh process.
"""

import _thread
import gc
import os
import random
import signal
import sys
from _signal import SIG_DFL, SIG_IGN  # type: ignore[import-not-found]
from _signal import getsignal as get_handler
from _signal import signal as set_handler
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from . import limits

_LEFT_BEHIND = 3  # the exit status of a process that cannot be put back
_CONTAINERS = (list, dict, set)
_TIMERS = ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")


class Snapshot:
    """The state of the interpreter before learner code has run.

    Args:
        first_free: No descriptor from this number on is in use.
    """

    def __init__(self, first_free: int) -> None:
        self.first_free = first_free
        self.numpy = _Numpy(sys.modules["numpy"]) if "numpy" in sys.modules else None
        self.modules = dict(sys.modules)
        namespaces = [vars(module) for module in self.modules.values() if isinstance(module, ModuleType)]
        self.contents = [(namespace, [*namespace.values()], dict(namespace)) for namespace in namespaces]
        self.containers = list(_containers(namespaces))
        self.recursion_limit = sys.getrecursionlimit()
        self.switch_interval = sys.getswitchinterval()
        self.thresholds = gc.get_threshold()
        self.handlers = {number: get_handler(number) for number in range(1, signal.NSIG) if _is_settable(number)}
        self.draws = random.getstate()
        gc.freeze()  # what is here now need not be looked at when what learner code left is collected

    def restore(self) -> None:
        """Put back what can be put back; end the process where a thread of the learner's still runs."""
        if _thread._count():
            os._exit(_LEFT_BEHIND)
        sys.settrace(None)
        sys.setprofile(None)
        self._restore_signals()
        self._restore_modules()
        sys.setrecursionlimit(self.recursion_limit)
        sys.setswitchinterval(self.switch_interval)
        gc.disable()
        gc.set_threshold(*self.thresholds)
        gc.collect()
        random.setstate(self.draws)
        if self.numpy is not None:
            self.numpy.restore()
        os.closerange(self.first_free, limits.DESCRIPTORS)

    def _restore_signals(self) -> None:
        for timer in _TIMERS:
            signal.setitimer(getattr(signal, timer), 0)
        for number, handler in self.handlers.items():
            if get_handler(number) is not handler:
                set_handler(number, SIG_DFL if handler is None else handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def _restore_modules(self) -> None:
        for name, module in self.modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
        for namespace, values, saved in self.contents:
            if not _same([*namespace.values()], values):
                for name in [name for name in namespace if name not in saved]:
                    if not isinstance(namespace[name], ModuleType):  # a part that was loaded since
                        del namespace[name]
                namespace.update(saved)
        for container, items, copied in self.containers:
            if not _same(_items(container), items):
                _refill(container, copied)


def _same(now: list[Any], before: list[Any]) -> bool:
    """Whether two lists hold the same objects, or equal ones. Comparing runs no code where nothing has changed."""
    try:
        return now == before
    except Exception:  # an array of numpy's is not simply equal or not
        return False


class _Numpy:
    """What numpy keeps between calls: its generator's state, and what it does about overflow."""

    def __init__(self, numpy: Any) -> None:
        self.numpy = numpy
        self.draws = numpy.random.get_state()
        self.errors = numpy.geterr()

    def restore(self) -> None:
        self.numpy.random.set_state(self.draws)
        self.numpy.seterr(**self.errors)


def _containers(namespaces: list[dict[str, Any]]) -> Iterator[tuple[Any, list[Any], Any]]:
    """The lists, dicts and sets that modules hold, their items, and a copy; not `sys.modules`, which grows rightly."""
    seen = {id(sys.modules), *map(id, namespaces)}
    for namespace in namespaces:
        for value in namespace.values():
            if type(value) in _CONTAINERS and id(value) not in seen:
                seen.add(id(value))
                yield value, _items(value), value.copy()


def _items(container: Any) -> list[Any]:
    return [*(container.values() if type(container) is dict else container)]


def _refill(container: Any, copied: Any) -> None:
    container.clear()
    if type(container) is list:
        container.extend(copied)
    else:
        container.update(copied)


def _is_settable(number: int) -> bool:
    """Whether a handler for this signal can be set, and was set by Python or by nobody."""
    if number in (signal.SIGKILL, signal.SIGSTOP):
        return False
    return get_handler(number) in (SIG_DFL, SIG_IGN) or callable(get_handler(number))
