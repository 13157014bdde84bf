"""Algorithms of your own in Python."""

from __future__ import annotations

import json
import math
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

import gonb_cope as cope
from gonb_cope import _own

np = pytest.importorskip("numpy")


class Pooled:
    """The algorithm of the notebook own-algorithm, without its kernel: means of each arm."""

    pulls = 4

    def __init__(self, arms: Any) -> None:
        self.arms, self.round = arms, 0
        self.alive = np.ones(arms.n, bool)
        self.counts, self.sums = np.zeros(arms.n), np.zeros(arms.n)

    def plan(self) -> Any:
        left = np.bincount(self.arms.task[self.alive])
        if left.max() > 1:
            return np.where(self.alive & (left[self.arms.task] > 1), self.pulls << self.round, 0)
        return None

    def learn(self, counts: Any, means: Any, squares: Any) -> None:
        self.round += 1
        self.counts, self.sums = self.counts + counts, self.sums + counts * means
        width = math.log(self.arms.n * self.round * (self.round + 1) / self.arms.delta)
        best = self.answers()[self.arms.task]
        self.alive &= (self.sums / self.counts)[best] - self.sums / self.counts <= np.sqrt(2 * width * (1 / self.counts[best] + 1 / self.counts))

    def answers(self) -> Any:
        estimates = np.where(self.alive, self.sums / self.counts, -np.inf)
        return np.array([np.flatnonzero(self.arms.task == v)[estimates[self.arms.task == v].argmax()] for v in range(self.arms.tasks)])


def test_runs() -> None:
    p = cope.paper(case=1, gap=0.8)
    r = cope.fc(p, algorithm=Pooled, runs=20)
    assert r.algorithm == "Pooled" and r.standing == "none" and "the algorithm Pooled is your own" in r.guarantee
    assert r.errors["count"] == 0 and r.json["decided_tasks"] == 100
    again = cope.fc(p, algorithm=Pooled, runs=20)
    assert again.json["samples_per_agent"] == r.json["samples_per_agent"]
    s = cope.sweep(r, gap=[0.8, 1.6], algorithm=["CoTestFC", Pooled])
    rows = s.to_columns()
    assert rows["algorithm"] == ["CoTestFC", "CoTestFC", "Pooled", "Pooled"]
    assert cope.compare(r, cope.fc(p, runs=20)).json
    rows = p.compare(algorithm=["CoTestFC", Pooled], runs=20).to_columns()
    assert rows["algorithm"] == ["CoTestFC", "Pooled"]


def test_notebook(folder: Path) -> None:
    """The notebook's algorithm has at most 30 lines in either language, and its Python code draws a figure."""
    path = REPOSITORY / "notebooks" / "own-algorithm.ipynb"
    if not path.exists():
        pytest.skip("the notebooks are not here")
    cells = {c["id"]: "".join(c["source"]) for c in json.loads(path.read_text("utf-8"))["cells"]}
    code = cells["python"].split("```python\n")[1].split("```")[0]
    algorithms = code[code.index("class ") : code.index("\np = ")], cells["algorithm"][cells["algorithm"].index("type ") :]
    assert [sum(bool(line.strip()) for line in text.splitlines()) <= 30 for text in algorithms] == [True, True], algorithms
    names: dict[str, Any] = {}
    exec(code.replace("runs=50", "runs=10"), names)
    assert names["r"].errors["count"] == 0 and (folder / "own-algorithm.pdf").read_bytes().startswith(b"%PDF")


def test_arms() -> None:
    seen = []

    class Looks(Pooled):
        def __init__(self, arms: Any) -> None:
            super().__init__(arms)
            seen.append(arms)

    p = cope.problem(
        {"task": ["a", "a", "b", "b"], "arm": ["x", "y", "x", "y"], "x_1": [0, 1, 0, 1], "mean": [0, 9, 9, 0]},
        kernel=2 * cope.arm(cope.linear()),
        noise=3,
        goal="min",
    )
    r = cope.fc(p, algorithm=Looks, delta=0.1, runs=2)
    arms = seen[0]
    assert (arms.n, arms.tasks, arms.names, arms.task_names, list(arms.task)) == (4, 2, ["x", "y", "x", "y"], ["a", "b"], [0, 0, 1, 1])
    assert np.allclose(arms.kernel, 2 * np.outer([0, 1, 0, 1], [0, 1, 0, 1])) and np.allclose(arms.noise, 3) and arms.delta == 0.1
    assert [a["leader"] for a in r.json["answers"]] == ["x", "y"]  # the smallest means
    assert all(abs(a["estimate"]) < 3 for a in r.json["answers"]) and r.json["answers"][0]["estimate"] != 0  # the mean of rewards near 0


def test_store(tmp_path: Path) -> None:
    store = str(tmp_path / "own.jsonl")

    def stored(algorithm: Any) -> int:
        r = cope.fc(cope.paper(case=1, gap=0.8), algorithm=algorithm, runs=2)
        cope.sweep(r, algorithm=[algorithm], store=store)
        return len(Path(store).read_text().splitlines())

    first = type("Mine", (Pooled,), {"pulls": 4})
    same = type("Mine", (Pooled,), {"pulls": 4})
    other = type("Mine", (Pooled,), {"pulls": 5})
    assert [stored(first), stored(first), stored(same), stored(other), stored(first)] == [1, 1, 1, 2, 2]


def test_digest() -> None:
    source = "LIMIT = {}\ndef helper(x):\n    return x {} 1\nclass Mine:\n    def plan(self): return helper(LIMIT)\n"
    source += "    def learn(self, *a): pass\n    def answers(self): pass\n"

    def digest(*words: Any) -> str:
        names: dict[str, Any] = {"__name__": "mine"}
        exec(source.format(*words), names)
        assert _own.is_algorithm(names["Mine"])
        return _own.digest(names["Mine"])

    assert digest(1, "+") == digest(1, "+")
    assert len({digest(1, "+"), digest(2, "+"), digest(1, "-")}) == 3


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("plan", [1, 2], "Mine.plan returned 2 counts for 30 arms"),
        ("plan", [0.5] * 30, "Mine.plan returned .* whole numbers"),
        ("plan", [-1] + [1] * 29, "-1 pulls of arm 0"),
        ("answers", [0], "answers returned 1 numbers of arms for 5 tasks"),
        ("answers", [29] * 5, "answers returned arm 29 for task 0, whose arms are 0 to 5"),
        ("learn", ZeroDivisionError("no data"), "no data"),
    ],
)
def test_faults(method: str, value: Any, message: str) -> None:
    def wrong(self: Any, *_args: Any) -> Any:
        if isinstance(value, Exception):
            raise value
        return value

    mine = type("Mine", (Pooled,), {"learn": lambda self, *_data: None} | {method: wrong})
    with pytest.raises((cope.CopeError, ValueError, ZeroDivisionError), match=message):
        cope.fc(cope.paper(case=1, gap=0.8), algorithm=mine)
    assert cope.fc(cope.paper(case=1, gap=0.8), algorithm=Pooled).algorithm == "Pooled"


def test_budget() -> None:
    once = type("Once", (Pooled,), {"plan": lambda self: np.full(self.arms.n, 10) if self.round == 0 else None})
    assert cope.fb(cope.paper(case=1, gap=0.8), algorithm=once, budget=60).samples_total == 300
    with pytest.raises(cope.CopeError, match="the plan has 300 pulls, but only 295 of the budget of all agents are left"):
        cope.fb(cope.paper(case=1, gap=0.8), algorithm=once, budget=59)


def test_object() -> None:
    class Never(Pooled):
        def __init__(self) -> None:
            pass

    with pytest.raises(TypeError, match="give the class itself"):
        cope.fc(cope.paper(case=1), algorithm=Never())


def test_interrupt() -> None:
    class Hangs(Pooled):
        def plan(self) -> Any:
            while True:
                time.sleep(0.01)

    timer = threading.Timer(1, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cope.fc(cope.paper(case=1), algorithm=Hangs)
    assert cope.fc(cope.paper(case=1, gap=0.8), algorithm=Pooled).algorithm == "Pooled"
