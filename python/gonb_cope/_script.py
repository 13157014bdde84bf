"""Scripts of the language with names of Python, for ``%%cope`` and ``script``."""

from __future__ import annotations

import math
import re
import weakref
from typing import Any

from . import _catalogue, _names, _tables, _values
from ._errors import CopeError, Interrupted
from ._process import process

_WORD = re.compile(r"[^\W\d]\w*")
_LONGEST = 10_000  # elements of a list that a script sees by its name


def names_in(text: str, space: dict[str, Any], given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the variables of a namespace that a script reads, except those that scripts bound.

    The second dict has names that the script must not read, with the reason: their value is of a type that the language
    lacks, or they were deleted after a script read or bound them.
    """
    found, gone = {}, {}
    for word in dict.fromkeys(_WORD.findall(text)):
        if word in _catalogue.functions() or word.startswith("_"):
            continue
        if word not in space:
            if word in given:
                gone[word] = "was deleted in Python"
        elif space[word] is not given.get(word, _values):
            unfit = _unfit(space[word])
            if unfit:
                gone[word] = f"is {unfit} in Python now"
            else:
                found[word] = space[word]
    return found, gone


def _unfit(value: Any) -> str:
    """Describe a value that the language cannot hold; return an empty text for other values."""
    if isinstance(value, (_values.Value, bool, str)) or _tables.is_table(value):
        return ""
    if _names.is_number(value):
        return "" if math.isfinite(_names.number(value)) else f"{value}"
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return str(value)
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        if value.size > _LONGEST:
            return f"an array of {value.size:,} values (a script takes {_LONGEST:,}, a DataFrame has no limit)"
        value = value.tolist()
        return "" if _names.is_number(value) or isinstance(value, str) else _unfit(value)
    if not isinstance(value, (list, tuple, range)):
        return f"of type {type(value).__name__}"
    if len(value) > _LONGEST:
        return f"a list of {len(value):,} values (a script takes {_LONGEST:,}, a DataFrame has no limit)"
    inner = next((unfit for unfit in map(_unfit, value) if unfit), "")
    return f"a list with an element that is {inner}" if inner else ""


def run(text: str, file: str, names: dict[str, Any], gone: dict[str, str] | None = None) -> dict[str, Any]:
    """Evaluate a script and return the values that it binds, by name. Reading a name in gone is an error."""
    with process.alone():
        return _run(text, file, names, gone or {})


def _run(text: str, file: str, names: dict[str, Any], gone: dict[str, str]) -> dict[str, Any]:
    before = [value for name, value in _latest.items() if name in set(_WORD.findall(text))]
    bind = {}
    for name, value in names.items():
        if not isinstance(value, _values.Value) and _tables.is_table(value):
            bind[name] = _tables.send(process, value, name if _WORD.fullmatch(name) else "table")
        else:
            bind[name] = _values.encode(value, {})
    try:
        ran = process.request("run", {"file": file, "script": text, "bind": bind, "gone": gone})
    except (CopeError, Interrupted) as e:
        e.bound = _bound(e.bound or [])
        raise
    bound = _bound(ran["bound"])
    tables = _values.tables_of([*names.values(), *before])
    for value in bound.values():
        if isinstance(value, _values.Value):
            value._tables = tables
    return bound


_latest: weakref.WeakValueDictionary[str, _values.Value] = weakref.WeakValueDictionary()  # by the names of scripts


def _bound(described: list[dict[str, Any]]) -> dict[str, Any]:
    out = {}
    for one in described:
        value = _values.made_of(one)
        before = _latest.pop(one["name"], None)
        if before is not None:
            before._replaced = True
        if isinstance(value, _values.Value):
            value._kept = True  # the name is the script's
            _latest[one["name"]] = value
        out[one["name"]] = value
    return out
