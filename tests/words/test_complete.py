"""Every code has a sentence for each audience that can meet it."""

import re
from collections.abc import Collection, Iterable
from itertools import product
from typing import Any, get_args

from every import every
from msgspec.structs import replace

from grader.course.facts import FactKind, FaultFact
from grader.course.learners import ChangeReason, Decided, NeedsReview, ReasonKind, ReviewKind, Standing
from grader.course.program import FORMS
from grader.course.remarks import Died, Reason, ReasonCode
from grader.verdict.report.model import CheckStatus, ExerciseStatus
from grader.words import instructor as reviews
from grader.words.facts import SENTENCES, fact_text
from grader.words.instructor import WORDS
from grader.words.stopped import ended_text


@every(
    ("expected", "table"),
    [
        (get_args(FactKind), SENTENCES),
        (get_args(ReviewKind), reviews._REVIEWS),
        (get_args(ReasonKind), reviews._CAUSES),
    ],
    ids=["facts", "reviews", "reasons"],
)
def test_each_code_has_a_sentence(expected: Iterable[str], table: Collection[str]) -> None:
    """A table has a sentence for each code, and no other."""
    assert set(expected) == set(table)


def test_each_fact_has_a_meaning() -> None:
    """The table in the docstring of `FaultFact` has a row for each kind."""
    assert sorted(get_args(FactKind)) == sorted(re.findall(r"^ *\| `(\w+)`", FaultFact.__doc__ or "", re.MULTILINE))


def is_sentence(text: str) -> bool:
    """Return whether a text is not empty, and all its fields are filled in with something."""
    return bool(text) and not re.search(r"[{}]|(?<!is )(?<!or )None|``|  ", text)


# the kinds whose sentences have fields that depend on the operation
OF_OPERATIONS = {kind for kind, text in SENTENCES.items() if re.search(r"operation_text|{where}|program_text", text)}


@every("kind", get_args(FactKind))
def test_each_fact_about_each_operation_is_a_sentence(kind: FactKind) -> None:
    """A fact of each kind is a sentence for each operation and each input, with its numbers and its lines."""
    fact = FaultFact(
        kind, expected="3", found="2", program="L = a    with a = 2", node="L", other="y", upstream="2", lines=(4, 6)
    )
    names = list(FORMS) if kind in OF_OPERATIONS else [""]
    texts = [
        fact_text(replace(fact, operation=name, input=where, orders=orders))
        for name, where, orders in product(names, ("", "a"), (None, (1, 4)))
    ]
    assert [] == [text for text in texts if not is_sentence(text) or not text.endswith(".")]


@every("kind", get_args(ReasonCode))
def test_a_report_tells_the_end_of_a_process_as_a_run_does(kind: ReasonCode) -> None:
    """The sentence about a `Died` is that about the `Reason` in a report."""
    fields: dict[str, Any] = {"seconds": 2.0, "clock": "cpu", "signal": "SIGKILL", "limit_kb": 2048, "count": 3}
    assert ended_text(Died(kind, **fields)) == ended_text(Reason(kind, **fields))


@every("kind", get_args(ReviewKind))
def test_each_reason_for_a_review_has_a_sentence_a_question_and_a_command(kind: ReviewKind) -> None:
    """An instructor reads why a submission needs a review, what has to be decided, and the command for it."""
    decided = Decided("Ada", "2026-03-05", "late bus", points={"swap.a": 2})
    reason = NeedsReview(kind, "swap", ("a",), "the detail", ("one", "two"), 3, decided)
    assert is_sentence(reviews.review_text(reason))
    assert reviews.review_question(reason).count("?") == 1
    assert reviews.review_command(reason, "ada").startswith("grade decide RESULTS ")
    assert (kind in reviews.KEPT) == bool(reviews.keep_command(reason, "ada"))


@every("kind", get_args(ReasonKind))
def test_each_reason_for_a_change_is_a_text(kind: ReasonKind) -> None:
    """An instructor reads why a total changed."""
    assert is_sentence(reviews.cause_text(ChangeReason(kind, "swap.a", 1, 2)))


def test_each_status_has_a_word_on_the_class_page() -> None:
    """The class page has a word for each status, and for each standing without a score."""
    statuses = {*get_args(CheckStatus), *get_args(ExerciseStatus)}
    assert statuses == {name.removeprefix("status.") for name in WORDS if name.startswith("status.")}
    standings = {name.removeprefix("standing.") for name in WORDS if name.startswith("standing.")}
    assert set(get_args(Standing)) - {"graded", "unclaimed"} == standings
