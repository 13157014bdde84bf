"""A sampler for Optuna: parameters are the arm, and a categorical one may be the task.

    study = optuna.create_study(sampler=gonb_cope.optuna.CopeSampler(task="site"))

It serves studies with one objective. Numbers have a grid, which is refined around the best values so far.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ._strategy import Strategy, Trial


def _choices(d: CategoricalDistribution) -> list[Any]:
    """Return the choices that Optuna distinguishes: it treats 1 and True as the same."""
    return [choice for i, choice in enumerate(d.choices) if d.to_internal_repr(choice) == i]


_LEVELS = 5  # values of a number before the grid is refined
_LEADERS = 3  # trials around which the grid is refined
_MOST = 200  # arms that are considered besides those of trials
_FINEST = 4096  # parts of a range, the smallest step of the grid


def _levels(d: FloatDistribution | IntDistribution, tried: Iterable[float], leaders: Iterable[float]) -> list[Any]:
    """Return the values of a number: an even grid, the values of trials, and the middles of the gaps beside the best values."""
    to, back = (math.log, math.exp) if d.log else (float, float)
    lo, hi = to(d.low), to(d.high)
    at = sorted({lo + (hi - lo) * k / (_LEVELS - 1) for k in range(_LEVELS)} | {to(x) for x in tried})
    middles = [(a + b) / 2 for a, b in itertools.pairwise(at) if {a, b} & {to(x) for x in leaders} and b - a > (hi - lo) / _FINEST]

    def allowed(u: float) -> Any:
        x = min(max(back(u), d.low), d.high)
        if d.step is not None:
            x = d.low + round((x - d.low) / d.step) * d.step
        return int(x) if isinstance(d, IntDistribution) else min(x, d.high)

    return sorted({*tried, *(allowed(u) for u in [*at, *middles])})


def _arms(space: dict[str, BaseDistribution], trials: list[tuple[float, dict[str, Any]]], chance: random.Random) -> list[dict[str, Any]]:
    """Return the arms of trials, and others: all combinations of values if they are few; else some, and neighbours of the best trials.

    ``trials`` has values, of which a smaller one is better, and parameters.
    """
    leaders = [arm for _, arm in sorted(trials, key=lambda trial: trial[0])[:_LEADERS]]
    values: dict[str, list[Any]] = {}
    for name, d in space.items():
        if isinstance(d, CategoricalDistribution):
            values[name] = _choices(d)
        elif isinstance(d, (FloatDistribution, IntDistribution)):
            values[name] = _levels(d, [arm[name] for _, arm in trials], [arm[name] for arm in leaders])
    out = [arm for _, arm in trials]
    if math.prod(len(v) for v in values.values()) <= _MOST:
        return out + [dict(zip(values, own)) for own in itertools.product(*values.values())]
    for arm in leaders:
        for name, own in values.items():
            i = own.index(arm[name]) if arm[name] in own else 0
            near = own if isinstance(space[name], CategoricalDistribution) else own[max(i - 2, 0) : i + 3]
            out += [{**arm, name: value} for value in near]
    return out + [{name: chance.choice(own) for name, own in values.items()} for _ in range(_MOST - (len(out) - len(trials)))]


class CopeSampler(BaseSampler):  # type: ignore[misc,unused-ignore]
    """Samples the most promising arm under a posterior over all arms of all tasks."""

    def __init__(self, task: str | None = None, seed: int | None = None) -> None:
        self._task, self._seed = task, seed or 0
        self._chance = RandomSampler(seed)

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Return the parameters that all trials so far have."""
        if len(study.directions) > 1:
            raise ValueError(
                f"the study has {len(study.directions)} objectives, and CopeSampler serves studies with one: combine them into one number, "
                "or use another sampler, such as optuna.samplers.NSGAIISampler()"
            )
        space = intersection_search_space(study.get_trials(deepcopy=False))  # anew: a sampler may serve several studies
        return {name: d for name, d in space.items() if isinstance(d, (CategoricalDistribution, FloatDistribution, IntDistribution))}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        """Return values of the parameters."""
        space = dict(search_space)
        tasks: Sequence[Any] | None = None
        if self._task is not None and isinstance(of := space.get(self._task), CategoricalDistribution):
            tasks = _choices(of)
            del space[self._task]
        if all(d.single() for d in space.values()):
            return {}
        goal = "min" if study.direction == StudyDirection.MINIMIZE else "max"
        sign = 1 if goal == "min" else -1
        others = [t for t in study.get_trials(deepcopy=False) if t.number != trial.number and all(name in t.params for name in search_space)]
        tried = [
            (sign * t.value if t.state == TrialState.COMPLETE and t.value is not None else math.inf, {name: t.params[name] for name in space}) for t in others
        ]
        strategy = Strategy(_arms(space, tried, random.Random(self._seed + trial.number)), tasks, goal, seed=self._seed + trial.number)
        for other in others:
            arm = {name: other.params[name] for name in space}
            own = [Trial(arm, other.params[self._task] if tasks is not None and self._task else None)]
            if other.state == TrialState.COMPLETE:
                strategy.tell(own, [other.value])  # which may be infinite
            elif other.state.is_finished():
                strategy.tell(own, [RuntimeError("pruned" if other.state == TrialState.PRUNED else "failed")])
            else:
                strategy.add_running(own)
        if not strategy.is_open:
            return {}  # every arm failed three times: sample at random
        (next_,) = strategy.ask(1)
        return {**next_.arm, **({self._task: next_.task} if tasks is not None and self._task else {})}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        """Return a random value."""
        return self._chance.sample_independent(study, trial, param_name, param_distribution)
