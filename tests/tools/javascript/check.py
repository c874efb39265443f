"""Check the types of the pages' scripts with TypeScript, with one program for each page.

The types of the data that the replay and the site get are written from the classes that Python encodes it from. Those
of the class page are in class.d.ts. Without npm, the check is left out, except in CI.

Usage: check.py FOLDER, where TypeScript is installed and kept.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from grader.author.site import SCRIPTS, InterpreterAnswers
from grader.classes import page
from grader.practice.replay import page as replay
from grader.practice.site_data import SiteCourse, Stored

HERE = Path(__file__).resolve().parent
SITE = HERE.parents[2] / "grader" / "author" / "site"
OPTIONS = {
    "allowJs": True,
    "checkJs": True,
    "strict": True,
    "noEmit": True,
    "skipLibCheck": True,
    "types": [],
    "target": "ES2023",
    "module": "ES2022",
    "moduleDetection": "legacy",
}
PAGE, WORKER = ("ES2023", "DOM", "DOM.Iterable"), ("ES2023", "WebWorker")
PROGRAMS = {
    "class": (PAGE, page.PARTS.scripts),
    "replay": (PAGE, replay.PARTS.scripts),
    "site": (PAGE, SCRIPTS),
    "frame": (PAGE, (SITE / "frame.js",)),
    "worker": (WORKER, (SITE / "worker.js",)),
    "offline": (WORKER, (SITE / "offline.js",)),
}


NO_NPM = "*** NOT CHECKED: the types of the pages' scripts, because there is no npm (Debian: apt install npm) ***"


def main(folder: Path) -> int:
    """Check every program, and return the exit code. Without npm, it is 0, or 1 in CI."""
    npm = shutil.which("npm")
    if npm is None:
        print(f"\n{NO_NPM}\n")
        return 1 if os.environ.get("CI") else 0
    installed(folder, npm)
    types = folder / "data.d.ts"
    types.write_text(f"declare namespace Data {{\n{''.join(interfaces())}}}\n", encoding="utf-8")
    configured = []
    for name, (libraries, scripts) in PROGRAMS.items():
        own = [str(one) for one in scripts if "assets" not in one.parts]
        files = [*own, str(types), *map(str, sorted(HERE.glob("*.d.ts")))]
        path = folder / f"{name}.json"
        options = {**OPTIONS, "lib": libraries, "tsBuildInfoFile": str(folder / f"{name}.tsbuildinfo")}
        path.write_text(json.dumps({"compilerOptions": options, "files": files}), encoding="utf-8")
        configured.append(str(path))
    # one process reads the types of the browser once for all programs
    compiler = folder / "node_modules" / ".bin" / "tsc"
    return subprocess.run([compiler, "--build", *configured], check=False).returncode


def installed(folder: Path, npm: str) -> None:
    """Install the compiler of the lock file, unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("package.json", "package-lock.json")
    if all((folder / name).is_file() and (folder / name).read_bytes() == (HERE / name).read_bytes() for name in names):
        return
    for name in reversed(names):
        shutil.copy(HERE / name, folder)
    try:
        subprocess.run([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
    except BaseException:
        (folder / names[0]).unlink()  # so that the next run tries again
        raise


def interfaces() -> Iterator[str]:
    """Yield an interface of the namespace `Data` for each class of the data, with all fields.

    Python writes also those that have a default.
    """
    classes = [replay.ReplayPage, InterpreterAnswers, Stored, SiteCourse]
    _, schemas = msgspec.json.schema_components(classes, ref_template="{name}")
    for name, schema in schemas.items():
        fields = "".join(f"    {field}: {written(one)};\n" for field, one in schema["properties"].items())
        yield f"  interface {name} {{\n{fields}  }}\n"


def written(schema: Mapping[str, Any]) -> str:
    """Return the type of a JSON Schema."""
    if "$ref" in schema:
        return str(schema["$ref"])
    if "anyOf" in schema:
        return " | ".join(map(written, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    match schema["type"]:
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(map(written, schema['prefixItems']))}]"
        case "array":
            return f"({written(schema['items'])})[]"
        case "object":
            return f"Record<string, {written(schema['additionalProperties'])}>"
        case "integer":
            return "number"
        case kind:
            return str(kind)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
