"""state: leaves a mark in standard modules for the next check."""

import json
import math
import os
import sys


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for module in (math, os, sys, json):
    if getattr(module, "left_behind", False):
        effect("found what an earlier run left in a module")
    module.left_behind = True


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
