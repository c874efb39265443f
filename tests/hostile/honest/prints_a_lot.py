"""honest: prints while it is loaded and in every pass, as one does when something does not work."""

print("loading", "." * 500)


class Value:
    def __init__(self, data, _children=()):
        self.data, self.grad, self._prev = data, 0.0, set(_children)
        self._backward = lambda: None
        print(f"made {data}")

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            for line in range(30):
                print(line, "self", self.grad, "other", other.grad, "out", out.grad)
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
