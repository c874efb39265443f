"""The table of verdicts: everything whose verdict is known beforehand, and the means to grade all of it.

Used by the tests beside it (through conftest.py) and by benchmarks/verdicts.py. Run as a script it grades what
it reads from standard input: grading happens in fresh processes, so that a memory layout of their own is theirs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import yaml

from grader.course import Course, load_course
from grader.grading import grade
from grader.oracle import AnswerBook, read_book

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ROOT / "tests" / "fixtures" / "engines"
VARIANTS = ROOT / "tests" / "fixtures" / "right"
SOLUTIONS = ROOT / "solutions"

ENGINE = "12_engine"
NO_PASS = frozenset({"local_rules", "backward_pass"})

# Right engines that are refused some points, and why.
KEEPS_NO_RULES = {"slots_engine": "works out every local rule inside backward() and keeps none of them on its nodes"}

# Mistakes after which every answer is right: they cost bonus alone.
BONUS_ONLY = {
    ("06_build_topo", "recursion"): "right, but too deep for a chain of 100,000",
    ("06_build_topo", "visited_when_appending"): "right, but exponential in the number of stacked diamonds",
}

_REGION = re.compile(r"^ *# BEGIN SOLUTION.*\n(?P<body>(?:.*\n)*?) *# END SOLUTION", re.MULTILINE)
_BLOCK = re.compile(r"^(?P<indent> *)(?P<word>def|class) (?P<name>\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """One program text with a known verdict; `kind` is one of `KINDS`, `stem` names the exercise (`01_distribute`)."""

    kind: str
    stem: str
    name: str
    text: str

    @property
    def exercise(self) -> str:
        return self.stem.partition("_")[2]

    def __str__(self) -> str:
        return f"{self.stem}/{self.name}"


RIGHT_ENGINE, WRONG_ENGINE, NO_PASS_ENGINE = "right engine", "wrong engine", "right numbers, no backward pass"
RIGHT_VARIANT, MISCONCEPTION = "right variant of an exercise", "misconception of an exercise"
KINDS = (RIGHT_ENGINE, WRONG_ENGINE, NO_PASS_ENGINE, RIGHT_VARIANT, MISCONCEPTION)


@dataclass(frozen=True)
class Verdict:
    """What grading gave for an entry: its exercise's part of the report, without durations."""

    entry: Entry
    result: Mapping[str, Any]

    @property
    def points(self) -> dict[str, int]:
        return {check["id"]: check["score"] for check in self.result["checks"]}

    @property
    def lost(self) -> frozenset[str]:
        """The checks, bonus aside, that did not pass."""
        return frozenset(c["id"] for c in self.result["checks"] if c["score"] < c["max_score"] and not c["bonus"])

    @property
    def lost_bonus(self) -> frozenset[str]:
        return frozenset(c["id"] for c in self.result["checks"] if c["score"] < c["max_score"] and c["bonus"])

    def explain(self) -> dict[str, str]:
        """What the checks that did not pass have to say."""
        missed = (check for check in self.result["checks"] if check["score"] < check["max_score"])
        return {c["id"]: f"{c['status']}: {c.get('message', '')} {c.get('program', '')}" for c in missed}

    @property
    def wrongly_refused(self) -> bool:
        """Whether points were taken for something that is right."""
        match self.entry.kind:
            case k if k in (RIGHT_ENGINE, RIGHT_VARIANT):
                return bool(self.lost - (NO_PASS if self.entry.name in KEEPS_NO_RULES else frozenset()))
            case k if k == NO_PASS_ENGINE:
                return bool(self.lost - NO_PASS)
            case _:
                return (self.entry.stem, self.entry.name) in BONUS_ONLY and bool(self.lost)

    @property
    def wrongly_accepted(self) -> bool:
        """Whether something wrong kept all its points."""
        match self.entry.kind:
            case k if k in (RIGHT_ENGINE, RIGHT_VARIANT):
                return self.entry.name in KEEPS_NO_RULES and not self.lost >= NO_PASS
            case k if k == NO_PASS_ENGINE:
                return not self.lost >= NO_PASS
            case _:
                return not self.lost and not self.lost_bonus


# -- what is graded -------------------------------------------------------------------------------


def engines() -> list[Entry]:
    """Every engine of tests/fixtures/engines."""
    base = (ENGINES / "base.py").read_text(encoding="utf-8")
    entries = [Entry(RIGHT_ENGINE, ENGINE, "base", base)]
    entries += [_file(RIGHT_ENGINE, ENGINE, path) for path in sorted((ENGINES / "right").glob("*.py"))]
    for wrong in yaml.safe_load((ENGINES / "wrong.yaml").read_text(encoding="utf-8")):
        text = base
        for edit in wrong["edits"]:
            text = _replace(text, edit["old"], edit["new"], wrong["id"])
        entries.append(Entry(WRONG_ENGINE, ENGINE, wrong["id"], text))
    for path in sorted((ENGINES / "wrong").glob("*.py")):
        entry = _file(WRONG_ENGINE, ENGINE, path)
        if entry.text.startswith('"""Right numbers, no backward pass'):
            entry = Entry(NO_PASS_ENGINE, entry.stem, entry.name, entry.text)
        entries.append(entry)
    return entries


def variants() -> list[Entry]:
    """Every other right way to do an exercise, in tests/fixtures/right, and the solutions."""
    folders = sorted(path for path in VARIANTS.iterdir() if path.is_dir())
    entries = [_file(RIGHT_VARIANT, folder.name, path) for folder in folders for path in sorted(folder.glob("*.py"))]
    return entries + [_file(RIGHT_VARIANT, path.stem, path, "solution") for path in sorted(SOLUTIONS.glob("*.py"))]


def mistakes() -> dict[str, list[dict[str, Any]]]:
    """The content of every solutions/NN_name.mistakes.yaml, by `NN_name`."""
    files = sorted(SOLUTIONS.glob("*.mistakes.yaml"))
    return {
        path.name.removesuffix(".mistakes.yaml"): yaml.safe_load(path.read_text(encoding="utf-8")) for path in files
    }


def misconceptions() -> list[Entry]:
    """Every misconception of every exercise, as the solution that has it."""
    return [
        Entry(MISCONCEPTION, stem, mistake["id"], with_mistake(stem, mistake))
        for stem, listed in mistakes().items()
        for mistake in listed
    ]


def with_mistake(stem: str, mistake: Mapping[str, Any]) -> str:
    """The solution of `stem` with the edits of a mistake made. Raises `ValueError` unless each matches once."""
    text = (SOLUTIONS / f"{stem}.py").read_text(encoding="utf-8")
    for edit in mistake["edits"]:
        what = f"{stem}, {mistake['id']}"
        start, end = _region(text, edit, what)
        text = text[:start] + _replace(text[start:end], edit["old"], edit["new"], what) + text[end:]
    return text


def _region(text: str, edit: Mapping[str, Any], what: str) -> tuple[int, int]:
    """Where the solution region is that an edit means."""
    regions = {_function_around(text, match.start()): match.span("body") for match in _REGION.finditer(text)}
    if "in" not in edit and len(regions) > 1:
        raise ValueError(f"{what}: `in` has to name one of {', '.join(regions)}")
    name = edit.get("in", next(iter(regions)))
    if name not in regions:
        raise ValueError(f"{what}: no solution region stands in {name}")
    return regions[name]


def _function_around(text: str, position: int) -> str:
    """The name of the outermost function that a region stands in: of `__mul__`, not of the `_backward` within."""
    marker = text[position:].splitlines()[0]
    width = len(marker) - len(marker.lstrip())
    name = ""
    for block in reversed(list(_BLOCK.finditer(text, 0, position))):
        if len(block["indent"]) < width:
            width, name = len(block["indent"]), block["name"] if block["word"] == "def" else name
    return name


def _replace(text: str, old: str, new: str, what: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"{what}: {old!r} stands there {text.count(old)} times")
    return text.replace(old, new)


def _file(kind: str, stem: str, path: Path, name: str | None = None) -> Entry:
    return Entry(kind, stem, name or path.stem, path.read_text(encoding="utf-8"))


def relaid(entry: Entry, layout: int) -> Entry:
    """The same program with other things in memory before it runs and unused lines below it; 0 leaves it alone."""
    if layout == 0:
        return entry
    junk = [
        "",
        *(f"# an unused line, number {i}" for i in range(layout % 7)),
        f"_junk = [bytes(size) for size in range(16, 2000, {1 + layout % 13})]",
        f"_junk += [[None] * (size % 61) for size in range({37 * layout % 4001})]",
        f"_junk += [{{str(i): i}} for i in range({101 * layout % 997})]",
        f"del _junk[::{2 + layout % 3}]",
        f"def _unused_{layout}(argument={layout}):",
        f"    return [argument] * {layout}",
        "",
    ]
    return Entry(entry.kind, entry.stem, entry.name, entry.text + "\n".join(junk))


# -- grading --------------------------------------------------------------------------------------


def grade_all(
    entries: Iterable[Entry], *, memo: Path, seed: str | None = None, hash_seed: int | None = None
) -> list[Verdict]:
    """Grade every entry, in two fresh processes; verdicts come in the order of the entries.

    Entries of different exercises are graded together, as one submission of several files.
    """
    listed = list(entries)
    batches: dict[int, list[int]] = {}
    met: Counter[str] = Counter()
    for place, entry in enumerate(listed):
        batches.setdefault(met[entry.stem], []).append(place)
        met[entry.stem] += 1
    shares = [list(batches.values())[start::2] for start in (0, 1)]
    jobs = [
        {
            "memo": str(memo),
            "seed": seed,
            "batches": [{listed[i].stem: listed[i].text for i in batch} for batch in share],
        }
        for share in shares
    ]
    with ThreadPoolExecutor(len(jobs)) as threads:
        answers = threads.map(_in_a_process, jobs, [hash_seed] * len(jobs))
    results: dict[int, Any] = {}
    for share, answer in zip(shares, answers, strict=True):
        for batch, result in zip(share, answer, strict=True):
            results |= {place: result[listed[place].stem] for place in batch}
    return [Verdict(entry, results[place]) for place, entry in enumerate(listed)]


def _in_a_process(job: Mapping[str, Any], hash_seed: int | None) -> list[dict[str, Any]]:
    environment = {**os.environ, "PYTHONHASHSEED": "random" if hash_seed is None else str(hash_seed)}
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(job),
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=True,
    )
    answer: list[dict[str, Any]] = json.loads(done.stdout)
    return answer


def _grade_job(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    course = load_course(ROOT)
    book = read_book(course.book)
    with tempfile.TemporaryDirectory() as folder:
        return [
            _grade_batch(course, book, batch, Path(folder), job["seed"] or course.seed, Path(job["memo"]))
            for batch in job["batches"]
        ]


def _grade_batch(
    course: Course, book: AnswerBook, batch: Mapping[str, str], folder: Path, seed: str, memo: Path
) -> dict[str, Any]:
    """The result of each exercise of one submission, without what differs from run to run."""
    files = {}
    for stem, text in batch.items():
        path = folder / f"{stem}.py"
        path.write_text(text, encoding="utf-8")
        files[stem.partition("_")[2]] = path
    report = msgspec.to_builtins(grade(course, book, files, seed=seed, memo=memo))
    results = {}
    for exercise in report["exercises"]:
        for check in exercise["checks"]:
            del check["duration_s"]
        del exercise["file"]
        results[f"{exercise['number']}_{exercise['id']}"] = exercise
    return results


if __name__ == "__main__":
    json.dump(_grade_job(json.load(sys.stdin)), sys.stdout)
