"""Values of a Python function in blocks of rows."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any


def evaluate(function: Callable[..., Any], x: bytearray, y: bytearray, rows: int, width: int) -> bytes:
    """Return function(X, Y) as bytes of float64, where X has rows points and Y has width points."""
    try:
        import numpy as np
    except ImportError:
        return _plainly(function, x, y, rows, width)
    xs = np.frombuffer(x, "<f8").reshape(rows, -1)
    ys = np.frombuffer(y, "<f8").reshape(width, -1)
    values = np.asarray(function(xs, ys), dtype="<f8")
    if values.shape != (rows, width):
        raise ValueError(f"the kernel function returned shape {values.shape}; for {rows} and {width} points it must be ({rows}, {width})")
    return bytes(values.tobytes())


def _plainly(function: Callable[..., Any], x: bytearray, y: bytearray, rows: int, width: int) -> bytes:
    xs, ys = _points(x, rows), _points(y, width)
    values = [[float(v) for v in row] for row in function(xs, ys)]
    if len(values) != rows or any(len(row) != width for row in values):
        raise ValueError(f"the kernel function must return {rows} rows of {width} values")
    return b"".join(array("d", row).tobytes() for row in values)


def _points(block: bytearray, count: int) -> list[list[float]]:
    numbers = array("d")
    numbers.frombytes(bytes(block))
    dim = len(numbers) // count if count else 0
    return [list(numbers[i * dim : (i + 1) * dim]) for i in range(count)]
