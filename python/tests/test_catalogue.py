"""Nothing is written per function: all come from the catalogue, with help and stubs."""

import ast
import inspect
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
    for p in f["params"]:
        assert p["doc"] in function.__doc__


def test_completion():
    assert {"fc", "best", "problem", "minimize", "Campaign"} <= set(dir(cope))
    p = cope.paper(case=2)
    assert {"best", "fc", "fb", "protocol", "bounds", "table", "tasks"} <= set(dir(p))
    assert cope.Problem.fc.__doc__
    assert all(hasattr(cope, name) for name in cope.__all__)
