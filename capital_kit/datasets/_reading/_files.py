"""Files and their contents: paths, patterns, open files, and what is packed."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import itertools
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

from capital_kit.errors import DatasetError

LIMIT_MIB = 2048
LIMIT_RATIO = 400
_HARMLESS_MIB = 64
_LONGEST_LABEL = 200
_LONGEST_PATH = 1_000
_MOST_NEIGHBOURS = 5_000
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_CONTENT = re.compile(r"[^\r\n]*[\r\n]|\s*[\[{<]")
_ENDINGS = (
    ".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".xls", ".json", ".jsonl", ".ndjson", ".parquet", ".feather",
    ".arrow", ".html", ".htm", ".gz", ".bz2", ".xz", ".zip",
)  # fmt: skip
PACKED = frozenset({"gzip", "bzip2", "xz", "zip"})


def is_path(data: Any) -> bool:
    """Tell whether an object names a file."""
    return isinstance(data, str | os.PathLike)


def are_paths(data: Any) -> bool:
    """Tell whether a list names files: path objects, or texts that all end as files do."""
    return (
        isinstance(data, list | tuple)
        and bool(data)
        and all(isinstance(x, os.PathLike) or (isinstance(x, str) and _ends_as_file(x)) for x in data)
    )


def _ends_as_file(text: str) -> bool:
    return text.lower().endswith(_ENDINGS) and len(text) < _LONGEST_PATH and "\n" not in text


def path_of(data: str | os.PathLike[Any]) -> Path:
    """Return the path that a text or an object names; ``~`` is the home folder.

    Raises
    ------
    DatasetError
        ``dataset_not_found`` for an address, and for a text that is no name but the content itself.
    """
    text = os.fsdecode(data)
    if isinstance(data, str):
        if _ADDRESS.match(data):
            raise DatasetError.of("dataset_not_found", "address", name=data[:200])
        if _CONTENT.match(data) and not _ends_as_file(data.strip()):
            raise DatasetError.of("dataset_not_found", "content", start=" ".join(data.split())[:40])
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def label_of(path: Path) -> str:
    """Return what to call a file: its name, without what no text can hold."""
    name = path.name or path.absolute().name or "/"
    return name.encode("utf-8", "backslashreplace").decode("utf-8")[:_LONGEST_LABEL]


def matches(path: Path) -> list[Path] | None:
    """Return the files that a pattern names, by name; None for a path that is no pattern.

    Raises
    ------
    DatasetError
        ``dataset_not_found`` where nothing fits the pattern.
    """
    pattern = str(path)
    try:
        if not glob.has_magic(pattern) or path.exists():
            return None
        found = sorted(Path(name) for name in glob.glob(pattern, recursive=True))  # noqa: PTH207 (absolute)
    except (OSError, ValueError):
        return None
    files = [file for file in found if file.is_file()]
    if not files:
        raise DatasetError.of("dataset_not_found", "pattern", name=label_of(path))
    return files


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """Return the names of files, with as many of their folders as it takes to tell them apart."""
    depth = 1
    longest = max(len(path.parts) for path in paths)
    while depth < longest and len({path.parts[-depth:] for path in paths}) < len(set(paths)):
        depth += 1
    return ["/".join(map(label_of, map(Path, path.parts[-depth:]))) for path in paths]


def content_of(path: Path, label: str) -> bytes:
    """Return the bytes of a regular file within the limit.

    Raises
    ------
    DatasetError
        ``dataset_not_found``, ``dataset_is_directory``, ``dataset_too_large``,
        ``dataset_not_row_readable``.
    """
    try:
        if path.is_dir():
            raise DatasetError.of("dataset_is_directory", name=label)
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise DatasetError.of("dataset_not_row_readable", "special", name=label)
        check_size(status.st_size, label)
        return path.read_bytes()
    except FileNotFoundError:
        raise _not_found(path, label) from None
    except (OSError, ValueError) as error:
        if isinstance(error, DatasetError):
            raise
        raise _denied(label, error) from None


def _not_found(path: Path, label: str) -> DatasetError:
    """Return the error about a missing file, with the names beside it that are spelled alike."""
    try:
        beside = [label_of(file) for file in itertools.islice(path.parent.iterdir(), _MOST_NEIGHBOURS)]
    except OSError:
        beside = []
    if alike := get_close_matches(label, sorted(beside), n=3, cutoff=0.75):
        return DatasetError.of("dataset_not_found", "alike", name=label, alike=alike)
    return DatasetError.of("dataset_not_found", name=label)


def content_of_file(file: Any, label: str) -> bytes:
    """Return what is left to read of an open file, of text or of bytes.

    Raises
    ------
    DatasetError
        ``dataset_not_row_readable`` where it cannot be read.
    """
    try:
        content = file.read()
        return content.encode("utf-8") if isinstance(content, str) else bytes(memoryview(content))
    except (OSError, ValueError, TypeError) as error:
        raise _denied(label, error) from None


def check_size(size: int, label: str) -> None:
    """Refuse what is larger than the limit.

    Raises
    ------
    DatasetError
        ``dataset_too_large``.
    """
    if size > LIMIT_MIB * 2**20:
        raise DatasetError.of(
            "dataset_too_large", name=label, size_mib=size // 2**20, limit_mib=LIMIT_MIB
        )  # fmt: skip


def _denied(label: str, error: Exception) -> DatasetError:
    reason = getattr(error, "strerror", None) or str(error)
    return DatasetError.of("dataset_not_row_readable", "denied", name=label, reason=reason)


# ------------------------------------------------------------------ what is packed
def unpacked(content: bytes, container: str, label: str) -> tuple[bytes, str]:
    """Return the one file in a packed one, and its name.

    Raises
    ------
    DatasetError
        ``dataset_too_large`` where it would inflate beyond the limits, ``dataset_rows_ambiguous`` for a
        zip of several files, ``dataset_not_row_readable`` for a damaged or encrypted one.
    """
    name = re.sub(r"\.(gz|bz2|xz|zip)$", "", label, flags=re.IGNORECASE)
    openers: dict[str, Callable[[IO[bytes]], Any]] = {
        "gzip": lambda raw: gzip.GzipFile(fileobj=raw), "bzip2": bz2.BZ2File, "xz": lzma.LZMAFile,
    }  # fmt: skip
    try:
        if container == "zip":
            return _only_member(content, label)
        with openers[container](io.BytesIO(content)) as file:
            return _within_limits(file, len(content), label), name
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError) as error:
        raise damaged(label, container, error) from None
    except RuntimeError as error:
        if "password" not in str(error) and "encrypted" not in str(error):
            raise
        raise DatasetError.of("dataset_not_row_readable", "encrypted", name=label) from None


def _only_member(content: bytes, label: str) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [member for member in archive.infolist() if _is_meant(member)]
        names = [member.filename for member in members]
        if len(members) != 1:
            variant = "members" if members else "no_members"
            raise DatasetError.of("dataset_rows_ambiguous", variant, name=label, members=names[:10])
        check_inflation(members, label)
        with archive.open(members[0]) as file:
            return _within_limits(file, len(content), label), Path(names[0]).name


def _is_meant(member: zipfile.ZipInfo) -> bool:
    # macOS adds a shadow of each file.
    return not member.is_dir() and not member.filename.startswith("__MACOSX/")


def check_inflation(parts: Sequence[zipfile.ZipInfo], label: str) -> None:
    """Refuse a zip that would inflate beyond the limits.

    Raises
    ------
    DatasetError
        ``dataset_too_large``.
    """
    size = sum(part.file_size for part in parts)
    if size > LIMIT_MIB * 2**20 or any(part.file_size > _largest(part.compress_size) for part in parts):
        raise _inflated(label, size)


def _largest(packed: int) -> int:
    return min(LIMIT_MIB * 2**20, max(_HARMLESS_MIB * 2**20, LIMIT_RATIO * packed))


def _inflated(label: str, size: int) -> DatasetError:
    return DatasetError.of(
        "dataset_too_large", "inflated", name=label, size_mib=size // 2**20, limit_mib=LIMIT_MIB,
        ratio=LIMIT_RATIO,
    )  # fmt: skip


def damaged(label: str, form: str, error: Exception) -> DatasetError:
    """Return the error about a file that cannot be read as what it is."""
    reason = str(error).split("\n")[0][:160].rstrip(".") or type(error).__name__
    return DatasetError.of("dataset_not_row_readable", "damaged", name=label, format=form, reason=reason)


def _within_limits(file: Any, packed: int, label: str) -> bytes:
    limit = _largest(packed)
    content = bytes(file.read(limit + 1))
    if len(content) > limit:
        raise _inflated(label, len(content))
    return content


# ------------------------------------------------------------------ folders
def parquet_parts(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder, and of the folders named ``key=value`` in it."""
    try:
        if not folder.is_dir():
            return []
        found = sorted(folder.glob("*.parquet"))
        for below in sorted(folder.glob("*=*")):
            found += parquet_parts(below)
    except (OSError, ValueError):
        return []
    # What writers keep for themselves begins so.
    return [part for part in found if part.is_file() and not part.name.startswith(("_", "."))]


def not_read(folder: Path) -> list[str]:
    """Return the names of the files in a folder of Parquet parts that are none."""
    names = sorted(label_of(file) for file in folder.iterdir() if file.is_file())
    return [name for name in names if not name.startswith(("_", ".")) and not name.endswith(".parquet")]
