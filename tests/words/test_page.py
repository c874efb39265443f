"""The words of the class page are exactly those that its scripts use."""

import re

from grader.classes.page import PARTS
from grader.words.instructor import WORDS

SCRIPTS = "".join(path.read_text(encoding="utf-8") for path in PARTS.own)
FAMILIES = ("standing.", "heat.", "fact.", "column.", "table.")  # the rest of the name is computed


def test_every_word_that_is_asked_for_is_there() -> None:
    """Scripts use a whole name, or the end of the name of a column or a table."""
    asked = set(re.findall(r'"([a-z_]+\.[a-z_.]+)"', SCRIPTS))
    asked |= {f"column.{name}" for name in re.findall(r'\bcolumn\("(\w+)"', SCRIPTS)}
    asked |= {f"fact.{name}" for name in re.findall(r'^    \["(\w+)", ', SCRIPTS, re.MULTILINE)}
    families = {name.split(".")[0] for name in WORDS}
    assert set() == {name for name in asked if name.split(".")[0] in families} - WORDS.keys()


def test_every_word_is_asked_for() -> None:
    """Each text is used by a script."""
    ends = set(re.findall(r"\w+", SCRIPTS))
    unused = {name for name in WORDS if f'"{name}"' not in SCRIPTS and not name.startswith("status.")}
    assert set() == {
        n for n in unused if not n.startswith(FAMILIES) or n.removesuffix(".about").split(".")[1] not in ends
    }


def test_of_two_forms_both_name_the_same_fields() -> None:
    """The singular and the plural differ only in grammar."""
    forms = {name: [set(re.findall(r"\{(\w+)\}", form)) for form in text.split("|")] for name, text in WORDS.items()}
    assert {} == {name: fields for name, fields in forms.items() if len(fields) > 2 or fields[0] != fields[-1]}


def test_no_text_has_the_name_of_a_class() -> None:
    """A class that is renamed may have the name of a word on the page, such as `Change`."""
    named = {key: text for key, text in WORDS.items() if re.search(r"[a-z][A-Z]", text)}
    assert {} == named
