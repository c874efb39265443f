from grader.checks import EngineUnderCheck, check, program


@check("plus")
def test_plus_notes_both_inputs(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree("L = a + b", a=2, b=-3)
    engine.local_rules_agree("L = a + b", a=-1.5, b=4, upstream=-2)


@check("times")
def test_times_notes_both_inputs(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree("L = a * b", a=2, b=-3)
    engine.local_rules_agree("L = a * b", a=-1.5, b=4, upstream=-2)


@check("same_input")
def test_a_value_used_twice_is_noted_twice(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(
        program("L = a + a", a=3),
        program("L = a * a", a=3),
        program("b = a + a; L = b * b", a=-2),
    )


@check("on_the_tape")
def test_every_operation_is_on_the_tape(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = a + b", a=2, b=-3),
        program("L = a * b", a=2, b=-3),
        program("L = a * b + a", a=2, b=-3),
        program("b = a + a; c = b + b; L = c * b", a=2),
        program("L = (a * b + c) * (a + b)", a=2, b=-3, c=10),
    )


@check("random_graphs")
def test_agrees_on_random_graphs(engine: EngineUnderCheck) -> None:
    engine.agrees(*engine.fresh(15, ops=("add", "mul"), sizes=(1, 10)))
