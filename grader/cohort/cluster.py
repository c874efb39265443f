"""Pool on the workers of a Dask cluster: jobs and settings travel, results come back as they finish.

A worker needs this package and nothing else: the course goes along. A task whose worker dies is given to another by
Dask itself; a worker that joins is given work.
"""

import os
import socket
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from .. import __version__
from .job import Faulted, Graded, Job, Outcome, Settings
from .pool import GradingProcess, PoolError

_AHEAD = 2  # jobs sent for each of the cluster's threads, so that none waits for the network
_PATIENCE_S = 30
_here = threading.local()


class Parcel(msgspec.Struct, frozen=True):
    """Settings and the course that they speak of, by relative paths."""

    grader_version: str
    settings: Settings
    course: dict[str, bytes]


def pack(settings: Settings) -> bytes:
    """Return settings with all that grading reads of their course. Raises `OSError`."""
    root = Path(os.fsdecode(settings.course))
    paths = [root / "course.yaml", *root.glob("exercises/*.py"), *root.glob("tests/hidden/*")]
    course = {str(path.relative_to(root)): path.read_bytes() for path in paths if path.is_file()}
    return msgspec.json.encode(Parcel(__version__, settings, course))


@cache
def _unpacked(parcel: bytes) -> tuple[Settings, Any]:
    """Return settings for a copy of the course on this machine, and the folder that lasts as long as this process."""
    sent = msgspec.json.decode(parcel, type=Parcel)
    if sent.grader_version != __version__:
        raise PoolError(f"a worker has grader {__version__}, this run was started with {sent.grader_version}")
    folder = tempfile.TemporaryDirectory(prefix="backward-course-")
    for name, content in sent.course.items():
        path = Path(folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return msgspec.structs.replace(sent.settings, course=os.fsencode(folder.name)), folder


def _process_for(parcel: bytes) -> GradingProcess:
    """Return this thread's grading process for these settings; end one that was for other settings."""
    if getattr(_here, "parcel", None) != parcel:
        if hasattr(_here, "process"):
            _here.process.close()
        _here.process, _here.parcel = GradingProcess(_unpacked(parcel)[0]), parcel
    return _here.process  # type: ignore[no-any-return]


def start_there(parcel: bytes) -> str:
    """On a worker: start this thread's grading process and return the tier that it reached. Raises `PoolError`."""
    process = _process_for(parcel)
    process.start()
    return process.settings.isolation


def grade_there(parcel: bytes, job: bytes) -> bytes:
    """On a worker: grade a job; a `Graded` or `Faulted` as JSON. Raises `PoolError`."""
    return msgspec.json.encode(_process_for(parcel).grade(msgspec.json.decode(job, type=Job)))


def _reach(address: str) -> None:
    """See that somebody listens at `tcp://host:port`: a client tries on in the background. Raises `OSError` or
    `ValueError`."""
    found = urlsplit(address)
    if not found.hostname or not found.port:
        raise ValueError("an address looks like tcp://10.0.0.1:8786")
    socket.create_connection((found.hostname, found.port), timeout=_PATIENCE_S).close()


class DaskPool:
    """The workers of a Dask cluster, found at the address of its scheduler."""

    def __init__(self, settings: Settings, address: str) -> None:
        self.address = address
        self._parcel = pack(settings)
        self._settings = settings
        self._client: Any = None

    def start(self) -> str:
        """Find the cluster and a worker that can grade; which tier it reached. Raises `PoolError`."""
        try:
            self._dask: Any = import_module("distributed")  # an extra: most graders need one machine
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
        except Exception as error:  # whatever a worker raises, an import that fails there too
            raise PoolError(f"a worker of {self.address} cannot grade: {error}") from None
        # the others must not make do with less
        self._parcel = pack(msgspec.structs.replace(self._settings, isolation=tier))
        return tier

    def grade(self, jobs: Iterator[Job]) -> Iterator[Outcome]:
        """Yield an outcome for each job, as they finish. Raises `PoolError`, and what `jobs` raises."""
        # a task and no scattered data: it can be made again when all workers that hold it have gone
        parcel = self._client.submit(bytes, self._parcel, pure=False)
        finished = self._dask.as_completed(loop=self._client.loop)
        names: dict[str, str] = {}

        def send() -> bool:
            job = next(jobs, None)
            if job is not None:
                future = self._client.submit(grade_there, parcel, msgspec.json.encode(job), pure=False)
                names[future.key] = job.stamp.id
                finished.add(future)
            return job is not None

        more = True
        while True:
            room = _AHEAD * max(1, sum(self._client.nthreads().values()))
            while more and len(names) < room:
                more = send()
            if not names:
                return
            future = next(finished)
            name = names.pop(future.key)
            yield self._outcome(name, future)

    def _outcome(self, name: str, future: Any) -> Outcome:
        try:
            reply: Outcome = msgspec.json.decode(future.result(), type=Graded | Faulted)
        except PoolError:
            raise
        except Exception as error:  # its worker died again and again, or cannot import the grader
            return Faulted(name, f"no worker could grade it: {type(error).__name__}: {error}")
        return reply

    def close(self) -> None:
        """Leave the cluster; what still runs there is forgotten."""
        if self._client is not None:
            self._client.close()
            self._client = None
