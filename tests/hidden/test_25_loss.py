"""Softmax and cross-entropy of a batch. Its shape is (2, 3), (3, 5), (1, 4) or (5, 2), so that axes can be told apart.

Logits are no whole numbers and lie near 0, because numbers that are drawn in their place stay near 0 then.
"""

import math

from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

Rows = list[list[float]]

SHORT = [[0.35, -1.25, 0.8], [1.45, 0.25, -0.55]]
LONG = [[0.65, -0.35, 0.95, -1.15, 0.25], [-0.75, 0.45, 1.35, 0.85, -1.25], [0.55, -1.45, -0.15, 0.75, 1.05]]
ONE = [[0.45, -0.85, 1.25, -0.25]]
TALL = [[0.65, -0.35], [-0.75, 0.45], [1.35, 0.85], [-1.25, 0.55], [0.15, 1.05]]
SQUARE = [[0.55, -0.95, 0.25], [-0.45, 0.85, 1.15], [1.35, -0.15, -0.65]]

TO_SHORT = [[2.5, -1.5, 0.75], [-0.5, 3.5, 1.25]]
TO_LONG = [[1.5, -2.5, 0.75, 3.5, -0.5], [2.25, 0.35, -1.75, 0.65, 2.75], [-3.25, 1.15, 0.85, -0.45, 2.05]]
TO_ONE = [[1.5, -2.5, 3.25, 0.75]]
TO_TALL = [[1.5, -2.5], [0.75, 3.5], [-0.5, 2.25], [-1.75, 0.35], [2.75, -3.25]]
TO_SQUARE = [[1.5, -2.5, 0.75], [3.5, -0.5, 2.25], [-1.75, 0.35, 2.75]]


def of_softmax(
    logits: Rows, root: str = "L = sum(p * c)", before: str = "", of: str = "z", **leaves: object
) -> Program:
    """Return a program of the probabilities p of these logits, and of a root that is computed from them.

    `before` makes the logits called `of`, if these are not the leaf z.
    """
    p = f"e = exp({of} - {of}.max(axis=1, keepdims=True)); p = e / e.sum(axis=1, keepdims=True)"
    return program(f"{before}p = softmax({of}); {root}", f"{before}{p}; {root}", z=logits, **leaves)  # type: ignore[arg-type]


def loss_of(
    logits: Rows, targets: list[int], root: str = "L = K * c", before: str = "", of: str = "z", **leaves: object
) -> Program:
    """Return a program of the loss K of these logits, and of a root that is computed from it.

    `before` makes the logits called `of`, if these are not the leaf z.
    """
    rows = list(range(len(targets)))
    k = f"d = {of} - {of}.max(axis=1, keepdims=True); K = mean(log(exp(d).sum(axis=1)) - d[{rows}, {targets}])"
    leaves = {"c": 2.5, **leaves}
    used = {name: value for name, value in leaves.items() if name in f"{before}{root}"}
    made = f"{before}K = cross_entropy({of}, {targets}); {root}"
    return program(made, f"{before}{k}; {root}", z=logits, **used)  # type: ignore[arg-type]


PROBABILITIES = [
    of_softmax([[0.5, -0.75]], c=[[3.5, 1.25]]),
    of_softmax(SHORT, c=TO_SHORT),
    of_softmax(LONG, c=TO_LONG),
    of_softmax(ONE, c=TO_ONE),
    of_softmax(TALL, c=TO_TALL),
    of_softmax(SQUARE, c=TO_SQUARE),
]
USED = [
    of_softmax(SHORT, "L = sum(p * p * c)", c=TO_SHORT),
    of_softmax(LONG, "L = sum(p * c + z)", c=TO_LONG),
    of_softmax(TALL, "L = sum(p * z)"),
    of_softmax(SHORT, before="y = z * c; ", of="y", c=TO_SHORT),
]
LOSSES = [
    loss_of(ONE, [2]),
    loss_of(SHORT, [2, 0]),
    loss_of(SHORT, [1, 1], c=-1.5),
    loss_of(LONG, [4, 0, 2]),
    loss_of(LONG, [3, 3, 1]),
    loss_of(TALL, [0, 1, 1, 0, 1]),
    loss_of(SQUARE, [1, 0, 2]),
    loss_of([[0.5, 0.5, 0.5], [-0.25, -0.25, -0.25]], [0, 2]),
]
NETWORKS = [
    loss_of(SHORT, [0, 2], "L = K * c + sum(z)"),
    loss_of(SHORT, [2, 0], "L = K * K * c"),
    # a number that is added to a row changes nothing, so its gradient is 0
    loss_of(SHORT, [2, 0], before="y = z + r; ", of="y", r=[[0.75], [-1.5]]),
    loss_of(
        SHORT,
        [3, 1],
        before="y = z @ w + b; ",
        of="y",
        w=[[0.65, -0.35, 0.95, -1.15], [0.25, -0.75, 0.45, 1.35], [0.85, -1.25, 0.55, -1.45]],
        b=[0.15, -0.65, 0.75, 1.05],
    ),
]
# The gap between the logits of a row is that of the leaves: the plain number is never changed.
FAR = "y = z + 1000; "
BELOW = "y = z + (-1000); "
APART: list[Rows] = [
    [[1000, 0.5, -0.75], [0.25, 1000, 0.65], [-0.35, 0.85, 1000]],
    [[-1000, 0.5, -0.75], [0.25, -1000, 0.65], [-0.35, 0.85, -1000]],
    [[1000, 0, -1000], [-1000, 1000, 0], [0, -1000, 1000]],
]


@check("on_paper")
def test_gradients_on_paper(engine: EngineUnderCheck) -> None:
    asked = loss_of([[math.log(2), 0, 0], [0, 0, 0]], [1, 0], "L = K * 8")
    first, second, third, *_ = asked.numbers_of("z", engine.truth(asked).grads)
    expected = {"dL/dz[0, 0]": first, "dL/dz[0, 1]": second, "dL/dz[0, 2]": third}
    about = "L = 8 * cross_entropy(z, [1, 0])    with z = [[log(2), 0, 0], [0, 0, 0]]"
    engine.returns("on_paper", expected=expected, about=about, reveal=False)


@check("probabilities")
def test_probabilities(engine: EngineUnderCheck) -> None:
    engine.computes(*PROBABILITIES)


@check("rule")
def test_the_rule_of_softmax(engine: EngineUnderCheck) -> None:
    engine.agrees(*PROBABILITIES, *USED)
    engine.agrees_again(USED[0])
    engine.agrees_anew(USED[0])


@check("loss")
def test_the_loss_of_a_batch(engine: EngineUnderCheck) -> None:
    engine.agrees(*LOSSES)


@check("network")
def test_logits_of_a_network(engine: EngineUnderCheck) -> None:
    engine.agrees(LOSSES[1], *NETWORKS)
    engine.agrees_again(NETWORKS[3])
    engine.agrees_anew(NETWORKS[3])


@check("large")
def test_large_logits(engine: EngineUnderCheck) -> None:
    engine.agrees(
        *(of_softmax(SHORT, before=far, of="y", c=TO_SHORT) for far in (FAR, BELOW)),
        *(loss_of(SHORT, [2, 0], before=far, of="y") for far in (FAR, BELOW)),
        # one logit of each row is far from the others: it is the target, or not
        *(of_softmax(logits, c=TO_SQUARE) for logits in APART),
        *(loss_of(logits, targets) for logits in APART for targets in ([0, 1, 2], [1, 2, 0], [2, 0, 1])),
        # each row is far from the others
        of_softmax(SQUARE, before="y = z + r; ", of="y", c=TO_SQUARE, r=[[1000], [0], [-1000]]),
        loss_of(SQUARE, [1, 0, 2], before="y = z + r; ", of="y", r=[[1000], [0], [-1000]]),
        # numbers whose exponentials are numbers, and those of twice as much are not
        of_softmax(SHORT, before="y = z + 400; ", of="y", c=TO_SHORT),
    )
