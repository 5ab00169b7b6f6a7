"""The workspace: one folder, shared by all kernels and processes that work in it.

``.capital-kit/`` in the working directory, or what ``CAPITAL_KIT_HOME`` names, made on the first
write. Files are written under a temporary name, flushed and renamed, so a reader sees a whole
file or none. ``registry.sqlite`` (WAL mode) holds what must be decided once, such as the taking
of a chart source: each decision is one transaction.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capital_kit._core.records import plain
from capital_kit.errors import WorkspaceError

__all__ = ["SESSION_TASK", "Record", "Registry", "StagedFolder", "Workspace", "new_reference"]

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    kind TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL,
    created_at REAL NOT NULL, expires_at REAL, body TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID
"""
_SELECT = "SELECT kind, key, state, created_at, expires_at, body FROM records"


@dataclass(frozen=True, slots=True)
class Record:
    """One row of the registry; times are seconds since the epoch, UTC."""

    kind: str
    key: str
    state: str
    created_at: float
    expires_at: float | None
    body: dict[str, Any]


class Registry:
    """The registry inside one transaction; see :meth:`Workspace.transaction`."""

    def __init__(self, connection: sqlite3.Connection, now: float) -> None:
        self._connection = connection
        self.now = now

    def put(
        self,
        kind: str,
        key: str,
        body: Mapping[str, Any],
        *,
        state: str = "stored",
        expires_at: float | None = None,
    ) -> None:
        """Insert or replace a record."""
        text = json.dumps(plain(body), ensure_ascii=False, allow_nan=False, sort_keys=True)
        self._connection.execute(
            "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)",
            (kind, key, state, self.now, expires_at, text),
        )

    def get(self, kind: str, key: str) -> Record | None:
        """Return one record or None."""
        return next(self._select("WHERE kind = ? AND key = ?", (kind, key)), None)

    def find(self, kind: str) -> list[Record]:
        """Return the records of a kind, oldest first."""
        return list(self._select("WHERE kind = ? ORDER BY created_at, key", (kind,)))

    def change(self, kind: str, key: str, *, before: str, after: str) -> bool:
        """Change the state of a record if it is still ``before``; tell whether it was."""
        cursor = self._connection.execute(
            "UPDATE records SET state = ? WHERE kind = ? AND key = ? AND state = ?",
            (after, kind, key, before),
        )
        return cursor.rowcount == 1

    def _select(self, where: str, values: tuple[str, ...]) -> Iterator[Record]:
        for row in self._connection.execute(f"{_SELECT} {where}", values):
            kind, key, state, created_at, expires_at, body = row
            yield Record(kind, key, state, created_at, expires_at, json.loads(body))


class Workspace:
    """A folder for what must outlive a kernel.

    Parameters
    ----------
    path : str or Path, optional
        The folder. Default: ``CAPITAL_KIT_HOME``, else ``.capital-kit`` in the working directory.
    clock : callable, optional
        Returns seconds since the epoch; tests put their own here.

    Raises
    ------
    WorkspaceError
        ``workspace_not_writable`` when the folder or the disk refuses a write,
        ``workspace_corrupt`` when the registry is no database.
    """

    def __init__(self, path: str | Path | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(path or os.environ.get("CAPITAL_KIT_HOME") or ".capital-kit")
        self.clock = clock

    @classmethod
    def of(cls, workspace: Workspace | str | Path | None) -> Workspace:
        """Return ``workspace`` itself, or the one at a path, or the default one."""
        return workspace if isinstance(workspace, Workspace) else cls(workspace)

    def __repr__(self) -> str:
        return f"Workspace({self.path.name!r})"

    # ------------------------------------------------------------------ files
    def file(self, *parts: str) -> Path:
        """Return the path of a file or folder of the workspace; the parts are plain names."""
        for part in parts:
            if not _PART.fullmatch(part) or part.endswith("."):
                raise WorkspaceError.of("workspace_path_invalid", name=part[:80])
        return self.path.joinpath(*parts)

    def write(self, *parts: str, data: bytes) -> Path:
        """Write one file whole or not at all; return its path."""
        target = self.file(*parts)
        with self.writing():
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".tmp-", dir=target.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(target)
            except BaseException:
                with suppress(OSError):
                    Path(name).unlink()
                raise
        return target

    def stage(self, *parts: str, files: Mapping[str, bytes]) -> StagedFolder:
        """Write a folder under a temporary name; ``commit()`` gives it its own, ``drop()`` none."""
        target = self.file(*parts)
        names = {name: self.file(name).name for name in files}
        with self.writing():
            target.parent.mkdir(parents=True, exist_ok=True)
            staged = Path(tempfile.mkdtemp(prefix=".tmp-", dir=target.parent))
            try:
                for name, data in files.items():
                    with (staged / names[name]).open("wb") as file:
                        file.write(data)
                        file.flush()
                        os.fsync(file.fileno())
            except BaseException:
                shutil.rmtree(staged, ignore_errors=True)
                raise
        return StagedFolder(self, staged, target)

    # --------------------------------------------------------------- registry
    @contextmanager
    def transaction(self) -> Iterator[Registry]:
        """Open the registry for one decision: all of the block takes effect, or nothing."""
        with self.writing():
            self.path.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path / "registry.sqlite", timeout=30, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(_SCHEMA)
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield Registry(connection, self.clock())
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
            finally:
                connection.close()

    def get(self, kind: str, key: str) -> Record | None:
        """Return one record; None also where nothing was ever written."""
        if not (self.path / "registry.sqlite").is_file():
            return None
        with self.transaction() as registry:
            return registry.get(kind, key)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what the disk or SQLite refuses into a :class:`WorkspaceError`."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._refused(error) from None
        except sqlite3.DatabaseError as error:
            raise WorkspaceError.of("workspace_corrupt", folder=self.path.name, reason=str(error)) from None
        except OSError as error:
            raise self._refused(error) from None

    def _refused(self, error: Exception) -> WorkspaceError:
        reason = getattr(error, "strerror", None) or str(error)
        return WorkspaceError.of("workspace_not_writable", folder=self.path.name, reason=reason)


@dataclass(frozen=True, slots=True)
class StagedFolder:
    """A folder that is written but not yet seen; see :meth:`Workspace.stage`."""

    workspace: Workspace
    staged: Path
    target: Path

    def commit(self) -> Path:
        """Give the folder its name. An equal one that is already there stays."""
        with self.workspace.writing():
            if self.target.exists():
                self.drop()
            else:
                self.staged.rename(self.target)
        return self.target

    def drop(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.staged, ignore_errors=True)


def new_reference(prefix: str) -> str:
    """Return an opaque reference that nobody can guess, such as ``cs_4f0c…`` (128 bits)."""
    return f"{prefix}_{secrets.token_hex(16)}"


SESSION_TASK = f"session_{secrets.token_hex(8)}"
"""The task of this process, where the caller names none."""
