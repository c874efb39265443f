"""The submissions in a folder, and their submitters, in each layout of a platform."""

import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from grader.intake import LAYOUTS, Entry, IntakeError, entries, unclaimed
from grader.intake.files import read_files
from grader.intake.platforms import stamped, with_unique_ids
from grader.learners import Submitter

EXERCISE = "01_distribute.py"
# in the form of a true export's, with what may stand in one: groups, numbers as ids, tags of Ruby's, output of programs
GRADESCOPE = """\
---
submission_409194023:
  :submitters:
  - :name: Jane Doe
    :sid: '0123456'
    :email: jane@example.edu
  :created_at: 2026-04-26 17:34:00.861687000 Z
  :score: 2.0
  :status: processed
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    output: !binary |-
      /w==
    tests:
    - name: =
      score: 1e3
  :history:
  - :id: 1
    :created_at: 2026-04-20 10:00:00.000000000 Z
submission_500000001:
  :submitters:
  - :name: Alice A
    :sid: 111
    :email: alice@example.edu
  - :name:
    :sid: 222
    :email: bob@example.edu
  :created_at: 2026-04-27 08:00:00.5 +02:00
submission_700000003:
  :submitters: []
submission_800000004: broken
"""


def made(root: Path, *names: str) -> Path:
    """Make a folder with these empty files, and with folders, whose names end in a slash."""
    for name in names:
        path = root / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.touch()
    return root


def summary(found: list[Entry]) -> dict[str, tuple[str, ...]]:
    """Return the names of the places, by id."""
    return {entry.id: tuple(place.name for place in entry.places) for entry in found}


def test_a_folder_or_an_archive_for_each_person(tmp_path: Path) -> None:
    """Entries are sorted by name. Hidden names, files of macOS and other files are left out."""
    made(tmp_path, "bob/x", "alice.zip", "carol.tar.gz", "dan.RAR", "roster.csv", ".git/", "__MACOSX/x", ".DS_Store")
    expected = {"alice": ("alice.zip",), "bob": ("bob",), "carol": ("carol.tar.gz",), "dan.RAR": ("dan.RAR",)}
    assert expected == summary(entries(tmp_path))


def test_a_person_without_any_file_is_there(tmp_path: Path) -> None:
    """A person whose folder is empty has an entry."""
    assert {"alice": ("alice",)} == summary(entries(made(tmp_path, "alice/")))


def test_links_are_entries_to_be_told_of(tmp_path: Path) -> None:
    """A link among the folders has an entry, whatever its target."""
    made(tmp_path, "elsewhere/x", "class/bob/x")
    (tmp_path / "class" / "alice").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "class" / "carol").symlink_to(tmp_path / "nowhere")
    assert ["alice", "bob", "carol"] == list(summary(entries(tmp_path / "class")))


def test_clones_in_the_folder_that_is_made_around_them(tmp_path: Path) -> None:
    """`gh classroom clone student-repos` puts `lab-jane` into `lab-submissions`. Its parent folder works too."""
    made(tmp_path, *(f"lab-submissions/lab-{name}/.git/HEAD" for name in ("jane", "joe")))
    expected = {"lab-jane": ("lab-jane",), "lab-joe": ("lab-joe",)}
    assert expected == summary(entries(tmp_path)) == summary(entries(tmp_path / "lab-submissions"))


@pytest.mark.parametrize("inner", ["jane/part_1/x", "jane/.git/HEAD", "jane/x"])
def test_one_person_is_no_folder_around_others(tmp_path: Path, inner: str) -> None:
    """A class of one person is not unwrapped, whatever that person's folder contains."""
    assert ["jane"] == list(summary(entries(made(tmp_path, inner, "jane/part_2/x"))))


def test_a_clone_with_clones_in_it_is_one_person(tmp_path: Path) -> None:
    """A clone with submodules contains clones, but is one person's."""
    made(tmp_path, "jane/.git/HEAD", "jane/part_1/.git/HEAD")
    assert ["jane"] == list(summary(entries(tmp_path)))


def test_moodles_folders_name_the_person(tmp_path: Path) -> None:
    """The underscore at the end is optional, and text typed in online belongs to the same person."""
    made(tmp_path, "Jane Doe_12345_assignsubmission_file_/x", "Jane Doe_12345_assignsubmission_onlinetext_/x")
    made(tmp_path, "Default group_assignsubmission_file/x")
    group, jane = entries(tmp_path)
    assert (Submitter("Jane Doe", "12345"),) == jane.submitters
    assert ["Jane Doe_12345_assignsubmission_file_", "Jane Doe_12345_assignsubmission_onlinetext_"] == [
        place.name for place in jane.places
    ]
    assert (Submitter("Default group", ""),) == group.submitters


def test_a_gradescope_export(tmp_path: Path) -> None:
    """Person, time and folder come from the metadata file, and its other contents are ignored."""
    made(tmp_path, "submission_409194023/x", "submission_500000001/x", "submission_700000003/x", "stray/x", ".x/")
    (tmp_path / "submission_metadata.yml").write_text(GRADESCOPE)
    stray, jane, group, nobody, missing = entries(tmp_path)
    assert ("submission_409194023", (tmp_path / "submission_409194023",)) == (jane.id, jane.places)
    assert (Submitter("Jane Doe", "0123456", "jane@example.edu"),) == jane.submitters
    assert "2026-04-26T17:34:00+00:00" == jane.submitted_at
    assert (
        Submitter("Alice A", "111", "alice@example.edu"),
        Submitter("bob@example.edu", "222", "bob@example.edu"),
    ) == (group.submitters)
    assert "2026-04-27T08:00:00+02:00" == group.submitted_at
    assert ((), None, ()) == (nobody.submitters, nobody.submitted_at, nobody.notes)
    assert ("submission_metadata.yml does not list this folder",) == stray.notes
    assert ((), "the export does not contain this folder") == (missing.places, missing.notes[-1])


def test_a_gradescope_export_as_it_is_unpacked(tmp_path: Path) -> None:
    """The zip file has one folder, which contains all others."""
    made(tmp_path, "assignment_1_export/submission_1/x", "__MACOSX/x")
    (tmp_path / "assignment_1_export" / "submission_metadata.yml").write_text("submission_1: {}\n")
    assert {"submission_1": ("submission_1",)} == summary(entries(tmp_path))


@pytest.mark.parametrize("key", ["../solutions", "/etc", "..", ".", "a/../../b", "C:\\x", ""])
def test_gradescope_metadata_leads_nowhere_else(tmp_path: Path, key: str) -> None:
    """Only folders in the export can be submissions."""
    made(tmp_path, "solutions/x", "export/a/")
    (tmp_path / "export" / "submission_metadata.yml").write_text(f"'{key}': {{}}\na: {{}}\n")
    found = {entry.origin: entry.places for entry in entries(tmp_path / "export")}
    assert {key: (), "a": (tmp_path / "export" / "a",)} == found


@pytest.mark.parametrize("text", ["", "- a\n", "a: [", "\x00", "? [a]\n: b\n", "a: &x [*x]\n*y : 1\n", "\udcff"])
def test_damaged_gradescope_metadata(tmp_path: Path, text: str) -> None:
    """The message names the file and a way to continue without it, and that way works."""
    made(tmp_path, "submission_1/x")
    (tmp_path / "submission_metadata.yml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(IntakeError, match=r"submission_metadata\.yml .*`--layout folders`"):
        entries(tmp_path)
    assert ["submission_1"] == list(summary(entries(tmp_path, "folders")))


@pytest.mark.parametrize("text", ["[" * 200_000, "a: " + "[" * 200_000 + "]" * 200_000, "{a: " * 200_000])
def test_gradescope_metadata_that_is_too_deep(tmp_path: Path, text: str) -> None:
    """PyYAML would end the process with a segmentation fault."""
    (made(tmp_path, "submission_1/x") / "submission_metadata.yml").write_text(text)
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


@pytest.mark.parametrize("value", ["17", "{}", "[]", "2026-99-99 10:00:00 Z", "~", "'\\ud800'", '"a\\tb"'])
def test_odd_values_in_gradescope_metadata(tmp_path: Path, value: str) -> None:
    """Odd values are kept unchanged or left out, and can be written to a report."""
    made(tmp_path, "a/")
    (tmp_path / "submission_metadata.yml").write_text(
        f"a:\n  :created_at: {value}\n  :submitters:\n  - {{':name': {value}, ':sid': {value}}}\n  - {value}\n"
    )
    (entry,) = entries(tmp_path)
    assert (entry.submitted_at or "").isprintable()
    assert all((one.name + one.id).isprintable() for one in entry.submitters)


@pytest.mark.parametrize("inside", [True, False], ids=["in submitted", "above it"])
def test_nbgraders_folders(tmp_path: Path, inside: bool) -> None:
    """Each student's folder has a folder for each assignment. A time is used only if there is a single one."""
    made(tmp_path, "submitted/bitdiddle/ps1/x", "submitted/hacker/ps1/x", "submitted/reed/ps1/", "submitted/notes.txt")
    made(tmp_path, "submitted/reed/ps2/", "source/ps1/x", "gradebook.db")
    for name in ("hacker/ps1", "reed/ps1", "reed/ps2"):
        (tmp_path / "submitted" / name / "timestamp.txt").write_text("2015-02-02 15:58:23.948203 UTC\n")
    root = tmp_path / "submitted" if inside else tmp_path
    found = entries(root, "nbgrader" if inside else None)
    expected = [("bitdiddle", None), ("hacker", "2015-02-02T15:58:23+00:00"), ("reed", None)]
    assert expected == [(entry.id, entry.submitted_at) for entry in found]
    assert (Submitter("hacker", "hacker"),) == found[1].submitters


def test_one_of_nbgraders_assignments_is_taken_alone(tmp_path: Path) -> None:
    """Students who did not submit it are listed, and no name leads out of a student's folder."""
    made(tmp_path, "submitted/reed/ps1/x", "submitted/reed/ps2/x", "submitted/hacker/ps1/x", "elsewhere/x")
    (tmp_path / "submitted/reed/ps2/timestamp.txt").write_text("2015-02-02 15:58:23.948203 UTC\n")
    root = tmp_path / "submitted"
    found = entries(root, "nbgrader", "ps2")
    assert [("reed", "2015-02-02T15:58:23+00:00")] == [(entry.id, entry.submitted_at) for entry in found]
    assert ((root / "reed" / "ps2",), "reed/ps2") == (found[0].places, found[0].origin)
    assert ["hacker"] == unclaimed(root, found)
    for name in ("ps3", "../hacker/ps1", "../../elsewhere"):
        with pytest.raises(IntakeError, match="nobody"):
            entries(root, "nbgrader", name)


@pytest.mark.parametrize("target", ["../alice/ps1", "../../elsewhere", "nowhere"])
def test_a_linked_assignment_is_not_followed(tmp_path: Path, target: str) -> None:
    """Nothing behind the link is read, not even a timestamp, and a note says so."""
    made(tmp_path, "submitted/alice/ps1/01_distribute.py", "elsewhere/01_distribute.py", "submitted/hacker/ps2/x")
    (tmp_path / "submitted/alice/ps1/timestamp.txt").write_text("2015-02-02 15:58:23.948203 UTC\n")
    (tmp_path / "submitted/hacker/ps1").symlink_to(target)
    _, hacker = entries(tmp_path, "nbgrader", "ps1")
    read = read_files(hacker.named, {"distribute": "01_distribute.py"})
    assert ("hacker", None, "missing") == (hacker.id, hacker.submitted_at, read.sources["distribute"].problem)
    assert ("ps1 is a symbolic link; its target was not read",) == read.notes


@pytest.mark.parametrize("assignment", [None, "ps1"])
def test_a_link_to_another_student_is_not_followed(tmp_path: Path, assignment: str | None) -> None:
    """A student with a link in place of a folder has submitted nothing, and a note says so."""
    made(tmp_path, "submitted/alice/ps1/01_distribute.py")
    (tmp_path / "submitted" / "mallory").symlink_to("alice")
    alice, mallory = entries(tmp_path, "nbgrader", assignment)
    exercises = {"distribute": "01_distribute.py"}
    read = {entry.id: read_files(entry.named, exercises) for entry in (alice, mallory)}
    assert (None, "missing") == tuple(read[name].sources["distribute"].problem for name in ("alice", "mallory"))
    assert ("mallory is a symbolic link; its target was not read",) == read["mallory"].notes


def test_what_nbgrader_keeps_beside_the_submissions_is_not_listed(tmp_path: Path) -> None:
    """An nbgrader course can be graded from its own folder."""
    made(
        tmp_path,
        "submitted/reed/ps1/x",
        "source/ps1/x",
        "release/ps1/x",
        "gradebook.db",
        "nbgrader_config.py",
        "roster.csv",
    )
    assert ["roster.csv"] == unclaimed(tmp_path, entries(tmp_path))


def test_a_person_who_is_there_twice_is_noted(tmp_path: Path) -> None:
    """A folder and an archive of the same name are graded separately, with notes."""
    made(tmp_path, "bob/01_distribute.py", "Bob/01_distribute.py")
    with zipfile.ZipFile(tmp_path / "bob.zip", "w") as archive:
        archive.writestr("01_distribute.py", "x")
    found = entries(tmp_path)
    assert 3 == len({entry.id for entry in found})
    twice = "submitted more than once, each graded separately: bob, bob.zip"
    assert {"Bob": (), "bob": (twice,), "bob.zip": (twice,)} == {entry.origin: entry.notes for entry in found}


def test_an_assignment_is_nbgraders_alone(tmp_path: Path) -> None:
    """In other layouts, `--assignment` would have no effect, so it is an error."""
    made(tmp_path, "jane/01_distribute.py")
    with pytest.raises(IntakeError, match="is read as `folders`"):
        entries(tmp_path, None, "ps1")


def _is_a_pipe(path: Path, secret: Path) -> None:
    os.mkfifo(path)


def _is_a_link(path: Path, secret: Path) -> None:
    path.symlink_to(secret)


def _is_a_hard_link(path: Path, secret: Path) -> None:
    path.hardlink_to(secret)


def _is_huge(path: Path, secret: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


@pytest.mark.parametrize("make", [_is_a_pipe, _is_a_link, _is_a_hard_link, _is_huge])
def test_a_time_that_is_no_file_is_not_read(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    """Nothing waits, and no content of another file gets into a report."""
    made(tmp_path, "submitted/jane/ps1/")
    (tmp_path / "secret").write_text("s3cret")
    make(tmp_path / "submitted/jane/ps1/timestamp.txt", tmp_path / "secret")
    assert [None] == [entry.submitted_at for entry in entries(tmp_path)]


@every(
    ("expected", "text"),
    [
        ("2015-02-02T15:58:23+00:00", "2015-02-02 15:58:23.948203 UTC"),
        ("2017-01-30T15:30:10+00:00", "2017-01-30 15:30:10 UCT"),
        ("2017-01-30T15:30:10+00:00", " 2017-01-30T15:30:10Z\n"),
        ("2017-01-30T15:30:10+00:00", "2017-01-30 15:30:10"),
        ("2017-01-30T15:30:10-07:30", "2017-01-30 15:30:10 -0730"),
        ("2015-02-02T15:58:23-08:00", "2015-02-02 15:58:23.948203 America/Los_Angeles"),
        (None, "2015-02-02 15:58:23 Nowhere/Town"),
        (None, "2015-02-02 15:58:23 PST"),
        (None, "2015-02-31 15:58:23"),
        (None, "yesterday\x1b[2J"),
        (None, " \n"),
        (None, None),
        (None, ["2015"]),
    ],
)
def test_times(expected: str | None, text: object) -> None:
    """A moment becomes ISO 8601. Abbreviated zones are ambiguous, so such times are not accepted."""
    time, notes = stamped(text)
    assert expected == time
    assert all(note.isprintable() for note in notes)
    assert bool(notes) == (time is None and isinstance(text, str) and bool(text.strip()))


def test_canvas_flat_files(tmp_path: Path) -> None:
    """All files of a person are one submission, which is late if any of them is late."""
    made(tmp_path, f"doejane_1042_99731_{EXERCISE}", "doejane_LATE_1042_99732_02_swap-1.py", "doejohn_7_8_a.zip")
    made(tmp_path, "roejo_55_text.html", "roejo_55_link.html")
    jane, john, jo = entries(tmp_path)
    assert ("doejane_1042", (Submitter("doejane", "1042"),)) == (jane.id, jane.submitters)
    assert (None, True) == (jane.submitted_at, jane.late)
    assert {EXERCISE, "02_swap.py"} == {name for _, name in jane.named}
    assert ("doejohn_7", ()) == (john.id, john.notes)
    assert ("roejo_55", 2) == (jo.id, len(jo.places))


@pytest.mark.parametrize(
    ("who", "file", "name"),
    [
        ("doejane_1042", EXERCISE, f"doejane_1042_99731_{EXERCISE}"),
        ("doejane_1042", EXERCISE, "doejane_LATE_1042_99731_01_distribute-1.py"),
        ("doejane_1042", EXERCISE, "doejane_1042_99731_01_distribute-12.py"),
        (
            "doejane_1042",
            EXERCISE,
            "doejane_1042_99731_01_distribute-0b9e2a4e-3c1d-4f5a-8b7c-9d0e1f2a3b4c.py",
        ),
        ("doejane2_1042", EXERCISE, f"doejane2_1042_99731_{EXERCISE}"),
        ("12_1042", EXERCISE, f"12_1042_99731_{EXERCISE}"),
        ("test_student_1042", EXERCISE, f"test_student_1042_99731_{EXERCISE}"),
        ("_1042", EXERCISE, f"_1042_99731_{EXERCISE}"),
        ("प्रिया_1042", EXERCISE, f"प्रिया_1042_99731_{EXERCISE}"),
        ("anon_h3XyZ", EXERCISE, f"anon_h3XyZ_99731_{EXERCISE}"),
        ("anon_h3XyZ", EXERCISE, f"LATE_anon_h3XyZ_99731_{EXERCISE}"),
        ("anon_12345", EXERCISE, f"anon_12345_99731_{EXERCISE}"),
        ("doejane_1042", "a_b_1_2_c.py", "doejane_1042_99731_a_b_1_2_c.py"),
        ("doejane_1042", "work (1).zip", "doejane_1042_99731_work (1).zip"),
        ("doejane_1042", "a\nb.py", "doejane_1042_99731_a\nb.py"),
    ],
)
def test_canvas_names_come_apart(tmp_path: Path, who: str, file: str, name: str) -> None:
    """Names with digits or underscores, anonymous grading and repeated submissions are recognised."""
    (entry,) = entries(made(tmp_path, name))
    assert (who, file) == (entry.origin, entry.renamed[name])


def handed_in(tmp_path: Path, *names: str) -> dict[str, Entry]:
    """Return Canvas' entries for files with these names, by origin."""
    return {entry.origin: entry for entry in entries(made(tmp_path, *names), "canvas")}


BOBS = [f"bob_77_9973{number}_{name}" for number, name in enumerate(["01_distribute.py", "02_swap.py", "work.zip"])]


@pytest.mark.parametrize("name", ["bob_77", "bob_77_1", "bob_77_99999"])
def test_nobody_takes_anothers_place_by_a_name(tmp_path: Path, name: str) -> None:
    """A person who is named like bob's files in Canvas submits only for themselves, or for nobody if it is unclear."""
    own = [f"{name}_1042_99740_03_accumulate.py", f"{name}_1042_99741_01_distribute.py", f"{name}_1042_99742_work.zip"]
    found = handed_in(tmp_path, *BOBS, *own)
    assert sorted(BOBS) == sorted(place.name for place in found["bob_77"].places)
    assert (Submitter("bob", "77"),) == found["bob_77"].submitters
    mine = found[f"{name}_1042"]
    assert {"03_accumulate.py", "01_distribute.py"} <= {name for _, name in mine.named}
    assert (Submitter(name, "1042"),) == mine.submitters
    assert ["77"] == [one.id for entry in found.values() for one in entry.submitters if one.id == "77"]


def test_a_file_that_may_be_anothers_is_graded_by_itself(tmp_path: Path) -> None:
    """The file has no Canvas id, both people get a note, and nothing is lost."""
    doubtful = "bob_77_99999_1042_99742_work.zip"
    found = handed_in(tmp_path, *BOBS, doubtful, "bob_77_99999_1042_99741_01_distribute.py")
    entry = found[doubtful]
    assert ((doubtful,), "work.zip") == (tuple(p.name for p in entry.places), entry.renamed[doubtful][-8:])
    assert [""] == [one.id for one in entry.submitters]
    people = "bob_77 or bob_77_99999 or bob_77_99999_1042"
    assert (f"the file's name fits {people}; the file is graded as a submission of its own",) == entry.notes
    theirs = (f"may also belong to this person, and is graded on its own: {doubtful}",)
    assert [theirs, theirs] == [found[who].notes for who in ("bob_77", "bob_77_99999_1042")]


def test_a_file_that_may_be_several_peoples_keeps_its_late_mark(tmp_path: Path) -> None:
    """The file is late, whoever owns it."""
    (entry,) = handed_in(tmp_path, "bob_LATE_77_1042_99742_work.zip").values()
    assert (True, "the file's name fits ") == (entry.late, entry.notes[0][:21])


def test_a_name_alone_takes_nobodys_id(tmp_path: Path) -> None:
    """This also holds if the other person has submitted nothing."""
    (entry,) = handed_in(tmp_path, "bob_77_1042_99742_work.zip").values()
    assert [""] == [one.id for one in entry.submitters]
    assert "the file's name fits " in entry.notes[0]


@pytest.mark.parametrize("file", ["2024_hw1.zip", "7_work.zip", "1_2_3.py"])
def test_a_file_called_by_a_number_is_its_owners(tmp_path: Path, file: str) -> None:
    """A year or a week at the beginning of a file's name is not a Canvas id."""
    names = [f"doe_104{n}_90000{n}_hw.zip" for n in range(5)]
    found = handed_in(tmp_path, *names, f"doe_1042_1000321_{file}")
    assert {"doe_1042_900002_hw.zip", f"doe_1042_1000321_{file}"} == {p.name for p in found["doe_1042"].places}
    assert [()] * 5 == [entry.notes for entry in found.values()]


def test_a_forced_layout_tells_of_what_does_not_fit_it(tmp_path: Path) -> None:
    """A file with another name among Canvas' files is not a submission, and is listed."""
    made(tmp_path, f"doejane_1042_99731_{EXERCISE}", "work.zip")
    assert ["work"] == list(summary(entries(tmp_path)))
    (jane,) = found = entries(tmp_path, "canvas")
    assert "doejane_1042" == jane.id
    assert ["work.zip"] == unclaimed(tmp_path, found)


HIDDEN = [".bob/x", ".eve.zip", ".git/x", ".idea/x", ".pytest_cache/x", ".DS_Store", "._ann.zip", ".gitignore"]


def test_hidden_submissions_are_named(tmp_path: Path) -> None:
    """Hidden submissions are listed, but files of known tools are not."""
    found = entries(made(tmp_path, "ann/x", *HIDDEN))
    (tmp_path / ".dan").symlink_to("ann")
    assert ["ann"] == [entry.id for entry in found]
    assert [".bob", ".dan", ".eve.zip"] == unclaimed(tmp_path, found)


def test_hidden_students_of_nbgraders_are_named(tmp_path: Path) -> None:
    """They are listed for the folder of submissions and for the course's folder around it."""
    made(tmp_path, "submitted/ann/ps1/x", "submitted/.bob/ps1/x", "submitted/notes.txt", "gradebook.db", ".cache/x")
    assert ["submitted/notes.txt", "submitted/.bob"] == unclaimed(tmp_path, entries(tmp_path))
    inner = tmp_path / "submitted"
    assert ["notes.txt", ".bob"] == unclaimed(inner, entries(inner, "nbgrader"))


def test_a_few_other_files_do_not_hide_a_layout(tmp_path: Path) -> None:
    """Canvas' download is recognised by most of its names, and nbgrader's folder by its timestamps."""
    flat = tmp_path / "flat"
    made(flat, f"doejane_1042_99731_{EXERCISE}", "smith_104_9002_a.zip", "readme.txt")
    assert ["doejane_1042", "smith_104"] == list(summary(found := entries(flat)))
    assert ["readme.txt"] == unclaimed(flat, found)
    inner = tmp_path / "submitted"
    made(inner, "ann/ps1/x")
    (inner / "ann" / "ps1" / "timestamp.txt").write_text("2026-03-01 10:00:00 UTC")
    (ann,) = entries(inner)
    assert ("ann", "2026-03-01T10:00:00+00:00") == (ann.id, ann.submitted_at)


@pytest.mark.parametrize(
    ("folder", "names", "layout"),
    [
        ("submitted", ("ann/ps1/x", "bob/ps1/timestamp.txt"), "nbgrader"),
        ("submitted", ("ann/ps1/x", "bob/ps1/x", "cat/ps1/x"), "nbgrader"),
        ("submitted", ("ann/ps1/x", "bob/ps1/x", "cat/x", "notes.txt"), "nbgrader"),
        ("handed_in", ("ann/ps1/x", "bob/ps1/timestamp.txt"), "nbgrader"),
        ("handed_in", ("ann/ps1/x", "bob/ps1/timestamp.txt", "cat/ps1/x"), "folders"),
        ("handed_in", ("ann/ps1/x", "bob/ps2/timestamp.txt"), "folders"),
        ("submitted", ("ann/x", "bob/ps1/timestamp.txt"), "folders"),
        ("submitted", ("ann/ps1/x", "bob/ps1/timestamp.txt", "carl.rar"), "folders"),
    ],
)
def test_nbgraders_folder_may_lack_timestamps(tmp_path: Path, folder: str, names: tuple[str, ...], layout: str) -> None:
    """If most students have a folder of the same assignment, some or all timestamps may be missing."""
    found = entries(made(tmp_path / folder, *names))
    assert {layout} == {entry.layout for entry in found}


@pytest.mark.parametrize(
    "others", [("ann/x", "zoe/x"), ("Ann_1_assignsubmission_file_/x", "Zoe_2_assignsubmission_file_/x")]
)
def test_one_person_cannot_choose_the_layout(tmp_path: Path, others: tuple[str, ...]) -> None:
    """With a timestamp like nbgrader's, a person could set their own time and hide other people's archives."""
    made(tmp_path, *others, "carl.zip", "mallory/a/timestamp.txt")
    (tmp_path / "mallory/a/timestamp.txt").write_text("2026-03-01 10:00:00 UTC")
    found = entries(tmp_path)
    assert {"carl.zip", "mallory"} < {entry.origin for entry in found}
    assert {None} == {entry.submitted_at for entry in found}


@pytest.mark.parametrize("name", ["submitted", "submission_metadata.yml", "Zoe_2_assignsubmission_file_"])
@pytest.mark.parametrize("others", [("ann/x", "bob/x"), ("ann.zip", "bob.tar.gz")])
def test_a_persons_folder_may_have_a_name_of_a_platform(tmp_path: Path, name: str, others: tuple[str, ...]) -> None:
    """One name in a class of folders or archives does not make the class a platform's."""
    found = entries(made(tmp_path, *others, f"{name}/ps1/x", ".DS_Store", "__MACOSX/submitted/x"))
    assert {"folders"} == {entry.layout for entry in found}
    assert sorted([*(other.partition("/")[0] for other in others), name]) == sorted(entry.origin for entry in found)


@pytest.mark.parametrize("beside", [".DS_Store", "__MACOSX/x", "feedback/ann/x", "roster.csv"])
def test_what_systems_and_nbgrader_leave_does_not_hide_a_course(tmp_path: Path, beside: str) -> None:
    """The same holds for loose files, which are nobody's submission."""
    found = entries(made(tmp_path, "submitted/ann/ps1/x", "submitted/bob/ps1/x", beside))
    assert [("ann", "nbgrader"), ("bob", "nbgrader")] == [(entry.id, entry.layout) for entry in found]


def test_a_folder_beside_files_of_canvas_is_not_nbgraders(tmp_path: Path) -> None:
    """Canvas' files are still read."""
    found = entries(made(tmp_path, f"doejane_1042_99731_{EXERCISE}", f"smith_104_9002_{EXERCISE}", "submitted/x"))
    assert ["doejane_1042", "smith_104"] == [entry.id for entry in found]


@pytest.mark.parametrize("names", [("ann/ps1/x", "bob/ps1/x"), ("ann/ps1/timestamp.txt", "bob/ps1/timestamp.txt")])
def test_a_student_of_nbgraders_may_be_called_submitted(tmp_path: Path, names: tuple[str, ...]) -> None:
    """The other students are read, too."""
    found = entries(made(tmp_path / "submitted", *names, "submitted/ps1/x"))
    assert [(name, "nbgrader") for name in ("ann", "bob", "submitted")] == [(one.id, one.layout) for one in found]


@pytest.mark.parametrize("inside", ["submission_metadata.yml", "bob/.git/x"])
def test_the_only_submission_is_no_platforms_folder(tmp_path: Path, inside: str) -> None:
    """The only folder is a person's submission, whatever it contains."""
    made(tmp_path, f"mallory/{inside}")
    assert ["mallory"] == [entry.id for entry in entries(tmp_path)]


def test_what_belongs_to_nobody_is_named(tmp_path: Path) -> None:
    """Loose files beside people's folders are listed. Folders and archives are submissions."""
    made(tmp_path, "anna/x", EXERCISE, "dora.py", "carl.7z")
    found = entries(tmp_path)
    assert ["anna", "carl.7z"] == [entry.origin for entry in found]
    assert [EXERCISE, "dora.py"] == unclaimed(tmp_path, found)


def test_people_keep_their_names(tmp_path: Path) -> None:
    """The id is safe as a file name, and the name is that of the folder or archive."""
    made(tmp_path, "Jörg Müller/x", "zoë.tar.gz")
    names = [submitter.name for entry in entries(tmp_path) for submitter in entry.submitters]
    assert ["Jörg Müller", "zoë"] == names


def test_forced_folders(tmp_path: Path) -> None:
    """A platform's folder is read as plain folders on request."""
    made(tmp_path, "submitted/x", "jane/x")
    assert ["jane", "submitted"] == list(summary(entries(tmp_path, "folders")))
    (tmp_path / "submission_metadata.yml").write_text("[")
    assert ["jane", "submitted"] == list(summary(entries(tmp_path, "folders")))


@pytest.mark.parametrize("layout", [None, *(layout for layout in LAYOUTS if layout != "gradescope")])
def test_no_submissions_at_all(tmp_path: Path, layout: str | None) -> None:
    """The message names the layout and the other layouts."""
    with pytest.raises(IntakeError, match=r"contains no submissions in the layout `\w+` \(.*\); .*--layout \w+\|"):
        entries(made(tmp_path, "README.txt") if layout != "canvas" else tmp_path, layout)


def test_gradescopes_layout_without_its_file(tmp_path: Path) -> None:
    """If the metadata file is missing in this layout, the message names it."""
    with pytest.raises(IntakeError, match=r"submission_metadata\.yml cannot be read: No such file"):
        entries(made(tmp_path, "jane/x"), "gradescope")


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    """The message says to unpack a zip file of the whole class first."""
    with pytest.raises(IntakeError, match=r"all\.zip is a file; unpack it"):
        entries(made(tmp_path, "all.zip") / "all.zip")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """The message names it."""
    with pytest.raises(IntakeError, match=r"there is no folder .*nowhere"):
        entries(tmp_path / "nowhere")


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


@every(
    "name",
    [
        "jané",
        "jane doe",
        "../jane",
        "jane/..",
        "..",
        ".",
        "",
        ".jane",
        "jane.",
        "a\nb",
        "\udcff",
        "-rf",
        "x" * 255,
        "CON",
        "nul.txt",
        "=1+1",
        "jane-0123456789ab",
    ],
)
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
    assert 2 == len(summary(entries(made(tmp_path, "jane/x", "jane.zip"))))


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
