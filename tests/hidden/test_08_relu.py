from grader.checks import EngineUnderCheck, check, program

# With another seed, a small whole number becomes one up to 20, and any other number changes by a factor below 2.
# Where the size of an input is not the point, it is no whole number. So a relu with an upper limit, such as relu6,
# fails the first check alone under every seed.


@check("active")
def test_active_for_a_positive_input(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = relu(a)", a=2.5),
        program("L = relu(a) * c", a=0.5, c=3),
        program("L = relu(a) * c", a=0.001, c=-3),
        program("L = relu(a) * c", a=40, c=-0.5),
        program("L = relu(a) * c", a=0.000000001, c=4000.1234567),
        program("L = relu(a) * c", a=4000.1234567, c=0.0000123456789),
        program("L = relu(a) * c", a=2, c=0),
        program("L = relu(relu(a) * c)", a=3, c=2),
    )
    engine.agrees(program("L = relu(a)", a=3), program("L = relu(a) * c", a=2, c=3), whole=True)


@check("inactive")
def test_inactive_for_a_negative_input(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = relu(a)", a=-2),
        program("L = relu(a) * c", a=-2, c=3),
        program("L = relu(a) * c", a=-0.001, c=3),
        program("L = relu(a) * c", a=-40, c=3),
        program("L = relu(relu(a) + c)", a=-3, c=2.5),
    )
    engine.agrees("L = relu(a) * c", a=-2, c=3, whole=True)


@check("zero")
def test_inactive_at_exactly_zero(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = relu(a) * c", a=0, c=3),
        program("L = relu(a * b) + b", a=0, b=-2),
        program("L = relu(a + b) * 5", a=2, b=-2),
    )


@check("accumulates")
def test_upstream_gradient_and_accumulation(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(
        program("L = relu(a)", a=1.5),
        program("L = relu(a)", a=-1.5),
        program("L = relu(a) + relu(a)", a=2.25),
        program("L = relu(a) * a", a=2.25),
        upstream=-2.5,
        already={"a": 4},
    )
    engine.local_rules_agree(program("L = relu(a)", a=1.5), upstream=45)
    engine.agrees(
        program("L = relu(a) + relu(a)", a=2.25),
        program("L = relu(a) + a", a=-40),
        program("L = relu(a) * b + relu(a) * c", a=2.5, b=3, c=-5),
        program("b = relu(a); L = b * b + a", a=3.5),
        program("b = relu(a); c = relu(a); L = b * c", a=1.5),
    )
    engine.agrees_again("L = relu(a) * c", a=2.5, c=3)


@check("neuron")
def test_a_weight_gets_gradient_where_its_unit_is_active(engine: EngineUnderCheck) -> None:
    neuron = "n = x * w + b; o = relu(n); L = o * c"
    engine.agrees(
        program(neuron, x=1.5, w=1.25, b=-0.5, c=5),
        program(neuron, x=3, w=-2, b=1, c=5),
        program(neuron, x=3, w=-2, b=6, c=5),
        program("L = relu(x * w + b) + relu(y * w + b)", x=1.5, y=-1.5, w=-1.25, b=0.5),  # active for one of two inputs
        program("L = relu(x * w + b) + relu(y * w + b)", x=3, y=2, w=-2, b=1),  # for none of them: dead
        program("o = relu(x * w + y * v + b); p = relu(x * v + y * w); L = o * p + o", x=2, w=1, y=-1, v=0.5, b=0.1),
        program("o = relu(x * w + y * v + b); p = relu(x * v + y * w); L = o * p + p", x=2, w=-1, y=3, v=0.5, b=0.1),
    )
