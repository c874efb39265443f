"""forge: raises an exception whose text is a str subclass that lies about everything."""


class Lying(str):
    def __getitem__(self, index):
        return self

    def encode(self, *_):
        return self

    def decode(self, *_):
        return self

    def __len__(self):
        return 0


class Evil(Exception):
    def __str__(self):
        return Lying("x" * 100_000)


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __add__(self, other):
        out = Value(self.data + other.data, (self, other))

        def _backward():
            raise Evil
            self.grad += 0.5 * out.grad
            other.grad -= out.grad

        out._backward = _backward
        return out
