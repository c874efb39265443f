"""import: puts finders, loaders and path hooks of its own before the others."""

import builtins
import os
import sys


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "grader":
            effect("was asked for the grader")


sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: 1 / 0)
sys.path_importer_cache.clear()
builtins.__import__ = lambda *_: 1 / 0


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
