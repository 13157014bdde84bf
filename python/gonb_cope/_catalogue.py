"""Functions and classes, made from the catalogue of the language when they are first used."""

from __future__ import annotations

import json
import keyword
import os
import re
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
    named = {
        "kernel": "Kernel",
        "joint kernel": "JointKernel",
        "free hyperparameter": "FreeHyperparameter",
        "figure": "Figure",
        "table": "Table",
        "list": "List",
    }
    named |= {"record": "Record", "reward function": "RewardFunction", "own algorithm": "OwnAlgorithm"}
    for kind in catalogue()["kinds"]:
        named[kind["name"]] = "".join(w.capitalize() for w in kind["name"].removesuffix(" table").replace("_", " ").split())
    return named


def python_name(name: str) -> str:
    """Return the name of a parameter in Python: keywords of Python get an underscore at the end."""
    return name + "_" if keyword.iskeyword(name) else name


def methods(kind: str) -> list[str]:
    """Return the functions whose first parameter takes a value of this type: only for types of the language; a list is a Python type."""
    if kind in ("list", "free hyperparameter", "record"):
        return []
    found = []
    for name, f in functions().items():
        first = f["params"][0] if f["params"] else None
        if first is not None and (kind in first.get("types", ()) or not first.get("types")):
            found.append(name)
    return found


@cache
def results() -> dict[str, list[dict[str, str]]]:
    """Return the parts of results: for each type of value a list of name, type and description."""
    with open(os.path.join(os.path.dirname(__file__), "results.json"), encoding="utf-8") as f:
        loaded: dict[str, list[dict[str, str]]] = json.load(f)
    return loaded


def parts(kind: str) -> list[dict[str, str]]:
    """Return the parts of a value that no method hides."""
    hidden = {"json", "table", "to_columns", "to_pandas", "to_polars", "folder", *methods(kind)}
    return [part for part in results().get(kind, []) if part["name"] not in hidden and not keyword.iskeyword(part["name"])]


def class_doc(kind: str) -> str:
    """Return the help of a class: which functions return such a value, and its attributes."""
    name = classes()[kind]
    makers = [f["name"] for f in functions().values() if f["result"] == kind]
    lines = [f"{_with_article(kind)}{', as returned by ' + _listed(makers) if makers else ''}."]
    own = parts(kind)
    if own:
        lines += ["", "Attributes:", "    table: all rows as a DataFrame", "    json: all parts as Python dicts and lists"]
        lines += [_wrapped(f"{p['name']} ({p['type']}): {p['doc']}".removesuffix(": "), "    ", "        ") for p in own]
    called = [m for m in methods(kind) if functions()[m]["params"][0].get("types")]
    if called:
        lines += ["", f"Methods of the language: {', '.join(called)}. help(gonb_cope.{name}.{called[0]}) explains one."]
    return "\n".join(lines)


def _with_article(kind: str) -> str:
    if kind in ("bounds", "hardness", "comparisons"):
        return _capital(kind)
    return f"A{'n' if kind[0] in 'aeiou' else ''} {kind}"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def docstring(f: dict[str, Any], owner: str = "") -> str:
    """Return the help of a function, or of a method of a class."""
    lines = [_wrapped(_capital(in_python(f["doc"])) + "."), ""]
    params = f["params"][1:] if owner else f["params"]
    if f.get("formula"):
        lines += [f"k(x, y) = {f['formula']}", ""]
    if f.get("reference"):
        lines += [f"Source: {f['reference']}.", ""]
    if params or f.get("variadic") or f.get("named"):
        lines.append("Parameters:")
        for p in params:
            lines += [f"    {python_name(p['name'])} ({_pythonic(p['given'])}{_beside(p)}):", _wrapped(_capital(in_python(p["doc"])), "        ")]
        lines += [f"    *more: {f['variadic']}"] if f.get("variadic") else []
        lines += [_wrapped(f"**named: {f['named']}", "    ")] if f.get("named") else []
        lines.append("")
    if result_of(f) != "None":
        lines += ["Returns:", f"    {result_of(f)}", ""]
    if f["params"]:
        lines += ["Raises:", "    CopeError: an argument or the data are wrong; the message names the place and suggests a correction"]
        if f["result"] in classes() and "kernel" not in f["result"]:
            lines += ["    Interrupted: Ctrl-C was pressed; its attribute partial is the finished part"]
        lines.append("")
    lines += ["Example:", f"    {python_example(f['example'])}"]
    return "\n".join(lines)


def result_of(f: dict[str, Any]) -> str:
    """Return the type of a function's value in Python."""
    return {"number": "float", "text": "str", "list": "list", "nothing": "None", "": "Value"}.get(f["result"]) or classes()[f["result"]]


def python_example(script: str) -> str:
    """Return an example of the language as Python writes it."""
    quoted = re.split(r'("[^"]*")', script)
    for i in range(0, len(quoted), 2):
        text = re.sub(r"\b(\d+)\.\.(\d+)", lambda m: str(list(range(int(m[1]), int(m[2]) + 1))), quoted[i])
        text = re.sub(r"\b([A-Za-z_]\w*)\(", lambda m: f"cope.{m[0]}" if m[1] in functions() else m[0], text)
        quoted[i] = re.sub(r"\b(true|false)\b", lambda m: m[0].capitalize(), text).replace("^", "**")
    return "".join(quoted)


def _pythonic(text: str) -> str:
    return re.sub(r"\b(true|false)\b", lambda m: m[0].capitalize(), text).replace("a text", "a string")


def in_python(doc: str) -> str:
    """Return a sentence of the language's reference with the words of Python."""
    doc = re.sub(r"(?<==)(true|false)\b|\b(true|false)(?=:)", lambda m: m[0].capitalize(), doc)
    return doc.replace("relative to the script", "relative to the current folder")


def _wrapped(text: str, first: str = "", later: str | None = None) -> str:
    import textwrap

    return textwrap.fill(text, 100, initial_indent=first, subsequent_indent=first if later is None else later, break_long_words=False, break_on_hyphens=False)


def _beside(p: dict[str, Any]) -> str:
    more = []
    if p.get("table"):
        more.append("a DataFrame")
    if p.get("function"):
        more.append("a Python function")
    if "own algorithm" in p.get("types", ()):
        more.append("a class with plan, learn and answers")
    return f"; also {' or '.join(more)}" if more else ""


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
    function.__doc__ = docstring(f, owner)
    function.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]
    return function
