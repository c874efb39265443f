import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import jsonschema
import msgspec
import pytest
from every import every
from msgspec import UNSET
from msgspec.structs import replace
from read_yaml import read_yaml
from reports import make_exercise, make_report, named_check

from grader.course.facts import FaultFact
from grader.course.load import Course
from grader.course.oracle.answer_book import read_book
from grader.course.remarks import NeverRan
from grader.runner.client import Reason
from grader.verdict.grading import grade
from grader.verdict.report import Repair, Repairs, model
from grader.verdict.report.model import (
    SCHEMA,
    CheckResult,
    Diagnosis,
    ExerciseResult,
    ExerciseStatus,
    Report,
    ReportStatus,
    contradiction,
    for_learner,
    overall,
    read_report,
    schema,
    to_json,
    write_report,
)
from grader.verdict.report.shown import failure, last_hint

LISTED = read_yaml(Path(__file__).with_name("reports.yaml"))
STRUCTS = [one for one in vars(model).values() if isinstance(one, type) and issubclass(one, msgspec.Struct)]


@every("struct", STRUCTS)
def test_data_is_frozen(struct: type[msgspec.Struct]) -> None:
    """A report is never changed, only replaced."""
    assert struct.__struct_config__.frozen


def test_the_solutions_have_full_marks(solved: Report) -> None:
    """Every check of every exercise is passed, bonus included."""
    assert ("passed", solved.max_score) == (solved.status, solved.score)
    assert {"passed"} == {check.status for exercise in solved.exercises for check in exercise.checks}
    assert sum(c.max_score for e in solved.exercises for c in e.checks if c.bonus) == solved.bonus


@pytest.mark.slow
def test_each_kind_of_mistake_has_its_status(mixed: Report) -> None:
    """The folder of mistakes has every status of an exercise that such a folder can have."""
    expected = {
        "distribute": "failed",
        "swap": "partial",
        "accumulate": "passed",
        "build_topo": "not_started",
        "backward": "missing",
        "relu": "failed",
        "engine": "partial",
    }
    found = {exercise.id: exercise.status for exercise in mixed.exercises}
    assert expected == {name: found[name] for name in expected}
    assert "partial" == mixed.status


def test_expected_and_actual_share_their_keys(real: Report) -> None:
    """Wherever a report shows what is right, it shows what came back under the same names."""
    for exercise in real.exercises:
        for check in exercise.checks:
            if isinstance(check.expected, dict) and isinstance(check.actual, dict):
                assert list(check.expected) == list(check.actual)


@pytest.mark.slow
def test_the_seed_stands_only_where_it_is_not_the_courses(solved: Report, mixed: Report) -> None:
    """A grading under the course's own seed needs none in its report."""
    assert (msgspec.UNSET, "a seed that is not the course's own") == (solved.seed, mixed.seed)


def without_times(report: Report) -> bytes:
    """The report's JSON with `graded_at`, the durations and the files' folders blanked."""
    exercises = tuple(
        replace(e, checks=tuple(replace(c, duration_s=0.0) for c in e.checks), file=Path(str(e.file)).name)
        for e in report.exercises
    )
    return to_json(replace(report, graded_at="", exercises=exercises))


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["print(_backward)", "raise ValueError(object.__repr__(self))"])
def test_addresses_do_not_show(course: Course, tmp_path: Path, shown: str) -> None:
    """Nor does it matter that a learner's code shows objects by their addresses, which differ from run to run."""
    (swap,) = [exercise for exercise in course.exercises if exercise.id == "swap"]
    text = course.solution(swap).read_text(encoding="utf-8").replace("self.grad += other.data * out.grad", shown)
    (tmp_path / swap.filename).write_text(text, encoding="utf-8")
    files = {"swap": tmp_path / swap.filename}
    one, other = (grade(course, read_book(course.book), files, seed=course.seed, memo=None) for _ in range(2))
    assert shown in text
    assert without_times(one) == without_times(other)


# -- The status of a whole report


@every(("expected", "exercises"), LISTED["statuses"])
def test_the_status_of_a_whole_report(expected: ReportStatus, exercises: Sequence[tuple[ExerciseStatus, int]]) -> None:
    """A report is `passed` or `not_started` only if every exercise is. With at least one point it is `partial`."""
    results = [ExerciseResult("x", "01", "X", status, points, 5, 0, ()) for status, points in exercises]
    assert expected == overall(results)


VALIDATOR = jsonschema.Draft202012Validator(schema())


@pytest.fixture(
    params=["solved", *(pytest.param(name, marks=pytest.mark.slow) for name in ("mixed", "mixed, for the learner"))]
)
def report(request: pytest.FixtureRequest) -> Report:
    """Each of the real reports, in turn."""
    name, _, audience = request.param.partition(", ")
    made: Report = request.getfixturevalue(name)
    return for_learner(made, {}) if audience else made


def test_the_schema_is_one() -> None:
    """The published schema is valid by the metaschema that it names."""
    jsonschema.Draft202012Validator.check_schema(schema())
    assert ("https://json-schema.org/draft/2020-12/schema", SCHEMA) == (schema()["$schema"], schema()["$id"])


def test_the_schema_is_plain_json() -> None:
    """The schema survives being written down."""
    assert schema() == json.loads(json.dumps(schema()))


def test_a_report_fits_its_schema(report: Report) -> None:
    """Real reports of solutions and of mistakes are valid."""
    VALIDATOR.validate(json.loads(to_json(report)))


def test_a_round_trip(report: Report) -> None:
    """A report reads back as it was, to the byte."""
    data = to_json(report)
    assert report == read_report(data)
    assert data == to_json(read_report(data))


def test_the_json_is_for_people_too(report: Report) -> None:
    """Indented, with a line end, and the fields in the order of the model."""
    text = to_json(report).decode()
    assert text.startswith('{\n  "schema": "backward/report/v3",\n  "grader_version": ')
    assert text.endswith("\n}\n")


@every("text", LISTED["steering"])
def test_nothing_in_the_json_steers_a_terminal_or_a_log(solved: Report, text: str) -> None:
    """Control characters, what is not seen, and commands are spelled by escapes, and read back as they were."""
    named = replace(solved, notes=(*solved.notes, text))
    data = to_json(named).decode()
    assert text not in data
    assert "::" not in data
    assert all(character == "\n" or character.isprintable() for character in data)
    assert named == read_report(data.encode())


def parts(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One object of each kind in a report."""
    yield report
    yield from (report["course"], report["submission"], report["isolation"], report["isolation"]["limits"])
    yield report["exercises"][0]
    yield report["exercises"][0]["checks"][0]


@every("which", range(7))
def test_unknown_fields_are_refused(solved: Report, which: int) -> None:
    """A field that the model does not have is no part of a report, by reader and schema alike."""
    data = json.loads(to_json(solved))
    list(parts(data))[which]["more"] = 1
    with pytest.raises(ValueError, match="unknown field `more`"):
        read_report(json.dumps(data).encode())
    assert not VALIDATOR.is_valid(data)


@every("which", [0, 1, 2, 3, 5, 6])
def test_missing_fields_are_refused(solved: Report, which: int) -> None:
    """So is a report that lacks one; only limits (4) have defaults, as in course.yaml."""
    data = json.loads(to_json(solved))
    part = list(parts(data))[which]
    part.pop(next(iter(part)))
    with pytest.raises(ValueError, match="missing required field"):
        read_report(json.dumps(data).encode())
    assert not VALIDATOR.is_valid(data)


@every(("which", "field", "value"), LISTED["wrong"])
def test_wrong_values_are_refused(solved: Report, which: int, field: str, value: Any) -> None:
    """Reader and schema agree on what is no report."""
    data = json.loads(to_json(solved))
    list(parts(data))[which][field] = value
    with pytest.raises(ValueError, match=r"\w"):
        read_report(json.dumps(data).encode())
    assert not VALIDATOR.is_valid(data)


@every("data", [b"", b"{", b"[]", b"null", b"\xff", b'{"schema": "backward/report/v3"}', b"[" * 9999])
def test_what_is_no_report_is_a_value_error(data: bytes) -> None:
    """Damaged or foreign data raises nothing else."""
    with pytest.raises(ValueError, match=r"\w"):
        read_report(data)


def test_every_cut_of_a_report_is_refused(solved: Report) -> None:
    """A report that lost its end is none."""
    data = to_json(solved).rstrip()
    for length in range(0, len(data), 97):
        with pytest.raises(ValueError, match=r"\w"):
            read_report(data[:length])


def test_a_report_is_written(solved: Report, tmp_path: Path) -> None:
    """The file holds the report, everybody may read it, and nothing else is left in the folder."""
    path = tmp_path / "report.json"
    write_report(solved, path)
    assert to_json(solved) == path.read_bytes()
    assert 0o644 == stat.S_IMODE(path.stat().st_mode)
    assert [path] == list(tmp_path.iterdir())


class PowerCutError(BaseException):
    """Not even an `Exception`: what a Ctrl-C would be."""


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PowerCutError()])
@pytest.mark.parametrize(
    "step",
    ["grader.verdict.report.model.to_json", "os.fsync", "os.chmod", "os.replace"],
    ids=lambda step: step.split(".")[-1],
)
def test_a_failure_midway_leaves_the_old_file(
    solved: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    """Whatever step fails, the old report is whole and no other file is left."""
    path = tmp_path / "report.json"
    path.write_text("the old report")

    def fail(*_: Any) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(step, fail)
        with pytest.raises(type(error)):
            write_report(solved, path)
    assert [("report.json", "the old report")] == [(file.name, file.read_text()) for file in tmp_path.iterdir()]


def test_the_new_file_is_whole_before_it_has_the_name(
    solved: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the very last step the old file stands there, and what replaces it is complete and on disk."""
    path = tmp_path / "report.json"
    path.write_text("the old report")
    seen: list[str] = []
    replace, fsync = os.replace, os.fsync

    def watch_sync(handle: int) -> None:
        seen.append("synced")
        fsync(handle)

    def watch_replace(source: str, target: Path) -> None:
        seen.append("replaced")
        assert to_json(solved) == Path(source).read_bytes()
        assert "the old report" == target.read_text()
        replace(source, target)

    monkeypatch.setattr(os, "fsync", watch_sync)
    monkeypatch.setattr(os, "replace", watch_replace)
    write_report(solved, path)
    assert ["synced", "replaced"] == seen


@pytest.mark.parametrize("place", ["nowhere/report.json", "folder"])
def test_a_place_that_cannot_be_written_is_an_os_error(solved: Report, tmp_path: Path, place: str) -> None:
    """A missing folder, or a folder of that name, is told by the system; nothing is left behind."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"No such file|directory"):
        write_report(solved, tmp_path / place)
    assert ["folder"] == [path.name for path in tmp_path.iterdir()]


@pytest.fixture
def odd_texts(solved: Report) -> Callable[[str], Report]:
    """Makes a report in which a learner's text stands."""

    def make(text: str) -> Report:
        data = json.loads(to_json(solved))
        data["exercises"][0]["message"] = text
        data["exercises"][0]["checks"][0] |= {"actual": {"dL/da": text}, "output": text}
        return read_report(json.dumps(data).encode())

    return make


@pytest.mark.parametrize("text", ["½ → 日本 🙂", "\x00\x1b[31m\x7f\x85\u2028", '"\\/', "a\r\nb\n", "x" * 100_000])
def test_any_text_survives(odd_texts: Callable[[str], Report], text: str) -> None:
    """What a learner's code printed comes back as it was, and the report is valid."""
    report = odd_texts(text)
    assert report == read_report(to_json(report))
    assert text == json.loads(to_json(report))["exercises"][0]["message"]
    VALIDATOR.validate(json.loads(to_json(report)))


# -- a report that contradicts itself is none


@pytest.mark.slow
def test_what_the_grader_writes_adds_up(solved: Report, mixed: Report) -> None:
    """Full marks and a folder of mistakes, with bonus and without."""
    assert (None, None) == (contradiction(solved), contradiction(mixed))


@every(("path", "value", "expected"), LISTED["contradictions"])
def test_a_report_that_was_edited_is_told_from_one_that_was_made(
    solved: Report, path: str, value: Any, expected: str
) -> None:
    """What does not add up is named; the report is read by nobody."""
    data: Any = json.loads(to_json(solved))
    place = data
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in way:
        place = place[step]
    assert value != place[last]
    place[last] = value
    with pytest.raises(ValueError, match="it does not add up: ") as caught:
        read_report(json.dumps(data).encode())
    assert expected in str(caught.value)


@pytest.mark.slow
def test_an_exercise_without_all_points_is_not_passed(mixed: Report) -> None:
    """Neither by its status nor by the report's."""
    data: Any = json.loads(to_json(mixed))
    partial = next(exercise for exercise in data["exercises"] if exercise["score"] < exercise["max_score"])
    partial["status"] = "passed"
    with pytest.raises(ValueError, match=f"`{partial['id']}` is `passed`, with {partial['score']} of"):
        read_report(json.dumps(data).encode())


FULL = CheckResult(
    id="one",
    title="one is right",
    visibility="hidden",
    status="failed",
    score=0,
    max_score=2,
    bonus=False,
    duration_s=0.25,
    program="L = a * a    with a = 3",
    expected={"dL/da": 6.0},
    actual={"dL/da": 3.0},
    diagnosis=Diagnosis("overwrite", "a title", "the second use overwrote the first"),
    hint="grade hint first 2",
    hint_number=2,
    play="grade play first 1",
    message="line 3: x = y",
    remarks=(NeverRan("a"),),
    output="printed",
    reason=Reason("raised", type="ValueError", line=3),
    expected_by="torch",
    line=3,
)
FINDINGS = {"program", "expected", "actual", "expected_by", "message", "remarks", "output", "play", "reason", "line"}
HINTS = {"diagnosis", "hint", "hint_number"}


def report_with(*checks: CheckResult) -> Report:
    exercise = make_exercise(*checks, name="first", message="told", file="03_first.py")
    return make_report(exercise, submitted_at="2026-01-01T00:00:00Z", notes=("a note",), seed="secret")


def taken(before: Any, after: Any, path: str = "") -> set[str]:
    """The paths of what is in `before` and not in `after`; nothing else may differ."""
    if before == after:
        return set()
    if isinstance(before, dict) and isinstance(after, dict):
        assert set() == after.keys() - before.keys()
        gone = {f"{path}.{key}" for key in before.keys() - after.keys()}
        return gone.union(*(taken(before[key], after[key], f"{path}.{key}") for key in after))
    if isinstance(before, list) and isinstance(after, list):
        assert len(before) == len(after)
        return set().union(*(taken(b, a, f"{path}[{i}]") for i, (b, a) in enumerate(zip(before, after, strict=True))))
    raise AssertionError(f"{path} was changed from {before!r} to {after!r}")


def taken_by_for_learner(report: Report, details: dict[tuple[str, str], str]) -> set[str]:
    return taken(json.loads(to_json(report)), json.loads(to_json(for_learner(report, details))))


def test_the_comparison_sees_everything() -> None:
    """The helper of these tests finds what is gone, and does not let a change or an addition pass."""
    assert {".a.b", ".c[1].d"} == taken({"a": {"b": 1}, "c": [0, {"d": 2}]}, {"a": {}, "c": [0, {}]})
    with pytest.raises(AssertionError):
        taken({"a": 1}, {"a": 2})
    with pytest.raises(AssertionError):
        taken({"a": 1}, {"a": 1, "b": 2})


@every(
    ("visibility", "details", "gone"),
    [
        ("visible", {("first", "one"): "full"}, set()),
        ("visible", {("first", "one"): "hint"}, set()),
        ("visible", {("first", "one"): "score"}, set()),
        ("visible", {}, set()),
        ("hidden", {("first", "one"): "full"}, set()),
        ("hidden", {("first", "one"): "hint"}, FINDINGS),
        ("hidden", {("first", "one"): "score"}, FINDINGS | HINTS),
        ("hidden", {}, FINDINGS | HINTS),
        ("hidden", {("second", "one"): "full"}, FINDINGS | HINTS),
        ("hidden", {("first", "two"): "full"}, FINDINGS | HINTS),
        ("hidden", {("first", "one"): "a word of some later version"}, FINDINGS | HINTS),
    ],
)
@every("status", ["failed", "error", "passed"])
def test_exactly_what_is_forbidden_is_taken_out(
    visibility: Literal["visible", "hidden"],
    details: dict[tuple[str, str], str],
    gone: set[str],
    status: Literal["failed", "error", "passed"],
) -> None:
    """The seed always, findings and hints of a hidden check as its `detail` says; if unsure, all of them."""
    report = report_with(replace(FULL, visibility=visibility, status=status))
    expected = {".seed"} | {f".exercises[0].checks[0].{field}" for field in gone}
    assert expected == taken_by_for_learner(report, details)


def test_each_check_has_a_detail_of_its_own() -> None:
    """One check's detail says nothing about its neighbour."""
    report = report_with(FULL, replace(FULL, id="two"), replace(FULL, id="three", visibility="visible"))
    expected = {".seed"} | {f".exercises[0].checks[1].{field}" for field in FINDINGS}
    assert expected == taken_by_for_learner(report, {("first", "one"): "full", ("first", "two"): "hint"})


@every(
    ("expected", "checks"),
    [
        (set(), [replace(FULL, visibility="visible")]),
        (set(), [FULL, replace(FULL, id="two")]),
        ({".exercises[0].facts"}, [FULL]),
        ({".exercises[0].facts"}, [FULL, replace(FULL, id="two", status="passed")]),
    ],
    ids=["visible", "one may be explained", "none may be", "what passes explains nothing"],
)
def test_facts_are_told_where_a_failure_is_explained(expected: set[str], checks: list[CheckResult]) -> None:
    """A course that tells no reason of any failing check tells no fact about the code either."""
    report = report_with(*checks)
    (exercise,) = report.exercises
    told = replace(report, exercises=(replace(exercise, facts=(FaultFact("sign", "It is wrong."),)),))
    assert expected == {path for path in taken_by_for_learner(told, {("first", "two"): "hint"}) if "facts" in path}


def test_a_fact_about_a_hidden_failure_is_not_told() -> None:
    """The learner sees the facts that explain a check with details, and those that explain no check."""
    report = report_with(FULL, replace(FULL, id="two"))
    facts = tuple(FaultFact("sign", "It is wrong.", checks=checks) for checks in (("one",), ("one", "two"), ()))
    told = replace(report, exercises=(replace(report.exercises[0], facts=facts),))
    shown = for_learner(told, {("first", "two"): "hint"}).exercises[0].facts
    assert [("two",), ()] == [fact.checks for fact in shown or ()]


def test_the_report_itself_stays() -> None:
    """The instructor's report is not changed."""
    report = report_with(FULL)
    before = to_json(report)
    for_learner(report, {})
    assert before == to_json(report)


def test_twice_is_once() -> None:
    """A learner's report made again from itself is the same."""
    once = for_learner(report_with(FULL), {("first", "one"): "hint"})
    assert once == for_learner(once, {("first", "one"): "hint"})


def test_every_field_is_decided_on() -> None:
    """A field that is added to the model has to be put on one side: told to learners of hidden checks, or not."""
    told = {"id", "title", "visibility", "status", "score", "max_score", "bonus", "duration_s", "decided"}
    assert told | FINDINGS | HINTS == set(CheckResult.__struct_fields__)
    assert UNSET is for_learner(report_with(FULL), {}).seed


@pytest.mark.parametrize(("check", "asked"), [("", True), ("one", True), ("two", False)])
def test_the_last_hint_is_about_the_check_that_failed(check: str, asked: bool) -> None:
    """An edit that makes only a later check pass is no hint for this failure."""
    found = Repairs((Repair("constant", (1,)),), 1, exhaustive=False, check=check)
    assert asked == (last_hint(found, "one", "x = 1\n", ()) is not None)


def test_the_line_is_told_with_the_first_failure() -> None:
    """A search is for the edits with which all checks pass, so the other failures do not repeat its result."""
    checks = [named_check(name, "failed") for name in ("one", "two")]
    exercise = make_exercise(*checks, repairs=Repairs((Repair("constant", (1,)),), 1, exhaustive=True))
    assert [True, False] == [bool(failure(exercise, check).line) for check in checks]
