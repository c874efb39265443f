"""Terse names: the number is v, its gradient is g; there is no 2 - a and no 2 / a."""

import math


class Value:
    def __init__(s, v, ins=(), bw=None):
        s.v, s.g, s.ins, s.bw = v, 0.0, ins, bw

    def __add__(s, o):
        o = o if isinstance(o, Value) else Value(o)

        def bw(g):
            s.g += g
            o.g += g

        return Value(s.v + o.v, [s, o], bw)

    def __mul__(s, o):
        o = o if isinstance(o, Value) else Value(o)

        def bw(g):
            s.g += o.v * g
            o.g += s.v * g

        return Value(s.v * o.v, [s, o], bw)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(s, k):
        def bw(g):
            s.g += k * s.v ** (k - 1) * g

        return Value(s.v**k, [s], bw)

    def __neg__(s):
        return s * -1

    def __sub__(s, o):
        return s + -o

    def __truediv__(s, o):
        return s * o**-1

    def relu(s):
        def bw(g):
            s.g += (s.v > 0) * g

        return Value(s.v if s.v > 0 else 0.0, [s], bw)

    def tanh(s):
        t = math.tanh(s.v)

        def bw(g):
            s.g += (1 - t * t) * g

        return Value(t, [s], bw)

    def sigmoid(s):
        y = 1 / (1 + math.exp(-s.v))

        def bw(g):
            s.g += y * (1 - y) * g

        return Value(y, [s], bw)

    def backward(s):
        seq, ok = [], set()

        def dfs(n):
            if n not in ok:
                ok.add(n)
                for i in n.ins:
                    dfs(i)
                seq.append(n)

        dfs(s)
        s.g = 1.0
        for n in seq[::-1]:
            if n.bw:
                n.bw(n.g)
