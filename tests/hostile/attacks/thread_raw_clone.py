"""thread: makes a thread by a raw call, its code and its stack written by hand."""

import ctypes
import mmap
import os
import time

libc = ctypes.CDLL(None, use_errno=True)


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


leave = bytes.fromhex("b83c00000031ff0f05")  # mov eax, 60; xor edi, edi; syscall: the thread ends at once
if os.uname().machine == "x86_64":
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(leave)
    stack = (ctypes.c_uint64 * 512)()
    stack[256] = ctypes.addressof(ctypes.c_char.from_buffer(code))
    if libc.syscall(56, 0x50F00, ctypes.byref(stack, 8 * 256), None, None, None) > 0:
        effect("made a thread")
        time.sleep(0.05)


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
