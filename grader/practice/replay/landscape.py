"""Record the steps of a learner's own gradient descent, and the loss around them, and all that a page shows with it."""

from collections.abc import Sequence

from ...base.text import plain
from ...course.load import Limits
from ...course.program import Program, ProgramError
from ...runner.client import Batch, Broke, Host, Read, Run, ask
from ...runner.sandbox import Started
from ...verdict.checks import MOST_PARAMETERS, MOST_STEPS, Training
from ...words.practice import no_landscape
from .amounts import finite, flat
from .model import Grid, Landscape, Played, ReplayProblem, Step, Thermometer
from .record import AnswerOf, FileToReplay, Subject, ended_early, finite_number, record, run_alone
from .right_pass import forward, right_pass

_CURVE = 201  # points of a curve
_GRID = 41  # points of a grid in each direction
_MARGIN = 0.25  # the margin around the steps, as a fraction of their extent
_FAR = 2.0  # the distance, as a fraction of the correct steps' extent, beyond which steps are not shown
_LEAST = 0.5  # the margin on each side of a single point
_CALLS = 1_000_000


def record_training(
    warm: Started | Host, limits: Limits, file: FileToReplay, title: str, training: Training
) -> Landscape:
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
    warm: Started | Host,
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
        found.append(Step(tuple(finite(one) for one in values), finite(flat(right.values)[loss.root])))
        grads = flat(right.grads)
        values = [one - rate * grads[place] for one, place in zip(values, places, strict=True)]
    return tuple(found)


def _loss(loss: Program, values: Sequence[float]) -> float | None:
    return finite(flat(forward(loss.with_leaves(values)))[loss.root])


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
