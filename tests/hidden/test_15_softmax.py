import math

from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

NAMES = "abcde"
FAR = "A = a + 1000; B = b + 1000"
TWICE = "u = exp(a - a); v = exp(b - a); s = u + v + u"  # for torch, if the logits are a, b and a again


def largest(logits: tuple[float, ...]) -> str:
    """Return the name of the largest logit. In programs for torch it is subtracted from the others."""
    return NAMES[logits.index(max(logits))]


def sums(names: str, m: str) -> str:
    """Return the beginning of a program for torch: the exponentials of the logits minus m, and their sum s."""
    exps = [f"exp_{n}" for n in names]
    terms = exps if len(exps) > 1 else ["0", *exps]
    return "; ".join([*(f"exp_{n} = exp({n} - {m})" for n in names), "s = " + " + ".join(terms)])


def probabilities(loss: str, *logits: float) -> Program:
    """Return a program of the probabilities p_a, p_b and so on of these logits, with `loss` computed from them."""
    names = NAMES[: len(logits)]
    made = f"{', '.join(f'p_{name}' for name in names)} = softmax([{', '.join(names)}])"
    by_torch = "; ".join([sums(names, largest(logits)), *(f"p_{name} = exp_{name} / s" for name in names)])
    leaves = dict(zip(names, logits, strict=True))
    return program(f"{made}; {loss}", f"{by_torch}; {loss}", **leaves)


def loss_of(target: int, *logits: float, times: str = "") -> Program:
    """Return a program of the cross-entropy of these logits, or of its product with the logit `times`."""
    names, m = NAMES[: len(logits)], largest(logits)
    loss, product = ("K", f"; L = K * {times}") if times else ("L", "")
    made = f"{loss} = cross_entropy([{', '.join(names)}], {target}){product}"
    by_torch = f"{sums(names, m)}; {loss} = log(s) + {m} - {names[target]}{product}"
    return program(made, by_torch, **dict(zip(names, logits, strict=True)))


def shifted(target: int, *logits: float, by: str = "z") -> Program:
    """Return a program of the cross-entropy of logits to which a node z or a number is added. The gradient of z is 0.

    With a large number, the values of the leaves can be drawn like any others.
    """
    names, m = NAMES[: len(logits)], largest(logits).upper()
    added = "; ".join(f"{name.upper()} = {name} + {by}" for name in names)
    made = f"{added}; L = cross_entropy([{', '.join(names.upper())}], {target})"
    by_torch = f"{added}; {sums(names.upper(), m)}; L = log(s) + {m} - {names[target].upper()}"
    z = {"z": 0.5} if by == "z" else {}
    return program(made, by_torch, **z, **dict(zip(names, logits, strict=True)))


@check("on_paper")
def test_gradients_on_paper(engine: EngineUnderCheck) -> None:
    asked = program("s = exp(a) + exp(b) + exp(c); L = log(s) - b", a=math.log(2), b=0, c=0)
    grads = engine.truth(asked).grads
    expected = {f"dL/d{name}": grads[asked.index[name]] for name in "abc"}
    about = "L = cross_entropy([a, b, c], 1)    with a = log(2), b = 0, c = 0"
    engine.returns("on_paper", expected=expected, about=about, reveal=False)


@check("probabilities")
def test_probabilities(engine: EngineUnderCheck) -> None:
    engine.computes(
        probabilities("L = p_a * 1", 2, 2),
        probabilities("L = p_a * p_b", 2, 1),
        probabilities("L = p_a * p_b + p_c", 0.5, -1.25, 2),
        probabilities("L = p_a * p_b + p_c * p_d + p_e", -0.5, 1.5, 0.25, -2, 1),
        # small probabilities
        probabilities("L = p_a * 3 + p_b * 1", 4, -4),
        probabilities("L = p_a * 3 + p_b * 1", -6, 7),
        program(
            "p, q, r = softmax([a, b, a]); L = p * q + r",
            f"{TWICE}; p = u / s; q = v / s; r = u / s; L = p * q + r",
            a=1.5,
            b=0.25,
        ),
    )


@check("gradients")
def test_gradients_of_probabilities(engine: EngineUnderCheck) -> None:
    engine.agrees(
        probabilities("L = p_a * 3 + p_b * 1", 2, 1),
        probabilities("L = p_a * 2 + p_b * -3 + p_c * 0.5", 0.5, -1.25, 2),
        probabilities("L = p_a * 2 + p_b * -3 + p_c * 0.5", 2, 1, 2),
        probabilities("L = p_a * p_b + p_c * p_d + p_e * p_a", -0.5, 1.5, 0.25, -2, 1),
        probabilities("L = p_a * p_b + a", 2, 1),
    )
    engine.agrees_again(probabilities("L = p_a * 2 + p_b * -3 + p_c * 0.5", 0.5, -1.25, 2))


@check("loss")
def test_the_loss_and_its_gradients(engine: EngineUnderCheck) -> None:
    engine.agrees(
        loss_of(0, 2, 1),
        loss_of(1, 2, 1),
        loss_of(1, 0.5, -1.25, 2),
        loss_of(2, 0.5, -1.25, 2),
        loss_of(0, 2, 2),
        loss_of(1, 2, 2, -1),
        loss_of(1, 0.5, -1.25, 2, times="a"),
        loss_of(3, -0.5, 1.5, 0.25, -2, 1),
        loss_of(0, -0.5, 1.5, 0.25, -2, 1),
        # logits that contribute little to s
        loss_of(0, 4, -4),
        loss_of(1, -6, 7),
        program("L = cross_entropy([a, b, a], 0)", f"{TWICE}; L = log(s) + a - a", a=1.5, b=0.25),
    )
    engine.agrees_again(loss_of(1, 0.5, -1.25, 2))


@check("sum_to_zero")
def test_gradients_add_up_to_zero(engine: EngineUnderCheck) -> None:
    engine.agrees(shifted(1, 2, 1), shifted(0, 0.5, -1.25, 2), shifted(2, -0.5, 1.5, 0.25, -2), shifted(0, 2))


@check("large")
def test_large_logits(engine: EngineUnderCheck) -> None:
    engine.agrees(
        probabilities("L = p_a * 3 + p_b * 1", 1000, 999),
        probabilities("L = p_a * 3 + p_b * 1", -1000, -1001),
        loss_of(1, 1000, 999),
        loss_of(0, 1000, 998, 1001),
        loss_of(1, -1000, -1001),
        loss_of(1, 1000, 0),
        loss_of(1, 740, 0),
        program(  # the probability of b is too small for all digits, whatever numbers are drawn
            "A = a + 741; L = cross_entropy([A, b], 1)",
            "A = a + 741; u = exp(A - A); v = exp(b - A); s = u + v; L = log(s) + A - b",
            a=0.5,
            b=-0.25,
        ),
        program(  # the probability of b is small, and counts, whatever numbers are drawn
            "A = a * 0 + 1008; B = b * 0 + 1000; L = cross_entropy([A, B], 0)",
            "A = a * 0 + 1008; B = b * 0 + 1000; u = exp(A - A); v = exp(B - A); s = u + v; L = log(s) + A - A",
            a=0.5,
            b=-0.25,
        ),
        loss_of(2, 1000, 1000, -1000),
        loss_of(2, 1000, 0, -1000),
        loss_of(0, -1000, 1000),
        loss_of(1, -1000, 0, 1000),
        shifted(0, 0.5, -1.25, 2, by="1000"),
        shifted(1, 0.5, -1.25, 2, by="(-1000)"),
        # the largest logit in each place, and the others far below it
        probabilities("L = p_a * 3 + p_b * 1 + p_c * 2", -1000, 0, 1000),
        probabilities("L = p_a * 3 + p_b * 1 + p_c * 2", 0, 1000, -1000),
        probabilities("L = p_a * 3 + p_b * 1 + p_c * 2", 1000, -1000, 0),
        program(
            f"{FAR}; p, q = softmax([A, B]); L = p * 3 + q",
            f"{FAR}; u = exp(A - A); v = exp(B - A); s = u + v; p = u / s; q = v / s; L = p * 3 + q",
            a=2,
            b=1,
        ),
        probabilities("L = p_a * 3 + p_b * 1", -1000, 1000),
        # their exponentials are numbers, but those of twice as much are not
        probabilities("L = p_a * 3 + p_b * 1", 400, 399),
    )
