"""Keep what `grade` says of every known program, and show what a change of the code changed in it.

    python tests/tools/golden.py make       # grade all programs and keep the results in build/golden/
    python tests/tools/golden.py compare    # grade all programs again and print what differs

The programs are those of benchmarks/verdicts.py and the rows of tests/verdict/diagnosis/faults.yaml. For each
program, these are kept, without times: the page of `grade` at 80 columns, the page of `grade --all --instructor` at
110 columns, and the report of the second run. `--only TEXT` takes the programs with TEXT in their names. `compare`
exits with 1 if anything differs. Both take some minutes on two cores; make the golden copies before you begin, commit
nothing of them.
"""

import argparse
import difflib
import json
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "verdicts"), str(ROOT / "tests" / "support")]

import table  # noqa: E402

from grader.cli.main import main as grade  # noqa: E402
from grader.verdict.diagnosis import Edit, anywhere, apply_edits  # noqa: E402

KEPT = ROOT / "build" / "golden"
_RUNS = {"page": (80, ()), "all": (110, ("--all", "--instructor"))}
_VARYING = re.compile(r'"(duration_s|graded_at|hash)": *("[^"]*"|[0-9.e-]+)')  # `hash` follows every file of the course


def programs() -> Iterator[tuple[str, str, str]]:
    """Yield the name, the exercise file's name and the text of every program."""
    for kind in (table.engines, table.variants, table.wrong_variants, table.misconceptions):
        for entry in kind():
            yield f"{entry.kind}/{entry}".replace(" ", "_"), f"{entry.stem}.py", entry.text
    files = {exercise.id: exercise.filename for exercise in table.exercises()}
    for row in yaml.safe_load((ROOT / "tests/verdict/diagnosis/faults.yaml").read_text(encoding="utf-8")):
        of = row["of"]
        base = table.SOLUTIONS / files[of] if of in files else table.ENGINES / f"{of}.py"
        edits = [Edit(edit["old"], edit["new"]) for edit in row["edits"]]
        text = apply_edits(base.read_text(encoding="utf-8"), edits, anywhere)
        yield f"fault/{of}/{row['id']}".replace(" ", "_"), files.get(of, f"{table.ENGINE}.py"), text


def graded(filename: str, text: str) -> str:
    """Return the pages and the report of a program as one text. A run that ends with a traceback is part of it."""
    parts = []
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        folder = Path(name)
        (folder / filename).write_text(text, encoding="utf-8")
        for kind, (columns, flags) in _RUNS.items():
            report = folder / f"{kind}.json"
            arguments = [filename[:2], "--course", str(ROOT), "--from", ".", "--report", report.name, *flags]
            output = folder / f"{kind}.txt"
            code = _in_child(partial(_run, arguments, folder, columns, output))
            parts.append(f"== {kind}, exit code {code}\n{output.read_text(encoding='utf-8', errors='replace')}")
        parts.append("== report\n" + (_plain(report) if report.exists() else ""))
    return "\n".join(parts).replace(name, "FOLDER").replace(str(ROOT), "COURSE")


def _plain(report: Path) -> str:
    return _VARYING.sub(r'"\1": null', json.dumps(json.loads(report.read_bytes()), indent=1, ensure_ascii=False))


def _run(arguments: Sequence[str], folder: Path, columns: int, output: Path) -> int:
    """Run `grade` in this process, in a folder, with both outputs in a file."""
    os.chdir(folder)
    target = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(target, 1)
    os.dup2(target, 2)
    os.environ |= {"COLUMNS": str(columns), "NO_COLOR": "1", "HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    sys.argv = ["grade", *arguments]
    return grade()


def _in_child(action: Callable[[], int]) -> int:
    """Return the exit code of an action that runs in a forked child."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 70
    try:
        code = action()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _all(chosen: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Grade programs, one process for each core. Return the texts by name."""
    lanes = len(os.sched_getaffinity(0))

    def lane(start: int) -> dict[str, str]:
        with tempfile.NamedTemporaryFile(prefix="golden-", suffix=".json") as file:
            _in_child(lambda: _write(Path(file.name), chosen[start::lanes]))
            found: dict[str, str] = json.loads(Path(file.name).read_text(encoding="utf-8"))
            return found

    with ThreadPoolExecutor(lanes) as threads:
        return {name: text for part in threads.map(lane, range(lanes)) for name, text in part.items()}


def _write(file: Path, chosen: Sequence[tuple[str, str, str]]) -> int:
    file.write_text(json.dumps({name: graded(filename, text) for name, filename, text in chosen}), encoding="utf-8")
    return 0


def make(chosen: Sequence[tuple[str, str, str]]) -> int:
    KEPT.mkdir(parents=True, exist_ok=True)
    texts = _all(chosen)
    (KEPT / "texts.json").write_text(json.dumps(texts, indent=0), encoding="utf-8")
    whole = sha256(json.dumps(sorted(texts.items())).encode()).hexdigest()[:16]
    print(f"{len(texts)} programs kept in {KEPT.relative_to(ROOT)}, digest {whole}")
    return 0


def compare(chosen: Sequence[tuple[str, str, str]]) -> int:
    if not (KEPT / "texts.json").exists():
        sys.exit("no golden copies: run `python tests/tools/golden.py make` on the code before the change")
    golden: dict[str, Any] = json.loads((KEPT / "texts.json").read_text(encoding="utf-8"))
    texts = _all(chosen)
    changed = [name for name in texts if texts[name] != golden.get(name)]
    for name in changed:
        lines = (golden.get(name, "").splitlines(), texts[name].splitlines())
        print(*difflib.unified_diff(*lines, f"{name} before", f"{name} now", n=2, lineterm=""), sep="\n")
    print(f"{len(texts)} programs, {len(changed)} differ" + "".join(f"\n  {name}" for name in changed))
    return 1 if changed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("action", choices=["make", "compare"])
    parser.add_argument("--only", default="", metavar="TEXT", help="only programs with TEXT in their names")
    options = parser.parse_args()
    chosen = [one for one in programs() if options.only in one[0]]
    return make(chosen) if options.action == "make" else compare(chosen)


if __name__ == "__main__":
    raise SystemExit(main())
