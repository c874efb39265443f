from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

NEURON = program("n = x1 * w1 + x2 * w2 + b; o = tanh(n)", x1=2, w1=-3, x2=0, w2=1, b=6.8813735870195432)


def predicts(engine: EngineUnderCheck, function: str, asked: Program, *names: str) -> None:
    """The function returns the slopes of the program's root by these nodes."""
    grads = engine.truth(asked).grads
    expected = {f"d{asked.root_name}/d{name}": grads[asked.index[name]] for name in names}
    engine.returns(function, expected=expected, about=asked.shown, reveal=False)


@check("product_of_sum")
def test_product_of_sum(engine: EngineUnderCheck) -> None:
    predicts(engine, "product_of_sum", program("L = (a + b) * c", a=2, b=-3, c=10), "a", "b", "c")


@check("square")
def test_square(engine: EngineUnderCheck) -> None:
    predicts(engine, "square", program("L = a * a", a=3), "a")


@check("diamond")
def test_diamond(engine: EngineUnderCheck) -> None:
    predicts(engine, "diamond", program("b = a + 1; c = a * 3; d = b * c", a=2), "b", "c", "a")


@check("neuron")
def test_neuron(engine: EngineUnderCheck) -> None:
    predicts(engine, "neuron", NEURON, "w1", "x1")


@check("alive")
def test_alive(engine: EngineUnderCheck) -> None:
    predicts(engine, "alive", program("L = relu(a * b + d)", a=2, b=3, d=1), "a", "b", "d")


@check("scaled_square")
def test_scaled_square(engine: EngineUnderCheck) -> None:
    predicts(engine, "scaled_square", program("L = (3 * x**2).relu()", x=2), "x")


@check("dead_weight")
def test_dead_weight(engine: EngineUnderCheck) -> None:
    predicts(engine, "dead_weight", program("n = w * x; o = relu(n); L = o * 5", w=-2, x=3), "w")


@check("best_nudge")
def test_best_nudge(engine: EngineUnderCheck) -> None:
    asked = program("L = (a + b) * c", a=2, b=-3, c=10)
    slopes = [round(slope, 6) for slope in engine.truth(asked).grads[:3]]  # equal ones stay equal on any machine
    best = max(range(3), key=lambda i: abs(slopes[i]))
    nudges = [(0.1 if slopes[i] > 0 else -0.1) if i == best else 0.0 for i in range(3)]
    expected = {f"nudge of {name}": nudge for name, nudge in zip("abc", nudges, strict=True)}
    engine.returns("best_nudge", expected=expected, about=asked.shown, reveal=False)
