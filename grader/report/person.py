"""A learner of a class as data: who it is, which submission counts, and the points after every decision."""

import re
from typing import Literal, TypeAlias

import msgspec

Standing: TypeAlias = Literal["graded", "not_graded", "absent", "excused", "unclaimed"]
_MOODLE = re.compile(r"_(\d+)_assignsubmission_")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Submitter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who handed a submission in, as the platform knows them."""

    name: str
    id: str = ""
    email: str = ""


class Person(_Strict, frozen=True):
    """One person of a class, as a roster lists them or, without a roster, as the platform names them.

    Attributes:
        moodle_id: Moodle's number of a participant, which is another one in each assignment.
        submitted_at: the time that the roster gives, in ISO 8601; used where the platform gives none, and
            before the time of a commit.
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
        """The first of login, SIS id, e-mail address, GitHub user, Canvas id, Moodle id and name that is known."""
        ids = (self.login, self.sis_id, self.email, self.github, self.canvas_id, self.moodle_id, self.name)
        return next(filter(None, ids), "")


def platform_id(submitter: Submitter, origin: str) -> tuple[str, str]:
    """Return the field of a `Person` that a submitter's number belongs to, and the number; empty for other ids.

    A number is Canvas' or Moodle's own only if that platform wrote it into the name of the files.

    Args:
        origin: the name of the submission's folder or file.
    """
    if submitter.id.isascii() and submitter.id.isdecimal() and not submitter.email:
        if origin == f"{submitter.name}_{submitter.id}":
            return "canvas_id", submitter.id
        found = _MOODLE.search(origin)
        if found and found[1] == submitter.id:
            return "moodle_id", submitter.id
    return "", ""


def person_of(submitter: Submitter, origin: str) -> Person:
    """Return a submitter as a person, without a roster."""
    kind, own = platform_id(submitter, origin)
    person = Person(name=submitter.name, email=submitter.email)
    return msgspec.structs.replace(person, **{kind or "sis_id": own or submitter.id})


class Decided(_Strict, frozen=True):
    """A decision of a person about a learner: who decided, when and why, and what.

    Attributes:
        points: the points that each named check counts, by `exercise.check`.
        files: the file that counts for each named exercise, as a path in the submission.
        submission: the id of the submission that counts.
        submitted_at: the time of submission that counts, in ISO 8601.
        penalty: the points that are taken off for lateness, instead of those computed.
        excused: whether the learner is excused from the assignment.
        comment: a text for the learner.
        ignored: whether the submission belongs to nobody of the class, and is not graded.
        withdraw: the decisions that no longer hold: checks, exercises whose file was chosen, and other keys.
        made_for: for each check and each exercise that is decided on, the digest of the files that it was decided for;
            no entry where it is not known.
        line: the line of `overrides.yaml` where the decision begins.
    """

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
    withdraw: tuple[str, ...] = ()
    made_for: dict[str, str] = {}
    line: int = 0


class Learner(_Strict, frozen=True):
    """One row of the final table of a class.

    Attributes:
        id: the key of the person in the roster; without a roster the id of the submission.
        standing: `graded`; `not_graded` where the grader failed; `absent` where there is no
            submission; `excused`; `unclaimed` where nobody of the roster is the submitter for certain.
        submission: the id of the submission that counts, or empty.
        report: the file of the report that counts, relative to the folder of results, or empty.
        submissions: the ids of all submissions of the learner.
        submitted_at: the time that counts, in ISO 8601, or empty where it is not known.
        due: the time by which the learner had to submit, in ISO 8601, or empty.
        late_s: seconds between `due` and `submitted_at`; 0 within the grace period.
        score: points without bonus, after decisions.
        bonus: bonus points, after decisions.
        penalty: points taken off for lateness.
        total: `score` plus `bonus` minus `penalty`. Grades and exports with a single number use it.
        grade: the grade that `total` reaches, or empty.
        comment: the texts for the learner.
        decisions: the decisions that hold, in their order, without what a later one replaced or withdrew and what
            was made for other files.
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
    score: int = 0
    bonus: int = 0
    penalty: int = 0
    total: int = 0
    grade: str = ""
    comment: str = ""
    decisions: tuple[Decided, ...] = ()
