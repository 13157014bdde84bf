"""Answers under the names and with the types of the user's table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from . import _tables
from ._values import Value


class Answer(Value):
    """The recommended options and what to measure next, in the columns of the table that was given.

    ``table`` and ``next`` are DataFrames of polars if the data were one, otherwise of pandas. They begin with
    the columns of the tasks and of the arms, so that ``df.merge(a.next)`` works. ``json`` has all parts.
    """

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table of the recommended options as lists by the names of its columns."""
        return {name: list(cells) for name, cells in self._columns("table").items()}

    def to_pandas(self) -> Any:
        """Return the table of the recommended options as a DataFrame of pandas."""
        import pandas

        return _frame(pandas, self._columns("table"))

    def to_polars(self) -> Any:
        """Return the table of the recommended options as a DataFrame of polars."""
        import polars

        return _frame(polars, self._columns("table"))

    @property
    def table(self) -> Any:
        """The recommended options with their estimates: a DataFrame of pandas or polars, or else a list of dicts."""
        return self._shown("table")

    @property
    def next(self) -> Any:
        """What to measure next and how often: a DataFrame of pandas or polars, or else a list of dicts."""
        return self._shown("next")

    def __getattr__(self, name: str) -> Any:
        if name in ("picks", "arms", "pareto") and self.json.get(name):  # records of options
            return self._shown(name)
        return super().__getattr__(name)

    def _shown(self, part: str) -> Any:
        columns = self._columns(part)
        library = _library(self._tables)
        if library is None:
            return [dict(zip(columns, row)) for row in zip(*(cells for cells in columns.values()))]
        return _frame(library, columns)

    def _columns(self, part: str) -> dict[Any, _Cells]:
        """Return the columns of a list of records: of the tasks, of the arms, then the others."""
        whole = self.json
        rows = whole.get("picks" if part == "table" else part) or []
        arms, values = whole.get("arm_columns") or [], whole.get("task_values") or {}
        out: dict[Any, _Cells] = {}
        for i, name in enumerate(whole.get("task_columns") or []):
            self._add(out, name, [values[row["task"]][i] for row in rows])
        features = {name for row in rows for name in row["features"]} if arms else set()
        for name in [*arms, *sorted(features.difference(arms))]:
            self._add(out, name, [row["features"].get(name) for row in rows])
        if part == "table":
            others = [(column["name"], column["cells"]) for column in self._form("table")][2 + len(arms) if arms else 0 :]
        else:
            left_out = {"task", "arm", "label", "features"} if arms else set()
            others = _tables.records([{k: v for k, v in row.items() if k not in left_out} for row in rows]) or [("count", [])]
        for name, cells in others:
            out[_unused(name, out)] = _Cells(cells)
        return out

    def _add(self, out: dict[Any, _Cells], name: str, cells: list[Any]) -> None:
        """Add a column with the label, values and type that it has in the user's tables."""
        label: Any = name
        dtype = None
        known: dict[Hashable, Any] = {}
        for table in reversed(self._tables):  # the first one has the data
            if name in table.names:
                label, dtype = table.labels[table.names.index(name)], table.dtype(name)
                known.update(table.values(name))
        out[label] = _Cells((_found(known, cell) for cell in cells), dtype)


class _Cells(list[Any]):
    """A column with its type in the user's table."""

    def __init__(self, cells: Iterable[Any], dtype: Any = None) -> None:
        super().__init__(cells)
        self.dtype = dtype


def _found(known: dict[Hashable, Any], cell: Any) -> Any:
    """Return the cell of the user's table that the process shows as a number or a text."""
    key = _tables.shown(cell)
    if key not in known and isinstance(cell, str):
        try:
            key = _tables.shown(float(cell))
        except ValueError:
            return cell
    return known.get(key, cell)


def _unused(name: str, taken: dict[Any, Any]) -> str:
    copies, out = 0, name
    while out in taken:
        copies += 1
        out = f"{name}.{copies}"
    return out


def _library(tables: list[Any]) -> Any:
    """Return polars if the data were its DataFrame, otherwise pandas, otherwise polars; None if neither is installed."""
    names = ["pandas", "polars"]
    if tables and tables[0].library == "polars":
        names.reverse()
    for name in names:
        try:
            return __import__(name)
        except ImportError:
            continue
    return None


def _frame(library: Any, columns: dict[Any, _Cells]) -> Any:
    """Return columns as a DataFrame; a column has the type of the user's table if its cells fit."""
    own = library.__name__
    series = {label: _series(library, cells) for label, cells in columns.items()}
    if own == "polars":
        return library.DataFrame([cells.alias(label) for label, cells in series.items()])
    out = library.concat(list(series.values()), axis=1)
    out.columns = library.Index(list(series), tupleize_cols=False)
    return out


def _series(library: Any, cells: _Cells) -> Any:
    values, more = list(cells), {"strict": False} if library.__name__ == "polars" else {}
    if cells.dtype is not None and type(cells.dtype).__module__.split(".")[0] in (library.__name__, "numpy"):
        try:
            typed = library.Series(values=values, dtype=cells.dtype) if more else library.Series(values, dtype=cells.dtype)
            if [_tables.shown(x) for x in typed] == [_tables.shown(x) for x in values]:
                return typed
        except Exception:  # noqa: S110
            pass  # such as a fraction in a column of whole numbers: the type is chosen from the values
    return library.Series(values=values, **more) if more else library.Series(values)
