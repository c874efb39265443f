"""Write the folders that test data describes."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from read_yaml import Case


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
