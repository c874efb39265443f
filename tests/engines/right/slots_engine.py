"""Uses __slots__, stores the op name plus saved numbers, and one big if/elif does every backward rule."""

import math


class Value:
    __slots__ = ("data", "grad", "op", "args", "saved")

    def __init__(self, data, op="", args=(), saved=None):
        self.data = float(data)
        self.grad = 0.0
        self.op = op
        self.args = args
        self.saved = saved

    # --- forward -------------------------------------------------------------------------
    def _binary(self, other, op, fn):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(fn(self.data, other.data), op, (self, other))

    def __add__(self, other):
        return self._binary(other, "+", lambda x, y: x + y)

    def __mul__(self, other):
        return self._binary(other, "*", lambda x, y: x * y)

    def __sub__(self, other):
        return self._binary(other, "-", lambda x, y: x - y)

    def __truediv__(self, other):
        return self._binary(other, "/", lambda x, y: x / y)

    def __radd__(self, other):
        return Value(other) + self

    def __rmul__(self, other):
        return Value(other) * self

    def __rsub__(self, other):
        return Value(other) - self

    def __rtruediv__(self, other):
        return Value(other) / self

    def __neg__(self):
        return Value(-self.data, "neg", (self,))

    def __pow__(self, n):
        return Value(self.data**n, "pow", (self,), n)

    def relu(self):
        return Value(max(self.data, 0.0), "relu", (self,))

    def tanh(self):
        return Value(math.tanh(self.data), "tanh", (self,))

    def exp(self):
        return Value(math.exp(self.data), "exp", (self,))

    def log(self):
        return Value(math.log(self.data), "log", (self,))

    def sigmoid(self):
        return Value(1 / (1 + math.exp(-self.data)), "sigmoid", (self,))

    # --- backward ------------------------------------------------------------------------
    def _slopes(self):
        x, y, op = self.args[0].data, self.data, self.op
        if op == "+":
            return 1.0, 1.0
        elif op == "-":
            return 1.0, -1.0
        elif op == "*":
            return self.args[1].data, x
        elif op == "/":
            b = self.args[1].data
            return 1 / b, -x / b**2
        elif op == "neg":
            return (-1.0,)
        elif op == "pow":
            return (self.saved * x ** (self.saved - 1) if self.saved else 0.0,)
        elif op == "relu":
            return (float(x > 0),)
        elif op == "tanh":
            return (1 - y * y,)
        elif op == "exp":
            return (y,)
        elif op == "log":
            return (1 / x,)
        assert op == "sigmoid", op
        return (y * (1 - y),)

    def backward(self):
        order, seen = [], set()

        def dfs(v):
            if v not in seen:
                seen.add(v)
                for a in v.args:
                    dfs(a)
                order.append(v)

        dfs(self)
        self.grad = 1.0
        for v in reversed(order):
            if v.op:
                for a, s in zip(v.args, v._slopes(), strict=True):
                    a.grad += s * v.grad
