"""Algorithms of your own: classes with plan, learn and answers, which the process asks for the pulls of each round."""

from __future__ import annotations

import hashlib
import types
from typing import Any

_METHODS = ("plan", "learn", "answers")


def is_algorithm(value: Any) -> bool:
    """Whether a value is a class with the methods of an algorithm."""
    return isinstance(value, type) and all(callable(getattr(value, name, None)) for name in _METHODS)


class OwnArms:
    """The arms of all tasks, for an algorithm of your own; arrays are numpy's, with the arms of the first task first.

    ``n`` arms in ``tasks`` tasks: ``task[i]`` is the number of the task of arm i, ``names[i]`` its name, ``noise[i]`` the standard
    deviation of one reward, and ``kernel`` the n × n Gram matrix. ``delta``, ``epsilon`` and ``budget`` (pulls per task) are those of
    the call. Higher rewards are better, whatever the goal of the problem is.
    """

    def __init__(self, about: dict[str, Any], gram: Any) -> None:
        import numpy as np

        self.names: list[str] = about["names"]
        self.task_names: list[str] = about["task_names"]
        self.n, self.tasks = len(self.names), len(self.task_names)
        self.task = np.array(about["task"])
        self.noise = np.broadcast_to(np.array(about["noise"], float), self.n)
        self.kernel = np.frombuffer(gram, "<f8").reshape(self.n, self.n)
        self.delta, self.epsilon, self.budget = 0.0, 0.0, 0


class Runs:
    """The runs of algorithms that the process asks for."""

    def __init__(self) -> None:
        self._arms: dict[tuple[int, int], OwnArms] = {}
        self._runs: dict[tuple[int, int], Any] = {}

    def answer(self, number: int, cls: Any, asked: dict[str, Any], block: Any) -> dict[str, Any]:
        """Return the next plan of a run, none if it is done, with its answers so far."""
        import numpy as np

        for run in asked.get("ended", ()):
            self._runs.pop((number, run), None)
        key = number, asked["run"]
        if "terms" in asked:
            if asked.get("about"):
                if asked["arms"] == 0:  # the first problem of a request
                    self._arms = {k: arms for k, arms in self._arms.items() if k[0] != number}
                self._arms[number, asked["arms"]] = OwnArms(asked["about"], block)
            arms = _copy(self._arms[number, asked["arms"]])
            arms.__dict__.update(asked["terms"])
            self._runs[key] = cls(arms), arms.n
            answers = None
        else:
            own, n = self._runs[key]
            own.learn(np.array(asked["counts"]), np.array(asked["means"], float), np.array(asked["squares"], float))
            answers = _numbers(own.answers(), cls, "answers")
        own, n = self._runs[key]
        plan = own.plan()
        if plan is None:
            return {"plan": [], "answers": answers}
        counts = _numbers(plan, cls, "plan")
        if len(counts) != n:
            raise ValueError(f"{cls.__name__}.plan returned {len(counts)} counts for {n} arms; return a count for each arm, or None when it is done")
        return {"plan": counts if any(counts) else [], "answers": answers}


def _copy(arms: OwnArms) -> OwnArms:
    new = object.__new__(OwnArms)
    new.__dict__.update(arms.__dict__)
    return new


def _numbers(values: Any, cls: Any, method: str) -> list[int]:
    """Return what a method returned as whole numbers."""
    import numpy as np

    found = np.asarray([-1 if value is None else value for value in values], float)
    if found.ndim != 1 or not np.array_equal(found, np.round(found)):
        raise ValueError(f"{cls.__name__}.{method} returned {values!r}; it must return whole numbers")
    return [int(value) for value in found]


def digest(cls: type[Any]) -> str:
    """Return a hash of the code of a class, of its bases, and of the functions, classes and plain values of its module that it names."""
    seen: set[str] = set()
    hashed = hashlib.sha256()
    _hash(cls, getattr(cls, "__module__", ""), hashed, seen)
    return hashed.hexdigest()


def _hash(value: Any, module: str, hashed: Any, seen: set[str]) -> None:
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, property):
        for part in (value.fget, value.fset, value.fdel):
            _hash(part, module, hashed, seen)
    elif isinstance(value, type):
        name = f"{value.__module__}.{value.__qualname__}"
        hashed.update(name.encode())
        if value.__module__ != module or name in seen:
            return
        seen.add(name)
        for base in value.__bases__:
            _hash(base, module, hashed, seen)
        for key, part in sorted(vars(value).items()):
            if key not in ("__module__", "__dict__", "__weakref__", "__doc__", "__firstlineno__", "__static_attributes__"):
                hashed.update(key.encode())
                _hash(part, module, hashed, seen)
    elif isinstance(value, types.FunctionType):
        hashed.update(repr((value.__defaults__, value.__kwdefaults__)).encode())
        for cell in value.__closure__ or ():
            _hash(cell.cell_contents, module, hashed, seen)
        _hash_code(value.__code__, value.__globals__, module, hashed, seen)
    elif isinstance(value, types.ModuleType):
        hashed.update(value.__name__.encode())
    elif type(value) in (bool, int, float, str, bytes, tuple, list, dict, type(None)):
        hashed.update(repr(value).encode())
    elif hasattr(value, "tobytes"):  # of numpy
        hashed.update(value.tobytes())


def _hash_code(code: types.CodeType, names: dict[str, Any], module: str, hashed: Any, seen: set[str]) -> None:
    hashed.update(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _hash_code(constant, names, module, hashed, seen)
        else:
            hashed.update(repr(constant).encode())
    for name in code.co_names:
        hashed.update(name.encode())
        value = names.get(name)
        if f"{module} {name}" not in seen and (not hasattr(value, "__module__") or value.__module__ == module):
            seen.add(f"{module} {name}")
            _hash(value, module, hashed, seen)
