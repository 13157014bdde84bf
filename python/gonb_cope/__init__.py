"""Find the best option for every task, how certain it is, and what to measure next.

    import gonb_cope as cope

    p = cope.problem(df, task="Machine", arm=["Temp °C", "Speed"], reward="Throughput")
    a = p.best(epsilon=1, next=24)
    a.table, a.next

The functions are those of the gonb-cope language; ``help(cope.problem)`` explains one, and ``help(cope.Answer)``
lists the parts of an answer. They run in a process that the first call starts. ``%load_ext gonb_cope`` adds
``%%cope`` cells to a notebook.
"""

from __future__ import annotations

import builtins
from typing import Any

from . import _catalogue
from ._errors import CopeError, Interrupted, Note, ProcessEnded

_OWN = {
    "minimize": "_optimum",
    "maximize": "_optimum",
    "Strategy": "_strategy",
    "Trial": "_strategy",
    "Optimum": "_optimum",
    "from_sklearn": "_sklearn",
    "load_ipython_extension": "_magic",
}

__all__ = [  # noqa: PLE0604
    "CopeError",
    "Interrupted",
    "Note",
    "Optimum",
    "ProcessEnded",
    "Strategy",
    "Trial",
    "Value",
    "close_process",
    "minimize",
    "maximize",
    "from_sklearn",
    "script",
    *_catalogue.classes().values(),
    *(name for name in _catalogue.functions() if not hasattr(builtins, name)),  # print, sum and others stay what they are
]


def close_process() -> None:
    """End the gonb-cope process, for example to free memory; the next call starts another."""
    from ._process import process

    process.close()


def script(text: str, file: str = "script", **names: Any) -> dict[str, Any]:
    """Evaluate a script of the language with the given names bound, and return the values that it binds."""
    from ._script import run

    return run(text, file, names)


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    _values = import_module("._values", __name__)
    if name in _OWN:
        found = getattr(import_module(f".{_OWN[name]}", __name__), name)
    elif name == "Value":
        found = _values.Value
    elif name == "__version__":
        from importlib.metadata import version

        found = version("gonb-cope")
    elif name in _catalogue.functions():
        found = _catalogue.make(_catalogue.functions()[name], _values.call)
    else:
        kinds = [kind for kind, own in _catalogue.classes().items() if own == name]
        if not kinds:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = _values.Record if name == "Record" else _values.class_of(kinds[0])
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_catalogue.functions()})
