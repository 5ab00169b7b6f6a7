"""Chart sources: a reference to a dataset that lives fifteen minutes and draws one chart."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.charts._chart import as_chart_error
from capital_kit.datasets import Column, Dataset, Source, as_dataset
from capital_kit.errors import ChartError, DatasetError, WorkspaceError
from capital_kit.workspace import SESSION_TASK, Record, Registry, Workspace, new_reference

KIND = "chart_source"
FOLDER = "datasets"
LIFETIME = 15 * 60
MAX_TASK = 256
_REFERENCE = re.compile(r"cs_[A-Za-z0-9_-]{1,128}")
_META = b"capital_kit"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ChartSource:
    """A reference that ``render_chart`` takes once, within fifteen minutes.

    Attributes
    ----------
    chart_source_ref : str
        The reference; it says nothing about the data.
    dataset_id, task_id : str
        What it draws, and who may.
    expires_at : int
        Milliseconds since the epoch; at that moment it has expired.
    """

    chart_source_ref: str
    dataset_id: str
    task_id: str
    expires_at: int

    def to_dict(self) -> dict[str, Any]:
        """Return the four fields."""
        return {
            "chart_source_ref": self.chart_source_ref,
            "dataset_id": self.dataset_id,
            "task_id": self.task_id,
            "expires_at": self.expires_at,
        }

    def __repr__(self) -> str:
        return f"ChartSource({self.dataset_id!r})"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        from capital_kit.charts._cards import source_card

        return source_card(self)


def prepare_chart_source(
    data: Any, task_id: str | None = None, *, workspace: Workspace | str | Path | None = None
) -> ChartSource:
    """Keep a dataset for drawing and return a reference to it.

    Parameters
    ----------
    data : Dataset, Description, DataFrame, path or anything that ``read_dataset`` takes
        The rows; a document is refused.
    task_id : str, optional
        The task that may draw it. Default: this process.
    workspace : Workspace or path, optional
        Where it is kept.

    Raises
    ------
    ChartError
        ``chart_source_invalid`` for documents, empty or unreadable data, with its ``cause``;
        ``chart_write_failed`` when the workspace refuses.
    """
    place = Workspace.of(workspace)
    dataset = _rows(data)
    task = checked_task(task_id)
    reference = new_reference("cs")
    try:
        packed = _packed(dataset)
        # Equal rows of two files share an id, not a label or a unit: the name covers all of it.
        digest = hashlib.sha256(packed).hexdigest()
        name = f"{dataset.dataset_id}_{digest[:12]}.arrow"
        if not _is_whole(place.file(FOLDER, name), digest):
            place.write(FOLDER, name, data=packed)
        with place.transaction() as registry:
            expires = registry.now + LIFETIME
            body = {"dataset_id": dataset.dataset_id, "file": name, "sha256": digest, "task_id": task}
            registry.put(KIND, reference, body, state="open", expires_at=expires)
    except WorkspaceError as error:
        raise write_failed(error) from None
    return ChartSource(
        chart_source_ref=reference, dataset_id=dataset.dataset_id, task_id=task,
        expires_at=int(expires * 1000),
    )  # fmt: skip


def open_source(place: Workspace, reference: Any, task_id: str | None) -> tuple[Record, Dataset]:
    """Check a reference and return its record and dataset; nothing is consumed."""
    if not isinstance(reference, str) or not _REFERENCE.fullmatch(reference):
        raise ChartError.of("chart_source_invalid", ref=str(reference)[:40])
    task = checked_task(task_id)
    try:
        record = place.get(KIND, reference)
    except WorkspaceError as error:
        raise write_failed(error) from None
    refuse_unless_open(record, place.clock())
    assert record is not None
    if record.body["task_id"] != task:
        raise ChartError.of("chart_source_scope_mismatch")
    return record, _kept(place.file(FOLDER, str(record.body["file"])), str(record.body["sha256"]))


def refuse_unless_open(record: Record | None, now: float) -> None:
    """Raise ``chart_source_expired`` with the reason unless the source can still be taken."""
    if record is None:
        raise ChartError.of("chart_source_expired", "unknown", reason="unknown")
    if record.state != "open":
        raise ChartError.of("chart_source_expired", "consumed", reason="consumed")
    if record.expires_at is not None and record.expires_at <= now:
        raise ChartError.of("chart_source_expired", "expired", reason="expired")


def consume(registry: Registry, reference: str) -> None:
    """Take the source for good, inside the transaction that stores the chart."""
    refuse_unless_open(registry.get(KIND, reference), registry.now)
    if not registry.change(KIND, reference, before="open", after="consumed"):
        raise ChartError.of("chart_source_expired", "consumed", reason="consumed")


def checked_task(task_id: str | None) -> str:
    """Return the task, the one of this process by default."""
    if task_id is None:
        return SESSION_TASK
    if not isinstance(task_id, str) or not 1 <= len(task_id) <= MAX_TASK:
        raise ChartError.of("chart_source_invalid", "task")
    return task_id


def write_failed(error: WorkspaceError) -> ChartError:
    """Return what the workspace refused as a chart error."""
    return ChartError.of("chart_write_failed", reason=error.message, cause=error.code)


def _rows(data: Any) -> Dataset:
    from capital_kit.datasets import Description, PartitionedDataset

    try:
        dataset = data.dataset if isinstance(data, Description) else as_dataset(data)
    except DatasetError as error:
        raise as_chart_error(error) from None
    if dataset.shape != "rows":
        raise ChartError.of("chart_source_invalid", "document", cause="dataset_format_unsupported")
    if isinstance(dataset, PartitionedDataset):
        raise ChartError.of(
            "chart_source_invalid", "partitioned", source=dataset.source.label, rows=dataset.rows,
            cause="dataset_too_large",
        )  # fmt: skip
    if dataset.rows == 0:
        raise ChartError.of(
            "chart_source_invalid", "empty", source=dataset.source.label, cause="dataset_empty"
        )
    return dataset


# ----------------------------------------------------------------------------------- keeping data
def _is_whole(path: Path, digest: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def _kept(path: Path, digest: str) -> Dataset:
    """Return a kept dataset; one that is gone is unknown, one that was changed is refused."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ChartError.of("chart_source_expired", "unknown", reason="unknown") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ChartError.of(
            "chart_source_invalid", "data", reason=reason, cause="dataset_unreadable"
        ) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise ChartError.of("chart_source_invalid", "damaged", cause="dataset_damaged")
    return _unpacked(data)


def _packed(dataset: Dataset) -> bytes:
    import pyarrow as pa

    about = {
        "columns": plain([_fields(column) for column in dataset.columns]),
        "source": plain(_fields(dataset.source)),
        "warnings": [
            {"area": told.area, "code": told.code, "details": plain(told.details)}
            for told in dataset.warnings
        ],
    }  # fmt: skip
    text = json.dumps(about, ensure_ascii=False, sort_keys=True).encode()
    table = dataset.table.replace_schema_metadata({**(dataset.table.schema.metadata or {}), _META: text})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _unpacked(data: bytes) -> Dataset:
    import pyarrow as pa

    table = pa.ipc.open_file(pa.py_buffer(data)).read_all()
    metadata: dict[bytes, bytes] = dict(table.schema.metadata)
    about = json.loads(metadata.pop(_META))
    return Dataset(
        table=table.replace_schema_metadata(metadata or None),
        columns=tuple(Column(**fields) for fields in about["columns"]),
        source=Source(**about["source"]),
        warnings=tuple(Notice(item["area"], item["code"], **item["details"]) for item in about["warnings"]),
    )


def _fields(record: Any) -> Mapping[str, Any]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}
