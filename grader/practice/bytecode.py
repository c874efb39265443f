"""Write the bytecode of the modules that a browser tab imports. Runs in Pyodide, when a site is built."""

import hashlib
import json
import sys
import zipfile
from importlib import _bootstrap_external as bootstrap
from io import BytesIO
from pathlib import Path
from zipimport import zipimporter

from .tab import Tab


def bytecode(site: Path, exercise: str, stub: str, inputs: str, older: bytes) -> bytes:
    """Grade an exercise, and return an archive with the bytecode of all modules that were imported until then.

    A module's bytecode is named by the digest of its path and its source. `index.json` has the names by the modules'
    paths.

    Args:
        site: The folder with the course and the packages, from which modules are imported.
        exercise: The id of an exercise, whose stub is `stub`.
        inputs: What the archive is made of, which `index.json` repeats.
        older: An older archive, whose bytecode is used again, or nothing.
    """
    # use the grader like a page does, so that it imports what it needs
    with Tab.of_site(site / "course", patience=60) as tab:
        tab.grade(exercise, f"{stub}\nimport math, random\n", 80)
        tab.replay(exercise, stub)

    index: dict[str, str] = {}
    new = BytesIO()
    known = zipfile.ZipFile(BytesIO(older)) if older else None
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for module in list(sys.modules.values()):
            loader, path = getattr(module, "__loader__", None), getattr(module, "__file__", None) or ""
            if path.startswith(f"{site}/packages/") and path.endswith(".py"):
                source, name = Path(path).read_bytes(), path.removeprefix(f"{site}/")
            elif isinstance(loader, zipimporter):
                source, name = loader.get_data(path), path.removeprefix(f"{loader.archive}/")
            else:
                continue
            if name in index:  # a module may be imported under two names
                continue
            index[name] = hashlib.sha256(f"{path}\0".encode() + source).hexdigest()
            if known is not None and index[name] in known.namelist():
                data = known.read(index[name])
            else:
                code = compile(source, path, "exec", dont_inherit=True)
                data = bytes(bootstrap._code_to_hash_pyc(code, bytes(8), False))  # type: ignore[attr-defined]
            archive.writestr(index[name], data)
        archive.writestr("index.json", json.dumps({"inputs": inputs, "modules": index}))
    return new.getvalue()
