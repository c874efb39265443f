"""Train the transformer of a learner's file, and let it make names. The replay page shows the result."""

import contextlib
import itertools
import math
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ...base.files import yaml_texts
from ...base.text import plain
from ...course.load import Limits
from ...course.program import Program, ProgramError, program
from ...runner.client import Called, Host, Run, ask
from ...runner.sandbox import Started
from .language import Parameters, probabilities
from .model import Attention, Model, Probabilities, ReplayProblem, Trained
from .record import FileToReplay, defines, finite_number, outcome_alone

DOT, LETTERS = ".", ".abcdefghijklmnopqrstuvwxyz"
STEPS = 60  # as many losses as an answer holds
RATE = 0.05
TOGETHER = 16  # names in the loss of each step
LONGEST = 11  # letters of a name
_POSITIONS, _WIDTH, _WIDE, _HEADS = LONGEST + 1, 8, 16, 2
PARTS = (4, 8, 15, 30)  # steps after which a page shows a model whose training goes on
_CPU_S = 30.0
_DRAWN = 14  # names that the model makes
_LISTED = 4  # names whose beginnings have a row of probabilities
_FUNCTIONS = ("tokens_of", "logits_of", "loss_of", "train", "sample")
_CLASS = re.compile(r"^class Tensor\b", re.MULTILINE)
_NAMES = Path(__file__).resolve().parent / "names.yaml"
_WORD = re.compile(r"[^\W\d_]+")
_MODEL = f"letters, positions, {_HEADS}, [queries, keys, values, last], [wide, narrow], output"
_SHAPES = {
    "letters": (len(LETTERS), _WIDTH),
    "positions": (_POSITIONS, _WIDTH),
    **dict.fromkeys(("queries", "keys", "values", "last"), (_WIDTH, _WIDTH)),
    "wide": (_WIDTH, _WIDE),
    "narrow": (_WIDE, _WIDTH),
    "output": (_WIDTH, len(LETTERS)),
}
_ROOT = f"root = {' + '.join(f'sum({name})' for name in _SHAPES)}"  # has every parameter


def is_transformer(text: str) -> bool:
    """Return whether a file defines the functions of a transformer, and the class of its arrays."""
    return all(defines(text, name) for name in _FUNCTIONS) and _CLASS.search(text) is not None


@cache
def own_names() -> tuple[str, ...]:
    """Return the names that the course has."""
    return names_of(str(yaml_texts(_NAMES.read_bytes())))


def names_of(text: str) -> tuple[str, ...]:
    """Return the different words of a text, in lower case, in an order by chance that is always the same.

    Words with other letters than those from a to z, and those with more than `LONGEST` letters, are left out.
    """
    words = dict.fromkeys(_WORD.findall(text.lower()))
    names = sorted(word for word in words if len(word) <= LONGEST and set(word) <= set(LETTERS))
    random.Random("order").shuffle(names)
    return tuple(names)


def trained_transformers(
    warm: Started | Host,
    limits: Limits,
    file: FileToReplay,
    names: Sequence[str] = (),
    rate: float = RATE,
    parts: Sequence[int] = (),
) -> Iterator[Model]:
    """Train the transformer of a learner's file, and yield it after some of the steps, and after all.

    Adam keeps its means in the learner's `train`. So what is shown earlier is trained from the start, too.

    Args:
        names: the names to learn from, at least one; by default those of the course. Those for which there are too few
            steps are left out.
        rate: the learning rate.
        parts: the numbers of steps after which it is shown, too.

    Raises:
        WorkerGone: the sandbox has died. The learner's code never causes an error here.
    """
    names = tuple(names or own_names())[: STEPS * TOGETHER]
    for steps in (*parts, STEPS):
        trained, parameters = _trained(warm, limits, file, names, steps, rate)
        rows: tuple[Probabilities, ...] = ()
        drawn: tuple[str, ...] = ()
        attention = None
        # numbers may have become so large that no program can have them
        with contextlib.suppress(ProgramError):
            rows = _probabilities(warm, limits, file, names[:_LISTED], parameters) if parameters else ()
            if rows:
                drawn = _made(warm, limits, file, parameters)
                attention = _attention(max(names[:_LISTED], key=len), parameters)
        yield Model(
            source=plain(file.name),
            names=names,
            letters=LETTERS,
            rate=rate,
            guessing=math.log(len(LETTERS)),
            trained=trained,
            rows=rows,
            drawn=drawn,
            own=None,
            pairs=_loss_of_pairs(names),
            together=min(TOGETHER, len(names)),
            attention=attention,
        )
        if trained.problem:
            return


# -- training


@cache
def _start() -> Parameters:
    """Return the parameters before training, the same for everybody."""
    chance = random.Random("transformer")
    return {
        name: [[round(chance.gauss(0, 0.2), 3) for _ in range(columns)] for _ in range(rows)]
        for name, (rows, columns) in _SHAPES.items()
    }


def _program(text: str, alike: str, parameters: Parameters) -> Program:
    """Return a program of arrays that the file makes.

    The oracle is not asked about it, so `alike` is any program of the same names and shapes.
    """
    return program(f"{text}; {_ROOT}", f"{alike}; {_ROOT}", **parameters)


def _trained(
    warm: Started | Host, limits: Limits, file: FileToReplay, names: Sequence[str], steps: int, rate: float
) -> tuple[Trained, Parameters]:
    """Return how training went, and the parameters after it; no parameters if it did not end."""
    each = min(TOGETHER, len(names))
    # as many losses as there are until the first one comes again: after the last name, a step goes on with the first
    losses = [f"L{at}" for at in range(min(steps, math.lcm(len(names), each) // each))]
    turns = itertools.cycle(names)
    calls = (f"{loss} = loss_of({list(itertools.islice(turns, each))}, {_MODEL})" for loss in losses)
    sums = "; ".join(f"{loss} = sum(output) * {at}" for at, loss in enumerate(losses))
    asked = _program("; ".join(calls), sums, _start())
    places = [asked.index[loss] for loss in losses]
    began = time.perf_counter()
    train = ask.Train(places[0], steps, rate, places)
    outcome = outcome_alone(warm, limits, file, Run(asked, (train, ask.VALUES)), _CPU_S)
    seconds = time.perf_counter() - began
    if isinstance(outcome, ReplayProblem):
        return Trained((), seconds, outcome.text), {}
    (returned,), (values,) = outcome.called, outcome.values
    found = tuple(map(finite_number, returned.numbers or ()))
    moved = {name: [finite_number(one) for one in asked.numbers_of(name, values)] for name in _SHAPES}
    # a training that broke off, or that left no numbers, has no probabilities to show
    whole = len(found) == steps and not any(None in numbers for numbers in moved.values())
    rows = {
        name: [numbers[at : at + width] for at in range(0, len(numbers), width)]
        for (name, numbers), (_, width) in zip(moved.items(), _SHAPES.values(), strict=True)
    }
    return Trained(found, seconds, ""), rows if whole else {}  # type: ignore[return-value]


def _loss_of_pairs(names: Sequence[str]) -> float:
    """Return the mean loss of all predictions in the names, with the probabilities of the pairs of letters in them.

    It is the smallest loss that a bigram model can have on these names: the conditional entropy of a letter.
    """
    pairs = Counter(pair for name in names for pair in itertools.pairwise(f"{DOT}{name}{DOT}"))
    firsts = Counter[str]()
    for (first, _), count in pairs.items():
        firsts[first] += count
    return -sum(count * math.log(count / firsts[first]) for (first, _), count in pairs.items()) / pairs.total()


# -- what the trained model does


def _tokens(name: str) -> list[int]:
    return [LETTERS.index(letter) for letter in f"{DOT}{name}"]


def _probabilities(
    warm: Started | Host, limits: Limits, file: FileToReplay, names: Sequence[str], parameters: Parameters
) -> tuple[Probabilities, ...]:
    """Return the probabilities after each beginning of some names; nothing if the file does not compute its logits."""
    calls = "; ".join(f"y{at} = logits_of({_tokens(name)}, {_MODEL})" for at, name in enumerate(names))
    alike = "; ".join(f"y{at} = letters[{_tokens(name)}] @ output" for at, name in enumerate(names))
    asked = _program(calls, alike, parameters)
    outcome = outcome_alone(warm, limits, file, Run(asked, (ask.VALUES,)), _CPU_S)
    if isinstance(outcome, ReplayProblem):
        return ()
    (values,) = outcome.values
    rows: dict[str, Probabilities] = {}
    for at, name in enumerate(names):
        logits = asked.numbers_of(f"y{at}", values)
        for place in range(len(name) + 1):
            context = f"{DOT}{name[:place]}"
            row = probabilities(context, logits[place * len(LETTERS) : (place + 1) * len(LETTERS)])
            if row is None:
                return ()
            rows[context] = row
    return tuple(rows.values())


def _made(warm: Started | Host, limits: Limits, file: FileToReplay, parameters: Parameters) -> tuple[str, ...]:
    """Return names that the file's own `sample` makes from numbers by chance, always the same ones."""
    asked = program(_ROOT, **parameters)
    at = asked.index
    chance = random.Random("draw")
    model: list[ask.Argument] = [
        ("node", at["letters"]),
        ("node", at["positions"]),
        ("number", _HEADS),
        ("nodes", [at[name] for name in ("queries", "keys", "values", "last")]),
        ("nodes", [at[name] for name in ("wide", "narrow")]),
        ("node", at["output"]),
    ]
    draws = [[chance.random() for _ in range(LONGEST)] for _ in range(_DRAWN)]
    calls = [ask.CallFunction("sample", [("numbers", numbers), *model]) for numbers in draws]
    outcome = outcome_alone(warm, limits, file, Run(asked, (*calls,)), _CPU_S)
    return () if isinstance(outcome, ReplayProblem) else tuple(_name(called) for called in outcome.called)


def _name(called: Called) -> str:
    """Return the name of the tokens that a learner's function returned. What is no token is a question mark."""
    known = {float(index): letter for index, letter in enumerate(LETTERS)}
    return "".join(known.get(one, "?") if isinstance(one, float) else "?" for one in called.numbers or ())


def _attention(name: str, parameters: Parameters) -> Attention | None:
    """Return the weights of a correct attention layer with these parameters, for each head; None if one is not finite.

    Raises `ProgramError` for parameters with which it cannot be computed.
    """
    count, share = len(name) + 1, _WIDTH // _HEADS

    def split(matrix: str) -> str:
        return f"(n @ {matrix}).reshape({count}, {_HEADS}, {share}).transpose(1, 0, 2)"

    later = [[-1e9 if column > row else 0.0 for column in range(count)] for row in range(count)]
    computed = program(
        f"x = letters[{_tokens(name)}] + positions[{list(range(count))}]; c = x - x.mean(axis=-1, keepdims=True); "
        f"n = c / ((c * c).mean(axis=-1, keepdims=True) + 0.00001) ** 0.5; q = {split('queries')}; "
        f"k = {split('keys')}; s = q @ k.transpose(0, 2, 1) * {share**-0.5!r} + later; "
        "e = exp(s - s.max(axis=-1, keepdims=True)); p = e / e.sum(axis=-1, keepdims=True); L = sum(p)",
        later=later,
        **{name: parameters[name] for name in ("letters", "positions", "queries", "keys")},
    )
    weights = computed.numbers_of("p", computed.values)
    if not all(map(math.isfinite, weights)):
        return None
    rows = [tuple(weights[at : at + count]) for at in range(0, len(weights), count)]
    return Attention(f"{DOT}{name}", tuple(tuple(rows[at : at + count]) for at in range(0, len(rows), count)))
