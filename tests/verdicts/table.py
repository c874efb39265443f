"""The table of verdicts: everything whose verdict is known beforehand, and the means to grade all of it.

Used by the tests beside it (through conftest.py) and by benchmarks/verdicts.py. Run as a script it grades what
it reads from standard input: so grading happens in fresh processes, each with a memory layout of its own.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from grader.base.files import write_atomically
from grader.course.load import Exercise, load_course
from grader.course.oracle.answer_book import read_book
from grader.verdict.diagnosis import anywhere, in_solution, read_misconceptions

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from edited_texts import Text, bases_of, edited_texts, listing, texts  # noqa: E402
from many_graded import grader_of, process_per_batch, results  # noqa: E402

FIXTURES = ROOT / "tests" / "fixtures"
ENGINES, VARIANTS = FIXTURES / "engines", FIXTURES / "right"
SOLUTIONS = ROOT / "solutions"

ENGINE = "12_engine"
NO_PASS = frozenset({"local_rules", "backward_pass"})

# Right engines that are refused the checks in NO_PASS, and why.
KEEPS_NO_RULES = {
    "gradients_in_a_dict": "works every gradient out in a dict inside backward(), and reads none that stands on a node",
}

# Mistakes that cost bonus alone, and why.
BONUS_ONLY = {
    "06_build_topo/recursion": "too deep for a chain of 100,000",
    "06_build_topo/visited_when_appending": "exponential in the number of stacked diamonds",
    **dict.fromkeys(
        (
            *("13_descend/no_bias", "13_descend/no_tanh", "13_descend/layers_read_the_inputs"),
            *("13_descend/layers_as_wide_as_the_inputs", "13_descend/bias_is_no_parameter"),
            *("13_descend/lists_of_parameters", "13_descend/first_layer_alone"),
        ),
        "the classes of a network are a bonus",
    ),
}

RIGHT_ENGINE, WRONG_ENGINE, NO_PASS_ENGINE = "right engine", "wrong engine", "right numbers, no backward pass"
RIGHT_VARIANT, WRONG_VARIANT = "right variant of an exercise", "wrong variant of an exercise"
MISCONCEPTION = "misconception of an exercise"
KINDS = (RIGHT_ENGINE, WRONG_ENGINE, NO_PASS_ENGINE, RIGHT_VARIANT, WRONG_VARIANT, MISCONCEPTION)

# each run of the tests grades one of this many of an exercise's programs of a kind; a long run grades the others, too
ONE_OF = {
    RIGHT_ENGINE: 32,
    WRONG_ENGINE: 96,
    NO_PASS_ENGINE: 1,
    RIGHT_VARIANT: 32,
    WRONG_VARIANT: 48,
    MISCONCEPTION: 72,
}
# of these exercises, one of twice as many: a file takes the grader as long as ten others, or has further tests
COSTLY = ("14_gradcheck", "17_names")
MANY = 40  # submissions, which two processes grade


@dataclass(frozen=True)
class Entry:
    """One program text with a known verdict; `kind` is one of `KINDS`, `stem` names the exercise (`01_distribute`)."""

    kind: str
    stem: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.stem}/{self.name}"

    @property
    def bonus_only(self) -> bool:
        return self.kind == MISCONCEPTION and str(self) in BONUS_ONLY

    @property
    def to_lose(self) -> frozenset[str] | None:
        """The checks, bonus aside, that it has to lose, and no others; None stands for one or more of any."""
        if self.kind == NO_PASS_ENGINE or (self.kind == RIGHT_ENGINE and self.name in KEEPS_NO_RULES):
            return NO_PASS
        return frozenset() if self.kind in (RIGHT_ENGINE, RIGHT_VARIANT) or self.bonus_only else None


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
        return self._lost(bonus=False)

    @property
    def lost_bonus(self) -> frozenset[str]:
        """The bonus checks that did not pass."""
        return self._lost(bonus=True)

    def _lost(self, bonus: bool) -> frozenset[str]:
        checks = [check for check in self.result["checks"] if check["bonus"] == bonus]
        return frozenset(check["id"] for check in checks if check["status"] != "passed")

    @property
    def wrongly_refused(self) -> bool:
        """Whether a check was lost that should not have been (differences are not exact: they may lose any)."""
        if self.entry.kind == NO_PASS_ENGINE:
            return False
        return self.entry.to_lose is not None and bool(self.lost - self.entry.to_lose)

    @property
    def wrongly_accepted(self) -> bool:
        """Whether all was well with something that is not, or with a check that should have been lost."""
        if self.entry.to_lose is None or self.entry.bonus_only:
            return not (self.lost or self.lost_bonus)
        return bool(self.entry.to_lose - self.lost)

    def explain(self) -> dict[str, str]:
        """What the checks that did not pass have to say."""
        missed = (check for check in self.result["checks"] if check["status"] != "passed")
        return {c["id"]: f"{c['status']}: {c.get('message', '')} {c.get('program', '')}" for c in missed}


def told(verdicts: Iterable[Verdict]) -> dict[str, dict[str, str]]:
    """What each verdict says, by entry. Prints their programs, for whoever reads why a test failed."""
    listed = list(verdicts)
    if listed:
        print(listing(Text(str(verdict.entry), verdict.entry.text) for verdict in listed))
    return {str(verdict.entry): verdict.explain() for verdict in listed}


# -- what is graded -------------------------------------------------------------------------------


def engines() -> list[Entry]:
    """Every engine of tests/fixtures/engines. Raises `CourseError` for an edit that does not match once."""
    base = (ENGINES / "base.py").read_text(encoding="utf-8")
    right = [*texts(ENGINES / "right"), *edited_texts(ENGINES / "right.yaml", {"base": base})]
    wrong = [*edited_texts(ENGINES / "wrong.yaml", {"base": base}), *texts(ENGINES / "wrong")]
    shapes, twins = shapes_and_twins()
    right, wrong = right + shapes, wrong + twins
    entries = [Entry(RIGHT_ENGINE, ENGINE, "base", base)]
    entries += [_entry(RIGHT_ENGINE, ENGINE, one) for one in right]
    for one in wrong:
        numbers_only = one.text.startswith('"""Right numbers, no backward pass')
        entries.append(_entry(NO_PASS_ENGINE if numbers_only else WRONG_ENGINE, ENGINE, one))
    return entries


def sample(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that are graded in each run of the tests: some of each kind for each exercise.

    They include the base, what has a verdict of its own, and of each other group the first entry and every n-th one.
    """
    met: Counter[tuple[str, str]] = Counter()
    chosen = []
    for entry in entries:
        group = entry.kind, entry.stem
        one_of = ONE_OF[entry.kind] * (2 if entry.stem in COSTLY else 1)
        if met[group] % one_of == 0 or entry.name in KEEPS_NO_RULES or entry.bonus_only:
            chosen.append(entry)
        met[group] += 1
    return chosen


def shapes_and_twins() -> tuple[list[Text], list[Text]]:
    """Right engines, each of another shape, and wrong ones: an edit of each of them. Raises `CourseError`."""
    folder = ENGINES / "shapes"
    right = edited_texts(folder / "right.yaml", bases_of(folder))
    return right, edited_texts(folder / "wrong.yaml", {one.name: one.text for one in right})


def exercises() -> tuple[Exercise, ...]:
    return load_course(ROOT).exercises


def variants() -> list[Entry]:
    """The solution of every exercise, and every other right way to do it in tests/fixtures/right."""
    entries = []
    for stem in [exercise.stem for exercise in exercises()]:
        entries.append(Entry(RIGHT_VARIANT, stem, "solution", _solution(stem)))
        entries += [_entry(RIGHT_VARIANT, stem, one) for one in texts(VARIANTS / stem)]
    return entries


def wrong_variants() -> list[Entry]:
    """Every edit of a solution in tests/fixtures/wrong.yaml. Raises `CourseError` for one that does not match once."""
    solutions = {exercise.stem: _solution(exercise.stem) for exercise in exercises()}
    wrong = edited_texts(FIXTURES / "wrong.yaml", solutions, where=_in_solution_or_file)
    return [_entry(WRONG_VARIANT, one.base, one) for one in wrong]


def _in_solution_or_file(text: str, within: str | None) -> list[tuple[int, int]]:
    """The solution regions, those of one function, or with `in: file` the whole text."""
    return anywhere(text, None) if within == "file" else in_solution(text, within)


def misconceptions() -> list[Entry]:
    """Every misconception of every exercise, as the solution that has it. Raises `CourseError`."""
    entries = []
    for exercise in exercises():
        path = SOLUTIONS / f"{exercise.stem}.mistakes.yaml"
        solution = (SOLUTIONS / exercise.filename).read_text(encoding="utf-8")
        found = read_misconceptions(path, solution, len(exercise.hints))
        entries += [Entry(MISCONCEPTION, exercise.stem, one.id, one.source) for one in found]
    return entries


def _entry(kind: str, stem: str, one: Text) -> Entry:
    return Entry(kind, stem, one.name, one.text)


def _solution(stem: str) -> str:
    return (SOLUTIONS / f"{stem}.py").read_text(encoding="utf-8")


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
    return replace(entry, text=entry.text + "\n".join(junk))


# -- grading --------------------------------------------------------------------------------------


def grade_all(
    entries: Iterable[Entry],
    *,
    memo: Path,
    seed: str | None = None,
    hash_seed: int | None = None,
    book: Path | None = None,
    apart: bool = False,
    kept: Path | None = None,
) -> list[Verdict]:
    """Grade every entry, in a fresh process, or many in two; verdicts come in the order of the entries.

    Entries of different exercises are graded together, as one submission of several files. `seed` is what fresh
    programs are drawn from (None: the course's own), `hash_seed` the processes' own PYTHONHASHSEED, `book` another
    answer book than the course's. With `apart`, each batch runs in a process of its own. `kept` is a folder for
    results. An entry that has a result there under this seed is not graded again. It allows none of the other settings.
    """
    if kept is not None:
        assert (hash_seed, book, apart) == (None, None, False)
        return _kept_verdicts(list(entries), memo, seed, kept)
    listed = list(entries)
    submissions: list[dict[str, int]] = []
    met: Counter[str] = Counter()
    for place, entry in enumerate(listed):
        if met[entry.stem] == len(submissions):
            submissions.append({})
        submissions[met[entry.stem]][entry.stem] = place
        met[entry.stem] += 1
    processes = 1 if len(submissions) < MANY else 2
    jobs = [
        {
            "book": str(book or load_course(ROOT).book),
            "memo": str(memo),
            "seed": seed,
            "apart": apart,
            "submissions": [
                {stem: listed[i].text for stem, i in files.items()} for files in submissions[start::processes]
            ],
        }
        for start in range(processes)
    ]
    with ThreadPoolExecutor(len(jobs)) as threads:
        answers = list(threads.map(_in_a_process, jobs, [hash_seed] * len(jobs)))
    results: dict[int, Any] = {}
    for number, files in enumerate(submissions):
        answer = answers[number % processes][number // processes]
        results |= {place: answer[stem] for stem, place in files.items()}
    return [Verdict(entry, results[place]) for place, entry in enumerate(listed)]


def _kept_verdicts(entries: list[Entry], memo: Path, seed: str | None, kept: Path) -> list[Verdict]:
    """Return the verdicts on entries. Grade those whose results are not in a folder, and keep them there."""
    kept.mkdir(exist_ok=True)
    names = [hashlib.sha256("\0".join([seed or "", one.stem, one.text]).encode()).hexdigest() for one in entries]
    missing = {name: one for name, one in zip(names, entries, strict=True) if not (kept / name).exists()}
    for name, verdict in zip(missing, grade_all(missing.values(), memo=memo, seed=seed), strict=True):
        write_atomically(kept / name, json.dumps(verdict.result).encode())
    return [Verdict(one, json.loads((kept / name).read_bytes())) for name, one in zip(names, entries, strict=True)]


def _in_a_process(job: Mapping[str, Any], hash_seed: int | None) -> list[dict[str, Any]]:
    environment = {**os.environ, "PYTHONHASHSEED": "random" if hash_seed is None else str(hash_seed)}
    command = [sys.executable, __file__]
    done = subprocess.run(
        command, input=json.dumps(job), stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    answer: list[dict[str, Any]] = json.loads(done.stdout)
    return answer


def _grade_job(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The result of each exercise of each submission, without what differs from run to run."""
    course = load_course(ROOT)
    with grader_of(course, read_book(Path(job["book"])), Path(job["memo"]), job["seed"] or course.seed) as grader:
        if job["apart"]:
            grader = msgspec.structs.replace(grader, process=process_per_batch)
        return [results(grader, texts) for texts in job["submissions"]]


if __name__ == "__main__":
    json.dump(_grade_job(json.load(sys.stdin)), sys.stdout)
