import pytest
from reports import named_check

from grader.course.learners import Submitter
from grader.verdict.report import CheckResult, Diagnosis

HOSTILE = '=HYPERLINK("x")\r\n::error::\x1b[31m\x00\ufffe\u202e;=1 ##[group] ]]><b>&\t\U0001f642'


@pytest.fixture
def hostile() -> str:
    """What a learner may have written."""
    return HOSTILE


@pytest.fixture
def failed() -> CheckResult:
    """A check that failed, of which there is everything to say."""
    return named_check(
        "two",
        "failed",
        program="L = a * a    with a = 3",
        expected={"dL/da": 6.0, "order": "a, L"},
        expected_by="torch",
        actual={"dL/da": 3.0},
        message="line 3: x = y",
        diagnosis=Diagnosis("overwrite", "a title", "the second use overwrote the first"),
        hint="grade hint first 2",
        output="printed\n",
    )


@pytest.fixture
def pair() -> tuple[Submitter, Submitter]:
    """Two people who handed in together."""
    return Submitter("Jane Doe", "4711", "jane@example.org"), Submitter("Mwangi, Otieno", "4712", "otieno@example.org")
