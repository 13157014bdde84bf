"""What to try next, one list after another: ask, measure, tell. ``minimize`` and the sampler of Optuna use it."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from . import _values
from ._arms import Arms
from ._errors import Note


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
        self.arms, self.goal, self.epsilon = Arms(arms), goal, epsilon
        self.tasks: dict[str, Any] = {"all": None} if tasks is None else {str(task): task for task in tasks}
        self.told: list[tuple[Trial, float]] = []
        self._values: dict[str, dict[int, list[float]]] = {task: {} for task in self.tasks}  # by task and place of the arm
        self._random = random.Random(seed)

    def ask(self, count: int = 1) -> list[Trial]:
        """Return trials: at first some of each task, spread by chance, then the trials of the highest expected gain."""
        first = [(task, i) for task, of in self._values.items() for i in self._chosen(of, self.arms.first - len(of))]
        if not first and count > 0:
            pulls = self.best(next=count).json.get("next") or []
            first = [(p["task"], self._fresh(p["task"], self.arms.of(p["features"]))) for p in pulls for _ in range(p["count"])]
            first = first or [(self._random.choice(list(self.tasks)), self._random.randrange(len(self.arms))) for _ in range(count)]
        return [Trial(self.arms[i], self.tasks[task]) for task, i in first[:count]]

    def tell(self, trials: Iterable[Trial], values: Iterable[float]) -> None:
        """Record what trials gave."""
        for trial, value in zip(trials, values, strict=True):
            place = self.arms.place(trial.arm)
            if place is None or trial.task not in self.tasks.values():
                raise ValueError(f"there is no arm {trial.arm!r} of task {trial.task!r}")
            self._values["all" if trial.task is None else str(trial.task)].setdefault(place, []).append(float(value))
            self.told.append((trial, float(value)))

    @property
    def problem(self) -> Any:
        """What was told as a problem, in which the other arms are not measured."""
        rows: list[dict[str, Any]] = []
        for task, of in self._values.items():
            most = 1 if _exact(of) else None  # the same value twice says nothing of noise, and nothing new
            for i, arm in enumerate(self.arms.rows):
                values: Sequence[float | None] = of.get(i, [])[:most] or [None]
                rows += [{"_task": task, **arm, "_reward": value} for value in values]
        return _values.call("problem", (rows,), {"task": "_task", "arm": self.arms.columns, "reward": "_reward", "goal": self.goal})

    def best(self, next: int = 0) -> Any:
        """Return the answer by what was told so far."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Note)
            return self.problem.best(epsilon=self.epsilon, next=next)

    def picks(self, answer: Any) -> dict[Any, Any]:
        """Return the arm that an answer takes for each task."""
        return {self.tasks[p["task"]]: self.arms[self.arms.of(p["features"])] for p in answer.json["picks"]}

    def _fresh(self, task: str, place: int) -> int:
        """Return an arm, or one that was not measured where the same arm gives the same value again."""
        of = self._values[task]
        again = place in of and _exact(of)
        return (self._chosen(of, 1) or [place])[0] if again else place

    def _chosen(self, of: dict[int, list[float]], count: int) -> list[int]:
        others = self.arms.without(of)
        return self._random.sample(others, max(0, min(count, len(others))))


def _exact(values: dict[int, list[float]]) -> bool:
    """Report whether some arm was measured again and all such gave the same value."""
    again = [told for told in values.values() if len(told) > 1]
    return bool(again) and all(len(set(told)) == 1 for told in again)
