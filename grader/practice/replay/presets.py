"""Choose what `grade play` shows: a preset, an expression or a training run. The presets are in `presets.yaml`."""

import ast
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec

from ...base.files import UserError, yaml_texts
from ...base.text import did_you_mean, plain
from ...course.load import Check, Course, Exercise, Limits
from ...course.program import FUNCTIONS, Program, ProgramError, program
from ...runner.client import Batch, Broke, Host, Read, Run, ask
from ...runner.sandbox import Warm
from ...verdict.checks import MOST_PARAMETERS, MOST_STEPS, Training
from ...words import practice
from ...words.practice import no_landscape
from ..workspace import find_exercise
from .model import Grid, Landscape, Played, ReplayProblem, Step, Thermometer, finite, forward, right_pass
from .record import AnswerOf, FileToReplay, Subject, ended_early, finite_number, record, run_alone, subject_of

_FILE = Path(__file__).resolve().parent / "presets.yaml"


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named program. `values` are the values of its leaves."""

    id: str
    title: str
    program: str
    values: dict[str, float]

    @property
    def subject(self) -> Subject:
        """Return the program in the form in which it is replayed."""
        return subject_of(self.parsed, self.title, self.id)

    @property
    def parsed(self) -> Program:
        return program(self.program, **self.values)


class TrainingPreset(Preset, frozen=True, forbid_unknown_fields=True):
    """A loss to minimise by gradient descent, with a number of steps and a learning rate."""

    rate: float
    steps: int

    @property
    def subject(self) -> Subject:
        """Return the loss in the form in which it is replayed, and the training."""
        return replace(subject_of(self.parsed), title=self.title, training=Training(self.parsed, self.steps, self.rate))


class _Presets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    presets: tuple[Preset, ...]
    landscapes: tuple[TrainingPreset, ...]


def presets() -> tuple[Preset, ...]:
    """Return the named programs."""
    return _read().presets


def trainings() -> tuple[TrainingPreset, ...]:
    """Return the named losses."""
    return _read().landscapes


@cache
def _read() -> _Presets:
    return msgspec.convert(yaml_texts(_FILE.read_bytes()), _Presets, strict=False)


# -- Record the steps of a learner's own gradient descent, and the loss around them

_CURVE = 201  # points of a curve
_GRID = 41  # points of a grid in each direction
_MARGIN = 0.25  # the margin around the steps, as a fraction of their extent
_FAR = 2.0  # the distance, as a fraction of the correct steps' extent, beyond which steps are not shown
_LEAST = 0.5  # the margin on each side of a single point
_CALLS = 1_000_000


def record_training(warm: Warm | Host, limits: Limits, file: FileToReplay, title: str, training: Training) -> Landscape:
    """Run the `train` of a learner's file on a loss, and return its steps and the loss around them.

    `train` runs once for each number of steps, always from the start, and the parameters are read afterwards. The loss
    of a step is the one that `train` returns for it. After the last step, the loss is computed from the parameters.

    Raises:
        ProgramError: there are too many steps or parameters.
        WorkerGone: the sandbox has died. The learner's code never causes an error here.
    """
    loss, steps, rate = training.loss, training.steps, training.rate
    if not 1 <= steps <= MOST_STEPS or len(loss.leaves) > MOST_PARAMETERS:
        raise ProgramError(no_landscape(loss.text, MOST_STEPS, MOST_PARAMETERS))
    first = ask.Preload(training.before)
    runs = tuple(Run(loss, (first, ask.Train(loss.root, taken, rate), ask.VALUES)) for taken in range(1, steps + 1))
    # the steps of the learner's code
    answer = run_alone(warm, limits, file, Batch(runs, min(limits.calls, _CALLS), limits.cpu_s, (0,)))
    taken, problem = _steps(file, loss, answer) if isinstance(answer, Read) else ((), answer)
    # the right steps, and the part of the landscape that shows both
    reference = _descent(loss, rate, steps)
    points = [_point(step) for step in reference]
    # steps that diverge would make everything else too small to see
    near = [_extent(axis, _FAR) for axis in zip(*points, strict=True)]
    points += [point for step in taken if None not in step.values and _inside(point := _point(step), near)]
    axes = [_extent(axis, _MARGIN) for axis in zip(*points, strict=True)]
    return Landscape(
        title=plain(title),
        program=plain(loss.text),
        source=file.shown,
        parameters=tuple(plain(leaf.name) for leaf in loss.leaves),
        rate=rate,
        steps=taken,
        reference=reference,
        curve=tuple((x, _loss(loss, [x])) for x in _between(axes[0], _CURVE)) if len(axes) == 1 else (),
        grid=_grid(loss, *axes) if len(axes) == 2 else None,
        problem=problem,
        asked="expected",
    )


def record_all(
    warm: Warm | Host,
    limits: Limits,
    file: FileToReplay,
    first: Subject | None,
    others: Sequence[Subject],
    answers: AnswerOf,
    thermometers: tuple[Thermometer, ...] = (),
) -> Played:
    """Record the programs as `record` does, and the training of the first one if it has any. Raises the same errors.

    If functions of the file build the graph of the first program, the others are left out. They would show the engine
    that is given in this file.

    Args:
        thermometers: those of the checks. If there are any, they are shown without replays.
    """
    if thermometers:
        return Played((), thermometers=thermometers)
    if first is not None and first.program.truth:
        others = ()
    landscape = None
    if first is not None and first.training is not None:
        landscape = record_training(warm, limits, file, first.title, first.training)
    replays = record(warm, limits, file, first, others, answers) if first is not None or others else ()
    return Played(replays, landscape)


def _steps(file: FileToReplay, loss: Program, answer: Read) -> tuple[tuple[Step, ...], ReplayProblem | None]:
    """Return the steps that the learner's code took, and the problem that ended it early, or None."""
    places = [loss.index[leaf.name] for leaf in loss.leaves]
    at: list[tuple[float | None, ...]] = [tuple(finite(leaf.value) for leaf in loss.leaves)]
    losses: list[float | None] = []
    problem = None
    for outcome in answer.seeds[0]:
        if outcome is None or isinstance(outcome, Broke):
            problem = ended_early(outcome, file, "backward")
            break
        (returned,), (values,) = outcome.called, outcome.values
        at.append(tuple(finite_number(values[place]) for place in places))
        # a longer training repeats the losses of a shorter one, so the last list has all of them
        losses = list(map(finite_number, returned.numbers or ()))
    if len(at) == 1:
        return (), problem
    last = None if None in at[-1] else _loss(loss, [one or 0.0 for one in at[-1]])
    losses = [*losses[: len(at) - 1], *[None] * (len(at) - 1 - len(losses)), last]
    return tuple(Step(values, one) for values, one in zip(at, losses, strict=True)), problem


def _descent(loss: Program, rate: float, steps: int) -> tuple[Step, ...]:
    """Return the steps of correct gradient descent."""
    places = [loss.index[leaf.name] for leaf in loss.leaves]
    found = []
    values = [leaf.value for leaf in loss.leaves]
    for _ in range(steps + 1):
        right = right_pass(loss.with_leaves(values))
        found.append(Step(tuple(finite(one) for one in values), finite(right.values[loss.root])))
        values = [one - rate * right.grads[place] for one, place in zip(values, places, strict=True)]
    return tuple(found)


def _loss(loss: Program, values: Sequence[float]) -> float | None:
    return finite(forward(loss.with_leaves(values))[loss.root])


def _grid(loss: Program, x: tuple[float, float], y: tuple[float, float]) -> Grid:
    columns, rows = _between(x, _GRID), _between(y, _GRID)
    return Grid(columns, rows, tuple(tuple(_loss(loss, [one, other]) for one in columns) for other in rows))


def _point(step: Step) -> list[float]:
    """Return the parameters of a step. A number that is not finite counts as 0."""
    return [0.0 if one is None else one for one in step.values]


def _inside(point: Sequence[float], ranges: Sequence[tuple[float, float]]) -> bool:
    return all(low <= one <= high for one, (low, high) in zip(point, ranges, strict=True))


def _extent(values: Sequence[float], margin: float) -> tuple[float, float]:
    """Return a range around values, with a margin that is a fraction of their extent."""
    low, high = min(values), max(values)
    # all points in one place have no extent
    more = margin * (high - low) or _LEAST
    return low - more, high + more


def _between(ends: tuple[float, float], count: int) -> tuple[float, ...]:
    low, high = ends
    return tuple(low + (high - low) * i / (count - 1) for i in range(count))


# -- The words of `grade play`: an exercise and a check, a preset, an expression, or a training run

FILES = (".py", ".ipynb")  # the ends of the names of a learner's files
_RATE, _STEPS = 0.1, 20  # for a training run on an expression
_VALUE = re.compile(r"([^\W\d]\w*)=([^=].*)", re.DOTALL)
_OF_EXPRESSION = re.compile(r"[-+*/()=;@%\s]")


def named_exercise(course: Course, words: Sequence[str]) -> Exercise | None:
    """Return the exercise that the first word names, or None for a preset or an expression.

    Raises `UserError` for any other word.
    """
    word = words[0]
    if is_program(words):
        return None
    try:
        return find_exercise(course, word)
    except UserError as error:
        names = [preset.id for preset in presets()]
        raise UserError(practice.unknown_word(str(error), names, did_you_mean(word, names))) from None


def is_program(words: Sequence[str]) -> bool:
    """Return whether words are a preset, or an expression and the values of its leaves."""
    return words[0] in {preset.id for preset in presets()} or _is_expression(words)


def _is_expression(words: Sequence[str]) -> bool:
    """Return whether words are an expression with values of its leaves, and not the name of an exercise or a file."""
    # without values, an operator makes a word an expression, but a file's name may have a `-`
    has_values = any(_VALUE.fullmatch(word) for word in words[1:])
    return has_values or bool(_OF_EXPRESSION.search(words[0]) and not words[0].endswith(FILES))


def named_check(exercise: Exercise, words: Sequence[str]) -> Check | None:
    """Return the check that the first of `words` names by its number or id, or None. Raises `UserError`."""
    if not words:
        return None
    word = words[0]
    ids = [check.id for check in exercise.checks]
    if len(words) > 1:
        raise UserError(practice.too_many_words(exercise.id, words[1]))
    if word.isdecimal() and 1 <= int(word) <= len(ids):
        check = exercise.checks[int(word) - 1]
    elif word in ids:
        check = exercise.checks[ids.index(word)]
    else:
        raise UserError(practice.no_check(exercise.id, ids, word))
    # a replay shows the program, which the course hides
    if check.visibility != "visible" and check.detail != "full":
        raise UserError(practice.hidden_check(check.id))
    return check


def named_subject(words: Sequence[str]) -> Subject:
    """Return the named preset, or the expression with the values of its leaves.

    Raises `UserError` or `ProgramError`.
    """
    preset = next((preset for preset in presets() if preset.id == words[0]), None)
    if preset is None:
        return subject_of(_parsed(words))
    if len(words) > 1:
        raise UserError(practice.preset_with_numbers(preset.id, words[1]))
    return preset.subject


def _parsed(words: Sequence[str]) -> Program:
    """Return the program of an expression and `name=value` words. Raises `UserError` or `ProgramError`."""
    text, *others = words
    values: dict[str, float] = {}
    for word in others:
        match = _VALUE.fullmatch(word)
        if match is None:
            raise UserError(practice.no_value(word))
        name, number = match.groups()
        try:
            values[name] = float(number)
        except ValueError:
            raise UserError(practice.no_number(word, number)) from None
    missing = [name for name in _names(text) if name not in values]
    if missing:
        program(text, **values, **dict.fromkeys(missing, 2.0))  # raises for a text that no values complete
        example = " ".join([shlex.quote(text), *others, *(f"{name}=2" for name in missing)])
        raise UserError(practice.values_missing(missing, f"grade play {example}"))
    return program(text, **values)


def _names(text: str) -> list[str]:
    """Return the names of the leaves in an expression, sorted; no names for a text that is not an expression."""
    try:
        # `;` separates the assignments of a program; the names that it assigns are no leaves
        tree = ast.parse(text.replace(";", "\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return sorted({node.id for node in names} - made - set(FUNCTIONS) - _called(tree))


def _called(tree: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


def named_training(words: Sequence[str]) -> TrainingPreset:
    """Return the named training run, the last available one without words, or one with an expression as the loss."""
    offered = trainings()
    if not words:
        return offered[-1]
    named = next((one for one in offered if one.id == words[0]), None)
    if named is not None and len(words) == 1:
        return named
    if named is not None or not _OF_EXPRESSION.search(words[0]):
        raise UserError(practice.no_training([one.id for one in offered], words[-1]))
    loss = _parsed(words)
    values = {leaf.name: leaf.value for leaf in loss.leaves}
    return TrainingPreset("", loss.text, loss.text, values, _RATE, _STEPS)
