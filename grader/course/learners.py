"""The learners of a class as data: who they are, what counts for them, what people decided, and what needs a decision.

`grader.words` has the sentences about them.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

Standing: TypeAlias = Literal["graded", "not_graded", "absent", "excused", "unclaimed"]
ReviewKind: TypeAlias = Literal[
    "ambiguous",
    "attempt",
    "budget",
    "killed",
    "late_unknown",
    "left_out",
    "near_name",
    "no_answer",
    "no_files",
    "not_graded",
    "note",
    "other_files",
    "protocol_error",
    "several",
    "several_files",
    "stranger",
    "syntax",
    "unreadable",
]
ReasonKind: TypeAlias = Literal[
    "attempt",
    "check",
    "course",
    "decision",
    "due",
    "excused",
    "file_decision",
    "files",
    "gone",
    "grader",
    "new",
    "not_graded",
    "penalty",
    "rules",
    "seed",
    "submission",
    "time",
]
# the folder of a person in Moodle's download: `Jane Doe_12345_assignsubmission_file_`
_MOODLE = re.compile(r"_(\d+)_assignsubmission_")


# Structs that people or earlier runs write, as in overrides.yaml and cohort.json. A misspelled key
# is an error and not ignored.
class _StrictRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Submitter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person who submitted, as the platform identifies them."""

    name: str
    id: str = ""
    email: str = ""


class Person(_StrictRecord, frozen=True):
    """A person of a class, as listed in a roster or, without a roster, as named by the platform.

    Attributes:
        moodle_id: Moodle's number of a participant, which differs between assignments.
        submitted_at: the time that the roster gives, in ISO 8601. It is used if the platform gives none, and takes
            precedence over the time of a commit.
    """

    name: str = ""
    login: str = ""
    email: str = ""
    section: str = ""
    group: str = ""
    sis_id: str = ""
    canvas_id: str = ""
    moodle_id: str = ""
    github: str = ""
    submitted_at: str = ""

    @property
    def key(self) -> str:
        """Return the first known one of login, SIS id, e-mail address, GitHub user, Canvas id, Moodle id and name."""
        # The key is a learner's id in the final table, and decisions refer to learners by it. In
        # another order, the decisions of earlier runs would be about unknown learners.
        ids = (self.login, self.sis_id, self.email, self.github, self.canvas_id, self.moodle_id, self.name)
        return next(filter(None, ids), "")

    @property
    def names(self) -> tuple[str, ...]:
        """Return every name by which rules and decisions may refer to the person: the key, the login and so on."""
        participant = f"Participant {self.moodle_id}" if self.moodle_id else ""  # as in Moodle's grading worksheet
        return tuple(filter(None, (self.key, self.login, self.email, participant)))


def platform_id(submitter: Submitter, origin: str) -> tuple[str, str]:
    """Return the field of a `Person` for a submitter's number, and the number; two empty texts for other ids.

    A number is Canvas' or Moodle's own only if that platform wrote it into the name of the files.

    Args:
        origin: the name of the submission's folder or file.
    """
    # Gradescope gives an e-mail address with its number. Other platforms' folders may have a number
    # for a name, so the name of the submission must have the form of Canvas or of Moodle.
    if submitter.id.isascii() and submitter.id.isdecimal() and not submitter.email:
        if origin == f"{submitter.name}_{submitter.id}":
            return "canvas_id", submitter.id
        match = _MOODLE.search(origin)
        if match and match[1] == submitter.id:
            return "moodle_id", submitter.id
    return "", ""


def person_of(submitter: Submitter, origin: str) -> Person:
    """Return a submitter as a person, without a roster."""
    kind, own = platform_id(submitter, origin)
    person = Person(name=submitter.name, email=submitter.email)
    return msgspec.structs.replace(person, **{kind or "sis_id": own or submitter.id})


class Decision(_StrictRecord, frozen=True):
    """A person's decision as somebody writes it. `Decided` describes the fields."""

    # None stands for what is not decided, because 0 points of penalty and False are decisions, too.
    # An empty dict is safe as a default: msgspec makes a new one for each instance.
    by: str
    at: str
    why: str
    points: dict[str, int] = {}
    files: dict[str, str] = {}
    submission: str | None = None
    submitted_at: str | None = None
    penalty: int | None = None
    excused: bool | None = None
    comment: str | None = None
    ignored: bool | None = None
    keep: tuple[str, ...] = ()
    withdraw: tuple[str, ...] = ()
    made_for: dict[str, str] = {}


class Decided(Decision, frozen=True):
    """A person's decision about a learner: who decided what, when and why.

    Attributes:
        points: the points that each named check counts, by `exercise.check`.
        files: the file that counts for each named exercise, as a path in the submission.
        submission: the id of the submission that counts.
        submitted_at: the time of submission that counts, in ISO 8601.
        penalty: the points that are taken off for lateness, instead of those computed.
        excused: whether the learner is excused from the assignment.
        comment: a text for the learner.
        ignored: whether the submission is not graded, because its submitter is not in the class.
        keep: the reasons for a review that change nothing, as `kind` or `exercise.kind`.
        withdraw: the decisions that no longer hold: checks, exercises whose file was chosen, and other keys.
        made_for: the digest of the files to which the decision refers, for each check and each exercise. An entry is
            missing if the files are not known.
        line: the line of `overrides.yaml` where the decision begins.
        for_all: whether the decision is about every learner.
    """

    line: int = 0
    for_all: bool = False


class Learner(_StrictRecord, frozen=True):
    """A row of the final table of a class.

    Attributes:
        id: the key of the person in the roster. Without a roster, it is the id of the submission.
        standing: `graded`; `not_graded` if the grader failed; `absent` if there is no submission; `excused`;
            `unclaimed` if the submitter cannot be identified with anybody in the roster.
        submission: the id of the submission that counts, or empty.
        report: the file of the report that counts, relative to the folder of results, or empty.
        submissions: the ids of all submissions of the learner.
        submitted_at: the time that counts, in ISO 8601, or empty if it is not known.
        due: the time by which the learner had to submit, in ISO 8601, or empty.
        late_s: seconds between `due` and `submitted_at`; 0 within the grace period. If exercises have due dates of
            their own, it is the number of seconds of the exercise that is the latest.
        late: if exercises have due dates of their own, the number of seconds of each late exercise.
        points: the points by exercise with bonus, after decisions and before the penalty. Exercises without points are
            in it, too. Empty if there is no report.
        score: points without bonus, after decisions.
        bonus: bonus points, after decisions.
        penalty: points taken off for lateness.
        total: `score` plus `bonus` minus `penalty`. Exports with a single number use it.
        graded: the part of `total` that counts towards the grade: that of the exercises of one part of the course.
        grade: the grade that `graded` reaches, or empty.
        comment: the texts for the learner.
        decisions: the decisions that hold, in order. Decisions that were replaced or withdrawn, or that refer to
            other files, are left out.
    """

    id: str
    person: Person
    standing: Standing
    submission: str = ""
    report: str = ""
    submissions: tuple[str, ...] = ()
    submitted_at: str = ""
    due: str = ""
    late_s: int = 0
    late: dict[str, int] = {}
    points: dict[str, int] = {}
    score: int = 0
    bonus: int = 0
    penalty: int = 0
    total: int = 0
    graded: int = 0
    grade: str = ""
    comment: str = ""
    decisions: tuple[Decided, ...] = ()


class NeedsReview(_StrictRecord, frozen=True):
    """A reason why a person should review a submission.

    | kind             | meaning                                                                         |
    |------------------|---------------------------------------------------------------------------------|
    | `ambiguous`      | the submitter may be each of `names`, people of the roster                      |
    | `attempt`        | files attempted the system calls `names`, which were refused; `detail` says where |
    | `budget`         | it used up the budget of a submission, so checks were not run                   |
    | `killed`         | the kernel ended its process (SIGKILL): out of memory, or an attack             |
    | `late_unknown`   | the platform says that it is late, but not by how much                          |
    | `left_out`       | its answers lack programs that were sent                                        |
    | `near_name`      | an exercise is missing, and the files `names` have a similar name               |
    | `no_answer`      | no answer came in time, though its CPU time was not used up                     |
    | `no_files`       | no exercise file was found                                                      |
    | `not_graded`     | the grader could not grade it; `detail` says why                                |
    | `note`           | the intake made a note, which is in `detail`                                    |
    | `other_files`    | `decided` refers to files other than those that count now, and is not applied   |
    | `protocol_error` | its process sent data that no engine sends                                      |
    | `several`        | the learner has the submissions `names`, and not all of them have a time        |
    | `several_files`  | the files `names` differ, and each could be the exercise; `detail` says so      |
    | `stranger`       | the submitter is not in the roster                                              |
    | `syntax`         | a syntax error in line `line` costs the whole exercise                          |
    | `unreadable`     | a file cannot be read; `detail` says why                                        |
    """

    kind: ReviewKind
    exercise: str | None = None
    checks: tuple[str, ...] = ()
    detail: str | None = None
    names: tuple[str, ...] = ()
    line: int | None = None
    decided: Decided | None = None


class Border(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A learner who is within one small check of the border of a grade.

    Attributes:
        id: the id of the learner.
        total: the points that count towards the grade, which is `graded` in the final table.
        grade: the grade that begins at the border.
        own: the learner's own grade; empty if `total` reaches no grade.
        distance: the points missing to reach the border; 0 or less if `total` reaches it.
        check: the smallest check that would move `total` across the border, as `exercise.check`.
    """

    id: str
    name: str
    total: int
    grade: str
    border: int
    distance: int
    check: str
    own: str = ""


@dataclass(frozen=True)
class ChangeReason:
    """One reason why a total changed.

    | kind            | meaning                                                                              |
    |-----------------|--------------------------------------------------------------------------------------|
    | `attempt`       | another attempt of the same submission counts                                        |
    | `check`         | the check `name`, without a decision, has `after` points instead of `before`         |
    | `course`        | another version of the course was used                                               |
    | `decision`      | the decision on `name` (a check, `penalty` or `submitted_at`) changed from `before`  |
    |                 | to `after` points; None means that there is no decision                              |
    | `due`           | the due date changed                                                                 |
    | `excused`       | the learner is excused (`after` is 1) or no longer excused (`after` is 0)            |
    | `file_decision` | the decision about which file counts for the exercise `name` changed                 |
    | `files`         | the learner's files changed                                                          |
    | `gone`          | the learner is only in the first table                                               |
    | `grader`        | another version of the grader was used                                               |
    | `new`           | the learner is only in the second table                                              |
    | `not_graded`    | one of the tables has no report on the learner                                       |
    | `penalty`       | the penalty is `after` points instead of `before`                                    |
    | `rules`         | the rules take off another part of the points for the same lateness                  |
    | `seed`          | the random programs were drawn from another seed                                     |
    | `submission`    | another submission, `name`, counts                                                   |
    | `time`          | the time of submission changed                                                       |
    """

    kind: ReasonKind
    name: str = ""
    before: int | None = None
    after: int | None = None


@dataclass(frozen=True)
class ChangedTotal:
    """A learner whose row changed. `before` or `after` is None if the learner has no total in that table."""

    id: str
    name: str
    before: int | None
    after: int | None
    reasons: tuple[ChangeReason, ...]
