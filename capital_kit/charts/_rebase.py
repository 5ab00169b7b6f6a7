"""Several lines from one start: each is divided by its value at the first common time, times 100."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from capital_kit.charts._payload import Payload, take
from capital_kit.charts._sides import unit_of
from capital_kit.errors import ChartError

BASE = 100.0


def rebased(payload: Payload) -> Payload:
    """Return the lines on their common times (an inner join, nothing is filled in), starting at 100.

    Raises
    ------
    ChartError
        ``chart_spec_invalid`` for several units or a start that is not positive;
        ``chart_no_rows`` where no time is common to all.
    """
    units = list(dict.fromkeys(unit_of(series) for series in payload.series))
    if len(units) > 1:
        raise ChartError.of("chart_spec_invalid", "rebase_units", units=", ".join(units), allowed="1")
    common = np.flatnonzero(~np.isnan([series.values for series in payload.series]).any(axis=0))
    if len(common) == 0:
        raise ChartError.of("chart_no_rows", "common", count=len(payload.series))
    left_out = payload.rows - len(common)
    payload = take(payload, common.astype(np.int64))
    bad = next((series.label for series in payload.series if series.values[0] <= 0), None)
    if bad is not None:
        raise ChartError.of(
            "chart_spec_invalid", "rebase_start", field=bad, time=payload.text(0), allowed="> 0"
        )
    lines = tuple(
        replace(series, values=BASE * (series.values / series.values[0]), unit=None, percent=False)
        for series in payload.series
    )
    return replace(payload, series=lines, rebased=True, left_out=left_out)
