"""Fault facts about the functions that train: `zero_grad`, `step` and `train`.

A fact about `zero_grad` or `step` holds for every set of numbers that was tried. A fact about `train` holds for two
trainings with different losses, numbers of steps and rates.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import pairwise

from msgspec import Struct, field

from ...base.text import of_type
from ...course.facts import FactKind, FaultFact
from ...course.load import Limits
from ...course.program import Program, number_text, program
from ...runner.client import Batch, Broke, Called, Done, Logged, Observed, Odd, Read, Run, ask
from ...words.facts import OF_TRAINING
from ..checks.outcome import close
from .formula import formula

# facts with a number in `found` that differs between trainings
_COUNTED: tuple[FactKind, ...] = ("passes_taken", "steps_taken", "other_rate")
_MOST = 2  # the most facts about `train`
_LEAVES = program("L = a * b + c * d + e", a=3, b=-1.5, c=0.75, d=2.25, e=-4)
# For each call, the gradients of the leaves that the function is given: the first ones of `_LEAVES`,
# as many as there are gradients.
_GRADS = ((16.0, -2.5, 0.5, -7.0, 1.5), (-3.0, 1.25, 9.0), (2.0, 6.5, -0.25, -1.75))
_RATES = (0.1, 0.75, 2.5)  # one for each set of gradients
_AT_FIRST = 1.0  # the gradient of each parameter before a training


class _Training(Struct, frozen=True):
    """A training that is tried."""

    loss: Program
    steps: int
    rate: float

    @property
    def places(self) -> tuple[int, ...]:
        """Return the indices of the parameters."""
        return tuple(self.loss.index[leaf.name] for leaf in self.loss.leaves)

    def at(self, values: Sequence[float]) -> Program:
        """Return the loss for other values of the parameters."""
        return self.loss.with_leaves(values)


_TRAININGS = (
    _Training(program("loss = (w * 2 - v) ** 2 + v * v + u * w", w=3.2, v=1.7, u=0.8), 3, 0.06),
    _Training(program("loss = u * v + u * u + v * v + w * w * u", u=1.5, v=-2, w=0.5), 4, 0.03),
)


def function_of(fact: FaultFact) -> str:
    """Return the function that trains which a fact is about, or an empty text for any other fact."""
    return fact.node if fact.kind in OF_TRAINING else ""


@cache
def training_probes(limits: Limits) -> Batch:
    """Return the batch in which `zero_grad` and `step` are called alone, and `train` with two losses."""
    runs = []
    for function in ("zero_grad", "step"):
        for grads, rate in zip(_GRADS, _RATES, strict=True):
            leaves = _given(grads)
            before = ask.Preload([*zip(leaves, grads, strict=True)])
            arguments: list[ask.Argument] = [("nodes", leaves)]
            if function == "step":
                arguments.append(("number", rate))
            call = ask.CallFunction(function, arguments)
            runs.append(Run(_LEAVES, (before, ask.LOG, call, ask.EVENTS, ask.VALUES, ask.GRADS)))
    for one in _TRAININGS:
        used = ask.Preload([(place, _AT_FIRST) for place in one.places])
        train = ask.Train(one.loss.root, one.steps, one.rate)
        runs.append(Run(one.loss, (used, ask.LOG, train, ask.EVENTS)))
    return Batch(tuple(runs), limits.calls, limits.cpu_s, order_seeds=(0,))


def training_facts(answer: Read) -> tuple[FaultFact, ...]:
    """Return the facts about `zero_grad` and `step`, and then those about `train` that do not follow from them."""
    # the calls of `zero_grad`, as many of `step`, and the trainings, in the order of `training_probes`
    outcomes, count = answer.seeds[0], len(_GRADS)
    clears, moves, trained = _calls(outcomes[:count]), _calls(outcomes[count : 2 * count]), outcomes[2 * count :]
    of_clearing = [*_of_zero_grad(clears)]
    of_step = [*_of_step(moves)]
    # the facts about each training; a pair of trainings is needed for any fact about `train`
    suspects = _suspects(clears, moves)
    trainings = [
        tuple(_History(one, outcome.logged[0]).facts(outcome.called[0], suspects))
        for one, outcome in zip(_TRAININGS, trained, strict=True)
        if isinstance(outcome, Done) and _is_readable(outcome.logged[0])
    ]
    if len(trainings) < len(_TRAININGS):
        return (*of_clearing, *of_step)
    first, *others = trainings
    if _keeps_losses([outcome.called[0] for outcome in trained if isinstance(outcome, Done)]):
        return (*of_clearing, *of_step, _fact("losses_kept"))
    # a fact of one training alone may be a coincidence
    of_train = [fact for fact in first if all(_key(fact) in map(_key, other) for other in others)]
    return (*of_clearing, *of_step, *of_train[:_MOST])


def _given(grads: Sequence[float]) -> list[int]:
    """Return the leaves that are given to a function in the call with these gradients."""
    return [_LEAVES.index[leaf.name] for leaf in _LEAVES.leaves[: len(grads)]]


def _keeps_losses(returned: Sequence[Called]) -> bool:
    """Return whether the second training returned the losses of the first one, and then its own."""
    first, second = (one.numbers or () for one in returned)
    steps = [one.steps for one in _TRAININGS]
    return len(second) == sum(steps) and len(first) == steps[0] and second[: len(first)] == first


def _is_readable(log: Logged) -> bool:
    """Return whether a log is complete, and each of its numbers is a float."""
    return log.complete and not any(isinstance(event.number, Odd) for event in log.events)


def _key(fact: FaultFact) -> tuple[str, str, str]:
    """Return what has to be equal in the facts about two trainings, which differ in their numbers."""
    return fact.kind, fact.other, "" if fact.kind in _COUNTED else fact.found


# -- `zero_grad` and `step`, which are called alone


class _Call(Struct, frozen=True):
    """A call of `zero_grad` or `step`.

    Attributes:
        values: the values of the leaves before it.
        grads: the gradients of the leaves before it.
        rate: the learning rate; `zero_grad` does not get it.
        new_values: the values of the leaves after it.
        new_grads: the gradients of the leaves after it.
        made: the values of the nodes that it made.
    """

    values: tuple[float, ...]
    grads: tuple[float, ...]
    rate: float
    new_values: tuple[Observed, ...]
    new_grads: tuple[Observed, ...]
    made: tuple[Observed, ...]

    @property
    def count(self) -> int:
        """Return the number of leaves."""
        return len(self.grads)


def _calls(outcomes: Sequence[Done | Broke | None]) -> list[_Call]:
    """Return the calls of a function; none if one of them did not return."""
    done = [outcome for outcome in outcomes if isinstance(outcome, Done)]
    if len(done) < len(outcomes):
        return []
    return [
        _Call(
            tuple(_LEAVES.values[i] for i in _given(grads)),
            grads,
            rate,
            tuple(outcome.values[0][i] for i in _given(grads)),
            tuple(outcome.grads[0][i] for i in _given(grads)),
            tuple(event.number for event in outcome.logged[0].events if event.kind == "made"),
        )
        for outcome, grads, rate in zip(done, _GRADS, _RATES, strict=True)
    ]


def _suspects(clears: Sequence[_Call], moves: Sequence[_Call]) -> set[str]:
    """Return what `zero_grad` and `step` may do wrong in a training, so that `train` is not to blame for it.

    Args:
        clears: the calls of `zero_grad`; none if one of them did not return.
        moves: the calls of `step`, likewise.

    Returns:
        `cleared` if gradients may not be cleared, and `moved` if values may not be moved as they should.
    """
    # without calls there is no evidence, so both are suspect
    kept = clears and all(call.new_values == call.values for call in clears)
    # if `step` makes new nodes in place of the parameters, `zero_grad` no longer clears the parameters
    cleared = clears and all(grad == 0.0 for call in clears for grad in call.new_grads)
    moved = moves and all(_is_moved(call, i) for call in moves for i in range(call.count))
    rebinds = any(_was_made(call, i) for call in moves for i in range(call.count))
    return {*([] if cleared and not rebinds else ["cleared"]), *([] if moved and kept else ["moved"])}


def _of_zero_grad(calls: Sequence[_Call]) -> Iterator[FaultFact]:
    """Yield the facts about `zero_grad`."""
    # the gradients that are not 0 after each call: a fact if they are unchanged, or all one number
    left = [{i for i, grad in enumerate(call.new_grads) if grad != 0.0} for call in calls]
    same = all(call.new_grads[i] == call.grads[i] for call, places in zip(calls, left, strict=True) for i in places)
    kinds = {_text(call.new_grads[i]) for call, places in zip(calls, left, strict=True) for i in places}
    which = _which_of_each(left, calls)
    if which and same:
        yield FaultFact("gradients_left", node="zero_grad", other=which)
    elif which == "all" and len(kinds) == 1:
        yield FaultFact("gradients_set", node="zero_grad", found=kinds.pop(), expected="0")
    # the values, which `zero_grad` should not change
    changed = {
        _text(new) for call in calls for old, new in zip(call.values, call.new_values, strict=True) if old != new
    }
    if len(changed) == 1:
        yield FaultFact("values_set", node="zero_grad", found=changed.pop())


def _of_step(calls: Sequence[_Call]) -> Iterator[FaultFact]:
    """Yield the facts about `step`."""
    # the parameters that keep their values in each call, and those that move as they should
    still = [{i for i in range(call.count) if call.new_values[i] == call.values[i]} for call in calls]
    right = [{i for i in range(call.count) if _is_moved(call, i)} for call in calls]
    all_right = all(len(places) == call.count for places, call in zip(right, calls, strict=True))
    which = _which_of_each(still, calls)
    # every parameter either stays or moves rightly
    others = all(len(one | other) == call.count for one, other, call in zip(still, right, calls, strict=True))
    if which and others and all(_was_made(call, i) for call, places in zip(calls, still, strict=True) for i in places):
        yield FaultFact("rebound", node="step", other=which)
    elif which and others:
        yield FaultFact("values_left", node="step", other=which)
    elif not all_right and (text := _new_value(calls)):
        yield FaultFact("steps_by", node="step", found=text, expected="p.data - rate * p.grad")


def _is_moved(call: _Call, i: int) -> bool:
    """Return whether leaf `i` has the value that a step should give it."""
    return close(call.new_values[i], call.values[i] - call.rate * call.grads[i], abs(call.values[i]))


def _was_made(call: _Call, i: int) -> bool:
    """Return whether a node has been made with the value that leaf `i` should have."""
    moved = call.values[i] - call.rate * call.grads[i]
    return any(close(number, moved, abs(moved)) for number in call.made)


def _new_value(calls: Sequence[_Call]) -> str | None:
    """Return the formula that gives all new values, as text; None if none was found."""
    points = [(call, i) for call in calls for i in range(call.count)]
    seen = [value for call, i in points if isinstance(value := call.new_values[i], float)]
    if len(seen) < len(points):
        return None
    names = (
        ("p.data", tuple(call.values[i] for call, i in points)),
        ("rate", tuple(call.rate for call, _ in points)),
        ("p.grad", tuple(call.grads[i] for call, i in points)),
    )
    if found := formula(seen, names):
        return found
    # without a formula, the values may move by a constant times `rate * p.grad`, or times `p.grad`
    for text, rates in (("rate * p.grad", [call.rate for call, _ in points]), ("p.grad", [1.0] * len(points))):
        factors = [
            (call.values[i] - new) / (call.grads[i] * rate)
            for (call, i), new, rate in zip(points, seen, rates, strict=True)
        ]
        if all(_is_same(factor, factors[0]) for factor in factors):
            return f"p.data - {factors[0]:.6g} * {text}"
    return None


def _text(number: Observed) -> str:
    return of_type(number.type) if isinstance(number, Odd) else f"{number + 0.0:.6g}"


def _which_of_each(some: Sequence[Collection[int]], calls: Sequence[_Call]) -> str:
    """Return what `_which` says of the places in each call; an empty text if it differs, or if a call has none."""
    named = {_which(places, call.count) if places else "" for places, call in zip(some, calls, strict=True)}
    return named.pop() if len(named) == 1 else ""


def _which(places: Collection[int], count: int) -> str:
    """Return which of `count` parameters have these places.

    The result is `all`, `first`, `last`, `not_first`, `not_last` or, for any other places, `some`.
    """
    others = set(range(count)) - set(places)
    if not others:
        return "all"
    for name, place in (("first", 0), ("last", count - 1)):
        if set(places) == {place}:
            return name
        if others == {place}:
            return f"not_{name}"
    return "some"


# -- `train`


class _Loss(Struct, frozen=True):
    """A loss that `loss_of` returned: its value, and the parameters for which it was built."""

    value: float
    at: tuple[float, ...]


class _Move(Struct, frozen=True):
    """A write to the value of parameter `which`, and its gradient at that time."""

    which: int
    old: float
    new: float
    grad: float

    @property
    def changes(self) -> bool:
        return self.old != self.new


class _Pass(Struct):
    """A backward pass, and what comes after it and before the next one.

    Attributes:
        loss: the number of the loss at which it begins; -1 for another node.
        at: the values of the parameters when it begins.
        before: the gradients when it begins.
        after: the gradients when it ends.
        cleared: whether all gradients were set to 0 after it, before any write to a value.
        moves: the writes to values after it.
        made: the values of the nodes that were made after it.
    """

    loss: int
    at: tuple[float, ...]
    before: tuple[float, ...]
    after: list[float]
    cleared: bool = False
    moves: list[_Move] = field(default_factory=list)
    made: list[float] = field(default_factory=list)

    @property
    def of_leaf(self) -> bool:
        """Return whether one gradient became 1 and all others are as before, as in a pass that begins at a leaf."""
        changed = [new for old, new in zip(self.before, self.after, strict=True) if old != new]
        return changed == [1.0]

    @property
    def moved(self) -> set[int]:
        """Return the parameters that got another value."""
        return {move.which for move in self.moves if move.changes}


class _History:
    """The history of a training, from its log.

    Args:
        log: the events. `Log` in `grader.runner.worker.adapter.log` describes the kinds.

    Attributes:
        count: the number of parameters.
        data: the values of the parameters, at the end.
        grads: the gradients of the parameters, at the end.
        losses: the losses that `loss_of` returned.
        early: the moves before the first pass.
        passes: the backward passes.
        own_gradients: whether a gradient was set to another number than 0 outside of a pass.
    """

    def __init__(self, training: _Training, log: Logged) -> None:
        self.training = training
        self.count = len(training.places)
        self.data = [leaf.value for leaf in training.loss.leaves]
        self.grads = [_AT_FIRST] * self.count
        self.losses: list[_Loss] = []
        self.early: list[_Move] = []
        self.passes: list[_Pass] = []
        self.own_gradients = False
        for event in log.events:
            assert isinstance(event.number, float)
            self._take(event.kind, event.place, event.number)

    def _take(self, kind: str, place: int, number: float) -> None:
        """Add an event to the history. `left` is a gradient at the end of a pass, and `grad` one outside of a pass."""
        # an event belongs to the last pass, if there is one
        now = self.passes[-1] if self.passes else None
        which = self.training.places.index(place) if kind in ("left", "grad", "data") else -1
        if kind == "loss":
            self.losses.append(_Loss(number, tuple(self.data)))
        elif kind == "pass":
            self.passes.append(_Pass(place, tuple(self.data), tuple(self.grads), [0.0] * self.count))
        elif kind == "left" and now:
            self.grads[which] = now.after[which] = number
        elif kind == "grad":
            self.grads[which] = number
            self.own_gradients = self.own_gradients or number != 0.0
            if now and not now.moves and not any(self.grads):
                now.cleared = True
        elif kind == "data":
            (now.moves if now else self.early).append(_Move(which, self.data[which], number, self.grads[which]))
            self.data[which] = number
        elif kind == "made" and now:
            now.made.append(number)

    # -- facts --------------------------------------------------------------------------------

    def facts(self, returned: Called, suspects: Collection[str]) -> Iterator[FaultFact]:
        """Yield the facts about `train`.

        Args:
            returned: what `train` returned.
            suspects: what `_suspects` returned. There are no facts that may follow from it.
        """
        if not self.passes:
            if not self.own_gradients:
                yield _fact("never_passed")
            return
        moves_right = "moved" not in suspects
        if moves_right and not any(one.moved for one in self.passes) and any(map(self._rebinds, self.passes)):
            yield _fact("rebound", other="all")
            return
        found = [*self._of_losses(moves_right)]
        if moves_right:
            found += self._of_moves()
        if "cleared" not in suspects:
            found += self._of_clearing()
        yield from found or (() if suspects else self._of_returned(returned))

    def _of_losses(self, moves_right: bool) -> Iterator[FaultFact]:
        """Yield the facts about the losses at which passes begin.

        Args:
            moves_right: whether `step` is certainly right, so that moves at a wrong time are the fault of `train`.
        """
        # two passes from one loss
        again = [(one, other) for one, other in pairwise(self.passes) if one.loss == other.loss >= 0]
        # a pass from a node that is no loss can be judged only if all gradients were 0 before it, or
        # if it began at a leaf
        elsewhere = all(one.loss < 0 and (not any(one.before) or one.of_leaf) for one in self.passes)
        if any(one.moved for one, _ in again):
            yield _fact("stale_loss", found="1" if len(self.losses) == 1 else "")
        elif again:
            yield _fact("passed_twice")
        elif elsewhere and not any(map(self._is_right, self.passes)):
            yield _fact("other_root")
        elif len(self.losses) == self.training.steps > len(self.passes):
            yield _fact("passes_taken", found=str(len(self.passes)), expected=str(self.training.steps))
        if not moves_right:
            return
        # the first pass of each loss: the parameters must not have moved since the loss was built
        first = {one.loss: one for one in reversed(self.passes) if one.loss >= 0}
        if any(move.changes for move in self.early):
            yield _fact("moved_early", found="first")
        elif any(self.losses[loss].at != one.at for loss, one in first.items()):
            yield _fact("moved_early", found="loss")

    def _is_right(self, one: _Pass) -> bool:
        """Return whether a pass that began with gradients of 0 computed those of the loss."""
        right = self.training.at(one.at).gradients()
        return all(
            close(grad, right[place], abs(grad)) for grad, place in zip(one.after, self.training.places, strict=True)
        )

    def _of_clearing(self) -> Iterator[FaultFact]:
        """Yield the facts about gradients that are not cleared before a pass, or cleared before its step."""
        # cleared between a pass and its step, so that the step moves nothing; after the last pass, this
        # may be different
        early = [one for one in self.passes if one.cleared and any(one.after) and one.moves]
        if early and all(not one.moved for one in early) and len(early) >= len(self.passes) - 1:
            yield _fact("cleared_early")
        # the gradients that each pass adds to although they are not 0, and which passes do this
        added = [{i for i in range(self.count) if self._is_added(one, i)} for one in self.passes]
        which = {_which(places, self.count) for places in added if places}
        when = [bool(places) for places in added]
        if len(which) == 1 and when[0] and not any(when[1:]) and len(when) > 1:
            yield _fact("not_cleared", found="first", other=which.pop())
        elif len(which) == 1 and all(when):
            yield _fact("not_cleared", found="never", other=which.pop())
        elif len(which) == 1 and not when[0] and not self._of_same_loss():
            yield _fact("not_cleared", found="later" if all(when[1:]) else "some", other=which.pop())

    def _of_same_loss(self) -> bool:
        """Return whether a pass begins at the loss of the one before without a move between them."""
        return any(one.loss == other.loss and not one.moved for one, other in pairwise(self.passes))

    def _is_added(self, one: _Pass, i: int) -> bool:
        """Return whether a pass adds to gradient `i` although it is not 0.

        A pass that clears the gradients itself does not add to them. It is recognised by its result.
        """
        fresh = self.training.at(self.losses[one.loss].at).gradients() if one.loss >= 0 else ()
        return one.before[i] != 0.0 and not (
            fresh and close(one.after[i], fresh[self.training.places[i]], abs(one.after[i]))
        )

    def _of_moves(self) -> Iterator[FaultFact]:
        """Yield the facts about the steps that were taken."""
        taking = [one for one in self.passes if one.moved]
        if not taking:
            if not any(one.moves for one in self.passes) and not any(self.early):
                yield _fact("never_moved")
            return
        # a parameter with a gradient of 0 does not move in a right step either
        able = [{i for i in range(self.count) if one.after[i]} for one in taking]
        if all(one.moved < could for one, could in zip(taking, able, strict=True)):
            parts = {frozenset(could - one.moved) for one, could in zip(taking, able, strict=True)}
            if len(parts) == 1:
                yield _fact("some_left", other=_which(parts.pop(), self.count))
            else:
                yield _fact("moved_apart")
            return
        # a parameter that got more than one new value in a step
        again = [len([move for move in one.moves if move.changes]) > len(one.moved) for one in taking]
        if any(again):
            if all(again) and not any(map(self._is_one_step, taking)):
                yield _fact("moved_again")
            return
        rates = [rate for one in taking if (rate := self._rate(one)) is not None]
        if len(rates) == len(taking) and not all(_is_same(rate, self.training.rate) for rate in rates):
            yield _fact("other_rate", **self._of_rates(rates))
        if len(self.losses) == self.training.steps > len(self.passes):
            return  # a pass is missing, which is a fact of its own
        taken = len(taking) + any(move.changes for move in self.early)
        if taken != self.training.steps:
            yield _fact("steps_taken", found=str(taken), expected=str(self.training.steps))

    def _is_one_step(self, one: _Pass) -> bool:
        """Return whether all moves after a pass together are one step."""
        ends = {move.which: move.new for move in one.moves}
        right = [x - self.training.rate * grad for x, grad in zip(one.at, one.after, strict=True)]
        return all(close(x, right[i], abs(right[i])) for i, x in ends.items())

    def _rebinds(self, one: _Pass) -> bool:
        """Return whether nodes with the values that the parameters should get were made after a pass."""
        moved = [x - self.training.rate * grad for x, grad in zip(one.at, one.after, strict=True)]
        return any(one.after) and all(any(close(number, x, abs(x)) for number in one.made) for x in moved)

    def _rate(self, one: _Pass) -> float | None:
        """Return the learning rate of the moves after a pass; None if the parameters do not move by the same rate."""
        rates = [(move.old - move.new) / move.grad for move in one.moves if move.changes and move.grad]
        if not rates or len(rates) < len(one.moved) or not all(_is_same(rate, rates[0]) for rate in rates):
            return None
        return rates[0]

    def _of_rates(self, rates: Sequence[float]) -> dict[str, str]:
        """Return the fields of a fact about rates.

        If they are the same, `found` is the rate. Otherwise it has the first three, as multiples of the right one.
        """
        same = all(_is_same(rate, rates[0]) for rate in rates)
        times = ", ".join(f"{rate / self.training.rate:.6g}" for rate in rates[:3])
        return {
            "found": f"{rates[0]:.6g}" if same else times,
            "other": "" if same else "times",
            "expected": number_text(self.training.rate),
        }

    def _of_returned(self, returned: Called) -> Iterator[FaultFact]:
        """Yield the fact that the returned losses are those after each step, instead of those before it."""
        after = [self.training.at(one.at) for one in self.passes[1:]] + [self.training.at(self.data)]
        right = [p.values[p.root] for p in after] if all(one.moved for one in self.passes) else []
        got = returned.numbers or ()
        if len(got) == len(right) and all(close(one, other, abs(other)) for one, other in zip(got, right, strict=True)):
            yield _fact("losses_late")


def _is_same(rate: float, other: float) -> bool:
    return math.isclose(rate, other, rel_tol=1e-6)


def _fact(kind: FactKind, found: str = "", expected: str = "", other: str = "") -> FaultFact:
    return FaultFact(kind, node="train", found=found, expected=expected, other=other)
