"""Pictures: as the process draws them, for Vega-Lite, and in axes of matplotlib."""

from __future__ import annotations

from typing import Any

from ._values import Value, decoded


class Figure(Value):
    """A chart as data. In a notebook it shows itself."""

    @property
    def svg(self) -> str:
        """The drawing as SVG."""
        return decoded(self._form("svg")).decode()

    @property
    def png(self) -> bytes:
        """The drawing as PNG."""
        return decoded(self._form("png"))

    @property
    def pdf(self) -> bytes:
        """The drawing as PDF."""
        return decoded(self._form("pdf"))

    def to_vega(self) -> dict[str, Any]:
        """Return the figure as a Vega-Lite specification."""
        from ._vega import specification

        return specification(self.json)

    def draw(self, ax: Any = None) -> Any:
        """Draw the figure in axes of matplotlib and return them; new axes when none are given."""
        from ._matplotlib import draw

        return draw(self.json, ax)
