"""Which hostile, honest and telling files there are, and what becomes of them in each tier of isolation.

Used by the tests beside it (through conftest.py) and by write_table.py. Everything is graded in processes of their
own (runner.py), one for each tier; one that an attack kills is started again after that attack.
"""

import ast
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from grader.runner.sandbox import OFFICIAL, TIERS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from edited_texts import listing, texts  # noqa: E402

CLASSES = (
    *("read", "write", "network", "signal", "ptrace", "exec", "namespace", "fork", "thread", "memory", "disk"),
    *("descriptor", "cpu", "sleep", "flood", "forge", "type", "tamper", "import", "state"),
)
# attacks on the machine and the grader's process, which a sandbox has to contain; the others attack the verdict
CONTAINED = CLASSES[: CLASSES.index("cpu")]
# attacks that the report has to name with a refused system call, and the call
REFUSED = {
    "exec_os_system": "clone",
    "fork_daemon": "clone",
    "network_raw_sockets": "socket",
    "ptrace_attach_parent": "ptrace",
    "signal_kill_parent": "kill",
    "write_delete_and_rename": "unlink",
}
# Each run of the tests makes one of so many attacks on the machine in each of the two strongest tiers, and one of so
# many attacks on the verdict in the strongest. The next commit makes others.
ONE_OF_CONTAINED, ONE_OF_OTHERS = 8, 16
SANDBOXES = OFFICIAL
PATIENCE_S = 150
PLACEHOLDER = re.compile(r"@(\w+)@")

# not run in the process tier, where nothing would stop them, and why
NEVER_UNSANDBOXED = {
    "signal_stop_grader": "would stop the process that runs the suite, which then only waits",
    "sleep_stop_itself": "shows nothing that sleep_forever does not show",
}
# the same, but for where the process tier can be run inside namespaces that are thrown away with it
ONLY_IN_A_THROW_AWAY = {
    "signal_kill_all": "would end every process of this user",
    "signal_kill_grader": "would end the suite",
    "signal_kill_group": "would end whatever shares the process group",
    "fork_bomb": "leaves two hundred processes for a while",
    "disk_fill": "fills folders that others use",
    "disk_core_dump": "may leave a core file",
    "namespace_host_name": "would rename the machine",
    "namespace_mount": "would mount over a folder",
    "namespace_kernel": "asks the kernel for what is the machine's",
    "write_standard_library": "would change this Python",
    "write_worker_code": "would change this grader",
    "memory_lock": "takes memory from others",
}


@dataclass(frozen=True)
class File:
    """A file to be graded; its first line says what it tries."""

    name: str
    text: str

    @property
    def kind(self) -> str:
        return self.name.partition("_")[0]

    @property
    def docstring(self) -> str:
        return ast.get_docstring(ast.parse(self.text)) or ""

    @property
    def sentence(self) -> str:
        return self.docstring.partition(": ")[2]

    @property
    def exercise(self) -> str:
        named = re.search(r"^# exercise: (\w+)$", self.text, re.MULTILINE)
        return named[1] if named else "distribute"


@dataclass(frozen=True)
class Outcome:
    """What became of a file in a tier: the verdict on it, what it did besides, what came out wrong of a control."""

    name: str
    verdict: str
    accepted: bool = False
    effects: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.name}: {self.verdict}; {', '.join((*self.effects, *self.controls, *self.details))}"


@dataclass
class TierRun:
    """Everything that was graded in a tier, or why the tier cannot be had here."""

    tier: str
    detail: str = ""
    unavailable: str | None = None
    attacks: dict[str, Outcome] = field(default_factory=dict)
    honest: dict[str, Outcome] = field(default_factory=dict)
    limits: dict[str, Outcome] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    last_controls: list[str] = field(default_factory=list)

    @property
    def accepted(self) -> list[Outcome]:
        return [outcome for outcome in self.attacks.values() if outcome.accepted]

    @property
    def with_effect(self) -> list[Outcome]:
        return [outcome for outcome in self.attacks.values() if outcome.effects]

    @property
    def controls_wrong(self) -> list[Outcome | str]:
        return [*(outcome for outcome in self.attacks.values() if outcome.controls), *self.last_controls]

    @property
    def rejected(self) -> list[Outcome]:
        return [outcome for outcome in self.honest.values() if not outcome.accepted]


def files(folder: str) -> list[File]:
    """The files of `attacks`, `honest` or `limits`, by name; attacks in the order of their classes."""
    found = [File(one.name, one.text) for one in texts(HERE / folder)]
    return sorted(found, key=lambda file: CLASSES.index(file.kind)) if folder == "attacks" else found


def sample(attacks: Iterable[File], place: int, turn: int) -> list[File]:
    """Return the attacks that a run of the tests makes in the strongest tier (0) or the one after it (1).

    Some runs with consecutive turns make every attack. A long run makes all of them in every tier.
    """
    met: Counter[str] = Counter()
    chosen = []
    for file in attacks:
        if file.kind in CONTAINED:
            sampled = (met[file.kind] + 2 * turn + place) % ONE_OF_CONTAINED == 0
        else:
            sampled = place == 0 and (met[file.kind] + turn) % ONE_OF_OTHERS == 0
        if sampled or file.name in REFUSED:
            chosen.append(file)
        met[file.kind] += 1
    return chosen


def told(outcomes: Iterable[Outcome | str]) -> list[str]:
    """The outcomes in words. Prints the files, for whoever reads why a test failed."""
    listed = list(outcomes)
    if names := {one.name for one in listed if isinstance(one, Outcome)}:
        everything = [file for folder in ("attacks", "honest", "limits") for file in files(folder)]
        print(listing(file for file in everything if file.name in names))
    return [str(outcome) for outcome in listed]


@cache
def throw_away() -> tuple[str, ...]:
    """A command's beginning that gives it processes, mounts and sockets of its own; empty where that cannot be."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return ()
    words = [bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"]
    words += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--die-with-parent", "--new-session"]
    words += ["--cap-add", "ALL"] if os.geteuid() == 0 else ["--unshare-user"]
    works = subprocess.run([*words, sys.executable, "-c", "pass"], capture_output=True, check=False).returncode == 0
    return tuple(words) if works else ()


@dataclass(frozen=True)
class Who:
    """By whom and with what a tier is run: an interpreter, its search path, another user's id, the runner."""

    interpreter: str = sys.executable
    search_path: str = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    user: int | None = None
    runner: Path = HERE / "runner.py"


def run_tier(
    tier: str,
    attacks: Sequence[File],
    honest: Sequence[File],
    limits: Sequence[File] = (),
    who: Who | None = None,
    sampled: tuple[int, int] | None = None,
) -> TierRun:
    """Grade everything in one tier, or of the attacks only a `sample` of a place and a turn.

    Never raises for what an attack did.
    """
    run = TierRun(tier)
    prefix = throw_away() if tier not in SANDBOXES else ()
    if tier not in SANDBOXES:
        run.skipped = NEVER_UNSANDBOXED if prefix else {**NEVER_UNSANDBOXED, **ONLY_IN_A_THROW_AWAY}
    if sampled is not None:
        chosen = sample(attacks, *sampled)
        others = [file.name for file in attacks if file not in chosen]
        run.skipped = {**run.skipped, **dict.fromkeys(others, "made in a long run of the tests")}
    waiting = {
        "attacks": [file for file in attacks if file.name not in run.skipped],
        "honest": list(honest),
        "limits": list(limits),
    }
    who = who or Who()
    base = Path(tempfile.mkdtemp(prefix="backward-hostile-"))
    base.chmod(0o755)
    if who.user is not None:
        os.chown(base, who.user, who.user)
    try:
        while not _run_once(run, waiting, base, prefix, who):
            pass
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return run


def _run_once(run: TierRun, waiting: dict[str, list[File]], base: Path, prefix: Sequence[str], who: Who) -> bool:
    """Grade what waits until it is all done or an attack has ended the runner. Returns whether it is all done."""
    job = {kind: [[file.name, file.exercise, file.text] for file in listed] for kind, listed in waiting.items()}
    command = [who.interpreter, "-s", "-B", str(who.runner)]
    if prefix:
        # what may lie below a folder that the prefix hides
        seen = dict.fromkeys([*who.search_path.split(os.pathsep), str(ROOT), sys.prefix, sys.base_prefix])
        shown = [word for path in seen for word in ("--ro-bind-try", path, path)]
        command = [*prefix, *shown, "--bind", str(base), str(base), *command]
    drop: dict[str, Any] = {} if who.user is None else {"user": who.user, "group": who.user, "extra_groups": []}
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd="/",
            env={**os.environ, "PYTHONPATH": who.search_path, "SECRET_TOKEN": "MARKER-6f2c1e", "HOME": str(base)},
            start_new_session=True,
            text=True,
            **drop,
        )
        try:
            return _follow(run, waiting, process, {**job, "tier": run.tier, "base": str(base)})
        except RunnerFailed as failed:
            errors.seek(0)
            raise RuntimeError(f"the runner of the {run.tier} tier failed: {failed}\n{errors.read()[-4000:]}") from None
        finally:
            _end(process)


class RunnerFailed(Exception):
    """The runner ended by itself: a mistake of the suite or of the grader, not an attack."""


def _follow(
    run: TierRun, waiting: dict[str, list[File]], process: "subprocess.Popen[str]", job: dict[str, Any]
) -> bool:
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(job))
        process.stdin.close()
    except BrokenPipeError:
        raise RunnerFailed("it did not begin") from None
    kind = name = ""
    for line in _lines(process):
        if line is None:
            break
        said = json.loads(line)
        if "unavailable" in said:
            run.unavailable = said["unavailable"]
            return True
        if "tier" in said:
            run.detail = said["detail"]
        elif "start" in said:
            kind, name = said["kind"], said["start"]
        elif "done" in said:
            done: dict[str, Any] = said["done"]
            done = {key: tuple(value) if type(value) is list else value for key, value in done.items()}
            _take(run, waiting, kind, Outcome(**done))
            name = ""
        else:
            run.last_controls = said["finished"]
            return True
    if kind != "attacks" or not name:
        raise RunnerFailed(f"it ended at {name or 'its start'} with status {process.poll()}")
    what = "stopped the grader" if process.poll() is None else "killed the grader"
    _take(run, waiting, kind, Outcome(name, "no verdict", effects=(what,)))
    return False


def _take(run: TierRun, waiting: dict[str, list[File]], kind: str, outcome: Outcome) -> None:
    getattr(run, kind)[outcome.name] = outcome
    waiting[kind] = [file for file in waiting[kind] if file.name != outcome.name]


def _lines(process: "subprocess.Popen[str]") -> Iterable[str | None]:
    """Line after line; None when none comes for a long time."""
    assert process.stdout is not None
    pending = ""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(PATIENCE_S):
                yield None
                return
            data = os.read(process.stdout.fileno(), 1 << 16).decode()
            if not data:
                process.wait(10)
                return
            *whole, pending = (pending + data).split("\n")
            yield from whole


def _end(process: "subprocess.Popen[str]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def run_all(tiers: Iterable[str] = tuple(TIERS), turn: int | None = None) -> dict[str, TierRun]:
    """Run the files in some tiers side by side: every file, or in at most two tiers a `sample` of the attacks."""
    listed = list(tiers)
    attacks, honest, limits = (files(folder) for folder in ("attacks", "honest", "limits"))

    def run(place: int) -> TierRun:
        return run_tier(listed[place], attacks, honest, limits, sampled=None if turn is None else (place, turn))

    with ThreadPoolExecutor(len(listed)) as threads:
        return dict(zip(listed, threads.map(run, range(len(listed))), strict=True))
