"""The arms of a search, both as given and as rows of a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import product
from typing import Any

from . import _names, _tables


class Arms(list[Any]):
    """Arms, unchanged: values or dicts, from a list, a DataFrame, or the combinations of a dict of lists."""

    def __init__(self, given: Any) -> None:
        different: dict[Hashable, Any] = {}
        for arm in listed(given):
            different.setdefault(_names.identity(arm), arm)
        super().__init__(different.values())
        if len(self) < 2:
            raise ValueError(f"arms has {len(self)} arms; to choose, there must be at least 2")
        self._place = {_names.identity(arm): i for i, arm in enumerate(self)}
        rows = _rows(self)
        labels = list({_names.identity(name): name for row in rows for name in row}.values())
        own = _tables.headers(["_task", "_reward", "_failed", *labels])[3:]  # names of columns, all different
        self._cells = {c: _Cells([row.get(label, _names.ABSENT) for row in rows]) for c, label in zip(own, labels)}
        self.columns = own
        self._by_cells = {key: i for i, key in enumerate(zip(*(cells.keys for cells in self._cells.values())))}
        self.first = min(max(3, len(self.columns) + 1), len(self))  # how many each task begins with

    def place(self, arm: Any) -> int | None:
        """Return the place of an arm, or None if there is no such arm."""
        return self._place.get(_names.identity(arm))

    def of(self, features: dict[str, Any]) -> int:
        """Return the place of the arm that has the features of an answer."""
        key = tuple(cells.key(features.get(c)) for c, cells in self._cells.items())
        if key in self._by_cells:
            return self._by_cells[key]
        # a number may be printed with fewer digits
        return min(range(len(self)), key=lambda i: sum(cells.distance(i, features.get(c)) for c, cells in self._cells.items()))

    def table(self, places: list[int]) -> list[_tables.Column]:
        """Return the columns of a table with one arm per row."""
        return [cells.column(c, places) for c, cells in self._cells.items()]

    def without(self, places: Iterable[int]) -> list[int]:
        """Return the places of the other arms."""
        taken = set(places)
        return [i for i in range(len(self)) if i not in taken]


class _Cells:
    """A column of the table of arms: numbers if all values are numbers, otherwise a name for each different value."""

    def __init__(self, values: list[Any]) -> None:
        self.numbers = all(_names.is_feature(value) for value in values)
        named: dict[Hashable, Any] = {}
        if self.numbers:
            for value in values:  # numbers that agree to 15 digits are one
                named.setdefault(_names.identity(value), value)
        else:
            named = dict(_names.names(values))
        self.values = [named[_names.identity(value)] for value in values]
        self.keys = [self.key(value) for value in self.values]

    def key(self, value: Any) -> Hashable:
        """Return a key that is equal for cells with the same value."""
        if not self.numbers:
            return str(value)
        try:
            return _names.identity(float(value))
        except (TypeError, ValueError):
            return None

    def distance(self, place: int, shown: Any) -> float:
        """Return the difference between a cell and a cell of an answer."""
        if not self.numbers:
            return float(self.values[place] != shown)
        own, other = _names.number(self.values[place]), float(shown)
        return abs(own - other) / max(abs(own), abs(other), 1e-300)

    def column(self, name: str, places: list[int]) -> _tables.Column:
        return _tables.of_list(name, [self.values[i] for i in places])


def listed(given: Any) -> list[Any]:
    """Return the arms one by one."""
    if hasattr(given, "collect_schema") and hasattr(given, "collect"):
        given = given.collect()  # a LazyFrame of polars
    if hasattr(given, "columns"):  # of pandas, polars or pyarrow
        return list(given.to_dict("records") if hasattr(given, "iloc") else given.to_dicts() if hasattr(given, "to_dicts") else given.to_pylist())
    if isinstance(given, dict):
        return [dict(zip(given, values)) for values in product(*given.values())]
    if hasattr(given, "tolist") and getattr(getattr(given, "dtype", None), "kind", "") not in "mM":
        return list(given.tolist())
    return list(given)


def _rows(arms: list[Any]) -> list[dict[str, Any]]:
    """Return the features of each arm by their names."""
    if all(isinstance(arm, dict) for arm in arms):
        return arms
    if all(isinstance(arm, (list, tuple)) and arm and len(arm) == len(arms[0]) for arm in arms):
        return [{f"x_{i + 1}": x for i, x in enumerate(arm)} for arm in arms]
    return [{"arm": arm} for arm in arms]
