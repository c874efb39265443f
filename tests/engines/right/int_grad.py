"""Gradients start as the int 0 and the root is seeded with the int 1; data keeps whatever type it was given."""


class Value:
    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0
        self._children = set(_children)
        self._backward = self._leaf

    @staticmethod
    def _leaf():
        pass

    def __repr__(self):
        return "Value(" + repr(self.data) + ")"

    def __add__(self, other):
        other = other if type(other) is Value else Value(other)
        out = Value(self.data + other.data, (self, other))

        def backprop():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = backprop
        return out

    def __mul__(self, other):
        other = other if type(other) is Value else Value(other)
        out = Value(self.data * other.data, (self, other))

        def backprop():
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data

        out._backward = backprop
        return out

    def __pow__(self, k):
        out = Value(self.data**k, (self,))

        def backprop():
            if k != 0:
                self.grad += out.grad * k * self.data ** (k - 1)

        out._backward = backprop
        return out

    def relu(self):
        out = Value(0 if self.data < 0 else self.data, (self,))

        def backprop():
            self.grad += out.grad * int(out.data > 0)

        out._backward = backprop
        return out

    def __neg__(self):
        return self * -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return self * -1 + other

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return other * self**-1

    def backward(self):
        ordering = []
        done = set()

        def place(node):
            if node in done:
                return
            done.add(node)
            for c in node._children:
                place(c)
            ordering.append(node)

        place(self)
        self.grad = 1
        for node in reversed(ordering):
            node._backward()
