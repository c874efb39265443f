"""Store computed texts on disk, by key. Concurrent runs share the file.

The file is an SQLite database. If the checksum of a row does not match, its answer is computed again. If SQLite
cannot read the file, the file is renamed and replaced. Losing a memo costs only time.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, checksum TEXT NOT NULL)"


@cache
def grader_digest() -> str:
    """Return a digest of the grader's own code, for keys whose texts no other version of the grader may use."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        data = path.read_bytes()
        digest.update(f"{path.relative_to(root)}:{len(data)}\n".encode() + data)
    return digest.hexdigest()


class Memo:
    """A mapping from keys to texts on disk. Never raises for a damaged or unwritable file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the stored texts of `keys`, without rows whose checksum is wrong."""
        texts = {}
        with self._connect() as connection:
            for key in keys:
                row = connection.execute("SELECT answer, checksum FROM answers WHERE key = ?", (key,)).fetchone()
                if row and row[1] == _checksum(key, row[0]):
                    texts[key] = row[0]
        return texts

    def put(self, answers: dict[str, str]) -> None:
        rows = [(key, answer, _checksum(key, answer)) for key, answer in answers.items()]
        with self._connect() as connection:
            connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)

    @contextlib.contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Open a connection in a transaction. If the file cannot be used, the database is in memory."""
        opened = self._open() or _throw_away()
        with contextlib.closing(opened) as connection, contextlib.suppress(sqlite3.DatabaseError), connection:
            yield connection

    def _open(self) -> sqlite3.Connection | None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=10)
        except (OSError, sqlite3.Error):
            return None
        try:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")  # the checksum detects damage
            connection.execute(_SCHEMA)
            # fails if the table has other columns
            connection.execute("SELECT key, answer, checksum FROM answers LIMIT 1").fetchone()
        except sqlite3.OperationalError:  # locked for too long, read-only, or the disk is full
            connection.close()
            return None
        except sqlite3.DatabaseError:  # damaged
            connection.close()
            return self._anew()
        return connection

    def _anew(self) -> sqlite3.Connection | None:
        with contextlib.suppress(OSError):
            self.path.replace(self.path.with_suffix(".damaged"))
        try:
            connection = sqlite3.connect(self.path, timeout=10)
            connection.execute(_SCHEMA)
        except sqlite3.Error:
            return None
        return connection


def _throw_away() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(_SCHEMA)
    return connection


def _checksum(key: str, answer: str) -> str:
    return hashlib.sha256(f"{key}\0{answer}".encode()).hexdigest()
