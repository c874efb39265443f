"""Describe reasons for a review, the questions to decide, and decisions."""

import shlex
from collections import Counter
from collections.abc import Iterable

from ...base import counted
from ...learners import Decided, NeedsReview, ReviewKind


def review_text(reason: NeedsReview) -> str:
    """Return a reason as a sentence for an instructor, without its full stop."""
    where = f"{reason.exercise}: " if reason.exercise else ""
    checks = f" ({', '.join(reason.checks)})" if reason.checks else ""
    names = " or ".join(f"`{name}`" for name in reason.names)
    match reason.kind:
        case "ambiguous":
            return f"ambiguous: more than one person in the roster may have submitted it: {names}"
        case "attempt":
            calls = ", ".join(f"`{name}`" for name in reason.names)
            return f"the sandbox refused system calls that the code made: {calls} ({reason.detail})"
        case "late_unknown":
            return "submitted late; the platform does not say how late"
        case "near_name":
            return f"{where}the file is missing, but there is {names}"
        case "other_files":
            said = decided_text(reason.decided) if reason.decided else ""
            return f"this decision does not apply to the changed files until it is confirmed: {said}"
        case "several":
            return f"several submissions, and not all of them have a time: {names}"
        case "stranger":
            return "the submitter is not in the roster"
        case "syntax":
            return f"{where}a syntax error in line {reason.line} costs the whole exercise"
        case "budget":
            return f"{where}not all checks were run, because the submission used up its time{checks}"
        case "killed":
            return f"{where}the process was killed{checks}"
        case "left_out":
            return f"{where}answers are missing for some programs{checks}"
        case "no_answer":
            return f"{where}no answer in time{checks}"
        case "no_files":
            return "no exercise file was found"
        case "not_graded":
            return f"not graded: {reason.detail}"
        case "protocol_error":
            return f"{where}the answers are malformed{checks}"
        case "note" | "several_files" | "unreadable":
            return reason.detail or f"{where}unreadable"
        case _:
            raise ValueError(reason.kind)


def review_question(reason: NeedsReview) -> str:
    """Return the question about a reason that a person has to decide."""
    return _QUESTIONS[reason.kind]


def review_command(reason: NeedsReview, learner: str, results: str = "RESULTS") -> str:
    """Return the command that records the decision about a reason. The user replaces the words in capitals.

    Args:
        learner: the key of the learner, or the id of the submission.
        results: the folder of results.
    """
    begin = f"grade decide {shlex.quote(results)}"
    of = shlex.quote(learner)
    first = shlex.quote(f"{reason.exercise}={reason.names[0] if reason.names else 'PATH'}")
    match reason.kind:
        case "ambiguous" | "stranger":
            person = shlex.quote(reason.names[0]) if reason.names else "LEARNER"
            return f"{begin} {person} --submission {of} --why TEXT"
        case "late_unknown":
            return f"{begin} {of} --submitted-at TIME --why TEXT"
        case "near_name" | "several_files":
            return f"{begin} {of} --file {first} --why TEXT"
        case "other_files" if reason.decided is not None:
            what = next(iter((*reason.decided.points, *reason.decided.files, "submitted_at")))
            return f"{begin} {of} --confirm {shlex.quote(what)} --why TEXT"
        case "several":
            return f"{begin} {of} --submission {shlex.quote(reason.names[-1])} --why TEXT"
        case _:
            check = f"{reason.exercise}.{reason.checks[0] if reason.checks else 'CHECK'}" if reason.exercise else ""
            return f"{begin} {of} --points {check or 'EXERCISE.CHECK'}=N --why TEXT"


def kept_name(reason: NeedsReview) -> str:
    """Return the name of a reason for `--keep`, such as `note` or `swap.syntax`."""
    return f"{reason.exercise}.{reason.kind}" if reason.exercise else reason.kind


def keep_command(reason: NeedsReview, learner: str, results: str = "RESULTS") -> str:
    """Return the command that records that a result is kept, or an empty text if the reason asks for more than that.

    The arguments are those of `review_command`.
    """
    if reason.kind not in KEPT:
        return ""
    return f"grade decide {shlex.quote(results)} {shlex.quote(learner)} --keep {kept_name(reason)} --why TEXT"


def keep_all_commands(reasons: Iterable[NeedsReview], results: str = "RESULTS") -> list[str]:
    """Return a command for each kind of reason that occurs more than once: it records that all results are kept."""
    counted = Counter(reason.kind for reason in reasons if reason.kind in KEPT)
    begin = f"grade decide {shlex.quote(results)} --all"
    return [f"{begin} --keep {kind} --why TEXT" for kind, count in counted.items() if count > 1]


def is_ready(reason: NeedsReview) -> bool:
    """Return whether the command that records the decision about a reason needs no more than the text after `--why`."""
    return reason.kind in ("near_name", "several_files", "other_files", "several") or (
        reason.kind == "ambiguous" and bool(reason.names)
    )


# reasons that a report gives, so that somebody may decide that the report's result is kept
KEPT: tuple[ReviewKind, ...] = (
    "attempt",
    "budget",
    "killed",
    "left_out",
    "near_name",
    "no_answer",
    "no_files",
    "note",
    "protocol_error",
    "several_files",
    "syntax",
    "unreadable",
)

_QUESTIONS: dict[ReviewKind, str] = {
    "ambiguous": "Which of them submitted it?",
    "attempt": "Is this an attack, and how many points should it cost?",
    "budget": "Should the checks that were not run get points?",
    "killed": "Should the checks that did not finish get points?",
    "late_unknown": "When was it submitted, or which penalty applies?",
    "left_out": "Should the checks with missing answers get points?",
    "near_name": "Does this file count for the exercise?",
    "no_answer": "Should the checks without an answer get points?",
    "no_files": "Did the learner mean to submit something else?",
    "not_graded": "Can it be graded on another machine, or by hand?",
    "note": "Should the note change the score?",
    "other_files": "Does the decision also apply to the present files? If not, use --withdraw instead of --confirm.",
    "protocol_error": "Is this an attack, and how many points should it cost?",
    "several": "Which submission counts?",
    "several_files": "Which file counts for the exercise?",
    "stranger": "Who submitted it? If it was no learner of the class, decide with --ignore.",
    "syntax": "Should a syntax error cost the whole exercise?",
    "unreadable": "How many points should the exercise get?",
}


def decided_text(one: Decided) -> str:
    """Return a decision in words, such as `swap.upstream: 2 points (Ada, 2026-03-05: the check was wrong)`."""
    parts = [f"{name}: {counted(points, 'point')}" for name, points in one.points.items()]
    parts += [f"{exercise}: the file {path} counts" for exercise, path in one.files.items()]
    if one.submission is not None:
        parts.append(f"the submission {one.submission} counts")
    if one.submitted_at is not None:
        parts.append(f"submitted at {one.submitted_at}")
    if one.penalty is not None:
        parts.append(f"penalty: {counted(one.penalty, 'point')}")
    if one.excused is not None:
        parts.append("excused" if one.excused else "not excused")
    if one.comment is not None:
        parts.append("a comment")
    if one.ignored is not None:
        parts.append("the submission is ignored" if one.ignored else "the submission is not ignored")
    parts += [f"{name}: the result is kept" for name in one.keep]
    if one.withdraw:
        parts.append(f"withdrawn: {', '.join(one.withdraw)}")
    return f"{'; '.join(parts)} ({one.by}, {one.at[:10]}: {one.why})"
