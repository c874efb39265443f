"""A small transformer. The model of the checks has rows of 4 numbers, 2 heads and at most 6 positions."""

import itertools
import math
import random
from functools import cache
from typing import Any

from grader.checks import EngineUnderCheck, check, program
from grader.program import Program

LETTERS = ".abcdefghijklmnopqrstuvwxyz"
WIDTH, HEADS, LENGTH, WIDE = 4, 2, 6, 8
MODEL = "letters, positions, 2, [queries, keys, values, last], [wide, narrow], output"
SHAPES = {
    "letters": (len(LETTERS), WIDTH),
    "positions": (LENGTH, WIDTH),
    **dict.fromkeys(("queries", "keys", "values", "last"), (WIDTH, WIDTH)),
    "wide": (WIDTH, WIDE),
    "narrow": (WIDE, WIDTH),
    "output": (WIDTH, len(LETTERS)),
}


@cache
def weights() -> dict[str, list[list[float]]]:
    """Return the arrays of a small model. No number is whole or near 0."""
    rng = random.Random(27)
    return {
        name: [
            [round((0.15 + 0.8 * rng.random()) * rng.choice((1, -1)), 2) for _ in range(columns)] for _ in range(rows)
        ]
        for name, (rows, columns) in SHAPES.items()
    }


def tokens_of(name: str) -> list[int]:
    """Return the tokens of a name, with a dot before and after it."""
    return list(map(LETTERS.index, f".{name}."))


def normed(x: str, y: str) -> str:
    """Return a program for torch of `y = norm(x)`."""
    return (
        f"c{x} = {x} - {x}.mean(axis=-1, keepdims=True); "
        f"{y} = c{x} / (mean(c{x} * c{x}, axis=-1, keepdims=True) + 0.00001) ** 0.5"
    )


def logits(n: int, tokens: list[int]) -> list[str]:
    """Return the texts of the nodes of a model for torch. The logits are called y and the number n."""
    length, share = len(tokens), WIDTH // HEADS

    def split(matrix: str) -> str:
        return f"(n{n} @ {matrix}).reshape({length}, {HEADS}, {share}).transpose(1, 0, 2)"

    return [
        f"x{n} = letters[{tokens}] + positions[{list(range(length))}]",
        normed(f"x{n}", f"n{n}"),
        f"q{n} = {split('queries')}",
        f"k{n} = {split('keys')}",
        f"v{n} = {split('values')}",
        f"s{n} = q{n} @ k{n}.transpose(0, 2, 1) * {share**-0.5!r} + later{length}",
        f"e{n} = exp(s{n} - s{n}.max(axis=-1, keepdims=True))",
        f"p{n} = e{n} / e{n}.sum(axis=-1, keepdims=True)",
        f"a{n} = x{n} + (p{n} @ v{n}).transpose(1, 0, 2).reshape({length}, {WIDTH}) @ last",
        normed(f"a{n}", f"r{n}"),
        f"h{n} = a{n} + relu(r{n} @ wide) @ narrow",
        normed(f"h{n}", f"z{n}"),
        f"y{n} = z{n} @ output",
    ]


def later(*lengths: int) -> dict[str, list[list[float]]]:
    """Return for each length the matrix that is added to the scores: far below 0 for later positions."""
    return {f"later{m}": [[-1e9 if j > i else 0.0 for j in range(m)] for i in range(m)] for m in lengths}


def of_tokens(tokens: list[int]) -> Program:
    """Return a program of the logits y0, and of a sum that is computed from them."""
    rng = random.Random(str(tokens))
    c = [[round(rng.uniform(0.2, 3), 2) * rng.choice((1, -1)) for _ in LETTERS] for _ in tokens]
    root = "L = sum(y0 * c)"
    by_torch = "; ".join([*logits(0, tokens), root])
    return program(f"y0 = logits_of({tokens}, {MODEL}); {root}", by_torch, c=c, **later(len(tokens)), **weights())


def loss_of(*names: str, by: str = "") -> Program:
    """Return a program of the loss of some names, or of its product with a leaf."""
    texts: list[str] = []
    terms = []
    every = [tokens_of(name) for name in names]
    count = sum(len(tokens) - 1 for tokens in every)
    for n, (*tokens, end) in enumerate(every):
        targets = [*tokens[1:], end]
        rows = list(range(len(targets)))
        texts += logits(n, tokens)
        texts.append(f"d{n} = y{n} - y{n}.max(axis=1, keepdims=True)")
        texts.append(f"l{n} = sum(log(exp(d{n}).sum(axis=1)) - d{n}[{rows}, {targets}])")
        terms.append(f"l{n}")
    loss, product = ("K", f"; L = K * {by}") if by else ("L", "")
    texts.append(f"{loss} = ({' + '.join(terms)}) / {count}")
    more = {by: -2.5} if by else {}
    lengths = {len(tokens) - 1 for tokens in every}
    made = f"{loss} = loss_of({list(names)}, {MODEL}){product}"
    return program(made, "; ".join(texts) + product, **more, **later(*sorted(lengths)), **weights())


@check("tokens")
def test_the_tokens_of_a_name(engine: EngineUnderCheck) -> None:
    for name in ("a", "ela", "zoe", "anna", ""):
        expected = {f"[{i}]": float(token) for i, token in enumerate(tokens_of(name))}
        engine.returns("tokens_of", name, expected=expected, about=f'tokens_of("{name}")')


@check("logits")
def test_the_logits_and_their_gradients(engine: EngineUnderCheck) -> None:
    engine.agrees(*(of_tokens(tokens_of(name)[:-1]) for name in ("", "a", "el", "anna", "enzo")))
    engine.agrees_again(of_tokens([0, 5, 12]))


@check("loss")
def test_the_loss_of_names(engine: EngineUnderCheck) -> None:
    engine.agrees(loss_of("a"), loss_of("ela"), loss_of("mo", "ella", by="c"), loss_of("io", "io", ""))


@check("adam")
def test_the_first_steps_of_adam(engine: EngineUnderCheck) -> None:
    engine.trains(loss_of("mo"), steps=1, rate=0.1, adam=True)
    engine.trains(loss_of("mo"), steps=3, rate=0.1, adam=True)


@check("training")
def test_the_model_learns_as_torchs_does(engine: EngineUnderCheck) -> None:
    engine.trains(loss_of("ela", "anna", "mo", "leo"), steps=50, rate=0.02, adam=True, cpu_s=8)


DRAWS = (0.31, 0.72, 0.15, 0.94, 0.55)


@cache
def sampled(draws: tuple[float, ...]) -> list[int]:
    """Return the tokens that the model of the checks chooses."""
    tokens = [0]
    for draw in draws:
        p = of_tokens(tokens)
        row = p.numbers_of("y0", p.values)[-len(LETTERS) :]
        weights = [math.exp(logit - max(row)) for logit in row]
        ends = list(itertools.accumulate(weight / sum(weights) for weight in weights))
        tokens.append(next(token for token, end in enumerate(ends) if end > draw))
        if not tokens[-1]:
            break
    return [token for token in tokens[1:] if token]


@check("sample")
def test_names_of_the_model(engine: EngineUnderCheck) -> None:
    model: list[Any] = ["letters", "positions", 2, ["queries", "keys", "values", "last"], ["wide", "narrow"], "output"]
    leaves = program("L = " + " + ".join(f"sum({name})" for name in SHAPES), **weights())
    for draws in (DRAWS[:1], DRAWS[:3], DRAWS, (0.31, 0.72, 0.001, 0.5)):
        engine.returns_from("sample", list(draws), *model, on=leaves, expected=sampled(draws))
