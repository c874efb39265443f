"""The submissions in a folder, and their submitters, in each layout of a platform."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st
from read_yaml import Case, cases_of, read_yaml
from submitted import written

from grader.classes.intake import Entry, IntakeError, entries, unclaimed
from grader.classes.intake.files import read_files
from grader.classes.intake.platforms import stamped, with_unique_ids

CASES = cases_of(Path(__file__).with_name("layouts.yaml"))
NAMES = read_yaml(Path(__file__).with_name("names.yaml"))
EXERCISES = {"distribute": "01_distribute.py"}
TIME = "2015-02-02 15:58:23.948203 UTC\n"


def made(root: Path, *names: str, **files: str) -> Path:
    return written(root, {"files": [*names, files]})


def fields(entry: Entry) -> dict[str, Any]:
    """Return what a case may say about a submission."""
    return {
        "id": entry.id,
        "origin": entry.origin,
        "places": [place.name for place in entry.places],
        "named": [name for _, name in entry.named],
        "who": [[one.name, one.id, one.email] for one in entry.submitters],
        "ids": [one.id for one in entry.submitters],
        "at": entry.submitted_at,
        "late": entry.late,
        "notes": [*entry.notes],
        "last_note": entry.notes[-1] if entry.notes else "",
    }


def seen(case: Case, root: Path) -> dict[str, Any]:
    """Return what a folder has, under the keys that a case has."""
    options = case.get("layout"), case.get("assignment")
    if "error" in case:
        with pytest.raises(IntakeError, match=case["error"]):
            entries(root, *options)
        return {"error": case["error"]}
    listed = entries(root, *options)
    all_fields = [fields(entry) for entry in listed]
    assert len(case.get("people", listed)) == len(listed)
    by_origin = {one["origin"]: one for one in all_fields}
    return {
        "people": [
            {key: one[key] for key in asked} for one, asked in zip(all_fields, case.get("people", ()), strict=False)
        ],
        "found": {one["id"]: one["places"] for one in all_fields},
        "some": {name: {key: by_origin[name][key] for key in asked} for name, asked in case.get("some", {}).items()},
        "origins": [*by_origin],
        "contains": [name for name in case.get("contains", ()) if name in by_origin],
        "layouts": sorted({entry.layout for entry in listed}),
        "count": len(listed),
        "times": [entry.submitted_at for entry in listed],
        "unclaimed": unclaimed(root, listed),
    }


@every("case", CASES, ids=[case["what"] for case in CASES])
def test_a_folder_has_the_listed_submissions(tmp_path: Path, case: Case) -> None:
    """`layouts.yaml` lists folders in each layout, the submissions that are found in them, and errors."""
    folder = tmp_path / str(CASES.index(case)) / case.get("folder", "class")
    found = seen(case, written(folder, case) / case.get("root", ""))
    asked = {key: value for key, value in case.items() if key in found}
    assert asked
    assert asked == {key: found[key] for key in asked}


@pytest.mark.parametrize("text", ["[" * 200_000, "a: " + "[" * 200_000 + "]" * 200_000, "{a: " * 200_000])
def test_gradescope_metadata_that_is_too_deep(tmp_path: Path, text: str) -> None:
    """PyYAML would end the process with a segmentation fault."""
    made(tmp_path, "submission_1/x", **{"submission_metadata.yml": text})
    with pytest.raises(
        IntakeError, match="cannot be read: line 1: it is nested more than 100 deep; `--layout folders`"
    ):
        entries(tmp_path)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_gradescope_metadata_that_is_no_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """Reading does not wait for a pipe, and does not continue endlessly."""
    make(made(tmp_path, "submission_1/x") / "submission_metadata.yml")
    with pytest.raises(
        IntakeError, match=r"submission_metadata\.yml cannot be read: .*is (not a regular file|a symbolic)"
    ):
        entries(tmp_path)


@every("value", ["17", "{}", "[]", "2026-99-99 10:00:00 Z", "~", "'\\ud800'", '"a\\tb"'])
def test_odd_values_in_gradescope_metadata(tmp_path: Path, value: str) -> None:
    """Odd values are kept unchanged or left out, and can be written to a report."""
    text = f"a:\n  :created_at: {value}\n  :submitters:\n  - {{':name': {value}, ':sid': {value}}}\n  - {value}\n"
    (entry,) = entries(made(tmp_path, "a/", **{"submission_metadata.yml": text}))
    assert (entry.submitted_at or "").isprintable()
    assert all((one.name + one.id).isprintable() for one in entry.submitters)


@pytest.mark.parametrize("target", ["../alice/ps1", "../../elsewhere", "nowhere"])
def test_a_linked_assignment_is_not_followed(tmp_path: Path, target: str) -> None:
    """Nothing behind the link is read, not even a timestamp, and a note says so."""
    made(tmp_path, "submitted/alice/ps1/01_distribute.py", "elsewhere/01_distribute.py", "submitted/hacker/ps2/x")
    made(tmp_path, **{"submitted/alice/ps1/timestamp.txt": TIME})
    (tmp_path / "submitted/hacker/ps1").symlink_to(target)
    _, hacker = entries(tmp_path, "nbgrader", "ps1")
    read = read_files(hacker.named, EXERCISES)
    assert ("hacker", None, "missing") == (hacker.id, hacker.submitted_at, read.sources["distribute"].problem)
    assert ("ps1 is a symbolic link; its target was not read",) == read.notes


@pytest.mark.parametrize("assignment", [None, "ps1"])
def test_a_link_to_another_student_is_not_followed(tmp_path: Path, assignment: str | None) -> None:
    """A student with a link in place of a folder has submitted nothing, and a note says so."""
    made(tmp_path, "submitted/alice/ps1/01_distribute.py")
    (tmp_path / "submitted" / "mallory").symlink_to("alice")
    alice, mallory = (read_files(entry.named, EXERCISES) for entry in entries(tmp_path, "nbgrader", assignment))
    assert (None, "missing") == (alice.sources["distribute"].problem, mallory.sources["distribute"].problem)
    assert ("mallory is a symbolic link; its target was not read",) == mallory.notes


def _is_huge(path: Path, secret: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


@pytest.mark.parametrize(
    "make",
    [lambda path, secret: os.mkfifo(path), Path.symlink_to, Path.hardlink_to, _is_huge],
    ids=["a pipe", "a link", "a hard link", "huge"],
)
def test_a_time_that_is_no_file_is_not_read(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    """Nothing waits, and no content of another file gets into a report."""
    made(tmp_path, "submitted/jane/ps1/", secret="s3cret")
    make(tmp_path / "submitted/jane/ps1/timestamp.txt", tmp_path / "secret")
    assert [None] == [entry.submitted_at for entry in entries(tmp_path)]


@every(("expected", "text"), NAMES["times"])
def test_times(expected: str | None, text: object) -> None:
    """A moment becomes ISO 8601. Abbreviated zones are ambiguous, so such times are not accepted."""
    time, notes = stamped(text)
    assert expected == time
    assert all(note.isprintable() for note in notes)
    assert bool(notes) == (time is None and isinstance(text, str) and bool(text.strip()))


@pytest.mark.parametrize("where", ["", "submitted"])
def test_a_folder_that_cannot_be_read(tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the folder and the reason."""
    made(tmp_path, "submitted/jane/x")
    listdir = os.listdir

    def refusing(path: Path) -> list[str]:
        if path == tmp_path / where:
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refusing)
    with pytest.raises(IntakeError, match=f"{where} cannot be read: Permission denied"):
        entries(tmp_path)


def ids(*names: str) -> list[str]:
    return [entry.id for entry in with_unique_ids([Entry(name, name, ()) for name in names])]


def test_plain_names_are_ids_as_they_are() -> None:
    """A safe name is used as the id without a change."""
    assert ["jane", "lab-1.jane_doe", "J"] == ids("jane", "lab-1.jane_doe", "J")


@every("name", [*NAMES["unsafe"], "\udcff"])
def test_other_names_get_a_digest(name: str) -> None:
    """Characters that a file system, a shell or a spreadsheet may misread are replaced, and a digest is added."""
    (made,) = ids(name)
    assert name != made
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,79}-[0-9a-f]{12}", made)


def test_ids_differ_where_case_does_not_count(tmp_path: Path) -> None:
    """Ids differ on the disks of Macs and Windows too. A folder and an archive of the same name have different ids."""
    found = ids("jane", "Jane", "JANE", "joe")
    assert 4 == len({made.lower() for made in found})
    assert "joe" == found[3]
    assert 2 == len({entry.id for entry in entries(made(tmp_path, "jane/x", "jane.zip"))})


def test_ids_are_the_same_on_every_run() -> None:
    """Ids depend only on names, so that a run can be resumed."""
    assert ["jan_-ac2509085c7a"] == ids("jané") == ids("jan\udcc3\udca9")  # the same name where the locale is C


@given(st.lists(st.text(st.characters()), max_size=8))
def test_ids_of_any_names(names: list[str]) -> None:
    """Ids are safe, short, and different for each entry, even for entries with the same name."""
    found = ids(*names, *names[:1])
    assert len(found) == len({made.lower() for made in found})
    assert all(re.fullmatch(r"\w[\w.-]{0,99}", made, re.ASCII) for made in found)
    assert found == ids(*names, *names[:1])
