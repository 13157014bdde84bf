"""Print the costs of calls, tables and functions: python3 python/bench.py."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


def fresh(code: str) -> str:
    """Return how long a fresh interpreter takes: the least of nine, by the clock and in processor time of it and its child."""
    env = {**os.environ, "PYTHONPATH": str(HERE)}
    text = "import resource, time; t, p = time.perf_counter(), time.process_time(); import gonb_cope as c; " + code
    text += "w = time.perf_counter() - t; p = time.process_time() - p; c.close_process() if 'gonb_cope._process' in __import__('sys').modules else 0; "
    text += "u = resource.getrusage(resource.RUSAGE_CHILDREN); print(w, p + u.ru_utime + u.ru_stime)"
    found = [subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True, env=env).stdout.split() for _ in range(9)]
    wall, spent = (1e3 * min(float(pair[i]) for pair in found) for i in (0, 1))
    return f"{wall:8.1f} ms ({spent:.1f} ms of processor time)"


def spent(pid: int) -> float:
    """Return the processor time of this process and a child, in seconds; without the child if /proc is missing."""
    total = time.process_time()
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main() -> None:
    """Measure one thing after another."""
    import numpy as np
    import pandas as pd

    import gonb_cope as cope
    from gonb_cope import _tables
    from gonb_cope._process import process

    print(f"import                              {fresh('')}")
    print(f"import and first call               {fresh('c.mean([1, 2]); ')}")

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
    kernel = cope.task(cope.identity()) * cope.arm(cope.rbf(1))
    for what, act in (
        ("a DataFrame of 10^6 rows, sent      ", lambda: _tables.send(process, frame)),
        ("the same as a problem, all in all   ", lambda: cope.problem(frame, task="Machine", arm=["Temp", "Speed"], reward="Throughput", kernel=kernel)),
    ):
        frame["Throughput"] += 1  # or it would not be sent again
        start, used = time.perf_counter(), spent(process.pid)
        act()
        print(f"{what}{time.perf_counter() - start:8.2f} s ({spent(process.pid) - used:.2f} s of processor time)")

    asked = [0, 0.0]
    evaluate = process._evaluate

    def timed(message: dict[str, Any], request: str) -> None:
        start = time.perf_counter()
        evaluate(message, request)
        asked[1] += time.perf_counter() - start

    def own(x: Any, y: Any) -> Any:
        start = time.perf_counter()
        out = np.exp(-abs(x[:, None, :] - y[None, :, :]).sum(-1))
        asked[0] += len(x)
        asked[1] -= time.perf_counter() - start
        return out

    rows = [{"task": "a", "arm": str(i), "x_1": i / 100, "mean": float(i % 7)} for i in range(1000)]
    problem = cope.problem(rows, kernel=cope.arm(cope.identity()), noise=1)
    process._evaluate = timed  # type: ignore[method-assign]
    problem.with_kernel(cope.arm(own))
    process._evaluate = evaluate  # type: ignore[method-assign]
    print(f"a kernel of Python, a row of 1,000  {1e6 * asked[1] / asked[0]:8.1f} µs beside its own time")

    calls = [0]

    def measure(task: str, arm: str, count: int) -> float:
        calls[0] += 1
        return 0.0

    paper = cope.paper(case=2, gap=0.4)
    start = time.perf_counter()
    paper.fb(budget=2000, algorithm="IndUniformFB", runs=50, rewards=measure)
    print(f"rewards of Python, an arm a round   {1e6 * (time.perf_counter() - start) / calls[0]:8.1f} µs a call ({calls[0]} calls)")


if __name__ == "__main__":
    main()
