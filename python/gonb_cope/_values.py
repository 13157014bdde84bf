"""Values of the language. They stay in the process; Python has their names."""

from __future__ import annotations

import base64
import math
import os
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from . import _catalogue, _own, _tables
from ._errors import CopeError, Interrupted, ProcessEnded
from ._process import Function, process

_made: dict[str, Any] = {}


class Value:
    """A value of the language.

    Its parts are attributes: numbers, texts, and DataFrames for lists of records. Functions that take
    it first are its methods. A notebook displays it.
    """

    _kind = ""

    def __init__(self, name: str, kind: str) -> None:
        self._name = name
        self._type = kind
        self._generation = process.generation
        self._json: Any = None
        self._tables: list[_tables.Table] = []  # the tables of Python from which it was made, the data first
        self._kept = False  # the name is a script's
        self._replaced = False  # a later script bound the name again

    def __del__(self) -> None:
        if process is not None and not self.__dict__.get("_kept", True):  # None while Python ends
            process.freed.append((self._generation, self._name))

    @staticmethod
    def _call(function: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function as a method."""
        return call(function, args, named)

    # Forms.

    def _form(self, form: str) -> Any:
        return process.request("value", {"name": self._checked(), "form": form})

    def _checked(self) -> str:
        if self._generation != process.generation or not process.pid:
            raise ProcessEnded(f"this {self._type} was lost with the process that had it; make it again", "ended")
        if self._replaced:
            raise CopeError(f"this {self._type} was {self._name}, which a later script bound again; give one of them another name", "request")
        return self._name

    @property
    def json(self) -> Any:
        """All parts as Python dicts and lists, as docs/reference/json.md describes them."""
        if self._json is None:
            self._json = self._form("json")
        return self._json

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table of the value as lists by the names of its columns."""
        return {c["name"]: c["cells"] for c in self._form("table")}

    def to_pandas(self) -> Any:
        """Return the table of the value as a DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.to_columns())

    def to_polars(self) -> Any:
        """Return the table of the value as a DataFrame of polars."""
        import polars

        return polars.DataFrame(self.to_columns(), strict=False)

    @property
    def table(self) -> Any:
        """The table of the value: a DataFrame of pandas or else of polars, or else a list of dicts."""
        return _tables.frame(list(self.to_columns().items()))

    def __repr__(self) -> str:
        try:
            return str(self._form("text")).rstrip("\n")
        except CopeError as e:
            return f"<{self._type}: {e}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = self._form("bundle")
        return bundle

    # Parts and methods.

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        whole = self.json
        if isinstance(whole, dict) and name in whole:
            return _part(whole[name])
        try:
            return call(".", (self, name), {})
        except ProcessEnded:
            raise
        except CopeError as e:
            raise AttributeError(f"a {self._type} has no attribute {name!r}: {e}") from None

    def __dir__(self) -> list[str]:
        own = list(super().__dir__())
        whole = self.json
        return sorted({*own, *(whole if isinstance(whole, dict) else ())})

    # Algebra of kernels, and lists.

    def __add__(self, other: Any) -> Any:
        return call("+", (self, other), {})

    def __radd__(self, other: Any) -> Any:
        return call("+", (other, self), {})

    def __mul__(self, other: Any) -> Any:
        return call("*", (self, other), {})

    def __rmul__(self, other: Any) -> Any:
        return call("*", (other, self), {})

    def __sub__(self, other: Any) -> Any:
        return call("-", (self, other), {})

    def __rsub__(self, other: Any) -> Any:
        return call("-", (other, self), {})

    def __truediv__(self, other: Any) -> Any:
        return call("/", (self, other), {})

    def __pow__(self, other: Any) -> Any:
        return call("^", (self, other), {})

    def __getitem__(self, place: Any) -> Any:
        return call("[]", (self, place), {})

    def __len__(self) -> int:
        whole = self.json
        if isinstance(whole, list):
            return len(whole)
        raise TypeError(f"a {self._type} has no length")

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        if self._type != "list":
            raise TypeError(f"a {self._type} is not iterable; .table has its rows")
        return (self[i] for i in range(len(self)))


class Record(dict[str, Any]):
    """A part of a value that has parts itself: a dict whose items are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return _part(self[name])
        except KeyError:
            raise AttributeError(name) from None


def _part(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return _tables.frame(_tables.records(value))
    return value


def class_of(kind: str) -> type[Value]:
    """Return the class of values of a type, with the functions that take them as methods."""
    if kind in _made:
        made: type[Value] = _made[kind]
        return made
    name = _catalogue.classes().get(kind, "Value")
    base: type[Value] = Value
    if name == "Figure":
        from ._figures import Figure as base
    elif name == "Campaign":
        from ._campaign import Campaign as base
    elif name == "Answer":
        from ._answers import Answer as base
    doc = _catalogue.class_doc(kind)
    if base is not Value and base.__doc__:
        doc += "\n\n" + base.__doc__
    members: dict[str, Any] = {"_kind": kind, "__module__": "gonb_cope", "__doc__": doc}
    for method in _catalogue.methods(kind):
        if not hasattr(base, method):
            members[method] = _catalogue.make(_catalogue.functions()[method], base._call, name)
    made = type(name, (base,), members)
    _made[kind] = made
    return made


def made_of(described: dict[str, Any]) -> Any:
    """Return the Python value for a description from the process."""
    if "value" in described:
        return described["value"]
    kind = described["type"]
    if kind == "nothing":
        return None
    return class_of(kind)(described["name"], kind)


def call(function: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Call a function of the language."""
    with process.alone():
        return _call(function, args, named)


def _call(function: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    params = _catalogue.functions().get(function, {}).get("params", [])
    tables = tables_of([*args, *named.values()])
    args, named, gaps = _with_table(params, args, named)
    given: list[Any] = []
    by_name: dict[str, Any] = {}
    for i, value in enumerate(args):
        if i < len(params) and (value is None or by_name):
            if value is not None:
                by_name[params[i]["name"]] = encode(value, params[i])
            else:
                by_name.setdefault("", None)
        else:
            given.append(encode(value, params[i] if i < len(params) else {}))
    by_name.pop("", None)
    known = {p["name"]: p for p in params}
    for name, value in named.items():
        own = name.removesuffix("_") if name not in known else name
        if value is not None:
            by_name[own] = encode(value, known.get(own, {}))
    try:
        made = made_of(process.request("call", {"function": function, "args": given, "named": by_name}))
    except CopeError as e:
        if gaps and e.mistakes and not e.hint:
            e.mistakes[0]["hint"] = (
                f"{' and '.join(gaps)} has empty cells; pandas reads the text NA as one; to keep it, write "
                'pd.read_csv(…, keep_default_na=False, na_values=[""])'
            )
        raise
    except Interrupted as e:
        raise Interrupted(str(e), made_of(e.partial) if isinstance(e.partial, dict) else e.partial) from None
    if isinstance(made, Value):
        made._tables = tables
    return made


def tables_of(values: Iterable[Any]) -> list[_tables.Table]:
    """Return the tables of Python among values, and those from which the values were made."""
    out: list[_tables.Table] = []
    for value in values:
        out += value._tables if isinstance(value, Value) else [_tables.Table(value)] if _is_frame(value) else []
    return list({id(table): table for table in out}.values())


_MEASURED = ("reward", "sd", "count", "successes", "trials")


def _with_table(params: list[dict[str, Any]], args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], list[str]]:
    """Send the table whose columns other arguments name, and return the arguments with its path and with these names as texts.

    The last are the columns of names that have empty cells.
    """
    columns = [p["name"] for p in params if p.get("column")]
    if not columns:
        return args, named, []
    by_name = {p["name"]: value for p, value in zip(params, args)} | named
    tables = [p["name"] for p in params if p.get("table") and p["name"] != "rewards" and _is_frame(by_name.get(p["name"]))]
    if len(tables) != 1:
        return args, named, []
    table = _tables.Table(by_name[tables[0]])
    changed = {name: table.named(by_name[name]) for name in columns if by_name.get(name) is not None}
    measured = {name for p in _MEASURED for name in _as_list(changed.get(p))}
    sent = table.columns(measured)
    changed[tables[0]] = _tables.send_columns(process, sent, "table")
    texts = {column.name for column in sent if column.labels is not None} & {name for p in changed for name in _as_list(changed[p]) if p not in _MEASURED}
    if texts and "text" in columns:  # a campaign has the table as CSV, where 3.10 is a number
        changed["text"] = [*_as_list(changed.get("text", [])), *sorted(texts.difference(_as_list(changed.get("text", []))))]
    places = {p["name"]: i for i, p in enumerate(params[: len(args)])}
    return (
        tuple(changed.get(params[i]["name"], value) if i < len(params) else value for i, value in enumerate(args)),
        named | {name: value for name, value in changed.items() if name not in places},
        [column.name for column in sent if column.name in texts and min(column.content, default=0) < 0],
    )


def _is_frame(value: Any) -> bool:
    return not isinstance(value, (Value, _tables.Columns)) and _tables.is_table(value)


def _as_list(names: Any) -> list[Any]:
    return names if isinstance(names, list) else [names]


def encode(value: Any, param: dict[str, Any]) -> Any:
    """Return an argument in the form of the messages."""
    if isinstance(value, Value):
        return {"name": value._checked()}
    if isinstance(value, (Decimal, Fraction)):
        value = float(value)
    if isinstance(value, (bool, int, float, str)):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{param.get('name', 'an argument')} is {value}; it must be a finite number")
        return value
    if _tables.is_table(value):
        return _tables.send(process, value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # of numpy and pandas
        return encode(value.tolist(), param)
    if isinstance(value, (list, tuple, range)):
        return [encode(item, param) for item in value]
    if _own.is_algorithm(value):
        return Function(value, value.__name__, _own.digest(value))
    if all(callable(getattr(value, name, None)) for name in ("plan", "learn", "answers")):
        raise TypeError(f"algorithm is an object of {type(value).__name__}; give the class itself, of which each run makes one")
    if callable(value):
        return Function(value, str(getattr(value, "__name__", "function")).strip("<>"))
    raise TypeError(f"a {type(value).__name__} cannot be used in a script; use a number, text, list, table, function or value of gonb_cope")


def decoded(text: str) -> bytes:
    """Return bytes of base64."""
    return base64.b64decode(text)
