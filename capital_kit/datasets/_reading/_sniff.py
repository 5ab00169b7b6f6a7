"""What a file is, judged by its bytes: container and encoding. The name's ending decides nothing."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from capital_kit.errors import DatasetError

_MAGIC = (
    (b"PAR1", "parquet"), (b"PARE", "parquet"), (b"ARROW1", "feather"), (b"\xff\xff\xff\xff", "arrow-stream"),
    (b"\xd0\xcf\x11\xe0", "xls"), (b"\x09\x08\x10\x00", "xls"), (b"\x09\x08\x08\x00", "xls"),
    (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf", "7z"), (b"Rar!", "rar"), (b"%PDF", "pdf"),
    (b"SQLite format 3", "sqlite"), (b"\x89HDF", "hdf5"), (b"\x89PNG", "png"), (b"\xff\xd8\xff", "jpeg"),
)  # fmt: skip
_ZIPPED = (
    (b"xl/workbook.bin", "xlsb"), (b"xl/workbook", "xlsx"),
    (b"opendocument.spreadsheet", "ods"), (b"word/", "docx"),
)  # fmt: skip
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_COMMENTS = re.compile(rb"^(?:\s*<!--.*?-->)+", re.DOTALL)
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_HEAD = 4_096
_BLOCK = 4 * 1024 * 1024


def container_of(data: bytes) -> str:
    """Return ``text`` or the name of the container that the first bytes state."""
    head = data[:_HEAD]
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head.startswith(b"PK\x03\x04"):
        names = data[:65_536] + data[-65_536:]
        return next((name for mark, name in _ZIPPED if mark in names), "zip")
    start = _COMMENTS.sub(b"", head.removeprefix(codecs.BOM_UTF8)).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<table", b"<meta", b"<head")):
        return "html"
    if start.startswith(b"<") and b"<table" in start and not start.startswith(b"<?xml"):
        return "html"
    return "xml" if start.startswith(b"<?xml") else "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Text as UTF-8 bytes, without a byte order mark, and the encoding it had."""

    data: bytes
    encoding: str


def to_utf8(data: bytes, name: str, encoding: str | None = None) -> Decoded:
    """Return text as UTF-8: byte order mark, then strict UTF-8 over all bytes, then strict GB18030.

    Raises
    ------
    DatasetError
        ``dataset_not_row_readable`` for binary content and for bytes that cannot be decoded.
    """
    if encoding is not None:
        return _given(data, name, encoding)
    for mark, found in _BOMS:
        if data.startswith(mark):
            body = data[len(mark) :]
            if found != "utf-8":
                return _given(body, name, found)
            data = body
    if (offset := data.find(b"\0")) >= 0:
        if wide := _utf16_without_mark(data):
            return _given(data, name, wide)
        raise DatasetError.of("dataset_not_row_readable", name=name, offset=offset)
    if _is_utf8(data):
        return Decoded(data=data, encoding="utf-8")
    for found in ("gbk", "gb18030"):
        try:
            decoded = _transcode(data, found)
        except UnicodeDecodeError as error:
            offset = error.start
            continue
        if found == "gb18030" and _PRIVATE.search(decoded.decode("utf-8")) and _is_big5(data):
            return _given(data, name, "big5")
        return Decoded(data=decoded, encoding=found)
    raise DatasetError.of("dataset_not_row_readable", "encoding", name=name, offset=offset)


def _utf16_without_mark(data: bytes) -> str | None:
    """Return the byte order of UTF-16 text: the zero bytes of its digits and delimiters lie on one side."""
    head = np.frombuffer(data[:_HEAD], np.uint8)
    first, second = int(np.count_nonzero(head[::2] == 0)), int(np.count_nonzero(head[1::2] == 0))
    if len(data) % 2 or (first and second) or first + second < max(4, len(head) // 10):
        return None
    found = "utf-16-be" if first else "utf-16-le"
    try:
        text = data.decode(found)
    except UnicodeDecodeError:
        return None
    return found if "\0" not in text and "\n" in text.replace("\r", "\n") else None


def _is_big5(data: bytes) -> bool:
    try:
        data.decode("big5")
    except UnicodeDecodeError:
        return False
    return True


def _is_utf8(data: bytes) -> bool:
    bounds = pa.py_buffer(np.array([0, len(data)], np.int64))
    whole = pa.Array.from_buffers(pa.large_binary(), 1, [None, bounds, pa.py_buffer(data)])
    try:
        whole.cast(pa.large_string())
    except pa.ArrowInvalid:
        return False
    return True


def _given(data: bytes, name: str, encoding: str) -> Decoded:
    try:
        known = codecs.lookup(encoding).name
        # "".encode refuses codecs such as base64, which are none of text.
        _ = "".encode(encoding)
        return Decoded(data=_transcode(data, encoding).removeprefix(codecs.BOM_UTF8), encoding=known)
    except (LookupError, ValueError) as error:
        reason = getattr(error, "reason", None) or str(error)
        raise DatasetError.of(
            "dataset_not_row_readable", "given", name=name, encoding=encoding, reason=reason
        ) from None


def _transcode(data: bytes, encoding: str) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    blocks = [
        decoder.decode(data[at : at + _BLOCK], final=at + _BLOCK >= len(data)).encode("utf-8")
        for at in range(0, max(len(data), 1), _BLOCK)
    ]
    return b"".join(blocks)
