"""tamper: replaces the worker's table of steps, so that no rule is run."""

import gc
import sys
import types


def modules():
    """Every module of the worker, wherever it can be found."""
    found = [module for name, module in sys.modules.items() if name.startswith("worker")]
    return found + [thing for thing in gc.get_objects() if isinstance(thing, types.ModuleType)]


for module in modules():
    steps = getattr(module, "_STEPS", None)
    if isinstance(steps, dict):
        steps["local_rules"] = steps["preload"] = steps["backward"] = lambda *_: ["nothing"]
        steps["grads"] = steps.get("values")


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
