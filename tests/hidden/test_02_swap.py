from grader.checks import EngineUnderCheck, check, program


@check("other_value")
def test_each_input_receives_the_other_ones_value(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(
        program("L = a * b", a=2, b=-3),
        program("L = a * b", a=-1.5, b=-0.5),
        program("L = a * b", a=0, b=5),
        program("L = a * b", a=5, b=0),
        program("L = a * b", a=1, b=4),
        program("L = a * b", a=2, b=2),
    )


@check("upstream")
def test_the_upstream_gradient_is_multiplied_in(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(
        program("L = a * b", a=2, b=-3),
        program("L = (a * b) * c", a=2, b=-3, c=10),
        program("L = (a * b) * (c * d)", a=1.5, b=-2, c=0.5, d=4),
        program("L = (a * b) * c", a=2, b=-3, c=0),
        program("L = (a * b) * c", a=2, b=-3, c=4000.1234567),
        upstream=-2.5,
    )
    engine.local_rules_agree(
        program("L = a * b", a=2, b=-3),
        program("L = a * b", a=-2, b=-3),
        program("L = a * b", a=0, b=1),
        program("L = (a * b) * c", a=2, b=3, c=4),
        upstream=-2.5,
        whole=True,
    )
    engine.local_rules_agree_again(None, "L = a * b", a=0.8, b=-0.9, upstream=0.000000123456789)
