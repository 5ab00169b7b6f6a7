"""The fingerprint of a dataset: equal data, equal hash, however the table is cut into chunks."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._arrays import scalar_of, to_numpy
from capital_kit.datasets._threads import over_columns

if TYPE_CHECKING:
    from capital_kit.datasets._model import Dataset

_VERSION = b"capital-kit dataset 1"


def fingerprint(dataset: Dataset) -> str:
    """Return the SHA-256 of a dataset's names, kinds and values as hexadecimal digits.

    Chunks, slices, unused bytes under nulls and the payload of NaN do not count; the order of
    rows and columns does.
    """
    cells = [dataset.table.column(place) for place in range(len(dataset.columns))]
    digests = over_columns(_of_column, cells, cells=dataset.rows * len(cells))
    whole = hashlib.sha256(_VERSION)
    whole.update(str(dataset.rows).encode())
    for column, digest in zip(dataset.columns, digests, strict=True):
        head = json.dumps([column.name, column.kind], ensure_ascii=True)
        whole.update(head.encode())
        whole.update(digest)
    return whole.hexdigest()


def _of_column(values: pa.ChunkedArray) -> bytes:
    parts = [hashlib.sha256() for _ in range(3)]
    has_nulls = values.null_count > 0
    for chunk in values.chunks:
        stated = to_numpy(pc.is_valid(chunk).cast(pa.uint8()))
        if has_nulls:
            parts[0].update(stated.data)
        if pa.types.is_string(chunk.type):
            filled = pc.coalesce(chunk, scalar_of("", pa.string())) if chunk.null_count else chunk
            parts[1].update(to_numpy(pc.binary_length(filled)).data)
            parts[2].update(_text_bytes(filled))
        else:
            parts[1].update(_canonical(chunk, stated).data)
    return b"".join(part.digest() for part in parts)


def _canonical(chunk: pa.Array, stated: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    values = to_numpy(chunk.cast(pa.uint8()) if pa.types.is_boolean(chunk.type) else chunk)
    if chunk.null_count:
        values = np.where(stated.astype(np.bool_), values, values.dtype.type(0))
    if values.dtype.kind == "f" and (odd := np.isnan(values)).any():
        values = np.where(odd, np.nan, values)
    return values


def _text_bytes(texts: pa.Array) -> memoryview:
    _, offsets, data = texts.buffers()
    if data is None or not len(texts):
        return memoryview(b"")
    bounds = np.frombuffer(offsets, dtype=np.int32)
    return memoryview(data)[bounds[texts.offset] : bounds[texts.offset + len(texts)]]
