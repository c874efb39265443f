from grader.checks import EngineUnderCheck, check
from grader.program import chain, diamonds, leaf, program, tree

# a chain of thirty operations
LADDER = [f"x{i} = x{i - 1} {'+*'[i % 2]} {'ab'[i % 2]}" for i in range(1, 30)]
DIAMOND = program("b = a + 1; c = a * 3; d = b * c", a=2)
THROUGH = [
    program("L = (a * b) + c", a=2, b=-3, c=10),
    program("y = a + b; L = y * c", a=2, b=-2, c=3),
    program("y = a + b; z = y * d; L = z * c", a=2, b=-3, d=1.5, c=4000.1234567),
    program("y = a * b; z = y + d; L = z * c", a=2, b=-3, d=1.5, c=0.0000123456789),
]
SHARED = [
    program("y = a * b; L = y * b + y", a=2, b=3),
    program("L = (a * b) * (a + b)", a=2, b=-3),
    program("h = a * b; u = h + h; L = h * h", a=2, b=-3),  # u uses h, but L does not use u
    program("y = a + b; L = ((y + b) + b) + y", a=2, b=3),
    program("h = a * b; L = h * h; M = L * h + a", a=2, b=-3).rooted_at("L"),
    program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
    program("y = a * b + a; z = y * b + y; w = z * b + z; L = w * b + w", a=2, b=0.5),
    program("; ".join(["x0 = a * b", *LADDER]), a=2, b=0.5),
]


@check("starts_at_one")
def test_the_pass_starts_with_one_at_the_root(engine: EngineUnderCheck) -> None:
    engine.agrees(
        leaf(2.0),
        program("L = a * a", a=0.5),
        program("L = a * b", a=2, b=-3),
        program("L = a + b", a=0, b=5),
    )


@check("reaches_leaves")
def test_gradients_reach_the_leaves(engine: EngineUnderCheck) -> None:
    engine.agrees("L = (a * b) * c", a=2, b=-3, c=10, inner=True)
    engine.agrees(*THROUGH, program("L = ((a * b + c) * d) * 2", a=2, b=-3, c=10, d=-1))


@check("diamonds")
def test_a_value_propagates_after_all_of_its_users(engine: EngineUnderCheck) -> None:
    engine.agrees(
        DIAMOND,
        *SHARED,
        program("e = a * b; f = e * 3; g = f + e; h = g * a; i = h * 2; L = i + b", a=0.5, b=2),
        chain(60),
        diamonds(30),
        tree(7),
    )


@check("each_rule_once")
def test_every_rule_runs_once_users_first(engine: EngineUnderCheck) -> None:
    engine.backward_runs_each_rule_once(
        DIAMOND,
        program("b = a + a; c = b + b; L = c * b", a=2),
        program("L = a * b + a", a=2, b=-3),
        program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
    )
    engine.backward_uses_local_rules("L = (a * b + c) * (a + b)", a=2, b=-3, c=10)


@check("second_pass")
def test_a_second_pass_gives_the_same(engine: EngineUnderCheck) -> None:
    engine.agrees_again(
        program("L = a * b", a=2, b=-3),
        DIAMOND,
        program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
    )
    engine.agrees_again("h = a * b; L = h * a", a=2, b=-3, first="h")
    engine.agrees_again("h = a * b; M = h + a; L = h * h", a=2, b=-3, first="M")
    engine.agrees_again("L = a * b", a=2, b=-3, passes=300)
    engine.agrees_anew("h = a * b; L = h * h + a", a=2, b=-3)


@check("random_graphs")
def test_agrees_on_random_graphs(engine: EngineUnderCheck) -> None:
    # Random graphs can have large, small or equal numbers. The fixed programs always have them.
    engine.agrees(
        *engine.fresh(30, ops=("add", "mul"), sizes=(1, 14)),
        program("L = a * b", a=2, b=2),
        program("L = a + b", a=2, b=-2),
        program("L = a * a", a=2),
        *THROUGH,
        *SHARED,
        program("y = a * b; z = y + d; L = z * c", a=2, b=-3, d=1.5, c=40000.1234567),
    )
