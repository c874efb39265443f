import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from grader.report import (
    Report,
    for_learner,
    read_report,
    schema,
    to_json,
    write_report,
)
from grader.report.json_form import contradiction
from grader.report.model import SCHEMA

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


@pytest.mark.parametrize(
    "text",
    [
        "::error::x",
        ":::add-mask::x",
        "##[error]x",
        "##vso[task.complete]",
        "\x9b31m",
        "\x7f",
        "a\u2028::debug::",
        "\u202etxt",
        "\ufeffscore",
        "\U000e0041\U000e007f",
        "b\u200bob",
        "b\u2060ob\u00ad",
    ],
)
def test_nothing_in_the_json_steers_a_terminal_or_a_log(solved: Report, text: str) -> None:
    """Control characters, what is not seen, and commands are spelled by escapes, and read back as they were."""
    named = msgspec.structs.replace(solved, notes=(*solved.notes, text))
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


@pytest.mark.parametrize("which", range(7))
def test_unknown_fields_are_refused(solved: Report, which: int) -> None:
    """A field that the model does not have is no part of a report, by reader and schema alike."""
    data = json.loads(to_json(solved))
    list(parts(data))[which]["more"] = 1
    with pytest.raises(ValueError, match="unknown field `more`"):
        read_report(json.dumps(data).encode())
    assert not VALIDATOR.is_valid(data)


@pytest.mark.parametrize("which", [0, 1, 2, 3, 5, 6])
def test_missing_fields_are_refused(solved: Report, which: int) -> None:
    """So is a report that lacks one; only limits (4) have defaults, as in course.yaml."""
    data = json.loads(to_json(solved))
    part = list(parts(data))[which]
    part.pop(next(iter(part)))
    with pytest.raises(ValueError, match="missing required field"):
        read_report(json.dumps(data).encode())
    assert not VALIDATOR.is_valid(data)


@pytest.mark.parametrize(
    ("which", "field", "value"),
    [
        (0, "schema", "backward/report/v1"),
        (0, "status", "excellent"),
        (0, "status", "missing"),
        (0, "score", -1),
        (0, "score", 1.5),
        (0, "score", "80"),
        (0, "score", True),
        (0, "notes", [1]),
        (0, "exercises", None),
        (0, "seed", None),
        (4, "calls", 0.5),
        (5, "status", "error"),
        (5, "bonus", -2),
        (6, "status", "unreadable"),
        (6, "visibility", "secret"),
        (6, "score", -2),
        (6, "bonus", 1),
        (6, "expected", {"dL/da": None}),
        (6, "actual", [3.0]),
    ],
)
def test_wrong_values_are_refused(solved: Report, which: int, field: str, value: Any) -> None:
    """Reader and schema agree on what is no report."""
    data = json.loads(to_json(solved))
    list(parts(data))[which][field] = value
    with pytest.raises(ValueError, match=r"\w"):
        read_report(json.dumps(data).encode())
    assert not VALIDATOR.is_valid(data)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b'{"schema": "backward/report/v3"}', b"[" * 9999])
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
    ["grader.report.json_form.to_json", "os.fsync", "os.chmod", "os.replace"],
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


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("score", 99, "the report has score 99, and its parts add up to 100"),
        ("max_score", 1000, "the report has max_score 1000, and its parts add up to 100"),
        ("bonus", 50, "the report has bonus 50, and its parts add up to"),
        ("exercises/0/score", 60, "the exercise `distribute` has score 60, and its parts add up to 5"),
        ("exercises/0/max_score", 1, "the exercise `distribute` has max_score 1, and its parts add up to 5"),
        ("exercises/0/bonus", 9, "the exercise `distribute` has bonus 9, and its parts add up to 0"),
        ("exercises/0/id", "swap", "the exercise `swap` occurs 2 times"),
        ("exercises/0/checks/1/score", 0, "is passed with 0 of 2 points"),
        ("exercises/0/checks/1/status", "failed", "is failed with 2 of 2 points"),
        ("exercises/0/checks/1/status", "skipped", "is skipped with 2 of 2 points"),
        ("exercises/0/checks/1/bonus", True, "the exercise `distribute` has score 5, and its parts add up to 3"),
        ("exercises/0/checks/1/id", "both_inputs", "the check of `distribute` `both_inputs` occurs 2 times"),
        ("exercises/0/status", "failed", "the report is `passed`, and not all of its exercises are"),
    ],
)
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
