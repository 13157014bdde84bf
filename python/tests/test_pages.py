"""The Python of the how-to pages runs as it is written."""

import re

import pytest
from conftest import REPOSITORY

pytest.importorskip("pandas")


def run(page):
    """Run the code of a page in one namespace and return this."""
    text = (REPOSITORY / "docs/how-to" / page).read_text(encoding="utf-8")
    space = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, space)
    return space


def test_tune_models(folder, capsys):
    space = run("tune-models.md")
    assert len(space["search"].told) == 60
    assert len(capsys.readouterr().out.splitlines()) == 8
    picks = space["search"].picks(space["answer"])
    lost = [90.2 - space["train"](0, model, **setting) for model, setting in picks.items()]
    assert sum(lost) / len(lost) < 0.6
    again = run("tune-models.md")  # as after a restart: nothing is left to train, and the worker left two results in the file
    assert len(again["search"].told) == 62


def test_field_trial(folder, capsys):
    space = run("field-trial.md")
    plan = (folder / "plan-2025.csv").read_text(encoding="utf-8").splitlines()
    assert plan[0].split(",")[:5] == ["position", "site", "year", "block", "variety"]
    assert len(plan) >= 48
    worth = space["worth"]
    assert max(worth.values()) - worth[space["winner"]["label"]] < 0.3
    assert space["winner"]["label"] in capsys.readouterr().out
