"""honest: a dataclass with postponed annotations and type aliases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Optional, TypeVar, Union

Number = Union[int, float]  # noqa: UP007
T = TypeVar("T", bound="Value")


@dataclass(eq=False)
class Value:
    data: Number
    grad: float = 0.0
    _prev: tuple[Value, ...] = ()
    _backward: Optional[Callable[[], None]] = field(default=None, repr=False)  # noqa: UP045

    def __add__(self: T, other: Value) -> Value:
        out = Value(self.data + other.data, _prev=(self, other))

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
