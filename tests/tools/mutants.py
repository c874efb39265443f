"""Change one operator at random in each of many copies of the grader, and count the copies that fail the fast tests.

Run as `python tests/tools/mutants.py [--count 200] [--seed 0] [--jobs 2] [--only cli]`. A changed copy is a mutant. It
is killed by the first of these that fails or runs out of time: the fast tests of the package's own folder in `tests/`,
mypy, or all fast tests. A mutant that none of them kills has survived, and shows what no fast test looks at.

Everything runs on copies. Where there is bubblewrap, a mutant can write to its copy alone, and sees only its own
processes: a changed condition might delete files or end processes.
"""

import argparse
import ast
import compileall
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from py_compile import PycInvalidationMode
from time import monotonic
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FAST = "not (slow or hostile or browser or cluster or exhaustive)"
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}
# fields whose contents are left alone: types, decorators and the arguments of a class
STILL = {"annotation", "returns", "decorator_list", "bases", "keywords", "slice", "type"}


@dataclass(frozen=True)
class Mutant:
    """A change of one place of a file: `old` at a byte offset becomes `new`."""

    path: Path
    line: int
    start: int
    old: str
    new: str

    @property
    def package(self) -> str:
        """The package of `grader/`, or the module, that the change is in."""
        return self.path.parts[1].removesuffix(".py")

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path}:{self.line}: {old[:100]}  ->  {new[:100]}"

    def apply(self, folder: Path) -> None:
        """Write the changed file."""
        source = (folder / self.path).read_bytes()
        end = self.start + len(self.old.encode())
        (folder / self.path).write_bytes(source[: self.start] + self.new.encode() + source[end:])


# -- changes --------------------------------------------------------------------------------------


def mutants(path: Path, source: bytes) -> Iterator[Mutant]:
    """Yield every change of a file that leaves a program."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, changed in changes(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        new = ast.unparse(ast.fix_missing_locations(changed))
        old = source[start:end].decode()
        yield Mutant(path, node.lineno, start, old, f"({new})" if isinstance(changed, ast.expr) else new)


def changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, ast.AST]]:
    """Yield nodes of a tree, each with a node that may take its place."""
    for name, value in ast.iter_fields(tree):
        for node in value if isinstance(value, list) else [value]:
            # the places of what is in an f-string are not known before Python 3.12
            if isinstance(node, ast.AST) and not isinstance(node, ast.JoinedStr):
                if name not in STILL or (name == "keywords" and isinstance(tree, ast.Call)):
                    yield from changes(node)
                if isinstance(node, ast.expr | ast.stmt) and name not in STILL:
                    yield from ((node, changed) for changed in variants(node))
                    if name == "test" and isinstance(node, ast.expr):  # a condition
                        yield node, ast.UnaryOp(ast.Not(), node)


def variants(node: ast.expr | ast.stmt) -> Iterator[ast.AST]:
    """Yield what may take a node's place."""
    other = copy(node)
    match other:
        case ast.Compare(ops=[op, *rest]):
            other.ops = [COMPARISONS[type(op)](), *rest]
            yield other
        case ast.BoolOp(op=op):
            other.op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield other
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            other.op = ARITHMETIC[type(op)]()
            yield other
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.IfExp(body=body, orelse=orelse):
            other.body, other.orelse = orelse, body
            yield other
        case ast.Call(args=parts) if pair := _alike(parts):
            other.args = pair
            yield other
        case ast.List(elts=parts, ctx=ast.Load()) | ast.Tuple(elts=parts, ctx=ast.Load()) if pair := _alike(parts):
            other.elts = pair
            yield other
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _alike(parts: Sequence[ast.expr]) -> list[ast.expr]:
    """Return the parts with the first two neighbours exchanged that are both names; nothing if there are none."""
    for place, (one, other) in enumerate(pairwise(parts)):
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(other, ast.Name | ast.Attribute):
            return [*parts[:place], other, one, *parts[place + 2 :]]
    return []


# -- tests ----------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A command that may kill a mutant."""

    name: str
    words: tuple[str, ...]


def steps(package: str, own_alone: bool) -> list[Step]:
    """Return what may kill a mutant of a package, the quickest first. With `own_alone`, there is only one such step."""
    pytest = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", FAST)
    own = [path for path in (f"tests/{package}", f"tests/test_{package}.py") if (ROOT / path).exists()]
    first = [Step("own tests", (*pytest, *own))] if own else []
    later = [Step("types", ("-m", "mypy")), Step("all fast tests", pytest)]
    return first if first and own_alone else [*first, *later]


def copied(folder: Path) -> Path:
    """Copy what the tests need of the repository, with mypy's cache."""
    names = shutil.ignore_patterns(".git", ".venv", "build", "dist", ".hypothesis", "__pycache__")
    return Path(shutil.copytree(ROOT, folder, ignore=names, symlinks=True))


def confined(folder: Path) -> list[str]:
    """Return the beginning of a command that may write to one folder alone; nothing where this cannot be had."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return []
    words = [bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--unshare-pid"]
    words += ["--die-with-parent", "--bind", str(folder), str(folder)]
    words += ["--cap-add", "ALL"] if os.geteuid() == 0 else ["--unshare-user"]
    works = subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
    return words if works else []


class Lab:
    """A copy of the repository in which one mutant after another is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = copied(folder)
        self.prefix = confined(folder)
        self.log = folder.with_suffix(".log")
        # a changed file of the same size and second has to be compiled again, and no other
        compileall.compile_dir(folder / "grader", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)

    def passes(self, words: Sequence[str], limit_s: float, cache: bool = False) -> bool:
        """Run Python with some words in the copy, and return whether it succeeds in time.

        With `cache`, the compiled tests are kept for the next runs.
        """
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "" if cache else "1"}
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                [*self.prefix, sys.executable, *words],
                cwd=self.folder,
                env={**environment, "BACKWARD_CACHE": str(self.folder / ".cache")},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                return process.wait(limit_s) in (0, 5)  # 5: there is no fast test
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                return False

    def killer(self, mutant: Mutant, limits_s: Mapping[Step, float]) -> str | None:
        """Return which of the steps with limits kills a mutant; None if it survives."""
        before = (self.folder / mutant.path).read_bytes()
        mutant.apply(self.folder)
        try:
            for step, limit_s in limits_s.items():
                if not self.passes(step.words, limit_s):
                    return step.name
            return None
        finally:
            (self.folder / mutant.path).write_bytes(before)


def chosen(count: int, seed: int, only: Sequence[str]) -> list[Mutant]:
    """Return mutants at random."""
    everything = [
        mutant
        for path in sorted((ROOT / "grader").rglob("*.py"))
        for mutant in mutants(path.relative_to(ROOT), path.read_bytes())
        if not only or mutant.package in only
    ]
    print(f"{len(everything)} changes are possible", flush=True)
    return random.Random(seed).sample(everything, min(count, len(everything)))


def main() -> None:
    parser = argparse.ArgumentParser(description="How many changes of one operator the fast tests notice.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[], metavar="PACKAGE")
    parser.add_argument("--own", action="store_true", help="only run the tests of the package's own folder")
    parser.add_argument("--list", action="store_true", help="print the changes, and run nothing")
    given = parser.parse_args()
    picked = chosen(given.count, given.seed, given.only)
    if given.list:
        print(*picked, sep="\n")
        return

    with tempfile.TemporaryDirectory(prefix="backward-mutants-", dir="/var/tmp") as temporary:
        labs: queue.SimpleQueue[Lab] = queue.SimpleQueue()
        for number in range(given.jobs):
            labs.put(Lab(Path(temporary) / str(number)))

        def time(step: Step) -> float:
            """Run a step without a change, and return the time that a mutant may take."""
            lab, begun = labs.get(), monotonic()
            passed = any(lab.passes(step.words, 1800, cache=True) for _ in range(2))  # a busy machine may fail one
            assert passed, f"{step.name} fail without a change:\n{lab.log.read_text(errors='replace')[-4000:]}"
            labs.put(lab)
            return 10 + 4 * (monotonic() - begun)

        def test(mutant: Mutant) -> str | None:
            lab = labs.get()
            killer = lab.killer(mutant, {step: limits_s[step] for step in steps(mutant.package, given.own)})
            labs.put(lab)
            print(f"{killer or 'SURVIVED':15} {mutant}", flush=True)
            return killer

        with ThreadPoolExecutor(given.jobs) as threads:
            every = list({step: None for mutant in picked for step in steps(mutant.package, given.own)})
            limits_s = dict(zip(every, threads.map(time, every), strict=True))
            killers = list(threads.map(test, picked))
    report(picked, killers)


def report(picked: Sequence[Mutant], killers: Sequence[str | None]) -> None:
    """Print a line for each package, and each survivor."""
    rows: dict[str, list[str | None]] = defaultdict(list)
    for mutant, killer in zip(picked, killers, strict=True):
        rows[mutant.package].append(killer)
    rows["all"] = list(killers)
    print(f"\n{'package':14} mutants  own tests  types  all fast tests  killed")
    for package, row in sorted(rows.items(), key=lambda row: (row[0] == "all", row[0])):
        own, types, fast = (row.count(name) for name in ("own tests", "types", "all fast tests"))
        print(f"{package:14} {len(row):7}  {own:9}  {types:5}  {fast:14}  {(own + types + fast) / len(row):6.0%}")
    print("\nsurvivors:")
    print(*(f"  {mutant}" for mutant, killer in zip(picked, killers, strict=True) if killer is None), sep="\n")


if __name__ == "__main__":
    main()
