"""The tiers of isolation, strongest first, and the trusted end of the connection to the worker."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import sysconfig
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Self, TypeAlias

from msgspec import Struct

from ...base import processes
from ...base.processes import find_program
from ..worker.confine import framing
from .connection import Connection
from .schedule import Schedule, children_of

# -- Start the worker's interpreter, with the environment and settings that every tier uses

WORKER = Path(__file__).resolve().parent.parent / "worker"
SECRET = str(Path(__file__).resolve())  # a file of the grader, which no worker in a sandbox may read
NOBODY = 65_534
# Isolated mode (-I) would ignore the fixed hash seed. The worker gets its parts one by one instead: an
# environment without other variables, no user site (-s), no site-packages (-S), and no current folder on the
# search path (-P).
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "LC_ALL": "C.UTF-8",
    "LD_BIND_NOW": "1",  # resolve symbols once, before the forks
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "control = int(sys.argv[2]); settings = sys.argv[3]; sys.argv[:] = ['']; "
    "from worker.adapter.trials import open_file; from worker.adapter.imports import import_allowed; "
    "from worker.confine import server; del sys.path[0]; server.main(control, settings, open_file, import_allowed)"
)


class StartRequest(Struct, frozen=True):
    """A request to start a server process.

    Attributes:
        control: the descriptor on which it serves.
        allow: the folder of each module, by name, that learner code may import.
    """

    control: int
    allow: dict[str, str]

    @property
    def readable(self) -> list[str]:
        """Return the files and folders of the allowed modules, and of the libraries that wheels install beside them."""
        ends = ("", ".py", ".libs")  # a package, a module that is a single file, and shared libraries
        paths = [os.path.join(folder, name + end) for name, folder in self.allow.items() for end in ends]
        return [path for path in paths if os.path.exists(path)]


def module_folders(names: Iterable[str]) -> dict[str, str]:
    """Return the folder in which each of these modules is installed. Omit modules that are not installed."""
    folders = {}
    for name in names:
        spec = find_spec(name)
        if spec is not None and spec.origin:
            folder = Path(spec.origin).parent
            is_package = spec.submodule_search_locations is not None  # it has a folder of its own
            folders[name] = str(folder.parent if is_package else folder)
    return folders


def settings(tier: str, request: StartRequest, uid: int) -> str:
    """Return the worker's settings as JSON."""
    return json.dumps({"tier": tier, "readable": request.readable, "uid": uid, "secret": SECRET})


def interpreter(executable: str, worker_parent: str, request: StartRequest, worker_settings: str) -> list[str]:
    """Return the command that starts a server process."""
    return [executable, "-s", "-S", "-P", "-c", _BOOT, worker_parent, str(request.control), worker_settings]


def spawn(command: Sequence[str], request: StartRequest) -> "subprocess.Popen[bytes]":
    """Start the command. It inherits only the control descriptor."""
    shown = bool(os.environ.get("GRADE_DEBUG"))
    return processes.start(command, ENVIRONMENT, errors=shown, pass_fds=[request.control])


def die_first(pid: int) -> None:
    """Make the kernel kill this process, its descendants and their future forks first when memory runs out.

    Has an effect on Linux only.
    """
    with contextlib.suppress(OSError):
        # 1000 is the highest score; forks inherit it
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
        # a launcher such as bubblewrap starts the server process as its child
        for child in children_of(pid):
            die_first(child)


def here(tier: str, request: StartRequest, uid: int) -> "subprocess.Popen[bytes]":
    """Start a server process on the unchanged file system. Engine processes drop their rights themselves."""
    command = interpreter(sys.executable, str(WORKER.parent), request, settings(tier, request, uid))
    return spawn(command, request)


def drop_to() -> int:
    """Return the user id for learner code: that of `nobody` if the grader is root, else 0 for no change."""
    return NOBODY if hasattr(os, "geteuid") and os.geteuid() == 0 else 0


# -- The connection to the server process: start, observe and end engine processes

Launcher: TypeAlias = Callable[[StartRequest], "subprocess.Popen[bytes]"]


class EndedProcess(NamedTuple):
    """How an engine process ended.

    Attributes:
        code: its exit status, or the negative number of a signal.
        cpu_s: the CPU time that it used, in seconds.
    """

    code: int
    cpu_s: float


class Started(ABC):
    """The place where learner files run in a tier of isolation. A context manager, which ends it.

    Attributes:
        allow: the folder of each module, by name, that learner code may import.
    """

    allow: dict[str, str]

    @property
    @abstractmethod
    def tier(self) -> str:
        """Return the tier that is in use."""

    @property
    @abstractmethod
    def detail(self) -> str:
        """Return a short description of the means of isolation."""

    @property
    @abstractmethod
    def ended(self) -> bool:
        """Return whether it runs no more files."""

    @abstractmethod
    def close(self) -> None:
        """End all its processes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Warm(Started):
    """A server process, which never loads learner code.

    The first candidate is launched at once. If a candidate does not work, the next one is launched.

    Args:
        candidates: pairs of a tier and its launcher, in order of preference.
        allow: the folder of each module, by name, that learner code may import.
        refuse: returns the error to raise if no candidate works. Its argument is the text of the reasons.
    """

    def __init__(
        self, candidates: Sequence[tuple[str, Launcher]], allow: dict[str, str], refuse: Callable[[str], Exception]
    ) -> None:
        self.allow = allow
        self._candidates = list(candidates)
        self._refuse = refuse
        self._reasons: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._server: Connection | None = None
        self._forks: dict[frozenset[str], Connection] = {}  # server processes that have imported these modules
        self._servers: dict[int, Connection] = {}  # of each engine process
        self._settled: tuple[str, str] | None = None
        self._launch()

    @property
    def ended(self) -> bool:
        """Return whether the server process has ended."""
        return self._process is None or self._process.poll() is not None

    @property
    def tier(self) -> str:
        """Return the tier that is in use."""
        return self._settle()[0]

    @property
    def detail(self) -> str:
        """Return a short description of the means of isolation."""
        return self._settle()[1]

    def start(self, channel: int, output: int, imports: frozenset[str] = frozenset()) -> int:
        """Start an engine process on two descriptors. Return its number, which the other methods take.

        Args:
            imports: modules of `allow` that the process has imported already when it starts. A server process of their
                own imports them once, because that takes longer than all else that a process does for a small file.
        """
        server = self._server_with(imports)
        (number,) = server.ask(framing.START, [channel, output])
        self._servers[number] = server
        return number

    def cpu_time(self, number: int) -> float | None:
        """Return the CPU seconds that an engine process has used; None if the system cannot tell."""
        (nanoseconds,) = self._server_of(number).ask(framing.CPU_TIME + framing.NUMBER.pack(number))
        return None if nanoseconds < 0 else nanoseconds / 1e9

    def schedule(self, number: int) -> Schedule | None:
        """Return the scheduler's account of an engine process that has not been ended; None if there is none."""
        pid = self._server_of(number).pid_of(number)
        try:
            return None if pid is None else Schedule(pid)
        except OSError:
            return None

    def tell_stalled(self, number: int) -> None:
        """Signal to an engine process that it makes no progress, which raises `Stalled` in learner code."""
        self._server_of(number).ask(framing.STALLED + framing.NUMBER.pack(number))

    def end(self, number: int, by_itself: bool = False) -> EndedProcess:
        """Kill an engine process and its process group. With `by_itself`, first wait up to a second for it to exit."""
        command = framing.REAP if by_itself else framing.KILL
        code, nanoseconds = self._server_of(number).ask(command + framing.NUMBER.pack(number), answers=2)
        self._servers.pop(number, None)
        return EndedProcess(code, nanoseconds / 1e9)

    def close(self) -> None:
        """End the server process and its engine processes."""
        for server in self._connections():
            server.close()
        self._server = None
        self._forks.clear()
        if self._process is not None:
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def _launch(self) -> None:
        """Launch the next candidate whose launcher does not fail. If there is none, raise the error of `refuse`."""
        while self._candidates:
            launcher = self._candidates[0][1]
            # our copy of their end is closed, so that the end of the process closes the connection
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    self._process = launcher(StartRequest(theirs.fileno(), self.allow))
                except OSError as error:
                    ours.close()
                    self._give_up(str(error))
                    continue
            self._server = Connection(ours)
            return
        raise self._refuse("\n".join(self._reasons))

    def _give_up(self, reason: str) -> None:
        tier, _ = self._candidates.pop(0)
        self._reasons.append(f"  {tier}: {reason}")

    def _settle(self) -> tuple[str, str]:
        """Wait until the server process reports that its tier works. Launch the next candidate if it does not."""
        while self._settled is None:
            assert self._server is not None
            reason, detail = self._server.greeting()
            if reason is None:
                assert self._process is not None
                die_first(self._process.pid)
                self._server.pid = _innermost(self._process.pid)
                self._settled = self._candidates[0][0], detail
            else:
                self.close()
                self._give_up(reason)
                self._launch()
        return self._settled

    def _server_with(self, imports: frozenset[str]) -> Connection:
        """Return the server process, or the fork of it that has imported these modules."""
        self._settle()
        assert self._server is not None
        if not imports:
            return self._server
        if imports not in self._forks:
            self._forks[imports] = self._server.fork({name: self.allow[name] for name in sorted(imports)})
        return self._forks[imports]

    def _server_of(self, number: int) -> Connection:
        """Return the server process that has started an engine process."""
        self._settle()
        assert self._server is not None
        return self._servers.get(number, self._server)

    def _connections(self) -> list[Connection]:
        return [*([] if self._server is None else [self._server]), *self._forks.values()]


def _innermost(pid: int) -> int | None:
    """Return the last of a chain of processes, each started by the one before; None if the system cannot tell."""
    try:
        while children := children_of(pid):
            pid = children[0]
    except OSError:
        return None
    return pid


# -- The `namespaces` tier: the worker runs in bubblewrap's namespaces, with seccomp and rlimits. It sees the
# interpreter, its standard library, the modules that the course allows and system libraries, all read-only. It sees no
# /proc, no network and no other process, and can write no file

_INSIDE = "/w"


def namespaces(request: StartRequest) -> "subprocess.Popen[bytes]":
    """Start the server process. Raises `FileNotFoundError` if bubblewrap is not installed."""
    bwrap = find_program("bwrap")
    if bwrap is None:
        raise FileNotFoundError("bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)")
    python = os.path.realpath(sys.executable)  # a virtual environment and its link are not mounted
    worker = interpreter(python, _INSIDE, request, settings("namespaces", request, drop_to()))
    return spawn([bwrap, *_unshared(), *_files(python, request), "--", *worker], request)


def _unshared() -> Iterator[str]:
    yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    yield from ("--hostname", "box", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    if os.geteuid() == 0:
        # a user namespace would map nobody to root; each fork changes to nobody permanently instead
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL"):
            yield from ("--cap-add", capability)
    else:
        yield from ("--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY))


def _files(python: str, request: StartRequest) -> Iterator[str]:
    library = os.path.dirname(os.__file__)
    yield from ("--ro-bind", python, python, "--ro-bind", library, library)
    # an empty folder in place of each folder of installed packages
    for name in ("site-packages", "dist-packages"):
        folder = os.path.join(library, name)
        if os.path.isdir(folder):
            yield from ("--tmpfs", folder, "--remount-ro", folder)
    # a link stays a link, for example /lib to /usr/lib
    for path in _system_libraries():
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind-try", path, path)
    yield from ("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
    for path in request.readable:
        yield from ("--ro-bind", path, path)
    yield from ("--ro-bind", str(WORKER), f"{_INSIDE}/worker")
    yield from ("--remount-ro", "/", "--chdir", "/")


def _system_libraries() -> Iterator[str]:
    """Yield the paths of shared libraries, without the packages that a system Python installs beside them."""
    triplet = sysconfig.get_config_var("MULTIARCH")
    debian = f"/usr/lib/{triplet}" if triplet else ""
    # on Debian only the libraries of this machine, because /usr/lib also has Python's packages
    yield debian if os.path.isdir(debian) else "/usr/lib"
    yield from (path for path in ("/usr/lib64", "/lib", "/lib64") if os.path.exists(path))
    # Python's own library, which may be installed elsewhere
    shared = sysconfig.get_config_var("LIBDIR")
    name = sysconfig.get_config_var("INSTSONAME")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and shared and name:
        yield os.path.join(shared, name)


# -- The `process` tier: a separate process with limits only. For practice, not for untrusted code


def process(request: StartRequest) -> "subprocess.Popen[bytes]":
    """Start the server process."""
    return here("process", request, uid=0)


# -- The `seccomp` tier: for root on a kernel without Landlock. Learner code cannot open any file


class NeedsRoot(OSError):
    """The tier must change to another user, and the grader cannot do so because it is not root."""


def seccomp(request: StartRequest) -> "subprocess.Popen[bytes]":
    """Start the server process. Raises `NeedsRoot`."""
    uid = drop_to()
    if not uid:
        raise NeedsRoot("the seccomp tier must be started by root")
    return here("seccomp", request, uid)


# -- The `landlock` tier, for Linux without user namespaces


def landlock(request: StartRequest) -> "subprocess.Popen[bytes]":
    """Start the server process."""
    return here("landlock", request, drop_to())


TIERS: Mapping[str, Launcher] = MappingProxyType(
    {
        "namespaces": namespaces,
        "landlock": landlock,
        "seccomp": seccomp,
        "process": process,
    }
)
OFFICIAL = ("namespaces", "landlock", "seccomp")
