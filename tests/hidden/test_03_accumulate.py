from grader.checks import EngineUnderCheck, check, program

SHARED = [
    program("L = (a * b) + a", a=2, b=-3),
    program("L = (a + b) + (b + a)", a=2, b=-3),  # equal contributions
    program("L = (a * b) * (a + b)", a=2, b=-3),
    program("L = (a + b) * b + (a + c) * c", a=2, b=-3, c=5),
    program("L = (a * b) * b + (a * c) * c", a=2, b=-3, c=5),
    program("b = a + a; c = a * b; L = b + c", a=2),
    program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
    program("c = a * b; d = b * a; L = c * d + c", a=1.5, b=2),
    program("L = a * b + a * b", a=2, b=-3),
    program("L = a * b + a", a=2, b=0),
    program("L = (a * b) * c + a", a=2, b=-3, c=0),
    program("L = (a + b) * c + a", a=2, b=-3, c=0),
    program("L = (a * b) * c + (a + b) * c", a=2, b=-3, c=4000.1234567),
    program("L = (a * b) * c + (a + b) * c", a=2, b=-3, c=0.0000123456789),
]


@check("reuse_in_add")
def test_a_value_added_to_itself_counts_twice(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree("L = a + a", a=3)
    engine.local_rules_agree("b = a + a; L = b + b", a=-2, upstream=0.5)


@check("reuse_in_mul")
def test_a_value_multiplied_by_itself_counts_twice(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree("L = a * a", a=3)
    engine.local_rules_agree("b = a * a; L = b * b", a=-2, upstream=0.5)


@check("shared_node")
def test_all_users_of_a_value_count(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(*SHARED)
    engine.local_rules_agree(*SHARED[:4], program("L = (a * a) * b + a", a=-2, b=3), whole=True)


@check("already_there")
def test_existing_gradients_are_kept(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree(
        program("L = a + b", a=2, b=-3),
        program("L = a * b", a=2, b=-3),
        program("L = a + a", a=2),
        program("L = a * a", a=2),
        program("L = (a * b) + (b * a)", a=2, b=-3),
        upstream=4,
        already={"a": 5, "b": -7},
    )


@check("zero_grad")
def test_after_zero_grad_a_second_pass_gives_the_same(engine: EngineUnderCheck) -> None:
    engine.local_rules_agree_again(
        "zero_grad",
        program("L = a + b", a=2, b=-3),
        program("L = a * a", a=3),
        program("L = (a * b) * (a + b)", a=2, b=-3),
        program("L = (a * b) * c", a=2, b=-3, c=0),
        program("L = a * b", a=3, b=3),
        upstream=-2.5,
    )
    # a small factor makes no gradient 0
    engine.changes_leaves("zero_grad", start=[(1.0, 1e300), (2.0, -1e300)], expected={"a.grad": 0.0, "b.grad": 0.0})


@check("random_graphs")
def test_agrees_on_random_graphs(engine: EngineUnderCheck) -> None:
    # Random graphs can have equal or very small numbers. The fixed programs always have them.
    fixed = [program(f"L = a {op} b", a=a, b=b) for op in "+*" for a, b in ((2, 2), (2, -2), (2, 1), (0, 2))]
    engine.local_rules_agree(*engine.fresh(20, ops=("add", "mul"), sizes=(1, 10)), *fixed, *SHARED, upstream=-1.5)
