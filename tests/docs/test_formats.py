"""The tables of formats and of operations in the documentation follow from the code.

`make tables` runs this file, which writes them.
"""

from pathlib import Path

from every import every

from grader.classes.feedback import FORMAT as FEEDBACK
from grader.classes.sources import FORMAT as SOURCES
from grader.classes.worksheet import FORMAT as WORKSHEET
from grader.course.program import OPERATIONS
from grader.verdict.formats.registry import export_formats, run_formats

ROOT = Path(__file__).resolve().parents[2]
EXPORT = "| format | what it writes |\n|---|---|\n"
RUN = "| format | what it writes | where, if no file is named |\n|---|---|---|\n"
OPERATION = "| name | in a program | an engine |\n|---|---|---|\n"
PAGES = [("README.md", RUN), ("docs/cohort.md", EXPORT), ("docs/authoring.md", OPERATION)]


def rows(page: str) -> str:
    """Return the rows of the table in a page."""
    if page == "docs/authoring.md":
        forms = {name: f"`{one.text}`" + f" or `a.{name}()`" * one.is_function for name, one in OPERATIONS.items()}
        needs = {True: "may lack it with `where_offered`", False: "needs it"}
        return "".join(f"| `{name}` | {forms[name]} | {needs[one.optional]} |\n" for name, one in OPERATIONS.items())
    if page == "README.md":
        places = {name: one.run for name, one in run_formats().items()}
        said = {name: f"`{at}`" if at[0] != "$" else f"the file that `{at[1:]}` names" for name, at in places.items()}
        return "".join(f"| `{name}` | {one.about} | {said[name]} |\n" for name, one in run_formats().items())
    formats = {one.name: one for one in (FEEDBACK, SOURCES, WORKSHEET)} | export_formats()
    return "".join(f"| `{name}` | {formats[name].about} |\n" for name in sorted(formats))


@every(("page", "head"), PAGES)
def test_the_tables_are_complete(page: str, head: str) -> None:
    """If a table differs, run `make tables`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert f"{rows(page)}\n" == text[text.index(head) + len(head) :][: len(rows(page)) + 1]


if __name__ == "__main__":
    for name, first in PAGES:
        before, _, after = (ROOT / name).read_text(encoding="utf-8").partition(first)
        _, _, rest = f"\n{after}".partition("\n\n")
        (ROOT / name).write_text(f"{before}{first}{rows(name)}\n{rest}", encoding="utf-8")
