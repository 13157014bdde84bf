"""A sampler for Optuna: categorical parameters are the arm, and one of them may be the task.

    study = optuna.create_study(sampler=gonb_cope.optuna.CopeSampler(task="site"))

It serves studies with one objective. Parameters that are not categorical are sampled at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ._strategy import Strategy, Trial


def _choices(d: CategoricalDistribution) -> list[Any]:
    """Return the choices that Optuna distinguishes: it treats 1 and True as the same."""
    return [choice for i, choice in enumerate(d.choices) if d.to_internal_repr(choice) == i]


class CopeSampler(BaseSampler):  # type: ignore[misc,unused-ignore]
    """Samples the most promising arm under a posterior over all arms of all tasks."""

    def __init__(self, task: str | None = None, seed: int | None = None) -> None:
        self._task, self._seed = task, seed or 0
        self._chance = RandomSampler(seed)

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Return the parameters that all trials so far have and that are categorical."""
        if len(study.directions) > 1:
            raise ValueError(
                f"the study has {len(study.directions)} objectives, and CopeSampler serves studies with one: combine them into one number, "
                "or use another sampler, such as optuna.samplers.NSGAIISampler()"
            )
        space = intersection_search_space(study.get_trials(deepcopy=False))  # anew: a sampler may serve several studies
        return {name: d for name, d in space.items() if isinstance(d, CategoricalDistribution)}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        """Return values of the categorical parameters."""
        space = {name: _choices(d) for name, d in search_space.items() if isinstance(d, CategoricalDistribution)}
        tasks: Sequence[Any] | None = space.pop(self._task) if self._task in space else None
        if not space or max(len(choices) for choices in space.values()) < 2:
            return {}
        goal = "min" if study.direction == StudyDirection.MINIMIZE else "max"
        strategy = Strategy(space, tasks, goal, seed=self._seed + trial.number)
        for other in study.get_trials(deepcopy=False):
            if other.number == trial.number or not all(name in other.params for name in search_space):
                continue
            arm = {name: other.params[name] for name in space}
            own = [Trial(arm, other.params[self._task] if tasks is not None and self._task else None)]
            if other.state == TrialState.COMPLETE:
                strategy.tell(own, [other.value])  # which may be infinite
            elif other.state.is_finished():
                strategy.tell(own, [RuntimeError("pruned" if other.state == TrialState.PRUNED else "failed")])
            else:
                strategy.expect(own)
        if not strategy.is_open:
            return {}  # every arm failed three times: sample at random
        (next_,) = strategy.ask(1)
        return {**next_.arm, **({self._task: next_.task} if tasks is not None and self._task else {})}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        """Return a random value."""
        return self._chance.sample_independent(study, trial, param_name, param_distribution)
