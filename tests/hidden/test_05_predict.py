from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

NEURON = program("n = x1 * w1 + x2 * w2 + b; o = tanh(n)", x1=2, w1=-3, x2=0, w2=1, b=6.693147180559945)


def diamond(a: float) -> Program:
    return program("b = a + 1; c = a * 3; d = b * c", a=a)


def gradient(engine: EngineUnderCheck, asked: Program, name: str) -> float:
    """Return torch's derivative of the program's root with respect to this node."""
    return engine.truth(asked).grads[asked.index[name]]


def predicts(engine: EngineUnderCheck, function: str, asked: Program, *names: str) -> None:
    """Check that the function returns the derivatives of the program's root with respect to these nodes."""
    expected = {f"d{asked.root_name}/d{name}": gradient(engine, asked, name) for name in names}
    engine.returns(function, expected=expected, about=asked.shown, reveal=False)


@check("product_of_sum")
def test_product_of_sum(engine: EngineUnderCheck) -> None:
    predicts(engine, "product_of_sum", program("L = (a + b) * c", a=2, b=-3, c=10), "a", "b", "c")


@check("alive")
def test_alive(engine: EngineUnderCheck) -> None:
    predicts(engine, "alive", program("L = relu(a * b + d)", a=2, b=3, d=1), "a", "b", "d")


@check("dead_weight")
def test_dead_weight(engine: EngineUnderCheck) -> None:
    predicts(engine, "dead_weight", program("n = w * x; o = relu(n); L = o * 5", w=-2, x=3), "w")


@check("scaled_square")
def test_scaled_square(engine: EngineUnderCheck) -> None:
    predicts(engine, "scaled_square", program("L = (3 * x**2).relu()", x=5), "x")


@check("diamond")
def test_diamond(engine: EngineUnderCheck) -> None:
    predicts(engine, "diamond", diamond(2), "b", "c", "a")


@check("closed_form")
def test_closed_form(engine: EngineUnderCheck) -> None:
    expected = {f"dd/da at a = {a}": gradient(engine, diamond(a), "a") for a in (5, -2)}
    engine.returns("closed_form", expected=expected, about="d = (a + 1) * (a * 3)", reveal=False)


@check("neuron")
def test_neuron(engine: EngineUnderCheck) -> None:
    predicts(engine, "neuron", NEURON, "w1", "x1")


@check("zero_input")
def test_zero_input(engine: EngineUnderCheck) -> None:
    predicts(engine, "zero_input", NEURON, "w2", "x2", "b")


@check("rank_and_sign")
def test_rank_and_sign(engine: EngineUnderCheck) -> None:
    asked = program("L = a * b + c * d", a=2, b=-3, c=10, d=0.5)
    gradients = {name: gradient(engine, asked, name) for name in "abcd"}
    strongest_first = sorted(gradients, key=lambda name: -abs(gradients[name]))
    expected = {
        f"rank of {name}": (strongest_first.index(name) + 1.0) * (1 if grad > 0 else -1)
        for name, grad in gradients.items()
    }
    engine.returns("rank_and_sign", expected=expected, about=asked.shown, reveal=False)


@check("concepts")
def test_concepts(engine: EngineUnderCheck) -> None:
    expected = {"define-by-run": 3.0, "accumulate": 2.0, "reverse order": 1.0, "zero_grad": 3.0}
    engine.returns("concepts", expected=expected, about="four questions", reveal=False)


@check("vanishing")
def test_vanishing(engine: EngineUnderCheck) -> None:
    def in_a_row(count: int) -> Program:
        steps = ["t1 = tanh(x)", *(f"t{i} = tanh(t{i - 1})" for i in range(2, count + 1))]
        return program("; ".join(steps), x=2)

    expected = {f"dL/dx after {count} tanh": gradient(engine, in_a_row(count), "x") for count in (1, 5, 20)}
    engine.returns("vanishing", expected=expected, about="L = tanh(tanh(...tanh(x)...))    with x = 2", reveal=False)
