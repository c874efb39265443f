import math
from functools import cache

from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

LETTERS = ".aeln"
EMBEDDING = [[0.53, -0.81], [-0.92, 0.37], [0.64, 0.79], [-0.28, -0.57], [0.86, -0.43]]
HIDDEN = [[0.71, -0.46, 0.95, 0.33, -0.22], [-0.63, 0.84, 0.17, -0.58, 0.41], [0.29, 0.77, -0.68, 0.54, -0.36]]
OUTPUT = [
    [0.66, -0.31, 0.48, 0.23],
    [-0.74, 0.59, 0.35, -0.42],
    [0.83, 0.26, -0.93, 0.52],
    [-0.38, -0.87, 0.62, 0.47],
    [0.19, 0.72, -0.55, -0.67],
]
TABLE = [
    [0.65, -0.35, 0.95, -1.15, 0.25],
    [-0.75, 0.45, 1.35, 0.85, -1.25],
    [0.55, -1.45, -0.15, 0.75, 1.05],
    [1.65, 0.35, -0.85, -0.55, 0.15],
    [-0.95, 1.15, 0.45, -0.25, -0.65],
]


def indices(name: str) -> list[int]:
    """Return the indices of a name's letters, and that of the dot."""
    return [LETTERS.index(letter) for letter in f"{name}."]


def cross_entropy(loss: str, logits: list[str], target: int) -> str:
    """Return the text of a node `loss`: the cross-entropy of these logits, as torch computes it."""
    return f"{loss} = log({' + '.join(f'exp({logit})' for logit in logits)}) - {logits[target]}"


def mean(loss: str, count: int) -> str:
    """Return the text of a node `loss`: the mean of the nodes c0, c1 and so on."""
    return f"{loss} = ({' + '.join(f'c{n}' for n in range(count))}) / {count}"


def times(loss: str, leaf: str) -> tuple[str, str]:
    """Return the name of a loss and the text of its product with a leaf; the loss is the root if there is no leaf."""
    return ("K", f"; L = K * {leaf}") if leaf else (loss, "")


@cache
def bigram(*names: str, by: str = "") -> Program:
    """Return a program of the loss of the bigram model with the table TABLE, or of its product with a leaf."""
    loss, product = times("L", by)
    pairs = [pair for name in names for pair in zip([0, *indices(name)], indices(name), strict=False)]
    losses = [
        cross_entropy(f"c{n}", [f"table[{letter}][{k}]" for k in range(len(LETTERS))], target)
        for n, (letter, target) in enumerate(pairs)
    ]
    by_torch = "; ".join([*losses, mean(loss, len(losses))]) + product
    return program(f"{loss} = bigram_loss({list(names)}, table){product}", by_torch, table=TABLE)


def weighted(row: str, inputs: list[str]) -> str:
    """Return the text of a sum: each input times its weight in a row, and the bias at the end of the row."""
    return " + ".join([*(f"{row}[{i}] * {x}" for i, x in enumerate(inputs)), f"{row}[{len(inputs)}]"])


def network(n: int, context: tuple[int, int]) -> list[str]:
    """Return the texts of the network's nodes for a context. The names of its logits are l0_n, l1_n and so on."""
    x = [f"embedding[{letter}][{i}]" for letter in context for i in range(2)]
    neurons = range(len(HIDDEN))
    hidden = [f"h{j}_{n} = tanh({weighted(f'hidden[{j}]', x)})" for j in neurons]
    outputs = [f"h{j}_{n}" for j in neurons]
    return [*hidden, *(f"l{k}_{n} = {weighted(f'output[{k}]', outputs)}" for k in range(len(LETTERS)))]


@cache
def logits(context: tuple[int, int], root: str) -> Program:
    """Return a program of the network's logits l0_0, l1_0 and so on, and of a root that is computed from them."""
    made = ", ".join(f"l{k}_0" for k in range(len(LETTERS)))
    text = f"{made} = logits_of({list(context)}, embedding, hidden, output); {root}"
    by_torch = "; ".join([*network(0, context), root])
    return program(text, by_torch, embedding=EMBEDDING, hidden=HIDDEN, output=OUTPUT)


@cache
def loss_of(*names: str, by: str = "") -> Program:
    """Return a program of the loss of the network, or of its product with a leaf."""
    loss, product = times("L", by)
    texts: list[str] = []
    count = 0
    for name in names:
        context = (0, 0)
        for target in indices(name):
            texts += network(count, context)
            texts.append(cross_entropy(f"c{count}", [f"l{k}_{count}" for k in range(len(LETTERS))], target))
            context = (context[1], target)
            count += 1
    text = f"{loss} = loss_of({list(names)}, embedding, hidden, output){product}"
    by_torch = "; ".join([*texts, mean(loss, count)]) + product
    return program(text, by_torch, embedding=EMBEDDING, hidden=HIDDEN, output=OUTPUT)


@check("guessing")
def test_the_loss_of_guessing(engine: EngineUnderCheck) -> None:
    for n in engine.numbers(5, 27):
        engine.returns("guessing", n, expected={"loss": math.log(n)}, about=f"guessing({n:g})", reveal=False)


@check("targets")
def test_what_is_predicted(engine: EngineUnderCheck) -> None:
    drawn = "".join(LETTERS[1 + int(number) % 4] for number in engine.numbers(2, 3, 4, 5, 6, 7))
    for name in ("a", "ela", "anna", "nell", "", drawn):
        call = f'targets("{name}")'
        expected = {f"{call}[{i}]": float(index) for i, index in enumerate(indices(name))}
        engine.returns("targets", name, expected=expected, about=call)


@check("bigram")
def test_the_loss_of_the_bigram_model(engine: EngineUnderCheck) -> None:
    engine.agrees(
        bigram("a"),
        bigram("ela"),
        bigram("an", "nell"),
        bigram("an", "e", "an"),
        bigram("lea", "", "anna"),
        bigram("an", by="table[0][1]"),
    )
    engine.agrees_again(bigram("an", "e"))
    engine.agrees_anew(bigram("an", "e"))


@check("logits")
def test_the_logits_of_the_network(engine: EngineUnderCheck) -> None:
    weights = (1, -2, 0.5, 3, -1.5)
    root = "L = " + " + ".join(f"l{k}_0 * {weight}" for k, weight in enumerate(weights))
    engine.agrees(*(logits(context, root) for context in ((0, 0), (0, 2), (3, 1), (4, 4))))
    engine.agrees_anew(logits((1, 3), root))


@check("loss")
def test_the_loss_of_the_network(engine: EngineUnderCheck) -> None:
    engine.agrees(
        loss_of("a"),
        loss_of("ela"),
        loss_of("an", "nell"),
        loss_of("e", "", "an", "e"),
        loss_of("a", by="output[1][3]"),
    )


@check("training")
def test_the_network_learns_as_torchs_does(engine: EngineUnderCheck) -> None:
    engine.trains(loss_of("ela", "anna"), steps=20, rate=1.5, calls=10_000_000, cpu_s=8)
    # another number of steps, and another rate; the loss falls below 0.1 under every seed
    engine.trains(loss_of("a"), steps=10, rate=1)
