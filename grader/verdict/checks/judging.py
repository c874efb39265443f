"""The runs of a check: they are sent as batches, and their outcomes are judged under every order seed."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Protocol, TypeAlias

from msgspec import Struct, structs

from ...base.text import did_you_mean
from ...course.load import Limits
from ...course.oracle import Answer, Redraw
from ...course.program import FUNCTIONS, OPERATIONS, Program, Question
from ...course.remarks import DependsOnOrder, Remark, ShapeRemark
from ...runner.client import Batch, Broke, Died, Done, Problem, Ran, Read, Reading, Reason, Run
from .conditions import fails_whenever
from .hidden_tests import ArgumentError
from .outcome import CheckFailed, fail, fail_for
from .questions import (
    NO_ANSWERS,
    AnsweredBatch,
    Questions,
    is_played,
    lacks,
    layers,
    left_out,
    not_offered,
    outline,
    takes_arrays,
)

_ORDER_SEEDS = (0, 1, 2, 3)
HUGE = 1_000  # a program with more nodes is run once
_HUGE_SEED = 2  # mixes the inputs of a node with their users
_MOST_TRAINED = 10_000  # nodes that all steps of a training build, if it is run under every order seed
_PRINTED = 1_000  # repeats are not removed from output with more lines
AT_FIRST = 0.5  # the gradient of each leaf before a function is called
Notes: TypeAlias = tuple[DependsOnOrder, ...]  # additional remarks on an outcome
JudgeOutcome: TypeAlias = Callable[[Done | Broke, Notes], None]
Judge: TypeAlias = Callable[[int, Done | Broke, Notes], None]  # with the index of the run


class OwnLimits(Struct, frozen=True):
    """The limits that a check has in place of the course's: calls, and CPU seconds, which may be `measured`."""

    calls: int | None = None
    cpu_s: float | None = None
    measured: bool = False


_COURSE_LIMITS = OwnLimits()


class Runner(Protocol):
    """Run the batches of one check on a learner's engine."""

    @property
    def shared(self) -> bool:
        """Return whether a batch of the check ran in a process that had run another batch before."""

    def run(self, batch: Batch, alone: bool = False) -> Ran | None:
        """Run a batch, in a fresh process if it must be `alone`. Return None if the check is only planned."""


class FailedBatch(Struct, frozen=True):
    """The batch on which a check failed, with the failing run alone if there is one.

    Attributes:
        repaired: Returns whether an answer of an edited file has no failure. The other batches of the check may still
            have one.
    """

    batch: Batch
    repaired: Callable[[Read | Problem], bool]


class _Verdict(Struct, frozen=True):
    """The verdict on a run under all order seeds.

    Attributes:
        failure: The failure of the first wrong outcome.
        unsettled: Whether another outcome was right.
        absent: Whether an outcome was left out because the engine may lack an operation.
    """

    failure: CheckFailed | None = None
    unsettled: bool = False
    absent: bool = False


class Judging:
    """The part that all checks have in common: a check's runs are sent as one batch, and the outcomes are judged.

    The file is run again, and the batch is executed under every order seed. `CheckFailed` is raised for the first
    program, smallest first, with a wrong result under any order seed.

    Args:
        runner: Runs the batches.
        answers: Returns the oracle's answers.
        source: The text of the learner's file.
        limits: The course's limits.
        seed: The seed of fresh programs.
        redraw: Changes the numbers of programs and the numbers sent with them to others of the same kind, so that no
            answer can be known in advance.
        clock: Returns a time in seconds, from which the duration of the check is computed.
        to_the_end: Whether a wrong result raises no error. `shown` then has the results.
        brief: Whether trainings with arrays are run once, and of a long one only the first steps are taken, because
            arrays are slow here.

    Attributes:
        failing: The run on which the check failed; None if it was not a single run.
        shown: The batches with their answers.
        screen: What an edited file is tried on first; None if the check passed, or failed on no single batch.
    """

    def __init__(
        self,
        runner: Runner,
        answers: Callable[[Sequence[Question]], list[Answer]],
        source: str,
        limits: Limits,
        seed: str,
        redraw: Redraw | None = None,
        *,
        to_the_end: bool = False,
        brief: bool = False,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.clock = clock
        self._runner = runner
        self._to_the_end = to_the_end
        self._brief = brief
        self._charged_elsewhere: tuple[str, ...] = ()
        self._oracle = answers
        self._source = source  # not its lines, which may take thirty times the memory in every check
        self._limits = limits
        self._questions = Questions(seed, redraw)
        self._shrinking = False  # whether other programs are run to explain a failure (see `_aside`)
        # the judged programs; the programs that could not be built
        self._judged: list[Program] = []
        self._absent: list[tuple[Program, Problem]] = []
        self.comparisons = 0
        self.output: list[str] = []
        self.shown: list[AnsweredBatch] = []
        self.failing: Run | None = None
        self.screen: FailedBatch | None = None
        self.reading: Reading | None = None
        self.left_out = False

    def finish(self) -> None:
        """End the check.

        Raises:
            CheckFailed: the engine lacks an operation that every program of the check needs, or lacks it in one
                program and has it in another. An operation that uses a missing one counts as missing.
        """
        # the calls of methods of the judged programs are needed only then, and a graph may have very many
        built = {call for judged in self._judged for call in judged.calls} if self._absent else set()
        for about, problem in self._absent:
            calls = {call for call in about.calls if call[0] == problem.user}
            # a method may use the missing one for nodes only, and not for numbers
            elsewhere = calls <= built if calls else problem.method in {method for method, _ in built}
            if not self._judged or elsewhere:
                fail_for(problem, self._source)

    @property
    def replayable(self) -> bool:
        """Return whether `grade play` can show the run that failed, or layers. It cannot if programs are redrawn."""
        if self.failing is None or self._questions.redraws:
            return False
        return is_played(self.failing) or any(layers(run.program) for batch in self.shown for run in batch.runs)

    @property
    def not_run(self) -> list[str]:
        """Return the methods that were not called because they need an argument."""
        methods = {problem.method for _, problem in self._absent if problem.kind == "wants_argument"}
        return [method for method in FUNCTIONS if method in methods]

    def charged_elsewhere(self, *operations: str) -> None:
        """Skip programs of this check that contain one of these operations if the engine does not define it.

        Another check tests the operation, so that a missing operation costs points once. The same is true if the
        engine defines the operation, but its method uses another of these operations, which the engine does not
        define. A check fails if all its programs are skipped.

            engine.charged_elsewhere("sub", "relu")
        """
        for operation in operations:
            if operation not in OPERATIONS:
                near = did_you_mean(operation, OPERATIONS)
                raise ArgumentError(f"charged_elsewhere: there is no operation `{operation}`{near}")
        self._charged_elsewhere = operations

    def _answers(self, asked: Sequence[Program]) -> list[Answer]:
        """Return torch's answers. That to a program with a `truth` has the numbers of the program's own nodes."""
        answers = self._oracle([one.truth or one for one in asked])
        return [
            Answer(one.of_truth(answer.values), one.of_truth(answer.grads))
            for one, answer in zip(asked, answers, strict=True)
        ]

    def _examine(
        self,
        runs: Sequence[Run],
        judge: Judge,
        limits: OwnLimits = _COURSE_LIMITS,
        engine: bool = True,
        where_offered: bool = False,
        again: Callable[..., None] | None = None,
        answers: Mapping[str, float] = NO_ANSWERS,
    ) -> None:
        """Send the runs as one batch, and judge the outcomes of each program under every order seed.

        If a program that was drawn for this check fails, `again` runs its parts. The first part that fails is then
        shown instead of the program. `answers` are those of `AnsweredBatch`.
        """
        # send the runs
        if not runs:
            raise ArgumentError("there is no program")
        if with_arrays := next((run.program for run in runs if not takes_arrays(run)), None):
            raise ArgumentError(f"this check takes no program with arrays: {with_arrays.text}")
        self.comparisons += len(runs)
        batch = self._batch(runs, limits, engine)
        ran = self._runner.run(batch, alone=self._shrinking)
        if ran is None:  # planning: the programs are now known, and nothing is judged
            for run in runs:
                self._shrink(run.program, again)
            return
        self.output.append(_once(ran.output, len(batch.order_seeds)))

        # judge the answer
        answer = ran.answer
        failures = self._judge(batch, answer, judge, where_offered, answers)
        if self._to_the_end:
            return

        # fail
        self.screen = None
        if isinstance(answer, (Problem, Died)):
            if not self._shrinking:
                self.screen = FailedBatch(batch, partial(self._fixes, batch, judge, where_offered, range(len(runs))))
            fail_for(answer, self._source, runs[0].program.shown if len(runs) == 1 else None)
        if failures:
            # of failures with the same rank, show the program that was sent first: tests send small programs first
            first = min(failures, key=lambda i: (*_rank(failures[i]), i))
            if not self._runner.shared:
                # in a shared process, the check is run again alone, and shrunk then
                self._shrink(runs[first].program, again)
            failures = self._with_condition(runs, failures, first)
            first = _best_explained(failures, first)
            self.failing = runs[first]
            alone = self._batch([runs[first]], limits, engine)
            self.screen = FailedBatch(alone, partial(self._fixes, alone, judge, where_offered, [first]))
            raise failures[first]
        # nothing is wrong so far, but not everything was run
        if any(None in seed for seed in answer.seeds):
            fail(status="error", reason=Reason("left_out"))

    def _with_condition(
        self, runs: Sequence[Run], failures: dict[int, CheckFailed], first: int
    ) -> dict[int, CheckFailed]:
        """Return the failures. The first one has the condition on shapes that all failing programs meet, if it has no
        other explanation."""
        finding = failures[first].finding
        if not runs[first].program.has_arrays or _is_explained(failures[first]):
            return failures
        # a run that was left out, or drawn at random, says nothing about the others
        tried = [i for i in range(len(runs)) if i not in self.shown[-1].aside]
        stopping = {i for i in tried if i in failures and _raised(failures[i])}
        remarks: tuple[Remark, ...] = ()
        for failing in ({*tried} & {*failures}, stopping if first in stopping else set()):
            wrong, others = ([runs[i].program for i in tried if (i in failing) is one] for one in (True, False))
            remarks = remarks or fails_whenever(wrong, others, failing <= stopping)
        return {**failures, first: CheckFailed(structs.replace(finding, remarks=(*finding.remarks, *remarks)))}

    def _batch(self, runs: Sequence[Run], limits: OwnLimits, engine: bool) -> Batch:
        huge = _is_huge(runs)
        # in a long run, counting each call would take longer than the calls themselves
        calls = limits.calls if huge else limits.calls or self._limits.calls
        slow = self._brief and any(run.trained_steps and run.program.has_arrays for run in runs)
        once = huge or slow or max(map(_trained, runs)) > _MOST_TRAINED
        order_seeds = (_HUGE_SEED,) if once else _ORDER_SEEDS
        return Batch(tuple(runs), calls, limits.cpu_s or self._limits.cpu_s, order_seeds, engine, limits.measured)

    def _judge(
        self,
        batch: Batch,
        answer: Read | Problem | Died,
        judge: Judge,
        where_offered: bool,
        answers: Mapping[str, float],
    ) -> dict[int, CheckFailed]:
        """Judge each run of a batch, and keep the answer with the verdicts. Return the failures by the run's index."""
        runs = batch.runs
        aside = {i for i, run in enumerate(runs) if self._questions.is_fresh(run.program)}
        if not isinstance(answer, Read):
            every = frozenset(range(len(runs)))
            self.shown.append(AnsweredBatch(runs, answer, every, frozenset(aside), answers=answers))
            return {}
        self.reading = answer.reading if batch.engine else None
        self.left_out = self.left_out or left_out(answer)
        verdicts = [
            self._verdict(run.program, [seed[i] for seed in answer.seeds], partial(judge, i), where_offered)
            for i, run in enumerate(runs)
        ]
        failures = {i: verdict.failure for i, verdict in enumerate(verdicts) if verdict.failure}
        aside |= {i for i, verdict in enumerate(verdicts) if verdict.absent}
        unsettled = frozenset(i for i, verdict in enumerate(verdicts) if verdict.unsettled)
        huge = _is_huge(runs)
        seen = outline(answer) if huge else answer
        self.shown.append(AnsweredBatch(runs, seen, frozenset(failures), frozenset(aside), unsettled, huge, answers))
        return failures

    def _fixes(
        self, batch: Batch, judge: Judge, where_offered: bool, places: Sequence[int], answer: Read | Problem
    ) -> bool:
        """Return whether an edited file answers a batch without a failure.

        Args:
            batch: The batch that failed, or a part of it.
            judge: Judges the outcomes of the batch that failed.
            places: For each run of `batch`, its place in the batch that failed.
        """
        if not isinstance(answer, Read):
            return False
        self.reading = answer.reading if batch.engine else None
        for i, place in enumerate(places):
            outcomes = [seed[i] for seed in answer.seeds]
            if None in outcomes:
                return False
            if self._verdict(batch.runs[i].program, outcomes, partial(judge, place), where_offered).failure:
                return False
        return True

    def _verdict(
        self, about: Program, outcomes: Sequence[Done | Broke | None], judge: JudgeOutcome, where_offered: bool
    ) -> "_Verdict":
        """Judge the outcomes of a run under the order seeds. An operation that the engine may lack is no failure."""
        # leave out what the engine does not offer
        absences = [self._absence(about, outcome, where_offered) for outcome in outcomes]
        absent = next(filter(None, absences), None)
        if absent:
            self._absent.append((about, absent))
        elif any(outcomes):
            self._judged.append(about)
        known = [one for one, gone in zip(outcomes, absences, strict=True) if one is not None and not gone]

        # judge the others, most of which are the same object
        failures = {key: _failure(one, judge) for key, one in {id(one): one for one in known}.items()}
        wrong = [outcome for outcome in known if failures[id(outcome)]]
        if not wrong:
            return _Verdict(absent=bool(absent))
        unsettled = len(wrong) < len(known)
        failure = failures[id(wrong[0])]
        # judge again with the remark that the result depends on the order
        if isinstance(wrong[0], Done) and unsettled and None not in outcomes:
            failure = _failure(wrong[0], judge, (DependsOnOrder(len(wrong), len(known)),))
        return _Verdict(failure, unsettled, bool(absent))

    def _shrink(self, failed: Program, again: Callable[..., None] | None) -> None:
        """Run the parts of a drawn program, if there are any. Raises `CheckFailed` for the first part that fails."""
        if again is not None and not self._shrinking and (parts := self._questions.parts(failed)):
            with self._aside():
                again(*parts)

    @contextlib.contextmanager
    def _aside(self) -> Iterator[None]:
        """Run the batches of a block only to find a program that explains a failure better.

        Only a failure that names its program leaves the block.
        """
        kept = len(self.output), len(self.shown), self.failing, self.comparisons
        self._shrinking = True
        try:
            yield
        except CheckFailed as better:
            if better.finding.program:
                raise
            self.failing = kept[2]
        finally:
            self._shrinking = False
            self.comparisons = kept[3]
            del self.output[kept[0] :], self.shown[kept[1] :]

    def _absence(self, about: Program, outcome: Done | Broke | None, where_offered: bool) -> Problem | None:
        """Return the problem because of which this check may skip a program, or None."""
        if not isinstance(outcome, Broke):
            return None
        tolerated = where_offered and not_offered(about, outcome.problem)
        return outcome.problem if tolerated or lacks(about, outcome.problem, self._charged_elsewhere) else None

    def _went_through(self, outcome: Done | Broke, about: Program | str, *built: Remark) -> None:
        """Fail if a run broke.

        Args:
            about: The program, or a description of the task. The text of a program is made only if it is needed.
            built: How the program was built.
        """
        if isinstance(outcome, Broke):
            fail_for(outcome.problem, self._source, about if isinstance(about, str) else about.shown, built)


def _rank(failure: CheckFailed) -> tuple[bool, bool]:
    """Return what decides which of several failures is reported: the lowest rank.

    Code that is still to be filled in comes last. Before it comes a limit, because the moment at which CPU time runs
    out depends on the machine, and wrong numbers do not.
    """
    return failure.finding.status == "not_started", failure.finding.status == "timeout"


def _best_explained(failures: dict[int, CheckFailed], first: int) -> int:
    """Return the first failure on arrays that is explained, or `first` if none of the same rank is."""
    alike = [first, *(i for i in sorted(failures) if _rank(failures[i]) == _rank(failures[first]))]
    return next((i for i in alike if _is_explained(failures[i])), first)


def _is_explained(failure: CheckFailed) -> bool:
    """Return whether a failure has a remark on arrays."""
    return any(isinstance(remark, ShapeRemark) for remark in failure.finding.remarks)


def _raised(failure: CheckFailed) -> bool:
    stop = failure.finding.stopped
    return stop is not None and stop.kind == "raised"


def _trained(run: Run) -> int:
    """Return how many nodes all steps of a run's training build; 0 without a training."""
    graph = run.program.truth or run.program
    return len(graph.nodes) * run.trained_steps


def _is_huge(runs: Sequence[Run]) -> bool:
    return max(len(run.program.nodes) for run in runs) > HUGE


def _failure(outcome: Done | Broke, judge: JudgeOutcome, notes: Notes = ()) -> CheckFailed | None:
    try:
        judge(outcome, notes)
    except CheckFailed as failure:
        return failure
    return None


def _once(printed: str, times: int) -> str:
    """Return printed text without repeats, if a program printed the same under every order seed."""
    lines = printed.splitlines(keepends=True)
    if times < 2 or len(lines) > _PRINTED:
        return printed
    # the longest text at the end that occurs `times` times in a row
    for length in range(len(lines) // times, 0, -1):
        if lines[-times * length :] == lines[-length:] * times:
            return "".join(lines[: len(lines) - (times - 1) * length])
    return printed
