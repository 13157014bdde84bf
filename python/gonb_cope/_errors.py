"""What goes wrong, as exceptions and warnings."""

from __future__ import annotations

from typing import Any


class CopeError(Exception):
    """A call or a script is wrong, or what it asks for failed.

    ``kind`` is "mistake", "function" (a Python function failed), "request" or "defect". ``mistakes`` has
    a dict for each mistake: message, cause, hint, and the argument of a call, or the file, line, column
    and source line of a script.
    """

    def __init__(self, message: str, kind: str = "mistake", mistakes: list[dict[str, Any]] | None = None, html: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.mistakes = mistakes or []
        self._html = html
        self.bound: Any = {}  # what a script has bound before

    def __str__(self) -> str:
        if not self.mistakes:
            return str(self.args[0])
        return "\n".join(_told(m) for m in self.mistakes)

    @property
    def hint(self) -> str:
        """What to write instead, where that is known."""
        return next((str(m["hint"]) for m in self.mistakes if m.get("hint")), "")

    @property
    def line(self) -> int:
        """The line of the script, from 1; 0 of a call."""
        return int(self.mistakes[0].get("line", 0)) if self.mistakes else 0

    @property
    def column(self) -> int:
        """The column in that line, from 1; 0 of a call."""
        return int(self.mistakes[0].get("column", 0)) if self.mistakes else 0

    def _render_traceback_(self) -> list[str]:
        # IPython shows this in place of the frames, since none is the user's.
        return [f"{type(self).__name__}: {self}"]


def _told(m: dict[str, Any]) -> str:
    if m.get("text"):
        return str(m["text"])
    lines = [str(m["message"])]
    lines += [f"  = {line}" for line in str(m.get("cause") or "").splitlines()]
    if m.get("hint"):
        lines.append(f"  = hint: {m['hint']}")
    return "\n".join(lines)


class ProcessEnded(CopeError):
    """The gonb-cope process ended. The next call starts another; campaigns are on the disk."""


class Interrupted(KeyboardInterrupt):
    """A call was interrupted. ``partial`` is what was finished, or None."""

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial
        self.bound: Any = {}  # what a script has bound before


class Note(UserWarning):
    """How data were read, or what a kernel is on them."""
