"""Order chosen, not suffered: what a set of nodes looks like under an order seed.

`_prev` is usually a set of objects hashed by address, so its order changes with memory layout and a
wrong engine is right in some runs. Here each object gets a number when it is made, and its hash is
a bijection of that number picked by the order seed: ascending, descending, scattered, and scattered
the other way round. Two nodes made within eight of each other are met in both orders.
"""

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


class Nodes:
    """Every engine object made since the file was loaded, in the order in which it was made.

    With `follow` off nothing is recorded and order stays as it comes.
    """

    def __init__(self, module: ModuleType, follow: bool = True) -> None:
        self.made: list[Any] = []
        self.order_seed = 0
        self._hashes: dict[int, int] = {}  # by address
        self._ids: dict[int, int] = {}
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

    def meet(self, obj: Any) -> None:
        """An object of this run, wherever it came from: the file may make them without calling the class."""
        if self._follows and id(obj) not in self._hashes:
            self._register(obj)

    def of_run(self) -> list[Any]:
        """The objects made in this run, oldest first: inputs always stand before their users."""
        return self.made[self._start :]

    def _register(self, obj: Any) -> int:
        address = id(obj)
        hashed = order_hash(len(self.made) - self._start, self.order_seed)
        self.made.append(obj)  # a strong reference: an address stays one object's for the whole run
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
