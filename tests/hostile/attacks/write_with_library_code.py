"""write: has tempfile, sqlite3 and logging make files."""

import logging
import os
import sqlite3
import tempfile


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for attempt in (
    lambda: tempfile.mkstemp(prefix="@marker@"),
    lambda: tempfile.mkdtemp(prefix="@marker@", dir="@drop@"),
    lambda: sqlite3.connect("@drop@/@marker@.db").execute("create table t (x)"),
    lambda: logging.FileHandler("@drop@/@marker@.log"),
):
    try:
        attempt()
        effect("had a library make a file")
    except Exception:
        pass


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
