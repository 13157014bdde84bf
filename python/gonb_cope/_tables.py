"""Tables on their way to the process and back."""

from __future__ import annotations

import csv
import io
import json
import sys
from importlib.util import find_spec
from numbers import Integral
from typing import Any

from ._process import Process


def is_table(value: Any) -> bool:
    """Report whether a value is a table: a DataFrame, a list of dicts, or a dict of lists."""
    if hasattr(value, "columns") and (hasattr(value, "to_csv") or hasattr(value, "write_csv") or hasattr(value, "to_pandas")):
        return True
    if isinstance(value, dict):
        return bool(value) and all((isinstance(k, str) and isinstance(v, (list, tuple))) or hasattr(v, "tolist") for k, v in value.items())
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(row, dict) for row in value)


def send(process: Process, value: Any, name: str = "table") -> str:
    """Hand a table to the process and return the path by which it is read there."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return _send_columns(process, _of_pandas(value), name)
    if hasattr(value, "get_columns") and find_spec("numpy"):
        return _send_columns(process, [_of_polars(series) for series in value.get_columns()], name)
    if hasattr(value, "write_csv"):
        text = value.write_csv().encode()
    elif hasattr(value, "to_pandas"):
        return _send_columns(process, _of_pandas(value.to_pandas()), name)
    else:
        text = _csv(value).encode()
    (number,) = process.number_blocks(1)
    return str(process.request("table", {"name": name, "csv": number}, [(number, text)]))


def _send_columns(process: Process, columns: list[tuple[str, Any, list[str] | None]], name: str) -> str:
    heads, blocks = [], []
    for (column, content, labels), number in zip(columns, process.number_blocks(len(columns))):
        head: dict[str, Any] = {"name": column, "block": number, "kind": f"{content.dtype.kind}8"}
        if labels is not None:
            head["kind"], head["labels"] = "codes", labels
        heads.append(head)
        blocks.append((number, memoryview(content).cast("B")))
    return str(process.request("table", {"name": name, "rows": len(columns[0][1]) if columns else 0, "columns": heads}, blocks))


def _of_pandas(frame: Any) -> list[tuple[str, Any, list[str] | None]]:
    """Return the columns of a DataFrame of pandas: a name, then numbers, or codes and their labels."""
    import numpy as np
    import pandas as pd

    if any(label is not None for label in frame.index.names):
        frame = frame.reset_index()  # groups that became the index are columns again
    columns: list[tuple[str, Any, list[str] | None]] = []
    for at, column in enumerate(frame.columns):
        series = frame.iloc[:, at]
        kind = getattr(series.dtype, "kind", "O")
        if kind in "iu" and isinstance(series.dtype, np.dtype) and _exact(series):
            columns.append((str(column), np.ascontiguousarray(series.to_numpy(), dtype="<i8"), None))
        elif kind == "f" or (kind in "iu" and _exact(series)):  # the latter are nullable
            columns.append((str(column), np.ascontiguousarray(series.to_numpy(dtype="<f8", na_value=np.nan)), None))
        else:
            codes, labels = pd.factorize(series)
            columns.append((str(column), np.ascontiguousarray(codes, dtype="<i4"), [str(label) for label in labels]))
    return columns


def _of_polars(series: Any) -> tuple[str, Any, list[str] | None]:
    """Return a column of polars as _of_pandas does."""
    import numpy as np
    import polars as pl

    if series.dtype.is_integer() and not series.null_count() and _exact(series):
        return series.name, np.ascontiguousarray(series.to_numpy(), dtype="<i8"), None
    if series.dtype.is_float() or (series.dtype.is_integer() and _exact(series)):
        return series.name, np.ascontiguousarray(series.to_numpy(), dtype="<f8"), None
    texts = series.cast(pl.String)
    labels = texts.unique(maintain_order=True).drop_nulls()
    places = pl.Series(range(len(labels)), dtype=pl.Int32)
    codes = texts.replace_strict(labels, places, default=-1, return_dtype=pl.Int32)
    return series.name, np.ascontiguousarray(codes.to_numpy(), dtype="<i4"), labels.to_list()


def _exact(series: Any) -> bool:
    """Report whether the whole numbers of a column are the same as float64."""
    return all(abs(int(x)) <= 2**53 for x in (series.min(), series.max()) if isinstance(x, Integral))


def _csv(value: Any) -> str:
    """Return a list of dicts or a dict of lists as CSV."""
    if isinstance(value, dict):
        columns = {k: v.tolist() if hasattr(v, "tolist") else v for k, v in value.items()}
        names, rows = list(columns), list(zip(*columns.values(), strict=True))
    else:
        names = list(dict.fromkeys(name for row in value for name in row))
        rows = [tuple(row.get(name) for name in names) for row in value]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return out.getvalue()


def frame(columns: list[tuple[str, list[Any]]]) -> Any:
    """Return columns as a DataFrame of pandas or else polars, or else as a list of dicts."""
    maker = _maker()
    if maker is None:
        names = [name for name, _ in columns]
        return [dict(zip(names, row)) for row in zip(*(cells for _, cells in columns))]
    return maker(dict(columns))


def _maker() -> Any:
    for library in ("pandas", "polars"):
        try:
            return __import__(library).DataFrame
        except ImportError:
            continue
    return None


def records(rows: list[dict[str, Any]]) -> list[tuple[str, list[Any]]]:
    """Return records of a JSON value as columns; what nests is spread over several columns."""
    flat = [_flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    return [(name, [row.get(name) for row in flat]) for name in names]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            inner = _flat(value)
            if name == "features":
                out.update({k: v for k, v in inner.items() if k not in row})
            else:
                out.update({name if k == "mean" else f"{name}_{k.removeprefix('ci95_')}": v for k, v in inner.items()})
        elif name == "ci95" and isinstance(value, list) and len(value) == 2:
            out["ci95_lo"], out["ci95_hi"] = value
        else:
            out[name] = value
    return out


def plain(value: Any) -> str:
    """Return JSON of a value, for messages."""
    return json.dumps(value, ensure_ascii=False)
