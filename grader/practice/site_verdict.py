"""The verdict on an exercise for the page of a site: the sentences and numbers of the report, as data to lay out."""

from collections import defaultdict

from msgspec import UNSET
from msgspec.structs import replace

from ..base.text import Style
from ..course.load import Exercise
from ..verdict.grading import is_searched
from ..verdict.report import (
    CheckResult,
    ExerciseResult,
    Report,
    compared,
    facts_of,
    failure,
    first_failure,
    hint_of,
    line_of,
    located,
    to_json,
)
from ..words import practice as words
from ..words.facts import line_parts
from .screens import exercise_screen
from .site_data import LINKED, MARKED, REPORT, LinkedText, Printed, ShownCheck, ShownResult, Verdict


def verdict_of(report: Report, exercise: Exercise, width: int) -> Verdict:
    """Return the verdict of a report on one exercise.

    Args:
        width: The number of columns of a line as `grade` prints it.
    """
    (result,) = report.exercises
    first = first_failure(result)
    written = to_json(report).decode()
    others = [check for check in result.checks if check is not first and check.status != "skipped"]
    return Verdict(
        exercise=result.id,
        status=result.status,
        score=result.score,
        max_score=result.max_score,
        outcome=words.OUTCOMES[result.status],
        checks=[shown_check(result, check) for check in [*filter(None, [first]), *others]],
        message=_linked_lines("" if result.status == "not_started" else result.message or ""),
        observed=[_linked(fact.text) for fact in facts_of(result, None) if result.status != "passed"],
        learnt=words.learnt(result.learnt) if result.learnt else "",
        lines=exercise_screen(for_page(result), style=Style(width=width)),
        marked=sorted(_marked(result))[:MARKED],
        hints=exercise.hints_from(hint_of(first)) if first else (),
        report=written if len(written) <= REPORT // 2 else "",
        searched=is_searched(result),
        line=line_of(result),
        printed=_printed(result),
    )


def for_page(result: ExerciseResult) -> ExerciseResult:
    """Return a result for a verdict without commands: the page has buttons, and shows printed text in full."""
    bare = (replace(check, hint=UNSET, hint_number=0, play=UNSET, output=UNSET) for check in result.checks)
    return replace(result, checks=tuple(bare))


def shown_check(result: ExerciseResult, check: CheckResult) -> ShownCheck:
    """Return a check as the page shows it: its title and points, and what explains its failure."""
    shown = ShownCheck(check.title, check.status, check.score, check.max_score, check.bonus)
    if check.status == "passed":
        return shown
    failed = failure(result, check)
    return replace(
        shown,
        program=failed.program,
        results=[
            ShownResult(row.label, row.actual, row.expected, words.EXPECTED_BY[row.source], row.one_of_several)
            for row in compared(check)
        ],
        message=_linked_lines(failed.message),
        facts=[_linked(fact) for fact in failed.facts],
        line=_linked(failed.line),
        why=failed.why,
    )


def _linked_lines(text: str) -> list[list[LinkedText]]:
    return [_linked(line) for line in text.splitlines()[:LINKED]]


def _linked(text: str) -> list[LinkedText]:
    """Return a sentence with the places in the learner's file that it names. A long line is cut."""
    return [LinkedText(part, *lines) if lines else LinkedText(part) for part, lines in line_parts(text[:1_900])]


def _printed(result: ExerciseResult) -> list[Printed]:
    """Return what the code printed when it was loaded and in the checks. What is printed alike is there once."""
    titles: defaultdict[str, list[str]] = defaultdict(list)
    for title, output in [
        (words.WHEN_LOADED, result.output),
        *((check.title, check.output) for check in result.checks),
    ]:
        if output:
            titles[output].append(title)
    return [Printed(of, output) for output, of in titles.items()]


def _marked(result: ExerciseResult) -> set[int]:
    """Return the lines of the file that the first failure is about."""
    check = first_failure(result)
    _, line = located(result, check)
    reason = check.reason if check else None
    ranges = [fact.lines for fact in facts_of(result, check) if fact.lines]
    lines = {number for first, last in ranges for number in range(first, last + 1)}
    # facts and the search name lines together; without both, it is the line where the code stopped
    lines |= {*(result.repairs.only_place if result.repairs else ())}
    return lines or {number for number in (line, reason and reason.line) if number}
