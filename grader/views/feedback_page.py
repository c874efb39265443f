"""The feedback for one learner as a page of one file, without scripts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from ..outside import spelled
from ..report import CheckResult, ExerciseResult, Report
from ..report.shown import compared
from .feedback import decisions
from .offline import write_static_page

_STYLES = tuple(Path(__file__).with_name(name) for name in ("report.css", "feedback.css"))
_SIGNS = {"passed": "✓", "partial": "◐", "not_started": "○", "missing": "\N{EN DASH}", "skipped": "\N{EN DASH}"}
_AROUND = 8  # lines of code before and after one that failed
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
    names = ", ".join(one.name for one in told.submission.submitters or ()) or told.submission.id
    points = f"{told.score} of {told.max_score}" + (f" and {told.bonus} bonus" if told.bonus else "")
    body = _make(
        "body",
        "",
        _make(
            "header",
            "",
            _make("h1", "", title),
            _make("p", "lead", f"{names}: {points}"),
        ),
        _make(
            "main",
            "",
            *(_make("p", "note", f"Note: {note}") for note in told.notes),
            *(_make("p", "note", line) for line in decisions(told).splitlines() if line),
            *(_exercise(exercise, code.get(exercise.id, ""), hints) for exercise in told.exercises),
        ),
    )
    return write_static_page(f"{title}: feedback for {names}", _STYLES, body)


def _make(tag: str, kind: str, *children: _Child, **attributes: str) -> Element:
    """Return an element with children; strings become text, in which invisible characters are escaped."""
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
    bonus = f" +{exercise.bonus}" if exercise.bonus else ""
    summary = _make(
        "summary",
        "",
        _make(
            "h2", "", _make("span", "number", exercise.number), f" {exercise.title} ", _make("small", "", exercise.id)
        ),
        _badge(exercise.status),
        _make("span", "points", f"{exercise.score}/{exercise.max_score}{bonus}"),
    )
    facts = exercise.facts or ()
    results = _make(
        "div",
        "results",
        _make("pre", "", exercise.message) if exercise.message else None,
        _make("ul", "facts", *(_make("li", "", *_prose(fact.text)) for fact in facts)) if facts else None,
        *_mistakes(exercise.checks),
        _hints(exercise.checks, hints),
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
    return _make("span", f"status {status}", sign, f" {status.replace('_', ' ')}")


def _prose(text: str) -> Iterator[_Child]:
    """Yield a text with its `code` as elements."""
    for at, words in enumerate(text.split("`")):
        yield _make("code", "", words) if at % 2 else words


def _mistakes(checks: Sequence[CheckResult]) -> Iterator[Element]:
    """Yield each misconception once."""
    for found in dict.fromkeys(check.diagnosis for check in checks if check.diagnosis):
        yield _make(
            "div",
            "mistake",
            _make("p", "title", *_prose(found.title)),
            _make("p", "", *_prose(found.explanation)),
        )


def _hints(checks: Iterable[CheckResult], hints: Mapping[str, str]) -> Element | None:
    """Return each hint once, to be opened; None if there is none."""
    texts = [hints.get(command, command) for command in dict.fromkeys(check.hint for check in checks if check.hint)]
    if not texts:
        return None
    counted = "1 hint" if len(texts) == 1 else f"{len(texts)} hints"
    return _make("details", "hints", _make("summary", "", counted), *(_make("p", "", *_prose(text)) for text in texts))


def _check(check: CheckResult) -> Element:
    points = f"+{check.score}" if check.bonus else f"{check.score}/{check.max_score}"
    line = _make("small", "", f" line {check.line}") if check.line else None
    rows = compared(check)
    detail = _make(
        "div",
        "detail",
        _make("pre", "", check.program) if check.program else None,
        _table(rows) if rows else None,
        _make("pre", "", check.message) if check.message else None,
        _make("dl", "", _make("dt", "", "printed"), _make("dd", "", _make("pre", "", check.output)))
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
    head = _make("tr", "", _make("td", ""), *(_make("th", "", word, scope="col") for word in ("yours", "expected")))
    lines = []
    for label, actual, expected, one_of_several in rows:
        right = _make("td", "", _make("small", "", "for example ") if one_of_several else None, str(expected))
        lines.append(_make("tr", "", _make("th", "", str(label), scope="row"), _make("td", "", str(actual)), right))
    return _make("table", "", _make("thead", "", head), _make("tbody", "", *lines))


def _listing(exercise: ExerciseResult, code: str) -> Element | None:
    """Return the code around the lines that failures are about, with the titles of the checks; None without any."""
    lines = code.removesuffix("\n").split("\n")
    ranges = [fact.lines for fact in exercise.facts or () if fact.lines]
    marked: dict[int, list[str]] = {line: [] for first, last in ranges for line in range(first, last + 1)}
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
        shown.append(_line(at, lines[at - 1], marked.get(at)))
    name = spelled(exercise.file or "code")
    about = {"tabindex": "0", "role": "region", "aria-label": f"Code: {name}"}
    return _make(
        "figure",
        "code",
        _make("figcaption", "", name),
        _make("pre", "listing", _make("code", "", *shown), **about),
    )


def _line(at: int, text: str, failed: Sequence[str] | None) -> Element:
    note = _make("span", "failed-here", f"✗ {'; '.join(failed)}") if failed else None
    return _make("span", "line" if failed is None else "line hit", text or " ", note, **{"data-n": str(at)})
