"""Scripts of the language with names of Python, for ``%%cope`` and ``script``."""

from __future__ import annotations

import re
from typing import Any

from . import _catalogue, _tables, _values
from ._errors import CopeError, Interrupted
from ._process import process

_WORD = re.compile(r"[A-Za-z_]\w*")
_LONGEST = 10_000  # elements of a list that a script sees by its name


def names_in(text: str, space: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return what of a namespace a script names and the language can hold, except what it gave itself."""
    words = dict.fromkeys(_WORD.findall(text))
    own = _catalogue.functions()
    return {w: space[w] for w in words if w in space and w not in own and not w.startswith("_") and space[w] is not given.get(w, _values) and _fits(space[w])}


def _fits(value: Any) -> bool:
    if isinstance(value, (_values.Value, bool, int, float, str)) or _tables.is_table(value):
        return True
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return bool(value.size <= _LONGEST) and value.dtype.kind in "iufU"
    return isinstance(value, (list, tuple)) and len(value) <= _LONGEST and all(_fits(item) for item in value)


def run(text: str, file: str, names: dict[str, Any]) -> dict[str, Any]:
    """Evaluate a script and return what it binds, by name."""
    bind = {}
    for name, value in names.items():
        if not isinstance(value, _values.Value) and _tables.is_table(value):
            bind[name] = _tables.send(process, value, name if _WORD.fullmatch(name) and name.isascii() else "table")
        else:
            bind[name] = _values.encode(value, {})
    try:
        ran = process.request("run", {"file": file, "script": text, "bind": bind})
    except (CopeError, Interrupted) as e:
        e.bound = _bound(e.bound or [])
        raise
    return _bound(ran["bound"])


def _bound(described: list[dict[str, Any]]) -> dict[str, Any]:
    out = {}
    for one in described:
        value = _values.made_of(one)
        if isinstance(value, _values.Value):
            value._kept = True  # the name is the script's
        out[one["name"]] = value
    return out
