"""Exceptions and warnings of the package."""

from __future__ import annotations

from typing import Any


class CopeError(Exception):
    """A call or a script is wrong, or it failed.

    ``kind`` is "mistake", "function" (a Python function failed), "request" or "defect". ``mistakes`` has
    a dict for each mistake: message, cause, hint, and the argument of a call, or the file, line, column
    and source line of a script.
    """

    def __init__(self, message: str, kind: str = "mistake", mistakes: list[dict[str, Any]] | None = None, html: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.mistakes = mistakes or []
        self._html = html
        self.bound: Any = {}  # names that a script bound before it failed

    def __str__(self) -> str:
        if not self.mistakes:
            return str(self.args[0])
        return "\n".join(_described(m) for m in self.mistakes)

    @property
    def hint(self) -> str:
        """A suggestion, or an empty text."""
        return next((str(m["hint"]) for m in self.mistakes if m.get("hint")), "")

    @property
    def line(self) -> int:
        """The line of the script, from 1; 0 for a call."""
        return int(self.mistakes[0].get("line", 0)) if self.mistakes else 0

    @property
    def column(self) -> int:
        """The column in that line, from 1; 0 for a call."""
        return int(self.mistakes[0].get("column", 0)) if self.mistakes else 0

    def _render_traceback_(self) -> list[str]:
        # IPython shows this instead of the frames, which are all of this package.
        return [f"{type(self).__name__}: {self}"]


def _described(m: dict[str, Any]) -> str:
    if m.get("text"):
        return str(m["text"])
    lines = [str(m["message"])]
    lines += [f"  = {line}" for line in str(m.get("cause") or "").splitlines()]
    if m.get("hint"):
        lines.append(f"  = hint: {m['hint']}")
    return "\n".join(lines)


class ProcessEnded(CopeError):
    """The gonb-cope process ended and its values are lost. The next call starts another; campaigns are on the disk."""


class Interrupted(KeyboardInterrupt):
    """A call was interrupted. ``partial`` is its finished part, or None."""

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial
        self.bound: Any = {}  # names that a script bound before it failed


class Note(UserWarning):
    """A note about the data: how they were read, or a property of the kernel on them."""
