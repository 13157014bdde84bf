"""Proposals of trials by ask and tell, which ``minimize`` and the sampler of Optuna use."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import pickle
import random
import sys
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import _names, _tables, _values
from ._arms import Arms, listed
from ._errors import CopeError, Note

_MOST_FAILURES = 3  # in a row, after which an arm is not proposed any more: it is tried again twice
_POSSIBLE = 0.01  # an arm that is the best with a smaller probability may be dropped
_LARGEST = 1e100  # numbers that are larger are not read
_LIKELY = 0.3  # an arm that failed is tried again if it works with at least this probability
_MOST_NEXT = 10_000  # trials that the process proposes at once


class Trial(NamedTuple):
    """A measurement to make: an arm as given, and its task, None if there is one task."""

    arm: Any
    task: Any


@dataclass
class _Tried:
    """The record of one arm of one task."""

    values: list[float] = field(default_factory=list)
    failures: int = 0
    in_a_row: int = 0  # failures since the last value
    pending: int = 0  # trials that were asked and have no result yet
    is_option: bool = True  # whether the task has the arm

    @property
    def is_open(self) -> bool:
        return self.is_option and self.in_a_row < _MOST_FAILURES

    @property
    def is_new(self) -> bool:
        return self.is_option and not (self.values or self.failures or self.pending)


class Strategy:
    """Proposes the trials of the highest expected gain, given the results so far and the trials still being measured.

    ``arms`` is a list of values or of dicts, a DataFrame with an arm in each row, or a dict of lists, of
    which all combinations are arms. ``tasks`` is a list of names. If the arms have columns for the tasks, name
    these by ``task``, as in ``problem``: each row is an arm of its own task, and trials are dicts with all columns.
    ``told`` has all recorded trials with their values, NaN for failed ones; ``failed`` has the failed trials
    with the reason.

    ``noise`` is the standard deviation of measurements of the same arm, if it is known. ``bounded`` has the lower
    and the upper limit of all values, such as ``(0, 100)`` for a yield in percent.
    """

    def __init__(
        self,
        arms: Any,
        tasks: Sequence[Any] | None = None,
        goal: str = "min",
        epsilon: float = 0,
        seed: int = 0,
        task: Any | Sequence[Any] | None = None,
        noise: float | None = None,
        bounded: Sequence[float] | None = None,
    ) -> None:
        if goal not in ("min", "max"):
            raise ValueError(f"goal is {goal!r}; it must be 'min' or 'max'")
        if tasks is not None and task is not None:
            raise ValueError("tasks and task are both given; give task, the columns of the arms that name tasks, or tasks, a list of names")
        self._columns = list(task) if isinstance(task, list) else [] if task is None else [task]
        self.goal, self.epsilon = goal, epsilon
        self._limits = _limits(noise, bounded)
        self._stated = {name: value for name, value in (("noise", noise), ("bounded", None if bounded is None else list(bounded))) if value is not None}
        rows, own = self._divided(arms)
        self.arms = Arms(rows)
        given = [None] if tasks is None and not own else list(dict.fromkeys(own)) if own else list(tasks or [])
        if not given:
            raise ValueError("tasks is empty; leave it out where there is one task")
        self.has_tasks = tasks is not None or bool(own)
        named = _names.names(given) if self.has_tasks else {_names.identity(None): "all"}
        self.tasks: dict[str, Any] = {}
        for one in given:
            self.tasks.setdefault(named[_names.identity(one)], one)
        _check_keys(self.tasks.values())
        self._task_names = named
        self.told: list[tuple[Trial, float]] = []
        self.failed: list[tuple[Trial, str]] = []
        self._tried = {name: [_Tried(is_option=not own or self._has(own, one, arm)) for arm in self.arms] for name, one in self.tasks.items()}
        self._random = random.Random(seed)

    def _divided(self, arms: Any) -> tuple[list[Any], dict[Any, set[Any]]]:
        """Return the arms without the columns of the tasks, and the identities of the arms of each task."""
        rows = listed(arms)
        if not self._columns:
            return rows, {}
        own: dict[Any, set[Any]] = {}
        for row in rows:
            missing = [name for name in self._columns if not isinstance(row, dict) or name not in row or _names.is_missing(row[name])]
            if missing:
                raise ValueError(f"task names the column {missing[0]!r}, and the arm {_names.described(row)} has no value there")
            own.setdefault(self._task_of(row), set()).add(_names.identity(self._arm_of(row)))
        return [self._arm_of(row) for row in rows], own

    @staticmethod
    def _has(own: dict[Any, set[Any]], task: Any, arm: Any) -> bool:
        return _names.identity(arm) in own.get(task, ())

    def add(self, arms: Any) -> None:
        """Add arms, in the same form as in ``Strategy(arms)``. Known arms stay unchanged."""
        rows, own = self._divided(arms)
        for task in own:
            if _names.identity(task) not in self._task_names:
                raise ValueError(f"there is no task {_names.described(task)}; state all tasks when you make the Strategy; no arm was added")
        both = Arms([*self.arms, *rows])  # the former keep their places
        for name, one in self.tasks.items():
            of = self._tried[name]
            of += [_Tried(is_option=not own) for _ in both[len(of) :]]
            for arm in rows:
                if self._has(own, one, arm):
                    of[both.place(arm)].is_option = True  # type: ignore[index]
        self.arms = both

    def _task_of(self, row: dict[Any, Any]) -> Any:
        values = tuple(row[name] for name in self._columns)
        return values[0] if len(values) == 1 else values

    def _arm_of(self, row: dict[Any, Any]) -> dict[Any, Any]:
        return {name: value for name, value in row.items() if name not in self._columns}

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write everything to a file, so that ``Strategy.load`` goes on from here after the program has ended."""
        atomic = f"{os.fspath(file)}.{os.getpid()}.part"
        with open(atomic, "wb") as out:
            pickle.dump(self, out)
            out.flush()
            os.fsync(out.fileno())
        os.replace(atomic, file)

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Strategy:
        """Read a file that ``save`` wrote. Load only files that you trust: they are in Python's format pickle."""
        with open(file, "rb") as source:
            found = pickle.load(source)  # noqa: S301
        if not isinstance(found, cls):
            raise TypeError(f"{os.fspath(file)} has a {type(found).__name__}; give a file that Strategy.save wrote")
        return found

    @classmethod
    @contextlib.contextmanager
    def locked(cls, file: str | os.PathLike[str]) -> Iterator[Strategy]:
        """Load a file that ``save`` wrote, and save it at the end of the block. Meanwhile other processes wait.

        An error within the block leaves the file unchanged.
        """
        with open(f"{os.fspath(file)}.lock", "ab") as lock:
            if sys.platform == "win32":
                import msvcrt

                while True:  # LK_LOCK gives up after 10 seconds
                    with contextlib.suppress(OSError):
                        lock.seek(0)
                        msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
                        break
            else:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX)  # released when the file is closed
            search = cls.load(file)
            yield search
            search.save(file)

    def ask(self, count: int = 1) -> list[Any]:
        """Return trials: first a few random arms of each task, then the trials of the highest expected gain.

        They count as being measured until ``tell`` or ``forget``: further calls return others. The first lists
        may be shorter than ``count``. An arm that failed is tried again only if it may work, at most twice in a row.
        """
        places = (self._first() or self._best_next(count))[:count] if count > 0 else []
        for task, i in places:
            self._tried[task][i].pending += 1
        return [self._given(Trial(self.arms[i], self.tasks[task])) for task, i in places]

    def _given(self, trial: Trial) -> Trial | dict[Any, Any]:
        """Return a trial as the arms were given: with the columns of the tasks, a dict."""
        if not self._columns:
            return trial
        return {**dict(zip(self._columns, [trial.task] if len(self._columns) == 1 else trial.task)), **trial.arm}

    def tell(self, trials: Any, values: Iterable[Any]) -> None:
        """Record the results of trials: a number each; None, NaN, infinity or an exception means that the measurement failed.

        If one of them is wrong, none is recorded.
        """
        if isinstance(trials, (Trial, dict)):
            trials, values = [trials], [values]
        if not isinstance(trials, Iterable) or not isinstance(values, Iterable):
            raise TypeError(f"tell needs a trial that ask returned and its value, or a list of each; got {trials!r} and {values!r}; nothing was recorded")
        trials, values = self._trials(trials), list(values)
        if len(trials) != len(values):
            raise ValueError(f"there are {len(trials)} trials and {len(values)} values, and each trial needs its own; nothing was recorded")
        # all are looked at before one is recorded
        checked = [(trial, *self._found(trial), *outcome(value, trial)) for trial, value in zip(trials, values)]
        lowest, highest = self._limits
        for trial, _, _, value, reason in checked:
            if not reason and not lowest <= value <= highest:
                raise ValueError(
                    f"arm {_names.described(trial.arm)} gave {value:g}, and bounded is ({lowest:g}, {highest:g}); nothing was recorded. "
                    "Correct the value, or state bounds that contain all values that can be measured"
                )
        for trial, task, place, value, reason in checked:
            tried = self._tried[task][place]
            tried.pending = max(tried.pending - 1, 0)
            self.told.append((trial, value))
            if reason:
                self.failed.append((trial, reason))
                tried.failures += 1
                tried.in_a_row += 1
            else:
                tried.values.append(value)
                tried.in_a_row = 0

    def forget(self, trials: Any) -> None:
        """Take back trials that were asked and will get no result, such as those of a worker that ended."""
        for trial in self._trials(trials):
            task, place = self._found(trial)
            self._tried[task][place].pending = max(self._tried[task][place].pending - 1, 0)

    def add_running(self, trials: Any) -> None:
        """Add trials that are being measured but did not come from ``ask``."""
        for trial in self._trials(trials):
            task, place = self._found(trial)
            self._tried[task][place].pending += 1

    @property
    def is_open(self) -> bool:
        """Whether any arm can be proposed; an arm that failed three times in a row cannot."""
        return any(tried.is_open for of in self._tried.values() for tried in of)

    @property
    def measured(self) -> list[Trial]:
        """The arms that have a value, each once per task."""
        return [Trial(self.arms[i], self.tasks[task]) for task, of in self._tried.items() for i, tried in enumerate(of) if tried.values]

    @property
    def problem(self) -> Any:
        """The results so far as a problem; its other arms are not measured."""
        return self._problem([tried for of in self._tried.values() for tried in of])

    def best(self, next: int = 0) -> Any:
        """Return the answer from the results so far. It recommends only arms with a value, except with ``next``, which proposes trials of all arms."""
        known = [tried for of in self._tried.values() for tried in of if tried.values or tried.failures]
        return _answer(self.problem if next else self._problem(known), self.epsilon, next)

    def picks(self, answer: Any) -> dict[Any, Any]:
        """Return the arm that an answer recommends for each task; tasks without any value are left out."""
        return {self.tasks[p["task"]]: self.arms[self.arms.of(p["features"])] for p in answer.json["picks"]}

    def _problem(self, options: list[_Tried], untried: Sequence[_Tried] = ()) -> Any:
        """Return the results of some arms as a problem. Failures of the arms in untried are left out."""
        chosen, fresh = set(map(id, options)), set(map(id, untried))
        tasks: list[str] = []
        places: list[int] = []
        rewards, failed = array("d"), array("q")
        for task, of in self._tried.items():
            if not any(tried.values for tried in of):
                continue  # nothing can be said of it, except that all failed
            most = 1 if _is_exact(of) else None  # the same value twice says nothing of noise, and nothing new
            for i, tried in enumerate(of):
                if not tried.is_option or id(tried) not in chosen:
                    continue
                failures = 0 if id(tried) in fresh else tried.failures
                values = tried.values[:most] + [math.nan] * (failures or not tried.values)
                tasks += [task] * len(values)
                places += [i] * len(values)
                rewards.extend(values)
                failed.extend(int(failures > 0 and value != value) for value in values)  # noqa: PLR0124
        if not tasks:
            raise self._nothing()
        table = _tables.Columns([_tables.of_list("_task", tasks), *self.arms.table(places), _tables.Column("_reward", rewards, "f8")])
        table.append(_tables.Column("_trial", array("q", range(len(places))), "i8"))  # equal values of an arm are separate trials, never copies
        named = {"task": "_task", "arm": self.arms.columns, "reward": "_reward", "goal": self.goal, **self._stated}
        if any(failed):
            table.append(_tables.Column("_failed", failed, "i8"))
            named["failed"] = "_failed == 1"
        with warnings.catch_warnings():  # about a table that the user has not seen, once per list
            warnings.simplefilter("ignore", Note)
            return _values.call("problem", (table,), named)

    def _nothing(self) -> CopeError:
        if not self.failed:
            return CopeError("there are no results yet, so nothing can be compared; call ask, measure the trials, and pass their results to tell")
        reasons = ", ".join(f"{count} {reason}" for reason, count in Counter(reason for _, reason in self.failed).most_common(5))
        return CopeError(
            f"all {len(self.failed)} measurements failed ({reasons}): no arm can be recommended; check the measurement, and see failed for the arms"
        )

    def _trials(self, given: Any) -> list[Trial]:
        """Return trials, which may be rows of a DataFrame, dicts, or pairs of an arm and a task, such as those that a file kept.

        Rows may have other columns besides those of the arms.
        """
        out = []
        for trial in listed(given) if self._columns else given:
            if self._columns and isinstance(trial, dict) and all(name in trial for name in self._columns):
                own = self.arms[0]
                out.append(Trial({name: value for name, value in trial.items() if name in own}, self._task_of(trial)))
                continue
            try:
                out.append(Trial(*trial))
            except TypeError:
                raise ValueError(f"{_names.described(trial)} is not a trial; a trial is one of ask, or Trial(arm, task)") from None
        return out

    def _found(self, trial: Trial) -> tuple[str, int]:
        """Return the name of the task of a trial and the place of its arm."""
        place, name = self.arms.place(trial.arm), self._task_names.get(_names.identity(trial.task))
        if place is None or name is None or not self._tried[name][place].is_option:
            raise ValueError(f"there is no {_of(trial, always=True)}; nothing was recorded")
        return name, place

    def _first(self) -> list[tuple[str, int]]:
        """Return new arms of the tasks that have too few to compare. Tasks take turns, so a short list reaches every task."""
        found = []
        for task, of in self._tried.items():
            begun = sum(1 for tried in of if tried.values or tried.pending)
            new = self._chosen(of, self.arms.first - begun)
            if not new and not begun:  # all failed so far
                new = [i for i, tried in enumerate(of) if tried.is_open][: self.arms.first]
            found.append([(task, i) for i in new])
        return [place for turn in itertools.zip_longest(*found) for place in turn if place is not None]

    def _best_next(self, count: int) -> list[tuple[str, int]]:
        """Return the trials of the highest expected gain, beside those that are being measured."""
        waiting = Counter({(task, i): tried.pending for task, of in self._tried.items() for i, tried in enumerate(of) if tried.pending})
        if len(self.measured) < 2:  # which cannot be compared
            return self._fewest(count)
        options = [tried for of in self._tried.values() for tried in of if tried.values or tried.failures or tried.is_open]
        most = min(count + 2 * waiting.total(), _MOST_NEXT)  # the list may repeat trials that are being measured
        answer = _answer(self._problem(options), self.epsilon, most).json
        if failed := self._worth_retrying(answer):
            answer = _answer(self._problem(options, failed), self.epsilon, most).json
        pulls = [(p["task"], self.arms.of(p["features"]), p["count"]) for p in answer.get("next") or []]
        now, after = answer.get("loss_now"), answer.get("loss_after")
        if now is None or after is None or after >= now:  # both are None where all values are equal
            pulls = []  # nothing is gained, so that their order says nothing
        out: list[tuple[str, int]] = []
        again: list[tuple[str, int]] = []  # arms that are being measured, which are repeated only if there are no others
        for k in range(max((n for *_, n in pulls), default=0)):  # each once before one is repeated
            for task, i, n in pulls:
                if k >= n:
                    continue
                if waiting[task, i] > 0:
                    waiting[task, i] -= 1
                    continue
                place = self._fresh(task, i, out)
                if self._tried[task][place].is_open:
                    (again if self._tried[task][place].pending else out).append((task, place))
        out += self._possible(answer, out, min(count - len(out), len(again)))
        out += again[: max(count - len(out), 0)]
        return out[:count] + self._rivals(answer, out, count - len(out))

    def _worth_retrying(self, answer: dict[str, Any]) -> list[_Tried]:
        """Return arms whose trials all failed and that may work, because the failures may be accidents."""
        likely = [a for a in answer["arms"] if a.get("works_probability", 0) >= _LIKELY]
        arms = [self._tried[a["task"]][self.arms.of(a["features"])] for a in likely]
        return [tried for tried in arms if tried.failures and not tried.values and tried.is_open]

    def _possible(self, answer: dict[str, Any], taken: list[tuple[str, int]], count: int) -> list[tuple[str, int]]:
        """Return arms that may be the best and are not being measured, the most probable first."""
        if count <= 0:
            return []
        likely = [a for a in answer["arms"] if a["probability_best"] >= _POSSIBLE]
        likely.sort(key=lambda a: -a["probability_best"])
        places = [(a["task"], self.arms.of(a["features"])) for a in likely]
        free = [at for at in places if at not in taken and self._tried[at[0]][at[1]].is_open and not self._tried[at[0]][at[1]].pending]
        return free[:count]

    def _fresh(self, task: str, place: int, taken: list[tuple[str, int]]) -> int:
        """Return an arm, or one that was not measured where the same arm gives the same value again."""
        of = self._tried[task]
        if not _is_exact(of) or (of[place].is_new and (task, place) not in taken):
            return place
        return (self._chosen(of, 1, [i for own, i in taken if own == task]) or [place])[0]

    def _rivals(self, answer: dict[str, Any], taken: list[tuple[str, int]], count: int) -> list[tuple[str, int]]:
        """Return trials of the recommended arms and their runners-up, for when all trials promise the same."""
        pairs = {(p["task"], label) for p in answer["picks"] for label in (p["arm"], p.get("runner_up"))}
        alike = {p["task"] for p in answer["picks"] if not p.get("runner_up")}  # their arms look equal
        rivals = [(a["task"], self.arms.of(a["features"])) for a in answer["arms"] if (a["task"], a["arm"]) in pairs or a["task"] in alike]
        out = self._fewest(max(count, 0), rivals, taken)
        for k, (task, i) in enumerate(out):
            out[k] = (task, self._fresh(task, i, taken + out))
        return out

    def _fewest(self, count: int, among: Iterable[tuple[str, int]] = (), taken: Iterable[tuple[str, int]] = ()) -> list[tuple[str, int]]:
        """Return the trials that were made least and did not fail too often, of some or else of all."""
        every = [(task, i) for task, of in self._tried.items() for i in range(len(of))]
        times: Counter[tuple[str, int]] = Counter()
        for task, i in [at for at in among if self._tried[at[0]][at[1]].is_open] or every:
            tried = self._tried[task][i]
            if tried.is_open:
                times[task, i] = tried.pending + tried.failures + len(tried.values)
        if not times:
            raise self._nothing()
        for at in taken:
            if at in times:
                times[at] += 1
        out = []
        for _ in range(count):
            least = min(times, key=lambda at: times[at])
            times[least] += 1
            out.append(least)
        return out

    def _chosen(self, of: list[_Tried], count: int, taken: Iterable[int] = ()) -> list[int]:
        """Return some arms that are new, by chance."""
        others = [i for i in self.arms.without(taken) if of[i].is_new]
        return self._random.sample(others, max(0, min(count, len(others))))


def _check_keys(tasks: Iterable[Any]) -> None:
    """Raise an error for tasks that cannot be the keys of one dict: answers have one with an arm for each task."""
    keys: dict[Any, Any] = {}
    for task in tasks:
        try:
            other = keys.setdefault(task, task)
        except TypeError:
            raise TypeError(f"the task {_names.described(task)} cannot be the key of a dict; name each task by a text, such as 'site 1'") from None
        if other is not task:
            raise ValueError(f"tasks has {other!r} and {task!r}, but a dict cannot hold both as keys; name one of them by a text")


def _limits(noise: float | None, bounded: Sequence[float] | None) -> tuple[float, float]:
    """Return the limits of values. Raise a ValueError for noise and limits that no results can have; each later answer would fail."""
    ends = [-math.inf, math.inf] if bounded is None else [float(x) for x in bounded]
    if len(ends) != 2 or not ends[0] < ends[1] or (bounded is not None and math.isinf(ends[1] - ends[0])):
        raise ValueError(f"bounded is {bounded!r}; it must be two numbers, the lower one first, such as (0, 100)")
    most = (ends[1] - ends[0]) / 2
    if noise is not None and not (0 < noise <= most and noise < math.inf):
        raise ValueError(f"noise is {noise!r}; it must be a positive number" + (f", and within bounded at most {most:g}" if bounded is not None else ""))
    return ends[0], ends[1]


def _answer(problem: Any, epsilon: float, next: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Note)
        return problem.best(epsilon=epsilon, next=next)


def _is_exact(of: list[_Tried]) -> bool:
    """Report whether some arm was measured again and all such gave the same value."""
    again = [tried.values for tried in of if len(tried.values) > 1]
    return bool(again) and all(len(set(values)) == 1 for values in again)


def _of(trial: Trial, always: bool = False) -> str:
    """Return a trial as messages have it; always with its task, or only where there are several."""
    arm = f"arm {_names.described(trial.arm)}"
    return f"{arm} of task {_names.described(trial.task)}" if always or trial.task is not None else arm


def outcome(value: Any, trial: Trial) -> tuple[float, str]:
    """Return the value of a trial, or NaN and the reason of its failure."""
    of = _of(trial)
    if isinstance(value, BaseException):
        return math.nan, f"{type(value).__name__}: {value}" if str(value) else type(value).__name__
    one = _one(value)
    if one is None or type(one).__name__ == "NAType":
        return math.nan, str(one)
    if type(one).__name__ == "MaskedConstant":  # of numpy, whose number is 0
        return math.nan, "masked"
    if isinstance(one, (str, bytes)):
        raise ValueError(f"{of} gave the text {_names.described(one)}; it must be a number, or None where the measurement failed")
    try:
        number = float(one)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        what = f"{len(one)} values" if isinstance(one, (list, tuple)) or getattr(one, "shape", False) else f"a {type(one).__name__}"
        raise TypeError(f"{of} gave {what}, {_names.described(value)}; it must be one number, or None where the measurement failed") from None
    if abs(number) <= _LARGEST:
        return number, ""
    if math.isfinite(number):  # such as the largest float, as a penalty
        return math.nan, f"{number:g}, beyond {_LARGEST:g}"
    return math.nan, "NaN" if math.isnan(number) else "infinite"


def _one(value: Any) -> Any:
    """Return the only element of an array, a series or a list with one."""
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return _one(value[0])
    if hasattr(value, "item") and type(value).__name__ != "MaskedConstant":
        try:
            return value.item()
        except (TypeError, ValueError, RuntimeError):  # it has several, or none
            return value
    return value
