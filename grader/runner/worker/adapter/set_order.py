"""Make set iteration order deterministic: every check runs under several chosen orders.

`_prev` is usually a set of objects hashed by address. Its order changes with the memory layout, so
a wrong engine would be right in some runs. Here each object gets a number when it is made. Its hash
is a bijection of that number, chosen by the order seed: ascending, descending, scattered, or
scattered and reversed. If the second of two nodes is made at most eight objects after the first,
the two nodes are iterated in both orders.
"""

import gc
import sys
import weakref
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any

_TOP = (1 << 60) - 1
_BITS = 40  # of the number of an object
_MASK = (1 << _BITS) - 1
_AHEAD = 64  # hashes that are computed at once
# Where Python's hashes have 32 bits, the low bits alone give the same order, unless many hashes collide.
_LOW = (1 << min(60, sys.hash_info.width - 4)) - 1
_MODULUS = sys.hash_info.modulus  # the hash of a large number is its remainder


def order_hash(number: int, seed: int) -> int:
    """Return the hash of object `number` under order seed `seed`: the low bits of its rank.

    Where Python's hashes have 32 bits, the result is below 2**28, and some hashes may be equal.
    """
    return rank(number, seed) & _LOW


@cache
def rank(number: int, seed: int) -> int:
    """Return the rank of object `number` under order seed `seed`, below 2**60; injective for `number` < 2**40."""
    number &= _MASK
    if seed >= 2:
        # an odd multiplier and an xor-shift are both invertible on 40 bits
        number = (number * (0x9E3779B97F4A7C15 + 2 * (seed & ~1))) & _MASK
        number ^= number >> 23
        number = (number * 0xD1342543DE82EF95) & _MASK
    return _TOP - number if seed % 2 else number


@cache
def _hashes_under(seed: int) -> list[int]:
    """Return a list for the hashes of the first objects of a run under order seed `seed`. `_register` extends it."""
    return []


def _weakly(obj: object) -> Any:
    """Return a weak reference to an object, or the object itself if it does not support one."""
    try:
        return weakref.ref(obj)
    except TypeError:
        return obj


class EngineObjects:
    """The objects of the learner's classes made since the file was loaded, oldest first.

    Args:
        module: the learner's file.

    Attributes:
        objects: the objects.
        order_seed: the order seed of this run.
        on_made: a function to call with each object as it is made, or None.
    """

    def __init__(self, module: ModuleType) -> None:
        self.objects: list[Any] = []
        self.order_seed = 0
        self.on_made: Callable[[object], None] | None = None
        self._origins: dict[int, int] = {}  # the number of the run and of the object, by address like the hashes
        self._hashes: dict[int, int] = {}
        self._known = _hashes_under(0)  # by number
        self._seeds = [0, 0]  # of the runs
        self._free: list[int] = []  # numbers of this run's freed objects, smallest last
        self._next = 0
        self._start = 0
        self._run = 1
        for cls in [c for c in vars(module).values() if issubclass(type(c), type)]:
            if cls.__module__ in (module.__name__, "types"):  # `types` is the module of make_dataclass's classes
                self._follow(cls)
        vars(module)["__builtins__"]["id"] = self._id  # only for this module, which has its own builtins

    def start_run(self, order_seed: int) -> None:
        """Begin a new run: number its objects from 0, and hash them under `order_seed`."""
        self.order_seed = order_seed
        self._known = _hashes_under(order_seed)
        self._run += 1
        self._seeds.append(order_seed)
        self._start = len(self.objects)  # earlier objects stay registered: the file may still hold them
        self._free = []
        self._next = 0

    def meet(self, obj: object) -> None:
        """Register an object of this run if it is unknown. Learner code may make objects without calling the class."""
        if id(obj) not in self._hashes:
            self._register(obj)

    def of_run(self) -> list[Any]:
        """Return the objects made in this run, oldest first, so that inputs come before their users."""
        return self.objects[self._start :]

    def earlier(self) -> set[int]:
        """Return the addresses of the objects made before this run."""
        return set(map(id, self.objects[: self._start]))

    def let_die(self, kept: Iterable[object]) -> None:
        """Release this run's objects except `kept`, so that those without other references are freed.

        New objects get the numbers of the freed ones, with their hashes and ids. In the same way,
        Python reuses addresses in memory. Objects that do not support weak references are not released.
        """
        # hold the others weakly, and let those die that nothing else refers to
        stay = set(map(id, kept))
        run = [(id(obj), obj if id(obj) in stay else _weakly(obj)) for obj in self.of_run()]
        del self.objects[self._start :]
        gc.collect()
        for address, held in run:
            obj = held() if isinstance(held, weakref.ref) else held
            if obj is not None:
                self.objects.append(obj)
                continue
            self._free.append(self._origins.pop(address) & _MASK)
            del self._hashes[address]
        self._free.sort(reverse=True)

    def _register(self, obj: object) -> int:
        address = id(obj)
        if self._free:
            number = self._free.pop()
        else:
            number, self._next = self._next, self._next + 1
        known = self._known
        if number >= len(known):
            known += [order_hash(later, self.order_seed) for later in range(len(known), number + _AHEAD)]
        self.objects.append(obj)  # a strong reference, so that no other object gets its address before `let_die`
        self._origins[address] = self._run << _BITS | number
        self._hashes[address] = hashed = known[number]
        if self.on_made is not None:
            self.on_made(obj)
        return hashed

    def _follow(self, cls: type) -> None:
        make = cls.__new__
        if isinstance(cls, type(BaseException)) and issubclass(cls, BaseException):
            return
        if not getattr(make, "_followed", False):
            try:
                cls.__new__ = self._maker(make)  # type: ignore[method-assign]
            except TypeError:  # immutable
                return
        if self._hashes_by_address(cls):
            setattr(cls, "__hash__", self._hasher())  # noqa: B010  (mypy knows no other way)
        default: object = object.__repr__
        if cls.__repr__ is default:  # it contains the address, and learner code may sort by it
            cls.__repr__ = self._namer()  # type: ignore[method-assign]

    @staticmethod
    def _hashes_by_address(cls: type) -> bool:
        identity: Any = object.__hash__
        if cls.__hash__ is identity:
            return True
        try:  # the class's own __hash__ may depend on the address as well
            own: Any = cls.__hash__
            sample: Any = object.__new__(cls)
            return bool(own(sample) == identity(sample))
        except Exception:
            return False

    def _maker(self, make: Any) -> Any:
        hashes, register = self._hashes, self._register
        new, no_init = object.__new__, object.__init__

        def __new__(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if make is new and cls.__init__ is not no_init:
                # the usual case: a new object, which cannot be known
                obj = new(cls)
                register(obj)
                return obj
            if make is not new:
                obj = make(cls, *args, **kwargs)
            elif args or kwargs:  # Python's error for a class without __new__ and __init__
                raise TypeError(f"{cls.__name__}() takes no arguments")
            else:
                obj = new(cls)
            if id(obj) not in hashes:
                register(obj)
            return obj

        __new__._followed = True  # type: ignore[attr-defined]
        return __new__

    def _hasher(self) -> Any:
        hashes, register = self._hashes, self._register

        def __hash__(obj: object) -> int:
            try:
                return hashes[id(obj)]
            except KeyError:
                return register(obj)

        return __hash__

    def _namer(self) -> Any:
        hasher = self._hasher()

        def __repr__(obj: Any) -> str:
            return f"<{type(obj).__module__}.{type(obj).__qualname__} object at 0x{hasher(obj):016x}>"

        return __repr__

    def _id(self, obj: object) -> int:
        address = id(obj)
        if address not in self._origins:
            return address
        # ordered by run and rank on every machine; the hash of an `id` is that of its object and 8 times the run
        run, number = self._origins[address] >> _BITS, self._origins[address] & _MASK
        place = (run << 60) | rank(number, self._seeds[run])
        return place * _MODULUS + self._hashes[address] + 8 * run
