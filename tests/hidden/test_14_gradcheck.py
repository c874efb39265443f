from grader.checks import EngineUnderCheck, GivenPass, check, program

PRODUCT = program("L = a * b", a=2, b=-5)
SUM = program("L = a * b + a", a=4, b=-3)
SQUARE = program("L = a * a", a=3)
STRAIGHT = program("L = a * 1", a=0)  # both gradients are exactly 1
CUBE = program("b = a * a; L = b * a", a=0.5)
CURVED = program("L = tanh(a * b) + b", a=0.5, b=-1.5)
GATE = program("L = tanh(a) * a", a=-0.75)
UNITS = program("L = relu(a * b) * c + relu(c)", a=-0.5, b=-2.5, c=3)
UNIT = program("b = a * -2; L = relu(b) + relu(a)", a=-0.5)
DIAMOND = program("b = a + a; c = a * b; L = b + c", a=2)
THREE = program("L = a * b + tanh(c) * a", a=2, b=-3, c=0.5)
# Straight in each input: no step is too large for it.
VOLUME = program("L = a * b * c", a=2, b=-3, c=0.5)
FIVE = program("L = a * b + c * d + e * a", a=2, b=-3, c=0.5, d=4, e=-1.5)
IDLE = program("L = a * b + c * 0", a=2, b=-3, c=0.5)
STEEP = program("L = a * 1000000000000 + b * c", a=0, b=0.5, c=-3)
# Under every seed, a leaf keeps 0, 1 and a number that is in its program. So these programs are always the same.
# A step of 0.01 is too large for the first one, and one of 1e-10 is too small for the second one.
BENT = program("L = a * 0.5 - a * a * a", a=0)
LIFTED = program("L = a * 3 + 1000", a=1)
# The gradient of a is 0. For any step h, a numeric one is not, because sums are rounded.
ZEROS = [
    program("L = (a + 1.1) * 2.9 - a * 2.9 + 1.1", a=1.1),
    program("L = (a + 0.3) * 3.1 - a * 3.1 + b", a=0.3, b=1),
    program("L = b * 1.4 + a * 0.4 - a * 0.4", a=1.4, b=0.4),
]
# The gradient has a 5 as its last digit, and the numeric one is larger by h * h. Rounded before the 5, they differ.
BETWEEN = [program(f"L = a * {1 + 2.0**-digits} + a * a * a", a=0) for digits in range(4, 11)]
# The gradient is 1.5, and the numeric one is smaller by h * h. Cut after any digit, they differ.
BELOW = program("L = a * 1.5 - a * a * a", a=0)
FAINT = program("L = a * 0.001", a=1)
RAISED = program("L = a * 3 + 100000", a=1)
TWINS = program("L = a * b * 2 + b", a=1, b=1)
OTHER_TWINS = program("L = a * b * 5 + a", a=1, b=1)
# The length of all gradients hides an error of 0.0003 in that of b, under every seed.
UNEQUAL = program("L = a * 100 + b", a=1, b=1)
SMALL = program("L = a * 0.0002 + b * 0.0003", a=0.5, b=-1.5)
TINY = program("L = a * 0.0002", a=1000)
LARGE = program("L = exp(a) * b", a=20, b=0.5)


@check("numeric")
def test_numeric_gradients(engine: EngineUnderCheck) -> None:
    engine.differentiates(
        "numeric_grad",
        SUM,
        SQUARE,
        CUBE,
        CURVED,
        UNITS,
        THREE,
        FIVE,
        program("L = exp(3 * a) * b", a=0.5, b=-1.5),  # bends: a step of 0.01 is too large
        # rounded: a step of 1e-10 is too small; the numbers are the same under every seed, and so is the rounding
        program("L = a * b + b + 10000", a=1, b=1),
        program("L = a * a * b + 10000", a=1, b=1),
        program("L = a * a * b", a=1000, b=0.5),
        SMALL,
        program("L = a * b + a * 3", a=1, b=1),  # the same numbers for two functions, under every seed
        TWINS,
        tolerance=5e-5,
    )


@check("both_sides")
def test_both_sides(engine: EngineUnderCheck) -> None:
    engine.differentiates(
        "numeric_grad",
        # the same numbers for two functions, under every seed
        program("L = a * a * 1000000 + b", a=0, b=1),
        program("r = relu(a); L = r * b", "r = a * 0.5; L = r * b", a=0, b=1),
        program("d = a - b; r = relu(d); L = r * c + a", "d = a - b; r = d * 0.5; L = r * c + a", a=2, b=2, c=-1.5),
        program(
            "p = relu(a); n = -a; q = relu(n); L = p + q + b",
            "p = a * 0.5; n = -a; q = n * 0.5; L = p + q + b",
            a=0,
            b=3,
        ),
        tolerance=1e-2,  # a step to one side is wrong by half of a gradient or more; one of 1e-11 is rounded by less
    )


# Only one input, or all inputs wrong: that `agrees` compares all of them is another check.
@check("wrong_rules")
def test_wrong_rules(engine: EngineUnderCheck) -> None:
    engine.tells_apart(
        "agrees",
        GivenPass(SQUARE),
        GivenPass(SQUARE, "lost", lambda a: (a / 2,)),
        GivenPass(DIAMOND),
        GivenPass(DIAMOND, "lost", lambda a: (a - 2,)),
        GivenPass(CUBE, "sign", lambda a: (-a,)),
        GivenPass(CUBE),
        GivenPass(CURVED),
        GivenPass(CURVED, "factor", lambda a, b: (a * 2, b * 2)),
        GivenPass(GATE, "sign", lambda a: (-a,)),
        GivenPass(GATE, "missing", lambda a: (0,)),
        GivenPass(GATE),
        GivenPass(PRODUCT, "sign", lambda a, b: (-a, -b)),
        GivenPass(PRODUCT),
        GivenPass(UNIT, "missing", lambda a: (0,)),
        GivenPass(UNIT, "factor", lambda a: (a * 1.1,)),
        GivenPass(UNIT),
        GivenPass(STRAIGHT),
        GivenPass(BENT),
        GivenPass(LIFTED),
    )


@check("each_input")
def test_each_input(engine: EngineUnderCheck) -> None:
    engine.tells_apart(
        "agrees",
        GivenPass(SUM),
        GivenPass(SUM, "lost", lambda a, b: (a - 1, b)),
        GivenPass(SUM, "missing", lambda a, b: (a, 0)),
        GivenPass(PRODUCT, "swapped", lambda a, b: (b, a)),
        GivenPass(VOLUME),
        GivenPass(VOLUME, "factor", lambda a, b, c: (a * 1.5, b, c)),
        GivenPass(VOLUME, "sign", lambda a, b, c: (a, -b, c)),
        GivenPass(VOLUME, "missing", lambda a, b, c: (a, b, 0)),
        GivenPass(VOLUME, "cancelling", lambda a, b, c: (a - b, b + b, c)),
        GivenPass(VOLUME, "cancelling", lambda a, b, c: (a, b + c, 0)),
        GivenPass(TWINS),
        GivenPass(TWINS, "sign", lambda a, b: (-a, b)),
        GivenPass(TWINS, "factor", lambda a, b: (a, b * 1.5)),
        GivenPass(OTHER_TWINS),
        GivenPass(FIVE),
        GivenPass(FIVE, "sign", lambda a, b, c, d, e: (-a, b, c, d, e)),
        GivenPass(FIVE, "factor", lambda a, b, c, d, e: (a, b / 2, c, d, e)),
        GivenPass(FIVE, "missing", lambda a, b, c, d, e: (a, b, 0, d, e)),
        GivenPass(FIVE, "sign", lambda a, b, c, d, e: (a, b, c, -d, e)),
        GivenPass(FIVE, "factor", lambda a, b, c, d, e: (a, b, c, d, e * 1.2)),
        GivenPass(FIVE, "swapped", lambda a, b, c, d, e: (a, b, d, c, e)),
        # errors whose sum is 0, also if they are weighted by the number of the input, its square or its cube
        GivenPass(FIVE, "cancelling", lambda a, b, c, d, e: (a + 1, b - 4, c + 6, d - 4, e + 1)),
        GivenPass(IDLE),
        GivenPass(IDLE, "extra", lambda a, b, c: (a, b, 0.5)),
        GivenPass(IDLE, "extra", lambda a, b, c: (a, b, -0.01)),
        GivenPass(LIFTED),
        GivenPass(STEEP, "factor", lambda a, b, c: (a, b * 1.5, c)),
    )


@check("tolerance")
def test_tolerances(engine: EngineUnderCheck) -> None:
    engine.tells_apart(
        "agrees",
        GivenPass(SUM),
        GivenPass(SUM, "small", lambda a, b: (a * 1.0003, b * 1.0003)),
        GivenPass(GATE, "small", lambda a: (a * 0.9997,)),
        GivenPass(GATE),
        GivenPass(LARGE, "small", lambda a, b: (a * 1.0003, b * 0.9997)),
        GivenPass(LARGE),
        GivenPass(SMALL),
        GivenPass(SMALL, "factor", lambda a, b: (a * 2, b * 2)),
        GivenPass(SMALL, "factor", lambda a, b: (a * 1.2, b * 1.2)),
        GivenPass(TINY, "sign", lambda a: (-a,)),
        GivenPass(TINY, "missing", lambda a: (0,)),
        *map(GivenPass, (*ZEROS, *BETWEEN, BELOW)),
        GivenPass(ZEROS[0], "extra", lambda a: (0.001,)),
        GivenPass(ZEROS[0], "extra", lambda a: (-0.001,)),
        GivenPass(FAINT),
        GivenPass(STEEP),
        GivenPass(FAINT, "small", lambda a: (a * 1.0003,)),
        GivenPass(RAISED, "small", lambda a: (a * 1.0003,)),
        GivenPass(UNEQUAL, "small", lambda a, b: (a, b * 1.0003)),
        GivenPass(FIVE, "small", lambda a, b, c, d, e: (a, b, c * 1.0003, d, e)),  # not in the mean of the errors
    )
