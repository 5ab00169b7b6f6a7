"""Files written in one step: the whole new file or the old one, never a part."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(target: Path, data: bytes) -> None:
    """Write ``data`` beside ``target`` and rename it there; missing folders are made.

    Raises
    ------
    OSError
        The file cannot be written; nothing is left behind.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".tmp-", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner reads; a report is meant to be passed on.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
