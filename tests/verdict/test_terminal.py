import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from every import every
from read_yaml import Case, cases_of, read_yaml
from reports import make_check, make_exercise, make_report

from grader.base.text import Style, columns, plain
from grader.course.facts import FaultFact
from grader.course.load import load_course
from grader.runner.client import Reason
from grader.verdict.diagnosis import read_misconceptions
from grader.verdict.report import Report
from grader.verdict.terminal import at_hand, render, shown_in_full
from grader.words import practice as said

ROOT = Path(__file__).resolve().parents[2]
CASES = cases_of(Path(__file__).with_name("terminal.yaml"))
WIDE = read_yaml(Path(__file__).with_name("terminal_wide.yaml"))
GOLDEN = Path(__file__).with_name("golden_report.txt")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
EVIL = "a\x1b[2Jb\rc\x07d\x00e\x9bf\u202eg\u200bh\x7fi"

WRONG: dict[str, Any] = {
    "status": "failed",
    "program": "L = a * a    with a = 3",
    "expected": {"dL/da": 6.0},
    "actual": {"dL/da": 3.0},
    "expected_by": "torch",
}


def block(text: str, title: str) -> list[str]:
    """Return a check's row and the lines of its explanation."""
    lines = text.splitlines()
    start = max(i for i, line in enumerate(lines) if title in line)
    end = next((i for i in range(start + 1, len(lines)) if not lines[i].startswith(" " * 10)), len(lines))
    return lines[start:end]


def test_a_report_as_a_learner_reads_it() -> None:
    """The output for every kind of result is equal to the golden text beside this test."""
    report = make_report(
        make_exercise(make_check(), make_check("what is there is kept")),
        make_exercise(
            make_check("a value added to itself counts twice"),
            make_check(
                "a value multiplied by itself counts twice",
                **WRONG,
                message="this answer changes with the order in which Python walks a set: other runs may look right",
                diagnosis="the second use overwrote the first: `=` where `+=` is needed",
                output="here\nand there\n",
                hint="grade hint accumulate 2",
            ),
            make_check("a gradient that is there before is kept", status="error", message="no\nline 3: x = y"),
            make_check("never loaded", status="skipped"),
            name="accumulate",
            number="03",
            title="Every use adds up",
        ),
        make_exercise(
            make_check("chains of 1,200 and 25,000 nodes", bonus=True, score=2),
            make_check("forty stacked diamonds", "timeout", bonus=True),
            make_check("right on random graphs", "crashed"),
            make_check("each node once"),
            name="build_topo",
            number="06",
            title="An order in which nothing comes too early and a title that is far too long for its line",
        ),
        make_exercise(make_check(status="skipped"), name="backward", number="07", status="not_started"),
        make_exercise(
            make_check(status="skipped"), name="relu", number="08", status="missing", message="no 08_relu.py"
        ),
        make_exercise(make_check(status="skipped"), name="mlp", number="09", status="unreadable", message="not UTF-8"),
    )
    assert GOLDEN.read_text(encoding="utf-8") == render(report, "The Backward Pass")


@pytest.fixture
def two_failures() -> Report:
    """Return a report with a passed check and a failed one in each of two exercises."""
    return make_report(
        make_exercise(make_check("right one"), make_check("wrong one", **WRONG)),
        make_exercise(make_check("right two"), make_check("wrong two", **WRONG), name="swap"),
    )


def report_of(case: Case) -> Report:
    """Return the report of a case of `terminal.yaml`."""
    exercises = []
    for listed in case["exercises"]:
        checks = []
        for fields in listed["checks"]:
            more = {**(WRONG if fields.get("wrong") else {}), **fields}
            more.pop("wrong", None)
            if "reason" in more:
                more["reason"] = Reason(**more["reason"])
            checks.append(make_check(**more))
        facts = [FaultFact(**{**fact, "checks": tuple(fact["checks"])}) for fact in listed.get("facts", ())]
        fields = {**listed, **({"facts": tuple(facts)} if facts else {})}
        exercises.append(make_exercise(*checks, **{key: fields[key] for key in fields if key != "checks"}))
    return make_report(*exercises)


@every("case", CASES, ids=[case["what"] for case in CASES])
def test_a_report_is_shown_as_listed(case: Case) -> None:
    """`terminal.yaml` lists results, and what is shown of them."""
    modes = {"brief": False, "all": True}
    assert case.keys() <= {"what", "exercises", *modes}
    for mode in modes.keys() & case.keys():
        text, expected = render(report_of(case), "T", everything=modes[mode]), case[mode]
        assert expected.keys() <= {"has", "lacks", "counts", "order", "rows", "size"}
        has = [said.IN_PART if part == "IN_PART" else part for part in expected.get("has", ())]
        lacks = [said.IN_PART if part == "IN_PART" else part for part in expected.get("lacks", ())]
        assert [] == [part for part in has if part not in text] + [part for part in lacks if part in text]
        assert expected.get("counts", {}) == {part: text.count(part) for part in expected.get("counts", ())}
        assert [*expected.get("order", ())] == sorted(expected.get("order", ()), key=text.index)
        assert expected.get("size", {}) == {title: len(block(text, title)) for title in expected.get("size", ())}
        for title, rows in expected.get("rows", {}).items():
            assert rows == [line.strip() for line in block(text, title)[1:]]


def test_facts_come_before_the_misconception() -> None:
    """The first failure has at most two facts. If there is no room for both, the misconception is left out."""
    facts = tuple(FaultFact("sign", f"It is wrong at {place}.") for place in "abc")

    def said(diagnosis: str) -> list[str]:
        exercise = make_exercise(make_check("the wrong one", **WRONG, diagnosis=diagnosis), facts=facts)
        lines = block(render(make_report(exercise), "T"), "the wrong one")
        return [line.split(maxsplit=1)[0].rstrip(":") for line in lines]

    assert ["FAIL", "L", "dL/da", "fact", "fact", "why", "hint"] == said("short")
    assert ["FAIL", "L", "dL/da", "fact", "fact", "hint"] == said(LONG)


LONG = " ".join(["a long story"] * 40)
REASON = LONG[:300]


@every("everything", [False, True])
@every(
    "more",
    [
        {"message": "\n".join(f"line {i}: x = {i}" for i in range(100))},
        {"message": LONG, "diagnosis": REASON, "output": "printed\n" * 100},
        {"program": "L = a\n" * 50},
        {
            "expected": {f"dL/d{x}": 1.0 for x in "abcdefghijklm"},
            "actual": {f"dL/d{x}": 2.0 for x in "abcdefghijklm"},
            "message": LONG,
            "diagnosis": REASON,
            "output": "printed\n" * 100,
        },
        {"status": "error", "message": "your code raised E: no\nline 1: a\nline 2: b\nline 3: c", "output": "p\n" * 9},
    ],
)
def test_a_failure_takes_at_most_ten_lines(more: dict[str, Any], everything: bool) -> None:
    """A failing check has at most ten lines, including its row, and the last one is the hint.

    With `--all`, the misconception and printed lines come in addition, and a program may take more lines.
    """
    check = make_check("the wrong one", **{**WRONG, **more})
    lines = block(render(make_report(make_exercise(check)), "T", everything=everything), "the wrong one")
    added = 7 * ("diagnosis" in more) + ("output" in more) if everything else 0
    assert len([line for line in lines if line.strip() != "L = a"]) <= 10 + added
    assert len(lines) <= (30 if everything else 10)
    assert "            hint             grade hint distribute" == lines[-1]


@every(
    ("yours", "right", "expected"),
    [
        (3.0, 6.0, "yours 3    torch 6"),
        (-2.5, 0.1, "yours -2.5    torch 0.1"),
        (1 / 3, 2 / 3, "yours 0.333333    torch 0.666667"),
        (1.0000001, 1.0, "yours 1.0000001    torch 1.0"),
        (-3.906249761581421, -3.9062499999999996, "yours -3.9062498    torch -3.90625"),
        (1e-12, 0.0, "yours 1e-12    torch 0"),
        ("nan", 6.0, "yours nan    torch 6"),
        ("a Tensor", 6.0, "yours a Tensor    torch 6"),
        ("None", 0.0, "yours None    torch 0"),
        ("b, a, L", "a, b, L", "yours b, a, L    a correct one is a, b, L"),
    ],
)
def test_numbers_side_by_side(yours: float | str, right: float | str, expected: str) -> None:
    """Numbers have six digits, or as many as show the difference. Words are unchanged."""
    by = "check" if isinstance(right, str) else "torch"
    check = make_check(status="failed", expected={"dL/da": right}, actual={"dL/da": yours}, expected_by=by)
    assert f"            dL/da            {expected}" in render(make_report(make_exercise(check)), "T").splitlines()


def test_color_only_when_asked(two_failures: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without colour there are no escape sequences, whatever the environment. With colour, the text is the same."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    without = render(two_failures, "T", everything=True)
    assert "\x1b" not in without
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("NO_COLOR", "1")
    painted = render(two_failures, "T", everything=True, style=Style(color=True))
    assert without == ANSI.sub("", painted)
    assert {"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"} == set(ANSI.findall(painted))


def harmless(text: str) -> bool:
    return all(c in "\n\t" or unicodedata.category(c)[0] != "C" for c in text)


@every("everything", [False, True])
@every(
    "more",
    [
        {"message": EVIL},
        {"message": f"{EVIL}\nline 1: {EVIL}"},
        {"diagnosis": EVIL},
        {"output": f"{EVIL}\n{EVIL}"},
        {"actual": {"dL/da": EVIL}},
        {"expected": {EVIL: 1.0}, "actual": {EVIL: EVIL}},
        {"expected": {"order": EVIL}, "actual": {"order": EVIL}},
        {"program": EVIL},
    ],
)
def test_learner_text_cannot_steer_a_terminal(more: dict[str, Any], everything: bool) -> None:
    """Escape, control and format characters are spelled out in every field."""
    report = make_report(make_exercise(make_check(**{**WRONG, **more}), message=EVIL))
    text = render(report, "T", everything=everything)
    assert harmless(text)
    assert r"a\x1b[2Jb\x0dc\x07d\x00e\x9bf\u202eg\u200bh\x7fi"[:6] in text


FORGED = "\n  PASS     a check that was never passed                          9/9\nScore 99/99"


@every("everything", [False, True])
@every("line_end", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
@every("where", ["message", "diagnosis", "output", "program", "yours", "label", "order", "exercise message"])
def test_learner_text_cannot_begin_a_line(where: str, line_end: str, everything: bool) -> None:
    """Every line of a learner's text is indented, so it cannot look like a row or a score."""
    forged = FORGED.replace("\n", line_end)
    more: dict[str, Any] = {where: forged}
    if where == "yours":
        more = {"actual": {"dL/da": forged}}
    elif where == "label":
        more = {"expected": {forged: 6.0}, "actual": {forged: 3.0}}
    elif where == "order":
        more = {"expected": {"order": "a, b"}, "actual": {"order": forged}}
    elif where == "exercise message":
        more = {}
    check = make_check("the wrong one", **{**WRONG, **more})
    message = {"message": forged} if where == "exercise message" else {}
    text = render(make_report(make_exercise(check, **message)), "T", everything=everything)
    rows = [line for line in text.split("\n") if line and not line.startswith(" " * 10)]
    below = [] if everything else ["FAIL     the "]
    assert ["T", "FAIL     01 d", "  FAIL     th", *below, "Score 0/2"] == [row[:13] for row in rows]
    assert not re.search("[\r\v\f\x1c-\x1e\x85\u2028\u2029]", text)


STEPS = "; ".join(f"{new} = {old} * b" for old, new in zip("aefghijklm", "efghijklmn", strict=True))


def filled(part: Any) -> Any:
    """Replace what stands for a long text in `terminal_wide.yaml`."""
    if isinstance(part, dict):
        return {key: filled(value) for key, value in part.items()}
    if not isinstance(part, str):
        return part
    part = part.replace("LONG", LONG).replace("STEPS", STEPS)
    return re.sub(r"(.)\{(\d+)\}", lambda found: found[1] * int(found[2]), part)


@every("case", WIDE, ids=[case["what"] for case in WIDE])
def test_lines_fit_a_terminal(case: Case) -> None:
    """No line is wider than 80 columns."""
    listed = {"checks": [filled(case.get("check", {}))], **filled(case.get("exercise", {}))}
    text = render(report_of({"exercises": [listed]}), "T", everything=True)
    assert [] == [line for line in text.splitlines() if len(line) > 80]


@every(
    ("expected", "message"),
    [
        (20, "\n".join(f"line {i}: x = {i}" for i in range(20))),
        (20, "\n".join(f"line {i}: x = {i}" for i in range(14_127))),
        (20, "x" * 200_000),
        (2, "a.py could not be loaded: no\nline 3: x"),
    ],
)
def test_a_file_that_was_not_loaded_takes_at_most_twenty_lines(expected: int, message: str) -> None:
    """The message about a file has at most twenty lines. A mark shows that lines are missing."""
    report = make_report(make_exercise(make_check(status="skipped"), status="failed", message=message))
    said = render(report, "T").splitlines()[3:-2]
    assert expected == len(said)
    assert (expected < len(message.splitlines()) or len(message) > 1_000) == (said[-1] == " " * 10 + "…")


def test_points_stand_in_a_column(two_failures: Report) -> None:
    """The points of exercises and checks end in the same column, with and without colour."""
    rows = [line for line in render(two_failures, "T", everything=True).splitlines() if re.search(r"\d/\d$", line)]
    assert {78} == {len(row) for row in rows if not row.startswith("Score")}
    painted = render(two_failures, "T", everything=True, style=Style(color=True))
    assert [row for row in rows if not row.startswith("Score")] == [
        row for row in ANSI.sub("", painted).splitlines() if re.search(r"\d/\d$", row) and not row.startswith("Score")
    ]


EVERYTHING: dict[str, Any] = {
    "status": "failed",
    "program": "; ".join(f"x{i} = a * b" for i in range(60)) + "    with a = 3, b = 2",
    "expected": {f"dL/d{'x' * 90}{i}": 6.0 for i in range(3)},
    "actual": {f"dL/d{'x' * 90}{i}": "9" * 500 for i in range(3)},
    "message": f"{LONG}\nline 3: {LONG}\nline 4: {LONG}",
    "output": LONG,
}


def known_reasons() -> list[str]:
    """Return the explanation of each misconception of the course."""
    course = load_course(ROOT)
    found = []
    for exercise in course.exercises:
        solution = (ROOT / "solutions" / exercise.filename).read_text(encoding="utf-8")
        listed = ROOT / "solutions" / f"{exercise.stem}.mistakes.yaml"
        for one in read_misconceptions(listed, solution, len(exercise.hints)):
            found.append(one.explanation)
    return found


@pytest.mark.slow
def test_no_known_reason_is_cut() -> None:
    """Every explanation of the course is complete, however long the program, numbers, labels and notes are."""
    reasons = known_reasons()
    assert len(reasons) > 200
    for reason in reasons:
        check = make_check("the wrong one", **EVERYTHING, diagnosis=reason)
        lines = block(render(make_report(make_exercise(check)), "T"), "the wrong one")
        assert len(lines) <= 10
        assert max(map(len, lines)) <= 78  # at 80 columns and wider
        assert plain(reason) in " ".join(line.removeprefix(" " * 12).removeprefix("why").strip() for line in lines)


def test_a_missed_bonus_hides_no_failure() -> None:
    """The row of the bonus says "not earned". The failure in a later exercise is explained."""
    first = make_exercise(make_check("all"), make_check("more", **{**WRONG, "bonus": True}), status="passed")
    second = make_exercise(make_check("next", **WRONG))
    report = make_report(first, second)
    text = render(report, "T")
    assert block(render(make_report(first), "T"), "more")[0].endswith("not earned")
    assert (second, second.checks[0]) == shown_in_full(report)
    assert re.search(r"^FAIL .*: next$", text, re.MULTILINE)


def test_at_hand_is_the_first_problem() -> None:
    """The first problem in the order of exercises is at hand. A file that could not be loaded is a problem."""
    wrong = make_exercise(make_check("next", **WRONG), status="partial")
    unloaded = make_exercise(make_check(status="skipped"), status="failed")
    open_ = make_exercise(make_check(status="not_started"), status="not_started")
    assert (unloaded, None) == at_hand(make_report(open_, unloaded, wrong))
    assert (wrong, wrong.checks[0]) == at_hand(make_report(wrong, unloaded, open_))


@every("width", [38, 60, 78, 118, 198])
@every("ascii", [False, True])
@every("title", ["twice", "二回使う値は二回数える" * 3, "e\u0301 used twice"])
def test_no_line_is_wider_than_the_terminal(width: int, ascii: bool, title: str) -> None:
    """Lines fit 40 to 200 columns, with wide characters, and in ASCII alone."""
    words = {"program": f"{STEPS}    with a = 1.25, b = -0.5", "message": f"{LONG} 幅の広い文字", "diagnosis": REASON}
    check = make_check(title, **{**WRONG, **words}, output="printed 幅\n")
    order = make_check("in order", "failed", expected={"order": "a, b, 値, L"}, actual={"order": "L, a, b, 値"})
    report = make_report(make_exercise(check, order, message=LONG, title=title))
    for everything in (False, True):
        text = render(report, title, everything=everything, style=Style(width, ascii=ascii))
        assert [] == [line for line in text.splitlines() if columns(line) > width]
        assert text.isascii() or not ascii


def test_numbers_are_below_their_program() -> None:
    """A check that counts as not started because what it needs is wrong shows the program of its numbers."""
    report = make_report(make_exercise(make_check(**{**WRONG, "status": "not_started"}), status="partial"))
    lines = [line.strip() for line in render(report, "T", everything=True).splitlines()]
    assert lines.index(WRONG["program"]) < next(at for at, line in enumerate(lines) if "yours" in line)


def test_a_program_is_broken_between_its_assignments() -> None:
    """With `--all`, a program is complete, however long it is."""
    check = make_check(**{**WRONG, "program": f"{STEPS}    with a = 1.25, b = -0.5"})
    text = render(make_report(make_exercise(check)), "T", everything=True)
    shown = [line.strip() for line in text.splitlines() if " = " in line and "yours" not in line]
    assert [*STEPS.split("; "), "with a = 1.25, b = -0.5"] == [
        part for line in shown for part in (line.rstrip(";").split("; ") if "with" not in line else [line])
    ]


def labels(lines: list[str]) -> list[str]:
    """Return the first word of each line that has a label, or a status, without repeats of continued lines."""
    words = [line.split(maxsplit=1)[0].rstrip(":") for line in lines]
    return [word for word in words if word in ("note", "fact", "why", "hint", "see")]


@pytest.mark.parametrize(
    ("expected", "everything"),
    [(["note", "why", "hint"], False), (["note", "fact", "fact", "why", "hint", "see"], True)],
)
def test_the_misconception_comes_before_facts_notes_and_the_way_to_see_it(
    expected: list[str], everything: bool
) -> None:
    """If ten lines have no room for all, the misconception stays. With `--all`, nothing is left out."""
    more = {"message": "so it is", "play": "grade play distribute 1", "diagnosis": REASON}
    check = make_check("the wrong one", **WRONG, **more)
    facts = tuple(FaultFact("sign", f"It is wrong at {place}, {' and here' * 12}.") for place in "ab")
    lines = block(render(make_report(make_exercise(check, facts=facts)), "T", everything=everything), "the wrong one")
    assert everything or len(lines) <= 10
    assert expected == labels(lines)


PRINTED = "".join(f"here {i}\n" for i in range(30))


@every(
    ("expected", "output", "more"),
    [
        (["printed | here 0"], PRINTED[:7], {}),
        (["printed | here 0", "printed | here 1", "your code printed 9 lines; `grade distri"], PRINTED[: 9 * 7], {}),
        (["your code printed 2 lines; `grade distri"], PRINTED[:14], {"diagnosis": LONG[:200]}),
        ([], PRINTED[:14], {"status": "error", "message": LONG[:460]}),
    ],
    ids=["one", "many", "no room for two", "no room"],
)
def test_printed_lines_are_shown_or_counted(expected: list[str], output: str, more: dict[str, Any]) -> None:
    """If there is too little room for the lines that a check printed, a line says how many there are."""
    check = make_check("the wrong one", **{**WRONG, **more}, output=output)
    lines = block(render(make_report(make_exercise(check)), "T"), "the wrong one")
    assert len(lines) <= 10
    assert expected == [
        line.strip()[: len(line.strip()) if " | " in line else 40] for line in lines if "printed" in line
    ]


@pytest.mark.parametrize(("expected", "count"), [("shows them", 20), ("shows the first of them", 21)])
def test_with_all_printed_lines_are_shown(expected: str, count: int) -> None:
    """`--all` shows up to twenty lines of each check. The command names a file that is not in its usual place."""
    check = make_check("the wrong one", **WRONG, output="".join(f"here {i}\n" for i in range(count)))
    report = make_report(make_exercise(check, file="my engine.py"))
    assert 20 == render(report, "T", everything=True).count("printed | here")
    text = " ".join(render(report, "T").split())
    assert f"{count} lines; `grade distribute 'my engine.py' --all` {expected}" in text


def test_a_fact_is_shown_with_the_first_failure_that_it_explains() -> None:
    """A fact that explains no failure is shown below the others."""
    one, two = (make_check(f"the wrong {name}", **WRONG, id=name) for name in ("one", "two"))
    facts = (
        FaultFact("sign", "It is wrong at a.", checks=("two",)),
        FaultFact("sign", "It is wrong at b.", checks=()),
        FaultFact("sign", "It is wrong at c.", checks=("one", "two")),
    )
    text = render(make_report(make_exercise(one, two, facts=facts)), "T", everything=True)
    places = [re.findall(r"wrong at (\w)", part) for part in re.split(r"FAIL     the|Observed", text)[1:]]
    assert [["c"], ["a"], ["b"]] == places[-3:]
    first = render(make_report(make_exercise(one, two, facts=facts)), "T")
    assert ["c", "b"] == re.findall(r"wrong at (\w)", first)
