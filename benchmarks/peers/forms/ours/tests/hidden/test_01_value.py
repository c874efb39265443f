from grader.checks import EngineUnderCheck, check, program

DIAMOND = program("L = (a * k) * (a + m)", a=3, k=3, m=-1)


@check("sum")
def test_sum(engine: EngineUnderCheck) -> None:
    engine.agrees("L = a + a", a=3)


@check("product")
def test_product(engine: EngineUnderCheck) -> None:
    engine.agrees("L = a * a", a=3)


@check("power")
def test_power(engine: EngineUnderCheck) -> None:
    engine.agrees("L = a ** 3", a=2)


@check("tanh")
def test_tanh(engine: EngineUnderCheck) -> None:
    engine.agrees("L = tanh(a)", a=0.5)


@check("dead_relu")
def test_dead_relu(engine: EngineUnderCheck) -> None:
    engine.agrees("L = relu(a)", a=-2)


@check("order")
def test_order(engine: EngineUnderCheck) -> None:
    engine.sorts(DIAMOND)


@check("diamond")
def test_diamond(engine: EngineUnderCheck) -> None:
    engine.agrees(DIAMOND)


@check("expressions")
def test_expressions(engine: EngineUnderCheck) -> None:
    engine.agrees(*engine.fresh(20, ops=("add", "mul", "pow", "relu", "tanh"), sizes=(1, 10)))
