"""Run the checks of an exercise on one file, and probe a file that fails: everything that learner code is run for."""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from typing import ParamSpec, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ...course.facts import FaultFact
from ...course.load import Check, Course, Exercise, Limits
from ...course.oracle import AnswerBook, KnownBehaviour, KnownExercise, Oracle
from ...course.program import Program
from ...runner.client import (
    Batch,
    Budget,
    Died,
    EngineProcess,
    Host,
    Loaded,
    LoadFailed,
    NotStarted,
    Problem,
    Ran,
    Read,
    Run,
    Source,
)
from ...runner.same_interpreter import SMALL
from ...runner.sandbox import Started
from ..checks import EngineUnderCheck
from ..checks.judging import FailedBatch, Runner
from ..checks.outcome import CheckOutcome, reason_of, stopped
from ..checks.session import CheckSession
from ..diagnosis import (
    NOTHING_ADDED,
    Behaviour,
    arrived,
    behaviour,
    can_be_named,
    diagnose,
    gradient_facts,
    gradient_probes,
    of_results,
    pass_facts,
    pass_probes,
    rule_facts,
    rule_probes,
    rules_unused,
    shift_facts,
    shift_probes,
    training_facts,
    training_probes,
)
from ..report import CheckResult
from ..submission import is_run
from .scoring import Checked, FileState, check_result

_SMALL = 12  # the most nodes of a program
_MOST_PASSING = 60  # the most runs
_SAME_ENDINGS = 2  # after so many checks that end alike, further ones are expected to end like them
_HASTE = 4  # divides the limits of programs that serve only an explanation, if a check has run out of time

P = ParamSpec("P")
T = TypeVar("T")


class CheckBegan(Struct, frozen=True):
    """A check begins."""

    exercise: Exercise
    check: Check


class CheckEnded(Struct, frozen=True):
    """A check has ended. Its failure is not yet explained."""

    exercise: Exercise
    result: CheckResult


class Searching(Struct, frozen=True):
    """A search for the line that must change goes on. `tried` is the number of changes that were tried so far."""

    exercise: Exercise
    tried: int


GradingEvent: TypeAlias = CheckBegan | CheckEnded


class Grader(Struct, frozen=True):
    """Everything that is needed to grade submissions: course, answer book, checks, oracle, server process, seed.

    Attributes:
        warm: The server process, or another place where learner files run.
        process: Makes the process of a file.
    """

    course: Course
    book: AnswerBook
    checks: CheckSession
    oracle: Oracle
    warm: Started | Host
    seed: str
    process: Callable[..., EngineProcess] = EngineProcess


class Examined(Struct, frozen=True):
    """The checks of an exercise on a file, before points and diagnosis.

    Attributes:
        engines: The engines that ran the course's own programs, by check.
        facts: The fault facts about an engine that failed.
        screens: What edits of the file are tried on first, by check.
        passing: Runs on small programs that were right, if a check failed.
        attempts: The system calls that the sandbox refused and reported.
        limited: Whether a limit was reached, or a process died.
    """

    state: FileState
    checked: Mapping[str, Checked] = field(default_factory=dict)
    engines: Mapping[str, EngineUnderCheck] = field(default_factory=dict)
    facts: tuple[FaultFact, ...] = ()
    screens: Mapping[str, FailedBatch] = field(default_factory=dict)
    passing: tuple[Run, ...] = ()
    attempts: Collection[str] = ()
    limited: bool = False

    @property
    def outcomes(self) -> dict[str, CheckOutcome]:
        """Return the outcome of each check."""
        return {check: checked.outcome for check, checked in self.checked.items()}

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the checks that were run and did not pass."""
        return tuple(check for check, checked in self.checked.items() if not checked.passed)

    @property
    def without_gradients(self) -> tuple[str, ...]:
        """Return the checks that failed because of an error or a wrong value, before any gradient was compared."""
        outcomes = self.outcomes
        return tuple(
            check
            for check in self.failures
            if outcomes[check].wrong_value or ((finding := outcomes[check].finding) and finding.reason)
        )

    @property
    def behaviour(self) -> Behaviour:
        """Return the behaviour of the engine on the course's own programs."""
        return behaviour({check: engine.shown for check, engine in self.engines.items()})


def explain(known: KnownExercise, examined: Examined) -> dict[str, KnownBehaviour]:
    """Return the misconceptions that explain the failed checks of a file, by check."""
    return diagnose(known, examined.behaviour, examined.failures, examined.facts, examined.without_gradients)


def examination(
    grader: Grader,
    exercise: Exercise,
    source: Source,
    budget: Budget | None = None,
    *,
    stub: str | None = None,
    limit_divisor: int = 1,
    to_the_end: bool = False,
    facts: bool = False,
) -> Generator[GradingEvent, None, Examined]:
    """Load the source of an exercise in a separate process, and run the checks on it. Yield the progress.

    Args:
        budget: The limits of the whole submission. By default, the source has its own budget.
        stub: The file as it was given out. A source that is equal to it is not run.
        limit_divisor: Divides every limit of calls and CPU time.
        to_the_end: Whether to run every batch of every check, even after a failure. The outcomes are then
            meaningless.
        facts: Whether to find the fault facts of an engine that fails, and to run the course's own programs if a
            misconception may be named.

    Returns:
        What was observed.
    """
    if not is_run(source, stub):
        return Examined(FileState(source.problem or "not_started", str(source.path), reason=source.unread))
    course = grader.course
    with grader.process(grader.warm, source, stub, course.limits, budget, apart=to_the_end) as process:
        # load
        state = _load(process, source)
        if state.state != "loaded":
            return Examined(state, attempts=process.attempts, limited=process.limited)

        # run the checks
        file = _File(grader, exercise, source.text, process, limit_divisor, to_the_end)
        checked = {}
        for check in exercise.checks:
            yield CheckBegan(exercise, check)
            outcome = file.run_check(check)
            checked[check.id] = Checked(outcome, check_result(exercise, check, outcome, source.cells))
            yield CheckEnded(exercise, checked[check.id].result)
        # only the course's own programs are compared with misconceptions
        own = file.engines if grader.seed == course.seed else {}
        screens = {check: engine.screen for check, engine in file.engines.items() if engine.screen}
        examined = Examined(state, checked, own, screens=screens, attempts=process.attempts)
        if examined.failures:
            examined = replace(examined, passing=_passing(file.engines.values()))

        # probe
        if facts and examined.failures:
            examined = replace(examined, facts=_facts(file, course.limits, examined))
            if grader.seed != course.seed and _may_be_named(file, examined):
                # misconceptions are identified by their behaviour on the course's own programs, which give no points
                examined = replace(examined, engines=file.run_own_programs())
        return replace(examined, limited=process.limited)


def finished(events: Callable[P, Generator[object, None, T]]) -> Callable[P, T]:
    """Return a function with the same arguments that runs a generator to its end, and returns what it returns."""

    def result(*arguments: P.args, **named: P.kwargs) -> T:
        running = events(*arguments, **named)
        while True:
            try:
                next(running)
            except StopIteration as end:
                returned: T = end.value
                return returned

    return result


examine = finished(examination)


def _load(process: EngineProcess, source: Source) -> FileState:
    loaded = process.load()
    path = str(source.path)
    match loaded:
        case Loaded(output):
            return FileState("loaded", path, output, cells=source.cells)
        case NotStarted():
            return FileState("not_started", path)
        case LoadFailed(Problem() as problem, output):
            why = stopped(problem, source.text)
            return FileState("failed", path, output, reason_of(problem), why, source.cells)
        case LoadFailed(cause, output):
            return FileState("failed", path, output, reason_of(cause), cells=source.cells)


def checks_pass(
    grader: Grader,
    exercise: Exercise,
    source: Source,
    checks: Iterable[Check],
    budget: Budget,
    *,
    limit_divisor: int,
    orders: int | None,
) -> bool:
    """Return whether a source passes checks. They are run one after another, up to the first that does not pass.

    Nothing else is kept of what the source does.

    Args:
        budget: The limits of all runs.
        limit_divisor: Divides every limit of calls and CPU time.
        orders: Under how many order seeds each program is run; None for all.
    """
    limits = replace(grader.course.limits, cpu_s=grader.course.limits.cpu_s / limit_divisor)
    with grader.process(grader.warm, source, None, limits, budget) as process:
        if not isinstance(process.load(), Loaded):
            return False
        file = _File(grader, exercise, source.text, process, limit_divisor, orders=orders)
        return all(file.passes(check) for check in checks)


class _File(Struct):
    """A loaded file, and the engines with which its checks ran. It decides which batches run in a fresh process.

    Batches share a process, because a fork takes time. What runs earlier in a process may change later answers, so:

    * If a check does not pass in a process that has run other batches, it is run again, each batch in a fresh
      process. Only this result counts.
    * The next check begins in a fresh process then, because it probably fails as well.
    * If two checks have ended at the same line for the same reason, each batch of a further check runs in a fresh
      process from the beginning. So its first run counts.
    * Programs that only explain a failure run in fresh processes: parts of a program, and probes.
    """

    grader: Grader
    exercise: Exercise
    text: str
    process: EngineProcess
    limit_divisor: int
    to_the_end: bool = False
    orders: int | None = None
    engines: dict[str, EngineUnderCheck] = field(default_factory=dict)
    shared: bool = False  # whether a batch of the check ran in a process that had run another batch
    alone: bool = False  # whether each batch of the check runs in a fresh process
    endings: Counter[tuple[str, str | None, int]] = field(default_factory=Counter)  # by kind, type and line

    def run(self, batch: Batch, alone: bool = False) -> Ran:
        """Run a batch of a check, in a fresh process if it must be `alone`."""
        if alone or self.alone:
            self.process.restart()
        # asked before the batch runs, which makes the process a used one
        self.shared = self.shared or not self.process.fresh
        batch = replace(batch, order_seeds=batch.order_seeds[: self.orders]) if self.orders else batch
        return self.process.run(batch.tightened(self.limit_divisor) if self.limit_divisor > 1 else batch)

    def run_check(self, check: Check) -> CheckOutcome:
        """Return the outcome of a check. The result of a second run, if there is one, replaces that of the first."""
        outcome = self._attempt(check, alone=max(self.endings.values(), default=0) >= _SAME_ENDINGS)
        if outcome.status != "passed" and self.shared:
            again = self._attempt(check, alone=True)
            outcome = replace(again, duration_s=outcome.duration_s + again.duration_s)
        if outcome.status != "passed":
            self.process.restart()
        reason = outcome.finding.reason if outcome.finding else None
        if reason is not None and reason.line is not None:
            self.endings[reason.kind, reason.type, reason.line] += 1
        return outcome

    def passes(self, check: Check) -> bool:
        """Return whether a check passes, in the process as it is."""
        return self._attempt(check, alone=False).status == "passed"

    def _attempt(self, check: Check, *, alone: bool) -> CheckOutcome:
        self.alone, self.shared = alone, False
        # the engine of the second run replaces that of the first, and its observations
        self.engines[check.id] = self._engine(check, self.grader.seed, self)
        return self.grader.checks.run(self.exercise, check, self.engines[check.id])

    def run_own_programs(self) -> dict[str, EngineUnderCheck]:
        """Run the checks on the course's own programs, without repeating any, and return their engines."""
        # the result only explains a failure, so no batch is run again alone
        runner = _Once(self.process)
        engines = {check.id: self._engine(check, self.grader.course.seed, runner) for check in self.exercise.checks}
        for check in self.exercise.checks:
            self.grader.checks.run(self.exercise, check, engines[check.id])
        return engines

    def _engine(self, check: Check, seed: str, runner: Runner) -> EngineUnderCheck:
        grader = self.grader
        return _engine(
            grader.course,
            grader.oracle,
            seed,
            self.exercise,
            check,
            runner,
            self.text,
            to_the_end=self.to_the_end,
            brief=grader.warm.allow.get("numpy") == SMALL,
        )

    def probe(self, batch: Batch) -> Read | Problem | Died:
        """Return the answer to probes, which run in a fresh process and cost no points."""
        return self.run(batch, alone=True).answer


class _Once(Struct, frozen=True):
    """Runs each batch once in the process of a file, whatever ran in it before."""

    process: EngineProcess
    shared: bool = False

    def run(self, batch: Batch, alone: bool = False) -> Ran:
        return self.process.run(batch)


class _Planner(Struct, frozen=True):
    """Runs nothing, so that checks are only planned."""

    shared: bool = False

    def run(self, batch: Batch, alone: bool = False) -> None:
        batch.encode()  # arranges the programs for each order seed


def _engine(
    course: Course,
    oracle: Oracle,
    seed: str,
    exercise: Exercise,
    check: Check,
    runner: Runner,
    source: str = "",
    *,
    to_the_end: bool = False,
    brief: bool = False,
) -> EngineUnderCheck:
    """Return the engine of a check. Fixed programs get other numbers under any seed but the course's own."""
    return EngineUnderCheck(
        runner,
        oracle.answers,
        source,
        course.limits,
        f"{seed}:{exercise.id}:{check.id}",
        redraw=None if seed == course.seed else oracle.redraw(seed),
        to_the_end=to_the_end,
        brief=brief,
        clock=oracle.clock,
    )


def plan(checks: CheckSession, oracle: Oracle, seed: str, exercises: Iterable[Exercise] | None = None) -> None:
    """Run all checks of exercises without an engine. Then the oracle knows their programs and the answers under a seed.

    Args:
        exercises: By default, all exercises whose checks were collected.

    Raises:
        CourseError: A hidden test is wrong.
        GraderFault: The grader failed.
    """
    for exercise in checks.exercises if exercises is None else exercises:
        for check in exercise.checks:
            checks.run(exercise, check, _engine(checks.course, oracle, seed, exercise, check, _Planner()))


def _passing(engines: Iterable[EngineUnderCheck]) -> tuple[Run, ...]:
    """Return the runs on small programs that were right under every order seed, the first ones only."""
    batches = [shown for engine in engines for shown in engine.shown if isinstance(shown.answer, Read)]
    runs = (
        run
        for shown in batches
        for place, run in enumerate(shown.runs)
        if place not in shown.wrong | shown.aside and len(run.program.nodes) <= _SMALL
    )
    # several checks may send the same run
    return tuple({(run.program.shown, str(run.steps)): run for run in runs}.values())[:_MOST_PASSING]


def _may_be_named(file: _File, examined: Examined) -> bool:
    """Return whether a misconception may be the reason why checks failed."""
    known = file.grader.book.known.get(file.exercise.id)
    gradients = arrived(batch for engine in file.engines.values() for batch in engine.shown)
    return known is not None and can_be_named(known, examined.facts) and gradients is not False


def _facts(file: _File, limits: Limits, examined: Examined) -> tuple[FaultFact, ...]:
    """Return the fault facts about an engine that failed."""
    # the program on which the first failure was found
    failed = (check for check, checked in examined.checked.items() if checked.failed)
    run = file.engines[check].failing if (check := next(failed, None)) else None
    # the probes of facts are programs of scalars
    shown: Program | None = run.program if run and not run.program.has_arrays else None
    ran_out = any(checked.outcome.status == "timeout" for checked in examined.checked.values())

    def answer(probes: Batch) -> Read | Problem | Died:
        return file.probe(probes.tightened(_HASTE) if ran_out else probes)

    # rules one at a time, then whole passes
    rules = answer(rule_probes(limits))
    if not isinstance(rules, Read):
        return ()
    of_rules = rule_facts(rules, file.text, shown)
    passes = answer(pass_probes(limits, shown))
    of_pass = pass_facts(passes, of_rules, shown) if isinstance(passes, Read) else ()
    # a function that is stored in another place is certain to be the fault, whatever the pass computes
    idle = [fact for fact in of_rules if fact.kind in NOTHING_ADDED]
    if idle and not any(fact.kind == "no_rule" and fact.other for fact in idle):
        whole = answer(gradient_probes(limits, ""))
        if isinstance(whole, Read) and rules_unused(rules, whole):
            of_rules, of_pass = of_results(of_rules), ()
    if of_rules or of_pass:
        return of_pass + of_rules  # a fault of the backward pass concerns every operation, so it comes first
    # the probes are trainings of scalars by gradient descent
    runs = [run for engine in file.engines.values() for batch in engine.shown for run in batch.runs]
    if any("train" in run.calls and not run.program.has_arrays for run in runs):
        trained = answer(training_probes(limits))
        if isinstance(trained, Read) and (of_training := training_facts(trained)):
            return of_training

    # code that keeps state may compute other gradients if no other operation ran before
    def gradients(only: str = "") -> tuple[FaultFact, ...]:
        read = answer(gradient_probes(limits, only))
        return gradient_facts(read, only) if isinstance(read, Read) else ()

    # so a fact counts only if it is found again when no other operation runs
    if found := tuple(fact for fact in gradients() if fact in gradients(fact.operation or fact.program)):
        return found
    near = answer(shift_probes(limits, shown)) if shown and 1 < len(shown.nodes) <= _SMALL else None
    return shift_facts(near, shown) if isinstance(near, Read) and shown else ()
