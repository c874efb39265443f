"""tamper: replaces the worker's spelling of numbers: everything is 4."""

import gc
import sys
import types


def modules():
    """Every module of the worker, wherever it can be found."""
    found = [module for name, module in sys.modules.items() if name.startswith("worker")]
    return found + [thing for thing in gc.get_objects() if isinstance(thing, types.ModuleType)]


for module in modules():
    if hasattr(module, "spell"):
        module.spell = lambda number: "0x1.0000000000000p+2"


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
