"""The sentences that an instructor reads about a class."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Protocol

from ..outside import did_you_mean, few

_SHOWN = 5


class Review(Protocol):
    """Why a person should look at a submission: `NeedsReview` of `grader.report`, which has the kinds."""

    @property
    def kind(self) -> str: ...
    @property
    def exercise(self) -> str | None: ...
    @property
    def checks(self) -> tuple[str, ...]: ...
    @property
    def detail(self) -> str | None: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def line(self) -> int | None: ...
    @property
    def decided(self) -> "Decision | None": ...


class Decision(Protocol):
    """A decision of a person about a learner: `Decided` of `grader.report`."""

    @property
    def by(self) -> str: ...
    @property
    def at(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def points(self) -> Mapping[str, int]: ...
    @property
    def files(self) -> Mapping[str, str]: ...
    @property
    def submission(self) -> str | None: ...
    @property
    def submitted_at(self) -> str | None: ...
    @property
    def penalty(self) -> int | None: ...
    @property
    def excused(self) -> bool | None: ...
    @property
    def comment(self) -> str | None: ...
    @property
    def ignored(self) -> bool | None: ...
    @property
    def withdraw(self) -> Sequence[str]: ...


class Cause(Protocol):
    """A reason why a total changed: `Because` of `grader.people`, which has the kinds."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def before(self) -> int | None: ...
    @property
    def after(self) -> int | None: ...


def review_text(reason: Review) -> str:
    """Return a reason in an instructor's words."""
    where = f"{reason.exercise}: " if reason.exercise else ""
    checks = f" ({', '.join(reason.checks)})" if reason.checks else ""
    names = " or ".join(f"`{name}`" for name in reason.names)
    match reason.kind:
        case "ambiguous":
            return f"ambiguous: more than one person of the roster may have submitted it: {names}"
        case "late_unknown":
            return "submitted late; the platform does not say by how much"
        case "near_name":
            return f"{where}the file is missing, but there is {names}"
        case "other_files" if reason.decided is not None:
            said = decided_text(reason.decided)
            return f"the files changed after this was decided, so it does not hold for them yet: {said}"
        case "several":
            return f"several submissions, and not all of them have a time: {names}"
        case "stranger":
            return "the submitter is not in the roster"
        case "syntax":
            return f"{where}a syntax error in line {reason.line} costs the whole exercise"
        case "budget":
            return f"{where}not run to the end: the submission used up its time{checks}"
        case "killed":
            return f"{where}the process was killed{checks}"
        case "left_out":
            return f"{where}programs were left out of the answers{checks}"
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


def review_question(reason: Review) -> str:
    """Return what a person has to decide about a reason."""
    return _QUESTIONS[reason.kind]


def review_command(reason: Review, learner: str, results: str = "RESULTS") -> str:
    """Return the command that decides about a reason, with words in capitals to be replaced.

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
            what = next(iter((*reason.decided.points, *reason.decided.files)))
            return f"{begin} {of} --confirm {shlex.quote(what)} --why TEXT"
        case "several":
            return f"{begin} {of} --submission {shlex.quote(reason.names[-1])} --why TEXT"
        case _:
            check = f"{reason.exercise}.{reason.checks[0] if reason.checks else 'CHECK'}" if reason.exercise else ""
            return f"{begin} {of} --points {check or 'EXERCISE.CHECK'}=N --why TEXT"


_QUESTIONS: dict[str, str] = {
    "ambiguous": "Which of them submitted it?",
    "budget": "Which checks count that were not run?",
    "killed": "Do the checks count that were not finished?",
    "late_unknown": "When was it submitted, or which penalty counts?",
    "left_out": "Do the checks count whose answers are missing?",
    "near_name": "Does this file count for the exercise?",
    "no_answer": "Do the checks count that got no answer?",
    "no_files": "Was something else meant to be submitted?",
    "not_graded": "Can it be graded on another machine, or by hand?",
    "note": "Does the note change the score?",
    "other_files": "Does it also hold for the present files? If not, use --withdraw instead of --confirm.",
    "protocol_error": "Is this an attack, and what does it cost?",
    "several": "Which submission counts?",
    "several_files": "Which file counts for the exercise?",
    "stranger": "Who submitted it? If nobody of the class did, decide on the submission with --ignore.",
    "syntax": "Does a syntax error cost the whole exercise?",
    "unreadable": "Which points count instead?",
}


def decided_text(one: Decision) -> str:
    """Return a decision in words, such as `swap.upstream: 2 points (Ada, 2026-03-05: the check was wrong)`."""
    parts = [f"{name}: {points} {'point' if points == 1 else 'points'}" for name, points in one.points.items()]
    parts += [f"{exercise}: the file {path} counts" for exercise, path in one.files.items()]
    if one.submission is not None:
        parts.append(f"the submission {one.submission} counts")
    if one.submitted_at is not None:
        parts.append(f"submitted at {one.submitted_at}")
    if one.penalty is not None:
        parts.append(f"penalty: {one.penalty}")
    if one.excused is not None:
        parts.append("excused" if one.excused else "not excused")
    if one.comment is not None:
        parts.append("a comment")
    if one.ignored is not None:
        parts.append("the submission is ignored" if one.ignored else "the submission is not ignored")
    if one.withdraw:
        parts.append(f"withdrawn: {', '.join(one.withdraw)}")
    return f"{'; '.join(parts)} ({one.by}, {one.at[:10]}: {one.why})"


def misplaced_text(learner: str, submission: str, owners: Sequence[str]) -> str:
    """Return why a decision on the submission of a learner cannot be. Without a submission, `learner` is not one."""
    if not submission:
        return f"`ignored` is about a submission, and `{learner}` is none; name the id of the submission"
    if not owners:
        return f"there is no submission `{submission}`"
    whose = " and ".join(f"`{one}`" for one in owners)
    return (
        f"the submission `{submission}` is that of {whose}, not of `{learner}`; name one of `{learner}`, or give both "
        "learners the same group in the roster"
    )


def no_such_file(exercise: str, path: str, there: Sequence[str]) -> str:
    """Return why a file cannot be chosen for an exercise: the submission has only the files `there`."""
    listed = few([f"`{name}`" for name in dict.fromkeys(there)], _SHOWN)
    named = f"; name one of {listed}" if there else "; it has no file that can be chosen"
    return f"the submission has no file `{path}` that can be chosen for {exercise}{did_you_mean(path, there) or named}"


def why_text(before: int | None, after: int | None, why: str) -> str:
    """Return a change of a total, such as `66 -> 68, because the files changed`."""
    return _change(before, after) + (f", because {why}" if why else "")


def cause_text(cause: Cause) -> str:
    """Return a reason why a total changed in words."""
    change = _change(cause.before, cause.after)
    match cause.kind:
        case "check":
            return f"{cause.name}: {change}"
        case "decision" if cause.name == "submitted_at":
            return "the decision on the time of submission changed"
        case "decision":
            return f"decision on {cause.name}: {change}"
        case "excused":
            return "the learner is excused" if cause.after else "the learner is no longer excused"
        case "file_decision":
            return f"decision on the file of {cause.name}"
        case "penalty":
            return f"penalty: {change}"
        case "submission":
            return f"submission {cause.name} counts"
        case _:
            return _CAUSES[cause.kind]


_CAUSES: dict[str, str] = {
    "attempt": "another attempt counts",
    "course": "the course changed",
    "due": "the due date changed",
    "files": "the files changed",
    "gone": "the learner is no longer listed",
    "grader": "the version of the grader changed",
    "new": "the learner is new",
    "not_graded": "only one of the runs has a report",
    "rules": "the cost of lateness changed",
    "seed": "the random programs were drawn from another seed",
    "time": "the time of submission changed",
}


def _change(before: int | None, after: int | None) -> str:
    return " -> ".join("none" if points is None else str(points) for points in (before, after))


def columns_text(columns: Sequence[tuple[str, str]], unread: Sequence[tuple[str, str]]) -> str:
    """Return which columns of a roster were recognised, and which were not."""
    known = [name if _letters(name) == _letters(field) else f"{name} as {field}" for name, field in columns]
    other = [f"`{name}` (did you mean `{near}`?)" if near else f"`{name}`" for name, near in unread]
    text = f"columns recognised: {', '.join(known)}"
    return f"{text}; not recognised, and not used: {few(other, _SHOWN)}" if other else text


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def members_text(platform: str, names: Sequence[str]) -> str:
    """Return who gets no feedback file: members of groups for whom somebody else submitted."""
    one = len(names) == 1
    who = "1 member of a group has" if one else f"{len(names)} members of groups have"
    column = {"canvas": "Canvas id", "moodle": "Moodle id", "nbgrader": "login"}[platform]
    return (
        f"{who} no {column} in the roster, and so no feedback file for {platform}: {few(names, _SHOWN)}. "
        "`--to feedback` without `--for` has a folder for each learner."
    )


def problem_text(kind: str, **fields: object) -> str:
    """Return what is wrong with a roster, deadlines or decisions, or what a command did, in words."""
    return _SAID[kind].format(**fields)


_SAID: dict[str, str] = {
    "changed": "{count} of {of} learners changed.",
    "changed_of_one": "{count} of {of} learner changed.",
    "courses": "The courses differ: {was}, {now}.",
    "either": "expected either `{one}` or `{other}`",
    "holds_already": "only points and files are confirmed; the decision holds already",
    "made_for_nothing": "`made_for` names `{name}`, on which this decision says nothing",
    "no_check": "there is no check `{name}`{near}",
    "no_duration": "`{text}` is no duration; write one such as 10 min, 36 hours or 2 days",
    "no_exercise": "there is no exercise `{name}`{near}",
    "no_file": "there is no such file",
    "no_learner": "there is no learner `{name}`{near}",
    "no_list": "expected a list of decisions, each beginning with `- learner:`",
    "no_report": "there is no report on `{name}`, so points and files have no effect; put a folder with what there is "
    "among the submissions, or use --excused",
    "no_section": "there is no section `{name}` in the roster{near}",
    "no_submission": "there is no submission `{name}` in {folder}{near}",
    "no_such_decision": "`{name}` cannot be withdrawn{near}",
    "no_time": "`{text}` is no time; expected a form such as 2026-03-01T23:59:00+01:00",
    "no_zoned_time": "`{text}` is no time; write one such as 2026-03-01T23:59:00+01:00, with its offset from UTC",
    "nobody": "there is no learner or submission `{name}`{near}",
    "nobody_in": "there is no learner or submission `{name}` in {folder}{near}",
    "nobodys": "nobody of the roster submitted `{name}`; say who did, `grade decide {folder} LEARNER --submission {of} "
    "--why TEXT`, or that nobody of the class did, `grade decide {folder} {of} --ignore --why TEXT`",
    "not_decided": "nobody decided on that for `{learner}`{near}",
    "nothing_decided": "nothing is decided; expected one of {keys}",
    "penalty_without_due": "there is a penalty, but no `due`",
    "recorded_damaged": "{path} is damaged ({error}); remove it; attempts then have no times from earlier rosters",
    "roster_cells": 'the row has {cells} cells, but the header has {header}; put a cell with a comma into "quotes"',
    "roster_columns": "{headings} are both read as `{field}`; rename or remove one",
    "roster_csv": "cannot parse CSV: {error}",
    "roster_empty": "the file is empty; expected a header with {wanted}",
    "roster_nobody": "the file lists nobody",
    "roster_not_utf8": "it is not UTF-8; save the file as CSV in UTF-8",
    "roster_row": "the row says nobody's login, name or e-mail address",
    "roster_twice": "`{key}` is there twice; the first is in line {first}. Give each person a login.",
    "roster_who": "no column says who somebody is; expected {wanted}, found {found}",
    "say_what": "say what is decided: --points, --file, --submission, --submitted-at, --penalty, --excused, --comment, "
    "--ignore, --confirm or --withdraw",
    "say_who": "say who decides: --by NAME",
    "too_many_points": "`{name}` has {points} points, but the check is worth {most}",
    "undecidable": "this cannot be decided: {why}",
    "unreadable": "cannot be read: {error}",
    "write_file": "write EXERCISE=PATH, such as swap=old/02_swap.py",
    "write_points": "write EXERCISE.CHECK=N, such as swap.upstream=2",
    "write_time": "write a time such as 2026-03-01T23:59:00+01:00",
    "written": "Written to {path}. Run `grade cohort` again to apply it; it grades nothing twice.",
}
