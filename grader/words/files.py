"""The sentences about files that were not read. A learner and an instructor read the same ones."""

from collections.abc import Sequence
from typing import Protocol


class Unread(Protocol):
    """The reason why a file was not read, such as `Reason` of `grader.client`.

    | kind                 | meaning, and fields                                                               |
    |----------------------|-----------------------------------------------------------------------------------|
    | `both`               | both files `names` exist: a Python file and the notebook in place of it           |
    | `compressed_excess`  | the archive contains more compressed data than it unpacks to                      |
    | `compression`        | an archive's member uses a compression method that is not supported               |
    | `damaged`            | an archive's member cannot be unpacked: `detail`                                  |
    | `damaged_header`     | a header in the archive is damaged                                                |
    | `encrypted`          | an archive's member is encrypted                                                  |
    | `hard_link`          | the file has a second name                                                        |
    | `language`           | the notebook is for the language `detail`                                         |
    | `long_name`          | a file in the archive has a name of more than `limit_kb`                          |
    | `missing`            | there is no such file                                                             |
    | `nbformat`           | the major version of the notebook's format is `count`                             |
    | `near_name`          | there is no such file, but the files `names` have a similar name                  |
    | `nested`             | the notebook's JSON is nested too deeply                                          |
    | `not_a_notebook`     | the JSON is not a notebook: `detail`                                              |
    | `not_json`           | the notebook is not JSON: `detail`                                                |
    | `not_opened`         | the system does not open the file: `detail`                                       |
    | `not_regular`        | it is a folder, a pipe or a device                                                |
    | `not_utf8`           | the byte `count` is not UTF-8                                                     |
    | `notebook_not_utf8`  | the notebook is not UTF-8                                                         |
    | `notebook_too_large` | the notebook is larger than `limit_kb`                                            |
    | `nul_bytes`          | the file has NUL bytes                                                            |
    | `nul_characters`     | a cell of the notebook has NUL characters                                         |
    | `overlap`            | files in the archive overlap                                                      |
    | `several_files`      | `count` files with this name differ; `names` are the first of them                |
    | `sparse_file`        | the archive holds a sparse file                                                   |
    | `symbolic_link`      | there is a symbolic link in the path                                              |
    | `too_large`          | the file is larger than `limit_kb`                                                |
    | `too_many_archives`  | the submission has more than `count` archives                                     |
    | `too_many_cells`     | the notebook has more than `count` cells                                          |
    | `too_many_files`     | the archive contains more than `count` files                                      |
    | `too_many_streams`   | the archive contains more than `count` compressed streams                         |
    | `too_much_code`      | the notebook has more than `limit_kb` of code                                     |
    | `too_much_data`      | the archive unpacks to too much data                                              |
    | `too_much_memory`    | reading the whole submission needs more than `limit_kb` of memory                 |
    | `too_slow`           | reading the whole submission takes more than `seconds` of `clock` (cpu or wall)   |
    """

    @property
    def kind(self) -> str: ...
    @property
    def detail(self) -> str | None: ...
    @property
    def count(self) -> int | None: ...
    @property
    def limit_kb(self) -> int | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def clock(self) -> str | None: ...
    @property
    def names(self) -> tuple[str, ...]: ...


def unread_text(unread: Unread, name: str = "") -> str:
    """Return a sentence that says why a file was not read.

    Args:
        name: the name of the file. Reasons that concern a whole submission do not need it.
    """
    match unread.kind:
        case "both":
            return f"there are both {' and '.join(unread.names)}; keep one of them"
        case "missing":
            return f"there is no file {name}"
        case "near_name":
            return f"there is no file {name}; it may be {' or '.join(unread.names)}"
        case "several_files":
            count = unread.count or 0
            shown = listed(unread.names, more=count > len(unread.names))
            return f"{count} different files {name} were found: {shown}; none was graded. Keep one of them."
        case "too_slow":
            spent = " of CPU time" if unread.clock == "cpu" else ""
            return f"{_NOT_READ} {unread.seconds:g} s{spent}"
        case "too_much_memory":
            return f"{_NOT_READ} {_size(unread)} of memory"
        case _:
            return f"{name} {_SAID[unread.kind].format(detail=unread.detail, count=unread.count, size=_size(unread))}"


def listed(names: Sequence[str], *, more: bool) -> str:
    """Return names with commas, followed by "and more" if there are others."""
    return ", ".join(names) + (" and more" if more else "")


def _size(unread: Unread) -> str:
    kb = unread.limit_kb or 0
    return f"{kb} KB" if kb < 1 << 10 else f"{kb >> 10} MB"


_NOT_READ = "the submission cannot be read: reading it took more than"
_SAID = {
    "compressed_excess": "contains more compressed data than it unpacks to",
    "compression": "uses an unsupported compression method",
    "damaged": "is damaged: {detail}",
    "damaged_header": "has a damaged header",
    "encrypted": "is encrypted",
    "hard_link": "is a hard link: the same file has another name elsewhere",
    "language": "is a notebook for {detail}; only Python can be graded",
    "long_name": "has a file name of more than {size}",
    "nbformat": "has nbformat {count}, and only 4 can be read; open it in Jupyter and save it again",
    "nested": "is not a Jupyter notebook: its JSON is nested too deeply",
    "not_a_notebook": "is not a Jupyter notebook: {detail}; open it in Jupyter and save it again",
    "not_json": "cannot be read: {detail}; clear its outputs and save it again in Jupyter",
    "not_opened": "cannot be read: {detail}",
    "not_regular": "is not a regular file",
    "not_utf8": "is not UTF-8 (byte {count})",
    "notebook_not_utf8": "cannot be read: it is not UTF-8; clear its outputs and save it again in Jupyter",
    "notebook_too_large": "is larger than {size}; clear its outputs and save it again",
    "nul_bytes": "is not text: it has NUL bytes (UTF-16?)",
    "nul_characters": "is not text: it has NUL characters",
    "overlap": "holds files that overlap",
    "sparse_file": "holds a sparse file; files after it were not read",
    "symbolic_link": "cannot be read: there is a symbolic link in its path",
    "too_large": "is larger than {size}",
    "too_many_archives": "is not read: there are more than {count} archives",
    "too_many_cells": "has more than {count} cells",
    "too_many_files": "contains more than {count} files",
    "too_many_streams": "contains more than {count} compressed streams",
    "too_much_code": "has more than {size} of code",
    "too_much_data": "unpacks to too much data",
}
