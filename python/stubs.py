"""Write the catalogue and the stub of the package from what ``gonb-cope serve --catalogue`` says.

python3 python/stubs.py COMMAND           writes gonb_cope/catalogue.json and gonb_cope/__init__.pyi
python3 python/stubs.py COMMAND --check   says whether they are as they should be
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PACKAGE = HERE / "gonb_cope"
sys.path.insert(0, str(HERE))

HEAD = """# Written by python/stubs.py from the catalogue of the language. Do not edit.
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

_Table: TypeAlias = Any
_Label: TypeAlias = Hashable  # of a column, such as 0 or ("yield", "mean")
_Number: TypeAlias = int | float
_List: TypeAlias = Sequence[Any] | Any
_Points: TypeAlias = Any

__version__: str

def close_process() -> None: ...
def script(text: str, file: str = ..., **names: Any) -> dict[str, Any]: ...
def load_ipython_extension(ip: Any) -> None: ...

"""

VALUE = '''class Value:
    """A value that a function of the language gave; its parts are attributes."""
    @property
    def json(self) -> Any: ...
    @property
    def table(self) -> Any: ...
    def to_columns(self) -> dict[str, list[Any]]: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
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
'''

OWN = {
    "Figure": """    @property
    def svg(self) -> str: ...
    @property
    def png(self) -> bytes: ...
    @property
    def pdf(self) -> bytes: ...
    def to_vega(self) -> dict[str, Any]: ...
    def draw(self, ax: Any = ...) -> Any: ...
""",
    "Campaign": """    folder: str
    @classmethod
    def start(cls, folder: str | PathLike[str], protocol: Protocol) -> Campaign: ...
    @classmethod
    def resume(cls, folder: str | PathLike[str]) -> Campaign: ...
    def ask(self, count: int | None = ..., by: str | None = ..., task: str | None = ..., more: bool | None = ...) -> Any: ...
    def tell(
        self, results: _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., extra: bool | None = ...
    ) -> Receipt: ...
""",
}


def main(command: str, check: bool) -> int:
    """Write both files, or say which differ."""
    listed = subprocess.run([command, "serve", "--catalogue"], check=True, capture_output=True, text=True).stdout
    wanted = {PACKAGE / "catalogue.json": listed}
    import json

    wanted[PACKAGE / "__init__.pyi"] = stub(json.loads(listed))
    wrong = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in wrong:
        if check:
            print(f"{path} is out of date: python3 python/stubs.py COMMAND writes it")
        else:
            path.write_text(wanted[path], encoding="utf-8")
    return 1 if check and wrong else 0


def stub(catalogue: dict[str, Any]) -> str:
    """Return the stub of the package."""
    from gonb_cope import _catalogue

    _catalogue.catalogue = lambda: catalogue  # type: ignore[assignment]
    _catalogue.functions.cache_clear()
    _catalogue.classes.cache_clear()
    classes = _catalogue.classes()
    out = [HEAD, VALUE, "\n"]
    everywhere = {name for name, f in _catalogue.functions().items() if f["params"] and not f["params"][0].get("types")}
    for kind, name in classes.items():
        body = OWN.get(name, "")
        for method in _catalogue.methods(kind):
            if f"def {method}(" not in body and method not in everywhere:
                body += signature(_catalogue.functions()[method], classes, "self")
        out.append(f'class {name}({"dict[str, Any]" if name == "Record" else "Value"}):\n    """A {kind} of the language."""\n{body}\n')
    for f in _catalogue.functions().values():
        out.append(signature(f, classes, "") + "\n")
    return "".join(out)


def signature(f: dict[str, Any], classes: dict[str, str], owner: str) -> str:
    """Return a function with its help, or a method of a class."""
    from gonb_cope._catalogue import docstring, python_name

    parts, optional = [], False
    for i, p in enumerate(f["params"]):
        if owner and i == 0:
            parts.append("self")
            continue
        optional = optional or bool(p.get("optional"))
        kind = annotation(p, classes)
        parts.append(f"{python_name(p['name'])}: {kind}" + (" | None = ..." if optional else ""))
    if f.get("variadic"):
        parts.append("*more: Any")
    if f.get("named"):
        parts.append("**named: Any")
    result = {"number": "Any", "text": "str", "list": "Any", "nothing": "None", "": "Any"}.get(f["result"]) or classes[f["result"]]
    indent = "    " if owner else ""
    text = docstring(f).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if owner:
        text = text.split("\n", 1)[0]
    body = textwrap.indent(f'"""{text}\n"""' if "\n" in text else f'"""{text}"""', indent + "    ")
    return f"{indent}def {f['name']}({', '.join(parts)}) -> {result}:\n{body}\n{indent}    ...\n"


def annotation(p: dict[str, Any], classes: dict[str, str]) -> str:
    """Return what a parameter takes."""
    if not p.get("types"):
        return "Any"
    kinds: list[str] = []
    for kind in p["types"]:
        if kind == "number":
            kinds.append("bool" if p.get("switch") else "int" if p.get("whole") else "_Number")
        elif kind == "text":
            kinds.append(
                "Literal[" + ", ".join(json_text(c) for c in p["choices"]) + "]" if p.get("choices") else "str | PathLike[str]" if p.get("table") else "str"
            )
        elif kind == "list":
            kinds.append("_List")
        else:
            kinds.append(classes[kind])
    if p.get("table"):
        kinds.append("_Table")
    if p.get("column"):
        kinds.append("_Label")
    if p.get("function"):
        kinds.append("Callable[..., Any]")
    return " | ".join(kinds)


def json_text(text: str) -> str:
    """Return a text as a literal."""
    import json

    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--check" in sys.argv[2:]))
