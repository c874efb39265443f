"""The sentences for an instructor about people and decisions: each code has one, and each is used."""

import re
from pathlib import Path

from every import every

from grader.words import instructor

GRADER = Path(instructor.__file__).parents[1]
USED = {
    kind
    for folder in ("classes/people", "classes/cohort", "cli")
    for path in (GRADER / folder).glob("*.py")
    for kind in re.findall(r"""["'](\w+)["']""", path.read_text(encoding="utf-8"))
}


@every("kind", instructor._PROBLEMS)
def test_each_sentence_is_used(kind: str) -> None:
    """Each sentence is used by `people`, by `cohort` or by a command."""
    assert kind in USED


def test_fields_are_put_in_as_they_are() -> None:
    """Braces in a user's words are kept."""
    assert "there is no learner `{near}`" == instructor.problem_text("no_learner", name="{near}", near="")


def test_a_column_is_named_with_its_field_if_its_name_differs() -> None:
    """Case, spaces and signs make no difference."""
    columns = [("Login", "login"), ("SIS User ID", "sis_user_id"), ("Student", "name")]
    expected = "columns recognised: Login, SIS User ID, Student as name; not recognised, and not used: `Shoe size`"
    assert expected == instructor.columns_text(columns, [("Shoe size", "")])
