"""A pool of grading processes on the workers of a Dask cluster.

Jobs and settings are sent to the workers. Results are returned as they finish. A worker needs only
this package installed, because the course is sent along. Dask reassigns the task of a worker that
died, and gives work to workers that join later.
"""

import os
import socket
import tempfile
import threading
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from .. import __version__
from ..base.service import decode, encode
from ..words import instructor as said
from .pool import Faulted, Graded, GradingProcess, Job, Outcome, PoolError, Settings
from .side_by_side import Done

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
    return msgspec.structs.replace(sent.settings, course=os.fsencode(folder.name)), folder


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
    return encode(_process_for(parcel).grade(decode(job, Job)))


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
        self._futures: set[Any] = set()  # Dask cancels a task whose future is not referenced

    def start(self) -> str:
        """Connect to the cluster, start a grading process on a worker, and return its tier. Raises `PoolError`."""
        try:
            self._dask: Any = import_module("distributed")  # an extra: most classes need one machine only
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
        self._parcel = pack(msgspec.structs.replace(self._settings, isolation=tier))
        return tier

    @property
    def room(self) -> int:
        """Return how many jobs may be begun at a time. It changes as workers join and leave."""
        threads: dict[str, int] = self._client.nthreads()
        return _AHEAD * max(1, sum(threads.values()))

    def begin(self, job: Job, done: Done) -> None:
        """Grade a job on any worker. `done` gets the outcome, or a `PoolError`."""

        def finish(future: Any) -> None:
            self._futures.discard(future)
            done(_outcome(job.id, future))

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


def _outcome(name: str, future: Any) -> Outcome | PoolError:
    try:
        reply: Outcome = decode(future.result(), Graded | Faulted)
    except PoolError as error:
        return error
    except Exception as error:  # its worker died repeatedly, or cannot import the grader
        return Faulted(name, said.no_worker(f"{type(error).__name__}: {error}"))
    return reply
