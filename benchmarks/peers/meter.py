"""Run a command, and measure CPU time, wall time and memory of all its processes.

A control group accounts for every process that the command starts. Root can make one on most Linux
systems. Without one, only the CPU time of processes that are waited for is known. The init process of
bubblewrap is killed with the sandbox, so the time of processes that it had not waited for is lost.
Therefore only the `landlock` tier can be measured in that case, and this process adopts its orphans.
"""

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_SAMPLE_S = 0.2
_PATIENCE_S = 5.0
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Spent:
    """The cost of a command.

    Attributes:
        cpu_s: CPU time of all processes, in seconds.
        wall_s: wall time, in seconds.
        largest: the largest sampled resident size of a process, in bytes.
        together: the largest sampled sum of resident sizes, in bytes; shared pages count for each process.
        status: the exit status.
        output: standard output and error.
    """

    cpu_s: float
    wall_s: float
    largest: int
    together: int
    status: int
    output: str


class Meter:
    """Measure commands. A context manager.

    Attributes:
        group: the control group, or None.
    """

    def __init__(self) -> None:
        self.group: Path | None = None
        self._usage: Path | None = None

    def __enter__(self) -> "Meter":
        for folder, usage in _accounts():
            group = folder / f"backward-benchmark-{os.getpid()}"
            try:
                group.mkdir()
                if (group / usage).exists() and _moves_in(group):
                    self.group, self._usage = group, group / usage
                    return self
                group.rmdir()
            except OSError:
                continue
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        return self

    def __exit__(self, *_: object) -> None:
        if self.group is not None:
            with contextlib.suppress(OSError):
                self.group.rmdir()

    @property
    def isolation(self) -> str:
        """Return the tier of isolation that can be measured, for `--isolation`."""
        return "auto" if self.group else "landlock"

    @property
    def about(self) -> str:
        """Return a description of how CPU time is measured."""
        if self.group is None:
            return "CPU time by wait4 and adopted orphans (no control group is available); our sandbox: landlock"
        return "CPU time of all processes, by a control group; our sandbox: the strongest tier"

    def run(self, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]) -> Spent:
        """Run a command, and wait for it and for all processes that it leaves behind.

        Bytecode is kept, as in an installation, whatever `environment` says.
        """
        words = [str(word) for word in command]
        if self.group is not None:
            words = ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.group / "cgroup.procs"), *words]
        kept = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
        before, started = self._cpu(), time.perf_counter()
        with (folder / ".output").open("w+", encoding="utf-8", errors="replace") as output:
            process = subprocess.Popen(
                words, cwd=folder, env=kept, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
            with _Sampler(self, process.pid) as sampler:
                status = process.wait()
                wall = time.perf_counter() - started
                self._settle()
            output.seek(0)
            said = output.read()
        return Spent(self._cpu() - before, wall, sampler.largest, sampler.together, status, said)

    def pids(self, root: int) -> list[int]:
        """Return the ids of a running command's processes."""
        if self.group is not None:
            return _members(self.group)
        return list(_descendants(root))

    def _cpu(self) -> float:
        if self._usage is None:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime
        text = self._usage.read_text()
        return int(text) / 1e9 if self._usage.name == "cpuacct.usage" else int(text.split()[1]) / 1e6

    def _settle(self) -> None:
        """Wait for processes that the command left behind, and kill those that do not exit in time."""
        deadline = time.monotonic() + _PATIENCE_S
        while self.group is not None and (left := _members(self.group)):
            if time.monotonic() > deadline:
                for pid in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)
        while self.group is None:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid and time.monotonic() > deadline:
                return
            time.sleep(0 if pid else 0.01)


class _Sampler:
    """Sample resident sizes while a command runs. A context manager."""

    def __init__(self, meter: Meter, root: int) -> None:
        self.largest = self.together = 0
        self._meter, self._root = meter, root
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._over.wait(_SAMPLE_S):
            sizes = [_resident(pid) for pid in self._meter.pids(self._root)]
            self.largest = max(self.largest, *sizes, 0)
            self.together = max(self.together, sum(sizes))

    def __enter__(self) -> "_Sampler":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def _accounts() -> Iterator[tuple[Path, str]]:
    """Yield this process's group in each hierarchy that accounts CPU time, and the name of the file with the time."""
    hierarchies = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            hierarchies.update(dict.fromkeys(controllers.split(","), path))
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, mounted, kind, options, *_ = line.split(" ")
            if kind == "cgroup" and "cpuacct" in options.split(",") and "cpuacct" in hierarchies:
                yield Path(mounted + hierarchies["cpuacct"]), "cpuacct.usage"
            elif kind == "cgroup2" and "" in hierarchies:
                yield Path(mounted + hierarchies[""]), "cpu.stat"


def _moves_in(group: Path) -> bool:
    """Return whether a process can be moved into the group."""
    word = ["/bin/sh", "-c", 'echo $$ > "$0"', str(group / "cgroup.procs")]
    return subprocess.run(word, stderr=subprocess.DEVNULL, check=False).returncode == 0


def _members(group: Path) -> list[int]:
    return [int(line) for line in (group / "cgroup.procs").read_text().split()]


def _descendants(root: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            children.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += children.get(pid, ())


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0
