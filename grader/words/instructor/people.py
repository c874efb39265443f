"""Messages about rosters, deadlines, decisions and groups: problems, and results of commands."""

from collections.abc import Sequence

from ...base import did_you_mean, few

_SHOWN = 5


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
    return _SAID[kind].format(**fields)


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
