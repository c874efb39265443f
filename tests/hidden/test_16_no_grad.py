from grader.checks import EngineUnderCheck, check, program

CONSTANT = program("d = detach(a); L = d * a", "d = c * 1; L = d * a", a=3, c=3)
PRODUCT = program(
    "h = a * b; d = detach(h); L = d * h + a", "h = a * b; d = c * e; L = d * h + a", a=3, b=-2, c=3, e=-2
)
# The node that is detached has a user of its own, and is two operations away from the leaves.
INSIDE = program(
    "g = a + b; h = g * b; d = detach(h); L = d * h + g * d",
    "g = a + b; h = g * b; d = (c + e) * e; L = d * h + g * d",
    a=0.5,
    b=-1.5,
    c=0.5,
    e=-1.5,
)
TWO_LEAVES = program(
    "h = a * b; d = detach(h); e = detach(h); L = d * h + e * a",
    "h = a * b; d = c * f; e = g * k; L = d * h + e * a",
    a=3,
    b=-2,
    c=3,
    f=-2,
    g=3,
    k=-2,
)
# The value of d has too many digits to be rounded.
DIGITS = program(
    "g = a * b; h = g * g; k = h * h; d = detach(k); L = d * g",
    "g = a * b; h = g * g; k = h * h; m = c * e; n = m * m; d = n * n; L = d * g",
    a=1.37,
    b=-0.83,
    c=1.37,
    e=-0.83,
)
TWICE = [
    program("L = a * b", a=3, b=-2),
    program("L = a * b + a", a=3, b=3),
    program("h = a * b; L = h * c", a=3, b=-2, c=4),
    program("h = a * b; L = h * h + h", a=0.5, b=-1.5),
    program("h = a * b; g = h * c; L = g * a", a=0.5, b=-1.5, c=4),
]


@check("total")
def test_a_total_is_a_number(engine: EngineUnderCheck) -> None:
    for names, losses in (
        ("L", program("L = a * b", a=3, b=-2)),
        ("JLK", program("J = a * b; K = a + c; L = K * c + J", a=0.25, b=-1.5, c=4)),
        ("KL", program("K = a * b; L = K * K + a", a=3, b=-2)),
        ("JKL", program("J = a * b; K = a + c; L = K * c + J", a=0.25, b=-1.5, c=4)),
        ("LL", program("L = a * b", a=3, b=-2)),
    ):
        engine.measures("total", *names, on=losses, by=lambda values, grads: sum(values))


@check("detach")
def test_no_gradient_flows_through_a_detached_node(engine: EngineUnderCheck) -> None:
    engine.agrees(CONSTANT, PRODUCT, INSIDE, TWO_LEAVES, DIGITS)
    engine.agrees_again(INSIDE)


@check("leaf")
def test_a_detached_node_keeps_no_graph(engine: EngineUnderCheck) -> None:
    engine.makes_leaves("d", on=CONSTANT)
    engine.makes_leaves("d", on=PRODUCT)
    engine.makes_leaves("d", on=INSIDE)


@check("again")
def test_a_second_pass_on_the_same_graph(engine: EngineUnderCheck) -> None:
    engine.agrees_after("backward_again", "L", on=TWICE, second=True)
    engine.agrees_after("backward_again", "L", on=TWICE, second=True, calls=2)


@check("in_place")
def test_a_value_changes_after_the_pass(engine: EngineUnderCheck) -> None:
    engine.agrees_after("backward_and_add", "L", "a", 5, on=TWICE, added={"a": 5})
    engine.agrees_after("backward_and_add", "L", "b", -0.25, on=TWICE, added={"b": -0.25})
