"""Zip and tar files are read without unpacking them to disk, whatever they contain."""

import gzip
import io
import os
import random
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from every import every
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.classes.intake.archives import SUFFIXES, ArchiveError, is_archive, members, stem
from grader.runner.client import Reason
from grader.runner.client.bounds import SOURCE
from grader.words.practice import unread_text

SAME_FOLDER = settings(suppress_health_check=[*settings().suppress_health_check, HealthCheck.function_scoped_fixture])
Format = Literal[0, 1, 2]
FORMATS: list[Format] = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def is_python(name: str) -> bool:
    return name.endswith(".py")


def read(path: Path) -> list[tuple[str, Any]]:
    """Return the paths, the content of each, and at the end the error that ended the reading, if any."""
    found: list[tuple[str, Any]] = []
    try:
        for name, content in members(path, is_python):
            found.append((str(name), content))
    except ArchiveError as error:
        found.append(("error", unread_text(error.reason, path.name)))
    return found


def zipped(path: Path, files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return path


def tarred(path: Path, files: dict[str, bytes], form: Format = tarfile.PAX_FORMAT) -> Path:
    mode: Any = "w" if path.suffix == ".tar" else "w:gz"
    with tarfile.open(path, mode, format=form) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def header(name: str, kind: bytes, size: int = 0, link: str = "") -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, link
    return info.tobuf(tarfile.GNU_FORMAT)


def test_a_zip_gives_what_is_wanted_and_names_the_rest(tmp_path: Path) -> None:
    """Wanted files come with their content, and folders are not listed."""
    path = zipped(tmp_path / "a.ZIP", {"work/": b"", "work/a.py": b"x = 1\n", "work/data.csv": b"1,2"})
    assert [("work/a.py", b"x = 1\n"), ("work/data.csv", None)] == read(path)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix != ".zip"])
def test_a_tar_gives_the_same_in_every_form(tmp_path: Path, suffix: str, form: Format) -> None:
    """Each compression and each format of headers is read."""
    path = tarred(tmp_path / f"a{suffix}", {"w/a.py": b"x\n" * 999, "w/b.csv": b"1"}, form)
    assert [("w/a.py", b"x\n" * 999), ("w/b.csv", None)] == read(path)


@pytest.mark.parametrize("form", FORMATS[1:])
@pytest.mark.parametrize("length", [99, 100, 101, 155, 256, 4000])
def test_long_names_in_a_tar(tmp_path: Path, form: Format, length: int) -> None:
    """Names beyond the header's hundred bytes come from the extended headers."""
    name = "d/" + "n" * length + ".py"
    assert [(name, b"1"), ("b.py", b"2")] == read(tarred(tmp_path / "a.tar", {name: b"1", "b.py": b"2"}, form))


@pytest.mark.parametrize(
    "name",
    ["../../w/a.py", "/w/a.py", "//w/a.py", "..\\..\\w\\a.py", "\\w\\a.py", "C:\\w\\a.py", "c:/w/a.py", "w/../a.py"],
)
@pytest.mark.parametrize("make", [zipped, tarred])
def test_no_path_leads_out(tmp_path: Path, name: str, make: Callable[..., Path]) -> None:
    """Paths that climb, or begin with a root, a drive or backslashes, become paths inside the archive."""
    path = make(tmp_path / ("a.zip" if make is zipped else "a.tar"), {name: b"x"})
    assert [("w/a.py", b"x")] == read(path)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("link", tarfile.SYMTYPE),
        ("hard", tarfile.LNKTYPE),
        ("pipe", tarfile.FIFOTYPE),
        ("disk", tarfile.BLKTYPE),
        ("terminal", tarfile.CHRTYPE),
        ("unknown", b"Z"),
    ],
)
def test_what_is_no_file_in_a_tar_has_no_content(tmp_path: Path, name: str, kind: bytes) -> None:
    """Links, devices and pipes are named and not followed, and the files after them are read."""
    path = tmp_path / "a.tar"
    path.write_bytes(header(f"{name}.py", kind, link="/etc/passwd") + header("b.py", tarfile.REGTYPE) + bytes(1024))
    assert [(f"{name}.py", Reason("not_regular")), ("b.py", b"")] == read(path)


def test_a_link_in_a_zip_has_no_content(tmp_path: Path) -> None:
    """A zip file made on Unix may contain a symbolic link, whose content is its target."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("a.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../../solutions/01_distribute.py")
    assert [("a.py", Reason("not_regular"))] == read(path)


def test_an_encrypted_file_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    """The bit for encryption is enough, and no password is requested."""
    path = zipped(tmp_path / "a.zip", {"a.py": b"secret", "b.py": b"open"}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert [("a.py", Reason("encrypted")), ("b.py", b"open")] == read(path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_uncommon_compression_is_left_alone(tmp_path: Path, compression: int) -> None:
    """Uncommon methods are refused, because they unpack without a bound on memory."""
    path = zipped(tmp_path / "a.zip", {"a.py": b"x"}, compression)
    assert [("a.py", Reason("compression"))] == read(path)


def test_one_damaged_file_costs_only_itself(tmp_path: Path) -> None:
    """The message about a wrong checksum names only the file that has it."""
    path = zipped(tmp_path / "a.zip", {"a.py": b"first", "b.py": b"second"}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"first", b"worst"))
    (_, damaged), second = read(path)
    assert ("damaged", "Bad CRC-32") == (damaged.kind, damaged.detail[:10])
    assert ("b.py", b"second") == second


def test_two_files_of_one_name_are_both_given(tmp_path: Path) -> None:
    """Both files of the same name are yielded, because this reader does not decide which one counts."""
    path = tmp_path / "a.zip"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("a.py", "one")
        archive.writestr("a.py", "two")
    assert [("a.py", b"one"), ("a.py", b"two")] == read(path)


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz"])
@pytest.mark.parametrize("name", ["a\nb\x1b[2J.py", "ä∂🙂.py", "n" * 250 + ".py"])
def test_odd_names_come_as_they_are(tmp_path: Path, suffix: str, name: str) -> None:
    """Line ends, escapes and letters of any script in names are read unchanged."""
    make = zipped if suffix == ".zip" else tarred
    assert [(name, b"x")] == read(make(tmp_path / f"a{suffix}", {name: b"x"}))


def test_undecodable_names_in_a_tar_come_as_surrogates(tmp_path: Path) -> None:
    """Undecodable names become surrogates, as names on disk do in Python."""
    path = tmp_path / "a.tar"
    block = bytearray(header("X.py", tarfile.REGTYPE))
    block[0] = 0xFF
    block[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(block))[0]  # type: ignore[attr-defined]
    path.write_bytes(bytes(block) + bytes(1024))
    assert [("\udcff.py", b"")] == read(path)


def test_a_name_with_a_nul_in_a_zip_ends_there(tmp_path: Path) -> None:
    """The name ends at the NUL, so that it cannot pass for another name."""
    path = zipped(tmp_path / "a.zip", {"a.pyX.txt": b"x"})
    path.write_bytes(path.read_bytes().replace(b"a.pyX.txt", b"a.py\0.txt"))
    ((name, content),) = read(path)
    assert "a.py" == name
    assert "\0" not in str(content)


@pytest.mark.parametrize("size", [SOURCE - 1, SOURCE, SOURCE + 1, SOURCE + 2])
@pytest.mark.parametrize("make", [zipped, tarred])
def test_no_more_than_the_limit_of_a_file_is_read(tmp_path: Path, make: Callable[..., Path], size: int) -> None:
    """One byte beyond the limit shows that there is more. The files after it are still read."""
    path = make(tmp_path / ("a.zip" if make is zipped else "a.tar"), {"a.py": bytes(size), "b.py": b"x"})
    assert [("a.py", bytes(min(size, SOURCE + 1))), ("b.py", b"x")] == read(path)


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path, at_most: Callable[[int], Any]) -> None:
    """Of 64 MB that are packed in 64 KB, no more is read than of any other file."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.py", "w") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    with at_most(8):
        assert [SOURCE + 1] == [len(content) for _, content in read(path)]


def test_files_that_follow_each_other_closely_do_not_overlap(tmp_path: Path) -> None:
    """Empty files, and files whose sizes follow them as from programs that cannot seek, do not overlap."""

    class Pipe(io.RawIOBase):
        written = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.written += bytes(data)
            return len(data)

    with zipfile.ZipFile(pipe := Pipe(), "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, content in {"a.py": b"", "b.py": b"y" * 99, "w/": b"", "c.py": b"z"}.items():
            archive.writestr(name, content)
    path = tmp_path / "a.zip"
    path.write_bytes(pipe.written)
    assert [("a.py", b""), ("b.py", b"y" * 99), ("c.py", b"z")] == read(path)


def test_an_archive_in_an_archive_is_not_opened(tmp_path: Path) -> None:
    """An inner archive is named, so that a person who reads the notes knows of it."""
    inner = zipped(tmp_path / "inner.zip", {"a.py": b"x"})
    assert [("inner.zip", None)] == read(zipped(tmp_path / "a.zip", {"inner.zip": inner.read_bytes()}))


@pytest.mark.parametrize("at", [512 + 100, 1024 + 100], ids=["second", "third"])
def test_a_damaged_header_in_a_tar_is_not_its_end(tmp_path: Path, at: int) -> None:
    """`tarfile` would end there without an error, and the files after it would seem to be missing."""
    path = tmp_path / "a.tar"
    data = bytearray(b"".join(header(f"{name}.py", tarfile.REGTYPE) for name in "abc") + bytes(1024))
    data[at] ^= 1
    path.write_bytes(data)
    assert ("error", "a.tar cannot be read: a header is damaged or incomplete") == read(path)[-1]


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_tar_of_headers_alone(tmp_path: Path, kind: bytes) -> None:
    """`tarfile` calls itself for a header of a header, and ends in a `RecursionError`."""
    path = tmp_path / "a.tar"
    path.write_bytes(header("x", kind) * 9_000 + header("a.py", tarfile.REGTYPE))
    assert [("error", "a.tar cannot be read: a header is damaged or incomplete")] == read(path)


@pytest.mark.parametrize("records", [b"0 a=b\n", b"-5 a=b\n", b"999 path=a\n", b"x path=a\n", b"path", b"9"])
def test_damaged_records_in_a_tar(tmp_path: Path, records: bytes) -> None:
    """Lengths that do not fit end the reading."""
    path = tmp_path / "a.tar"
    path.write_bytes(header("x", tarfile.XHDTYPE, len(records)) + records.ljust(512, b"\0") + bytes(1024))
    ((name, _),) = read(path)
    assert "error" == name


def test_streams_one_after_another(tmp_path: Path) -> None:
    """Programs that compress in parallel write such files. Some of these end in zeros."""
    plain = tarred(tmp_path / "a.tar", {"a.py": b"x" * 2000, "b.py": b"y"}).read_bytes()
    path = tmp_path / "b.tar.gz"
    path.write_bytes(b"".join(gzip.compress(plain[i : i + 700]) for i in range(0, len(plain), 700)) + bytes(512))
    assert [("a.py", b"x" * 2000), ("b.py", b"y")] == read(path)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".tar", ".tar.gz"])
def test_what_cannot_be_compressed_is_read(tmp_path: Path, suffix: str) -> None:
    """Pictures take up slightly more space packed than unpacked, and are still read."""
    noise = random.Random(1).randbytes(SOURCE)
    files = {**{f"{i}.png": noise for i in range(4)}, "a.py": noise, "b.py": b"x"}
    expected = [(name, content if is_python(name) else None) for name, content in files.items()]
    assert expected == read(tarred(tmp_path / f"a{suffix}", files))


@pytest.mark.parametrize("content", [b"", b"\0", b"<html>please log in</html>" * 40, bytes(511)])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_no_archive(tmp_path: Path, suffix: str, content: bytes) -> None:
    """The message names a file that is not an archive, such as a saved web page or an empty file."""
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    ((name, why),) = read(path)
    assert "error" == name
    assert why.startswith(f"a{suffix} cannot be read: ")


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz"])
def test_archives_cut_off_anywhere(tmp_path: Path, suffix: str) -> None:
    """The files that can be read are right, and the rest is reported as missing."""
    files = {"a.py": b"x = 1\n", "b.py": b"y = 2\n" * 99}
    data = (zipped if suffix == ".zip" else tarred)(tmp_path / f"a{suffix}", files).read_bytes()
    path = tmp_path / f"b{suffix}"
    for length in range(0, len(data), 1 if len(data) < 999 else 97):
        path.write_bytes(data[:length])
        for name, content in read(path):
            assert name == "error" or files[name] == content


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
@SAME_FOLDER
@given(data=st.binary(max_size=2000))
def test_any_bytes_raise_nothing_else(tmp_path: Path, suffix: str, data: bytes) -> None:
    """A file of random bytes raises only ArchiveError."""
    path = tmp_path / f"a{suffix}"
    path.write_bytes(data)
    read(path)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz"])
@SAME_FOLDER
@given(st.data())
def test_changed_archives_raise_nothing_else(tmp_path: Path, suffix: str, data: st.DataObject) -> None:
    """A real archive with some changed bytes raises only ArchiveError."""
    make = zipped if suffix == ".zip" else tarred
    path = make(tmp_path / f"a{suffix}", {"w/a.py": b"x = 1\n" * 9, "w/" + "ü" * 120 + ".py": b"y"})
    changed = bytearray(path.read_bytes())
    for at, byte in data.draw(st.lists(st.tuples(st.integers(0, len(changed) - 1), st.integers(0, 255)), max_size=9)):
        changed[at] = byte
    path.write_bytes(changed)
    read(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_pipe_with_an_archives_name_does_not_block(tmp_path: Path, suffix: str) -> None:
    """Nobody writes to the pipe, and reading does not wait."""
    path = tmp_path / f"a{suffix}"
    os.mkfifo(path)
    assert [("error", f"a{suffix} cannot be read: a{suffix} is not a regular file")] == read(path)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_to_an_archive_elsewhere_is_not_read(tmp_path: Path, link: Callable[..., None]) -> None:
    """The target of a link may belong to the instructor, so it is not read."""
    zipped(tmp_path / "solutions.zip", {"a.py": b"x"})
    link(tmp_path / "solutions.zip", tmp_path / "a.zip")
    ((name, why),) = read(tmp_path / "a.zip")
    assert "error" == name
    assert "link" in why


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_of_a_gigabyte(tmp_path: Path, suffix: str, at_most: Callable[[int], Any]) -> None:
    """The file is refused because of its size."""
    path = tmp_path / f"a{suffix}"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with at_most(1):
        assert [("error", f"a{suffix} is larger than 256 MB")] == read(path)


def test_a_folder_or_nothing_with_an_archives_name(tmp_path: Path) -> None:
    """A folder is not an archive, and neither is a missing file."""
    (tmp_path / "a.zip").mkdir()
    assert ["error", "error"] == [read(tmp_path / name)[0][0] for name in ("a.zip", "b.zip")]


@every(
    ("expected", "name"),
    [("jane", "jane.zip"), ("jane", "jane.tar.gz"), ("jane", "jane.TGZ"), ("jane.v2", "jane.v2.tar"), ("a.py", "a.py")],
)
def test_the_name_without_its_ending(expected: str, name: str) -> None:
    """An ending of two parts is removed completely."""
    assert expected == stem(name)
    assert (expected != name) == is_archive(name)
