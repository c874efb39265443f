"""Submissions are read in separate processes with limits."""

import gzip
import io
import os
import signal
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from every import every
from msgspec.structs import replace

from grader.base.processes import decode, encode, receive, send
from grader.classes.intake import Entry, Intake, IntakeError, LimitReached, Readers, entries, server
from grader.classes.intake.reader import Reader, ReaderReady, ReaderReply, ReadingLimits, ReadingTask, Setup, most
from grader.runner.client import Source
from grader.runner.client.bounds import SOURCE

FIRST, SECOND = "01_distribute.py", "02_swap.py"
TakeIn = Callable[[Entry], Intake]

needs_clocks = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="NOT TESTED: this system has no clock that ends a process"
)


@pytest.fixture(scope="module")
def one(exercises: dict[str, str]) -> Iterator[Reader]:
    """Return a process with the limits of every run."""
    made = Reader(exercises, ReadingLimits())
    yield made
    made.close()


@pytest.fixture
def limited(exercises: dict[str, str]) -> Iterator[Callable[..., Reader]]:
    """Make processes with other limits."""
    made: list[Reader] = []

    def make(**limits: Any) -> Reader:
        made.append(Reader(exercises, ReadingLimits(**limits)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def submitted(folder: Path, **files: bytes) -> Entry:
    """Make an entry whose exercise files have these bytes. Other names are archives: `tar_gz` means `.tar.gz`."""
    folder.mkdir()
    for name, content in files.items():
        path = {"distribute": FIRST, "swap": SECOND}.get(name, "work." + name.replace("_", "."))
        (folder / path).write_bytes(content)
    return Entry(folder.name, folder.name, (folder,))


def long_tar() -> bytes:
    """Return a tar file that unpacks to 200 MB of zeros. It is within the limits, and takes 0.1 s or more."""
    info = tarfile.TarInfo("zeros")
    info.size = 1 << 30
    return gzip.compress(info.tobuf()) + gzip.compress(bytes(1 << 20)) * 200


@pytest.mark.slow
def test_what_a_process_reads_is_what_is_read_without_one(one: Reader, take_in: TakeIn, tmp_path: Path) -> None:
    """Every source, note and path is the same, for files, archives and undecodable names."""
    folder = tmp_path / "class"
    odd = os.fsdecode(b"\xff\n\xc3\xa9")
    for name in ("jane", odd, "empty"):
        (folder / name).mkdir(parents=True)
    (folder / "jane" / FIRST).write_text("x = '∇'\n", encoding="utf-8")
    (folder / "jane" / SECOND).write_bytes(b"\xff")
    (folder / odd / odd).mkdir()
    (folder / odd / odd / FIRST).write_bytes(b"y\r\n\x01" * 60_000)
    (folder / odd / "work.zip").write_bytes(b"PK")
    with zipfile.ZipFile(folder / "joe.zip", "w") as archive:
        archive.writestr(f"w/{FIRST}", "z = 1\n")
        archive.writestr("w/mine.py", "")
    (folder / "link").symlink_to(tmp_path)
    found = entries(folder)
    assert [take_in(entry) for entry in found] == [one.read(entry) for entry in found]
    assert 5 == len(found)


def test_names_that_a_platform_changed_arrive(one: Reader, take_in: TakeIn, tmp_path: Path) -> None:
    """The original names arrive, and the platform's time and notes, which the process does not know, are added."""
    for name in (f"doejane_LATE_1_2_{FIRST}", f"doejane_LATE_1_3_{SECOND}"):
        (tmp_path / name).write_text(name)
    (entry,) = entries(tmp_path)
    noted = Entry(**{**vars(entry), "notes": ("a note",)})
    intake = one.read(noted)
    assert take_in(noted) == intake
    assert isinstance(intake, Intake)
    assert (("a note",), None) == (intake.notes[:1], intake.submitted_at)


def test_places_may_be_given_from_the_current_folder(
    one: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process has another current folder, and relative places still work."""
    submitted(tmp_path / "jane", distribute=b"x")
    monkeypatch.chdir(tmp_path)
    intake = one.read(Entry("jane", "jane", (Path("jane"),)))
    assert isinstance(intake, Intake)
    assert "x" == intake.sources["distribute"].text


def test_one_process_reads_many(one: Reader, tmp_path: Path) -> None:
    """One process reads many submissions, because starting it takes as long as reading hundreds."""
    entry = submitted(tmp_path / "jane", distribute=b"x")
    one.read(entry)
    pid = one.pid
    assert pid is not None
    for _ in range(20):
        one.read(entry)
    assert pid == one.pid


@pytest.mark.slow
@needs_clocks
@pytest.mark.parametrize(
    ("limits", "expected"),
    [({"cpu_s": 0.05}, LimitReached("cpu_limit", 0.05)), ({"wall_s": 0.05}, LimitReached("wall_limit", 0.05))],
    ids=["CPU", "wall"],
)
def test_who_takes_too_long_is_told_from_the_next(
    limited: Callable[..., Reader], tmp_path: Path, limits: dict[str, float], expected: LimitReached
) -> None:
    """The answer has the limit, and another process continues with its full limit."""
    hostile = submitted(tmp_path / "hostile", tar_gz=long_tar(), distribute=b"x")
    assert expected == limited(**limits).read(hostile)
    assert isinstance(limited(cpu_s=10.0).read(hostile), Intake)
    short = limited(cpu_s=0.05)
    assert isinstance(short.read(hostile), LimitReached)
    assert isinstance(short.read(submitted(tmp_path / "jane", distribute=b"x")), Intake)


@pytest.mark.slow
@needs_clocks
def test_the_clock_is_each_submissions_own(limited: Callable[..., Reader], tmp_path: Path) -> None:
    """Many submissions that take a little time each do not reach the limit together."""
    entry = submitted(tmp_path / "jane", distribute=b"x" * 200_000, swap=b"y" * 200_000)
    made = limited(cpu_s=0.3)
    made.read(entry)
    pid = made.pid
    assert pid is not None
    for _ in range(400):
        assert isinstance(made.read(entry), Intake)
    assert pid == made.pid


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="NOT TESTED: limits are read from /proc")
def test_what_the_process_may_not(one: Reader, tmp_path: Path) -> None:
    """The process cannot take much memory, write files, dump its memory to disk, or open many files at once."""
    one.read(submitted(tmp_path / "jane"))
    lines = Path(f"/proc/{one.pid}/limits").read_text().splitlines()
    soft = {line[:26].strip(): line[26:].split()[0] for line in lines}
    assert [str(512 << 20), "0", "0", "64"] == [
        soft[name] for name in ("Max address space", "Max file size", "Max core file size", "Max open files")
    ]


def test_a_submission_for_which_memory_runs_out(monkeypatch: pytest.MonkeyPatch, exercises: dict[str, str]) -> None:
    """The answer has the limit, and the process reads no other submission."""

    def read(*_: object) -> Intake:
        raise MemoryError

    monkeypatch.setattr(server, "read_files", read)
    monkeypatch.setattr(server, "limit_this_process", lambda memory_mb: None)
    monkeypatch.setattr(server, "_let_clocks_end_this_process", lambda: None)
    orders, replies = io.BytesIO(), io.BytesIO()
    for message in (Setup(exercises, ReadingLimits()), ReadingTask(()), ReadingTask(())):
        send(orders, message)
    orders.seek(0)
    server.serve(orders, replies)
    replies.seek(0)
    assert [ReaderReady(), LimitReached("memory_limit", 512), None] == [
        receive(replies, ReaderReply, 1 << 20) for _ in range(3)
    ]


@pytest.mark.slow
def test_a_process_that_is_killed_is_no_fault_of_a_submissions(one: Reader, tmp_path: Path) -> None:
    """Another process reads the submission."""
    entry = submitted(tmp_path / "jane", distribute=b"x")
    one.read(entry)
    assert one.pid is not None
    os.kill(one.pid, signal.SIGKILL)
    assert isinstance(one.read(entry), Intake)


@pytest.mark.slow
def test_nothing_is_started_in_the_current_folder(
    exercises: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules in the current folder are not imported, with any environment variables."""
    for name in ("zipfile.py", "msgspec.py", "sitecustomize.py", "yaml.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with closing(Readers(exercises, 1)) as readers:
        assert [] == [e for e, read in readers.read([submitted(tmp_path / "jane")]) if not isinstance(read, Intake)]
    assert not (tmp_path / "sprung").exists()


# -- the messages ---------------------------------------------------------------------------------------


def test_the_largest_submission_fits_into_a_reply(exercises: dict[str, str]) -> None:
    """The reply fits with every exercise at its limit and a hundred of the longest notes."""
    text = "∇" * (SOURCE // 3)
    sources = {name: Source(Path("x" * 300) / file, text) for name, file in exercises.items()}
    data = encode(Intake(sources, ("n" * 2000,) * 100))
    assert Intake(sources, ("n" * 2000,) * 100) == decode(data, ReaderReply)
    assert len(data) < most(exercises)


@every(
    "message",
    [
        ReadingTask(()),
        replace(LimitReached("cpu_limit", 1), reason="won"),  # type: ignore[arg-type]
        Intake({"swap": Source(3)}),  # type: ignore[arg-type]
    ],
    ids=["another kind", "unknown reason", "no path"],
)
def test_what_is_no_reply(message: msgspec.Struct) -> None:
    """A reply is of its type."""
    with pytest.raises(ValueError):  # noqa: PT011  (msgspec has several kinds)
        decode(encode(message), ReaderReply)


# -- side by side ---------------------------------------------------------------------------------------


def test_who_takes_long_holds_up_nobody_else(
    exercises: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two processes, all other submissions are read while one process is busy with the first."""
    everybody_else = threading.Event()

    def read(self: Reader, entry: Entry) -> Intake:
        if entry.id == "slow":
            assert everybody_else.wait(60)
        return Intake({})

    monkeypatch.setattr(Reader, "read", read)
    names = ["slow", *(f"p{number}" for number in range(20))]
    with closing(Readers(exercises, 2)) as readers:
        reading = readers.read(Entry(name, name, ()) for name in names)
        assert names[1:] == [next(reading)[0].id for _ in names[1:]]
        everybody_else.set()
        assert ["slow"] == [entry.id for entry, _ in reading]


@pytest.mark.slow
def test_no_more_are_read_than_are_asked_for(exercises: dict[str, str], tmp_path: Path) -> None:
    """A class of thousands is not held in memory. With one process, submissions come in their order."""
    asked = []

    def everybody() -> Iterator[Entry]:
        for number in range(30):
            asked.append(number)
            yield Entry(str(number), "", (tmp_path / str(number),))

    with closing(Readers(exercises, 1)) as readers:
        reading = readers.read(everybody())
        for number in range(5):
            assert str(number) == next(reading)[0].id
            assert len(asked) <= number + 4


@pytest.mark.slow
def test_leaving_early_ends_every_process(exercises: dict[str, str], tmp_path: Path) -> None:
    """This also holds in the middle of a submission."""
    hostile = submitted(tmp_path / "hostile", tar_gz=long_tar())
    with closing(Readers(exercises, 2)) as readers:
        next(readers.read([Entry("nobody", "", ()), *[hostile] * 20]))
        assert any(member.pid for member in readers.members)
    assert [None, None] == [member.pid for member in readers.members]
    with pytest.raises(IntakeError, match="did not start"):
        readers.members[0].read(hostile)
