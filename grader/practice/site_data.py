"""The data of the page of a site: what it shows, and what it takes from an interpreter and from the browser's storage.

What it takes is compared with the schema of these classes before it is used or kept. The bounds are far above what the
grader gives, and low enough for a page and its storage.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from ..course.figures import GameNode, View
from ..verdict.report import CheckStatus, ExerciseStatus

REPORT = 400_000  # characters of a report; a longer one is not kept
TEXT = 2_000_000  # characters of a learner's file
MARKED = 1_000  # lines
LINKED = 200  # lines of a message
PIECE = 100_000  # characters of what a run prints at once

KeptSource: TypeAlias = Annotated[str, Meta(max_length=TEXT)]
Line: TypeAlias = Annotated[str, Meta(max_length=2_000)]
Name: TypeAlias = Annotated[str, Meta(max_length=300)]
ScoreNumber: TypeAlias = Annotated[int, Meta(ge=0, le=10_000)]
Block: TypeAlias = Literal["p", "ul", "pre", "aside", "figure"]
Ordinal: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000)]
LineNumber: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]


class Printed(Struct, frozen=True):
    """Text that the learner's code printed in some checks.

    Attributes:
        titles: The titles of the checks, or of the loading of the file.
    """

    titles: Annotated[Sequence[Line], Meta(max_length=200)]
    text: Annotated[str, Meta(max_length=100_000)]


class LinkedText(Struct, frozen=True):
    """A piece of a sentence. If it names lines of the learner's file, it has the first and the last of them."""

    text: Line
    first: LineNumber = 0
    last: LineNumber = 0


class ShownResult(Struct, frozen=True):
    """A learner's result beside the right one, as text.

    Attributes:
        label: What was compared, such as `dL/da`.
        source: The words above the right result.
        one_of_several: Whether there are other right results, as for an order.
    """

    label: Line
    actual: Line
    expected: Line
    source: Name
    one_of_several: bool


LinkedSentence: TypeAlias = Annotated[Sequence[LinkedText], Meta(max_length=200)]
LinkedSentences: TypeAlias = Annotated[Sequence[LinkedSentence], Meta(max_length=LINKED)]


class ShownCheck(Struct, frozen=True):
    """A check, and what explains its failure.

    Attributes:
        message: What happened; its first line is a sentence, and the others give details.
        facts: The fault facts that explain this check and no earlier one.
        line: The sentence about the line that must change.
        why: The explanation of the misconception.
    """

    title: Line
    status: CheckStatus
    score: ScoreNumber
    max_score: ScoreNumber
    bonus: bool
    program: Annotated[str, Meta(max_length=20_000)] = ""
    results: Annotated[Sequence[ShownResult], Meta(max_length=500)] = ()
    message: LinkedSentences = ()
    facts: LinkedSentences = ()
    line: LinkedSentence = ()
    why: Line = ""


class CheckProgress(Struct, frozen=True):
    """A check that has ended while others still run."""

    exercise: Name
    title: Line
    passed: bool


class Verdict(Struct, frozen=True):
    """The verdict on an exercise, for the page.

    Attributes:
        outcome: The status in words.
        checks: The checks that were run, the one that is explained first.
        message: The message about the whole file, if it could not be loaded or read.
        observed: The fault facts that explain no failure.
        learnt: What a passed exercise teaches.
        lines: What `grade` prints about the exercise, without commands that can only be run in a terminal.
        marked: The numbers of the lines that the failure is about.
        hints: The numbers of the hints that fit the failure, counted from 1.
        report: The report for the learner, as JSON; empty if it is too long to be kept.
        searched: Whether the file can be searched for the line that must change.
        line: The sentence about the line that must change, if a search has found it.
        printed: What the learner's code printed. What several checks print alike is there once.
    """

    exercise: Name
    status: ExerciseStatus
    score: ScoreNumber
    max_score: ScoreNumber
    outcome: Name
    checks: Annotated[Sequence[ShownCheck], Meta(max_length=200)]
    message: LinkedSentences
    observed: LinkedSentences
    learnt: Line
    lines: Annotated[Sequence[Line], Meta(min_length=1, max_length=1_000)]
    marked: Annotated[Sequence[Ordinal], Meta(max_length=MARKED)]
    hints: Annotated[Sequence[Ordinal], Meta(max_length=100)]
    report: Annotated[str, Meta(max_length=REPORT)]
    searched: bool
    line: Line
    printed: Annotated[Sequence[Printed], Meta(max_length=200)]


class RunOutput(Struct, frozen=True):
    """A text that a file prints while it runs, or the traceback of the error that ended it."""

    text: Annotated[str, Meta(max_length=PIECE)]
    error: bool = False


class SearchProgress(Struct, frozen=True):
    """A part of the search for the line that must change.

    Attributes:
        ended: Whether the search has ended.
        verdict: The verdict with the result of the search, if there is one.
    """

    ended: bool
    verdict: Verdict | None = None


class GivenFiles(Struct, frozen=True):
    """Files that the learner gave to the page.

    Attributes:
        texts: The texts of exercises' files by the exercises' ids.
        problems: A sentence about each file that cannot be used.
    """

    texts: dict[str, KeptSource]
    problems: Annotated[Sequence[Line], Meta(max_length=200)]


class StoredText(Struct, frozen=True):
    """The learner's text of an exercise, the file as it was given out when it was begun, and the name of the file."""

    text: KeptSource
    stub: KeptSource
    file: Name = ""


class KeptText(Struct, frozen=True):
    """An earlier text that something else replaced."""

    text: KeptSource
    why: Name
    when: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$", max_length=40)]


class StoredResult(Struct, frozen=True):
    """The last result of an exercise, with the text and the course that it is about."""

    status: ExerciseStatus
    score: ScoreNumber
    text: KeptSource
    course: Name
    report: Annotated[str, Meta(max_length=REPORT)]


class Stored(Struct, frozen=True):
    """The contents of the browser's storage, by kind. `at` is the id of the exercise that is open."""

    text: StoredText
    kept: Annotated[Sequence[KeptText], Meta(max_length=100)]
    result: StoredResult
    at: Name


class SitePart(Struct, frozen=True):
    """A part of the course. `exercises` has the ids of its exercises."""

    title: str
    points: int
    exercises: Sequence[str]


class SiteFigure(Struct, frozen=True):
    """A figure of a lesson, as in `grader.course.figures`.

    Attributes:
        title: What the figure is about.
        nodes: The nodes of its program, each with a short name.
    """

    id: str
    title: str
    program: str
    nodes: Sequence[GameNode]
    root: int
    show: Sequence[View]
    upstream: float
    edges: bool
    rate: float
    steps: int


class SiteQuestion(Struct, frozen=True):
    """A question that a function answers. `id` is the name of the function and of its check.

    Attributes:
        nodes: The nodes that the function gets, the root last, if the question is in which order they propagate; empty
            if the function returns numbers.
    """

    id: str
    title: str
    text: str
    nodes: Sequence[str]


class SiteTraining(Struct, frozen=True):
    """Something that the file of an exercise can train.

    Attributes:
        rate: The learning rate to begin with.
        engines: Whether it can also be trained on the learner's engine from another exercise.
    """

    id: str
    title: str
    rate: float
    engines: bool = False


class SiteExercise(Struct, frozen=True):
    """An exercise as the page shows it. `lesson` has blocks, with their lines or items; a figure has only its id."""

    id: str
    number: str
    title: str
    file: str
    points: int
    stub: str
    lesson: Sequence[tuple[Block, Sequence[str]]]
    figures: Sequence[SiteFigure]
    questions: Sequence[SiteQuestion]
    trainings: Sequence[SiteTraining]
    hints: Sequence[str]
    learnt: str


class SiteCourse(Struct, frozen=True, rename="camel"):
    """The course as the page shows it before an interpreter is there.

    Attributes:
        hang_seconds: Seconds after which the page ends an interpreter that does not answer.
        hung: What is said then.
        died: What is said if an interpreter fails, or answers what the schema does not allow.
        imports: The files of each module that learners' files may import beyond the standard library.
    """

    id: str
    hash: str
    title: str
    hang_seconds: float
    hung: str
    died: str
    welcome: str
    further: Sequence[str]
    parts: Sequence[SitePart]
    exercises: Sequence[SiteExercise]
    imports: dict[str, Sequence[str]]
