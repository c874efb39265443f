from grader.checks import EngineUnderCheck, check, program


@check("on_paper")
def test_the_gradients_on_paper(engine: EngineUnderCheck) -> None:
    asked = program("L = (a*b + c) * (a + b)", a=2, b=-3, c=10)
    grads = engine.truth(asked).grads
    expected = {f"dL/d{name}": grads[asked.index[name]] for name in "abc"}
    engine.returns("on_paper", expected=expected, about=asked.shown, reveal=False)


@check("sum_of_product")
def test_the_pass_for_a_product_and_a_sum(engine: EngineUnderCheck) -> None:
    engine.by_hand(
        "sum_of_product",
        program("e = a * b; L = e + c", a=2, b=-3, c=10),
        program("e = a * b; L = e + c", a=-1.5, b=0.5, c=0),
    )


@check("product_of_sums")
def test_the_pass_for_a_product_of_sums(engine: EngineUnderCheck) -> None:
    graph = "e = a * b; f = e + c; g = a + b; L = f * g"
    engine.by_hand(
        "product_of_sums",
        program(graph, a=-1.5, b=0.5, c=4),  # not the numbers of `on_paper`: the first failure shows torch's answers
        program(graph, a=2, b=-3, c=10),
        program(graph, a=2.123456789, b=-3.987654321, c=-10),
    )


@check("wrong_orders")
def test_what_a_wrong_order_loses(engine: EngineUnderCheck) -> None:
    # With a leaf of its own for each use of a, torch gives the contribution of each.
    apart = program("b = a1 + 1; c = a2 * 3; d = b * c", a1=2, a2=2)
    grads = engine.truth(apart).grads
    through_b, through_c = (grads[apart.index[name]] for name in ("a1", "a2"))
    left = {"d, b, c": through_b + through_c, "b, d, c": through_c, "c, d, b": through_b, "b, c, d": 0.0}
    expected = {f"a.grad after {order}": grad for order, grad in left.items()}
    engine.returns(
        "wrong_orders", expected=expected, about="b = a + 1; c = a * 3; d = b * c    with a = 2", reveal=False
    )
