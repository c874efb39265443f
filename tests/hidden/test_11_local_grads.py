from grader.checks import EngineUnderCheck, check
from grader.program import chain, leaf, program

SMALL = [
    program("L = a + b", a=2, b=-3),
    program("L = a * b", a=2, b=-3),
    program("L = a * b", a=0, b=5),
    program("L = a * b", a=-1.5, b=4),
    program("L = relu(a)", a=1.5),
    program("L = relu(a)", a=-1.5),
    program("L = relu(a)", a=0),
    program("L = a + a", a=3),
    program("L = a * a", a=3),
    program("L = relu(a) * relu(a)", a=2),
    program("L = relu(a) + a", a=-1.5),
    program("L = a * b + a", a=2, b=0),
]

GRAPHS = [
    program("L = (a * b) * (a + b)", a=2, b=-3),
    program("b = a + a; c = b + b; L = c * b", a=2),
    program("n = x * w + b; o = relu(n); L = o * c", x=3, w=-2, b=1, c=5),
    program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
    program("h = a * b; u = h + h; L = h * h", a=2, b=-3),  # u uses h, but L does not use u
    program("h = a * b; L = h * h; M = L * h + a", a=2, b=-3).rooted_at("L"),
    program("L = relu(a) * c", a=0.000000001, c=4000.1234567),
    program("L = relu(a) * c", a=-0.000000001, c=4000.1234567),
    program("L = (a * b + a) * c", a=2, b=-3, c=0.0000123456789),
]


@check("stored")
def test_local_derivatives_are_stored(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(*SMALL, upstream=-2.5, stored=True)


@check("one_loop")
def test_one_loop_gives_every_gradient(engine: EngineUnderCheck) -> None:
    engine.agrees(*SMALL, program("L = (a * b) * c", a=2, b=-3, c=10), inner=True)
    engine.agrees(
        *GRAPHS,
        leaf(2.0),
        chain(60),
    )
    engine.agrees(
        program("L = relu(a)", a=3),
        program("L = a * b", a=2, b=-3),
        program("L = a * b + a", a=-2, b=4),
        program("L = relu(a * b) + a", a=2, b=3),
        whole=True,
    )
    engine.agrees_released("L = relu((a + b) * c) * b", a=2, b=3, c=4)
    engine.agrees_again("h = a * b; M = h + a; L = relu(h * h) + a", a=2, b=-3, first="M")
    engine.agrees_again("h = a * b; L = h * a", a=2, b=-3, first="h")
    engine.agrees_again("h = a * b; L = relu(h * h) + a", a=2, b=-3)
    engine.agrees_anew("h = a * b; L = h * h + a", a=2, b=-3)


@check("uses_them")
def test_the_loop_uses_what_is_stored(engine: EngineUnderCheck) -> None:
    engine.backward_uses_local_rules(
        program("L = a * b", a=2, b=-3),
        program("L = (a * b + c) * (a + b)", a=2, b=-3, c=10),
    )


@check("random_graphs")
def test_agrees_on_random_graphs(engine: EngineUnderCheck) -> None:
    # Random graphs can have large, small or equal numbers, and long paths. The fixed programs always have them.
    engine.agrees(
        *engine.fresh(25, ops=("add", "mul", "relu"), sizes=(1, 14)),
        program("L = a * b", a=2, b=2),
        program("L = (a + b) * c", a=2, b=-2, c=3),
        *GRAPHS,
        program("L = (a * b + a) * c", a=2, b=-3, c=40000.1234567),
        chain(60),
    )
