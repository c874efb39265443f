"""The sentences for an instructor: reviews, decisions, rosters, deadlines, changed totals, commands, the class page."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..base.text import counted, did_you_mean, few, letters, plain
from ..course.learners import ChangedTotal, ChangeReason, Decided, NeedsReview, ReasonKind, ReviewKind
from .sentence import Sentence, duration_text, filled, listed

_SHOWN = 5  # names in one text
_REASONS = 4  # reasons for one change

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
    # People paste these commands into a shell, and names come from submissions. So each is quoted.
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
            # each of these is the name by which `--confirm` finds the decision again
            what = next(iter((*reason.decided.points, *reason.decided.files, "submitted_at")))
            return f"{begin} {of} --confirm {shlex.quote(what)} --why TEXT"
        case "several":
            return f"{begin} {of} --submission {shlex.quote(reason.names[-1])} --why TEXT"
        # for all others, a decision on points settles the reason
        case _:
            check = f"{reason.exercise}.{reason.checks[0] if reason.checks else 'CHECK'}" if reason.exercise else ""
            return f"{begin} {of} --points {check or 'EXERCISE.CHECK'}=N --why TEXT"


def kept_name(reason: NeedsReview) -> str:
    """Return the name of a reason for `--keep`, such as `note` or `swap.syntax`."""
    return f"{reason.exercise}.{reason.kind}" if reason.exercise else reason.kind


def keep_command(reason: NeedsReview, learner: str, results: str = "RESULTS") -> str:
    """Return the command that keeps a result as it is, and closes the review for this reason.

    Return an empty text for a reason that needs another decision. The arguments are those of `review_command`.
    """
    if reason.kind not in KEPT:
        return ""
    return f"grade decide {shlex.quote(results)} {shlex.quote(learner)} --keep {kept_name(reason)} --why TEXT"


def again_command(reason: NeedsReview, learner: str, results: str = "RESULTS") -> str:
    """Return the command that grades a submission again, or an empty text if it was not cut by time.

    The arguments are those of `review_command`.
    """
    if reason.kind not in ("budget", "no_answer"):
        return ""
    return f"grade cohort SUBMISSIONS --out {shlex.quote(results)} --again {shlex.quote(learner)}"


def keep_all_commands(reasons: Iterable[NeedsReview], results: str = "RESULTS") -> list[str]:
    """Return a command for each kind of reason that occurs more than once.

    The command records that all results with this reason are kept.
    """
    kinds = Counter(reason.kind for reason in reasons if reason.kind in KEPT)
    begin = f"grade decide {shlex.quote(results)} --all"
    return [f"{begin} --keep {kind} --why TEXT" for kind, count in kinds.items() if count > 1]


def is_ready(reason: NeedsReview) -> bool:
    """Return whether the command that records the decision about a reason needs no more than the text after `--why`."""
    # besides TEXT, the other commands contain a word in capitals that somebody has to replace
    return reason.kind in ("near_name", "several_files", "other_files", "several") or (
        reason.kind == "ambiguous" and bool(reason.names)
    )


ALL_LEARNERS = "all learners"
# the fields of a decision about the whole submission
_DECIDED = {
    "submission": "the submission {value} counts",
    "submitted_at": "submitted at {value}",
    "penalty": "penalty: {value:point}",
    "excused": "{value:?excused|not excused}",
    "comment": "a comment",
    "ignored": "the submission is {value:?|not }ignored",
}


def decided_text(one: Decided) -> str:
    """Return a decision in words, such as `swap.upstream: 2 points (Ada, 2026-03-05: the check was wrong)`."""
    parts = [f"{name}: {counted(points, 'point')}" for name, points in one.points.items()]
    parts += [f"{exercise}: the file {path} counts" for exercise, path in one.files.items()]
    values = {name: getattr(one, name) for name in _DECIDED}
    parts += [filled(_DECIDED[name], {"value": value}) for name, value in values.items() if value is not None]
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


def no_such_file(exercise: str, path: str, files: Sequence[str]) -> str:
    """Return the reason why a file cannot be chosen for an exercise.

    Args:
        files: the files that can be chosen.
    """
    first = few([f"`{name}`" for name in dict.fromkeys(files)], _SHOWN)
    remedy = did_you_mean(path, files) or (f"; name one of {first}" if files else "; it has no other such file")
    return f"the submission has no file `{path}` that can be chosen for {exercise}{remedy}"


def columns_text(columns: Sequence[tuple[str, str]], unread: Sequence[tuple[str, str]]) -> str:
    """Return a text about the columns of a roster.

    Args:
        columns: the recognised columns: pairs of a heading and its field.
        unread: the other columns: pairs of a heading and a similar known heading, or an empty text.
    """
    # a heading that is the field's own name, apart from case and punctuation, needs no explanation
    known = [name if letters(name) == letters(field) else f"{name} as {field}" for name, field in columns]
    other = [f"`{name}` (did you mean `{near}`?)" if near else f"`{name}`" for name, near in unread]
    text = f"columns recognised: {', '.join(known)}"
    return f"{text}; not recognised, and not used: {few(other, _SHOWN)}" if other else text


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
    return filled(_PROBLEMS[kind], fields)


_PROBLEMS: dict[str, str] = {
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
    "nothing_of": "there is no submission of `{name}`{near}",
    "no_submission": "there is no submission `{name}` in {folder}{near}",
    "no_such_decision": "`{name}` cannot be withdrawn{near}",
    "no_time": "`{text}` is not a time; expected a form such as 2026-03-01T23:59:00+01:00",
    "moodle_time": "`{text}` is not a time in Moodle's English form, such as Sunday, 1 March 2026, 11:59 PM; set the "
    "language of your Moodle profile to English, and download the worksheet again",
    "moodle_zone": "Moodle's times, such as `{text}`, have no time zone; write that of your Moodle profile into the "
    "file of deadlines: zone: Europe/Berlin",
    "no_zone": "there is no time zone `{name}`; write one such as Europe/Berlin",
    "no_zoned_time": "`{text}` is not a time; write one such as 2026-03-01T23:59:00+01:00, with its offset from UTC",
    "not_for_all": "a decision about all learners has no keys besides points and withdraw",
    "not_with_all": "--all takes the place of LEARNER: give --points and --withdraw, or --keep and no other decision",
    "not_decided": "there is no decision on that for `{learner}`{near}",
    "not_yet": "the extension counts once the learner has submitted",
    "nothing_open": "no open review can be closed with --keep for {names}",
    "nothing_decided": "nothing is decided; expected one of {keys}",
    "one_course": "Both runs are of the course {now}, but files of the course have changed between them.",
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
    "say_whom": "say whom the decision is about: a learner, or --all with --points, --withdraw or --keep",
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


def render_changes(changes: Sequence[ChangedTotal]) -> str:
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


def change_line(change: ChangedTotal) -> str:
    """Return a change in one line, such as `stu30: 66 -> 68, because swap.upstream: 0 -> 2`."""
    who = plain(f"{change.name} ({change.id})" if change.name and change.name != change.id else change.id)
    shown = [cause_text(one) for one in change.reasons[:_REASONS]]
    more = len(change.reasons) - len(shown)
    why = "; ".join(shown) + (f"; and {more} more" if more else "")
    return f"  {who}: {plain(why_text(change.before, change.after, why))}"


def why_text(before: int | None, after: int | None, why: str) -> str:
    """Return a change of a total, such as `66 -> 68, because the files changed`."""
    return _change(before, after) + (f", because {why}" if why else "")


def cause_text(cause: ChangeReason) -> str:
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


# -- `grade page`, `grade export` and `grade compare`: commands that read a folder of results --------------

_AGAIN = "run `grade cohort` again"
no_summary = Sentence(
    "{folder} contains no {name}; `grade cohort SUBMISSIONS --out {folder}` writes it, when everything is graded"
)
damaged_summary = Sentence(f"{{path}} is damaged ({{error}}); {_AGAIN}")
not_settled = Sentence(
    "{folder}: the roster, the deadlines or overrides.yaml changed after {name}; "
    f"{_AGAIN}, which applies them and grades nothing twice"
)
no_folder = Sentence("{path} is a {found}; expected a folder")
no_reports = Sentence("{folder} contains no reports; `grade cohort SUBMISSIONS --out {results}` writes them")
damaged_report = Sentence(f"{{path}} is damaged ({{error}}); {_AGAIN}, which then grades this submission again")
changed_report = Sentence(
    f"{{path}} was changed after it was written; {_AGAIN}, which grades this submission again; "
    "to change points permanently, use `grade decide {results} {submission}`"
)
misnamed_report = Sentence("{path} is the report of `{submission}`; remove it, or name it after that submission")
other_course = Sentence(
    "{path} was graded with another version of the course than {name} says; "
    f"{_AGAIN}, or remove the report if its submission is gone"
)
course_needed = Sentence("{results} was graded with another course than this one; use --course to name {course}")
out_is_folder = Sentence("--out {path} is a folder; name a file")
writes_folder = Sentence("--to {to} writes files for each submission; --out names a folder")
no_assignment = Sentence("--assignment goes with --to {formats}; {to} names no assignment")
no_platform = Sentence("--for goes with --to {formats}, not with --to {to}")
not_from_platform = Sentence("no submission in {results} came from a download of {platform}")
other_count = Sentence(
    "{found:report} found, but {name} counts {graded}; " + f"{_AGAIN}, and remove reports of submissions that are gone"
)
page_written = Sentence("wrote {path}: one file, which a browser opens without a network")


def exported(count: int, kind: str, path: str) -> str:
    """Return a line about an export that was written."""
    return f"{counted(count, kind)} written to {path}"


# -- limits of an export --------------------------------------------------------------------------------

reports_missing = Sentence(
    "{lacking} of {of:submission} {lacking:has no report and is|have no report and are} left out: {names}"
)
not_from = Sentence(
    "{lacking} of {of} {lacking:has|have} no file with a name from a download of {platform} and {lacking:is|are} left "
    "out: {names}",
    "platform lacking of names",
)


def other_total(to: str, submission: str, shown: tuple[str, int], other: tuple[str, int]) -> str:
    """Return a message that two learners share a submission but have different totals.

    Args:
        to: the format, which has only one total for a submission.
        shown: the name and the total of the learner whose total is written.
        other: the name and the total of the other learner.
    """
    return (
        f"{submission} belongs to {shown[0]} ({shown[1]}) and {other[0]} ({other[1]}); "
        f"--to {to} has one total for a submission, and {shown[1]} was written"
    )


# -- `grade export --to moodle`


not_a_worksheet = Sentence(
    "--to moodle needs Moodle's grading worksheet as the roster, with the columns Identifier, Grade and Last modified "
    "(grade): download it in English, and run `grade cohort` with --roster"
)
grades_too_high = Sentence(
    "{count:learner} {count:has|have} more points than Moodle's maximum grade, and Moodle refuses such a grade: {names}"
)


def worksheet_feedback(points: Sequence[tuple[str, int, int, int]], penalty: int, notes: Sequence[str]) -> str:
    """Return a text for a learner: the points of exercises, the penalty for lateness, and notes.

    Args:
        points: the name, the score, its maximum and the bonus of each exercise.
        penalty: the points that lateness costs.
        notes: further lines.
    """
    lines = [
        f"{name}: {score} of {most}{f', and {bonus} bonus' if bonus else ''}" for name, score, most, bonus in points
    ]
    return "\n".join([*lines, *([f"Penalty: {penalty}"] if penalty else []), *notes])


# -- `grade export --to sources`

compare_sources = Sentence(
    """\
The folder {submissions} has a folder for each submission, with its files as they were graded.
Notebooks are there as Python code. The folder {base} has the stubs that learners began with.

JPlag compares all files of the submissions. In this folder, run:

    java -jar jplag.jar -l python3 -bc {base} {submissions}

Dolos compares the files of one exercise. In this folder, run:

    dolos run -l python --ignore {base}/{file} {submissions}/*/{file}

A similarity is no proof. Read both files before you decide.
""",
    "submissions base file",
)
no_sources = Sentence(
    "{count:submission} {count:has|have} no files in the export, because none was readable, or because an earlier "
    "attempt counts: {names}"
)

# -- `grade cohort`: what it found, its progress, and what it did with files ---------------------------------------

# filled in by tqdm, which knows the numbers
PROGRESS = "{n_fmt} of {total_fmt} graded, {rate_noinv_fmt}, {remaining} left"
course = Sentence("course: {title} ({id} {version}) in {folder}")

FEW_JOBS = "--jobs must be at least 1"
which_course = Sentence(
    "which course? You are in the folder of {file}. Write --course {folder} for that one, or --course {packaged} "
    "for {title}"
)
submissions_found = Sentence("{count:submission} found in {folder}, read as `{layout}`")

roster = Sentence("roster: {people} {people:person|people} in {file}; {columns}")
faults = Sentence("{count:?{count} could not be graded}")
reading_ended = Sentence("the process that read it ended with status {status}")

grading_ended = Sentence("the process that graded it ended with {signal:?signal {signal}|status {status}}")
grading_killed = Sentence("the process that graded it was killed")
no_worker = Sentence("no worker could grade it: {error}")
places = Sentence("Reports: {reports}   Summary: {summary}")
reports_outdated = Sentence("{count:submission} graded again: the report had the schema of an older version.")

submissions_ignored = Sentence("Ignored, as {file} says: {ids:8}", "ids file")
reports_gone = Sentence(
    "Reports of submissions that no longer exist or are ignored were moved to {folder}: {ids:8}", "ids folder"
)
reports_edited = Sentence(
    "Reports that were changed by hand were moved to {folder}, and their submissions were graded again: {ids:8}",
    "ids folder",
)
not_searched = Sentence(
    "The search for the line that must change failed for these submissions. Their scores are complete. Run the same "
    "command again to repeat the search: {ids:8}",
    "ids",
)
change_points = Sentence(
    "To change points permanently: grade decide {results} LEARNER --points EXERCISE.CHECK=N --why TEXT"
)

reports_damaged = Sentence(
    "Damaged reports were moved to {folder}, and their submissions were graded again: {ids:8}", "ids folder"
)
_CONTINUE = "The reports so far are in {results}. Run the same command again to continue."
run_interrupted = Sentence(f"interrupted. {_CONTINUE}")
continue_with = Sentence(_CONTINUE)
one_learner = Sentence(
    "{folder} looks like the folder of one learner, because it contains {file}; name the folder with all "
    "learners' folders, such as {above}, or use --layout folders if each folder in {folder} is a learner's"
)
out_inside = Sentence("--out {out} is inside {submissions}; name a folder outside of it")

# -- notes on a submission as it was found: what was not read or not graded, and why -------------------------

cell_not_graded = Sentence("{notebook} has a cell for {exercise}, which was not graded, because there is {file}")


def copies(count: int, name: str, paths: Sequence[str]) -> str:
    """Return a note on several files with the same name and the same text. `paths` are the first of them."""
    return f"{count} identical copies of {name} were found: {listed(paths, more=count > len(paths))}"


in_doubt = Sentence("the file's name fits {submitters: or }; the file is graded as a submission of its own")

may_also_belong = Sentence("may also belong to this person, and is graded on its own: {files:5}")
more_notes = Sentence("and {count} more {count:note|notes} of this kind")
no_time = Sentence("the time of submission cannot be read: {text}")

not_in_export = Sentence("the export does not contain this folder")
not_listed = Sentence("{metadata} does not list this folder")

other_names = Sentence("files with other names were not graded: {names}{more:? and more}", "names")
several_times = Sentence("submitted more than once, each graded separately: {origins}")
symbolic_link = Sentence("{name} is a symbolic link; its target was not read")
too_deep = Sentence("{folder} has folders nested more than {depth} deep; they were not read")
too_many_files = Sentence("{folder} contains more than {most} files; the rest were not read")


# -- the summary at the end of `grade cohort` -----------------------------------------------------------

COLUMNS = ("exercise", "mean", "passed", "partial", "failed", "not started", "missing", "unreadable")
NO_MEAN = "-"
CHECKS = "Checks with a note"
MISCONCEPTIONS = "Misconceptions, with the number of learners"
REVIEW = "Needs review"
# lists of learners, in the order in which they are printed
PEOPLE = {
    "absent": "Submitted nothing",
    "unclaimed": "Not in the roster",
    "ambiguous": "Ambiguous in the roster",
    "excused": "Excused",
    "late": "Late",
    "untimed": "Counted as on time, because no time of submission is known",
    "decided": "With decisions in overrides.yaml",
}
_UNTRIED = {"missing": "Nobody submitted", "not_started": "Nobody began"}


headline = Sentence("{title}: {graded} of {submissions:submission} graded{kept:?, {kept} of them in an earlier run}")
scores = Sentence(
    "Mean {mean:.1f}, median {median:g} of {most:point}. All statistics are of {learners:graded learner}, after "
    "decisions, without bonus and penalties."
)
for_all = Sentence("Decided for all learners: {decision}")
part_mean = Sentence("{title}: mean {mean:.1f} of {most:point}")


def untried(kind: str, exercises: Sequence[str]) -> str:
    """Return a text about exercises that nobody submitted (`missing`) or that nobody began (`not_started`)."""
    return f"{_UNTRIED[kind]}: {', '.join(exercises)}"


check = Sentence("{exercise}, {title}: {note}")
misconception = Sentence("{exercise}: {title}  (as in {example})")


def grades(found: Sequence[tuple[str, int, int]], part: str) -> str:
    """Return the number of learners for each grade, best first.

    Args:
        found: Each grade with its least points and the number of learners. The last one, without a name, is below all.
        part: The title of the part whose points count; empty if those of all exercises do.
    """
    *_, lowest = [grade for grade, _, _ in found if grade] or [""]
    texts = [f"{grade} from {least}: {count}" if grade else f"below {lowest}: {count}" for grade, least, count in found]
    of = f" of the part “{part}”" if part else ""
    return f"Grades by points{of}: {', '.join(texts)}"


borders = Sentence("One small check from a grade boundary: {names}")


def people(kind: str, count: int, names: str) -> str:
    """Return a text with a list of learners. `kind` is a key of `PEOPLE`."""
    return f"{PEOPLE[kind]} ({count}): {names}"


UNTIMED_REMEDY = "A time can come from the column `submitted_at` of the roster, or from a decision:"


def late(name: str, seconds: int) -> str:
    """Return a learner's name with the duration of the lateness."""
    return f"{name} by {duration_text(seconds)}"


KEEP = "A command with --keep records that nothing changes."
AGAIN = "To grade it again:"
KEEP_ALL = "Close all reviews for one reason, without a change:"
beside = Sentence("Not part of any submission: {names}")
more = Sentence("and {count} more in cohort.json")


# -- the class page: texts by the names that its scripts use ---------------------------------------------
# `{name}` is the place of a field. If a text has two forms separated by `|`, the first one is for `n` being 1. Headings
# and explanations that are the same for every class are in the page's template, `grader/classes/page/template.html`.

cut_text = Sentence("{shown}… ({count:,} more characters in the report)")
more_text = Sentence("and {count} more in {where}")

WORDS = {
    # statuses of exercises and checks
    "status.passed": "passed",
    "status.partial": "partial",
    "status.failed": "failed",
    "status.error": "error",
    "status.timeout": "timeout",
    "status.crashed": "crashed",
    "status.skipped": "skipped",
    "status.missing": "missing",
    "status.not_started": "not started",
    "status.unreadable": "unreadable",
    # the standing of a learner without a score
    "standing.absent": "absent",
    "standing.excused": "excused",
    "standing.not_graded": "not graded",
    "learner.excused": " excused",
    # numbers
    "count.learners": "{n} learner|{n} learners",
    "count.reports": "{n} report|{n} reports",
    "count.points": "{n} point|{n} points",
    "count.hints": "{n} hint|{n} hints",
    "count.shown": "{shown} of {n} learner|{shown} of {n} learners",
    "late.days": "{n} d",
    "late.hours": "{n} h",
    "late.minutes": "{n} min",
    "late": "{duration} late",
    "percent": "{n} %",
    "percent.least": "under 1 %",
    "percent.most": "over 99 %",
    # the top of the page
    "lead.graded": "{graded} submission graded.|{graded} submissions graded.",
    "lead.some": "{graded} of {n} submission graded.|{graded} of {n} submissions graded.",
    "lead.part": "{title}: mean {mean} of {most} points.",
    "lead.scores": "Median {median}, mean {mean} of {most} points, standard deviation {deviation}. All statistics are "
    "of {n} graded learner, after decisions, without bonus and penalties."
    "|Median {median}, mean {mean} of {most} points, standard deviation {deviation}. All statistics are "
    "of {n} graded learners, after decisions, without bonus and penalties.",
    "warning.left_out": "{n} report of another course, or of another version of the course, is left out."
    "|{n} reports of another course, or of another version of the course, are left out.",
    "warning.other_number": "The summary covers {covered}, but {n} was found. {unsure}"
    "|The summary covers {covered}, but {n} were found. {unsure}",
    "warning.unsure": "The learners below may not match the numbers above.",
    "warning.for_all": for_all.template,
    "warning.beside": "Not part of any submission: {names}.",
    "error": "The results cannot be shown: {message}",
    "made": "{title}, version {version}; graded by grade {grader}. For instructors: hidden checks are shown in full.",
    "question.absent": "Who submitted nothing?",
    "question.late": "Who was late?",
    "question.review": "Who needs me?",
    "question.wrong": "What did most learners get wrong?",
    "question.border": "Whose grade depends on one check?",
    "question.changed": "What changed since the earlier run?",
    "question.code": "What does one learner's code look like?",
    "answer.nobody": "nobody",
    "answer.nothing": "nothing",
    "answer.wrong": "{exercise}: {n} of {of} learners who began it lost points",
    "answer.missing": "Nobody submitted {names}.",
    "answer.not_started": "Nobody began {names}.",
    "answer.review": "{n} learner needs review|{n} learners need review",
    "answer.few": "{n} learner has under half of the points|{n} learners have under half of the points",
    "answer.code": "search for a learner",
    "answer.empty": "{n} learner submitted no exercise file|{n} learners submitted no exercise file",
    "filter.absent": "submitted nothing",
    "filter.empty": "no exercise file",
    "filter.late": "late",
    "filter.few": "under half of the points",
    "filter.wrong": "lost points in {exercise}",
    "filter.misconception": "{exercise}: {title}",
    "filter.clear": " (show all)",
    "chart.median": "median {median}",
    "chart.points": "points",
    "chart.about": "Distribution of scores: median {median} of {most}; learners per tenth of the points: {bands}",
    "table.none": "None.",
    "review.all": "Close all reviews for one reason, without a change:",
    "review.keep": "If nothing changes:",
    "review.again": AGAIN,
    "table.exercises": "Exercises",
    "table.checks": "Checks",
    "table.review": "Needs review",
    "table.borders": "One check from a grade boundary",
    "table.changes": "Changes since the earlier run",
    "table.learners": "Learners",
    "column.all": "All",
    "column.all.about": "learners for whom everything passed",
    "column.because": "Because",
    "column.before": "Before",
    "column.border": "Boundary",
    "column.border.about": "the nearest boundary: the grade, and the points where it begins",
    "border.from": "{grade} from {border}",
    "column.change": "Change",
    "column.check": "Check",
    "column.discrimination": "Discrimination",
    "column.distance": "Distance",
    "column.exercise": "Exercise",
    "column.exercise.about": "{exercise}: {title}, {points}",
    "column.grade": "Grade",
    "column.graded": "Points",
    "column.graded.about": "the points that count towards the grade",
    "column.learner": "Learner",
    "column.mean": "Mean",
    "column.missing": "Missing",
    "column.missing.about": "learners for whom it is not started, missing or unreadable",
    "column.none": "None",
    "column.none.about": "learners for whom nothing passed",
    "column.note": "Note",
    "column.now": "Now",
    "column.part": "Part",
    "column.part.about": "learners for whom a part passed",
    "column.points": "Points",
    "column.rate": "Pass rate",
    "column.score": "Score",
    "column.section": "Section",
    "column.submitted": "Submitted",
    "column.to_decide": "To decide",
    "column.total": "Total",
    "column.why": "Why",
    "column.about": "{title}: {about}",
    "check.bonus": " bonus",
    "check.hidden": " hidden",
    "border.on": "on it",
    "border.short": "{points} short",
    "border.above": "{points} above",
    "changes.since": "Compared with {run}.",
    "misconception.example": "For example: ",
    "misconception.count": "{learners}, {percent}",
    "misconception.show": "Show these learners",
    "misconception.show.unseen": ": show them",
    # the heat map
    "exercise.no_mean": "\N{EN DASH}",
    "heat.none": "no result",
    "heat.points": "{score} of {most}",
    "heat.cell": "{learner}, {exercise}: {points}",
    "heat.zero": "no points",
    "heat.few": "under half",
    "heat.half": "half or more",
    "heat.most": "three quarters or more",
    "heat.full": "all",
    "learner.bonus": "bonus",
    "learner.review": " needs review",
    "section.all": "all",
    # one learner
    "fact.people": "Submitted by",
    "fact.section": "Section",
    "fact.group": "Group",
    "fact.id": "Id",
    "fact.others": "Other submissions",
    "fact.source": "Source",
    "fact.submitted": "Submitted",
    "fact.submitted.late": "{time}, {late}",
    "fact.due": "Due",
    "fact.penalty": "Penalty",
    "fact.total": "Total",
    "fact.grade": "Grade",
    "fact.comment": "Comment",
    "fact.commit": "Commit",
    "learner.part": "{title}: {score} of {most}",
    "learner.score": "{score} of {most}",
    "learner.score.bonus": "{score} of {most} and {bonus} bonus",
    "learner.needs_review": "◆ Needs review",
    "learner.decisions": "Decisions",
    "exercise.none": "no result",
    "check.unknown": "a check that is not in the summary",
    "check.line": " line {line}",
    "check.printed": "printed",
    "check.yours": "yours",
    "check.expected": "expected",
    "check.example": "for example ",
    "code.name": "Code: {file}",
    "code.unnamed": "Code",
    "code.file": "code",
    "code.marked": " marked: line {lines}| marked: lines {lines}",
    "dialog.previous": "Previous",
    "dialog.next": "Next",
    "dialog.close": "Close",
}
