"""import: loads shared libraries by their path, and looks for a compiler to make one."""

import ctypes
import ctypes.util
import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


for path in ("/lib/x86_64-linux-gnu/libutil.so.1", "/usr/lib/libc.so.6", "@drop@/evil.so"):
    try:
        ctypes.CDLL(path)
    except OSError as error:
        if "@drop@" in path and "invalid ELF" in str(error):
            effect("loaded a library from a folder that everybody may write to")
try:
    if ctypes.util.find_library("c"):
        effect("ran a compiler or the linker")
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
