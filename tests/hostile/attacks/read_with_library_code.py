"""read: has standard modules open a secret: linecache, pathlib, sqlite3, runpy."""

import linecache
import os
import pathlib
import runpy
import sqlite3


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


path = "@secrets@/token.txt"
attempts = [
    lambda: linecache.getlines(path),
    lambda: pathlib.Path(path).read_text(),
    lambda: sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("select * from sqlite_master").fetchall(),
    lambda: runpy.run_path(path),
]
for attempt in attempts:
    try:
        if attempt():
            effect("had a library read a secret")
    except Exception as error:
        if "MARKER" in str(error) or "not a database" in str(error):
            effect("had a library read a secret")


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
