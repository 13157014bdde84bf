"""What to try next, one list after another: ask, measure, tell. ``minimize`` and the sampler of Optuna use it."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any, NamedTuple

from . import _tables, _values
from ._errors import Interrupted, Note


class Trial(NamedTuple):
    """What is to be measured: an arm as it was given, and the task, None where there is one."""

    arm: Any
    task: Any


class Strategy:
    """Proposes trials by expected gain, by what was told so far.

    ``arms`` is a list of values or of dicts, a DataFrame with an arm in each row, or a dict of lists, of
    which all combinations are arms. ``tasks`` is a list of names.
    """

    def __init__(self, arms: Any, tasks: Sequence[Any] | None = None, goal: str = "min", epsilon: float = 0, seed: int = 0) -> None:
        self.arms = _arms(arms)
        self.tasks: list[Any] = [None] if tasks is None else list(tasks)
        self.goal = goal
        self.epsilon = epsilon
        self.told: list[tuple[Trial, float]] = []
        self._random = random.Random(seed)
        self._rows = [arm if isinstance(arm, dict) else {"arm": arm} for arm in self.arms]
        self._columns = list(dict.fromkeys(name for row in self._rows for name in row))
        self._place = {_key(arm): i for i, arm in enumerate(self.arms)}
        if len(self.arms) < 2:
            raise ValueError(f"arms has {len(self.arms)} arms; to choose, there must be at least 2")

    def ask(self, count: int = 1) -> list[Trial]:
        """Return trials: at first some of each task, spread by chance, then those of the highest expected gain."""
        first = [t for v in range(len(self.tasks)) for t in self._beginning(v)][:count]
        if first or count < 1:
            return first
        return (self._proposed(count) or [self._chosen(self._random.randrange(len(self.tasks))) for _ in range(count)])[:count]

    def tell(self, trials: Iterable[Trial], values: Iterable[float]) -> None:
        """Record what trials gave."""
        for trial, value in zip(trials, values, strict=True):
            if _key(trial.arm) not in self._place or trial.task not in self.tasks:
                raise ValueError(f"there is no arm {trial.arm!r} of task {trial.task!r}")
            self.told.append((trial, float(value)))

    @property
    def problem(self) -> Any:
        """What was told as a problem, in which the other arms are not measured."""
        rows: list[dict[str, Any]] = []
        for v, of in enumerate(self._values()):
            exact = _exact(of)  # the same value twice says nothing of noise, and nothing new
            for i in range(len(self.arms)):
                values: Sequence[float | None] = of.get(i, [])
                rows += [self._row(v, i, value) for value in (values[:1] if exact else values) or [None]]
        return _values.call("problem", (rows,), {"task": "_task", "arm": self._columns, "reward": "_reward", "goal": self.goal})

    def best(self, next: int = 0) -> Any:
        """Return the answer by what was told so far."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Note)
            return self.problem.best(epsilon=self.epsilon, next=next)

    def picks(self, answer: Any) -> dict[Any, Any]:
        """Return the arm that an answer takes for each task."""
        return {self._task(p["task"]): self.arms[self._arm(p["features"])] for p in answer.json["picks"]}

    def _values(self) -> list[dict[int, list[float]]]:
        """Return what was told, by task and arm."""
        out: list[dict[int, list[float]]] = [{} for _ in self.tasks]
        for trial, value in self.told:
            out[self.tasks.index(trial.task)].setdefault(self._place[_key(trial.arm)], []).append(value)
        return out

    def _row(self, v: int, i: int, value: float | None) -> dict[str, Any]:
        return {"_task": _task_name(self.tasks[v]), **{c: self._rows[i].get(c) for c in self._columns}, "_reward": value}

    def _task(self, name: str) -> Any:
        return next(t for t in self.tasks if _task_name(t) == name)

    def _arm(self, features: dict[str, Any]) -> int:
        return next(i for i, row in enumerate(self._rows) if all(_same(row.get(c), features.get(c)) for c in self._columns))

    def _beginning(self, v: int) -> list[Trial]:
        """Return what a task lacks of its first trials, one more than it has columns and three at least."""
        have = {_key(t.arm) for t, _ in self.told if t.task == self.tasks[v]}
        lacking = min(max(3, len(self._columns) + 1), len(self.arms)) - len(have)
        others = [arm for arm in self.arms if _key(arm) not in have]
        return [Trial(arm, self.tasks[v]) for arm in self._random.sample(others, max(0, lacking))]

    def _proposed(self, count: int) -> list[Trial]:
        out: list[Trial] = []
        for pull in self.best(next=count).json.get("next") or []:
            trial = Trial(self.arms[self._arm(pull["features"])], self._task(pull["task"]))
            out += [trial] * int(pull["count"])
        return [self._fresh(t, values) for t, values in ((t, self._values()[self.tasks.index(t.task)]) for t in out)]

    def _fresh(self, t: Trial, values: dict[int, list[float]]) -> Trial:
        """Return a trial, or another arm of its task where the same arm gives the same value again."""
        others = [arm for i, arm in enumerate(self.arms) if i not in values]
        if others and self._place[_key(t.arm)] in values and _exact(values):
            return Trial(self._random.choice(others), t.task)
        return t

    def _chosen(self, v: int) -> Trial:
        return Trial(self._random.choice(self.arms), self.tasks[v])


class Optimum:
    """The result of ``minimize`` and ``maximize``.

    ``answer`` is what ``best`` says, ``arms`` has the arm for each task, ``arm`` that of the only task,
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
    least = len(s.tasks) * min(max(3, len(s._columns) + 1), len(s.arms))
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


def _arms(arms: Any) -> list[Any]:
    if hasattr(arms, "to_dict") and hasattr(arms, "columns"):
        found = arms.to_dict("records") if hasattr(arms, "iloc") else arms.to_dicts()
    elif isinstance(arms, dict):
        found = [dict(zip(arms, values)) for values in product(*arms.values())]
    else:
        found = arms.tolist() if hasattr(arms, "tolist") else list(arms)
        if found and isinstance(found[0], (list, tuple)):
            found = [{f"x_{i + 1}": x for i, x in enumerate(row)} for row in found]
    out: list[Any] = list({_key(arm): arm for arm in found}.values())
    return out


def _exact(values: dict[int, list[float]]) -> bool:
    """Report whether some arm was measured again and all such gave the same value."""
    again = [told for told in values.values() if len(told) > 1]
    return bool(again) and all(len(set(told)) == 1 for told in again)


def _key(arm: Any) -> Any:
    return tuple(sorted(arm.items())) if isinstance(arm, dict) else arm


def _task_name(task: Any) -> str:
    return "all" if task is None else str(task)


def _same(own: Any, told: Any) -> bool:
    if isinstance(own, (int, float)) and not isinstance(own, bool):
        try:
            return abs(float(told) - own) <= 1e-9 * max(1.0, abs(own))
        except (TypeError, ValueError):
            return False
    return str(own) == str(told)
