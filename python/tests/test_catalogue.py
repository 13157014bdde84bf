"""Nothing is written per function: all come from the catalogue, with help and stubs."""

import ast
import inspect
import re
import subprocess
import sys

import pytest
from conftest import REPOSITORY

import gonb_cope as cope
from gonb_cope import _catalogue
from gonb_cope._process import command


def test_up_to_date():
    done = subprocess.run([sys.executable, "python/stubs.py", command(), "--check"], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_cover_every_function():
    tree = ast.parse((REPOSITORY / "python/gonb_cope/__init__.pyi").read_text(encoding="utf-8"))
    stubs = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name, f in _catalogue.functions().items():
        stub = stubs[name]
        assert isinstance(stub, ast.FunctionDef)
        assert [a.arg for a in stub.args.args] == [_catalogue.python_name(p["name"]) for p in f["params"]]
        assert ast.get_docstring(stub)
    for name in _catalogue.classes().values():
        assert isinstance(stubs[name], ast.ClassDef)
        for method in stubs[name].body:
            if isinstance(method, ast.FunctionDef) and (text := ast.get_docstring(method)):
                assert text.rstrip().endswith((".", ":")), f"{name}.{method.name}: {text}"
    assert set(cope.__all__) <= {
        *stubs,
        "CopeError",
        "Interrupted",
        "Note",
        "ProcessEnded",
        "Optimum",
        "Strategy",
        "Trial",
        "from_sklearn",
        "minimize",
        "maximize",
    }


@pytest.mark.parametrize("name", [f["name"] for f in _catalogue.catalogue()["functions"]])
def test_help(name):
    function = getattr(cope, name)
    f = _catalogue.functions()[name]
    assert list(inspect.signature(function).parameters)[: len(f["params"])] == [_catalogue.python_name(p["name"]) for p in f["params"]]
    words = " ".join(function.__doc__.lower().split())
    for p in f["params"]:
        assert " ".join(_catalogue.in_python(p["doc"]).lower().split()) in words
    assert "relative to the script" not in words and "=true" not in function.__doc__ and "false:" not in function.__doc__
    ast.parse(_catalogue.python_example(f["example"]))
    assert not re.search(r"\b(true|false)\b", _catalogue.python_example(f["example"]))


@pytest.mark.parametrize("kind", [kind for kind in _catalogue.classes() if kind != "record"])
def test_help_of_classes(kind):
    """The help lists the parts that a value has, and no function as a method that only takes a list of Python."""
    of = getattr(cope, _catalogue.classes()[kind])
    first = of.__doc__.split("\n")[0]
    assert not re.match(r"A [aeiou]|An [^aeiou]", first)
    for part in _catalogue.parts(kind):
        assert f"    {part['name']} ({part['type']})" in of.__doc__
    if kind in ("list", "free hyperparameter"):
        assert not set(_catalogue.functions()) & {name for name in vars(of) if not name.startswith("_")}


def test_parts_are_there(machines):
    """An answer has every part that the help of its class lists."""
    a = cope.problem(machines, task="Machine", arm="Speed", reward="Throughput").best(next=2)
    for part in _catalogue.parts("answer"):
        if part["name"] in a.json:
            getattr(a, part["name"])
    assert {"picks", "next", "arms", "loss_now"} <= set(a.json)


def test_completion():
    assert {"fc", "best", "problem", "minimize", "Campaign"} <= set(dir(cope))
    p = cope.paper(case=2)
    assert {"best", "fc", "fb", "protocol", "bounds", "table", "tasks"} <= set(dir(p))
    assert cope.Problem.fc.__doc__
    assert all(hasattr(cope, name) for name in cope.__all__)
