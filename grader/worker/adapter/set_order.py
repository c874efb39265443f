"""Order chosen, not suffered: what a set of nodes looks like under an order seed.

`_prev` is usually a set of objects hashed by address, so its order changes with memory layout and a
wrong engine is right in some runs. Here each object gets a number when it is made, and its hash is
a bijection of that number picked by the order seed: ascending, descending, scattered, and scattered
the other way round. Two nodes made within eight of each other are met in both orders.
"""

import gc
import weakref
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

_TOP = (1 << 60) - 1
_MASK = (1 << 40) - 1


@cache
def order_hash(number: int, seed: int) -> int:
    """A hash below 2**60 for object `number` under order seed `seed`; injective in `number` < 2**40."""
    number &= _MASK
    if seed >= 2:
        # odd multiplier and xor-shift: both invertible on 40 bits
        number = (number * (0x9E3779B97F4A7C15 + 2 * (seed & ~1))) & _MASK
        number ^= number >> 23
        number = (number * 0xD1342543DE82EF95) & _MASK
    return _TOP - number if seed % 2 else number


def _weakly(obj: Any) -> Any:
    """A weak reference to an object, or the object where it allows none."""
    try:
        return weakref.ref(obj)
    except TypeError:
        return obj


class Nodes:
    """Every engine object made since the file was loaded, in the order in which it was made.

    With `follow` off nothing is recorded and order stays as it comes.
    """

    def __init__(self, module: ModuleType, follow: bool = True) -> None:
        self.made: list[Any] = []
        self.order_seed = 0
        self._numbers: dict[int, int] = {}  # by address, as the next two
        self._hashes: dict[int, int] = {}
        self._ids: dict[int, int] = {}
        self._free: list[int] = []  # numbers of this run's objects that died, smallest last
        self._next = 0
        self._start = 0
        self._run = 1
        self._follows = follow
        if not follow:
            return
        for cls in [c for c in vars(module).values() if isinstance(c, type)]:
            if cls.__module__ in (module.__name__, "types"):  # `types`: where make_dataclass says it made one
                self._follow(cls)
        vars(module)["__builtins__"]["id"] = self._id  # this module's `id` alone, unless it has one of its own

    def start_run(self, order_seed: int | None) -> None:
        """From here on objects belong to a new run: they are numbered from 0 under `order_seed`."""
        self.order_seed = order_seed or 0
        self._run += 1
        self._start = len(self.made)
        self._free = []
        self._next = 0

    def meet(self, obj: Any) -> None:
        """An object of this run, wherever it came from: the file may make them without calling the class."""
        if self._follows and id(obj) not in self._hashes:
            self._register(obj)

    def of_run(self) -> list[Any]:
        """The objects made in this run, oldest first: inputs always stand before their users."""
        return self.made[self._start :]

    def let_die(self, kept: Iterable[Any]) -> None:
        """Hold none of this run's objects but `kept`, so that those which nobody else holds die.

        The next objects get the numbers of the dead, and so their hashes and ids, as they would get their addresses
        where memory is used again. Objects that cannot be referred to weakly stay.
        """
        stay = set(map(id, kept))
        run = [(id(obj), obj if id(obj) in stay else _weakly(obj)) for obj in self.of_run()]
        del self.made[self._start :]
        gc.collect()
        for address, held in run:
            obj = held() if isinstance(held, weakref.ref) else held
            if obj is not None:
                self.made.append(obj)
                continue
            self._free.append(self._numbers.pop(address))
            del self._hashes[address], self._ids[address]
        self._free.sort(reverse=True)

    def _register(self, obj: Any) -> int:
        address = id(obj)
        if self._free:
            number = self._free.pop()
        else:
            number, self._next = self._next, self._next + 1
        hashed = order_hash(number, self.order_seed)
        self.made.append(obj)  # a strong reference: an address stays one object's until `let_die`
        self._numbers[address] = number
        self._hashes[address] = hashed
        self._ids[address] = (self._run << 64) | hashed
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
        default: Any = object.__repr__
        if cls.__repr__ is default:  # it spells the address, by which somebody may sort
            cls.__repr__ = self._namer()  # type: ignore[method-assign]

    @staticmethod
    def _hashes_by_address(cls: type) -> bool:
        identity: Any = object.__hash__
        if cls.__hash__ is identity:
            return True
        try:  # a __hash__ of its own that goes back to the address is no better
            own: Any = cls.__hash__
            sample: Any = object.__new__(cls)
            return bool(own(sample) == identity(sample))
        except Exception:
            return False

    def _maker(self, make: Any) -> Any:
        hashes, register = self._hashes, self._register
        new, no_init = object.__new__, object.__init__

        def __new__(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if make is not new:
                obj = make(cls, *args, **kwargs)
            elif cls.__init__ is not no_init:
                obj = new(cls)
            elif args or kwargs:  # what Python says of a class without __new__
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

        def __hash__(obj: Any) -> int:
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

    def _id(self, obj: Any) -> int:
        address = id(obj)
        return self._ids.get(address, address)
