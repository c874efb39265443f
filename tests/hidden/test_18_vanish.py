from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

ALONE = "{h} = tanh({w} * {before})"
ADDED = "{h} = {before} + tanh({w} * {before})"


def chain(function: str, layer: str, weights: str, **leaves: float) -> Program:
    """Return a program of the outputs h1, h2 and so on of layers with these weights, one letter for each layer."""
    outputs = [f"h{k}" for k in range(1, len(weights) + 1)]
    made = f"{', '.join(outputs)} = {function}(x, [{', '.join(weights)}])"
    befores = ["x", *outputs]
    by_torch = "; ".join(layer.format(h=h, w=w, before=b) for h, w, b in zip(outputs, weights, befores, strict=False))
    return program(made, by_torch, **leaves)


def gradient_at_zero(engine: EngineUnderCheck, layer: str, w: float) -> float:
    """Return torch's gradient of x, which is 0, after ten layers with the weight w."""
    befores = ["x", *(f"h{k}" for k in range(1, 11))]
    text = "; ".join(layer.format(h=f"h{k}", w=w, before=befores[k - 1]) for k in range(1, 11))
    asked = program(text, x=0)
    return engine.truth(asked).grads[asked.index["x"]]


@check("on_paper")
def test_gradients_on_paper(engine: EngineUnderCheck) -> None:
    expected = {
        "w = 0.5": gradient_at_zero(engine, ALONE, 0.5),
        "w = 2": gradient_at_zero(engine, ALONE, 2),
        "residual, w = 0.01": gradient_at_zero(engine, ADDED, 0.01),
    }
    engine.returns("on_paper", expected=expected, about="dL/dx at x = 0, after ten layers", reveal=False)


@check("deep")
def test_layers_of_tanh(engine: EngineUnderCheck) -> None:
    engine.agrees(
        chain("deep", ALONE, "uv", x=0.5, u=2, v=-1.5),
        chain("deep", ALONE, "uvw", x=0.5, u=2, v=-1.5, w=0.75),
        chain("deep", ALONE, "w" * 20, x=0.5, w=1.25),
        chain("deep", ALONE, "w" * 20, x=0.5, w=0.75),
    )


@check("thermometer")
def test_sizes_of_gradients(engine: EngineUnderCheck) -> None:
    for names, asked in (
        ("ab", program("h = a * b; L = h * a", a=2, b=-3)),
        ("xuh", program("h = tanh(u * x); L = h * u", x=0.5, u=-1.5)),
        ("bca", program("h = a * b; L = h * c + h", a=2, b=-3, c=0.5)),
        ("abch", program("h = a * b; L = h + c", a=0, b=2, c=-3)),
        ("aba", program("L = a * b", a=2, b=-3)),
        ("ab", program("L = a * b", a=0.004, b=-0.0000007)),
        ("ab", program("L = a * 0.0000007 + b", a=2, b=-3)),  # as small under every seed
    ):
        engine.measures("thermometer", *names, on=asked, by=lambda values, grads: list(map(abs, grads)), passed=True)


@check("weight_scale")
def test_the_scale_of_weights(engine: EngineUnderCheck) -> None:
    for n in (*engine.numbers(4, 10, 100), 1, 2):
        engine.returns("weight_scale", n, expected={"size of the weights": n**-0.5}, about=f"weight_scale({n:g})")


@check("residual")
def test_residual_layers(engine: EngineUnderCheck) -> None:
    engine.agrees(
        chain("residual", ADDED, "uv", x=0.5, u=2, v=-1.5),
        chain("residual", ADDED, "uvw", x=0.5, u=2, v=-1.5, w=0.75),
        chain("residual", ADDED, "w" * 20, x=0.5, w=0.25),
    )
