"""Restore the interpreter to its state before learner code ran, as far as that is cheap.

Some state is not restored: attributes of objects inside modules, the C library's state, filled
memory. It can only make a check fail or die, and the trusted side runs such a check again in a
fresh process.
"""

import _locale
import _thread
import atexit
import builtins
import gc
import os
import signal
import sys
import typing
from _signal import SIG_DFL, SIG_IGN  # type: ignore[import-not-found]
from _signal import getsignal as get_handler
from _signal import signal as set_handler
from collections.abc import Callable, Iterator
from importlib.machinery import ExtensionFileLoader
from types import ModuleType
from typing import Any

from . import limits

_CONTAINERS = (list, dict, set)
# Windows has neither timers nor blocked signals, nor signals that cannot be handled
_TIMERS = [getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name)]
_MASKS = hasattr(signal, "pthread_sigmask")
_FIXED = (getattr(signal, "SIGKILL", None), getattr(signal, "SIGSTOP", None))
_HEAP_TYPE = 1 << 9  # the flag of a class whose attributes can be set
_attributes = type.__dict__["__dict__"].__get__  # bypasses metaclasses
_builtins = vars(builtins)


class Contents:
    """The contents of namespaces, of their classes, and of their containers."""

    def __init__(self, namespaces: list[dict[str, Any]]) -> None:
        self.namespaces = [(namespace, dict(namespace), list(namespace.values())) for namespace in namespaces]
        classes = [(cls, _attributes(cls)) for cls in _classes(namespaces)]
        self.classes = [(cls, found, dict(found), list(found.values())) for cls, found in classes]
        self.containers = [(container, container.copy()) for container in _containers(namespaces)]

    def restore(self) -> None:
        """Give the namespaces their contents back."""
        for namespace, saved, values in self.namespaces:
            # comparing lists tests identity first, and is much faster than a loop over `is`
            if list(namespace.values()) != values:
                _refill(namespace, saved)
        for cls, attributes, saved, values in self.classes:
            if list(attributes.values()) != values:
                _refill_class(cls, attributes, saved)
        for container, copied in self.containers:
            if container != copied:
                _refill(container, copied)


class Snapshot:
    """The state of the interpreter before learner code has run.

    Taking a snapshot costs more than the rest of a fork's work, so the server process takes one for all forks.
    """

    def __init__(self) -> None:
        of_numpy = list(_of_numpy(sys.modules.get("numpy")))  # first, because numpy loads parts of itself lazily
        random = sys.modules["random"]  # imported by the server process
        self.builtins = dict(_builtins)
        self.table = sys.modules  # the dictionary itself, because learner code may rebind `sys.modules`
        self.modules = dict(sys.modules)
        namespaces = [vars(module) for module in self.modules.values() if isinstance(module, ModuleType)]
        self.contents = Contents(namespaces)
        # the copy of the list of import hooks; without it, a fork would have to look through all containers
        self.finders = next(copied for container, copied in self.contents.containers if container is sys.meta_path)
        self.environment = dict(os.environ)
        self.locale = _locale.setlocale(_locale.LC_ALL)
        self.stack_size = _thread.stack_size()
        self.threads = _thread._count()
        self.settings: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
            (sys.setrecursionlimit, (sys.getrecursionlimit(),)),
            (sys.setswitchinterval, (sys.getswitchinterval(),)),
            (sys.settrace, (None,)),
            (sys.setprofile, (None,)),
            (gc.disable, ()),
            (gc.set_debug, (0,)),
            (gc.set_threshold, gc.get_threshold()),
            (random.setstate, (random.getstate(),)),
            *of_numpy,
            *_of_integers(),
            *((clear, ()) for clear in getattr(typing, "_cleanups", ())),  # caches that keep learners' classes
            (atexit._clear, ()),
        ]
        self.logging = _Logging(self.modules["logging"]) if "logging" in self.modules else None
        self.handlers = {number: get_handler(number) for number in range(1, signal.NSIG) if _is_settable(number)}
        gc.freeze()  # later collections then skip the objects that exist now

    def after_imports(self) -> "Snapshot":
        """Return the snapshot for a fork: this one, or a new one if the fork has imported more modules.

        The import hooks of the fork are kept.
        """
        if len(self.table) != len(self.modules):
            return Snapshot()
        _refill(self.finders, sys.meta_path)
        return self

    def restore(self, first_free: int) -> bool:
        """Restore the state, and close the descriptors from `first_free` on.

        Return False, or raise, if the process cannot be used again: a thread of learner code still
        runs, or an imported module cannot be imported twice.
        """
        _builtins.clear()  # first, because the following code looks up names there
        _builtins.update(self.builtins)
        if _thread._count() != self.threads:
            return False
        sys.settrace(None)
        sys.setprofile(None)
        self._restore_signals()
        os.closerange(first_free, limits.DESCRIPTORS)  # before files with unwritten output are collected
        gc.collect()  # may run learners' finalizers, so it comes before the rest
        if not self._restore_modules():
            return False
        for function, arguments in self.settings:
            function(*arguments)
        if self.logging is not None:
            self.logging.restore()
        # only after a change, because each assignment also calls `putenv`
        if dict(os.environ) != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
        if _locale.setlocale(_locale.LC_ALL) != self.locale:
            _locale.setlocale(_locale.LC_ALL, self.locale)
        if _thread.stack_size() != self.stack_size:
            _thread.stack_size(self.stack_size)
        return True

    def _restore_signals(self) -> None:
        # first, so that no timer fires while its handler is being restored
        for timer in _TIMERS:
            signal.setitimer(timer, 0)
        # blocks nothing more, and returns what is blocked
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ()) if _MASKS else ()
        for number, handler in self.handlers.items():
            if number in blocked:
                set_handler(number, SIG_IGN)  # also discards a pending signal
            if get_handler(number) is not handler:
                set_handler(number, handler)
        if _MASKS:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def _restore_modules(self) -> bool:
        if not self._can_forget_modules():
            return False
        if list(self.table.values()) != list(self.modules.values()):
            _refill(self.table, self.modules)
        self.contents.restore()
        return True

    def _can_forget_modules(self) -> bool:
        """Return whether all modules imported since the snapshot can be imported again, as in a fresh process."""
        # a module in C is loaded once in a process, and may keep its state
        late = [module for name, module in self.table.items() if name not in self.modules]
        specs = [getattr(module, "__spec__", None) for module in late]
        return not any(isinstance(getattr(spec, "loader", None), ExtensionFileLoader) for spec in specs)


class _Logging:
    """The settings of the root logger, and the names of all loggers."""

    def __init__(self, logging: Any) -> None:
        self.root = logging.root
        self.attributes = dict(vars(self.root))
        self.containers = [(c, c.copy()) for c in self.attributes.values() if type(c) in _CONTAINERS]
        self.manager = self.root.manager
        self.managed = dict(vars(self.manager))
        self.containers += [(c, c.copy()) for c in self.managed.values() if type(c) in _CONTAINERS]

    def restore(self) -> None:
        vars(self.root).update(self.attributes)
        vars(self.manager).update(self.managed)
        for container, copied in self.containers:
            if container != copied:
                _refill(container, copied)


def _of_numpy(numpy: Any) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Yield the calls that restore numpy's random generator and its handling of floating-point errors."""
    if hasattr(numpy, "__path__"):  # the small one of a tab, which is no package, has no such state
        yield numpy.random.set_state, (numpy.random.get_state(),)
        errors = numpy.geterr()
        yield (lambda: numpy.seterr(**errors)), ()


def _of_integers() -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Yield the call that restores the maximum number of digits of an integer's text, if this Python has one."""
    if hasattr(sys, "set_int_max_str_digits"):
        yield sys.set_int_max_str_digits, (sys.get_int_max_str_digits(),)


def _classes(namespaces: list[dict[str, Any]]) -> list[type]:
    """Return the classes in modules' namespaces whose attributes can be set, each once."""
    every = (value for namespace in namespaces for value in namespace.values())
    found = {id(value): value for value in every if isinstance(value, type)}
    return [cls for cls in found.values() if cls.__flags__ & _HEAP_TYPE]


def _containers(namespaces: list[dict[str, Any]]) -> list[Any]:
    """Return the lists, dicts and sets in modules' namespaces, each once.

    `sys.modules` and the namespaces themselves are left out.
    """
    seen = {id(sys.modules), *map(id, namespaces)}
    found = []
    for namespace in namespaces:
        for value in namespace.values():
            if type(value) in _CONTAINERS and id(value) not in seen:
                seen.add(id(value))
                found.append(value)
    return found


def _refill(container: Any, copied: Any) -> None:
    container.clear()
    if type(container) is list:
        container.extend(copied)
    else:
        container.update(copied)


def _refill_class(cls: Any, attributes: Any, kept: dict[str, Any]) -> None:
    for name in [name for name in attributes if name not in kept]:
        type.__delattr__(cls, name)
    for name, value in kept.items():
        if attributes.get(name) is not value:
            type.__setattr__(cls, name, value)


def _is_settable(number: int) -> bool:
    """Return whether a handler for this signal can be set, and the present one is Python's or the default."""
    if number in _FIXED:
        return False
    return get_handler(number) in (SIG_DFL, SIG_IGN) or callable(get_handler(number))
