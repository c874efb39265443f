"""The processes that grade the submissions of a class: on this machine, or on the workers of a Dask cluster.

A process that dies is started again.
"""

import os
import socket
import tempfile
import threading
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from ... import __version__
from ...base.processes import TRIES, Crew, OnDone, Service, ServiceNotStarted, decode, encode
from ...words import instructor as words
from .jobs import Faulted, Graded, GradingReady, GradingReply, Job, Outcome, SearchAdditions, Settings, Task, Unsearched


class Pool(Protocol):
    """The processes that grade jobs, on one machine or on many."""

    def start(self) -> str:
        """Start, and return the tier of isolation that was reached."""

    @property
    def room(self) -> int:
        """Return how many jobs may be begun at a time, so that no process has to wait for one."""

    def begin(self, job: Task, done: OnDone) -> None:
        """Grade or search as soon as a process is free. `done` gets the outcome, or a `PoolError`."""

    def close(self) -> None:
        """End all processes."""


class PoolError(RuntimeError):
    """Nothing can be graded: the course, the checks or the sandbox cannot be loaded here."""


class GradingProcess(Service):
    """One grading process. `grade` never raises because of a submission."""

    def __init__(self, settings: Settings) -> None:
        super().__init__("grader.classes.cohort.grading_process", GradingReply, settings, GradingReady)

    @property
    def settings(self) -> Settings:
        """Return the settings with which the next process starts."""
        settings: Settings = self.setup  # type: ignore[assignment]
        return settings

    def start(self) -> None:
        """Start the process unless it runs, and wait until it can grade. Raises `PoolError`."""
        try:
            ready = super().start()
        except ServiceNotStarted as failure:
            refusal = failure.reply
            raise PoolError(
                refusal.message if isinstance(refusal, Faulted) else "a grading process did not start"
            ) from None
        if isinstance(ready, GradingReady):  # a process that replaces this one must not use a weaker tier
            self.setup = replace(self.settings, isolation=ready.tier)

    def grade(self, job: Task) -> Outcome:
        """Grade or search a submission. Raises `PoolError`."""
        message = ""
        expected = Graded if isinstance(job, Job) else SearchAdditions
        for _ in range(TRIES):
            reply = self.ask(job)
            if isinstance(reply, expected) and reply.id == job.id:
                return reply
            self.end()  # the next attempt starts another process
            message = reply.message if isinstance(reply, Faulted | Unsearched) else words.grading_killed()
            if isinstance(reply, Faulted) and not reply.id:
                raise PoolError(message)
        return job.failed(message)


class LocalPool(Crew[GradingProcess, Task]):
    """Grading processes on this machine. A free process takes the next job."""

    def __init__(self, settings: Settings, count: int) -> None:
        super().__init__((GradingProcess(settings) for _ in range(count)), GradingProcess.grade)

    def start(self) -> str:
        """Start the first process and return its tier, which the others will also use. Raises `PoolError`."""
        first, *others = self.members
        first.start()
        for process in others:
            process.setup = first.setup
        return first.settings.isolation


# -- A pool of grading processes on the workers of a Dask cluster

_AHEAD = 2  # jobs in flight for each of the cluster's threads, so that no thread waits for the network
_PATIENCE_S = 30
_here = threading.local()


class Parcel(msgspec.Struct, frozen=True):
    """The settings of a run, and the files of its course by relative path."""

    grader_version: str
    settings: Settings
    course: dict[str, bytes]


def pack(settings: Settings) -> bytes:
    """Return the settings together with the course files that grading reads, as JSON. Raises `OSError`."""
    root = Path(os.fsdecode(settings.course))
    paths = [root / "course.yaml", *root.glob("exercises/*.py"), *root.glob("tests/hidden/*")]
    course = {str(path.relative_to(root)): path.read_bytes() for path in paths if path.is_file()}
    return msgspec.json.encode(Parcel(__version__, settings, course))


@cache
def _unpacked(parcel: bytes) -> tuple[Settings, Any]:
    """Copy the course to this machine. Return settings that name the copy, and the copy's temporary folder.

    The cache keeps the folder until this process ends. Raises `PoolError` if the versions of the grader differ.
    """
    sent = msgspec.json.decode(parcel, type=Parcel)
    if sent.grader_version != __version__:
        raise PoolError(
            f"a worker has version {__version__} of the grader; this run needs {sent.grader_version}. "
            "Install the same version on every machine."
        )
    folder = tempfile.TemporaryDirectory(prefix="backward-course-")
    for name, content in sent.course.items():
        path = Path(folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return replace(sent.settings, course=os.fsencode(folder.name)), folder


def _process_for(parcel: bytes) -> GradingProcess:
    """Return this thread's grading process for these settings. End an earlier process that has other settings."""
    if getattr(_here, "parcel", None) != parcel:
        if hasattr(_here, "process"):
            _here.process.close()
        _here.process, _here.parcel = GradingProcess(_unpacked(parcel)[0]), parcel
    return _here.process  # type: ignore[no-any-return]


def start_there(parcel: bytes) -> str:
    """Start this thread's grading process on a worker, and return its tier. Raises `PoolError`."""
    process = _process_for(parcel)
    process.start()
    return process.settings.isolation


def grade_there(parcel: bytes, job: bytes) -> bytes:
    """Grade a job on a worker. Job and outcome are encoded as for a service. Raises `PoolError`."""
    return encode(_process_for(parcel).grade(decode(job, Task)))


def _reach(address: str) -> None:
    """Check that something listens at `tcp://host:port`, because Dask's client would retry silently.

    Raises:
        OSError: nothing answers.
        ValueError: the address does not have this form.
    """
    found = urlsplit(address)
    if not found.hostname or not found.port:
        raise ValueError("an address looks like tcp://10.0.0.1:8786")
    socket.create_connection((found.hostname, found.port), timeout=_PATIENCE_S).close()


class DaskPool:
    """The workers of a Dask cluster whose scheduler listens at `address`."""

    def __init__(self, settings: Settings, address: str) -> None:
        self.address = address
        self._parcel = pack(settings)
        self._settings = settings
        self._client: Any = None
        self._sent: Any = None
        self._futures: set[object] = set()  # Dask cancels a task whose future is not referenced

    def start(self) -> str:
        """Connect to the cluster, start a grading process on a worker, and return its tier. Raises `PoolError`."""
        try:
            self._dask: object = import_module("distributed")  # an extra: most classes need one machine only
        except ImportError:
            raise PoolError("--dask needs the extra: pip install 'backward-grader[dask]'") from None
        try:
            _reach(self.address)
            self._client = self._dask.Client(self.address, timeout=_PATIENCE_S, set_as_default=False)
            self._client.wait_for_workers(1, timeout=_PATIENCE_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise PoolError(f"no Dask cluster with a worker at {self.address}: {error}") from None
        try:
            tier: str = self._client.submit(start_there, self._parcel, pure=False).result()
        except Exception as error:  # a worker may raise anything, for example when an import fails there
            raise PoolError(f"a worker of {self.address} cannot grade: {error}") from None
        # no other worker may use a weaker tier
        self._parcel = pack(replace(self._settings, isolation=tier))
        return tier

    @property
    def room(self) -> int:
        """Return how many jobs may be begun at a time. It changes as workers join and leave."""
        threads: dict[str, int] = self._client.nthreads()
        return _AHEAD * max(1, sum(threads.values()))

    def begin(self, job: Task, done: OnDone) -> None:
        """Grade or search on any worker. `done` gets the outcome, or a `PoolError`."""

        def finish(future: object) -> None:
            self._futures.discard(future)
            done(_outcome(job, future))

        if self._sent is None:  # a task instead of scattered data: it is repeated if all workers that hold it leave
            self._sent = self._client.submit(bytes, self._parcel, pure=False)
        future = self._client.submit(grade_there, self._sent, encode(job), pure=False)
        self._futures.add(future)
        future.add_done_callback(finish)

    def close(self) -> None:
        """Disconnect from the cluster. Results of tasks that are still running are discarded."""
        if self._client is not None:
            self._client.close()
            self._client = None


def _outcome(job: Task, future: Any) -> Outcome | PoolError:
    try:
        reply: Outcome = decode(future.result(), Outcome)
    except PoolError as error:
        return error
    except Exception as error:  # its worker died repeatedly, or cannot import the grader
        return job.failed(words.no_worker(f"{type(error).__name__}: {error}"))
    return reply
