"""A campaign with DataFrames in and out. It lives in its folder, and so outlives the process."""

from __future__ import annotations

from typing import Any

from . import _values
from ._errors import ProcessEnded


class Campaign(_values.Value):
    """A campaign of real measurements: ``start``, then ``ask`` and ``tell`` for as long as it takes."""

    @classmethod
    def start(cls, folder: Any, protocol: Any) -> Any:
        """Make a campaign in a folder, or open the one that the folder has of this protocol."""
        return _values.call("start", (protocol, folder), {})

    @classmethod
    def resume(cls, folder: Any) -> Any:
        """Open the campaign of a folder."""
        return _values.call("resume", (folder,), {})

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(name, kind)
        self.folder: str = str(self.json["folder"])  # known when the process is not there any more

    def _checked(self) -> str:
        try:
            return super()._checked()
        except ProcessEnded:
            again = _values.call("resume", (self.folder,), {})
            self._name, self._generation, self._json = again._name, again._generation, None
            again._kept = True  # the name is ours now
            return self._name

    def ask(self, count: Any = None, by: Any = None, task: Any = None, more: Any = None, retry: Any = None) -> Any:
        """Return what to measure next, a row each: fill in the column reward and ``tell`` it."""
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
        """Call what changes a campaign, which then shows how far it is."""
        done = _values.call(function, args, named)
        args[0]._refresh()
        return done

    def _refresh(self) -> None:
        again = _values.call("resume", (self.folder,), {})
        self._name, again._name = again._name, self._name
        self._generation, again._generation = again._generation, self._generation
        self._json = None
