from grader.checks import EngineUnderCheck, check, program


@check("minus_sign")
def test_minus_sign(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = -a", a=2),
        program("L = -a * c", a=-3, c=2),
        program("L = -(-a) * a", a=1.5),
    )
    engine.agrees("L = -a * c", a=3, c=2, whole=True)


@check("difference")
def test_difference(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = a - b", a=2, b=-3),
        program("L = (a - b) * a", a=2, b=5),
        program("L = a - a", a=2),
        program("L = (a - 3) * a", a=2),
        program("L = (a - 0.5) * a", a=-2),
        program("L = (a - -2) * a", a=3),
        program("L = (a - 2) * a", a=2),
        program("L = (a - b) * a", a=2, b=2),
        program("L = (a - 0) * b", a=2, b=3),
        program("L = (a - b) * b + (a - c) * c", a=2, b=3, c=-5),
    )
    engine.agrees(program("L = (a - b) * a", a=2, b=5), program("L = (a - 3) * a", a=2), whole=True)


@check("quotient")
def test_quotient(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = a / b", a=6, b=2),
        program("L = a / b", a=-1, b=-0.5),
        program("L = (a / b) * b", a=3, b=4),
        program("L = a / a", a=3),
        program("L = (a / 4) * a", a=3),
        program("L = (a / 0.5) * a", a=3),
        program("L = (a / -2) * a", a=3),
        program("L = (a / 3) * a", a=3),
        program("L = (a / b) * a", a=3, b=3),
        program("L = (a / 1) * b", a=3, b=2),
        program("L = (a / b) * b + (a / c) * a", a=2, b=3, c=-5),
    )
    engine.agrees("L = a / b", a=1, b=4, whole=True)


@check("number_first")
def test_a_number_on_the_left(engine: EngineUnderCheck) -> None:
    # no value on the left of - or /: other checks ask for that
    engine.agrees(
        program("L = (2 + a) * a", a=3),
        program("L = (2 * a) * a", a=3),
        program("L = (2 - a) * a", a=3),
        program("L = (2 / a) * b", a=3, b=5),
        program("L = (0.5 - a) * (1.5 / a)", a=3),
        program("L = 0 + a + b + c", a=3, b=-2, c=1),
        program("L = (-2 - a) * a", a=3),
        program("L = (0 - a) * a", a=3),
        program("L = (3 - a) * a", a=3),
        program("L = (-2 + a) * a", a=3),
        program("L = (-2 * a) * a", a=3),
        program("L = (0 * a) * b", a=3, b=2),
        program("L = (-2 / a) * b", a=3, b=5),
        program("L = (0 / a) * b", a=3, b=5),
        program("L = (1 / a) * b", a=-2, b=5),
        program("L = 1 / (1 + b) + -2 * b", b=0.25),
        program("L = 2 * (3 - (1 / (2 + a)))", a=3),
        program("L = (2 - a * b) * a + (3 / (a * b)) * b", a=3, b=0.5),
        program("y = 1.5 - a; z = 2 / y; L = (0.5 + z) * (-1.5 * y)", a=3),
        program("y = 7 * a; z = 3 + y; L = (-1.5 + 2 / z) * (0.5 - y) + z", a=0.75),
    )
    engine.agrees(*[program(f"L = (2 {op} a) * a", a=3) for op in "+-*"], whole=True)
