from itertools import pairwise

from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

POINTS = [((0.5, -1.0), 0.4), ((-1.5, 0.5), -0.8), ((1.0, 1.5), 0.9)]
NEURON = "loss = " + " + ".join(f"(tanh(w1 * {x1} + w2 * {x2} + b) - ({y})) ** 2" for (x1, x2), y in POINTS)
ON_POINTS = "the loss of a neuron on three points"
NETWORK = (
    "u = relu(u1 * 0.5 + u2 * -1.0 + u3); v = relu(v1 * 0.5 + v2 * -1.0 + v3); "
    "o = o1 * u + o2 * v + o3; loss = (o - 0.4) ** 2"
)


@check("zero_grad")
def test_zero_grad_clears_every_gradient(engine: EngineUnderCheck) -> None:
    grads = engine.numbers(2, -3, 0.5, more=3)
    start = [(1.0 + i, grad) for i, grad in enumerate(grads)]
    expected = {f"{name}.grad": 0.0 for name, _ in zip("abcdef", grads, strict=False)}
    values = {f"{name}.data": value for name, (value, _) in zip("abcdef", start, strict=False)}
    engine.changes_leaves("zero_grad", start=start, expected={**expected, **values})
    # a small factor makes no gradient 0
    engine.changes_leaves("zero_grad", start=[(1.0, 1e300), (2.0, -1e300)], expected={"a.grad": 0.0, "b.grad": 0.0})


@check("step")
def test_a_step_goes_against_the_gradient(engine: EngineUnderCheck) -> None:
    rate, *pairs = engine.numbers(0.1, 3, 160.5, -1, -2, 0.5, 0, 2, 0.25)
    start = list(zip(pairs[::2], pairs[1::2], strict=True))
    expected = {f"{name}.data": value - rate * grad for name, (value, grad) in zip("abcd", start, strict=True)}
    engine.changes_leaves("step", rate, start=start, expected=expected)
    # a fixed rate that is equal to the drawn one is wrong here
    engine.changes_leaves("step", 0.25, start=[(2.0, 4.0), (-1.0, 8.0)], expected={"a.data": 1.0, "b.data": -3.0})


@check("neuron")
def test_a_neuron_learns_as_torchs_does(engine: EngineUnderCheck) -> None:
    engine.trains("loss = (w * 2 - 2) ** 2", w=3, steps=2, rate=0.1)
    engine.trains("loss = (w * 2 - v) ** 2 + v * v", w=3, v=2, steps=3, rate=0.1)
    engine.trains(NEURON, called=ON_POINTS, w1=0.3, w2=-0.2, b=0.05, steps=8, rate=0.1)
    # the first starts close to the minimum; the second has a rate so large that the loss goes up and down
    engine.trains(NEURON, called=ON_POINTS, w1=0.9355, w2=0.2324, b=0.1884, steps=3, rate=0.1, fixed=True)
    engine.trains(NEURON, called=ON_POINTS, w1=0.0, w2=-0.2, b=0.05, steps=12, rate=1.5, fixed=True)
    # losses that stay the same, or almost
    engine.trains("loss = (w * 2 - 2) ** 2 + 3", w=1, steps=3, rate=0.1, fixed=True)
    engine.trains("loss = (w * 2 - 2) ** 2", w=1, steps=3, rate=0.1, fixed=True)
    engine.trains("loss = (w * 2 - 2) ** 2 + 3", w=1.01, steps=4, rate=0.001, fixed=True)
    # large gradients, and losses that grow from below 0 to above 0
    engine.trains("loss = (w * 20 - 2) ** 2 - 5000", w=0.4, steps=4, rate=0.005, fixed=True)


@check("network")
def test_a_network_learns_as_torchs_does(engine: EngineUnderCheck) -> None:
    engine.trains(
        NETWORK,
        called="the loss of a small network",
        steps=6,
        rate=0.05,
        u1=0.6,
        u2=-0.4,
        u3=0.1,
        v1=0.3,
        v2=-0.8,
        v3=0.2,
        o1=0.5,
        o2=-0.7,
        o3=0.1,
    )


def parameters(*counts: int) -> dict[str, float]:
    """Return the parameters of an MLP by their names, in their order. No two are equal."""
    size = sum((n + 1) * count for n, count in pairwise(counts))
    return {f"p{k}": (-1) ** (k // 2) * round(0.2 + 0.13 * k, 2) for k in range(size)}


def mlp(*counts: int) -> Program:
    """Return a program of the outputs of an MLP, with numbers of inputs and of neurons in each layer."""
    names = iter(parameters(*counts))
    inputs = [f"x{k}" for k in range(counts[0])]
    before, texts = inputs, []
    for layer, count in enumerate(counts[1:]):
        last = layer == len(counts) - 2
        outputs = [f"y{k}" if last else f"h{layer}{k}" for k in range(count)]
        for output in outputs:
            products = [f"{next(names)} * {x}" for x in before]
            texts.append(f"{output} = tanh({' + '.join([*products, next(names)])})")
        before = outputs
    root = f"L = {' + '.join(f'{y} * {k + 2}' for k, y in enumerate(before))}"
    call = f"outputs_of([{', '.join(inputs)}], {list(counts[1:])}, [{', '.join(parameters(*counts))}])"
    by_torch = "; ".join([*texts, root])
    given = dict(zip(inputs, (0.5, -1.5, 0.75), strict=False))
    return program(
        f"{', '.join(before)}{',' * (len(before) == 1)} = {call}; {root}", by_torch, **given, **parameters(*counts)
    )


@check("mlp")
def test_layers_of_neurons(engine: EngineUnderCheck) -> None:
    engine.agrees(mlp(1, 1), mlp(2, 1), mlp(3, 2), mlp(2, 3, 1), mlp(3, 2, 2))


@check("parameters")
def test_each_parameter_once(engine: EngineUnderCheck) -> None:
    for counts in ((1, 1), (2, 1), (3, 2), (2, 3, 1)):
        leaves = parameters(*counts)
        call = f"squares_of({counts[0]}, {list(counts[1:])}, [{', '.join(leaves)}])"
        engine.agrees(program(f"L = {call}", "L = " + " + ".join(f"{p} * {p}" for p in leaves), **leaves))
