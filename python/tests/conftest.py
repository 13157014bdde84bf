"""Tests run against the command that GONB_COPE names, or the one that was installed."""

import json
import os
import signal
import sys
import warnings
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in programs that it runs in the background


@pytest.fixture(autouse=True)
def quiet():
    """Notes on data are for people."""
    import gonb_cope

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gonb_cope.Note)
        yield


@pytest.fixture
def python3(tmp_path, monkeypatch):
    """The kernel python3 is the interpreter of the tests, whatever else is installed."""
    spec = tmp_path / "kernels/python3/kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(
        json.dumps({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"})
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))


@pytest.fixture
def folder(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


@pytest.fixture
def machines():
    """Measurements of four machines at nine settings, by a rule that is known: the best is 190 °C and speed 20."""
    import random

    draw = random.Random(7)
    rows = []
    for m in range(4):
        for temp in (170, 190, 210):
            for speed in (10, 20, 30):
                for _ in range(3):
                    y = 50 - abs(temp - 190) / 4 - abs(speed - 20) / 2 + m + draw.gauss(0, 0.5)
                    rows.append({"Machine": f"M{m}", "Temp °C": temp, "Speed": speed, "Throughput": round(y, 3)})
    return rows
