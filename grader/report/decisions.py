"""Format people's decisions about a learner as lines for reports and exports."""

from collections.abc import Iterator

from msgspec.structs import replace

from ..learners import Learner
from ..words.feedback import check_decided
from ..words.instructor.reviews import decided_text
from .model import CheckResult


def full_marks(check: CheckResult) -> bool:
    """Return whether a check counts as passed: it passed, or a person gave it all its points."""
    return check.score == check.max_score if check.decided else check.status == "passed"


def decision_on(check: CheckResult) -> str:
    """Return a person's decision on the points of a check; empty if there is none."""
    one = check.decided
    return check_decided(check.score, check.max_score, one.by, one.at, one.why) if one else ""


def other_decisions(learner: Learner) -> Iterator[str]:
    """Yield the decisions on a learner, without points of checks, comments, and reasons that change nothing."""
    for one in learner.decisions:
        rest = replace(one, points={}, comment=None, keep=())
        if rest.files or any(
            said is not None for said in (rest.submission, rest.submitted_at, rest.penalty, rest.excused)
        ):
            yield decided_text(rest)
