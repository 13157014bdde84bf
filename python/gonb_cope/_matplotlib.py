"""Figures in axes of matplotlib."""

from __future__ import annotations

import math
from typing import Any

_MARKERS = "osD^vP*X"


def draw(figure: dict[str, Any], ax: Any = None) -> Any:
    """Draw a figure. A figure with panels needs one axes per panel. The axes are returned as a list."""
    import matplotlib.pyplot as plt

    panels = figure.get("panels")
    if panels:
        if ax is None:
            rows = any(s.get("style") == "dots" for s in panels[0].get("series") or [])
            _, ax = plt.subplots(1, len(panels), sharey=not (rows or figure.get("free_y")), figsize=(4 * len(panels), 4), squeeze=False, layout="constrained")
        axes = list(ax.flat if hasattr(ax, "flat") else ax)
        for one, panel in zip(axes, panels, strict=True):
            _one({**figure, "series": [], **panel}, one, legend=one is axes[0])
        axes[0].set_ylabel(figure["y_label"])
        for one in axes[1:]:
            one.set_ylabel("")
        return axes
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    _one(figure, ax)
    return ax


def _one(figure: dict[str, Any], ax: Any, legend: bool = True) -> None:
    heat = figure.get("heat")
    if heat:
        image = ax.imshow(heat["z"], aspect="auto")
        ax.set_xticks(range(len(heat["columns"])), heat["columns"], rotation=90)
        ax.set_yticks(range(len(heat["rows"])), heat["rows"])
        ax.figure.colorbar(image, ax=ax, label=heat["label"])
    for i, s in enumerate(figure.get("series") or []):
        _series(ax, s, i)
    for line in figure.get("lines") or []:
        (ax.axvline if line.get("vertical") else ax.axhline)(line["at"], color="grey", linestyle=":", label=line["label"] or None)
    bars = any(s.get("style") in ("bars", "dots") for s in figure.get("series") or [])
    categories = figure.get("categories")
    if categories and bars:
        ax.set_yticks(range(len(categories)), categories)
        ax.invert_yaxis()
    elif categories:
        ax.set_xticks(range(len(categories)), categories, rotation=90 if len(categories) > 6 else 0)
    for name in figure.get("x_names") or []:
        ax.text(name["at"], 0, name["name"], transform=ax.get_xaxis_transform())
    if figure.get("log_x"):
        ax.set_xscale("log")
    if figure.get("log_y"):
        ax.set_yscale("log")
    if figure.get("x_lim"):
        ax.set_xlim(*figure["x_lim"])
    if figure.get("y_lim"):
        ax.set_ylim(*figure["y_lim"])
    ax.set(title=figure["title"], xlabel=figure["x_label"], ylabel=figure["y_label"])
    if legend and len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend()


def _series(ax: Any, s: dict[str, Any], i: int) -> None:
    hue = (s.get("hue") or i + 1) - 1
    colour, marker = ("black" if s.get("reference") else f"C{hue % 10}"), _MARKERS[hue % len(_MARKERS)]
    x, y = _numbers(s["x"]), _numbers(s["y"])
    lo, hi = (_numbers(s.get(end)) for end in ("lo", "hi"))
    style, label = s.get("style") or "line", s["name"] or None
    spread = [[a - b for a, b in zip(y, lo)], [b - a for a, b in zip(y, hi)]] if lo and hi else None
    if style == "bars":
        ax.barh(x, y, height=0.7, xerr=spread, color=colour, label=label)
    elif style == "dots":
        ax.errorbar(y, x, xerr=spread, color=colour, marker="D" if s.get("measured") else marker, linestyle="none", label=label)
    elif style in ("forecast", "bound"):
        ax.plot(x, y, color="grey" if style == "bound" else colour, linewidth=0.8, linestyle="--", label=label)
    else:
        ax.errorbar(x, y, yerr=spread, color=colour, marker=marker, linestyle="none" if style == "points" else "-", capsize=2, label=label)


def _numbers(values: Any) -> list[float]:
    return [math.nan if v is None else float(v) for v in values or []]
