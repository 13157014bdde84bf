"""What the benchmarks of trades share: records of runs, paired intervals, verdicts, tables and the figure."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
from collections.abc import Callable, Iterable, Sequence
from typing import Any

LEVEL = 5.0  # a loss below 5 % of a random choice's regret does not count

# Quantiles 0.975 of Student's distribution by degrees of freedom [Abramowitz and Stegun, table 26.10].
_STUDENT = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 12: 2.179,
    13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101, 19: 2.093, 20: 2.086, 24: 2.064, 30: 2.042, 40: 2.021, 60: 2.000,
}  # fmt: skip


def student(freedom: float) -> float:
    """Return quantile 0.975 of Student's distribution for the next smaller degrees of freedom of the table."""
    return _STUDENT[max(df for df in _STUDENT if df <= max(freedom, 1))]


def interval(x: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of x and its 95 % interval by Student's distribution; one value has no interval."""
    mean = statistics.fmean(x)
    if len(x) < 2:
        return mean, -math.inf, math.inf
    half = student(len(x) - 1) * statistics.stdev(x) / math.sqrt(len(x))
    return mean, mean - half, mean + half


def verdict(low: float, high: float, limit: float = LEVEL) -> str:
    """Return how a loss less another's is judged, by the interval of the difference in % of a random choice's regret."""
    if high < 0:
        return "best"
    if high <= limit:
        return "level"
    return "behind" if low > 0 else "open"


class Cell:
    """The runs of one table at one budget: the losses of each method and of a random choice, run by run."""

    def __init__(self, runs: Sequence[dict[str, float]]) -> None:
        self.runs = runs
        self.random = statistics.fmean(run["random"] for run in runs)
        self.methods = [m for m in runs[0] if m != "random" and all(m in run for run in runs)]

    def loss(self, method: str) -> float:
        """Return the mean loss in % of a random choice's."""
        return 100 * statistics.fmean(run[method] for run in self.runs) / self.random

    def difference(self, ours: str, other: str) -> tuple[float, float, float]:
        """Return the paired difference of losses with its interval, in % of a random choice's."""
        return interval([100 * (run[ours] - run[other]) / self.random for run in self.runs])

    def strongest(self, ours: str) -> str:
        """Return the other method that loses least."""
        return min((m for m in self.methods if m != ours), key=self.loss)


def read(path: str) -> list[dict[str, Any]]:
    """Return the runs of a record, none where there is no record."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def version() -> str:
    """Return the commit of the tree."""
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude", "*"], capture_output=True, text=True, cwd=os.path.dirname(os.path.abspath(__file__))
    )
    return said.stdout.strip() or "unknown"


def number(x: float) -> str:
    """Return a number of percents with one decimal, and no sign for a rounded zero."""
    text = f"{x:.1f}"
    return "0.0" if text == "-0.0" else text


def between(low: float, high: float) -> str:
    """Return an interval as text."""
    return f"[{number(low)}, {number(high)}]" if math.isfinite(low) else "[one run]"


def standings(cells: Iterable[Cell], ours: str, against: Callable[[Cell], Iterable[str]], strict: bool = False) -> dict[str, int]:
    """Return how many cells have each verdict, each cell judged by its worst comparison.

    If strict, the limit is 5 % of what the best method of the cell gains over a random choice: noise does not raise this number.
    """
    order = ["best", "level", "open", "behind"]
    out = dict.fromkeys(order, 0)
    for cell in cells:
        limit = LEVEL * (1 - min(map(cell.loss, cell.methods)) / 100) if strict else LEVEL
        verdicts = [verdict(*cell.difference(ours, other)[1:], limit) for other in against(cell) if other in cell.methods]
        if verdicts:
            out[max(verdicts, key=order.index)] += 1
    return out


def sentence(of: dict[str, int]) -> str:
    """Return the standings as text."""
    total = sum(of.values())
    good = of["best"] + of["level"]
    return f"best in {of['best']}, level in {of['level']}, open in {of['open']}, behind in {of['behind']} of {total} ({100 * good / max(total, 1):.0f} % best or level)"


def forest(path: str, rows: Sequence[tuple[str, float, float, float]], label: str) -> None:
    """Draw differences with their intervals, one row each; left of 0 our loss is smaller, and the shaded part counts as level."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams.update({"svg.hashsalt": "benchmark", "svg.fonttype": "none", "font.size": 9, "font.family": "sans-serif"})
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.19 * len(rows)))
    widest = 1.1 * max([abs(mean) for _, mean, _, _ in rows] + [4 * LEVEL])
    colours = {"best": "#1b7837", "level": "#2166ac", "open": "#888888", "behind": "#b2182b"}
    for k, (_, mean, low, high) in enumerate(rows):
        axes.plot([max(low, -widest), min(high, widest)], [k, k], color=colours[verdict(low, high)], linewidth=1.4)
        axes.plot([mean], [k], "o", color=colours[verdict(low, high)], markersize=4)
    axes.axvspan(0, LEVEL, color="#2166ac", alpha=0.12, linewidth=0)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlim(-widest, widest)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
    axes.set_xlabel(label)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None}, facecolor="white")
    plt.close(figure)
