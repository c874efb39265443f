"""Describe what people decide about a class: reviews, decisions, rosters and deadlines, and totals that changed."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...base import counted, did_you_mean, few, plain
from ...learners import Because, Change, Decided, NeedsReview, ReasonKind, ReviewKind
from ..sentence import filled

_SHOWN = 5
_REASONS = 4

# -- reasons for a review -------------------------------------------------------------------------------


class _Review(NamedTuple):
    """A reason for a review as a sentence without its full stop, and the question that a person has to decide.

    `kept` says whether a report gives the reason, so that somebody may decide that the report's result is kept.
    """

    text: str
    question: str
    kept: bool = True


_REVIEWS: dict[ReviewKind, _Review] = {
    "ambiguous": _Review(
        "ambiguous: more than one person in the roster may have submitted it: {any_name}",
        "Which of them submitted it?",
        kept=False,
    ),
    "attempt": _Review(
        "the sandbox refused system calls that the code made: {every_name} ({detail})",
        "Is this an attack, and how many points should it cost?",
    ),
    "budget": _Review(
        "{where}not all checks were run, because the submission used up its time{checks:? ({checks})}",
        "Should the checks that were not run get points?",
    ),
    "killed": _Review(
        "{where}the process was killed{checks:? ({checks})}", "Should the checks that did not finish get points?"
    ),
    "late_unknown": _Review(
        "submitted late; the platform does not say how late",
        "When was it submitted, or which penalty applies?",
        kept=False,
    ),
    "left_out": _Review(
        "{where}answers are missing for some programs{checks:? ({checks})}",
        "Should the checks with missing answers get points?",
    ),
    "near_name": _Review(
        "{where}the file is missing, but there is {any_name}", "Does this file count for the exercise?"
    ),
    "no_answer": _Review(
        "{where}no answer in time{checks:? ({checks})}", "Should the checks without an answer get points?"
    ),
    "no_files": _Review("no exercise file was found", "Did the learner mean to submit something else?"),
    "not_graded": _Review("not graded: {detail}", "Can it be graded on another machine, or by hand?", kept=False),
    "note": _Review("{detail:?{detail}|{where}unreadable}", "Should the note change the score?"),
    "other_files": _Review(
        "this decision does not apply to the changed files until it is confirmed: {decision}",
        "Does the decision also apply to the present files? If not, use --withdraw instead of --confirm.",
        kept=False,
    ),
    "protocol_error": _Review(
        "{where}the answers are malformed{checks:? ({checks})}",
        "Is this an attack, and how many points should it cost?",
    ),
    "several": _Review(
        "several submissions, and not all of them have a time: {any_name}", "Which submission counts?", kept=False
    ),
    "several_files": _Review("{detail:?{detail}|{where}unreadable}", "Which file counts for the exercise?"),
    "stranger": _Review(
        "the submitter is not in the roster",
        "Who submitted it? If it was no learner of the class, decide with --ignore.",
        kept=False,
    ),
    "syntax": _Review(
        "{where}a syntax error in line {line} costs the whole exercise",
        "Should a syntax error cost the whole exercise?",
    ),
    "unreadable": _Review("{detail:?{detail}|{where}unreadable}", "How many points should the exercise get?"),
}
# reasons that a report gives, so that somebody may decide that the report's result is kept
KEPT = tuple(kind for kind, review in _REVIEWS.items() if review.kept)


def review_text(reason: NeedsReview) -> str:
    """Return a reason as a sentence for an instructor, without its full stop."""
    names = [f"`{name}`" for name in reason.names]
    fields = {
        "where": f"{reason.exercise}: " if reason.exercise else "",
        "checks": reason.checks,
        "any_name": " or ".join(names),
        "every_name": ", ".join(names),
        "detail": reason.detail,
        "line": reason.line,
        "decision": decided_text(reason.decided) if reason.decided else "",
    }
    return filled(_REVIEWS[reason.kind].text, fields)


def review_question(reason: NeedsReview) -> str:
    """Return the question about a reason that a person has to decide."""
    return _REVIEWS[reason.kind].question


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


# -- rosters, deadlines, decisions and groups: problems, and results of commands ----------------------------


def misplaced_text(learner: str, submission: str, owners: Sequence[str]) -> str:
    """Return the reason why a decision cannot apply. If `submission` is empty, `learner` is not a submission."""
    if not submission:
        return f"`ignored` is about a submission, but `{learner}` is not one; give the id of the submission"
    if not owners:
        return f"there is no submission `{submission}`"
    whose = " and ".join(f"`{one}`" for one in owners)
    return (
        f"the submission `{submission}` belongs to {whose}, not to `{learner}`; name one that does, or give both "
        "learners the same group in the roster"
    )


def no_such_file(exercise: str, path: str, there: Sequence[str]) -> str:
    """Return the reason why a file cannot be chosen for an exercise. `there` are the files that can be chosen."""
    listed = few([f"`{name}`" for name in dict.fromkeys(there)], _SHOWN)
    named = f"; name one of {listed}" if there else "; it has no other such file"
    return f"the submission has no file `{path}` that can be chosen for {exercise}{did_you_mean(path, there) or named}"


def columns_text(columns: Sequence[tuple[str, str]], unread: Sequence[tuple[str, str]]) -> str:
    """Return a text about the columns of a roster that were recognised, and those that were not."""
    known = [name if _letters(name) == _letters(field) else f"{name} as {field}" for name, field in columns]
    other = [f"`{name}` (did you mean `{near}`?)" if near else f"`{name}`" for name, near in unread]
    text = f"columns recognised: {', '.join(known)}"
    return f"{text}; not recognised, and not used: {few(other, _SHOWN)}" if other else text


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def members_text(platform: str, names: Sequence[str]) -> str:
    """Return a message about group members who get no feedback file, because another member submitted."""
    one = len(names) == 1
    who = "1 member of a group has" if one else f"{len(names)} members of groups have"
    column = {"canvas": "Canvas id", "moodle": "Moodle id", "nbgrader": "login"}[platform]
    return (
        f"{who} no {column} in the roster, and so no feedback file for {platform}: {few(names, _SHOWN)}. "
        "`--to feedback` without `--for` writes a folder for each learner."
    )


def problem_text(kind: str, **fields: object) -> str:
    """Return a message about a problem with a roster, deadlines or decisions, or about the result of a command."""
    return filled(_SAID[kind], fields)


_SAID: dict[str, str] = {
    "all_is_for_keep": "--all takes the place of LEARNER, and closes reviews: give --keep, and no other decision",
    "cap_of_percent": "`cap` is `{cap}`; with `percent`, write a percentage of at most 100",
    "courses": "The courses differ: {was}, {now}.",
    "either": "expected either `{one}` or `{other}`",
    "holds_already": "this decision needs no confirmation; only decisions about points, files and times do",
    "made_for_nothing": "`made_for` names `{name}`, but this decision is not about `{name}`",
    "no_check": "there is no check `{name}`{near}",
    "no_duration": "`{text}` is not a duration; write one such as 10 min, 36 hours or 2 days",
    "no_exercise": "there is no exercise `{name}`{near}",
    "no_file": "there is no such file",
    "no_learner": "there is no learner `{name}`{near}",
    "no_list": "expected a list of decisions, each beginning with `- learner:`",
    "no_reason": "there is no reason `{name}` for a review{near}; expected one such as note or swap.syntax",
    "no_report": "there is no report on `{name}`, so points and files have no effect; add a folder with what there is "
    "to the submissions, or use --excused",
    "no_section": "there is no section `{name}` in the roster{near}",
    "no_submission": "there is no submission `{name}` in {folder}{near}",
    "no_such_decision": "`{name}` cannot be withdrawn{near}",
    "no_time": "`{text}` is not a time; expected a form such as 2026-03-01T23:59:00+01:00",
    "no_zoned_time": "`{text}` is not a time; write one such as 2026-03-01T23:59:00+01:00, with its offset from UTC",
    "not_decided": "there is no decision on that for `{learner}`{near}",
    "not_yet": "the extension counts once the learner has submitted",
    "nothing_open": "no open review can be closed with --keep for {names}",
    "nothing_decided": "nothing is decided; expected one of {keys}",
    "penalty_without_due": "there is a penalty, but no `due`",
    "recorded_damaged": "{path} is damaged ({error}); remove it, but attempts then have no times from earlier rosters",
    "roster_cells": 'the row has {cells} cells, but the header has {header}; put a cell with a comma into "quotes"',
    "roster_columns": "{headings} are both read as `{field}`; rename or remove one",
    "roster_csv": "cannot parse CSV: {error}",
    "roster_empty": "the file is empty; expected a header with {wanted}",
    "roster_no_people": "the file lists no people",
    "roster_not_utf8": "it is not UTF-8; save the file as CSV in UTF-8",
    "roster_row": "the row has no login, name or e-mail address",
    "roster_twice": "`{key}` occurs twice; the first is in line {first}. Give each person a login.",
    "roster_who": "no column identifies people; expected {wanted}, found {found}",
    "say_what": "say what is decided: --points, --file, --submission, --submitted-at, --penalty, --excused, --comment, "
    "--ignore, --keep, --confirm or --withdraw",
    "say_whom": "say whom the decision is about: a learner, or --all with --keep",
    "say_who": "say who decides: --by NAME",
    "stranger": "the submitter of `{name}` is not in the roster; if a learner of the class submitted it, use `grade "
    "decide {folder} LEARNER --submission {of} --why TEXT`, or else `grade decide {folder} {of} --ignore --why TEXT`",
    "too_many_points": "`{name}` has {points} points, but the check is worth {most}",
    "undecidable": "this cannot be decided: {why}",
    "unknown": "there is no learner or submission `{name}`{near}",
    "unknown_in": "there is no learner or submission `{name}` in {folder}{near}",
    "unreadable": "cannot be read: {error}",
    "write_file": "write EXERCISE=PATH, such as swap=old/02_swap.py",
    "write_points": "write EXERCISE.CHECK=N, such as swap.upstream=2",
    "write_time": "write a time such as 2026-03-01T23:59:00+01:00",
    "written": "Written to {path}. Run `grade cohort` again to apply it; it grades nothing twice.",
}


# -- totals that changed between two runs, and the reasons -----------------------------------------------


def render_changes(changes: Sequence[Change]) -> str:
    """Return a line for each learner whose row changed, with the reasons, or an empty text if no row changed."""
    if not changes:
        return ""
    return "\n".join(["", f"Changed since the earlier run ({len(changes)})", *map(change_line, changes)]) + "\n"


def changed_text(changed: int, of: int, gone: int, new: int) -> str:
    """Return the number of learners whose row changed.

    Args:
        of: the number of learners who are in both tables.
        gone: the number of learners with a total who are only in the first table.
        new: the number of learners with a total who are only in the second table.
    """
    if not gone and not new:
        return f"{changed} of {counted(of, 'learner')} changed."
    only = [f"Only in the {name} results: {count}." for count, name in ((gone, "earlier"), (new, "later")) if count]
    both = f"{changed} of {counted(of, 'learner')} in both results changed" if of else "No learner is in both results"
    return " ".join([f"{both}.", *only])


def change_line(change: Change) -> str:
    """Return a change in one line, such as `stu30: 66 -> 68, because swap.upstream: 0 -> 2`."""
    who = plain(f"{change.name} ({change.id})" if change.name and change.name != change.id else change.id)
    shown = [cause_text(one) for one in change.reasons[:_REASONS]]
    more = len(change.reasons) - len(shown)
    why = "; ".join(shown) + (f"; and {more} more" if more else "")
    return f"  {who}: {plain(why_text(change.before, change.after, why))}"


def why_text(before: int | None, after: int | None, why: str) -> str:
    """Return a change of a total, such as `66 -> 68, because the files changed`."""
    return _change(before, after) + (f", because {why}" if why else "")


def cause_text(cause: Because) -> str:
    """Return a text for a reason why a total changed."""
    if cause.kind == "decision" and cause.name == "submitted_at":
        return "the decision on the time of submission changed"
    change = _change(cause.before, cause.after)
    return filled(_CAUSES[cause.kind], {"name": cause.name, "change": change, "after": cause.after})


_CAUSES: dict[ReasonKind, str] = {
    "attempt": "another attempt counts",
    "check": "{name}: {change}",
    "course": "the course changed",
    "decision": "decision on {name}: {change}",
    "due": "the due date changed",
    "excused": "the learner is {after:?|no longer }excused",
    "file_decision": "decision on the file of {name}",
    "files": "the files changed",
    "gone": "the learner is no longer listed",
    "grader": "the version of the grader changed",
    "new": "the learner is new",
    "not_graded": "only one of the runs has a report",
    "penalty": "penalty: {change}",
    "rules": "the penalty for lateness changed",
    "seed": "the random programs were drawn from another seed",
    "submission": "submission {name} counts",
    "time": "the time of submission changed",
}


def _change(before: int | None, after: int | None) -> str:
    return " -> ".join("none" if points is None else str(points) for points in (before, after))


# -- advice about a check, based on the results of a class ------------------------------------------------

_NOTES = {
    "": "",
    "everybody": "everybody passes it, so it does not distinguish between submissions",
    "missing": "nobody submitted the exercise",
    "negative": "those who pass it have fewer points elsewhere; review the check",
    "nobody": "nobody passes; review the check and the lesson",
    "not_started": "nobody began the exercise",
    "weak": "it hardly separates strong from weak submissions",
}


def check_note(kind: str) -> str:
    """Return the advice for a kind of result, or an empty text."""
    return _NOTES[kind]
