"""Reading one submission, whatever it contains."""

import os
import socket
import struct
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from every import every
from read_yaml import Case, cases_of
from submitted import written, zipped
from unread import why_unread

from grader.base.text import text_digest
from grader.classes.intake import Entry, Intake, entries, files
from grader.classes.people.decisions import Choice, files_digest
from grader.course.load import Course

CASES = cases_of(Path(__file__).with_name("files.yaml"))
FIRST, SECOND = "01_distribute.py", "02_swap.py"
AUTHOR = {
    "GIT_AUTHOR_NAME": "Jane",
    "GIT_AUTHOR_EMAIL": "jane@example.edu",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00+0000",
    "GIT_COMMITTER_NAME": "Jane",
    "GIT_COMMITTER_EMAIL": "jane@example.edu",
    "GIT_COMMITTER_DATE": "2026-04-26T17:34:00-0730",
    "GIT_CONFIG_GLOBAL": "/nonexistent",  # nobody's own settings
    "GIT_CONFIG_NOSYSTEM": "1",
}
COMMITTED = "2026-04-26T17:34:00-07:30"
Take = Callable[..., Intake]
TakeIn = Callable[[Entry], Intake]


def write(folder: Path, **texts: str) -> Path:
    """Write files, given by the name of their exercise."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / {"distribute": FIRST, "swap": SECOND}[name]).write_text(text)
    return folder


def found(taken: Intake) -> dict[str, str]:
    """Return the texts that were found."""
    return {name: source.text for name, source in taken.sources.items() if source.problem is None}


def problem(taken: Intake, name: str = "distribute") -> tuple[str | None, str | None]:
    return taken.sources[name].problem, why_unread(taken.sources[name])


@every("case", CASES, ids=[case["what"] for case in CASES])
def test_the_files_of_a_submission(take: Take, jane: Path, course: Course, case: Case) -> None:
    """`files.yaml` lists submissions, with the texts that are graded, and what is said about the other files."""
    chosen = {name: (Choice(path),) for name, path in case.get("choices", {}).items()}
    taken = take(written(jane / str(CASES.index(case)), case), choices=chosen)
    assert [exercise.id for exercise in course.exercises] == list(taken.sources)
    seen = {
        "texts": found(taken),
        "paths": {name: taken.sources[name].path.as_posix() for name in case.get("paths", ())},
        "cells": {name: taken.sources[name].cells[0].cell for name in case.get("cells", ())},
        "unread": {name: why_unread(taken.sources[name]) for name in case.get("unread", ())},
        "proposed": {name: [*taken.sources[name].names] for name in case.get("proposed", ())},
        "notes": [*taken.notes],
    }
    assert {"notes": [], **{key: case[key] for key in seen if key in case}} == {
        key: value for key, value in seen.items() if key in case or key == "notes"
    }
    assert (None, None) == (taken.submitted_at, taken.commit)


def test_a_notebook_with_an_exercises_name_that_cannot_be_read_is_told(take: Take, jane: Path) -> None:
    """It is that exercise's file."""
    (jane / "01_distribute.ipynb").write_text("{")
    assert "01_distribute.ipynb cannot be read" in str(why_unread(take(jane).sources["distribute"]))


def test_a_choice_holds_for_the_files_that_it_was_made_from(take: Take, jane: Path) -> None:
    """With other files, the usual rules decide which one counts. If none counts, the chosen file is graded."""
    (jane / "2_swap.py").write_text("x")
    made_for = files_digest(take(jane).found, "swap", "2_swap.py") or ""
    choices = {"swap": (Choice("2_swap.py", made_for),)}
    assert "x" == take(jane, choices=choices).sources["swap"].text
    (jane / "2_swap.py").write_text("y")
    assert "y" == take(jane, choices=choices).sources["swap"].text
    (jane / "2_swap.py").write_text("x")
    write(jane, swap="new")
    assert "new" == take(jane, choices=choices).sources["swap"].text
    (jane / "2_swap.py").unlink()
    assert "new" == take(jane, choices=choices).sources["swap"].text
    (jane / SECOND).unlink()
    assert "missing" == take(jane, choices=choices).sources["swap"].problem


def test_the_files_that_may_be_chosen_are_listed(take: Take, jane: Path) -> None:
    """They are listed by exercise, others under an empty name. In archives, only files of the right name are read."""
    write(jane, distribute="x")
    for name in ("2_swap.py", "mine.py", "notes.pdf", ".hidden.py"):
        (jane / name).write_text("y")
    zipped(jane / "work.zip", {FIRST: "z", "other.py": "y"})
    assert {
        "distribute": {FIRST: text_digest("x"), f"work.zip/{FIRST}": text_digest("z")},
        "swap": {"2_swap.py": text_digest("y")},
        "": {"mine.py": text_digest("y"), "work.zip/other.py": ""},
    } == take(jane).found


def test_unknown_files_beside_a_whole_submission_are_no_matter(take: Take, jane: Path, course: Course) -> None:
    """If nothing is missing, there is no note about other files."""
    for exercise in course.exercises:
        (jane / exercise.filename).touch()
    (jane / "notes.py").touch()
    assert () == take(jane).notes


def test_a_readable_and_an_unreadable_file_for_one_exercise(take: Take, jane: Path) -> None:
    """The readable file is not graded, because the other one may be meant."""
    write(write(jane, distribute="x") / "new")
    (jane / "new" / FIRST).write_bytes(b"\xff")
    assert "unreadable" == problem(take(jane))[0]


def test_very_many_files_for_one_exercise(take: Take, jane: Path, at_most: Callable[[int], Any]) -> None:
    """A few files are named, and not all texts are kept."""
    for number in range(200):
        write(jane / f"{number:03}", distribute=f"{number}" + "#" * 200_000)
    with at_most(4):
        _, message = problem(take(jane))
    shown = ", ".join(f"00{number}/{FIRST}" for number in range(5))
    assert str(message).startswith(f"200 different files {FIRST} were found: {shown} and more; ")


@pytest.mark.parametrize("packed", [False, True])
def test_a_large_file_is_unreadable(take: Take, jane: Path, packed: bool) -> None:
    """The limit is the same on disk and in an archive."""
    large = {FIRST: "#" * (257 << 10)}
    written(jane, {"zips": {"work.zip": large}} if packed else {"files": [large]})
    assert ("unreadable", f"{FIRST} is larger than 256 KB") == problem(take(jane))


def a_link(path: Path, secret: Path) -> None:
    path.symlink_to(secret)


def a_dangling_link(path: Path, secret: Path) -> None:
    path.symlink_to("nowhere")


def a_link_to_itself(path: Path, secret: Path) -> None:
    path.symlink_to(path)


def a_hard_link(path: Path, secret: Path) -> None:
    path.hardlink_to(secret)


def a_pipe(path: Path, secret: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path, secret: Path) -> None:
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as end:
        end.bind(f"{short}/s")  # a socket's path has a hundred bytes
        os.rename(f"{short}/s", path)


def a_device(path: Path, secret: Path) -> None:
    path.symlink_to("/dev/zero")


def a_gigabyte(path: Path, secret: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


ODD = [a_link, a_dangling_link, a_link_to_itself, a_hard_link, a_pipe, a_socket, a_device, a_gigabyte]


@pytest.mark.parametrize("make", ODD)
@pytest.mark.parametrize("name", [FIRST, "work.zip", "work.tar.gz"])
def test_what_is_no_file_on_a_disk(
    take: Take, jane: Path, name: str, make: Callable[[Path, Path], None], at_most: Callable[[int], Any]
) -> None:
    """Links to the solutions, pipes without a writer and devices are not read, and nothing waits.

    The other files are graded.
    """
    write(jane, swap="y")
    make(jane / name, write(jane.parent / "solutions", distribute="the solution") / FIRST)
    with at_most(2):
        taken = take(jane)
    assert {"swap": "y"} == found(taken)
    if name == FIRST:
        assert "unreadable" == problem(taken)[0]
    else:
        assert [True] == [note.startswith(name) for note in taken.notes]


def test_a_person_who_is_a_link(take: Take, jane: Path) -> None:
    """A link in place of the folder is noted and not followed."""
    (jane.parent / "joe").symlink_to(write(jane, distribute="x"))
    taken = take(jane.parent / "joe")
    assert ({}, ("joe is a symbolic link; its target was not read",)) == (found(taken), taken.notes)


def test_a_place_that_is_gone(take: Take, jane: Path) -> None:
    """A place may be deleted between listing and reading."""
    assert ("nobody cannot be read: No such file or directory",) == take(jane / "nobody").notes


def test_a_folder_that_cannot_be_read(take: Take, jane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is named, and files elsewhere are graded."""
    write(write(jane, distribute="x") / "private", swap="y")
    scandir = os.scandir

    def refusing(path: Path) -> Any:
        if Path(path).name == "private":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    taken = take(jane)
    assert {"distribute": "x"} == found(taken)
    assert ("jane/private cannot be read: Permission denied",) == taken.notes


def test_depth_has_a_limit(take: Take, jane: Path) -> None:
    """Files at the limit are read, and deeper ones are noted."""
    deepest = jane.joinpath(*"d" * files.MAX_DEPTH)
    write(write(deepest, distribute="x") / "e", swap="y")
    taken = take(jane)
    assert {"distribute": "x"} == found(taken)
    assert ("jane has folders nested more than 16 deep; they were not read",) == taken.notes


def test_the_number_of_files_has_a_limit(take: Take, jane: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files beyond the limit are not read, and a note says so."""
    monkeypatch.setattr(files, "MAX_FILES", 9)
    for number in range(9):
        (jane / f"{number}.txt").touch()
    assert () == take(jane).notes
    write(jane, distribute="x")
    assert ("jane contains more than 9 files; the rest were not read",) == take(jane).notes


def test_an_archive_is_a_place(take: Take, jane: Path) -> None:
    """A submission may be a zip file, in which an encrypted file is unreadable."""
    path = zipped(jane.parent / "joe.zip", {FIRST: "x"})
    taken = take(path)
    assert ({"distribute": "x"}, f"joe.zip/{FIRST}") == (found(taken), taken.sources["distribute"].path.as_posix())
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert ("unreadable", f"{FIRST} is encrypted") == problem(take(path))


def test_of_very_many_notes_some_are_kept(take: Take, jane: Path) -> None:
    """Of hundreds of damaged archives, the first are named, and the others are counted."""
    for number in range(100, 130):
        (jane / f"{number}.zip").write_bytes(b"")
    notes = take(jane).notes
    assert ("119.zip cannot be read: File is not a zip file", "and 10 more notes of this kind") == notes[-2:]
    assert 21 == len(notes)


def test_a_note_is_no_longer_than_two_thousand_characters(take: Take, jane: Path) -> None:
    """Five paths in which every character takes ten are cut, with a mark."""
    for number in range(5):
        write(jane / ("\U000e0041" * 60) / f"{number}{chr(0xE0041) * 60}", distribute=f"{number}")
    taken = take(jane)
    assert [2_000] == [len(note) for note in taken.notes]
    assert taken.notes[0].endswith("…")
    status, why = problem(taken)
    assert ("unreadable", True) == (status, str(why).startswith(taken.notes[0][:-1]))


@pytest.mark.parametrize("name", [b"\xff\xfe.py", b"a\nb\x1b[2J.py", b"n" * 250 + b".py", "ü∂🙂.py".encode()])
def test_odd_names_can_be_written_into_a_report(take: Take, jane: Path, name: bytes) -> None:
    """Every note and path is text, printable and of bounded length."""
    folder = os.path.join(os.fsencode(jane), name)
    os.mkdir(folder)
    for inner in (name, FIRST.encode(), b"broken.zip", name + b".zip"):
        if len(inner) < 256:
            with open(os.path.join(folder, inner), "wb") as file:
                file.write(b"x")
    taken = take(jane)
    assert {"distribute": "x"} == found(taken)
    texts = [*taken.notes, str(taken.sources["distribute"].path)]
    assert 3 <= len(texts)
    for text in texts:
        assert text.isprintable()
        assert len(text) < 2000
        assert text == msgspec.json.decode(msgspec.json.encode(text))


def test_an_unreadable_file_under_an_odd_name(take: Take, tmp_path: Path) -> None:
    """The part of a name that a platform added does not get into a message unescaped."""
    path = tmp_path / "doe\x1b[2Jjane\udcff_1_2_01_distribute.py"
    path.write_bytes(b"\xff")
    _, message = problem(take(path, renamed={path.name: FIRST}))
    assert "doe\\x1b[2Jjane\\xff_1_2_01_distribute.py is not UTF-8 (byte 0)" == message


def test_canvas_names_are_those_before(tmp_path: Path, take_in: TakeIn) -> None:
    """The exercise's name follows the parts that Canvas adds.

    An archive is one with any name, and the names inside it are used unchanged.
    """
    (tmp_path / "doejane_1_2_01_distribute-3.py").write_text("x")
    with zipfile.ZipFile(tmp_path / "doejane_1_4_work.zip", "w") as archive:
        archive.writestr(SECOND, "y")
        archive.writestr("a_1_2_03_accumulate.py", "no")
    (entry,) = entries(tmp_path)
    taken = take_in(entry)
    assert {"distribute": "x", "swap": "y"} == found(taken)
    accumulate = taken.sources["accumulate"]
    assert ("missing", ("doejane_1_4_work.zip/a_1_2_03_accumulate.py",)) == (accumulate.problem, accumulate.names)


def test_one_file_handed_in_twice_to_canvas(tmp_path: Path, take_in: TakeIn) -> None:
    """The number in a name does not decide which of two attempts counts."""
    (tmp_path / "doejane_1_2_01_distribute.py").write_text("x")
    (tmp_path / "doejane_1_3_01_distribute-1.py").write_text("y")
    (entry,) = entries(tmp_path)
    assert "unreadable" == problem(take_in(entry))[0]


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], env={**os.environ, **AUTHOR}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def clone(jane: Path) -> Path:
    """Make a repository with one commit."""
    git(write(jane, distribute="x"), "init", "--quiet", "--initial-branch=main")
    git(jane, "add", ".")
    git(jane, "commit", "--quiet", "--message=done")
    return jane


def loose(repository: Path, content: bytes, kind: bytes = b"commit") -> str:
    """Write an object and check it out."""
    name = f"{zlib.crc32(content):08x}" * 5
    path = repository / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(kind + b" %d\0" % len(content) + content))
    (repository / ".git" / "HEAD").write_text(f"{name}\n")
    return name


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [["pack-refs", "--all"]],
        [["repack", "-adq"], ["prune-packed"]],
        [["checkout", "--quiet", "--detach"]],
        [["checkout", "--quiet", "-b", "jane/größe@2"], ["gc", "--quiet", "--aggressive"]],
    ],
    ids=["loose", "packed refs", "packed", "detached", "all packed, odd branch"],
)
def test_commit_and_time_come_from_git(take: Take, clone: Path, steps: list[list[str]]) -> None:
    """The commit is the one that is checked out, and the time is its committer's, not its author's or a file's."""
    for step in steps:
        git(clone, *step)
    taken = take(clone)
    assert (git(clone, "rev-parse", "HEAD"), COMMITTED) == (taken.commit, taken.submitted_at)
    assert {"distribute": "x"} == found(taken)


def test_a_clone_as_classroom_makes_it(take: Take, clone: Path) -> None:
    """Objects are in a pack, and the branch is in its own file or in the packed references."""
    git(clone.parent, "clone", "--quiet", "--no-local", str(clone), "lab-jane")
    taken = take(clone.parent / "lab-jane")
    assert (git(clone, "rev-parse", "HEAD"), COMMITTED) == (taken.commit, taken.submitted_at)


@pytest.mark.parametrize("deltas", ["offset", "name"])
def test_commits_that_git_keeps_as_changes_of_others(take: Take, clone: Path, deltas: str) -> None:
    """Every commit of a long history can be read, with long messages and large offsets."""
    tree = git(clone, "rev-parse", "HEAD^{tree}")
    names = [git(clone, "rev-parse", "HEAD")]
    text = "".join(f"{number * number} is a square\n" for number in range(400))
    for number in range(12):
        names.append(git(clone, "commit-tree", tree, "-p", names[-1], "-m", text[number:] + f"number {number}"))
    git(clone, "reset", "--quiet", "--soft", names[-1])
    git(clone, "-c", f"repack.useDeltaBaseOffset={'true' if deltas == 'offset' else 'false'}", "repack", "-adfq")
    git(clone, "prune-packed")
    (index,) = (clone / ".git" / "objects" / "pack").glob("*.idx")
    kinds = git(clone, "verify-pack", "-v", str(index)).splitlines()
    assert any("commit" in line and len(line.split()) == 7 for line in kinds)  # or nothing is shown here
    for name in names:
        (clone / ".git" / "HEAD").write_text(f"{name}\n")
        taken = take(clone)
        assert (name, COMMITTED) == (taken.commit, taken.submitted_at)


def test_a_platforms_time_comes_before_gits(take: Take, clone: Path) -> None:
    """The platform's time takes precedence, because a commit's author can choose the commit's time."""
    taken = take(clone, submitted_at="2026-04-27T00:00:00+00:00")
    assert "2026-04-27T00:00:00+00:00" == taken.submitted_at
    assert git(clone, "rev-parse", "HEAD") == taken.commit


def test_gradescopes_time_is_in_the_report(tmp_path: Path, take_in: TakeIn) -> None:
    """The time of submission is `:created_at:`."""
    write(tmp_path / "submission_1", distribute="x")
    (tmp_path / "submission_metadata.yml").write_text("submission_1:\n  :created_at: 2026-04-26 17:34:00.8616 Z\n")
    (entry,) = entries(tmp_path)
    assert "2026-04-26T17:34:00+00:00" == take_in(entry).submitted_at


def test_nothing_that_a_repository_names_is_run(take: Take, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs in its settings, hooks, filters, includes and other object stores are neither started nor opened."""
    trap, sprung = clone.parent / "trap", clone.parent / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch '{sprung}'\n")
    trap.chmod(0o755)
    pipe = clone.parent / "pipe"
    os.mkfifo(pipe)
    with (clone / ".git" / "config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {trap}\n\tsshCommand = {trap}\n\teditor = {trap}\n\tpager = {trap}\n"
            f"\tgitProxy = {trap}\n\taskPass = {trap}\n\thooksPath = {clone.parent}\n\talternateRefsCommand = {trap}\n"
            f"[gpg]\n\tprogram = {trap}\n[diff]\n\texternal = {trap}\n"
            f'[filter "x"]\n\tclean = {trap}\n\tsmudge = {trap}\n'
            f'[include]\n\tpath = {pipe}\n[remote "origin"]\n\turl = ext::{trap}\n\tpromisor = true\n'
            f"[extensions]\n\tpartialClone = origin\n"
        )
    (clone / ".gitattributes").write_text("* filter=x\n")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (clone / ".git" / "hooks" / hook).parent.mkdir(exist_ok=True)
        (clone / ".git" / "hooks" / hook).write_bytes(trap.read_bytes())
        (clone / ".git" / "hooks" / hook).chmod(0o755)
    (clone / ".git" / "objects" / "info" / "alternates").write_text(f"{pipe}\n")
    (clone / ".git" / "commondir").symlink_to(pipe)
    for module, name in ((subprocess, "Popen"), (os, "fork"), (os, "posix_spawn"), (os, "system")):
        monkeypatch.setattr(module, name, None)
    taken = take(clone)
    assert ((), COMMITTED) == (taken.notes, taken.submitted_at)
    assert not sprung.exists()


@pytest.mark.parametrize("name", [".git", ".git/HEAD", ".git/refs/heads/main", ".git/packed-refs", "object", "pack"])
def test_a_repository_with_odd_files(take: Take, clone: Path, name: str, at_most: Callable[[int], Any]) -> None:
    """The files of a submission are graded with any repository, and nothing waits or is read endlessly."""
    head = git(clone, "rev-parse", "HEAD")
    if name == "pack":
        git(clone, "repack", "-adq")
        (path,) = (clone / ".git" / "objects" / "pack").glob("*.idx")
    elif name == "object":
        path = clone / ".git" / "objects" / head[:2] / head[2:]
    else:
        path = clone / name
        if name == ".git/packed-refs":
            git(clone, "pack-refs", "--all")
    path.rename(clone.parent / "was")
    for make in ODD:
        secret = clone.parent / make.__name__
        secret.write_text("s3cret\n")
        make(path, secret)
        with at_most(2):
            taken = take(clone)
        assert ({"distribute": "x"}, None, None) == (found(taken), taken.commit, taken.submitted_at), make
        path.unlink()


@pytest.mark.parametrize("linked", [False, True])
def test_git_that_points_elsewhere(take: Take, clone: Path, linked: bool) -> None:
    """A `.git` that is a file, as in worktrees, or a link could name any repository, so it is not used."""
    (clone / ".git").rename(clone.parent / "elsewhere")
    if linked:
        (clone / ".git").symlink_to(clone.parent / "elsewhere")
    else:
        (clone / ".git").write_text("gitdir: ../elsewhere\n")
    taken = take(clone)
    assert ({"distribute": "x"}, None) == (found(taken), taken.commit)


@every(
    "head",
    [
        b"",
        b"ref: refs/heads/nowhere",
        b"ref: refs/heads/../../../../secret",
        b"ref: /etc/passwd",
        b"ref: refs/heads/main\0",
        b"0" * 40,
        b"f" * 64,
        b"\xff" * 40,
        b"ref: refs/" + b"d/" * 9999,
    ],
)
def test_heads_that_lead_nowhere(take: Take, clone: Path, head: bytes) -> None:
    """Only the time of the commit is unknown."""
    (clone.parent / "secret").write_text((clone / ".git" / "refs" / "heads" / "main").read_text())
    (clone / ".git" / "HEAD").write_bytes(head)
    taken = take(clone)
    assert ({"distribute": "x"}, None) == (found(taken), taken.commit)


@every(
    "committer",
    [
        b"J <j> 99999999999999999999 +0000",
        b"J <j> 253402300800 +0000",
        b"J <j> -1 +0000",
        b"J <j> 0 +9999",
        b"J <j> 0 -2400",
        b"J <j> now",
        b"",
    ],
)
def test_times_that_are_none(take: Take, clone: Path, committer: bytes) -> None:
    """Times outside the calendar, or without a zone, are not times."""
    loose(clone, b"tree 0\nauthor A <a> 1 +0000\ncommitter " + committer + b"\n\nx\n")
    assert (None, None) == (take(clone).commit, take(clone).submitted_at)


def test_a_committer_in_the_message_is_none(take: Take, clone: Path) -> None:
    """Only the lines before the first empty line name the committer and the time."""
    loose(clone, b"tree 0\n\ncommitter J <j> 0 +0000\n")
    assert take(clone).commit is None
    name = loose(clone, b"tree 0\ncommitter J\xff > <j> 0 -0030\n\ncommitter J <j> 99 +0000\n")
    assert (name, "1969-12-31T23:30:00-00:30") == (take(clone).commit, take(clone).submitted_at)


def test_an_object_of_another_kind_is_no_commit(take: Take, clone: Path) -> None:
    """A tag or a file could contain the same text."""
    loose(clone, b"tree 0\ncommitter J <j> 0 +0000\n\n", b"blob")
    assert take(clone).commit is None


@pytest.mark.slow
def test_a_commit_that_unpacks_to_gigabytes(take: Take, clone: Path, at_most: Callable[[int], Any]) -> None:
    """No more is unpacked than a commit can contain."""
    loose(clone, b"tree 0\ncommitter J <j> 0 +0000\n\n" + bytes(64 << 20))
    with at_most(2):
        assert take(clone).commit is None


def one_pack(repository: Path, *objects: bytes) -> None:
    """Make a pack of raw entries named 0101… and 0202…, and check out the last one."""
    pack, offsets = b"PACK" + struct.pack(">LL", 2, len(objects)), []
    for entry in objects:
        offsets.append(len(pack))
        pack += entry
    names = [bytes([number + 1]) * 20 for number in range(len(objects))]
    fan = b"".join(struct.pack(">L", min(byte, len(names))) for byte in range(256))
    index = b"\xfftOc\0\0\0\2" + fan + b"".join(names) + bytes(4 * len(names))
    index += b"".join(struct.pack(">L", offset) for offset in offsets)
    folder = repository / ".git" / "objects" / "pack"
    (folder / "pack-x.pack").write_bytes(pack + bytes(20))
    (folder / "pack-x.idx").write_bytes(index + bytes(40))
    (repository / ".git" / "HEAD").write_text(names[-1].hex())


COMMIT = zlib.compress(b"tree 0\ncommitter J <j> 0 +0000\n\n")


def test_a_pack_made_by_hand(take: Take, clone: Path) -> None:
    """The next test would prove nothing if such a pack could not be read."""
    one_pack(clone, b"\x90\x03" + COMMIT)
    assert "1970-01-01T00:00:00+00:00" == take(clone).submitted_at
    for copy in (b"\x90\x7f", b"\x80"):  # so many bytes; no number, which is 64 KB
        one_pack(clone, b"\x90\x03" + COMMIT, b"\x70" + b"\1" * 20 + zlib.compress(b"\x20\x20" + copy))
        assert "1970-01-01T00:00:00+00:00" == take(clone).submitted_at


@every(
    "entry",
    [
        b"\x90\x03" + zlib.compress(bytes(64 << 20), 1),
        b"\x90" + b"\x80" * 1_000_000,
        b"\x60\0" + zlib.compress(b"\1\1\1x"),
        b"\x60\x7f" + zlib.compress(b"\1\1\1x"),
        b"\x70" + b"\1" * 20 + zlib.compress(b"\1\1\1x"),
        b"\x70" + b"\2" * 20 + zlib.compress(b"\1\1\1x"),
        b"\x70" + b"\1" * 20 + zlib.compress(b"\x80" * 60_000),
        b"\x90\x03",
        b"",
    ],
    ids=["bomb", "size", "itself", "before", "itself by name", "nobody", "sizes of a change", "cut off", "nothing"],
)
def test_packs_that_are_traps(take: Take, clone: Path, entry: bytes, at_most: Callable[[int], Any]) -> None:
    """Endless chains, endless sizes and endless content are refused."""
    one_pack(clone, entry)
    with at_most(8):
        taken = take(clone)
    assert ({"distribute": "x"}, None) == (found(taken), taken.commit)


def test_a_change_that_copies_without_end(take: Take, clone: Path, at_most: Callable[[int], Any]) -> None:
    """Small steps that each copy much are stopped at the maximum size of a commit."""
    copies = b"\1\1" + b"\x80" * 30_000
    one_pack(clone, b"\x90\x03" + zlib.compress(bytes(60_000)), b"\x70" + b"\1" * 20 + zlib.compress(copies))
    with at_most(4):
        assert take(clone).commit is None


def test_a_damaged_pack_at_every_byte(take: Take, clone: Path) -> None:
    """The submission is read with any byte of the pack changed."""
    git(clone, "repack", "-adq")
    git(clone, "prune-packed")
    for path in (clone / ".git" / "objects" / "pack").glob("*.*"):
        path.chmod(0o644)
        data = path.read_bytes()
        for at in range(0, len(data), 7):
            path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
            assert {"distribute": "x"} == found(take(clone))
        path.write_bytes(data)


def test_a_whole_class_of_hostile_people(tmp_path: Path, take_in: TakeIn, at_most: Callable[[int], Any]) -> None:
    """Through both steps, every person has an entry, and every text of it can be written."""
    for number, make in enumerate(ODD):
        for name in (FIRST, "work.zip", "work.tar.gz", ".git"):
            folder = tmp_path / "class" / f"{number}_{name}"
            folder.mkdir(parents=True)
            (tmp_path / f"{number}_{name}").write_text("s3cret")
            make(folder / name, tmp_path / f"{number}_{name}")
        make(tmp_path / "class" / f"p{number}.zip", tmp_path / f"{number}_{FIRST}")
    (tmp_path / "class" / "\udcff\n").mkdir()
    with at_most(8):
        taken = [take_in(entry) for entry in entries(tmp_path / "class")]
    assert len(ODD) * 5 + 1 == len(taken)
    for one in taken:
        assert not found(one)
        assert b"s3cret" not in msgspec.json.encode([one.notes, [source.unread for source in one.sources.values()]])
