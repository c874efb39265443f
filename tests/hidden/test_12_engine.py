from grader.checks import EngineUnderCheck, check
from grader.program import Program, braids, chain, leaf, program

ASKED = ("add", "sub", "mul", "div", "pow", "neg", "relu")
FUNCTIONS = ("tanh", "exp", "log", "sigmoid")
BELOW_ZERO = ("tanh", "exp", "sigmoid")  # those that are defined there

# An engine that lacks one of these loses only that operation's check. The other checks leave the operation out.
CHARGED_ONCE = ("sub", "div", "pow", "neg", "relu")

# Each operation alone, then used twice on one value; + and * also in a chain. A learner's second step has a value with
# one user, and the third one has values with several.
PLUS_TIMES = [
    program("L = a + b", a=2, b=-3),
    program("L = a * b", a=2, b=-3),
    program("L = a * b", a=0, b=5),
    program("L = a * b", a=2, b=1),
    program("L = a * b", a=1, b=3),
    program("L = a + b", a=2, b=0),
    program("L = a + b", a=0, b=3),
    program("L = a * b", a=2, b=2),
    program("L = (a + b) * c", a=2, b=-3, c=10),
    program("L = (a * b) * c", a=2, b=-3, c=10),
]
TWICE = [program("L = a + a", a=3), program("L = a * a", a=-3)]
SHARED = [
    program("L = (a + b) * b + (a + c) * c", a=2, b=3, c=-5),
    program("L = (a * b) * b + (a * c) * c", a=2, b=3, c=-5),
]
MINUS = [
    program("L = -a", a=2),
    program("L = a - b", a=2, b=-3),
    program("L = a - b", a=2, b=0),
    program("L = a - b", a=2, b=2),
    program("L = (-a) * a + -a", a=2),
    program("L = -(a * b) * a", a=2, b=-3),
    program("L = -a * b + -a * c", a=2, b=3, c=-5),
    program("L = a - a", a=3),
    program("L = (a - b) * (b - a)", a=3, b=1),
    program("L = (a - b) * b + (a - c) * c", a=2, b=3, c=-5),
]
POWERS = [
    program("L = a ** 3", a=2),
    program("L = a ** 2", a=-1.5),
    program("L = a ** 2", a=0),
    program("L = a ** 1", a=-2.5),
    program("L = a ** 1", a=0),
    program("L = a ** 3", a=-2),
    program("L = a ** 4", a=-2),
    program("L = a ** 0", a=3),
    program("L = a ** -1", a=-2),
    program("L = a ** -2", a=0.8),
    program("L = a ** 0.5", a=2.25),
    program("L = a ** -1.5", a=2.25),
    program("L = a / b", a=2, b=-4),
    program("L = a / b", a=2, b=1),
    program("L = a / b", a=2, b=2),
    program("L = a / b", a=-0.5, b=0.8),
    program("L = a ** 3 + a ** 2", a=2),
    program("L = a ** 3 * b + a ** 2 * c", a=2, b=3, c=-5),
    program("L = a / a", a=3),
    program("L = a / b + b / a", a=3, b=2),
    program("L = (a / b) * b + (a / c) * a", a=2, b=3, c=-5),
]
# with ints
WHOLE = [
    program("L = a * b", a=2, b=3),
    program("L = a * b", a=-2, b=5),
    program("L = a * b + a", a=2, b=-3),
    program("L = (a * a) * b + b", a=-3, b=4),
    program("L = (a * b) * c", a=2, b=0, c=1),
]
RELU = [
    program("L = relu(a)", a=9),
    program("L = relu(a)", a=-2),
    program("L = relu(a)", a=0.01),
    program("L = relu(a)", a=0.000000001),
    program("L = relu(a)", a=-0.000000001),
    program("L = relu(a)", a=4000.1234567),
    program("L = relu(a) + relu(a)", a=2),
    program("L = relu(a) * relu(a)", a=0.5),
    program("L = relu(a) * b + relu(a) * c", a=0.5, b=0.75, c=-0.25),
    program("L = relu(a) * b + a", a=-2, b=-1),
    program("L = relu(a) * b", a=0.7, b=4000.1234567),
]
RULES = [*PLUS_TIMES, *TWICE, *SHARED, *MINUS, *POWERS, *RELU]
CORE = program("L = a * b + a", a=2, b=-3)
FAR = [("exp", 25, 0.01), ("tanh", -6.7, 1000), ("sigmoid", -12, 100_000), ("sigmoid", 12, 100_000)]
# Finite differences of this are wrong by more than 1: rounding errors of a + b are multiplied by c.
CANCELLED = program("L = (a + b) * c", a=400000.1234567, b=-400000.1234567, c=300000.1234567)
# a chain of thirty operations
LADDER = [f"{'xyz'[i % 3]}{i} = {'xyz'[(i - 1) % 3]}{i - 1 or ''} {'+*'[i % 2]} {'cb'[i % 2]}" for i in range(1, 30)]
LONG = program("; ".join(["x = a * b", *LADDER]), a=2, b=-0.5, c=0.25)
# ten steps that each use a value twice: 1,024 paths of different lengths
STEPS = [f"x{i} = x{i - 1} * b + x{i - 1}" for i in range(1, 11)]
MANY_PATHS = program("; ".join(["x0 = a * b", *STEPS]), a=2, b=0.25)
# 2 ** 34 paths: an engine's memory must not grow with the number of paths
DOUBLINGS = [f"x{i} = x{i - 1} + x{i - 1}" for i in range(1, 34)]


@check("forward")
def test_values_of_sums_and_products(engine: EngineUnderCheck) -> None:
    engine.computes(*PLUS_TIMES, *TWICE, *SHARED)


@check("plus_times")
def test_plus_and_times_alone_and_in_a_chain(engine: EngineUnderCheck) -> None:
    engine.agrees(*PLUS_TIMES, CANCELLED)


@check("shared_nodes")
def test_values_with_several_users(engine: EngineUnderCheck) -> None:
    engine.agrees(
        *TWICE,
        *SHARED,
        program("L = (a * b) * (a + b)", a=2, b=-3),
        program("b = a + a; c = b + b; L = c + c", a=2),
        program("y = a * b; L = y * b + y", a=2, b=3),
        program("y = a + b; L = ((y + b) + b) + y", a=2, b=3),
        program("L = a * b + a", a=2, b=2),
        program("L = (a + b) * (b + c) * (a + c)", a=1, b=1, c=1),
        program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
        program("y = a * b + a; z = y * b + y; w = z * b + z; L = w * b + w", a=2, b=0.5),
        program("L = (a * b) * c", a=2, b=-3, c=0.00001),
        program("L = (a * b) * c", a=2000.1234567, b=-3000.5, c=4000.25),
        chain(60),
        MANY_PATHS,
        *braids(),
        program("h = a * b; u = h + h; L = h * h", a=2, b=-3),  # u uses h, but L does not use u
        program("h = a * b; L = h * h; M = L * h + a", a=2, b=-3).rooted_at("L"),
        leaf(2.0),
        LONG,
    )
    engine.computes(program("; ".join(["x0 = a + a", *DOUBLINGS]), a=1))
    engine.agrees(*WHOLE, whole=True)
    engine.agrees("c = a + b; L = c * a", a=2, b=-3, in_place=True)


@check("minus")
def test_negatives_and_differences(engine: EngineUnderCheck) -> None:
    engine.agrees(*MINUS)
    engine.agrees(program("L = -a * b", a=2, b=-3), program("L = (a - b) * b", a=2, b=5), whole=True)


@check("powers")
def test_powers_and_quotients(engine: EngineUnderCheck) -> None:
    engine.agrees(*POWERS)
    engine.agrees(program("L = a ** -1", a=2), program("L = a ** 3 * b", a=2, b=-3), whole=True)
    engine.agrees("L = a / b", a=1, b=4, whole=True)


@check("relu")
def test_relu(engine: EngineUnderCheck) -> None:
    engine.agrees(*RELU)
    engine.agrees(
        program("L = relu(a)", a=3), program("L = relu(a) * b", a=2, b=-3), program("L = relu(a)", a=-3), whole=True
    )


@check("local_rules")
def test_each_rule_run_alone(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.local_rules_agree(*RULES, upstream=-2.5, already={"a": 5, "b": -7})


@check("backward_pass")
def test_backward_goes_through_the_local_rules(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.backward_uses_local_rules(
        program("L = a * b", a=2, b=-3),
        program("L = (a * b + c) * (a + b)", a=2, b=-3, c=10),
        program("c = a + b; d = a * b; e = c + d; f = c * d; L = e + f", a=-2, b=3),
    )
    engine.agrees_again("h = a * b; L = h * h + a", a=2, b=-3)
    engine.agrees_again("h = a * b; L = h * a", a=2, b=-3, first="h")
    engine.agrees_anew("h = a * b; L = h * h + a", a=2, b=-3)
    engine.agrees_released("L = (a * b + c) * (a + b)", a=2, b=-3, c=10)
    graph = "h = a * b; M = h / a; L = relu(h ** 2) * b - h"
    engine.agrees_again(graph, a=2, b=-3)
    engine.agrees_again(graph, a=2, b=-3, first="M")


@check("random_graphs")
def test_agrees_on_larger_graphs(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.agrees(
        *RULES,
        *braids(),
        program("b = a * a; c = b * b; L = c - b", a=1.5),
        program("L = -relu(a) + a", a=-2),
        program("y = a - b; L = (y / a) * (y / b) - y", a=2, b=0.5),
        program("y = relu(a); L = y ** 2 + y * b - y / b", a=2, b=0.5),
        program("y = a ** 2; z = y - a; L = z * y / a + z", a=-2),
        program("L = (a - b) * c + relu(d - a)", a=2, b=2, c=0, d=3),
        program("L = (a ** 2 + relu(a) - a / b) * c", a=2, b=-3, c=4000.1234567),
        program("L = ((a + b) * (a - b) * (a / b) * relu(a) * -a * a ** 2) * c", a=2, b=-3, c=0),
        program("L = (a * b + a) * c", a=2, b=-3, c=0.0000123456789),
        program("L = (a * b + a) * c", a=2, b=-3, c=40000.1234567),
        LONG,
        MANY_PATHS,
    )
    engine.agrees(*engine.fresh(40, ops=ASKED, sizes=(1, 16)), *engine.fresh(15, ops=("add", "mul"), sizes=(4, 20)))


@check("optional")
def test_functions_and_plain_numbers_where_offered(engine: EngineUnderCheck) -> None:
    engine.charged_elsewhere(*CHARGED_ONCE)
    engine.needs(CORE, *SHARED)
    engine.agrees(CORE, *SHARED, *functions(), where_offered=True)
    engine.agrees(CORE, *numbers(), where_offered=True)
    whole = [program(f"L = (a {op} 2) * a", a=3) for op in "+-*"] + [
        program(f"L = (2 {op} a) * a", a=3) for op in "+-*"
    ]
    engine.agrees(CORE, *whole, where_offered=True, whole=True)


def functions() -> list[Program]:
    """Return programs with functions: alone, in graphs, below 0 and far from 0.

    In these graphs each result has one user, so a wrong topological order makes none of them wrong.
    """
    alone = [program(f"L = {name}(a)", a=a) for name in FUNCTIONS for a in (0.6, 1.8)]
    twice = [program(f"L = {name}(a) * {name}(a) - {name}(a) * d", a=0.7, d=3) for name in FUNCTIONS]
    inner = [program(f"L = {name}(a * b) * b", a=0.5, b=1.5) for name in FUNCTIONS]
    inner += [program(f"L = {name}({name}(a) * b) * a", a=1.8, b=1.5) for name in FUNCTIONS]
    inner += [program(f"L = {name}(a + b) * {name}(b) + {name}(a * b)", a=1.25, b=0.5) for name in FUNCTIONS]
    below = [program(f"L = {name}(a) * b", a=a, b=2) for name in BELOW_ZERO for a in (-1.25, -3, 2.75)]
    far = [program("L = log(a) * b", a=a, b=2) for a in (0.0005, 0.05, 30)]
    far += [program(f"L = {name}(a) * b", a=a, b=b) for name, a, b in FAR]
    return [*alone, *twice, *inner, *below, *far]


def numbers() -> list[Program]:
    """Return programs with plain numbers on the right and on the left of + - * and /."""
    right = [program(f"L = (a {op} {n}) * a", a=2.5) for op in "+-*/" for n in (2, 0.5, -2, 2.5)]
    right += [program(f"L = (a {op} {n}) * b", a=2.5, b=3) for op in "+-*/" for n in (0, 1) if (op, n) != ("/", 0)]
    right += [program(f"L = (a {op} 0.3) * a", a=0.7) for op in "+-*/"]  # 0.3 and 0.7 are inexact in single precision
    # not `(n / a) * a`: its derivative is 0, and torch's rounding error would be shown
    left = [program(f"L = ({n} {op} a) * a", a=2.5) for op in "+-*" for n in (2, 0.5, -2, 2.5)]
    left += [program(f"L = ({n} / a) * a * a", a=2.5) for n in (2, 0.5, -2, 2.5)]
    left += [program(f"L = ({n} {op} a) * b", a=2.5, b=3) for op in "+-*/" for n in (0, 1)]
    sums = [program("L = 0 + a + b", a=2, b=-3), program("b = a + 1; c = a * 3; d = b * c", a=2)]
    return [*right, *left, *sums]
