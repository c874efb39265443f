from grader.checks import EngineUnderCheck, check, program


@check("starts_at_one")
def test_the_pass_starts_with_one_at_the_root(engine: EngineUnderCheck) -> None:
    engine.agrees(program("L = a + b", a=2, b=-3), program("L = a * b", a=2, b=-3))


@check("to_the_leaves")
def test_gradients_reach_the_beginning(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = (a * b) + c", a=2, b=-3, c=10),
        program("L = ((a * b) * c) * d", a=2, b=-3, c=10, d=-1),
        program("L = (a + b) * (c + d)", a=2, b=-3, c=10, d=0.5),
    )


@check("all_contributions")
def test_a_value_used_several_times_receives_every_contribution(engine: EngineUnderCheck) -> None:
    engine.agrees(
        program("L = a + a", a=3),
        program("L = a * a", a=3),
        program("L = a * b + a", a=2, b=-3),
        program("b = a + a; c = b + b; L = c * b", a=2),
        program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
    )


@check("reads_the_tape")
def test_the_pass_uses_what_is_recorded(engine: EngineUnderCheck) -> None:
    engine.backward_uses_local_rules(
        program("L = a * b", a=2, b=-3),
        program("L = (a * b + c) * (a + b)", a=2, b=-3, c=10),
    )


@check("random_graphs")
def test_agrees_on_random_graphs(engine: EngineUnderCheck) -> None:
    engine.agrees(*engine.fresh(20, ops=("add", "mul"), sizes=(1, 12)))
