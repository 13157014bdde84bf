"""``minimize`` and ``maximize`` measure a Python function at the most promising arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cached_property
from typing import Any

from . import _tables
from ._errors import CopeError, Interrupted
from ._strategy import Strategy, Trial

Exceptions = type[BaseException] | Sequence[type[BaseException]]


class Optimum:
    """The result of ``minimize`` and ``maximize``.

    ``answer`` is the answer of ``best``. ``arms`` has the recommended arm of each task, and ``arm`` that of the only task.
    ``history`` has one row per measurement. ``failed`` has the measurements without a value, with the reason.
    """

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @cached_property
    def answer(self) -> Any:
        """The answer of ``best`` from the measurements."""
        return self._strategy.best()

    @cached_property
    def arms(self) -> dict[Any, Any]:
        """The recommended arm of each task."""
        return self._strategy.picks(self.answer)

    @property
    def arm(self) -> Any:
        """The recommended arm, if there is one task."""
        if len(self.arms) > 1:
            raise ValueError("there are several tasks; arms has the arm for each")
        return next(iter(self.arms.values()))

    @property
    def history(self) -> Any:
        """All measurements in order. A failed one has the value NaN and its reason in the column failed."""
        reasons = iter(self._strategy.failed)
        rows = []
        for t, value in self._strategy.told:
            row = {"task": t.task, "value": value}
            if self._strategy.failed:
                row["failed"] = next(reasons)[1] if value != value else ""  # noqa: PLR0124
            arm = {(f"arm {name}" if name in row else name): x for name, x in (t.arm if isinstance(t.arm, dict) else {"arm": t.arm}).items()}
            rows.append({"task": t.task, **arm, **row})
        return _tables.frame(_tables.records(rows))

    @property
    def failed(self) -> list[tuple[Trial, str]]:
        """The measurements that gave no value, with the reason of each."""
        return list(self._strategy.failed)

    def __repr__(self) -> str:
        try:
            return repr(self.answer)
        except CopeError as e:
            return f"<Optimum: {e}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = self.answer._repr_mimebundle_()
        return bundle


def minimize(
    f: Callable[..., Any],
    arms: Any,
    tasks: Sequence[Any] | None = None,
    budget: int = 100,
    batch: int | None = None,
    parallel: int = 1,
    epsilon: float = 0,
    seed: int = 0,
    catch: Exceptions = (),
) -> Optimum:
    """Find the arm with the lowest f(arm), or f(arm, task) for each of several tasks.

    f is measured ``budget`` times in all, ``batch`` at a time (a twentieth of the budget when not given)
    and ``parallel`` at once, in threads. It returns a number; None, NaN, infinity and the exceptions of
    ``catch`` mean that the measurement failed: the arm is measured again at most twice, and is never
    recommended without a value. Any other exception ends the search; its attribute ``partial`` is the
    result so far. Ctrl-C raises Interrupted, which has the same attribute.
    """
    return _optimum(f, Strategy(arms, tasks, "min", epsilon, seed), budget, batch, parallel, catch)


def maximize(
    f: Callable[..., Any],
    arms: Any,
    tasks: Sequence[Any] | None = None,
    budget: int = 100,
    batch: int | None = None,
    parallel: int = 1,
    epsilon: float = 0,
    seed: int = 0,
    catch: Exceptions = (),
) -> Optimum:
    """Find the arm with the highest f(arm), or f(arm, task) for each task; see ``minimize``."""
    return _optimum(f, Strategy(arms, tasks, "max", epsilon, seed), budget, batch, parallel, catch)


def _optimum(f: Callable[..., Any], s: Strategy, budget: int, batch: int | None, parallel: int, catch: Exceptions) -> Optimum:
    least = len(s.tasks) * s.arms.first
    if budget < least:
        raise ValueError(f"budget is {budget}; at least {least} measurements are needed to compare the arms")
    kinds = tuple(catch) if isinstance(catch, (list, tuple)) else (catch,)
    if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds):
        raise TypeError(f"catch is {catch!r}; it must be a class of exceptions or several, such as catch=(RuntimeError, OSError)")
    at_once = max(batch or budget // 20, parallel, 1)

    def measure(t: Trial) -> Any:
        try:
            return f(t.arm, t.task) if s.has_tasks else f(t.arm)
        except kinds as e:
            return e

    pool = ThreadPoolExecutor(parallel) if parallel > 1 else None
    found = Optimum(s)
    try:
        while len(s.told) < budget and s.is_open:
            _measure(measure, s, s.ask(min(at_once, budget - len(s.told))), pool)
        _ = found.arms  # an error is raised here
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted after {len(s.told)} of {budget} measurements", found if s.told else None) from None
    except BaseException as e:  # also SystemExit
        _keep(e, found if s.told else None, len(s.told))
        raise
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)
    return found


def _measure(measure: Callable[[Trial], Any], s: Strategy, trials: list[Trial], pool: Executor | None) -> None:
    """Measure trials and record the values in order. An exception is raised after all trials that were begun are done."""
    if pool is None:
        for trial in trials:
            s.tell([trial], [measure(trial)])
        return
    futures = [pool.submit(measure, trial) for trial in trials]
    first: BaseException | None = None
    for trial, future in zip(trials, futures):
        if future.cancelled():
            continue
        raised = future.exception()
        if raised is None:
            s.tell([trial], [future.result()])
        elif first is None:
            first = raised
            for other in futures:
                other.cancel()
    if first is not None:
        raise first


def _keep(e: BaseException, partial: Optimum | None, count: int) -> None:
    """Attach the measurements so far to an exception."""
    try:
        e.partial = partial  # type: ignore[attr-defined]
    except AttributeError:
        return  # the class has no room for attributes
    if partial is not None and not isinstance(e, CopeError) and hasattr(e, "add_note"):
        e.add_note(f"{count} measurements were made before; the attribute partial of this exception has their result")
