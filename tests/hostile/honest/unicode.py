"""honest: Ünïcödé in names, texts and comments: ∂L/∂a, 勾配, градиент, 🙂."""

# ∂L/∂a = ∂L/∂out · 1


class Value:
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev = data, 0.0, set(_prev)
        self._backward = lambda: None

    def __repr__(self):
        return f"∂={self.grad} 🙂"

    def __add__(self, anderer):
        ergebnis = Value(self.data + anderer.data, (self, anderer))

        def rückwärts():
            δ = ergebnis.grad
            self.grad += δ
            anderer.grad += δ
            print("勾配", self, anderer)

        ergebnis._backward = rückwärts
        return ergebnis
