from grader.checks import EngineUnderCheck, check, program


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
        program(graph, a=2, b=-3, c=10),
        program(graph, a=-1.5, b=0.5, c=4),
        program(graph, a=2.123456789, b=-3.987654321, c=-10),
    )
