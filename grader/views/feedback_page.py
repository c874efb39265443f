"""The feedback for one learner as a single HTML file without scripts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from ..base import counted, spelled
from ..client import cut
from ..client.bounds import SOURCE_LINE
from ..report import CheckResult, ExerciseResult, Report
from ..report.decisions import decision_on
from ..report.shown import compared
from ..words import feedback as words
from .offline import write_static_page
from .told import Reasons, name_of, reasons_of, result_of

_STYLES = tuple(Path(__file__).with_name(name) for name in ("report.css", "feedback.css"))
_SIGNS = {"passed": "✓", "partial": "◐", "not_started": "○", "missing": "\N{EN DASH}", "skipped": "\N{EN DASH}"}
_AROUND = 8  # lines of code shown before and after a line that failed
_ENDS = 20  # lines that are marked at each end of a rule that is longer than twice as many
_CLOSED = ("passed", "missing", "not_started")
_Child = Element | str | None


def feedback_page(told: Report, title: str, code: Mapping[str, str], hints: Mapping[str, str]) -> str:
    """Return the page for a learner.

    Args:
        told: the report without what the course hides from learners.
        title: the course's title.
        code: the files that the report was made from, by exercise.
        hints: the texts of hints, by the command that shows them.
    """
    result = result_of(told)
    body = _make(
        "body",
        "",
        _make(
            "header",
            "",
            _make("h1", "", title),
            _make("p", "lead", result.headline),
            *(_make("p", "", sentence) for sentence in result.sentences),
        ),
        _make(
            "main",
            "",
            *_note(words.COMMENT, result.comment.splitlines()),
            *_note(words.DECISIONS, result.decisions),
            *_note(words.NOTES, told.notes),
            *(_exercise(exercise, code.get(exercise.id, ""), hints) for exercise in told.exercises),
        ),
    )
    return write_static_page(words.page_title(title, name_of(told)), _STYLES, body)


def _note(heading: str, lines: Sequence[str]) -> Iterator[Element]:
    """Yield an element with a heading and lines, or nothing if there are no lines."""
    if lines:
        yield _make("div", "note", _make("h2", "", heading), *(_make("p", "", line) for line in lines))


def _make(tag: str, kind: str, *children: _Child, **attributes: str) -> Element:
    """Return an element with children. Strings become text, and invisible characters in them are escaped."""
    made = Element(tag, {**({"class": kind} if kind else {}), **attributes})
    last: Element | None = None
    for child in children:
        if isinstance(child, Element):
            made.append(child)
            last = child
        elif child:
            text = spelled(child, "\t\n")
            if last is None:
                made.text = (made.text or "") + text
            else:
                last.tail = (last.tail or "") + text
    return made


def _exercise(exercise: ExerciseResult, code: str, hints: Mapping[str, str]) -> Element:
    summary = _make(
        "summary",
        "",
        _make(
            "h2", "", _make("span", "number", exercise.number), f" {exercise.title} ", _make("small", "", exercise.id)
        ),
        _badge(exercise.status),
        _make("span", "points", words.points_text(exercise.score, exercise.max_score, exercise.bonus)),
    )
    reasons = reasons_of(exercise, hints)
    results = _make(
        "div",
        "results",
        _make("pre", "", exercise.message) if exercise.message else None,
        _make("ul", "facts", *(_make("li", "", *_prose(fact)) for fact in reasons.facts)) if reasons.facts else None,
        *_mistakes(reasons),
        _hints(reasons),
        _make("ul", "checks", *map(_check, exercise.checks)),
    )
    listing = _listing(exercise, code)
    opened = {} if exercise.status in _CLOSED else {"open": ""}
    return _make(
        "details",
        "exercise",
        summary,
        _make("div", "results" if listing is None else "beside", results, listing),
        **opened,
    )


def _badge(status: str) -> Element:
    sign = _make("span", "mark", _SIGNS.get(status, "✗"), **{"aria-hidden": "true"})
    return _make("span", f"status {status}", sign, f" {words.status_text(status)}")


def _prose(text: str) -> Iterator[_Child]:
    """Yield the parts of a text, with each `code` in backticks as an element."""
    for at, part in enumerate(text.split("`")):
        yield _make("code", "", part) if at % 2 else part


def _mistakes(reasons: Reasons) -> Iterator[Element]:
    for title, explanation in reasons.misconceptions:
        yield _make("div", "mistake", _make("p", "title", *_prose(title)), _make("p", "", *_prose(explanation)))


def _hints(reasons: Reasons) -> Element | None:
    """Return an element that opens to show the hints, or None if there are no hints."""
    if not reasons.hints:
        return None
    shown = _make("summary", "", counted(len(reasons.hints), "hint"))
    return _make("details", "hints", shown, *(_make("p", "", *_prose(text)) for text in reasons.hints))


def _check(check: CheckResult) -> Element:
    points = words.bonus_text(check.score) if check.bonus else words.points_text(check.score, check.max_score)
    line = _make("small", "", f" {words.line_text(check.line)}") if check.line else None
    rows = compared(check)
    decision = decision_on(check)
    detail = _make(
        "div",
        "detail",
        _make("p", "", decision) if decision else None,
        _make("pre", "", check.program) if check.program else None,
        _table(rows) if rows else None,
        _make("pre", "", check.message) if check.message else None,
        _make("dl", "", _make("dt", "", words.PRINTED), _make("dd", "", _make("pre", "", check.output)))
        if check.output
        else None,
    )
    return _make(
        "li",
        f"check {check.status}",
        _make(
            "p",
            "",
            _badge(check.status),
            _make("span", "title", check.title, line),
            _make("span", "points", points),
        ),
        detail if len(detail) else None,
    )


def _table(rows: Iterable[Sequence[object]]) -> Element:
    head = _make(
        "tr", "", _make("td", ""), *(_make("th", "", word, scope="col") for word in (words.YOURS, words.EXPECTED))
    )
    lines = []
    for label, actual, expected, one_of_several in rows:
        right = _make("td", "", _make("small", "", words.EXAMPLE) if one_of_several else None, str(expected))
        lines.append(_make("tr", "", _make("th", "", str(label), scope="row"), _make("td", "", str(actual)), right))
    return _make("table", "", _make("thead", "", head), _make("tbody", "", *lines))


def _listing(exercise: ExerciseResult, code: str) -> Element | None:
    """Return the code around the lines of failures, with the titles of the checks, or None if no line failed.

    Only the ends of a long rule are shown, and the beginning of a long line.
    """
    lines = code.removesuffix("\n").split("\n")
    rules = [range(fact.lines[0], fact.lines[1] + 1) for fact in exercise.facts or () if fact.lines]
    marked: dict[int, list[str]] = {line: [] for rule in rules for line in (*rule[:_ENDS], *rule[-_ENDS:])}
    for check in exercise.checks:
        if check.line:
            marked.setdefault(check.line, []).append(check.title)
    near = {at for line in marked for at in range(line - _AROUND, line + _AROUND + 1)} & set(range(1, len(lines) + 1))
    if not near:
        return None
    shown: list[Element] = []
    for at in sorted(near):
        if at > 1 and at - 1 not in near:
            shown.append(_make("span", "line", "⋯", **{"data-n": ""}))
        shown.append(_line(at, cut(lines[at - 1], SOURCE_LINE), marked.get(at)))
    name = spelled(exercise.file or "")
    about = {"tabindex": "0", "role": "region", "aria-label": words.code_title(name)}
    return _make(
        "figure",
        "code",
        _make("figcaption", "", name or words.code_title("")),
        _make("pre", "listing", _make("code", "", *shown), **about),
    )


def _line(at: int, text: str, failed: Sequence[str] | None) -> Element:
    note = _make("span", "failed-here", f"✗ {'; '.join(failed)}") if failed else None
    return _make("span", "line" if failed is None else "line hit", text or " ", note, **{"data-n": str(at)})
