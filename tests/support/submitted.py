"""Cases of test data that describe a folder of submissions."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from read_yaml import read_yaml

Case = dict[str, Any]


def cases_of(path: Path) -> list[Case]:
    """Read cases. A case with `each` stands for a case for each of its items.

    The keys of an item that is a mapping are added to the case. Any other item replaces each `$`, and the elements of a
    list replace `$0`, `$1` and so on. In a list, `$` alone may stand for several elements.
    """
    return [one for case in read_yaml(path) for one in _each(case)]


def _each(case: Case) -> Iterator[Case]:
    items = case.pop("each", [{}])
    for item in items:
        if isinstance(item, dict):
            yield {**case, **item}
        else:
            yield {**_filled(case, item), "what": f"{case['what']} ({item!r})"}


def _filled(part: Any, item: Any) -> Any:
    if isinstance(part, dict):
        return {_filled(key, item): _filled(value, item) for key, value in part.items()}
    if isinstance(part, list) and "$" in part and isinstance(item, list):
        part = [one for each in part for one in (item if each == "$" else [each])]
    if isinstance(part, list):
        return [_filled(one, item) for one in part]
    if not isinstance(part, str) or "$" not in part:
        return part
    if isinstance(item, list):
        for number, one in enumerate(item):
            part = part.replace(f"${number}", str(one))
        return part
    return item if part == "$" else part.replace("$", str(item))


def notebook(*cells: str) -> str:
    """Return a notebook with these code cells."""
    return json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": cell} for cell in cells]})


def zipped(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """Make a zip file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def written(root: Path, case: Case) -> Path:
    """Write the files, links, zip files and notebooks of a case. A path that ends in a slash is a folder.

    A file is its path, or a mapping from paths to texts or bytes.
    """
    root.mkdir(parents=True, exist_ok=True)
    for file in case.get("files", ()):
        for name, text in file.items() if isinstance(file, dict) else ((file, ""),):
            path = root / name
            (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
            if not name.endswith("/"):
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for name, target in case.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    for name, files in case.get("zips", {}).items():
        zipped(root / name, files)
    for name, cells in case.get("notebooks", {}).items():
        (root / name).write_text(notebook(*cells), encoding="utf-8")
    return root
