"""Functions and classes, made from the catalogue of the language when they are first used."""

from __future__ import annotations

import json
import keyword
import os
from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def catalogue() -> dict[str, Any]:
    """Return the catalogue that ``gonb-cope serve --catalogue`` wrote."""
    with open(os.path.join(os.path.dirname(__file__), "catalogue.json"), encoding="utf-8") as f:
        loaded: dict[str, Any] = json.load(f)
    return loaded


@cache
def functions() -> dict[str, dict[str, Any]]:
    """Return the functions of the language by their names."""
    return {f["name"]: f for f in catalogue()["functions"]}


@cache
def classes() -> dict[str, str]:
    """Return the names of classes by the types of values."""
    named = {"kernel": "Kernel", "joint kernel": "JointKernel", "free number": "FreeNumber", "figure": "Figure", "table": "Table", "list": "List"}
    named |= {"record": "Record", "reward function": "RewardFunction"}
    for kind in catalogue()["kinds"]:
        named[kind["name"]] = "".join(w.capitalize() for w in kind["name"].removesuffix(" table").replace("_", " ").split())
    return named


def python_name(name: str) -> str:
    """Return the name of a parameter in Python: those that Python keeps for itself end in a line."""
    return name + "_" if keyword.iskeyword(name) else name


def methods(kind: str) -> list[str]:
    """Return the functions whose first parameter takes a value of this type."""
    found = []
    for name, f in functions().items():
        first = f["params"][0] if f["params"] else None
        if first is not None and (kind in first.get("types", ()) or not first.get("types")):
            found.append(name)
    return found


def docstring(f: dict[str, Any]) -> str:
    """Return the help of a function."""
    lines = [_capital(f["doc"]) + ".", ""]
    if f.get("formula"):
        lines += [f"k(x, y) = {f['formula']}", ""]
    if f.get("reference"):
        lines += [f"From {f['reference']}.", ""]
    if f["params"]:
        lines.append("Parameters:")
        lines += [f"    {python_name(p['name'])}: {p['doc']}; {p['given']}{_beside(p)}" for p in f["params"]]
        lines.append("")
    if f.get("variadic"):
        lines += [f"Further arguments: {f['variadic']}.", ""]
    if f.get("named"):
        lines += [f"Named arguments: {f['named']}.", ""]
    lines += [f"In a script: {f['example']}"]
    return "\n".join(lines)


def _beside(p: dict[str, Any]) -> str:
    more = []
    if p.get("table"):
        more.append("a DataFrame")
    if p.get("function"):
        more.append("a Python function")
    return f", or {' or '.join(more)}" if more else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def make(f: dict[str, Any], call: Callable[..., Any], owner: str = "") -> Callable[..., Any]:
    """Return a function of the language as a function of Python, or as a method of a class."""
    import inspect

    name = f["name"]

    def function(*args: Any, **named: Any) -> Any:
        return call(name, args, named)

    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    params = []
    optional = False
    for i, p in enumerate(f["params"]):
        optional = optional or bool(p.get("optional"))
        own = "self" if owner and i == 0 else python_name(p["name"])
        params.append(inspect.Parameter(own, positional, default=None if optional else inspect.Parameter.empty))
    if f.get("variadic"):
        params.append(inspect.Parameter("more", inspect.Parameter.VAR_POSITIONAL))
    if f.get("named"):
        params.append(inspect.Parameter("named", inspect.Parameter.VAR_KEYWORD))
    function.__name__ = name
    function.__qualname__ = f"{owner}.{name}" if owner else name
    function.__module__ = "gonb_cope"
    function.__doc__ = docstring(f)
    function.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]
    return function
