"""Python values as numbers and as names: which values are the same choice, and how it is shown."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Hashable, Iterable
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

_SMALLEST, _LARGEST = 1e-100, 1e100  # of numbers that are read
_LONGEST = 10**15  # whole numbers with more digits are names, such as ids


_MOST_SHOWN = 200  # characters of a name


class Absent:
    """The value of a missing key of a dict."""

    def __repr__(self) -> str:
        return "not given"


ABSENT = Absent()


def is_missing(value: Any) -> bool:
    """Report whether a cell is empty: None, NaN, NaT or NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (Real, Decimal)) or type(value).__name__ in ("datetime64", "timedelta64"):
        return bool(value != value)  # noqa: PLR0124
    return False


def is_number(value: Any) -> bool:
    """Report whether a value is a real number of any type; True and False are not."""
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool) and type(value).__name__ != "timedelta64"  # for numpy an integer


def number(value: Any) -> float:
    """Return a number as a float: one of 32 bits as it prints, 0.1 and not 0.10000000149."""
    if type(value).__name__ in ("float32", "float16"):
        return float(str(value))
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def is_feature(value: Any) -> bool:
    """Report whether a value can be a numeric feature of an arm: in the allowed range, and shorter than an id."""
    if not is_number(value):
        return False
    size = abs(number(value))
    return (size == 0 or _SMALLEST <= size <= _LARGEST) and not (isinstance(value, Integral) and abs(int(value)) >= _LONGEST)


def identity(value: Any) -> Hashable:
    """Return a key that is equal for values that are one choice: equal values of one type, and numbers that agree to 15 digits."""
    if type(value).__name__ in ("bool", "bool_"):  # the latter is numpy's
        return ("bool", bool(value))
    if is_number(value):
        whole = isinstance(value, Integral) and abs(int(value)) >= _LONGEST
        return ("number", str(int(value)) if whole else f"{number(value) + 0:.15g}")
    if isinstance(value, str):
        return ("str", str(value))
    if isinstance(value, dict):
        return ("dict", tuple(sorted(((identity(k), identity(v)) for k, v in value.items()), key=repr)))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, tuple(identity(v) for v in value))
    if hasattr(value, "tolist"):
        return ("array", identity(value.tolist()))
    try:
        hash(value)
    except TypeError:
        return (type(value).__name__, repr(value))
    return (type(value).__name__, value)


def names(values: Iterable[Any]) -> dict[Hashable, str]:
    """Return names of the distinct values by identity. A name is the value's text, or its repr if the text is unclear or already used."""
    out: dict[Hashable, str] = {}
    taken = set()
    for value in values:
        key = identity(value)
        if key in out:
            continue
        name = text = _text(value)
        copies = 1
        while name in taken:
            name = _written(value) if copies == 1 else f"{text} ({copies})"
            copies += 1
        taken.add(name)
        out[key] = name
    return out


def _text(value: Any) -> str:
    if is_number(value) and not isinstance(value, Integral):
        return repr(number(value)) if not isinstance(value, Decimal) else str(value)
    if hasattr(value, "tolist") and hasattr(value, "dtype"):  # of numpy: np.str_, np.int64 and arrays as lists
        value = value.tolist()
    text = str(getattr(value, "__name__", "") or value)  # functions and classes have a name
    plain = text == text.strip() != "" and text.isprintable() and unicodedata.is_normalized("NFC", text)
    return text[:_MOST_SHOWN] if plain else _written(value)


def _written(value: Any) -> str:
    """Return the repr of a value, on one line and with all characters visible."""
    return " ".join(ascii(value).split())[:_MOST_SHOWN]


def described(value: Any) -> str:
    """Return a value as messages show it; a long one is cut."""
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
