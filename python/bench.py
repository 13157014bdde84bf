"""Print what the package costs, as docs/python.md has it: python3 python/bench.py."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


def fresh(code: str) -> float:
    """Return seconds that a fresh interpreter says its code took, the least of seven."""
    env = {**os.environ, "PYTHONPATH": str(HERE)}
    return min(float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env).stdout) for _ in range(7))


def main() -> None:
    """Measure one thing after another."""
    import numpy as np
    import pandas as pd

    import gonb_cope as cope
    from gonb_cope import _tables
    from gonb_cope._process import process

    clock = "import time; t = time.perf_counter(); import gonb_cope as c; {}print(time.perf_counter() - t)"
    print(f"import                              {1e3 * fresh(clock.format('')):8.1f} ms")
    print(f"import and first call               {1e3 * fresh(clock.format('c.mean([1, 2]); ')):8.1f} ms")

    times = []
    for _ in range(1000):
        start = time.perf_counter()
        cope.mean([1, 2])
        times.append(time.perf_counter() - start)
    print(f"a call and back                     {1e3 * min(times):8.3f} ms")

    draw = np.random.default_rng(1)
    n = 1_000_000
    machines, temps = draw.choice(["M1", "M2", "M3", "M4"], n), draw.choice(np.arange(20, 80, 5), n)
    frame = pd.DataFrame({"Machine": machines, "Temp": temps, "Speed": draw.choice(5, n), "Throughput": draw.normal(50, 5, n)})
    start = time.perf_counter()
    _tables.send(process, frame)
    print(f"a DataFrame of 10^6 rows, sent      {time.perf_counter() - start:8.2f} s")
    start = time.perf_counter()
    kernel = cope.task(cope.identity()) * cope.arm(cope.rbf(1))
    cope.problem(frame, task="Machine", arm=["Temp", "Speed"], reward="Throughput", kernel=kernel)
    print(f"the same as a problem, all in all   {time.perf_counter() - start:8.2f} s")

    asked = [0, 0.0]

    def own(x: object, y: object) -> object:
        start = time.perf_counter()
        out = np.exp(-abs(np.asarray(x)[:, None, :] - np.asarray(y)[None, :, :]).sum(-1))
        asked[0] += len(x)  # type: ignore[arg-type]
        asked[1] += time.perf_counter() - start
        return out

    rows = [{"task": "a", "arm": str(i), "x_1": i / 100, "mean": float(i % 7)} for i in range(1000)]
    problem = cope.problem(rows, kernel=cope.arm(cope.identity()), noise=1)
    start = time.perf_counter()
    problem.with_kernel(cope.arm(lambda x, y: np.zeros((len(x), len(y))) + np.eye(len(x), len(y))))
    bare = time.perf_counter() - start
    start = time.perf_counter()
    problem.with_kernel(cope.arm(own))
    spent = time.perf_counter() - start - asked[1]
    print(f"a kernel of Python, a row of 1,000  {1e6 * spent / asked[0]:8.1f} µs beside its own time (all else included; {bare:.2f} s for one of zeros)")

    told = [0]

    def measure(task: str, arm: str, count: int) -> float:
        told[0] += 1
        return 0.0

    paper = cope.paper(case=2, gap=0.4)
    start = time.perf_counter()
    paper.fb(budget=2000, algorithm="IndUniformFB", runs=50, rewards=measure)
    print(f"rewards of Python, an arm a round   {1e6 * (time.perf_counter() - start) / told[0]:8.1f} µs a call ({told[0]} calls)")


if __name__ == "__main__":
    main()
