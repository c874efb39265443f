"""Every reason for a review has its sentences."""

from typing import get_args

import pytest

from grader.learners import NeedsReview, ReviewKind
from grader.words.instructor.reviews import review_question, review_text


@pytest.mark.parametrize("kind", get_args(ReviewKind))
def test_every_reason_has_a_text_and_a_question(kind: ReviewKind) -> None:
    """A new kind of reason without sentences is found here."""
    reason = NeedsReview(kind, exercise="swap", names=("ann",))
    assert all((review_text(reason), review_question(reason)))
