"""Tables on their way to the process and back."""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Collection, Hashable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from math import isfinite, nan
from numbers import Integral
from typing import Any, NamedTuple

from . import _names
from ._process import Process

_EXACT = 10**15  # whole numbers from here on are sent as names: they may be ids


class Column(NamedTuple):
    """A column to send: float64 or int64, or for each row the index of its name in labels, -1 for an empty cell."""

    name: str
    content: Any  # what memoryview takes
    kind: str  # "f8", "i8" or "codes"
    labels: list[str] | None = None


class Columns(list[Column]):
    """A table whose columns are ready to be sent."""


def is_table(value: Any) -> bool:
    """Report whether a value is a table: a DataFrame, a list of dicts, or a dict of lists."""
    if isinstance(value, Columns) or is_frame(value):
        return True
    if isinstance(value, dict):
        return bool(value) and all(isinstance(v, (list, tuple, range)) or hasattr(v, "tolist") or hasattr(v, "to_list") for v in value.values())
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(row, dict) for row in value)


def is_frame(value: Any) -> bool:
    """Report whether a value is a DataFrame of some package."""
    return _is_lazy(value) or (hasattr(value, "columns") and any(hasattr(value, name) for name in ("to_csv", "write_csv", "to_pandas", "to_pydict")))


def _is_lazy(value: Any) -> bool:
    return hasattr(value, "collect") and hasattr(value, "collect_schema")  # of polars; to ask it for columns is slow


class Table:
    """A table of Python: the labels of its columns, their names in the process, and their cells."""

    def __init__(self, value: Any) -> None:
        found = _columns_of(value)
        self.labels, self._cells = [label for label, _ in found], [cells for _, cells in found]
        self.names = headers(self.labels)

    def named(self, wanted: Any) -> Any:
        """Return the name of a column from its label, or of each of several; other texts are returned unchanged."""
        if _is_label(wanted):
            found = [name for label, name in zip(self.labels, self.names) if label == wanted]
            if len(found) > 1:
                raise ValueError(f"{len(found)} columns are named {wanted!r}; rename all except the one that you mean")
            if found:
                return found[0]
        if hasattr(wanted, "tolist"):
            wanted = wanted.tolist()
            return self.named(wanted)
        if isinstance(wanted, (list, tuple)):
            return [self.named(one) for one in wanted]
        if _names.is_number(wanted):
            raise ValueError(f"the table has no column {wanted!r}; the columns are {', '.join(repr(label) for label in self.labels[:12])}")
        return wanted

    @property
    def library(self) -> str:
        """The package of the columns, such as pandas."""
        return type(self._cells[0]).__module__.split(".")[0] if self._cells else ""

    def dtype(self, name: str) -> Any:
        """Return the type of a column in its package; None for lists."""
        return getattr(self._cells[self.names.index(name)], "dtype", None)

    def values(self, name: str) -> dict[Hashable, Any]:
        """Return the different cells of a column by what the process shows of them."""
        cells = self._cells[self.names.index(name)]
        if hasattr(cells, "iloc") or hasattr(cells, "to_list"):
            with suppress(TypeError, ValueError, RuntimeError):  # lists and the like have no hash
                cells = cells.drop_duplicates() if hasattr(cells, "iloc") else cells.unique(maintain_order=True)
        column = self._column(name, cells, False)
        sent = column.content if column.labels is None else [column.labels[code] if code >= 0 else None for code in column.content]
        return {shown(one): cell for one, cell in zip(reversed(list(sent)), reversed(list(cells)))}

    def columns(self, measured: Collection[str] = ()) -> Columns:
        """Return the columns to send; measured names the columns of numbers."""
        return Columns(self._column(header, cells, header in measured) for header, cells in zip(self.names, self._cells))

    @staticmethod
    def _column(name: str, cells: Any, measured: bool) -> Column:
        column = _column(name, cells, measured)
        if column.labels and name.startswith("params."):  # MLflow has all parameters as texts
            with suppress(ValueError):
                numbers = [float(label) for label in column.labels]
                if all(map(isfinite, numbers)):
                    return Column(name, array("d", [numbers[code] if code >= 0 else nan for code in column.content]), "f8")
        return column


def shown(cell: Any) -> Hashable:
    """Return a key that is equal for cells that the process shows alike."""
    return None if _names.is_missing(cell) else str(cell) if isinstance(cell, str) else _names.identity(cell)


def _is_label(wanted: Any) -> bool:
    try:
        hash(wanted)
    except TypeError:
        return False
    return True


def send(process: Process, value: Any, name: str = "table") -> str:
    """Send a table to the process and return the path that scripts use for it."""
    return send_columns(process, value if isinstance(value, Columns) else Table(value).columns(), name)


def send_columns(process: Process, columns: Sequence[Column], name: str) -> str:
    """Send columns to the process and return the path that scripts use for the table."""
    heads, blocks = [], []
    for column, number in zip(columns, process.number_blocks(len(columns))):
        head: dict[str, Any] = {"name": column.name, "block": number, "kind": column.kind}
        if column.labels is not None:
            head |= {"labels": column.labels, "text": True}
        heads.append(head)
        blocks.append((number, memoryview(column.content).cast("B")))
    rows = len(columns[0].content) if columns else 0
    return str(process.request("table", {"name": name, "rows": rows, "columns": heads}, blocks))


def _columns_of(value: Any) -> list[tuple[Any, Any]]:
    """Return the columns of a table: labels and cells, which are a series of pandas or polars or a list."""
    if _is_lazy(value):
        value = value.collect()
    pandas: Any = sys.modules.get("pandas")
    if hasattr(value, "column_names") and hasattr(value, "to_pydict"):  # of pyarrow
        pandas = import_module("pandas") if find_spec("pandas") else None
        value = value.to_pandas(types_mapper=pandas.ArrowDtype) if pandas else value.to_pydict()
    elif hasattr(value, "to_pandas") and not hasattr(value, "get_columns") and (pandas is None or not isinstance(value, pandas.DataFrame)):
        value = value.to_pandas()
    if hasattr(value, "iloc"):
        index = [(label, value.index.get_level_values(i).to_series()) for i, label in enumerate(value.index.names) if label is not None]
        own = set(value.columns)  # groups that became the index are columns again
        return [(label, cells) for label, cells in index if label not in own] + [(label, value.iloc[:, i]) for i, label in enumerate(value.columns)]
    if hasattr(value, "get_columns"):
        return [(series.name, series) for series in value.get_columns()]
    if isinstance(value, dict):
        columns = [(label, _as_list(cells)) for label, cells in value.items()]
        if len({len(cells) for _, cells in columns}) > 1:
            lengths = ", ".join(f"{label!r} has {len(cells)}" for label, cells in columns[:6])
            raise ValueError(f"the columns of a table need the same number of rows; {lengths}")
        return columns
    labels = list(dict.fromkeys(label for row in value for label in row))
    return [(label, [row.get(label) for row in value]) for label in labels]


def _as_list(cells: Any) -> list[Any]:
    if getattr(getattr(cells, "dtype", None), "kind", "") in "mM":  # tolist would give whole numbers
        return list(cells)
    return cells.tolist() if hasattr(cells, "tolist") else cells.to_list() if hasattr(cells, "to_list") else list(cells)


def headers(labels: list[Any]) -> list[str]:
    """Return the names of columns in the process: all different, and none empty."""
    taken: set[str] = set()
    out = []
    for at, label in enumerate(labels):
        parts = label if isinstance(label, tuple) else (label,)  # levels of pandas
        text = " ".join(str(part) for part in parts if part is not None and str(part)).strip() or f"column {at + 1}"
        name, copies = text, 0
        while name in taken:
            copies += 1
            name = f"{text}.{copies}"  # as pandas names them
        taken.add(name)
        out.append(name)
    return out


def _column(name: str, cells: Any, measured: bool) -> Column:
    """Return a column to send. A measured column becomes numbers if possible."""
    if hasattr(cells, "iloc"):
        return _of_pandas(name, cells, measured)
    if hasattr(cells, "to_list"):
        return _of_polars(name, cells, measured) if find_spec("numpy") else of_list(name, cells.to_list(), measured)
    return of_list(name, cells, measured)


def of_list(name: str, cells: list[Any], measured: bool = False) -> Column:
    """Return values of any types as a column: numbers if all values are numbers, otherwise a name for each different value."""
    if measured:
        cells = [int(value) if type(value).__name__ in ("bool", "bool_") else value for value in cells]
    there = [value for value in cells if not _names.is_missing(value)]
    if there and all(_names.is_number(value) for value in there) and (measured or not any(_is_long(value) for value in there)):
        if len(there) == len(cells) and all(isinstance(value, Integral) and not _is_long(value) for value in there):
            return Column(name, array("q", map(int, there)), "i8")
        numbers = iter(there)
        return Column(name, array("d", [float("nan") if _names.is_missing(value) else _names.number(next(numbers)) for value in cells]), "f8")
    as_they_are = measured or all(isinstance(value, str) for value in there)  # "<0.05" and "failed" among numbers, or names
    known = {_names.identity(value): str(value) for value in there} if as_they_are else _names.names(there)
    labels = list(dict.fromkeys(known.values()))
    place = {label: i for i, label in enumerate(labels)}
    return Column(name, array("i", [-1 if _names.is_missing(value) else place[known[_names.identity(value)]] for value in cells]), "codes", labels)


def _is_long(value: Any) -> bool:
    return isinstance(value, Integral) and abs(int(value)) >= _EXACT


def _of_pandas(name: str, series: Any, measured: bool) -> Column:
    import numpy as np
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype) and pd.api.types.infer_dtype(series.cat.categories) != "string":
        series = series.astype(object)
    kind = getattr(series.dtype, "kind", "O")
    if kind == "b" and measured:
        series, kind = series.astype("Int8"), "i"
    if kind in "iu" and (measured or _are_exact(series)):
        if series.isna().any() or not _are_exact(series):
            return Column(name, np.ascontiguousarray(series.to_numpy(dtype="<f8", na_value=np.nan)), "f8")
        return Column(name, np.ascontiguousarray(series.to_numpy(dtype="<i8")), "i8")
    if kind == "f":
        numbers = np.ascontiguousarray(series.to_numpy(dtype="<f8", na_value=np.nan))
        if getattr(series.dtype, "itemsize", 8) < 8:
            numbers = _as_printed(numbers, series.to_numpy(dtype=f"<f{series.dtype.itemsize}", na_value=np.nan))
        return Column(name, numbers, "f8")
    if kind == "O" and pd.api.types.infer_dtype(series, skipna=True) not in ("string", "empty", "categorical"):
        return of_list(name, series.tolist(), measured)
    codes, labels = pd.factorize(series)
    return Column(name, np.ascontiguousarray(codes, dtype="<i4"), "codes", [str(label) for label in labels])


def _as_printed(numbers: Any, short: Any) -> Any:
    """Return numbers of 32 bits and fewer as they print: 0.1 and not 0.10000000149."""
    import numpy as np

    different, places = np.unique(short, return_inverse=True)
    if len(different) * 2 > len(numbers) and len(numbers) > 1000:  # probably measurements, not settings
        return numbers
    return np.ascontiguousarray(np.array([float(str(x)) for x in different], dtype="<f8")[places])


def _of_polars(name: str, series: Any, measured: bool) -> Column:
    import numpy as np
    import polars as pl

    kind = series.dtype
    if kind == pl.Boolean and measured:
        series = series.cast(pl.Int8)
    if series.dtype.is_integer() and (measured or _are_exact(series)):
        if series.null_count() or not _are_exact(series):
            return Column(name, np.ascontiguousarray(series.cast(pl.Float64).to_numpy(), dtype="<f8"), "f8")
        return Column(name, np.ascontiguousarray(series.to_numpy(), dtype="<i8"), "i8")
    if kind.is_float() or kind.is_decimal():
        numbers = np.ascontiguousarray(series.cast(pl.Float64).to_numpy(), dtype="<f8")
        return Column(name, _as_printed(numbers, series.to_numpy()) if kind == pl.Float32 else numbers, "f8")
    if kind.is_nested() or kind in (pl.Object, pl.Binary, pl.Null):
        return of_list(name, series.to_list(), measured)
    if kind == pl.Duration:  # polars cannot cast it to text
        return of_list(name, series.to_list(), measured)
    texts = series.cast(pl.String)
    labels = texts.unique(maintain_order=True).drop_nulls()
    places = pl.Series(range(len(labels)), dtype=pl.Int32)
    codes = texts.replace_strict(labels, places, default=-1, return_dtype=pl.Int32)
    return Column(name, np.ascontiguousarray(codes.to_numpy(), dtype="<i4"), "codes", labels.to_list())


def _are_exact(series: Any) -> bool:
    """Report whether no whole number of a column is as long as an id."""
    return not any(_is_long(x) for x in (series.min(), series.max()))


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
    """Return records of a JSON value as columns; nested values become several columns."""
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
        elif name == "ci95" and (value is None or (isinstance(value, list) and len(value) == 2)):
            out["ci95_lo"], out["ci95_hi"] = value or (None, None)
        else:
            out[name] = value
    return out


def plain(value: Any) -> str:
    """Return JSON of a value, for messages."""
    return json.dumps(value, ensure_ascii=False)
