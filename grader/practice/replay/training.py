"""Train what the file of an exercise can train, a few steps at a time, for someone who watches."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ...course.load import Limits
from ...course.program import Program, program
from ...runner.client import Host, Run, Source, ask
from ...runner.sandbox import Started
from ...words.practice import MODEL_OF_NAMES, chain_title
from ..site_data import SiteTraining
from . import transformer
from .landscape import record_training
from .language import RATE, is_language_model, on_engine, trained_models
from .model import Played, ReplayProblem, Thermometer
from .presets import trainings
from .record import FileToReplay, defines, finite_number, outcome_alone, thermometer

_TRANSFORMER = "transformer"
_TOGETHER = 3  # steps of a language model, after which it is shown
_LAYERS = 10
_CHAINS = ("deep", "residual")  # the functions that make layers
_SIZES = {f"weights-{size:g}": size for size in (0.1, 0.5, 1.0)}  # the weights to begin with, by the id of the training
_CHAIN_RATE, _CHAIN_STEPS = 0.02, 60
_INPUT, _TARGET = 1.0, 0.5
_CPU_S = 1.0


def offered(text: str) -> tuple[SiteTraining, ...]:
    """Return what a file with these functions can train; nothing for most files."""
    if is_language_model(text):
        return (SiteTraining("names", MODEL_OF_NAMES, RATE, engines=True),)
    if transformer.is_transformer(text):
        return (SiteTraining(_TRANSFORMER, MODEL_OF_NAMES, transformer.RATE),)
    if all(defines(text, name) for name in _CHAINS):
        return tuple(SiteTraining(id, chain_title(f"{size:g}"), _CHAIN_RATE) for id, size in _SIZES.items())
    if defines(text, "train") and defines(text, "__pow__") and defines(text, "tanh"):
        return tuple(SiteTraining(one.id, one.title, one.rate) for one in trainings())
    return ()


def trained(
    warm: Started | Host, limits: Limits, file: FileToReplay, training: str, rate: float, engine: Source | None = None
) -> Iterator[Played]:
    """Train with the learner's code, and yield what there is to show after each part. The last one is complete.

    Args:
        training: the id of what `offered` returned for this file.
        rate: the learning rate.
        engine: a file whose class `Value` a language model is to use; None for the one in its own file.

    Raises:
        WorkerGone: the sandbox has died. The learner's code never causes an error here.
    """
    if training == _TRANSFORMER:
        for model in transformer.trained_transformers(warm, limits, file, rate=rate, parts=transformer.PARTS):
            yield Played((), model=model)
        return
    if training in _SIZES:
        yield from _chains(warm, limits, file, _SIZES[training], rate)
        return
    for one in trainings():
        if one.id == training:
            subject = one.subject
            assert subject.training is not None
            asked = replace(subject.training, rate=rate)
            yield Played((), landscape=record_training(warm, limits, file, one.title, asked))
            return
    on = on_engine(file, engine) if engine else file
    for model in trained_models(warm, limits, on, rate, _TOGETHER):
        yield Played((), model=model)


# -- chains of layers, whose weights learn to give one number


def _chains(warm: Started | Host, limits: Limits, file: FileToReplay, size: float, rate: float) -> Iterator[Played]:
    """Train a chain of each kind from equal weights, and yield the gradients and the losses after each step."""
    weights = {name: dict.fromkeys(_WEIGHTS, size) for name in _CHAINS}
    shown: dict[str, Thermometer] = {}
    problems: dict[str, str] = {}
    for _ in range(_CHAIN_STEPS):
        for name in _CHAINS:
            if name in problems:
                continue
            loss = _loss(name, weights[name])
            run = Run(loss, (ask.Backward(loss.root), ask.VALUES, ask.GRADS))
            ran = outcome_alone(warm, limits, file, run, _CPU_S)
            if isinstance(ran, ReplayProblem):
                problems[name] = ran.text
                continue
            seen = thermometer(chain_title(f"{size:g}"), loss, ran.grads[0], lambda asked: None)
            before = shown[name].losses if name in shown else ()
            reached = finite_number(ran.values[0][loss.root])
            shown[name] = replace(seen, values={"x": _INPUT}, losses=(*before, reached))
            # the step itself is given, so that the exercise needs no `train`
            for weight, value in weights[name].items():
                grad = finite_number(ran.grads[0][loss.index[weight]])
                weights[name][weight] = value - rate * (grad or 0.0)
        yield Played((), thermometers=tuple(shown.values()), note=" ".join(dict.fromkeys(problems.values())))
        if len(problems) == len(_CHAINS):
            return


_WEIGHTS = tuple(f"w{k}" for k in range(1, _LAYERS + 1))
_OUTPUTS = tuple(f"h{k}" for k in range(1, _LAYERS + 1))
_ERROR = f"d = {_OUTPUTS[-1]} + {-_TARGET}; L = d * d"


def _loss(function: str, weights: Mapping[str, float]) -> Program:
    """Return a program of a chain that a function of the file makes, and of the square of its error."""
    added = "" if function == "deep" else "{before} + "
    layer = "{h} = " + added + "tanh({w} * {before})"
    befores = ("x", *_OUTPUTS)
    right = (layer.format(h=h, w=w, before=b) for h, w, b in zip(_OUTPUTS, _WEIGHTS, befores, strict=False))
    text = f"{', '.join(_OUTPUTS)} = {function}(x, [{', '.join(_WEIGHTS)}]); {_ERROR}"
    return program(text, "; ".join([*right, _ERROR]), x=_INPUT, **weights)
