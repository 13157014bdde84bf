"""Write the catalogue, the parts of results and the stub of the package.

The sources are ``gonb-cope serve --catalogue`` and the JSON Schema of results in docs/reference.

python3 python/stubs.py COMMAND           writes gonb_cope/catalogue.json, results.json and __init__.pyi
python3 python/stubs.py COMMAND --check   reports the files that are out of date
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PACKAGE = HERE / "gonb_cope"
SCHEMA = HERE.parent / "docs/reference/results.schema.json"
MOST_COPIES = 3  # of a method that several classes have
sys.path.insert(0, str(HERE))

HEAD = '''# Written by python/stubs.py from the catalogue of the language. Do not edit.
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, TypeAlias

from ._errors import CopeError as CopeError
from ._errors import Interrupted as Interrupted
from ._errors import Note as Note
from ._errors import ProcessEnded as ProcessEnded
from ._sklearn import from_sklearn as from_sklearn
from ._optimum import Optimum as Optimum
from ._strategy import Strategy as Strategy
from ._strategy import Trial as Trial
from ._optimum import maximize as maximize
from ._optimum import minimize as minimize

_DataFrame: TypeAlias = Any  # of pandas, or else of polars, or else a list of dicts
_Table: TypeAlias = Any  # a DataFrame, a list of dicts or a dict of lists
_Label: TypeAlias = Hashable  # of a column, such as 0 or ("yield", "mean")
_Number: TypeAlias = int | float
_List: TypeAlias = Sequence[Any] | Any

__version__: str

def close_process() -> None:
    """End the gonb-cope process, for example to free memory; the next call starts another."""
    ...
def script(text: str, file: str = ..., **names: Any) -> dict[str, Any]:
    """Evaluate a script of the language with the given names bound, and return the values that it binds."""
    ...
def load_ipython_extension(ip: Any) -> None: ...

'''

VALUE = '''class Value:
    """A value of the language. Its parts are attributes; functions that take it first are its methods."""
    @property
    def json(self) -> Any:
        """All parts as Python dicts and lists, as docs/reference/json.md describes them."""
        ...
    @property
    def table(self) -> _DataFrame:
        """The rows of the value as a DataFrame of pandas or else polars, or else as a list of dicts."""
        ...
    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table as lists by the names of its columns."""
        ...
    def to_pandas(self) -> Any:
        """Return the table as a DataFrame of pandas."""
        ...
    def to_polars(self) -> Any:
        """Return the table as a DataFrame of polars."""
        ...
    def _repr_mimebundle_(self, include: Any = ..., exclude: Any = ...) -> dict[str, Any]: ...
    def __getattr__(self, name: str) -> Any: ...
    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __pow__(self, other: Any) -> Any: ...
    def __getitem__(self, place: Any) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...

class Record(dict[str, Any]):
    """A part of a value that has parts itself: a dict whose items are attributes, too."""
    def __getattr__(self, name: str) -> Any: ...
'''

OWN = {
    "Figure": '''    @property
    def svg(self) -> str: ...
    @property
    def png(self) -> bytes: ...
    @property
    def pdf(self) -> bytes: ...
    def to_vega(self) -> dict[str, Any]:
        """Return the figure as a Vega-Lite specification."""
        ...
    def draw(self, ax: Any = ...) -> Any:
        """Draw the figure in axes of matplotlib and return them; new axes if none are given."""
        ...
''',
    "Campaign": '''    folder: str
    @classmethod
    def start(cls, folder: str | PathLike[str], protocol: Protocol) -> Campaign:
        """Make a campaign in a folder, or open the one that the folder has of this protocol."""
        ...
    @classmethod
    def resume(cls, folder: str | PathLike[str]) -> Campaign:
        """Open the campaign of a folder."""
        ...
    def ask(
        self, count: int | None = ..., by: str | None = ..., task: str | None = ..., more: bool | None = ..., retry: bool | None = ...
    ) -> _DataFrame:
        """Return what to measure next, one measurement in a row: fill in the column reward, then call tell."""
        ...
    def tell(
        self,
        results: _Table,
        by: str | None = ...,
        sure: bool | None = ...,
        take_good: bool | None = ...,
        extra: bool | None = ...,
        again: bool | None = ...,
        tolerance: _Number | None = ...,
    ) -> Receipt:
        """Record results: a DataFrame of ask with its column reward, all rows or some, or a CSV file."""
        ...
''',
}


def main(command: str, check: bool) -> int:
    """Write the files, or print the names of those that differ."""
    listed = subprocess.run([command, "serve", "--catalogue"], check=True, capture_output=True, text=True).stdout
    catalogue = json.loads(listed)
    results = parts_of(catalogue)
    wanted = {PACKAGE / "catalogue.json": listed, PACKAGE / "results.json": json.dumps(results, ensure_ascii=False, indent=1) + "\n"}
    wanted[PACKAGE / "__init__.pyi"] = stub(catalogue, results)
    wrong = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in wrong:
        if check:
            print(f"{path} is out of date: python3 python/stubs.py COMMAND writes it")
        else:
            path.write_text(wanted[path], encoding="utf-8")
    return 1 if check and wrong else 0


def parts_of(catalogue: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return the parts of each type of value, as the schema of results has them."""
    defined = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    found = {}
    for kind in catalogue["kinds"]:
        schema = defined["fc" if kind["json"] == "result" else kind["json"]]
        found[kind["name"]] = [{"name": name, "type": type_of(p), "doc": p.get("description", "")} for name, p in schema["properties"].items()]
    return found


def type_of(schema: dict[str, Any]) -> str:
    """Return the type of a part in Python."""
    plain = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
    kinds = schema.get("type", "object")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    out = []
    for kind in kinds:
        if kind in plain:
            out.append(plain[kind])
        elif kind == "array":
            item = plain.get(str(schema.get("items", {}).get("type")))
            out.append(f"list[{item}]" if item else "DataFrame")
        else:
            out.append("Record")
    return " | ".join(out)


def stub(catalogue: dict[str, Any], results: dict[str, Any]) -> str:
    """Return the stub of the package."""
    from gonb_cope import _catalogue

    _catalogue.catalogue = lambda: catalogue  # type: ignore[assignment]
    _catalogue.results = lambda: results  # type: ignore[assignment]
    _catalogue.functions.cache_clear()
    _catalogue.classes.cache_clear()
    classes = {kind: name for kind, name in _catalogue.classes().items() if name != "Record"}
    everywhere = {name for name, f in _catalogue.functions().items() if f["params"] and not f["params"][0].get("types")}
    takers = {name: [kind for kind in classes if name in _catalogue.methods(kind)] for name in _catalogue.functions() if name not in everywhere}
    shared = [name for name, kinds in takers.items() if len(kinds) > MOST_COPIES]  # methods that are written once, in a class of their own
    literals = Literals(_catalogue.functions().values())
    body = []
    for name in shared:
        body.append(f"class _Has{name.capitalize()}:\n{signature(_catalogue.functions()[name], classes, literals, 'self')}\n")
    for kind, name in classes.items():
        bases = ["Value", *(f"_Has{method.capitalize()}" for method in shared if kind in takers[method])]
        text = OWN.get(name, "")
        for part in _catalogue.parts(kind):
            text += f"    {part['name']}: {part['type'].replace('DataFrame', '_DataFrame')}\n"
            text += textwrap.indent(quoted(part["doc"]), "    ") + "\n" if part["doc"] else ""
        for method, kinds in takers.items():
            if f"def {method}(" not in text and method not in shared and kind in kinds:
                text += signature(_catalogue.functions()[method], classes, literals, "self")
        about = _catalogue.class_doc(kind).split("\n")[0]
        body.append(f'class {name}({", ".join(bases)}):\n    """{about}"""\n{text}\n')
    for f in _catalogue.functions().values():
        body.append(signature(f, classes, literals, "") + "\n")
    return "".join([HEAD, *(f"{name}: TypeAlias = {text}\n" for text, name in literals.names.items()), "\n", VALUE, "\n", *body])


class Literals:
    """Names for the texts that parameters choose from."""

    def __init__(self, functions: Iterable[dict[str, Any]]) -> None:
        self.names: dict[str, str] = {}
        for f in functions:
            for p in f["params"]:
                text = literal(p)
                if text and text not in self.names:
                    name = "_" + "".join(word.capitalize() for word in p["name"].split("_"))
                    if name in self.names.values():  # such as the algorithms of fc and fb
                        name += "Of" + "".join(word.capitalize() for word in f["name"].split("_"))
                    self.names[text] = name


def literal(p: dict[str, Any]) -> str:
    """Return the texts that a parameter chooses from as a type; nothing if there are none."""
    return "Literal[" + ", ".join(json_text(c) for c in p["choices"]) + "]" if p.get("choices") else ""


def signature(f: dict[str, Any], classes: dict[str, str], literals: Literals, owner: str) -> str:
    """Return a function with its help, or a method of a class."""
    from gonb_cope._catalogue import docstring, python_name

    parts, optional = [], False
    for i, p in enumerate(f["params"]):
        if owner and i == 0:
            parts.append("self")
            continue
        optional = optional or bool(p.get("optional"))
        kind = annotation(p, classes, literals)
        parts.append(f"{python_name(p['name'])}: {kind}" + (" | None = ..." if optional else ""))
    if f.get("variadic"):
        parts.append("*more: Any")
    if f.get("named"):
        parts.append("**named: Any")
    result = {"number": "Any", "text": "str", "list": "Any", "nothing": "None", "": "Any", "record": "Record"}.get(f["result"]) or classes[f["result"]]
    indent = "    " if owner else ""
    text = docstring(f)
    body = textwrap.indent(quoted(first_sentence(text) if owner else text), indent + "    ")
    return f"{indent}def {f['name']}({', '.join(parts)}) -> {result}:\n{body}\n{indent}    ...\n"


def first_sentence(text: str) -> str:
    """Return the first sentence of the first paragraph."""
    paragraph = " ".join(text.split("\n\n", 1)[0].split())
    return re.split(r"(?<=[.])\s+(?=[A-Z])", paragraph, maxsplit=1)[0]


def annotation(p: dict[str, Any], classes: dict[str, str], literals: Literals) -> str:
    """Return the type of a parameter."""
    if not p.get("types"):
        return "Any"
    kinds: list[str] = []
    for kind in p["types"]:
        if kind == "number":
            kinds.append("bool" if p.get("switch") else "int" if p.get("whole") else "_Number")
        elif kind == "text":
            kinds.append(literals.names.get(literal(p)) or ("str | PathLike[str]" if p.get("table") else "str"))
        elif kind == "list":
            kinds.append("_List")
        elif kind == "record":
            kinds.append("Record")
        elif kind == "own algorithm":
            kinds.append("type[Any]")
        else:
            kinds.append(classes[kind])
    if p.get("table"):
        kinds.append("_Table")
    if p.get("column"):
        kinds.append("_Label")
    if p.get("function"):
        kinds.append("Callable[..., Any]")
    return " | ".join(kinds)


def quoted(text: str) -> str:
    """Return a text as a docstring."""
    safe = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if safe.endswith('"'):
        safe = safe[:-1] + '\\"'
    return f'"""{safe}\n"""' if "\n" in safe else f'"""{safe}"""'


def json_text(text: str) -> str:
    """Return a text as a literal."""
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--check" in sys.argv[2:]))
