"""Turn outcomes of checks into results. The functions are pure. No other module gives points."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ...course.facts import FaultFact
from ...course.load import Check, Exercise
from ...course.oracle import KnownBehaviour
from ...course.remarks import CellStart, NotRight, SecondPass, StartingFrom, Stopped, tag_of
from ...runner.client import NOTE, Reason, cut
from ...words import learner
from ...words.facts import fact_text
from ...words.practice import unread_text
from ...words.stopped import wants_argument
from ..checks.outcome import CheckOutcome, EngineShape, Finding, GraderFault
from ..diagnosis import answer_of, check_of, explains, operation_of
from ..report.model import CheckResult, Diagnosis, ExerciseResult, ExerciseStatus, skipped

_MOST_FACTS = 20  # for one exercise, to keep reports small


class FileState(Struct, frozen=True):
    """The state of one exercise's file before its checks run.

    Attributes:
        state: `loaded`, `failed` (it could not be loaded), `not_started`, `missing` or `unreadable`.
        reason: Why the file could not be read or loaded, as a code.
        stopped: Why the file could not be loaded, as the problem in the learner's code.
        cells: The cells of a notebook.
    """

    state: str
    file: str | None = None
    output: str = ""
    reason: Reason | None = None
    stopped: Stopped | None = None
    cells: tuple[CellStart, ...] = ()

    @property
    def code(self) -> Reason | UnsetType:
        """Return the reason for the report. The status `missing` needs none."""
        return self.reason if self.reason and self.reason.kind != "missing" else UNSET


# the names that need no note
_USUAL = [EngineShape(cls, "data", "grad", to) for cls in ("Value", "Tensor") for to in ("_prev", "_children", "")]
_NO_FINDING = Finding("failed")  # in the place of that of a check that passed


class Checked(Struct, frozen=True):
    """A check that was run: its outcome, and its result for the report."""

    outcome: CheckOutcome
    result: CheckResult

    @property
    def passed(self) -> bool:
        return self.outcome.status == "passed"

    @property
    def failed(self) -> bool:
        """Return whether the check did not pass, and not because its code is still to be filled in."""
        return self.outcome.status not in ("passed", "not_started")


def check_result(
    exercise: Exercise, check: Check, outcome: CheckOutcome, cells: Sequence[CellStart] = ()
) -> CheckResult:
    """Return the result of one check that was run, before its failure is explained.

    Args:
        cells: The cells of a notebook, which replace the line numbers of the text.
    """
    passed = outcome.status == "passed"
    # points must never depend on a result that contradicts itself
    if passed == (outcome.finding is not None):
        raise GraderFault(f"{exercise.id}.{check.id}: {outcome.status}, and a finding that says otherwise")
    finding = outcome.finding or _NO_FINDING
    # fields that have nothing to say are left out of the report
    return CheckResult(
        id=check.id,
        title=check.title,
        visibility=check.visibility,
        status=outcome.status,
        score=check.points if passed else 0,
        max_score=check.points,
        bonus=check.bonus,
        duration_s=round(outcome.duration_s, 4),
        program=finding.program or UNSET,
        expected=finding.expected or UNSET,
        actual=finding.actual or UNSET,
        expected_by=finding.expected_by if finding.expected else UNSET,
        play=_play(exercise, check) if outcome.replayable and outcome.status != "not_started" else UNSET,
        message=(not passed and learner.finding_text(finding, cells)) or UNSET,
        remarks=finding.remarks or UNSET,
        output=outcome.output or UNSET,
        reason=finding.reason or (Reason("left_out") if outcome.left_out else UNSET),
    )


def score(
    exercise: Exercise,
    state: FileState,
    checked: Mapping[str, Checked],
    explained: Mapping[str, KnownBehaviour] = MappingProxyType({}),
    facts: Sequence[FaultFact] = (),
    own: Collection[int] = (),
    attempts: Sequence[str] = (),
) -> ExerciseResult:
    """Return the result of an exercise, with the results of its checks in the order of the course.

    Args:
        checked: The checks that were run: all checks of a file that was loaded, else none.
        explained: The misconceptions behind checks that failed.
        facts: The fault facts.
        own: The numbers of the lines that were not given out.
        attempts: The system calls that the sandbox refused and reported.

    Raises:
        GraderFault: An outcome is missing, or belongs to a check that was not run.
    """
    run = _run(exercise, state, checked)
    checks = tuple(
        _explained(exercise, check, checked[check.id], explained.get(check.id), state.cells, facts, own)
        for check in run
    ) or tuple(map(skipped, exercise.checks))
    outcomes = [checked[check.id].outcome for check in run]
    points = sum(c.score for c in checks if not c.bonus)
    # the points follow from the checks alone, and never from a fact or a misconception
    faults = [fact for fact in facts if not _is_enough(fact, outcomes)]
    status = _exercise_status(state, points, exercise.max_score)
    return ExerciseResult(
        id=exercise.id,
        number=exercise.number,
        title=exercise.title,
        status=status,
        score=points,
        max_score=exercise.max_score,
        bonus=sum(c.score for c in checks if c.bonus),
        checks=checks,
        message=_why_not_run(state) or _notes(outcomes, attempts) or UNSET,
        file=state.file or UNSET,
        reason=state.code,
        facts=tuple(_reported(fact, state.cells, outcomes) for fact in faults[:_MOST_FACTS]) or UNSET,
        cells=state.cells or UNSET,
        attempts=tuple(attempts) or UNSET,
        output=state.output or UNSET,
        learnt=(status == "passed" and exercise.learnt) or UNSET,
    )


def _run(exercise: Exercise, state: FileState, checked: Mapping[str, Checked]) -> tuple[Check, ...]:
    """Return the checks that were run. Raises `GraderFault` if their outcomes are not those in `checked`."""
    run = exercise.checks if state.state == "loaded" else ()
    # without this error, a missing result would count as 0 points, and one too many would add points
    for name in sorted({check.id for check in run} ^ checked.keys()):
        has = "no result" if run else "a result"
        raise GraderFault(f"{exercise.id}.{name}: the file is {state.state}, and the check has {has}")
    return run


def _is_enough(fact: FaultFact, outcomes: Sequence[CheckOutcome]) -> bool:
    """Return whether a fact says that a rule assigns its contribution, and the exercise asks for no more.

    Then a check fails on a run that stores one contribution in each gradient, and the fact explains no failure.
    """
    if fact.kind != "overwrites" or not any(outcome.once for outcome in outcomes):
        return False
    return not any(explains(fact, outcome) for outcome in outcomes)


def _reported(fact: FaultFact, cells: Sequence[CellStart], outcomes: Sequence[CheckOutcome]) -> FaultFact:
    """Return a fact with its sentence, and with the failed checks that it can explain."""
    checks = tuple(outcome.check for outcome in outcomes if explains(fact, outcome))
    return replace(fact, text=fact_text(fact, cells), checks=checks)


def _explained(
    exercise: Exercise,
    check: Check,
    checked: Checked,
    diagnosis: KnownBehaviour | None,
    cells: Sequence[CellStart],
    facts: Sequence[FaultFact],
    own: Collection[int],
) -> CheckResult:
    """Return the result of a check with everything that explains its failure: misconception, hint and line."""
    result, outcome, finding = checked.result, checked.outcome, checked.outcome.finding
    if finding is None:
        return result
    if any(fact.kind == "gives_input" and explains(fact, outcome) for fact in facts):
        # the result and an input are one node, so it did not start from the numbers that were set for both
        remarks = tuple(remark for remark in finding.remarks if not isinstance(remark, StartingFrom))
        message = learner.finding_text(replace(finding, remarks=remarks), cells) or UNSET
        result = replace(result, remarks=remarks or UNSET, message=message)
    # a missing operation is a reason of its own, whatever else the code resembles
    lacking = finding.reason is not None and finding.reason.kind == "not_offered"
    known = diagnosis if checked.failed and not lacking else None
    hint = known.hint if known else _hint(exercise, check, outcome, facts)
    return replace(
        result,
        diagnosis=Diagnosis(known.id, known.title, _explanation(known, check, finding)) if known else UNSET,
        # the command, not the hint: a learner may want to think first
        hint=exercise.hint_command(hint) if hint else UNSET,
        hint_number=hint,
        line=_line(finding, own) or UNSET,
    )


def _explanation(known: KnownBehaviour, check: Check, finding: Finding) -> str:
    """Return the explanation of a misconception. If it explains only some of several wrong answers, it names them."""
    wrong = [name for remark in finding.remarks if isinstance(remark, NotRight) for name in remark.numbers]
    explained = {answer_of(key) for key in known.behaviour if check_of(key) == check.id}
    about = [name for name in wrong if name in explained]
    return known.explanation if len(about) in (0, len(wrong)) else learner.of_answers(about, known.explanation)


def _hint(exercise: Exercise, check: Check, outcome: CheckOutcome, facts: Sequence[FaultFact]) -> int:
    """Return the number of the hint for a failure without a known misconception, or 0 if no hint fits."""
    reason = outcome.finding and outcome.finding.reason
    if reason and reason.kind in ("budget", "unanswered"):
        return 0  # the check has no result because earlier code took too long; a hint on the check would not help
    return exercise.hint_number(check, frozenset(failure_codes(outcome, facts)))


def failure_codes(outcome: CheckOutcome, facts: Sequence[FaultFact]) -> Iterator[str]:
    """Yield the codes of what was observed in a failure, as `CODES` of `grader.course` lists them.

    Args:
        facts: The fault facts about the file. Only those that can explain the failure count.
    """
    # the program that failed
    if len(outcome.operations) == 1:
        yield outcome.operations[0]
    if outcome.wrong_value:
        yield "value"
    for fact in facts:
        if explains(fact, outcome):
            yield from filter(None, (fact.kind, fact.operation, operation_of(fact)))
    yield outcome.status
    if outcome.finding is None:
        return
    # what was remarked on the failure, and why there are no numbers
    yield from (tag_of(remark) for remark in outcome.finding.remarks if not isinstance(remark, SecondPass))
    if reason := outcome.finding.reason:
        yield from filter(None, (reason.kind, reason.type, reason.detail))


def _line(finding: Finding, own: Collection[int]) -> int | None:
    """Return the innermost of the learner's `own` lines where code raised an error, or None.

    A wrong number has no line, because the line of its cause is not known.
    """
    shown = reversed(finding.stopped.lines) if finding.stopped else ()
    return next((number for number, _ in shown if number in own), None)


def _play(exercise: Exercise, check: Check) -> str:
    """Return the command that replays the program on which a check failed. It counts checks from 1."""
    return f"grade play {exercise.id} {exercise.checks.index(check) + 1}"


def _exercise_status(state: FileState, points: int, of: int) -> ExerciseStatus:
    if state.state in ("not_started", "missing", "unreadable"):
        return state.state  # type: ignore[return-value]
    if points == of and state.state == "loaded":
        return "passed"
    return "partial" if points else "failed"


def _why_not_run(state: FileState) -> str | None:
    """Return a sentence that says why a file could not be read or loaded, or None if its checks ran."""
    if state.reason is None:
        return None
    name = Path(state.file or "").name
    if state.state == "failed":
        return learner.load_failure(name, state.stopped, state.reason, state.cells)
    return cut(unread_text(state.reason, name), NOTE)


def _notes(outcomes: Iterable[CheckOutcome], attempts: Sequence[str]) -> str:
    """Return sentences about unusual names, methods that were not run, and system calls that were refused."""
    notes = []
    shape = next((outcome.shape for outcome in outcomes if outcome.shape), None)
    if shape is not None and shape not in _USUAL:
        notes.append(learner.names_taken(shape.cls, shape.data, shape.grad, shape.inputs))
    not_run = dict.fromkeys(method for outcome in outcomes for method in outcome.not_run)
    notes += map(wants_argument, not_run)
    if attempts:
        notes.append(learner.refused_calls(attempts))
    return "; ".join(notes)
