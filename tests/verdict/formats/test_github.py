"""What GitHub would make of it: the Markdown is rendered by markdown-it as GitHub's is (tables, bare links, HTML), the
commands are read as GitHub's runner reads a log (`src/Runner.Common/ActionCommand.cs` of
https://github.com/actions/runner)."""

import re
from typing import Any

import pytest
from every import every
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace
from reports import named_check as check
from reports import one_exercise as report

from grader.course.facts import FaultFact
from grader.runner.client import Reason
from grader.verdict.formats.github import MOST_ANNOTATIONS, annotations, summary
from grader.verdict.report import CheckResult, Report
from grader.verdict.report.model import Repair, Repairs

GITHUB = MarkdownIt("gfm-like")
HOSTILE = (
    "```\n</code></pre><img src=x onerror=alert(1)>\n````` \n| a | b |\n|---|---|\n[x](http://evil.example) "
    "http://evil.example\n\r\n::error file=x::y\n::set-output name=a::b\n##[error]z\n@everyone #1 $x$ "
    "%0A::add-mask::q ![i](//e.example/p) <!--\x1b[31m"
)


def tokens(text: str) -> list[Token]:
    """Every token of a page, those in lines too."""
    return [one for block in GITHUB.parse(text) for one in (block, *(block.children or ()))]


def commands(log: str) -> list[tuple[str, dict[str, str], str]]:
    """The workflow commands of a log: name, properties, and what is said."""
    found = []
    for line in log.splitlines():
        match = re.match(r"\s*::(?P<name>[\w-]+)(?: (?P<properties>.*?))?::(?P<data>.*)$", line)
        if match:
            pairs = [one.partition("=") for one in (match["properties"] or "").split(",") if one]
            found.append((match["name"], {key: unescaped(value) for key, _, value in pairs}, unescaped(match["data"])))
        assert "##[" not in line
    return found


def unescaped(text: str) -> str:
    for code, mark in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, mark)
    return text


def named(made: Report, **more: Any) -> Report:
    """A report whose exercise has a file, and more."""
    (exercise,) = made.exercises
    return replace(made, exercises=(replace(exercise, **{"file": "exercises/03_first.py", **more}),))


def test_the_summary_is_a_table_and_the_first_failure(failed: CheckResult) -> None:
    """Score, exercises, and what happened where, as plain text."""
    made = named(report(check(), replace(failed, line=47)))
    found = tokens(summary(made, "A course"))
    cells = [one.content for one in found if one.type == "inline"]
    (fence,) = [one.content for one in found if one.type == "fence"]

    assert "A course: 2/4" == re.sub(r"\\", "", cells[0])
    assert ["03", "The first", "partial", "2/4"] == cells[5:9]
    assert fence.startswith(
        "exercises/03_first.py:47\ntwo is right\nL = a * a    with a = 3\ndL/da: yours 3, torch 6\n"
    )
    assert fence.endswith("why: the second use overwrote the first\nhint: grade hint first 2\n")


def test_what_is_right_or_not_begun_is_not_explained() -> None:
    """A row of the table says it all, and no line is annotated."""
    for made in (
        named(report(check()), status="passed"),
        named(report(check("one", "skipped"), status="not_started")),
        named(report(check("one", "skipped"), status="missing", message="there is no file")),
    ):
        assert "###" not in summary(made, "A course")
        assert [] == list(annotations(made))


def test_an_annotation_stands_at_the_learners_line(failed: CheckResult) -> None:
    """With reason and hint; the path leads there from the root of the repository."""
    made = named(report(replace(failed, line=47)))
    ((name, properties, said),) = commands("".join(annotations(made, "homework/one")))
    assert "error" == name
    expected = {"file": "homework/one/exercises/03_first.py", "line": "47", "title": "03 The first: 0/2"}
    assert expected == properties
    assert said.startswith("two is right\nL = a * a    with a = 3\n")
    assert said.endswith("why: the second use overwrote the first\nhint: grade hint first 2")


def test_an_annotation_without_an_error_stands_at_the_rule_or_at_the_line_that_must_change(failed: CheckResult) -> None:
    """A fact about the check names the lines of a rule. Otherwise the search may have found a line."""
    about = FaultFact("overwrites", "a fact", lines=(65, 67), checks=(failed.id,))
    elsewhere = FaultFact("overwrites", "a fact", lines=(5, 7), checks=("other",))
    repairs = Repairs((Repair("constant", (66,)),), 1, exhaustive=True)
    for more, expected in (
        ({"facts": (elsewhere, about), "repairs": repairs}, "65"),
        ({"facts": (elsewhere,), "repairs": repairs}, "66"),
        ({"facts": (elsewhere,)}, None),
    ):
        ((_, properties, _),) = commands("".join(annotations(named(report(failed), **more))))
        assert expected == properties.get("line")


def test_a_file_that_was_not_loaded_is_annotated_where_it_broke() -> None:
    """Its message, at the line that it is about."""
    made = named(
        report(check("one", "skipped"), status="failed", message="could not be loaded"), reason=Reason("syntax", line=3)
    )
    ((_, properties, said),) = commands("".join(annotations(made)))
    assert ("3", "could not be loaded") == (properties["line"], said)


def test_at_most_ten_annotations(failed: CheckResult) -> None:
    """One for each exercise; GitHub would drop more."""
    made = named(report(failed))
    many = replace(made, exercises=made.exercises * 13)
    assert MOST_ANNOTATIONS == 10 == len(commands("".join(annotations(many))))


def test_hostile_text_gives_no_commands() -> None:
    """Whatever was written, the log has one command for the exercise, and all of the text is in it."""
    for field in ("message", "output", "program"):
        made = named(report(check("one", "error", **{field: HOSTILE})), file=HOSTILE.replace("\n", " "))
        log = "".join(annotations(made))
        assert 1 == log.count("\n")
        ((name, properties, _),) = commands(log)
        assert ("error", {"file", "title"}) == (name, set(properties))
        assert log.isprintable() or log.rstrip("\n").isprintable()


@every("field", ["message", "program", "hint"])
def test_hostile_text_is_no_markdown(field: str) -> None:
    """It stays in its fence: no HTML, no link, no image, no further table or heading, no second block."""
    made = named(report(check("one", "error", **{field: HOSTILE}), notes=(HOSTILE,)), file=HOSTILE.replace("\n", " "))
    text = summary(made, "A course")
    found = tokens(text)
    assert {"html_block", "html_inline", "link_open", "image", "code_inline"}.isdisjoint(one.type for one in found)
    assert [1, 2, 2] == [sum(one.type == kind for one in found) for kind in ("table_open", "heading_open", "fence")]
    assert "::" not in text
    assert all(c == "\n" or c.isprintable() for c in text)
    outside = "".join(one.content for one in found if one.type == "text")
    assert "evil" not in outside
    assert "@" not in outside


def test_a_title_is_no_markdown_either() -> None:
    """Titles are the course's; marks in them are marks."""
    made = named(report(check()), title=HOSTILE)
    found = tokens(summary(made, "A *course* <b>"))
    assert {"html_inline", "html_block", "link_open", "image", "em_open", "code_inline"}.isdisjoint(
        one.type for one in found
    )
    assert 1 == sum(one.type == "table_open" for one in found)


@pytest.mark.slow
def test_a_long_report_fits_into_a_summary() -> None:
    """GitHub refuses more than 1 MiB; what does not fit is counted."""
    made = named(report(check("one", "error", message="∇" * 20_000)))
    many = replace(made, exercises=made.exercises * 200)
    text = summary(many, "A course")
    assert len(text.encode()) < 1 << 20
    assert re.search(r"^\d+ more are left out here", text, re.MULTILINE)
