"""Grades hostile files one after another in one tier, and says of each what it did besides.

A process of its own, started by harness.py, since an attack that works may kill it. Reads a job from standard input
and writes a line of JSON for whatever happens. Needs Linux; imports nothing of the tests, so that another user's
interpreter can run it.
"""

import contextlib
import ctypes
import json
import os
import re
import shutil
import socket
import sys
import sysconfig
import textwrap
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.course.load import load_course
from grader.course.oracle import Oracle
from grader.course.oracle.answer_book import read_book
from grader.runner import sandbox
from grader.runner.client import EngineProcess, Loaded, Source, decode_source, read_exercise
from grader.runner.sandbox import IsolationError, Started, WorkerGone
from grader.verdict import grading
from grader.verdict.checks.session import CheckSession
from grader.verdict.report import for_learner, to_json
from grader.verdict.terminal import render

ROOT = Path(__file__).resolve().parents[2]
LIMITS = "limits: {calls: 200_000, cpu_s: 0.2, memory_mb: 256, output_kb: 16}"
TOKEN = "MARKER-6f2c1e"
# The checks of a file that is graded after each attack, and whether they pass. One file shows that what is right gets
# its points and what is wrong gets none.
CONTROL = {"other_value": True, "upstream": False}
_EFFECT = re.compile(r"^EFFECT (.+)$", re.MULTILINE)
_ASKS = re.compile(r"^batch = asked\(\)\n.*?(?=\n\n\nclass Value)", re.MULTILINE | re.DOTALL)
_MAKES_A_VALUE = re.compile(r"^    def __init__\(self, data.*\n", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SET_CHILD_SUBREAPER = 36

# what a placeholder in a file stands for that no source on disk should hold: it breaks other tools
SOURCES = {
    '"@deep@"': "-" * 3000 + "1",
    '"@nested@"': "[" + "(" * 100 + ")" * 100 + ", [" * 60,
    '"@long@"': " + ".join(["1"] * 10_000),
    '"@essay@"': "This is an essay about the chain rule, dear grader: please give me full marks.",
    '"@commands@"': "::error::pwned \x1b[31m\n##[error]pwned \u2028::error::pwned",
}


def striking(text: str) -> str:
    """A file that looks for what it is asked when it is imported, made to look whenever it makes a value, too.

    The first batch of a process comes after the import.
    """
    block = _ASKS.search(text)
    if block is None:
        return text
    strike = "def strike():\n" + textwrap.indent(block.group(), "    ") + "\n\n\nstrike()"
    return _MAKES_A_VALUE.sub(
        lambda made: f"{made.group()}        strike()\n", text.replace(block.group(), strike), count=1
    )


class World:
    """What hostile code could reach and must not: secrets, files open to everybody, sockets; watched."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.marker = f"hostile-{base.name}"
        self.folder = base / "world"
        self.private = base / "private"
        self.course = self.folder / "course"
        self.staged = self.folder / "staged"
        self.sockets: list[socket.socket] = []
        self.build()

    def build(self) -> None:
        for folder in (self.folder, self.private):
            shutil.rmtree(folder, ignore_errors=True)
        before = os.umask(0)
        self.private.mkdir(mode=0o700)
        self.folder.mkdir(mode=0o755)
        for name in ("secrets", "home", "drop", "drop/empty", "staged"):
            (self.folder / name).mkdir()
        for name in ("secrets/token.txt", "home/notes.txt", "drop/keep.txt", "report.json"):
            (self.folder / name).write_text(TOKEN)
        (self.staged / "someone_else.py").write_text(f"class Value: pass  # {TOKEN}")
        for name in ("exercises", "solutions", "tests/hidden"):
            shutil.copytree(ROOT / name, self.course / name, copy_function=shutil.copyfile)
        settings = (ROOT / "course.yaml").read_text(encoding="utf-8")
        (self.course / "course.yaml").write_text(re.sub(r"^limits:.*$", LIMITS, settings, flags=re.MULTILINE))
        os.umask(before)
        self._listen()

    def _listen(self) -> None:
        for old in self.sockets:
            old.close()
        tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        abstract, pathname = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(("127.0.0.1", 0))
        abstract.bind("\0" + self.marker)
        pathname.bind(str(self.folder / "drop" / "socket"))
        os.chmod(self.folder / "drop" / "socket", 0o777)
        self.sockets = [tcp, udp, abstract, pathname]
        for sock in self.sockets:
            sock.setblocking(False)

    def fill_in(self, text: str) -> str:
        """A hostile file with the addresses that it would have to find out, and striking where it can."""
        tcp, udp, *_ = self.sockets
        names = {
            "world": self.folder,
            "secrets": self.folder / "secrets",
            "home": self.folder / "home",
            "drop": self.folder / "drop",
            "staged": self.staged,
            "course": self.course,
            "root": ROOT,
            "site": sysconfig.get_path("purelib"),
            "marker": self.marker,
            "grader_pid": os.getpid(),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
        }
        for name, value in names.items():
            text = text.replace(f"@{name}@", str(value))
        for name, source in SOURCES.items():
            text = text.replace(name, source)
        return striking(text)

    def files(self) -> dict[str, Any]:
        """Every watched file as it is now."""
        found = {}
        for path in (*self._inside(self.folder), *self._strays()):
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                times = status.st_mtime_ns if not os.path.isdir(path) else 0
                found[str(path)] = (status.st_size, times, status.st_mode, status.st_uid, status.st_ino)
        return found

    def _inside(self, folder: Path) -> Iterator[str]:
        for entry in os.scandir(folder):
            yield entry.path
            if entry.is_dir(follow_symlinks=False):
                yield from self._inside(Path(entry.path))

    def _strays(self) -> Iterator[str]:
        """What bears our mark where it should not be."""
        standard, worker = os.path.dirname(os.__file__), ROOT / "grader" / "worker"
        places = ["/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/root", os.path.expanduser("~"), standard]
        places += [f"{standard}/site-packages", sysconfig.get_path("purelib")]
        places += [f"{worker}{part}{below}" for part in ("", "/confine", "/adapter") for below in ("", "/__pycache__")]
        for place in dict.fromkeys(places):
            with contextlib.suppress(OSError):
                yield from (e.path for e in os.scandir(place) if self.marker in e.name and e.path != str(self.base))

    def hits(self) -> int:
        """How often somebody reached one of the sockets since the last time."""
        count = 0
        for sock in self.sockets:
            with contextlib.suppress(OSError):
                while True:
                    if sock.type == socket.SOCK_STREAM:
                        sock.accept()[0].close()
                    else:
                        sock.recv(100)
                    count += 1
        return count

    def clean_up(self) -> None:
        for path in self._strays():
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        self.build()


def descendants(root: int) -> dict[int, str]:
    """The processes below one, and what state each is in."""
    parents: dict[int, tuple[int, str]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                status = Path("/proc", name, "stat").read_text(errors="replace").rpartition(")")[2].split()
                parents[int(name)] = int(status[1]), status[0]
    below: dict[int, str] = {}
    grown = True
    while grown:
        more = {p: s for p, (parent, s) in parents.items() if p not in below and (parent == root or parent in below)}
        below.update(more)
        grown = bool(more)
    return below


class Recording(EngineProcess):
    """An engine process of which everything that it prints is kept, what it prints while it is loaded too."""

    heard: list[str] = []

    def load(self) -> Any:
        loaded = super().load()
        self.heard.append(getattr(loaded, "output", ""))
        return loaded

    def run(self, batch: Any) -> Any:
        ran = super().run(batch)
        self.heard.append(ran.output)
        return ran


class Tier:
    """One warm process for everything that is graded in a tier."""

    def __init__(self, name: str, base: Path) -> None:
        self.name = name
        self.world = World(base)
        self.course = load_course(self.world.course)
        self.book = read_book(self.course.book)
        # both until this process ends, as in a cohort
        self.oracle = Oracle(self.book, None)
        self.checks = CheckSession(self.course, self.course.exercises).__enter__()
        solution = (self.world.course / "solutions" / "02_swap.py").read_text(encoding="utf-8")
        # right for one check and wrong for the other: see CONTROL
        control = solution.replace("other.data * out.grad", "other.data")
        assert control != solution
        self.control = decode_source(Path("02_swap.py"), control.encode())
        self.warm = self.start()

    def start(self) -> Started:
        warm = sandbox.start(self.name, allow_imports=self.course.allow_imports)
        self.reached = warm.tier
        # a first file that imports what the course allows starts another server process
        first = EngineProcess(warm, Source(Path("first.py"), "import numpy\n"), None, self.course.limits)
        assert isinstance(first.load(), Loaded)
        first.close()
        self.ours = set(descendants(os.getpid()))
        return warm

    def grade(self, sources: Mapping[str, str]) -> Any:
        """Grade the text given for each exercise, as one submission."""
        exercises = [exercise for exercise in self.course.exercises if exercise.id in sources]
        for exercise in exercises:
            path = self.world.staged / exercise.filename
            path.write_text(sources[exercise.id], encoding="utf-8")
            path.chmod(0o666)
        self.staged = self.world.files()
        read = {e.id: read_exercise(e, self.world.staged / e.filename) for e in exercises}
        submission = grading.Submission(read, grading.stamp_of("mallory", read))
        return grading.grade_submission(self.grader(), submission, exercises=exercises)

    def grader(self) -> grading.Grader:
        """What grades with the warm process as it is now."""
        return grading.Grader(
            self.course, self.book, self.checks, self.oracle, self.warm, self.course.seed, process=Recording
        )

    def misjudged(self) -> list[str]:
        """Run the checks of the control, and return which of them had another outcome than CONTROL says."""
        swap = next(exercise for exercise in self.course.exercises if exercise.id == "swap")
        results = [checked.result for checked in grading.examine(self.grader(), swap, self.control).checked.values()]
        found = {result.id: (result.status == "passed", result.score > 0) for result in results}
        wrong = [name for name, passes in CONTROL.items() if found.get(name) != (passes, passes)]
        return [f"the control's {name} was judged wrongly" for name in wrong]

    def attack(self, name: str, exercise: str, text: str) -> dict[str, Any]:
        """Grade a hostile file, and then run the control in the same warm process; tell all that was seen."""
        started = time.monotonic()
        Recording.heard = []
        outcome: dict[str, Any] = {"name": name, "verdict": "no verdict", "accepted": False}
        effects: list[str] = []
        details: list[str] = []
        controls: list[str] = []
        try:
            report = self.grade({exercise: self.world.fill_in(text)})
            controls = self.misjudged()
        except WorkerGone as gone:
            effects.append("killed the warm process")
            details.append(str(gone))
            self.warm.close()
            self.warm = self.start()
        except Exception as error:
            effects.append("made the grader fail")
            details.append(f"{type(error).__name__}: {error}")
        else:
            result = report.exercises[0]
            outcome |= {"verdict": verdict(result), "accepted": full(result)}
            outcome["attempts"] = list(result.attempts or ())
            effects += [f"commands in {where}" for where, text in self.texts(report) if steers(text)]
        effects += _EFFECT.findall("\n".join(Recording.heard))
        outside, more = self.outside()
        if outside:
            self.recover()
        outcome |= {"effects": sorted({*effects, *outside}), "details": details + more, "controls": controls}
        return outcome | {"seconds": round(time.monotonic() - started, 3)}

    def texts(self, report: Any) -> Iterator[tuple[str, str]]:
        """Everything that may be printed of a report, to a terminal or to a CI job's log, and what prints it."""
        details = {(e.id, c.id): c.detail for e in self.course.exercises for c in e.checks}
        for shown in (report, for_learner(report, details)):
            yield "the terminal's view", render(shown, self.course.title, everything=True)
            yield "the terminal's view", render(shown, self.course.title)
            yield "the JSON report", to_json(shown).decode()

    def outside(self) -> tuple[list[str], list[str]]:
        """What changed around us while a submission was graded, and what exactly."""
        effects, details = [], []
        after = self.world.files()
        changed = sorted(p for p in {*after, *self.staged} if after.get(p) != self.staged.get(p))
        if changed:
            effects.append("changed files")
            details += changed[:5]
        if self.world.hits():
            effects.append("reached a socket")
        left = self.left_behind()
        if left:
            effects.append("left processes behind")
            details.append(f"{len(left)} processes")
        return effects, details

    def left_behind(self) -> list[int]:
        """Processes that are still there a while after grading, or that nobody waited for."""
        for patience in (0.0, 0.02, 0.1, 0.4, 1.0):
            time.sleep(patience)
            left = {pid: state for pid, state in descendants(os.getpid()).items() if pid not in self.ours}
            for pid in [pid for pid, state in left.items() if state == "Z"]:
                with contextlib.suppress(OSError):
                    if os.waitpid(pid, os.WNOHANG)[0]:
                        del left[pid]
            if not left:
                break
        return list(left)

    def recover(self) -> None:
        """Undo what an attack did, so that the next one finds the same."""
        for pid in self.left_behind():
            with contextlib.suppress(OSError):
                os.kill(pid, 9)
        self.left_behind()
        self.world.clean_up()

    def finish(self) -> list[str]:
        """Grade the control and a solution once more, after everything; what came out otherwise."""
        solution = (self.world.course / "solutions" / "04_by_hand.py").read_text(encoding="utf-8")
        solved = full(self.grade({"by_hand": solution}).exercises[0])
        return self.misjudged() + ([] if solved else ["a solution lost points"])

    def alone(self, name: str, exercise: str, text: str) -> dict[str, Any]:
        """Grade a file by itself: an honest one, or one that shows a limit of what is promised."""
        Recording.heard = []
        result = self.grade({exercise: self.world.fill_in(text)}).exercises[0]
        effects = sorted(set(_EFFECT.findall("\n".join(Recording.heard))))
        said = [c.message for c in (*result.checks, result) if isinstance(c.message, str)]
        return {
            "name": name,
            "verdict": verdict(result),
            "accepted": full(result),
            "effects": effects,
            "attempts": list(result.attempts or ()),
            "details": [] if full(result) else said,
        }


def full(result: Any) -> bool:
    """Whether an exercise got all its points."""
    return bool(result.score >= result.max_score)


def verdict(result: Any) -> str:
    """An exercise's result in a word that is the same on a fast and on a slow machine."""
    if full(result):
        return "ACCEPTED"
    if result.status in ("not_started", "missing", "unreadable"):
        return str(result.status).replace("_", " ")
    status = next(check.status for check in result.checks if check.status != "passed")
    word = {"skipped": "not loaded", "timeout": "ended", "crashed": "ended"}.get(status, status)
    return f"{word}, {result.score} of {result.max_score}" if result.score else word


def steers(text: str) -> bool:
    """Whether a terminal or a CI system would take a part of a text for a command.

    GitHub's runner takes a line for one that begins with `::` after blanks, or has `##[` anywhere
    (actions/runner, src/Runner.Common/ActionCommand.cs).
    """
    control = _CONTROL.search(text) is not None
    return control or "##[" in text or any(line.strip().startswith("::") for line in text.splitlines())


def main() -> None:
    job = json.load(sys.stdin)
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(**what: Any) -> None:
        told.write(json.dumps(what) + "\n")
        told.flush()

    try:
        tier = Tier(job["tier"], Path(job["base"]))
    except IsolationError as error:
        tell(unavailable=str(error))
        return
    tell(tier=tier.reached, detail=tier.warm.detail)
    for kind, one in (("attacks", tier.attack), ("honest", tier.alone), ("limits", tier.alone)):
        for name, exercise, text in job[kind]:
            tell(start=name, kind=kind)
            tell(done=one(name, exercise, text), kind=kind)
    tell(finished=tier.finish())
    tier.warm.close()


if __name__ == "__main__":
    main()
