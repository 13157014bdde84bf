"""A campaign with DataFrames in and out. Its folder keeps it when the process ends."""

from __future__ import annotations

from typing import Any

from . import _values
from ._errors import ProcessEnded


class Campaign(_values.Value):
    """A campaign of real measurements: ``start`` it, then repeat ``ask`` and ``tell`` until it is done."""

    @classmethod
    def start(cls, folder: Any, protocol: Any) -> Any:
        """Make a campaign in a folder, or open the folder's campaign if it has this protocol."""
        return _values.call("start", (protocol, folder), {})

    @classmethod
    def resume(cls, folder: Any) -> Any:
        """Open the campaign of a folder."""
        return _values.call("resume", (folder,), {})

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(name, kind)
        self.folder: str = str(self.json["folder"])  # kept for the time after the process has ended

    def _checked(self) -> str:
        try:
            return super()._checked()
        except ProcessEnded:
            again = _values.call("resume", (self.folder,), {})
            self._name, self._generation, self._json = again._name, again._generation, None
            again._kept = True  # this object releases the name
            return self._name

    def ask(self, count: Any = None, by: Any = None, task: Any = None, more: Any = None, retry: Any = None) -> Any:
        """Return what to measure next, one measurement per row: fill in the column reward, then call ``tell``."""
        todo = _values.call("ask", (self.folder,), {"by": by, "count": count, "task": task, "more": more, "retry": retry}).table
        self._refresh()
        return todo

    def tell(self, results: Any, by: Any = None, sure: Any = None, take_good: Any = None, extra: Any = None, again: Any = None, tolerance: Any = None) -> Any:
        """Record results: a DataFrame of ``ask`` with its column reward, all rows or some, or a CSV file."""
        receipt = _values.call(
            "tell", (self.folder, results), {"by": by, "sure": sure, "take_good": take_good, "extra": extra, "again": again, "tolerance": tolerance}
        )
        self._refresh()
        return receipt

    @staticmethod
    def _call(function: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function that changes the campaign, then update its state."""
        done = _values.call(function, args, named)
        args[0]._refresh()
        return done

    def _refresh(self) -> None:
        again = _values.call("resume", (self.folder,), {})
        self._name, again._name = again._name, self._name
        self._generation, again._generation = again._generation, self._generation
        self._json = None
