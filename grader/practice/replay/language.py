"""Train the language model of a learner's file, and draw names from it. The replay page shows the result."""

import math
import random
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as with_fields
from typing import TypeAlias

from msgspec.structs import replace

from ...base.text import plain
from ...course.load import Limits
from ...course.program import Program, program
from ...runner.client import Host, Observed, Run, Source, ask
from ...runner.sandbox import Started
from ...words.practice import ENGINE_NOT_PASSED, ENGINE_WITHOUT_VALUE
from .model import Model, Probabilities, ReplayProblem, Trained
from .record import FileToReplay, defines, finite_number, outcome_alone

LETTERS = ".aeln"
NAMES = ("ela", "anna", "lea", "nela", "lena", "alan")
STEPS = 60
RATE = 0.7
_NUMBERS, _NEURONS = 2, 4  # the numbers in an embedding, and the neurons
_CPU_S = 10.0
_DRAWN = 12  # names that are drawn
_LONGEST = 12  # letters of a drawn name
_FUNCTIONS = ("logits_of", "loss_of", "train")
_CLASS = re.compile(r"^class Value\b", re.MULTILINE)
Parameters: TypeAlias = Mapping[str, list[list[float]]]
_INDICES = range(len(LETTERS))
_CONTEXTS = [(0, 0), *((a, b) for a in _INDICES for b in _INDICES if b)]  # a dot comes only before letters


def is_language_model(text: str) -> bool:
    """Return whether a file defines the functions of a language model, and the class of its single numbers."""
    return all(defines(text, name) for name in _FUNCTIONS) and _CLASS.search(text) is not None


def record_model(
    warm: Started | Host, limits: Limits, file: FileToReplay, engine: Source | None, *, passes: bool = True
) -> Model:
    """Train the model of a learner's file, with the engine of this file, and then with the engine of another file.

    Args:
        engine: a file with a class `Value`, which replaces the one in the learner's file; None for no such file.
        passes: whether that file passes the checks of its own exercise. If not, it is not run.

    Raises:
        WorkerGone: the sandbox has died. The learner's code never causes an error here.
    """
    *_, model = trained_models(warm, limits, file)
    return model if engine is None else replace(model, own=_with_engine(warm, limits, file, engine, passes))


def trained_models(
    warm: Started | Host, limits: Limits, file: FileToReplay, rate: float = RATE, together: int | None = None
) -> Iterator[Model]:
    """Train the model of a learner's file, and yield it after each part of the steps. The last one is fully trained.

    Args:
        rate: the learning rate.
        together: the number of steps of a part; None for all.

    Raises:
        WorkerGone: the sandbox has died. The learner's code never causes an error here.
    """
    parameters: Parameters = _PARAMETERS
    losses: tuple[float | None, ...] = ()
    seconds = 0.0
    while parameters and len(losses) < STEPS:
        part, parameters = _trained(warm, limits, file, parameters, min(together or STEPS, STEPS - len(losses)), rate)
        losses += part.losses
        seconds += part.seconds
        rows = _probabilities(warm, limits, file, parameters) if parameters else ()
        yield Model(
            source=plain(file.name),
            names=NAMES,
            letters=LETTERS,
            rate=rate,
            guessing=math.log(len(LETTERS)),
            trained=Trained(losses, seconds, part.problem),
            rows=rows,
            drawn=_drawn(rows) if rows else (),
            own=None,
        )


# -- training


def _start(*parts: tuple[str, int, int]) -> dict[str, list[list[float]]]:
    """Return the parameters before training: the name, the number and the length of the rows of each part."""
    # the same start for everybody, so that two runs can be compared
    chance = random.Random("names")
    return {
        name: [[round(chance.uniform(0.1, 1) * chance.choice((-1, 1)), 2) for _ in range(length)] for _ in range(rows)]
        for name, rows, length in parts
    }


_PARAMETERS = _start(
    ("embedding", len(LETTERS), _NUMBERS),
    ("hidden", _NEURONS, 2 * _NUMBERS + 1),
    ("output", len(LETTERS), _NEURONS + 1),
)


def _program(text: str, made: Sequence[str], parameters: Parameters) -> Program:
    """Return a program of nodes that the file makes. The oracle is not asked about it, so `truth` is any program."""
    return program(text, "; ".join(f"{name} = output[0][0] * 1" for name in made), **parameters)


def _trained(
    warm: Started | Host, limits: Limits, file: FileToReplay, parameters: Parameters, steps: int, rate: float
) -> tuple[Trained, Parameters]:
    """Return how some steps of training went, and the parameters after them; no parameters if they did not end."""
    loss = _program(f"L = loss_of({list(NAMES)}, embedding, hidden, output)", ["L"], parameters)
    began = time.perf_counter()
    outcome = outcome_alone(warm, limits, file, Run(loss, (ask.Train(loss.root, steps, rate), ask.VALUES)), _CPU_S)
    seconds = time.perf_counter() - began
    if isinstance(outcome, ReplayProblem):
        return Trained(losses=(), seconds=seconds, problem=outcome.text), {}
    (returned,), (values,) = outcome.called, outcome.values
    losses = tuple(map(finite_number, returned.numbers or ()))
    numbers = list(map(finite_number, values[: len(loss.leaves)]))
    after = iter(numbers)
    moved = {name: [[next(after) for _ in row] for row in rows] for name, rows in parameters.items()}
    # a training that broke off, or that left no numbers, has no probabilities to show
    whole = None not in numbers and len(losses) == steps
    return Trained(losses, seconds, ""), moved if whole else {}  # type: ignore[return-value]


def _probabilities(
    warm: Started | Host, limits: Limits, file: FileToReplay, parameters: Parameters
) -> tuple[Probabilities, ...]:
    """Return the probabilities of the next letter in each context; nothing if the file does not compute its logits."""
    made = [[f"l{a}{b}_{k}" for k in _INDICES] for a, b in _CONTEXTS]
    calls = [
        f"{', '.join(names)} = logits_of([{a}, {b}], embedding, hidden, output)"
        for names, (a, b) in zip(made, _CONTEXTS, strict=True)
    ]
    logits_of_all = _program("; ".join(calls), [name for names in made for name in names], parameters)
    outcome = outcome_alone(warm, limits, file, Run(logits_of_all, (ask.VALUES,)), _CPU_S)
    if isinstance(outcome, ReplayProblem):
        return ()
    (values,) = outcome.values
    rows = []
    for names, (a, b) in zip(made, _CONTEXTS, strict=True):
        row = probabilities(LETTERS[a] + LETTERS[b], [values[logits_of_all.index[name]] for name in names])
        if row is None:
            return ()
        rows.append(row)
    return tuple(rows)


def probabilities(context: str, logits: Iterable[Observed]) -> Probabilities | None:
    """Return the probabilities of the next letter after a context; None if a logit is not finite."""
    seen = [finite_number(one) for one in logits]
    numbers = [one for one in seen if one is not None]
    if len(numbers) < len(seen):
        return None
    # minus the largest, as usual for a softmax, so that no number overflows
    exps = [math.exp(one - max(numbers)) for one in numbers]
    return Probabilities(context, tuple(one / sum(exps) for one in exps))


# -- drawing names


def _drawn(rows: Sequence[Probabilities]) -> tuple[str, ...]:
    """Return names that are drawn letter by letter from the probabilities, always the same ones."""
    chance, of_context = random.Random("draw"), {row.context: row.probabilities for row in rows}
    names = []
    for _ in range(_DRAWN):
        # two dots are the context of the first letter
        text = LETTERS[0] * 2
        while len(text) < _LONGEST + 2:
            (letter,) = chance.choices(LETTERS, of_context[text[-2:]])
            if letter == LETTERS[0]:
                break
            text += letter
        names.append(text[2:])
    return tuple(names)


# -- the learner's own engine


def _with_engine(warm: Started | Host, limits: Limits, file: FileToReplay, engine: Source, passes: bool) -> Trained:
    """Return how training goes with the class `Value` of another file."""
    if not passes:
        return Trained((), 0.0, ENGINE_NOT_PASSED)
    if not re.search(r"^class Value\b", engine.text, re.M):
        return Trained((), 0.0, ENGINE_WITHOUT_VALUE)
    trained, _ = _trained(warm, limits, on_engine(file, engine), _PARAMETERS, STEPS, RATE)
    return trained


def on_engine(file: FileToReplay, engine: Source) -> FileToReplay:
    """Return a learner's file with the class `Value` of another file, the learner's own engine."""
    return with_fields(file, source=joined(file.source, engine))


def joined(source: Source, engine: Source) -> Source:
    """Return a file with the class `Value` of another one in place of its own.

    Both texts run in one sandboxed process. Nothing that runs here has points: checks run the file alone.
    """
    # in a namespace of its own, so that no other name of that file replaces one of this file
    text = f"{source.text}\n\n_engine = {{'__name__': __name__}}\nexec({engine.text!r}, _engine)\n"
    return replace(source, text=f"{text}Value = _engine['Value']\n", cells=())
