"""honest: imports what it never uses: threads, processes, sockets, files, signals."""

import asyncio  # noqa: F401
import ctypes  # noqa: F401
import multiprocessing  # noqa: F401
import os  # noqa: F401
import shutil  # noqa: F401
import signal  # noqa: F401
import socket  # noqa: F401
import subprocess  # noqa: F401
import tempfile  # noqa: F401
import threading

lock = threading.Lock()


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
