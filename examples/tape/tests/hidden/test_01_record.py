from grader.checks import EngineUnderCheck, check, program


@check("plus")
def test_plus_records_both_inputs(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree("L = a + b", a=2, b=-3)
    engine.local_rules_agree("L = a + b", a=-1.5, b=4, upstream=-2)


@check("times")
def test_times_records_both_inputs(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree("L = a * b", a=2, b=-3)
    engine.local_rules_agree("L = a * b", a=-1.5, b=4, upstream=-2)


@check("same_input")
def test_a_value_used_twice_is_recorded_twice(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(
        program("L = a + a", a=3),
        program("L = a * a", a=3),
        program("b = a + a; L = b * b", a=-2),
    )


@check("on_the_tape")
def test_every_operation_is_on_the_tape(engine: EngineUnderCheck) -> None:
    a, b = engine.numbers(2, -3)
    c, d = a * b, a * b + a
    about = f"c = a * b, d = c + a, L = d * c with a = {a}, b = {b}"
    engine.returns("tape_length", a, b, expected={"tape length": 3}, about=about)
    engine.returns("taped", a, b, expected={"first entry": c, "second entry": d, "third entry": d * c}, about=about)


@check("random_graphs")
def test_agrees_on_random_graphs(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(*engine.fresh(15, ops=("add", "mul"), sizes=(1, 10)), upstream=-1.5)
