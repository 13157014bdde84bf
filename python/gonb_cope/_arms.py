"""The arms that someone chooses from, as they were given and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any


class Arms(list[Any]):
    """Arms as they were given: values or dicts, from a list, a DataFrame, or a dict of lists whose combinations they are."""

    def __init__(self, given: Any) -> None:
        if hasattr(given, "to_dict") and hasattr(given, "columns"):
            found = given.to_dict("records") if hasattr(given, "iloc") else given.to_dicts()
        elif isinstance(given, dict):
            found = [dict(zip(given, values)) for values in product(*given.values())]
        else:
            found = given.tolist() if hasattr(given, "tolist") else list(given)
            if found and isinstance(found[0], (list, tuple)):
                found = [{f"x_{i + 1}": x for i, x in enumerate(row)} for row in found]
        super().__init__({_key(arm): arm for arm in found}.values())
        if len(self) < 2:
            raise ValueError(f"arms has {len(self)} arms; to choose, there must be at least 2")
        self._place = {_key(arm): i for i, arm in enumerate(self)}
        rows = [arm if isinstance(arm, dict) else {"arm": arm} for arm in self]
        self.columns = list(dict.fromkeys(name for row in rows for name in row))
        self.rows = [{c: row.get(c) for c in self.columns} for row in rows]
        self.first = min(max(3, len(self.columns) + 1), len(self))  # how many each task begins with

    def place(self, arm: Any) -> int | None:
        """Return the place of an arm, None where there is no such arm."""
        return self._place.get(_key(arm))

    def of(self, features: dict[str, Any]) -> int:
        """Return the place of the arm that an answer has by its features."""
        return next(i for i, row in enumerate(self.rows) if all(_same(own, features.get(c)) for c, own in row.items()))

    def without(self, places: Iterable[int]) -> list[int]:
        """Return the places of the other arms."""
        taken = set(places)
        return [i for i in range(len(self)) if i not in taken]


def _key(arm: Any) -> Any:
    return tuple(sorted(arm.items())) if isinstance(arm, dict) else arm


def _same(own: Any, told: Any) -> bool:
    if isinstance(own, (int, float)) and not isinstance(own, bool):
        try:
            return abs(float(told) - own) <= 1e-9 * max(1.0, abs(own))
        except (TypeError, ValueError):
            return False
    return str(own) == str(told)
