"""ptrace: looks into other processes with kcmp and perf_event_open."""

import ctypes
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


x86 = os.uname().machine == "x86_64"
kcmp, perf = (312, 298) if x86 else (272, 241)
if libc.syscall(kcmp, os.getpid(), os.getppid(), 0, 1, 1) >= 0:
    effect("compared descriptors with its parent")
attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 0), 128)
if libc.syscall(perf, attributes, os.getppid(), -1, -1, 0) >= 0:
    effect("profiles its parent")


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
