"""Kernels of scikit-learn as kernels of the language."""

from __future__ import annotations

import math
from typing import Any

from ._values import call


def from_sklearn(kernel: Any) -> Any:
    """Return a kernel of ``sklearn.gaussian_process.kernels`` as a kernel of the language, with its numbers.

    ``GaussianProcessRegressor`` has it in ``kernel_`` after a fit. A kernel that the language lacks is
    an error that names it.
    """
    return _read(kernel)


def _read(k: Any) -> Any:
    name = type(k).__name__
    own = {
        "RBF": lambda: call("rbf", (k.length_scale,), {}),
        "Matern": lambda: _matern(k),
        "RationalQuadratic": lambda: call("rq", (k.length_scale,), {"alpha": k.alpha}),
        "ExpSineSquared": lambda: call("periodic", (k.periodicity,), {"lengthscale": k.length_scale}),
        "DotProduct": lambda: call("linear", (k.sigma_0**2,), {}),
        "ConstantKernel": lambda: call("constant", (k.constant_value,), {}),
        "WhiteKernel": lambda: k.noise_level * call("identity", (), {}),
        "Sum": lambda: _read(k.k1) + _read(k.k2),
        "Product": lambda: _read(k.k1) * _read(k.k2),
        "Exponentiation": lambda: _read(k.kernel) ** _power(k.exponent),
    }
    if name not in own:
        raise TypeError(f"{name} of scikit-learn has no kernel here; there are {', '.join(sorted(own))}")
    return own[name]()


def _matern(k: Any) -> Any:
    if math.isinf(k.nu):
        return call("rbf", (k.length_scale,), {})
    if k.nu not in (0.5, 1.5, 2.5):
        raise ValueError(f"Matern has nu={k.nu}; here nu is 0.5, 1.5, 2.5 or infinite")
    return call("matern", (k.nu, k.length_scale), {})


def _power(exponent: float) -> int:
    if exponent != int(exponent) or exponent < 0:
        raise ValueError(f"the exponent is {exponent}; here it must be whole, so that the power is a kernel")
    return int(exponent)
