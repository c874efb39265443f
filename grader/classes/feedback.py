"""Feedback for each learner of a class: the report as JSON, and as a single HTML file without scripts.

A platform that takes feedback files for upload accepts only certain names, derived from those in its own download.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from ..base.page import REPORT_STYLE, write_static_page
from ..base.text import counted, plain, spelled
from ..course.learners import Learner, Person
from ..runner.client import SOURCE_LINE, cut
from ..verdict.formats import ExportedFiles, ExportRequest, Format, decision_on, other_decisions, register
from ..verdict.report import (
    CheckResult,
    Compared,
    Diagnosis,
    ExerciseResult,
    Report,
    failure,
    line_of,
    part_texts,
    to_json,
)
from ..words import learner as words
from ..words.instructor import members_text
from .cohort import read_code, read_found
from .intake import readings
from .people import HandIn, submitter_of

_STYLES = (REPORT_STYLE, Path(__file__).with_name("feedback.css"))
_SIGNS = {"passed": "✓", "partial": "◐", "not_started": "○", "missing": "\N{EN DASH}", "skipped": "\N{EN DASH}"}
_AROUND = 8  # lines of code shown before and after a line that failed
_ENDS = 20  # lines that are marked at each end of a rule that is longer than twice as many
_CLOSED = ("passed", "missing", "not_started")
_Child = Element | str | None


def feedback(reports: Iterable[Report], request: ExportRequest) -> Iterator[ExportedFiles]:
    """Yield each learner's files: `report.json` and `feedback.html`."""
    taken: set[str] = set()
    for report in reports:
        name = folder_of(report)
        if name.lower() in taken:  # two ids differ only in characters that a folder's name cannot contain
            name += "-" + hashlib.sha256((report.learner.id if report.learner else name).encode()).hexdigest()[:12]
        taken.add(name.lower())
        yield {f"{name}/report.json": to_json(report).decode(), f"{name}/feedback.html": _page(report, request)}


def _page(report: Report, request: ExportRequest) -> str:
    return feedback_page(report, request.title, read_code(request.results, report), request.hints)


def folder_of(report: Report) -> str:
    """Return the name of a learner's folder: name and id from the roster, or else the id of the submission."""
    learner = report.learner
    if not learner or (learner.id == report.submission.id and not learner.person.login):
        return report.submission.id
    # `\w` keeps the letters of every script
    name = re.sub(r"[^\w.@-]+", "_", f"{learner.person.name} {learner.id}").strip("._-")
    return name[:120] or report.submission.id


def feedback_files(reports: Iterable[Report], request: ExportRequest) -> Iterator[ExportedFiles]:
    """Yield the page of each learner, with a path that the platform accepts for upload.

    A submission whose files did not come from the platform's own download has no such path, and so no file. A group
    member whose id on the platform is unknown is named in a warning.
    """
    platform = request.platform or ""

    def place_of(report: Report, member: bool) -> str:
        found = place(report, platform, member=member)
        # without the file of an exercise, any other file has the path
        others = () if found else read_found(request.results, report.submission.id).get("", ())
        return found or place(report, platform, member=member, others=others)

    # members of a group have the same submission
    groups: dict[str, list[Person]] = {}
    for learner in request.learners:
        groups.setdefault(learner.submission, []).append(learner.person)
    unknown: list[str] = []
    for report in reports:
        member = _is_other_member(report, groups)
        name = place_of(report, member)
        if name:
            yield {name: _page(report, request)}
        # the submission has a place, but not for this member: the platform's id is missing
        elif member and report.learner and place_of(report, False):
            unknown.append(plain(report.learner.person.name or report.learner.id))
        else:
            request.left_out.append(name_of(report))
            yield {}
    if unknown:
        request.warnings.append(members_text(platform, unknown))


def _is_other_member(report: Report, groups: Mapping[str, Sequence[Person]]) -> bool:
    """Return whether another member of the learner's group submitted."""
    learner = report.learner or None
    group = groups.get(learner.submission, ()) if learner else ()
    return learner is not None and len(group) > 1 and submitter_of(group, HandIn.of(report.submission)) != learner.id


def place(report: Report, platform: str, *, member: bool = False, others: Iterable[str] = ()) -> str:
    """Return the path of a learner's page in the form that a platform accepts, or an empty text.

    Args:
        member: whether another member of the learner's group submitted.
        others: the paths of further files of the submission.
    """
    person = report.learner.person if member and report.learner else None
    return _PLACES[platform](report, person, [*_paths(report), *others])


def _canvas(report: Report, member: Person | None, paths: Sequence[str]) -> str:
    """Return `doejane_1042_99731_feedback.html`. Canvas looks for the ids of a user and of a file in the submission."""
    for path in paths:
        for reading in readings(path.partition("/")[0]):
            # the member's own id, with the id of the file that the group submitted
            if reading.file and reading.number and member is not None:
                called = "".join(c for c in member.name.lower() if c.isalnum()) or "learner"
                known = member.canvas_id.isdecimal()
                return f"{called}_{member.canvas_id}_{reading.number}_feedback.html" if known else ""
            if reading.file and reading.number:
                return f"{reading.before}feedback.html"
    return ""


def _moodle(report: Report, member: Person | None, paths: Sequence[str]) -> str:
    """Return a path in a folder named as in the download. Moodle reads the participant's number from the name."""
    origin = report.submission.origin or ""
    if member is not None:
        called = re.sub(r"[^\w .-]+", "", member.name).strip(". ") or "learner"
        origin = f"{called}_{member.moodle_id}_assignsubmission_file_" if member.moodle_id else ""
    return f"{origin}/feedback.html" if "_assignsubmission_" in origin and "/" not in origin else ""


def _nbgrader(report: Report, member: Person | None, paths: Sequence[str]) -> str:
    """Return `<student>/<assignment>/feedback.htm`, as in nbgrader's folder `feedback`.

    nbgrader looks for a notebook with the name of each file that ends with `.html`.
    `grade cohort --assignment` names the assignment. Without it, the assignment is the folder that contains all files.
    In nbgrader's own folder, the submitter's id is the name of the folder. In any other layout, the path is empty.
    """
    origin, _, named = (report.submission.origin or "").partition("/")
    # only nbgrader's layout makes the folder's name the id of the only submitter
    if [one.id for one in report.submission.submitters or ()] != [origin]:
        return ""
    student = origin if member is None else member.login
    # these names become a path, which must not lead out of the folder
    if student.startswith(".") or named.startswith(".") or "/" in student + named:
        return ""
    # the assignment is the folder that all files of the student are in
    assignments = {path.partition("/")[0] for path in paths if "/" in path}
    assignment = named or (assignments.pop() if len(assignments) == 1 else "")
    return f"{student}/{assignment}/feedback.htm" if student and assignment else ""


def _paths(report: Report) -> Iterator[str]:
    """Yield the paths of the files that were graded, and of other files that may be meant for an exercise."""
    for exercise in report.exercises:
        if exercise.file and exercise.status != "missing":
            yield exercise.file
        yield from exercise.reason.names if exercise.reason else ()


@dataclass(frozen=True)
class OverallResult:
    """The overall result of a learner.

    Attributes:
        headline: the learner's name with the total, or with a text that the learner is excused.
        sentences: sentences about the sum of points, the time of submission, lateness, and the grade.
        comment: a person's comment for the learner, or an empty text.
        decisions: texts of the decisions, except those about the points of checks.
    """

    headline: str
    sentences: tuple[str, ...] = ()
    comment: str = ""
    decisions: tuple[str, ...] = ()


def name_of(report: Report) -> str:
    """Return the learner's name from the final table, or else the names of all submitters, or else the id."""
    if report.learner and report.learner.person.name:
        return report.learner.person.name
    return ", ".join(one.name for one in report.submission.submitters or ()) or report.submission.id


def result_of(report: Report) -> OverallResult:
    """Return the overall result from the row of the final table, or else from the points of the report."""
    name, row = name_of(report), report.learner
    if not row:
        return OverallResult(words.result_text(name, report.score + report.bonus, report.max_score))
    excused = row.standing == "excused"
    return OverallResult(
        words.excused_text(name) if excused else words.result_text(name, row.total, report.max_score),
        tuple(filter(None, _sentences(row))),
        row.comment,
        tuple(other_decisions(row)),
    )


def _sentences(row: Learner) -> tuple[str, ...]:
    if row.standing == "excused":
        return (words.time_text(row),)
    return words.sum_text(row), words.time_text(row), words.grade_text(row.grade)


def feedback_page(report: Report, title: str, code: Mapping[str, str], hints: Mapping[str, str]) -> str:
    """Return the page for a learner.

    Args:
        report: the report without what the course hides from learners.
        title: the course's title.
        code: the files that the report was made from, by exercise.
        hints: the texts of hints, by the command that shows them.
    """
    result = result_of(report)
    sentences = (_make("p", sentence) for sentence in result.sentences)
    main = _make(
        "main",
        *_note(words.COMMENT, result.comment.splitlines()),
        *_note(words.DECISIONS, result.decisions),
        *_note(words.NOTES, report.notes),
        *(_exercise(exercise, code.get(exercise.id, ""), hints) for exercise in report.exercises),
    )
    parts = (_make("p", text) for text in part_texts(report.parts))
    lead = _make("p.lead", result.headline)
    body = _make("body", _make("header", _make("h1", title), lead, *parts, *sentences), main)
    return write_static_page(words.page_title(title, name_of(report)), _STYLES, body)


def _note(heading: str, lines: Sequence[str]) -> Iterator[Element]:
    """Yield an element with a heading and lines, or nothing if there are no lines."""
    if lines:
        yield _make("div.note", _make("h2", heading), *(_make("p", line) for line in lines))


def _make(kind: str, *children: _Child, **attributes: str) -> Element:
    """Return an element with children. Strings become text, and invisible characters in them are escaped.

    Args:
        kind: the tag, or the tag and the value of `class`, as in `p.lead`.
    """
    tag, _, style = kind.partition(".")
    element = Element(tag, {**({"class": style} if style else {}), **attributes})
    for child in children:
        if isinstance(child, Element):
            element.append(child)
        elif child and len(element):
            # text after a child belongs to that child in ElementTree, and not to its parent
            element[-1].tail = (element[-1].tail or "") + spelled(child, "\t\n")
        elif child:
            element.text = (element.text or "") + spelled(child, "\t\n")
    return element


def _given(kind: str, *children: _Child) -> Element | None:
    """Return an element with children, or None if there are no children."""
    return _make(kind, *children) if any(child is not None and child != "" for child in children) else None


def _exercise(exercise: ExerciseResult, code: str, hints: Mapping[str, str]) -> Element:
    title = _make("h2", _make("span.number", exercise.number), f" {exercise.title} ", _make("small", exercise.id))
    points = _make("span.points", words.points_text(exercise.score, exercise.max_score, exercise.bonus))
    # each misconception and each hint once, though several checks may have it
    diagnoses = dict.fromkeys(check.diagnosis for check in exercise.checks if check.diagnosis)
    commands = dict.fromkeys(check.hint for check in exercise.checks if check.hint)
    facts = [fact.text for fact in exercise.facts or ()]
    results = _make(
        "div.results",
        _given("pre", exercise.message or ""),
        _given("ul.facts", *(_make("li", *_prose(text)) for text in (*facts, line_of(exercise)) if text)),
        *map(_mistake, diagnoses),
        _hints([hints.get(command, command) for command in commands]),
        _make("ul.checks", *(_check(exercise, check) for check in exercise.checks)),
    )
    listing = _listing(exercise, code)
    shown = _make("div.results" if listing is None else "div.beside", results, listing)
    # what needs no attention is closed
    opened = {} if exercise.status in _CLOSED else {"open": ""}
    return _make("details.exercise", _make("summary", title, _badge(exercise.status), points), shown, **opened)


def _badge(status: str) -> Element:
    sign = _make("span.mark", _SIGNS.get(status, "✗"), **{"aria-hidden": "true"})
    return _make(f"span.status {status}", sign, f" {words.status_text(status)}")


def _prose(text: str) -> Iterator[_Child]:
    """Yield the parts of a text, with each `code` in backticks as an element."""
    for at, part in enumerate(text.split("`")):
        yield _make("code", part) if at % 2 else part


def _mistake(diagnosis: Diagnosis) -> Element:
    return _make("div.mistake", _make("p.title", *_prose(diagnosis.title)), _make("p", *_prose(diagnosis.explanation)))


def _hints(texts: Sequence[str]) -> Element | None:
    """Return an element that opens to show the hints, or None if there are no hints."""
    if not texts:
        return None
    shown = _make("summary", counted(len(texts), "hint"))
    return _make("details.hints", shown, *(_make("p", *_prose(text)) for text in texts))


def _check(exercise: ExerciseResult, check: CheckResult) -> Element:
    points = words.bonus_text(check.score) if check.bonus else words.points_text(check.score, check.max_score)
    line = _make("small", f" {words.line_text(check.line)}") if check.line else None
    title = _make("p", _badge(check.status), _make("span.title", check.title, line), _make("span.points", points))
    shown = failure(exercise, check)
    printed = _given("pre", shown.output)
    detail = _given(
        "div.detail",
        _given("p", decision_on(check)),
        _given("pre", shown.program),
        _table(shown.compared) if shown.compared else None,
        _given("pre", shown.message),
        None if printed is None else _make("dl", _make("dt", words.PRINTED), _make("dd", printed)),
    )
    return _make(f"li.check {check.status}", title, detail)


def _table(rows: Iterable[Compared]) -> Element:
    head = _make("tr", _make("td"), *(_make("th", word, scope="col") for word in (words.YOURS, words.EXPECTED)))
    lines = []
    for row in rows:
        right = _make("td", _make("small", words.EXAMPLE) if row.one_of_several else None, row.expected)
        lines.append(_make("tr", _make("th", row.label, scope="row"), _make("td", row.actual), right))
    return _make("table", _make("thead", head), _make("tbody", *lines))


def _listing(exercise: ExerciseResult, code: str) -> Element | None:
    """Return the code around the lines of failures, with the titles of the checks, or None if no line failed.

    Only the ends of a long rule are shown, and the beginning of a long line.
    """
    # the lines to mark: those of wrong rules, of failures, and of the only place of a repair
    lines = code.removesuffix("\n").split("\n")
    rules = [range(fact.lines[0], fact.lines[1] + 1) for fact in exercise.facts or () if fact.lines]
    marked: dict[int, list[str]] = {line: [] for rule in rules for line in (*rule[:_ENDS], *rule[-_ENDS:])}
    for check in exercise.checks:
        if check.line:
            marked.setdefault(check.line, []).append(check.title)
    for line in exercise.repairs.only_place if exercise.repairs else ():
        marked.setdefault(line, [])
    # these lines and some around them, as far as the file has them
    near = {at for line in marked for at in range(line - _AROUND, line + _AROUND + 1)} & set(range(1, len(lines) + 1))
    if not near:
        return None
    shown: list[Element] = []
    for at in sorted(near):
        # a gap between two ranges
        if at > 1 and at - 1 not in near:
            shown.append(_make("span.line", "⋯", **{"data-n": ""}))
        shown.append(_line(at, cut(lines[at - 1], SOURCE_LINE), marked.get(at)))
    name = spelled(exercise.file or "")
    # a region that scrolls must be reachable by keyboard
    about = {"tabindex": "0", "role": "region", "aria-label": words.code_title(name)}
    return _make(
        "figure.code",
        _make("figcaption", name or words.code_title("")),
        _make("pre.listing", _make("code", *shown), **about),
    )


def _line(at: int, text: str, failed: Sequence[str] | None) -> Element:
    note = _make("span.failed-here", f"✗ {'; '.join(failed)}") if failed else None
    return _make("span.line" if failed is None else "span.line hit", text or " ", note, **{"data-n": str(at)})


_PLACES: dict[str, Callable[[Report, Person | None, Sequence[str]], str]] = {
    "canvas": _canvas,
    "moodle": _moodle,
    "nbgrader": _nbgrader,
}

FORMAT = Format(
    name="feedback",
    about="for learners: a page with the code around the lines that failed, and `report.json`",
    files=lambda reports, request: (feedback_files if request.platform else feedback)(reports, request),
    export="feedback",
    each="learner",
    platforms=tuple(_PLACES),
)
register(FORMAT)
