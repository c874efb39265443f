from grader.checks import EngineUnderCheck, check, program


@check("both_inputs")
def test_both_inputs_receive_the_gradient(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree("L = a + b", a=2, b=-3)


@check("upstream")
def test_any_upstream_gradient_passes_through(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(
        program("L = a + b", a=2, b=-3),
        program("L = (a + b) + c", a=1.5, b=0, c=-4),
        program("L = (a + b) + (c + d)", a=3, b=3, c=-1, d=0.25),
        program("L = a + b", a=2, b=-2),
        program("L = (a + b) + c", a=0, b=0, c=1),
        upstream=-2.5,
    )
    engine.local_rules_agree(
        program("L = a + b", a=2, b=-3),
        program("u = a + b; L = c + d", a=2, b=-3, c=1, d=5),  # L does not depend on u
        upstream=4000.1234567,
    )
    engine.local_rules_agree("L = (a + b) + c", a=2, b=-3, c=1, upstream=-2.5, whole=True)
    engine.local_rules_agree_again(None, "L = a + b", a=0.8, b=-0.9, upstream=0.000000123456789)
