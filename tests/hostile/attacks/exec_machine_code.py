"""exec: makes 32-bit and x32 system calls from machine code of its own, past a 64-bit filter."""

import ctypes
import mmap
import os


def effect(what):
    os.write(1, f"EFFECT {what}\n".encode())


def run(code):
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()


if os.uname().machine == "x86_64":
    x32_getsid = bytes.fromhex("b87c00004031ff0f05c3")  # mov eax, 0x4000007c; xor edi, edi; syscall; ret
    if run(x32_getsid) >= 0:
        effect("made an x32 system call")
    i386_getsid = bytes.fromhex("53b89300000031dbcd80" + "5bc3")  # push rbx; mov eax, 147; xor ebx, ebx; int 0x80
    if run(i386_getsid) >= 0:
        effect("made a 32-bit system call")


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
