from grader.checks import EngineUnderCheck, check, program
from grader.program import number_text

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
POINTS = [((0.5, -1.0), 0.4), ((-1.5, 0.5), -0.8), ((1.0, 1.5), 0.9)]
NEURON = " + ".join(f"(tanh(w1 * {x1} + w2 * {x2} + b) - ({y})) ** 2" for (x1, x2), y in POINTS)
NETWORK = " + ".join(
    f"(o1 * relu(u1 * {x1} + u2 * {x2} + u3) + o2 * relu(v1 * {x1} + v2 * {x2} + v3) + o3 - ({y})) ** 2"
    for (x1, x2), y in POINTS
)


def losses(engine: EngineUnderCheck, loss: str, start: dict[str, float], steps: int, rate: float) -> dict[str, float]:
    """Gradient descent with torch's gradients: the loss before each step."""
    asked = program(f"loss = {loss}", **start)
    before = engine.descent(asked, rate=rate, steps=steps)
    return {f"loss {k}": answer.values[asked.root] for k, answer in enumerate(before, 1)}


@check("zero_grad")
def test_zero_grad_forgets(engine: EngineUnderCheck) -> None:
    grads = engine.numbers(2, -3, 0.5, more=3)
    expected = {f"{which} gradient": 0.0 for which, _ in zip(ORDINALS, grads, strict=False)}
    about = f"gradients {', '.join(map(number_text, grads))}"
    engine.returns("gradients_after_zero_grad", *grads, expected=expected, about=about)


@check("step")
def test_a_step_goes_against_the_gradient(engine: EngineUnderCheck) -> None:
    rate, *pairs = engine.numbers(0.1, 3, 160.5, -1, -2, 0.5, 0)
    values, grads = pairs[::2], pairs[1::2]
    stepped = [value - rate * grad for value, grad in zip(values, grads, strict=True)]
    expected = {f"{which} value": value for which, value in zip(ORDINALS, stepped, strict=False)}
    texts = [", ".join(map(number_text, numbers)) for numbers in (values, grads)]
    about = f"values {texts[0]} with gradients {texts[1]}, rate {number_text(rate)}"
    engine.returns("values_after_step", rate, *pairs, expected=expected, about=about)


@check("neuron")
def test_a_neuron_learns_as_torchs_does(engine: EngineUnderCheck) -> None:
    engine.trains("loss = (w * 2 - 2) ** 2", w=3, steps=1, rate=0.1)
    engine.trains("loss = (w * 2 - v) ** 2 + v * v", w=3, v=2, steps=3, rate=0.1)
    start = engine.leaves(f"loss = {NEURON}", w1=0.3, w2=-0.2, b=0.05)
    expected = losses(engine, NEURON, start, steps=8, rate=0.1)
    engine.returns("train_neuron", 8, 0.1, *start.values(), expected=expected, about="a neuron, 8 steps, rate 0.1")
    near = {"w1": 0.9355, "w2": 0.2324, "b": 0.1884}
    expected = losses(engine, NEURON, near, steps=3, rate=0.1)
    about = "a neuron that has nearly learned all, 3 steps, rate 0.1"
    engine.returns("train_neuron", 3, 0.1, *near.values(), expected=expected, about=about)
    far = {"w1": 0.0, "w2": -0.2, "b": 0.05}
    expected = losses(engine, NEURON, far, steps=12, rate=1.5)
    about = "a neuron, w1 = 0 at first, 12 steps, rate 1.5: too large, and the loss goes up and down"
    engine.returns("train_neuron", 12, 1.5, *far.values(), expected=expected, about=about)


@check("network")
def test_a_network_learns_as_torchs_does(engine: EngineUnderCheck) -> None:
    names = ("u1", "u2", "u3", "v1", "v2", "v3", "o1", "o2", "o3")
    start = dict(zip(names, (0.6, -0.4, 0.1, -0.3, 0.8, 0.2, 0.5, -0.7, 0.1), strict=True))
    start = engine.leaves(f"loss = {NETWORK}", **start)
    expected = losses(engine, NETWORK, start, steps=6, rate=0.05)
    engine.returns("train_network", 6, 0.05, *start.values(), expected=expected, about="a network, 6 steps, rate 0.05")
