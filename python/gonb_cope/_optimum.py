"""``minimize`` and ``maximize``: a function of Python is measured where that promises most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import _tables
from ._errors import Interrupted
from ._strategy import Strategy, Trial


class Optimum:
    """The result of ``minimize`` and ``maximize``.

    ``answer`` is what ``best`` says, ``arms`` has the arm for each task, ``arm`` the arm of the only task,
    and ``history`` a row for each measurement.
    """

    def __init__(self, strategy: Strategy) -> None:
        self.answer = strategy.best()
        self.arms = strategy.picks(self.answer)
        self._told = list(strategy.told)

    @property
    def arm(self) -> Any:
        """The arm to take, where there is one task."""
        if len(self.arms) > 1:
            raise ValueError("there are several tasks; arms has the arm for each")
        return next(iter(self.arms.values()))

    @property
    def history(self) -> Any:
        """What was measured, in its order."""
        rows = [{"task": t.task, **(t.arm if isinstance(t.arm, dict) else {"arm": t.arm}), "value": value} for t, value in self._told]
        return _tables.frame(_tables.records(rows))

    def __repr__(self) -> str:
        return repr(self.answer)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = self.answer._repr_mimebundle_()
        return bundle


def minimize(
    f: Callable[..., float],
    arms: Any,
    tasks: Sequence[Any] | None = None,
    budget: int = 100,
    batch: int | None = None,
    parallel: int = 1,
    epsilon: float = 0,
    seed: int = 0,
) -> Optimum:
    """Find the arm with the lowest f(arm), or f(arm, task) for each of several tasks.

    f is measured ``budget`` times in all, ``batch`` at a time (a twentieth of the budget when not given)
    and ``parallel`` at once, in threads. An interrupt raises Interrupted, whose ``partial`` is the
    optimum by what was measured.
    """
    return _optimum(f, Strategy(arms, tasks, "min", epsilon, seed), budget, batch, parallel)


def maximize(
    f: Callable[..., float],
    arms: Any,
    tasks: Sequence[Any] | None = None,
    budget: int = 100,
    batch: int | None = None,
    parallel: int = 1,
    epsilon: float = 0,
    seed: int = 0,
) -> Optimum:
    """Find the arm with the highest f(arm), or f(arm, task) for each task; see ``minimize``."""
    return _optimum(f, Strategy(arms, tasks, "max", epsilon, seed), budget, batch, parallel)


def _optimum(f: Callable[..., float], s: Strategy, budget: int, batch: int | None, parallel: int) -> Optimum:
    least = len(s.tasks) * s.arms.first
    if budget < least:
        raise ValueError(f"budget is {budget}; {len(s.tasks)} tasks need at least {least} measurements to compare arms")
    at_once = max(batch or budget // 20, parallel, 1)

    def measure(t: Trial) -> float:
        return float(f(t.arm) if t.task is None else f(t.arm, t.task))

    pool = ThreadPoolExecutor(parallel) if parallel > 1 else None
    try:
        while len(s.told) < budget:
            trials = s.ask(min(at_once, budget - len(s.told)))
            for trial, value in zip(trials, pool.map(measure, trials) if pool else map(measure, trials)):
                s.tell([trial], [value])
    except KeyboardInterrupt:
        partial = Optimum(s) if len(s.told) >= least else None
        raise Interrupted(f"interrupted after {len(s.told)} of {budget} measurements", partial) from None
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)
    return Optimum(s)
