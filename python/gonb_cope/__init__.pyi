# Written by python/stubs.py from the catalogue of the language. Do not edit.
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

class Value:
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

class Kernel(Value):
    """A kernel of the language."""
    def task(self) -> JointKernel:
        """A joint kernel that compares tasks by their features z_*."""
        ...
    def arm(self) -> JointKernel:
        """A joint kernel that compares arms by their features x_*."""
        ...

class JointKernel(Value):
    """A joint kernel of the language."""

class FreeNumber(Value):
    """A free number of the language."""
    def linear(self, lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
        """Rewards are linear in the features."""
        ...
    def constant(self) -> Kernel:
        """The same level everywhere; k + 2 means k + constant(2)."""
        ...
    def rbf(self, dims: _List | str | _Number | None = ...) -> Kernel:
        """Smooth rewards: points nearer than a length scale are alike."""
        ...
    def rq(self, alpha: _Number | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
        """Smooth rewards that vary on many length scales at once."""
        ...
    def periodic(self, lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
        """Rewards that repeat in every column, of any shape within a period."""
        ...
    def cosine(self, dims: _List | str | _Number | None = ...) -> Kernel:
        """Rewards that are one sine wave per column."""
        ...
    def category(self, dims: _List | str | _Number | None = ...) -> Kernel:
        """Columns that are codes: two values are equal or they are not."""
        ...

class Figure(Value):
    """A figure of the language."""
    @property
    def svg(self) -> str: ...
    @property
    def png(self) -> bytes: ...
    @property
    def pdf(self) -> bytes: ...
    def to_vega(self) -> dict[str, Any]: ...
    def draw(self, ax: Any = ...) -> Any: ...

class Table(Value):
    """A table of the language."""

class List(Value):
    """A list of the language."""
    def rbf(self, dims: _List | str | _Number | None = ...) -> Kernel:
        """Smooth rewards: points nearer than a length scale are alike."""
        ...
    def rq(self, alpha: _Number | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
        """Smooth rewards that vary on many length scales at once."""
        ...
    def periodic(self, lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
        """Rewards that repeat in every column, of any shape within a period."""
        ...
    def cosine(self, dims: _List | str | _Number | None = ...) -> Kernel:
        """Rewards that are one sine wave per column."""
        ...
    def table(self, names: _List | None = ...) -> Kernel:
        """Similarities given as numbers, by the name of the point."""
        ...
    def classic(self, agents: int | None = ..., goal: Literal["max", "min"] | None = ...) -> Problem:
        """Makes a problem of collaborative best-arm identification without features: all agents have the same arms, with noise 1."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...
    def exp(self) -> Any:
        """Exponential, of each element."""
        ...
    def log(self) -> Any:
        """Natural logarithm, of each element."""
        ...
    def log10(self) -> Any:
        """Logarithm to base 10, of each element."""
        ...
    def sqrt(self) -> Any:
        """Square root, of each element."""
        ...
    def abs(self) -> Any:
        """Absolute value, of each element."""
        ...
    def sin(self) -> Any:
        """Sine, of each element."""
        ...
    def cos(self) -> Any:
        """Cosine, of each element."""
        ...
    def tanh(self) -> Any:
        """Hyperbolic tangent, of each element."""
        ...
    def min(self, *more: Any) -> Any:
        """Smallest of a list, or of several numbers."""
        ...
    def max(self, *more: Any) -> Any:
        """Largest of a list, or of several numbers."""
        ...
    def sum(self, *more: Any) -> Any:
        """Sum of a list, or of several numbers."""
        ...
    def mean(self, *more: Any) -> Any:
        """Mean of a list, or of several numbers."""
        ...
    def len(self) -> Any:
        """Number of elements of a list, or of characters of a text."""
        ...
    def round(self, digits: int | None = ...) -> Any:
        """Rounds to a whole number, or to a number of digits after the point; a list element by element."""
        ...

class Record(dict[str, Any]):
    """A record of the language."""

class RewardFunction(Value):
    """A reward function of the language."""

class Answer(Value):
    """A answer of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Sweep(Value):
    """A sweep of the language."""
    def paired(self, reference: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"], y: Literal["samples", "error", "rounds", "regret"] | None = ...) -> Comparisons:
        """Compares every algorithm of a sweep with a reference: difference and ratio with 95 % intervals, from paired runs if the seeds are equal."""
        ...
    def speedup(self, algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., alone: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ...) -> Speedup:
        """Measures the speedup β of [Du23, eq. (4)], and compares it with V and the prediction from the rank of the task kernel."""
        ...
    def claims(self, fb: Sweep | None = ...) -> Claims:
        """Compares each statement of the paper about its experiments with the measured results, and gives a verdict."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...
    def measures(self, y: str | _List) -> Table:
        """Shows chosen measures of a sweep as a table, with a row for each result."""
        ...

class Result(Value):
    """A result of the language."""
    def what_if(self, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
        """Shows how samples and rounds change with delta, epsilon and the tasks: one change at a time, compared with the unchanged run."""
        ...
    def sweep(self, rows: Literal["cell", "run"] | None = ..., store: str | None = ..., **named: Any) -> Sweep:
        """Repeats the runs of a result for every combination of values."""
        ...
    def explain(self, task: str | None = ...) -> Explanation:
        """Explains the state of each task of a run: the lead of its best arm over the next, the samples still needed, and the comparisons that eliminated the other arms. It explains the first of several runs."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...
    def compare(self, *more: Any) -> Table:
        """Shows results side by side in a table."""
        ...

class Bounds(Value):
    """A bounds of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Plan(Value):
    """A plan of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class WhatIf(Value):
    """A what_if table of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Hardness(Value):
    """A hardness of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Spectrum(Value):
    """A spectrum of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Design(Value):
    """A design of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Comparisons(Value):
    """A comparisons of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Speedup(Value):
    """A speedup of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Fit(Value):
    """A fit of the language."""
    def fitted(self) -> JointKernel:
        """Returns the kernel of a fit, with its fitted numbers and its mean level as a term, for with_kernel(p, fitted(f))."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Claims(Value):
    """A claims of the language."""

class Explanation(Value):
    """A explanation of the language."""

class Problem(Value):
    """A problem of the language."""
    def best(self, epsilon: _Number | None = ..., next: int | None = ..., retry: bool | None = ...) -> Answer:
        """Recommends an arm for every task from the measurements, with the probability that it is good enough, and proposes what to measure next. It averages over kernels, mean levels and noise models that fit the measurements, and ignores the problem's kernel."""
        ...
    def with_kernel(self, kernel: JointKernel) -> Problem:
        """Returns the problem with another kernel, such as a fitted one; everything else stays the same."""
        ...
    def bounds(self, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
        """Computes the quantities of the theory: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound."""
        ...
    def spectrum(self, xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
        """Shows the eigenvalues of the kernels, which determine the effective dimension."""
        ...
    def hardness(self) -> Hardness:
        """Shows the gap and the difficulty of each task."""
        ...
    def design(self, xi: _Number | Literal["auto"] | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
        """Computes the allocation of the first round, with its certificate of optimality."""
        ...
    def plan(self, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
        """Forecasts what each algorithm needs, by simulation: rounds, samples and bytes; with prices also cost and time. With total=, forecasts the expected simple regret along the measurements, the cost or the time."""
        ...
    def what_if(self, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
        """Shows how samples and rounds change with delta, epsilon and the tasks: one change at a time, compared with the unchanged run."""
        ...
    def fc(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ...) -> Result:
        """Simulates a fixed-confidence algorithm, which samples until it has the required confidence in the best arm of every task."""
        ...
    def fb(self, budget: int | None = ..., algorithm: Literal["CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere", "Oracle"] | None = ..., xi: _Number | Literal["auto", "gp"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ...) -> Result:
        """Simulates a fixed-budget algorithm, which finds the best arms with a given number of samples."""
        ...
    def fit(self, kernel: JointKernel | None = ..., mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
        """Fits the free numbers of the kernel to the mean rewards of a problem by maximum marginal likelihood. The result has intervals, a test for lack of fit, cross-validation, and the benefit of sharing between tasks. A kernel without free numbers is only tested."""
        ...
    def compare_kernels(self, kernels: _List, mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ...) -> Table:
        """Fits several kernels to the means of a problem, and compares their marginal likelihood, leave-one-out prediction and test for lack of fit."""
        ...
    def protocol(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"] | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: Literal["minutes", "hours", "days", "weeks"] | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., reward_norm: _Number | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
        """Fixes the rules of a campaign of real measurements, and forecasts its measurements and time by simulation; start(…) begins the campaign. Only the forecast uses expected rewards of the table."""
        ...

class Protocol(Value):
    """A protocol of the language."""
    def start(self, folder: str) -> Campaign:
        """Starts a campaign in a folder, and fixes its question, its decision rule and its data. If the folder already holds this campaign, it is opened, so the cell can be run again."""
        ...

class Campaign(Value):
    """A campaign of the language."""
    folder: str
    @classmethod
    def start(cls, folder: str | PathLike[str], protocol: Protocol) -> Campaign: ...
    @classmethod
    def resume(cls, folder: str | PathLike[str]) -> Campaign: ...
    def ask(self, count: int | None = ..., by: str | None = ..., task: str | None = ..., more: bool | None = ...) -> Any: ...
    def tell(
        self, results: _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., extra: bool | None = ...
    ) -> Receipt: ...
    def explain(self, task: str | None = ...) -> Explanation:
        """Explains the state of each task of a run: the lead of its best arm over the next, the samples still needed, and the comparisons that eliminated the other arms. It explains the first of several runs."""
        ...
    def amend(self, reason: str, epsilon: _Number | None = ..., delta: _Number | None = ..., capacity: int | None = ..., withdraw: str | _List | None = ..., add: str | PathLike[str] | _Table | None = ..., by: str | None = ...) -> Campaign:
        """Changes the protocol while it runs, from the next round on, and shows how far the campaign is. epsilon may be changed at any time; of delta the report states the largest that was in force; arms that are withdrawn or added cost a little of the guarantee, which the report states. The same change for the same reason is made once."""
        ...
    def fail(self, ids: str | _List, reason: str, by: str | None = ...) -> Campaign:
        """Gives pulls back that were not measured, and shows how far the campaign is; they are handed out again. A reaction or run that fails is a result, the worst that it can have (a yield of 0; with goal="min" the largest loss), and not a failed pull: only pulls that were not measured for reasons that have nothing to do with their reward may be given back."""
        ...
    def correct(self, id: str, value: _Number, reason: str, by: str | None = ...) -> Campaign:
        """Replaces a result that was wrong, and shows how far the campaign is. In a round that is over, what followed is worked out again; where a decision changes, the answers are heuristic."""
        ...
    def close(self, round: int, reason: str, by: str | None = ...) -> Campaign:
        """Ends an open round with what came, and shows how far the campaign is; a round that is over stays as it is. A reaction or run that fails is a result, the worst that it can have (a yield of 0; with goal="min" the largest loss), and not a failed pull: only pulls that were not measured for reasons that have nothing to do with their reward may be given back."""
        ...
    def attach(self, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ...) -> Receipt:
        """Records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that are of no round. They guide what is measured and decide nothing in tests; methods that go by a posterior take them whole. Rows attached before are known, also under another name of their file."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Worklist(Value):
    """A worklist of the language."""

class Receipt(Value):
    """A receipt of the language."""

def linear(bias: _Number | FreeNumber | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards are linear in the features.

    k(x, y) = bias + Σ_c x_c y_c / lengthscale_c²

    From Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, sec. 4.2.2.

    Parameters:
        bias: constant added to the scalar product, at least 0 and finite; a number or a free number, default 0
        lengthscale: distance over which values stay alike; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: linear(bias=1)
    """
    ...

def constant(value: _Number | FreeNumber) -> Kernel:
    """The same level everywhere; k + 2 means k + constant(2).

    k(x, y) = value

    From Rasmussen and Williams 2006, sec. 4.2.1.

    Parameters:
        value: variance of the common level, at least 0 and finite; a number or a free number

    In a script: constant(2)
    """
    ...

def rbf(lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Smooth rewards: points nearer than a length scale are alike.

    k(x, y) = exp(-½ Σ_c (x_c - y_c)² / lengthscale_c²)

    From Rasmussen and Williams 2006, eq. 4.9.

    Parameters:
        lengthscale: distance over which values stay alike; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: rbf(lengthscale=0.5)
    """
    ...

def matern(nu: _Number | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that are rougher than under rbf.

    k(x, y) = nu = 0.5: exp(-s); 1.5: (1 + s) exp(-s); 2.5: (1 + s + s²/3) exp(-s);  s² = 2 nu Σ_c (x_c - y_c)² / lengthscale_c²

    From Rasmussen and Williams 2006, eq. 4.17.

    Parameters:
        nu: smoothness: 0.5 is rough, 2.5 twice differentiable, 0.5, 1.5 or 2.5; a number, default 2.5
        lengthscale: distance over which values stay alike; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: matern(nu=1.5, lengthscale=0.5)
    """
    ...

def rq(lengthscale: _Number | _List | FreeNumber | None = ..., alpha: _Number | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Smooth rewards that vary on many length scales at once.

    k(x, y) = (1 + r²/(2 alpha))^-alpha,  r² = Σ_c (x_c - y_c)² / lengthscale_c²

    From Rasmussen and Williams 2006, eq. 4.19.

    Parameters:
        lengthscale: distance over which values stay alike; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        alpha: how narrow the mixture of length scales is; rbf in the limit of large alpha, greater than 0 and finite; a number or a free number, default 1
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: rq(lengthscale=0.5, alpha=2)
    """
    ...

def polynomial(degree: _Number | None = ..., bias: _Number | FreeNumber | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards are polynomial in the features; a bias > 0 adds the lower degrees.

    k(x, y) = (bias + Σ_c x_c y_c / lengthscale_c²)^degree

    From Rasmussen and Williams 2006, sec. 4.2.2.

    Parameters:
        degree: highest degree of the monomials, whole and at least 1 and finite; a number, default 2
        bias: constant added to the scalar product, at least 0 and finite; a number or a free number, default 0
        lengthscale: distance over which values stay alike; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: polynomial(degree=3, bias=1)
    """
    ...

def periodic(period: _Number | _List | FreeNumber | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that repeat in every column, of any shape within a period.

    k(x, y) = exp(-2 Σ_c sin²(π (x_c - y_c)/period_c) / lengthscale_c²)

    From MacKay, Introduction to Gaussian processes, 1998, sec. 4.3; Rasmussen and Williams 2006, eq. 4.31.

    Parameters:
        period: distance after which values repeat; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        lengthscale: distance over which values stay alike; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: periodic(period=2, lengthscale=0.7)
    """
    ...

def cosine(period: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that are one sine wave per column.

    k(x, y) = Π_c cos(2π (x_c - y_c)/period_c)

    From cos(a - b) = cos a cos b + sin a sin b is a scalar product; products by Schur's theorem.

    Parameters:
        period: distance after which values repeat; one number, or one per column, greater than 0 and finite; a number, a list or a free number, default 1
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: cosine(period=2)
    """
    ...

def category(similarity: _Number | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Columns that are codes: two values are equal or they are not.

    k(x, y) = Π_c (1 if x_c = y_c, else similarity)

    From one column's matrix is similarity·11ᵀ + (1 - similarity)·[x_c = y_c]; products by Schur's theorem.

    Parameters:
        similarity: how alike two different categories are, at least 0 and less than 1; a number or a free number, default 0
        dims: columns that the kernel reads, by name or by number from 0; a list, a text or a number, default all columns

    In a script: category(similarity=0.3)
    """
    ...

def table(values: _List | str | PathLike[str] | _Table, names: _List | None = ...) -> Kernel:
    """Similarities given as numbers, by the name of the point.

    k(x, y) = values[x, y]

    From the intrinsic coregionalisation model: Álvarez, Rosasco and Lawrence, Kernels for vector-valued functions, 2012, sec. 4.2.

    Parameters:
        values: similarity of each pair of points, row by row; or the path of a CSV file relative to the script: a square table of numbers, with or without names; a list or a text, or a DataFrame
        names: the point that each row is for; a list, default in order of appearance

    In a script: table([[1, 0.6], [0.6, 1]], names=["oslo", "rome"])
    """
    ...

def identity() -> Kernel:
    """Points share nothing; they are compared by name, not by distance.

    k(x, y) = 1 if x and y are the same point, else 0

    From its Gram matrix of distinct points is the identity matrix.

    In a script: identity()
    """
    ...

def free(value: _Number, min: _Number | None = ..., max: _Number | None = ..., name: str | None = ...) -> FreeNumber:
    """Makes an unknown number for fit: a parameter of a kernel, a factor or summand of kernels, or a name in a formula; it has its start value until it is fitted.

    Parameters:
        value: the start value of the search; a number, at least 0 and finite
        min: smallest value; by default a thousandth of the start value; a number, at least 0 and finite, optional
        max: largest value; by default a thousand times the start value, or the largest that the parameter allows; a number, at least 0 and finite, optional
        name: name of the number; free numbers with the same name are one number; by default the name that it is bound to; a text, optional

    In a script: free(0.5, min=0.1, max=10)
    """
    ...

def task(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares tasks by their features z_*.

    Parameters:
        k: a kernel on tasks; a kernel, or a Python function

    In a script: task(rbf(lengthscale=0.7))
    """
    ...

def arm(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares arms by their features x_*.

    Parameters:
        k: a kernel on arms; a kernel, or a Python function

    In a script: arm(linear())
    """
    ...

def best(p: Problem, epsilon: _Number | None = ..., next: int | None = ..., retry: bool | None = ...) -> Answer:
    """Recommends an arm for every task from the measurements, with the probability that it is good enough, and proposes what to measure next. It averages over kernels, mean levels and noise models that fit the measurements, and ignores the problem's kernel.

    Parameters:
        p: the problem; a problem
        epsilon: how far below the best arm a recommended arm may be and still be good enough, in reward units; a number, at least 0 and finite, default 0
        next: how many further measurements to propose, in all tasks together; a number, whole, at least 0 and at most 10000, default 0
        retry: true: also recommend and propose arms whose measurements all failed; true or false, default false

    In a script: best(problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)
    """
    ...

def problem(path: str | PathLike[str] | _Table | None = ..., kernel: JointKernel | Literal["auto"] | None = ..., noise: _Number | Literal["sd", "task", "unknown", "unknown task", "unknown arm"] | None = ..., rewards: str | PathLike[str] | _Table | None = ..., block: str | None = ..., name: str | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: Literal["gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch", "autocorrelated"] | None = ..., strength: _Number | None = ..., goal: Literal["max", "min"] | None = ..., standardize: bool | None = ..., unmeasured: Literal["keep", "drop"] | None = ..., data: str | PathLike[str] | _Table | None = ..., task: str | _List | _Label | None = ..., arm: str | _List | _Label | None = ..., reward: str | _Label | None = ..., sd: str | _Label | None = ..., count: str | _Label | None = ..., successes: str | _Label | None = ..., trials: str | _Label | None = ..., blocks: str | _List | _Label | None = ..., log: str | _List | _Label | None = ..., where: str | None = ..., failed: str | None = ..., task_features: str | _List | _Label | None = ..., arm_features: str | _List | _Label | None = ..., text: str | _List | _Label | None = ...) -> Problem:
    """Reads tasks and arms from a CSV file with the columns task,arm,x_*,z_*,mean,sd,reps; with data=, from a table with a row for every measurement and any column names; see docs/reference/data-format.md.

    Parameters:
        path: the path of the file, relative to the script; a text, optional, or a DataFrame
        kernel: the kernel: how similar arms and tasks are; "auto" finds one from the measurements; a joint kernel or "auto", default "auto"
        noise: standard deviation of the noise: a number, "sd" (the column sd), "task" (pooled per task), "unknown" (one for all), "unknown task" or "unknown arm" (one for each); by default the column sd; with raw rewards, the deviation of each arm with at least ten, or of its task; otherwise unknown; a number, "sd", "task", "unknown", "unknown task" or "unknown arm", greater than 0 and finite, optional
        rewards: file of measured rewards, with the columns task,arm,rep,reward, from which simulated rewards are drawn; a text, optional, or a DataFrame
        block: column of rewards= that names the block of a measurement, such as a day or a plate; CoTestFC and CoBayesFC then compare arms within blocks; a text, optional
        name: name in reports; by default the file's name; a text, optional
        noise_guess: with unknown noise: a guess of its standard deviation, which only plans the first round; by default 1; a number, greater than 0 and finite, optional
        bounded: instead of noise: the lower and the upper limit of every reward, for any noise distribution; a list, optional
        environment: how simulated rewards are drawn; by default gaussian, with data= posterior, with rewards= resampled, with bounded= bernoulli; some violate the conditions of the guarantee, see docs/explanation/robustness.md; "gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch" or "autocorrelated", optional
        strength: how far the environment departs from normal noise (student: degrees of freedom, outliers: share of outliers, drift: drift per round over noise, batch: error of a round over noise, autocorrelated: correlation of neighbours); a number, greater than 0 and finite, optional
        goal: "max" if the best arm has the highest expected reward, "min" if the lowest; "max" or "min", default "max"
        standardize: true (or 1): scale every numeric feature column to the range 0 to 1, so that length scales are fractions of the column's range; true or false, default false
        unmeasured: whether arms without measurements stay in the problem; "keep" or "drop", default "keep"
        data: instead of path: a table with a row for every measurement; task, arm and reward name its columns; with arm and reward, the first argument is such a table too; a text, optional, or a DataFrame
        task: with data: the column that names the task, or a list of columns whose combinations are the tasks; if not given, all rows belong to one task; a text or a list, optional
        arm: with data: the column or columns whose distinct values are the arms and their features; a text or a list, optional
        reward: with data: the column of measurements, or of their means together with sd= and count=; a text, optional
        sd: with data whose rows are means: the column of standard deviations of one measurement, not of the mean; for one value for all rows, use noise=; a text, optional
        count: with data whose rows are means: the column with the number of measurements in each mean; by default 1; a text, optional
        successes: with data, instead of reward: the column with the number of successes among the trials; a text, optional
        trials: with successes: the column with the number of trials; a text, optional
        blocks: with data: the column or columns that name what was measured together, such as a day or a plate; best removes their effect; a text or a list, optional
        log: with data: columns of arms whose decimal logarithm is used as the feature; a text or a list, optional
        where: with data: a condition that selects rows, such as "site == 'Gent' and dose > 2"; a column name with blanks is written col('Temp °C'); a text, optional
        failed: with data: a condition on rows whose measurement failed, such as "status != 'ok'"; in the column reward, texts without digits, NaN and inf also mean failed, and <0.05 or >9 mean limits; a text, optional
        task_features: with data: the column or columns of features of the tasks; a text or a list, optional
        arm_features: with data: the column or columns of features of the arms; by default the columns of arm; a text or a list, optional
        text: the column or columns whose values are names although they look like numbers, such as versions: 12.1 and 12.10 then differ, NA is a name, and only an empty cell is a missing value; a text or a list, optional

    In a script: problem("data/cn_coupling.csv", kernel=task(identity()) * arm(1000 + 50*linear()), noise="task")
    """
    ...

def with_kernel(p: Problem, kernel: JointKernel) -> Problem:
    """Returns the problem with another kernel, such as a fitted one; everything else stays the same.

    Parameters:
        p: the problem; a problem
        kernel: the new kernel: how similar arms and tasks are; a joint kernel

    In a script: with_kernel(paper(case=2), task(rbf(0.7)) * arm(linear()))
    """
    ...

def paper(case: int | None = ..., gap: _Number | None = ..., lengthscale: _Number | Literal["inf"] | None = ..., noise: _Number | Literal["unknown", "unknown task", "unknown arm"] | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: Literal["gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch", "autocorrelated"] | None = ..., strength: _Number | None = ...) -> Problem:
    """Makes the instance of [Du23, App. A]: 5 tasks with 6 arms each, in one of the three cases or between them.

    Parameters:
        case: 1: all tasks alike, 2: two groups, 3: all different; a number, whole, at least 1 and at most 3, optional
        gap: gap between expected rewards; a number, greater than 0 and finite, default 0.1
        lengthscale: instead of case: five tasks whose similarity is rbf(lengthscale), from 0 (like case 3) to "inf" (like case 1); a number or "inf", at least 0 and finite, optional
        noise: standard deviation of the noise: a number, "unknown" (one for all), "unknown task" or "unknown arm" (one for each); by default 1; a number, "unknown", "unknown task" or "unknown arm", greater than 0 and finite, optional
        noise_guess: with unknown noise: a guess of its standard deviation, which only plans the first round; by default 1; a number, greater than 0 and finite, optional
        bounded: instead of noise: the lower and the upper limit of every reward, for any noise distribution; a list, optional
        environment: how simulated rewards are drawn; by default gaussian, with data= posterior, with rewards= resampled, with bounded= bernoulli; some violate the conditions of the guarantee, see docs/explanation/robustness.md; "gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch" or "autocorrelated", optional
        strength: how far the environment departs from normal noise (student: degrees of freedom, outliers: share of outliers, drift: drift per round over noise, batch: error of a round over noise, autocorrelated: correlation of neighbours); a number, greater than 0 and finite, optional

    In a script: paper(case=2, gap=0.1)
    """
    ...

def classic(means: _List, agents: int | None = ..., goal: Literal["max", "min"] | None = ...) -> Problem:
    """Makes a problem of collaborative best-arm identification without features: all agents have the same arms, with noise 1.

    Parameters:
        means: expected reward of each arm; a list
        agents: number of agents; a number, whole, at least 1 and at most 1000, default 5
        goal: "max" if the best arm has the highest expected reward, "min" if the lowest; "max" or "min", default "max"

    In a script: classic(means=[0.9, 0.5, 0.1], agents=5)
    """
    ...

def bounds(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
    """Computes the quantities of the theory: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, optional
        budget: pulls per agent, on average over the agents; the most of each agent in a campaign, and for CoBayesFB with its posterior; a number, whole, at least 1 and at most 1e12, optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; a number or "auto", at least 0 and finite, default "auto"
        norm: bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of the known means by default; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, in reward units; by default from the known means; a number, greater than 0 and finite, optional
        unit: normalisation: reward units of one normalised unit; by default the largest noise; a number, greater than 0 and finite, optional
        reward_norm: the bound `norm` in reward units, without division by the noise; give only one of the two; a number, greater than 0 and finite, optional

    In a script: bounds(paper(case=2))
    """
    ...

def spectrum(p: Problem, xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
    """Shows the eigenvalues of the kernels, which determine the effective dimension.

    Parameters:
        p: the problem; a problem
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; a number or "auto", at least 0 and finite, default "auto"
        norm: bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of the known means by default; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, in reward units; by default from the known means; a number, greater than 0 and finite, optional

    In a script: spectrum(paper(case=2))
    """
    ...

def hardness(p: Problem) -> Hardness:
    """Shows the gap and the difficulty of each task.

    Parameters:
        p: the problem; a problem

    In a script: hardness(paper(case=2))
    """
    ...

def design(p: Problem, xi: _Number | Literal["auto"] | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
    """Computes the allocation of the first round, with its certificate of optimality.

    Parameters:
        p: the problem; a problem
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; a number or "auto", at least 0 and finite, default "auto"
        tol: relative gap between the value and its lower bound; a number, at least 1e-12 and at most 0.5, default 1e-4
        norm: bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of the known means by default; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, in reward units; by default from the known means; a number, greater than 0 and finite, optional

    In a script: design(paper(case=2))
    """
    ...

def plan(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
    """Forecasts what each algorithm needs, by simulation: rounds, samples and bytes; with prices also cost and time. With total=, forecasts the expected simple regret along the measurements, the cost or the time.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, optional
        gaps: smallest lead of the best arm to plan for, in reward units, instead of the known means: a number, or a list to compare; a number or a list, greater than 0 and finite, optional
        runs: simulated runs per method and gap; if not given, fewer for more than 200 arms, at least 4; a number, whole, at least 1 and at most 10000, default 20
        seed: seed of the simulated rewards; a number, whole, at least 0 and at most 9007199254740992, default 1
        cost: cost of one sample; a number, at least 0 and finite, optional
        cost_round: cost of a round per agent that samples in it; a number, at least 0 and finite, optional
        parallel: samples that an agent can take at once, in one batch; all of a round if not given; a number, whole, at least 1 and at most 9007199254740992, optional
        capacity: samples that all agents together can take in one batch, as with one robot; instead of parallel; a number, whole, at least 1 and at most 9007199254740992, optional
        sample_time: duration of one batch; a number, at least 0 and finite, optional
        round_time: time between rounds, for analysis and communication; a number, at least 0 and finite, optional
        time_unit: unit of these durations, such as "days"; a text, optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC; a number or "auto", at least 0 and finite, default "auto"
        norm: bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of the known means by default; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, in reward units; by default from the known means; for CoKernelFC; a number, greater than 0 and finite, optional
        unit: normalisation: reward units of one normalised unit; by default the largest noise; a number, greater than 0 and finite, optional
        total: number of further measurements in all tasks together; the plan is then a curve of the expected simple regret; a number, whole, at least 1 and at most 1000000, optional

    In a script: plan(paper(case=2), gaps=[0.1, 0.3], cost=12, parallel=24, sample_time=1, round_time=2, time_unit="days")
    """
    ...

def what_if(p: Problem | Result, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
    """Shows how samples and rounds change with delta, epsilon and the tasks: one change at a time, compared with the unchanged run.

    Parameters:
        p: the problem; or the name of a result of fc, whose call is the unchanged run; a problem or a result
        delta: error probabilities to try; a number or a list, greater than 0 and less than 1, optional
        epsilon: accuracies to try, in reward units; a number or a list, at least 0 and finite, optional
        tasks: tasks to keep: names, or a number n for the first n; a list of these compares several choices; a number, a text or a list, whole, at least 1 and at most 9007199254740992, optional
        gaps: smallest lead of the best arm to plan for, in reward units, instead of the known means; a number, greater than 0 and finite, optional
        algorithm: the algorithm to run; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoTestFC"
        schedule: pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC, IndTestFC, IndUniformFC, CoBayesFC or Oracle; "tuned" or "paper", default "tuned"
        runs: simulated runs per method and gap; if not given, fewer for more than 200 arms, at least 4; a number, whole, at least 1 and at most 10000, default 20
        seed: seed of the simulated rewards; a number, whole, at least 0 and at most 9007199254740992, default 1
        cost: cost of one sample; a number, at least 0 and finite, optional
        cost_round: cost of a round per agent that samples in it; a number, at least 0 and finite, optional
        parallel: samples that an agent can take at once, in one batch; all of a round if not given; a number, whole, at least 1 and at most 9007199254740992, optional
        capacity: samples that all agents together can take in one batch, as with one robot; instead of parallel; a number, whole, at least 1 and at most 9007199254740992, optional
        sample_time: duration of one batch; a number, at least 0 and finite, optional
        round_time: time between rounds, for analysis and communication; a number, at least 0 and finite, optional
        time_unit: unit of these durations, such as "days"; a text, optional

    In a script: what_if(paper(case=2), delta=[0.01, 0.1], tasks=[3, ["task 1", "task 3"]])
    """
    ...

def fc(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ...) -> Result:
    """Simulates a fixed-confidence algorithm, which samples until it has the required confidence in the best arm of every task.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, default 0
        algorithm: the algorithm to run; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoTestFC"
        schedule: pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC, IndTestFC, IndUniformFC, CoBayesFC or Oracle; "tuned" or "paper", default "tuned"
        law: noise distribution that a test assumes: normal; subgaussian (tails no heavier than normal, takes more samples); symmetric (within blocks, symmetric differences); by default normal, and with bounded= any distribution within the limits: CoTestFC tests by betting, others assume subgaussian; for CoTestFC, IndTestFC and IndUniformFC; "normal", "subgaussian" or "symmetric", optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number or "auto", at least 0 and finite, default "auto"
        level: prior mean of posterior methods: a constant for all tasks and arms, in reward units; "unknown" gives it a flat prior; for CoBayesFC; a number or "unknown", default "unknown"
        scale: signal variance of posterior methods: a factor on the kernel; "fit" fits it to the data of the run after each round, together with a nugget g*identity(); for CoBayesFC; a number or "fit", greater than 0 and finite, default "fit"
        runs: number of independent runs; a number, whole, at least 1 and at most 100000, default 1
        seed: seed of the random rewards; the same seed gives the same results; a number, whole, at least 0 and at most 9007199254740992, default 1
        max_rounds: stop after this many rounds; by default 30; a number, whole, at least 1 and at most 9007199254740992, optional
        max_samples: stop before more samples than this, all agents together; a number, whole, at least 1 and at most 9007199254740992, optional
        norm: bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of the known means by default; not for IndUniformFC or CoBayesFC; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, in reward units; by default from the known means; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number, greater than 0 and finite, optional
        unit: normalisation: reward units of one normalised unit; by default the largest noise; a number, greater than 0 and finite, optional
        misfit: bound on the misspecification: how far any expected reward may be from what the kernel can represent, in reward units; for CoTestFC and IndTestFC; a number, at least 0 and finite, default 0
        robust: true (or 1): estimate the misspecification from the data of the run and allow for it; for CoTestFC and IndTestFC; true or false, default false
        rewards: a function that draws rewards instead of the problem: a Go func bound by session.Put, or a Python function f(task, arm, count) that returns the mean of count rewards; a reward function, optional, or a Python function
        reward_norm: the bound `norm` in reward units, without division by the noise; give only one of the two; a number, greater than 0 and finite, optional

    In a script: fc(paper(case=2), delta=0.05, runs=10)
    """
    ...

def fb(p: Problem, budget: int | None = ..., algorithm: Literal["CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere", "Oracle"] | None = ..., xi: _Number | Literal["auto", "gp"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ...) -> Result:
    """Simulates a fixed-budget algorithm, which finds the best arms with a given number of samples.

    Parameters:
        p: the problem; a problem
        budget: pulls per agent, on average over the agents; the most of each agent in a campaign, and for CoBayesFB with its posterior; a number, whole, at least 1 and at most 1e12, optional
        algorithm: the algorithm to run; "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere" or "Oracle", default "CoBayesFB"
        xi: regularisation ξ: a number; "auto", the largest that the theorems allow (for CoBayesFB, least squares); or "gp", the posterior of a Gaussian process with the kernel as prior; by default "gp" for CoBayesFB and "auto" for others; not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere; a number, "auto" or "gp", at least 0 and finite, optional
        level: prior mean of posterior methods: a constant for all tasks and arms, in reward units; "unknown" gives it a flat prior; not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere; a number or "unknown", default "unknown"
        scale: signal variance of posterior methods: a factor on the kernel; "fit" fits it to the data of the run after each round, together with a nugget g*identity(); not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere; a number or "fit", greater than 0 and finite, default "fit"
        kernel_is: role of the kernel in a posterior: "fixed", it is the prior, up to its scale; "member", a mixture component beside kernels that are learned in the run; "auto", all are learned; by default "auto" if the problem has kernel="auto", and else "fixed"; for CoBayesFB; "fixed", "member" or "auto", optional
        runs: number of independent runs; a number, whole, at least 1 and at most 100000, default 1
        seed: seed of the random rewards; the same seed gives the same results; a number, whole, at least 0 and at most 9007199254740992, default 1
        delta: error probability below which an answer counts as supported; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, default 0
        norm: bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of the known means by default; not for IndUniformFB or BestElsewhere; a number, greater than 0 and finite, optional
        unit: normalisation: reward units of one normalised unit; by default the largest noise; a number, greater than 0 and finite, optional
        rewards: a function that draws rewards instead of the problem: a Go func bound by session.Put, or a Python function f(task, arm, count) that returns the mean of count rewards; a reward function, optional, or a Python function
        reward_norm: the bound `norm` in reward units, without division by the noise; give only one of the two; a number, greater than 0 and finite, optional
        total: pulls of all agents together, instead of budget; they go to the tasks that need them most; for CoBayesFB; a number, whole, at least 1 and at most 1e12, optional
        rounds: number of rounds of a budget; by default up to 6; for CoBayesFB; a number, whole, at least 1 and at most 9007199254740992, optional

    In a script: fb(paper(case=2), budget=7000, runs=10)
    """
    ...

def sweep(r: Result, rows: Literal["cell", "run"] | None = ..., store: str | None = ..., **named: Any) -> Sweep:
    """Repeats the runs of a result for every combination of values.

    Parameters:
        r: the name of a result of fc or fb; a result
        rows: rows of the table: "cell" for a row per combination, "run" for a row per run; "cell" or "run", default "cell"
        store: the path of a .jsonl file that stores finished combinations; stored combinations are not run again; a text, optional

    Named arguments: a name or an argument that r depends on, with the list of values to try.

    In a script: sweep(r, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndKernelFC"])
    """
    ...

def fit(p: Problem, kernel: JointKernel | None = ..., mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
    """Fits the free numbers of the kernel to the mean rewards of a problem by maximum marginal likelihood. The result has intervals, a test for lack of fit, cross-validation, and the benefit of sharing between tasks. A kernel without free numbers is only tested.

    Parameters:
        p: the problem; a problem
        kernel: the kernel to fit; the problem's kernel if not given; a joint kernel, optional
        mean: the constant mean that the kernel does not explain: one for the problem, one for each task, or none; "problem", "task" or "none", default "problem"
        noise: standard deviation of one reward: a number or a free number; the problem's noise if not given; a number or a free number, greater than 0 and finite, optional
        starts: number of searches, each from another start; a number, whole, at least 1 and at most 17, default 4
        measure: number of simulated runs that measure the benefit of sharing: CoTestFC against IndTestFC, with the data's means as the truth; a number, whole, at least 0 and at most 1000, default 0

    In a script: fit(problem("pilot.csv", kernel=task(rbf(free(1))) * arm(free(1)*rbf(free(1)))))
    """
    ...

def fitted(f: Fit) -> JointKernel:
    """Returns the kernel of a fit, with its fitted numbers and its mean level as a term, for with_kernel(p, fitted(f)).

    Parameters:
        f: the fit; a fit

    In a script: fitted(f)
    """
    ...

def compare_kernels(p: Problem, kernels: _List, mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ...) -> Table:
    """Fits several kernels to the means of a problem, and compares their marginal likelihood, leave-one-out prediction and test for lack of fit.

    Parameters:
        p: the problem; a problem
        kernels: a list of kernels; the table shows the names that they are bound to; a list
        mean: the constant mean that the kernel does not explain: one for the problem, one for each task, or none; "problem", "task" or "none", default "problem"
        noise: standard deviation of one reward: a number or a free number; the problem's noise if not given; a number or a free number, greater than 0 and finite, optional
        starts: number of searches, each from another start; a number, whole, at least 1 and at most 17, default 4

    In a script: compare_kernels(paper(case=2), [task(identity()) * arm(linear()), arm(linear())])
    """
    ...

def paired(s: Sweep, reference: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"], y: Literal["samples", "error", "rounds", "regret"] | None = ...) -> Comparisons:
    """Compares every algorithm of a sweep with a reference: difference and ratio with 95 % intervals, from paired runs if the seeds are equal.

    Parameters:
        s: a sweep over algorithm; it may vary other names too; a sweep
        reference: the algorithm that the others are compared with; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB" or "BestElsewhere"
        y: the quantity to compare; "samples", "error", "rounds" or "regret", default "samples"

    In a script: paired(s, reference="IndKernelFC")
    """
    ...

def speedup(s: Sweep, algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., alone: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ...) -> Speedup:
    """Measures the speedup β of [Du23, eq. (4)], and compares it with V and the prediction from the rank of the task kernel.

    Parameters:
        s: a sweep over algorithm; it may vary other names too; a sweep
        algorithm: the collaborative algorithm; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoKernelFC"
        alone: the independent algorithm; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "IndRAGE"

    In a script: speedup(s, algorithm="CoKernelFC", alone="IndKernelFC")
    """
    ...

def claims(fc: Sweep, fb: Sweep | None = ...) -> Claims:
    """Compares each statement of the paper about its experiments with the measured results, and gives a verdict.

    Parameters:
        fc: a sweep of fc over case, gap and algorithm; a sweep
        fb: a sweep of fb over case, budget and algorithm; a sweep, optional

    In a script: claims(sweep(r, case=1..3, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndRAGE", "IndRAGE/V"]))
    """
    ...

def explain(r: Result | Campaign | str, task: str | None = ...) -> Explanation:
    """Explains the state of each task of a run: the lead of its best arm over the next, the samples still needed, and the comparisons that eliminated the other arms. It explains the first of several runs.

    Parameters:
        r: a result of fc or fb, or a campaign or its folder; a result, a campaign or a text
        task: the task to explain; all tasks if not given; a text, optional

    In a script: explain(fc(paper(case=2), algorithm="CoTestFC", max_rounds=4))
    """
    ...

def protocol(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"] | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: Literal["minutes", "hours", "days", "weeks"] | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., reward_norm: _Number | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
    """Fixes the rules of a campaign of real measurements, and forecasts its measurements and time by simulation; start(…) begins the campaign. Only the forecast uses expected rewards of the table.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, default 0
        algorithm: the algorithm to run; if not given, with a budget CoBayesFB; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB" or "BestElsewhere", default "CoTestFC"
        budget: measurements per task, at most; a number, whole, at least 1 and at most 1e12, optional
        total: pulls of all agents together, instead of budget; they go to the tasks that need them most; a number, whole, at least 1 and at most 1e12, optional
        rounds: number of rounds of a budget; by default up to 6, and at most as many as full plates allow; with a plate or capacity but no budget, each round is one plate or one unit of time; a number, whole, at least 1 and at most 9007199254740992, optional
        plate: measurements per plate: each plate is a balanced sample of its round, in random order, so that effects of the plate cancel; a number, whole, at least 1 and at most 9007199254740992, optional
        block: the block in which the arms of a task are measured together, such as "day": lists then have whole blocks, and CoTestFC and CoBayesFC compare arms within a block; if not given, as in the problem; a text, optional
        block_size: arms of a task per block; all open arms if not given; a number, whole, at least 1 and at most 9007199254740992, optional
        control: with block: the control arm, which is in every block of its task; a text, optional
        capacity: measurements that the laboratory makes per unit of time, in all tasks together; Bayesian algorithms make rounds of at most this size; a number, whole, at least 1 and at most 9007199254740992, optional
        time_unit: unit of capacity and lease; "minutes", "hours", "days" or "weeks", default "days"
        lease: units of time after which a measurement without a result is handed out again, under a new id; a number, greater than 0 and finite, optional
        failed: fraction of measurements without a result, for the forecast; if not given, up to 0.2 with a capacity; a number, at least 0 and less than 1, optional
        late: fraction of results that arrive late, for the forecast; if not given, up to 0.3 with a capacity; a number, at least 0 and less than 1, optional
        delay: largest delay of late results in units of time, for the forecast; 5 if not given; a number, whole, at least 1 and at most 9007199254740992, optional
        attach: whether the measurements of the table count as results of the campaign; false: only the kernel and the forecast use them; true or false, optional
        cost: cost of one measurement, for the forecast; a number, at least 0 and finite, optional
        schedule: pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC, IndTestFC, IndUniformFC, CoBayesFC or Oracle; "tuned" or "paper", default "tuned"
        law: noise distribution that a test assumes: normal; subgaussian (tails no heavier than normal, takes more samples); symmetric (within blocks, symmetric differences); by default normal, and with bounded= any distribution within the limits: CoTestFC tests by betting, others assume subgaussian; for CoTestFC, IndTestFC and IndUniformFC; "normal", "subgaussian" or "symmetric", optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number or "auto", at least 0 and finite, default "auto"
        level: prior mean of posterior methods: a constant for all tasks and arms, in reward units; "unknown" gives it a flat prior; for CoBayesFC; a number or "unknown", default "unknown"
        scale: signal variance of posterior methods: a factor on the kernel; "fit" fits it to the data of the run after each round, together with a nugget g*identity(); for CoBayesFC; a number or "fit", greater than 0 and finite, default "fit"
        max_rounds: stop after this many rounds; by default 30; a number, whole, at least 1 and at most 9007199254740992, optional
        max_samples: stop before more samples than this, all agents together; a number, whole, at least 1 and at most 9007199254740992, optional
        norm: bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of the known means by default; not for IndUniformFC or CoBayesFC; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, in reward units; by default from the known means; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number, greater than 0 and finite, optional
        unit: normalisation: reward units of one normalised unit; by default the largest noise; a number, greater than 0 and finite, optional
        misfit: bound on the misspecification: how far any expected reward may be from what the kernel can represent, in reward units; for CoTestFC and IndTestFC; a number, at least 0 and finite, default 0
        robust: true (or 1): estimate the misspecification from the data of the run and allow for it; for CoTestFC and IndTestFC; true or false, default false
        reward_norm: the bound `norm` in reward units, without division by the noise; give only one of the two; a number, greater than 0 and finite, optional
        kernel_is: role of the kernel in a posterior: "fixed", it is the prior, up to its scale; "member", a mixture component beside kernels that are learned in the run; "auto", all are learned; by default "auto" if the problem has kernel="auto", and else "fixed"; "fixed", "member" or "auto", optional
        gaps: lead of the best arm in the forecast's simulation, in reward units; if not given, the known means, or means drawn from the kernel as prior; a number, greater than 0 and finite, optional
        runs: simulated runs per algorithm in the forecast; if not given, fewer for more than 200 arms, at least 4; 0 for no forecast; a number, whole, at least 0 and at most 1000, default 20
        seed: seed of ids and of the order of lists; if not given, each start draws a new one; a number, whole, at least 0 and at most 9007199254740992, optional

    In a script: protocol(paper(case=2), delta=0.1, plate=24, capacity=24, time_unit="days", runs=0)
    """
    ...

def start(protocol: Protocol, folder: str) -> Campaign:
    """Starts a campaign in a folder, and fixes its question, its decision rule and its data. If the folder already holds this campaign, it is opened, so the cell can be run again.

    Parameters:
        protocol: the name of a protocol; a protocol
        folder: the path of the folder, relative to the script; it must be empty or not exist; a text

    In a script: start(protocol(paper(case=2), runs=0), "days")
    """
    ...

def resume(folder: str | Campaign) -> Campaign:
    """Opens a campaign and shows its state.

    Parameters:
        folder: the path of its folder, relative to the script; or a campaign, also an earlier state of it; a text or a campaign

    In a script: resume("days")
    """
    ...

def ask(c: Campaign | str, by: str | None = ..., count: int | None = ..., task: str | None = ..., more: bool | None = ..., decimals: Literal["comma", "point"] | None = ..., retry: bool | None = ...) -> Worklist:
    """Lists what to measure next: the person's open list if results are missing, otherwise further measurements of the open round.

    Parameters:
        c: a campaign, or the path of its folder, relative to the script; a campaign or a text
        by: the name of the person who measures; each person has at most one open list; a text, optional
        count: how many measurements; if not given, the capacity, a plate or the whole round; a number, whole, at least 1 and at most 9007199254740992, optional
        task: list only measurements of this task; a text, optional
        more: true: list further measurements although results of the last list are missing; true or false, default false
        decimals: decimal mark in the file of the list: comma, with semicolons between columns, or point; if not given, as in the problem's table; "comma" or "point", optional
        retry: true: also list arms whose measurements all failed; true or false, default false

    In a script: ask("days", by="Ann", count=24)
    """
    ...

def tell(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ..., extra: bool | None = ...) -> Receipt:
    """Records results from a CSV file: id,reward; or task,arm,reward; or task,arm,count,mean,sd. Rows without a reward are not measured yet, a text without digits in its place says that the measurement failed, and rows told before are known: the same growing sheet can be told every day.

    Parameters:
        c: a campaign, or the path of its folder, relative to the script; a campaign or a text
        file: the file, relative to the script; a text, or a DataFrame
        by: who asks or tells: the same person has one open list at a time; a text, optional
        sure: true: rewards that look like slips are right; true or false, default false
        take_good: true: take the good rows of a file in which others are wrong; true or false, default false
        again: true: rows with the values of recorded results are further measurements, and no copies; true or false, default false
        tolerance: how far what was set may be from the arm that was planned, in rows that name arms by columns: "temp=0.5", or a list of these; a text or a list, optional
        extra: true: rows without ids beyond the open pulls are extra measurements; true or false, default false

    In a script: tell("days", "results.csv", by="Ann")
    """
    ...

def amend(c: Campaign | str, reason: str, epsilon: _Number | None = ..., delta: _Number | None = ..., capacity: int | None = ..., withdraw: str | _List | None = ..., add: str | PathLike[str] | _Table | None = ..., by: str | None = ...) -> Campaign:
    """Changes the protocol while it runs, from the next round on, and shows how far the campaign is. epsilon may be changed at any time; of delta the report states the largest that was in force; arms that are withdrawn or added cost a little of the guarantee, which the report states. The same change for the same reason is made once.

    Parameters:
        c: a campaign, or the path of its folder, relative to the script; a campaign or a text
        reason: the reason, which the report shows; a text
        epsilon: an arm this close to the best is good enough from now on, reward units; a number, at least 0 and finite, optional
        delta: error probability from now on; a number, greater than 0 and less than 1, optional
        capacity: pulls that the laboratory makes in a unit of time from now on; 0 for any number; a number, whole, at least 0 and at most 9007199254740992, optional
        withdraw: arms that cannot be measured any more: "task/arm", or a list of these; a text or a list, optional
        add: a CSV file with columns of the table of the problem, relative to the script: its arms and tasks come in; a text, optional, or a DataFrame
        by: who asks or tells: the same person has one open list at a time; a text, optional

    In a script: amend("days", epsilon=2, reason="a yield this close is good enough for the plant")
    """
    ...

def fail(c: Campaign | str, ids: str | _List, reason: str, by: str | None = ...) -> Campaign:
    """Gives pulls back that were not measured, and shows how far the campaign is; they are handed out again. A reaction or run that fails is a result, the worst that it can have (a yield of 0; with goal="min" the largest loss), and not a failed pull: only pulls that were not measured for reasons that have nothing to do with their reward may be given back.

    Parameters:
        c: a campaign, or the path of its folder, relative to the script; a campaign or a text
        ids: the id of a pull, or a list of ids; a text or a list
        reason: the reason, which the report shows; a text
        by: who asks or tells: the same person has one open list at a time; a text, optional

    In a script: fail("days", ["K7M2PQ"], reason="the vial broke")
    """
    ...

def correct(c: Campaign | str, id: str, value: _Number, reason: str, by: str | None = ...) -> Campaign:
    """Replaces a result that was wrong, and shows how far the campaign is. In a round that is over, what followed is worked out again; where a decision changes, the answers are heuristic.

    Parameters:
        c: a campaign, or the path of its folder, relative to the script; a campaign or a text
        id: the id of the pull; a text
        value: the right reward; a number
        reason: the reason, which the report shows; a text
        by: who asks or tells: the same person has one open list at a time; a text, optional

    In a script: correct("days", "K7M2PQ", 41.5, reason="read from the wrong column")
    """
    ...

def close(c: Campaign | str, round: int, reason: str, by: str | None = ...) -> Campaign:
    """Ends an open round with what came, and shows how far the campaign is; a round that is over stays as it is. A reaction or run that fails is a result, the worst that it can have (a yield of 0; with goal="min" the largest loss), and not a failed pull: only pulls that were not measured for reasons that have nothing to do with their reward may be given back.

    Parameters:
        c: a campaign, or the path of its folder, relative to the script; a campaign or a text
        round: the number of the round; a number, whole, at least 1 and at most 9007199254740992
        reason: the reason, which the report shows; a text
        by: who asks or tells: the same person has one open list at a time; a text, optional

    In a script: close("days", round=3, reason="the freezer failed")
    """
    ...

def attach(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ...) -> Receipt:
    """Records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that are of no round. They guide what is measured and decide nothing in tests; methods that go by a posterior take them whole. Rows attached before are known, also under another name of their file.

    Parameters:
        c: a campaign, or the path of its folder, relative to the script; a campaign or a text
        file: the file, relative to the script; a text, or a DataFrame
        by: who asks or tells: the same person has one open list at a time; a text, optional
        sure: true: rewards that look like slips are right; true or false, default false
        take_good: true: take the good rows of a file in which others are wrong; true or false, default false
        again: true: rows with the values of recorded results are further measurements, and no copies; true or false, default false
        tolerance: how far what was set may be from the arm that was planned, in rows that name arms by columns: "temp=0.5", or a list of these; a text or a list, optional

    In a script: attach("days", "pilot.csv", by="Ann")
    """
    ...

def plot(value: Answer | Sweep | Result | _List | Bounds | Plan | WhatIf | Hardness | Spectrum | Design | Comparisons | Speedup | Fit | Campaign, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
    """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign.

    Parameters:
        value: what to draw; a list compares results; an answer, a sweep, a result, a list, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign
        x: the x axis: a swept name; for a result, task or round; a text, optional
        y: the measure to draw, by default the first; for a sweep or several results also a list of measures with one unit. Measures for an answer: reward; for a sweep or several results: samples, samples_total, ratio, lower_bound, theorem, theorem_error, rounds, messages, bytes, bytes_raw, bytes_theta, error, decided_error, task_error, undecided, regret or relative_regret; for a result: estimate, alive, pulls, rho or open; for bounds: samples, budget or error; for a plan or a what_if table: samples, samples_total, rounds, cost or time; for hardness: gap, rho_alone or weight; for a spectrum: eigenvalue; for a design: weight; for comparisons: ratio or difference; for a speedup: beta; for a fit: similarity or residual; for a campaign: open, decided or samples; a text or a list, optional
        file: also write the figure to this file, as .svg, .pdf, .png or .tex; a text, optional
        panel: a swept name; the figure has a panel for each of its values; a text, optional
        title: the title, instead of the default; "" for none; a text, optional
        xlabel: label of the x axis, instead of the default; a text, optional
        ylabel: label of the y axis, instead of the default; a text, optional
        logx: true: logarithmic x axis; false: linear; if not given, chosen to suit the values; true or false, optional
        logy: true: logarithmic y axis; false: linear; if not given, chosen to suit the values; true or false, optional
        xlim: limits of the x axis, [from, to]; points outside are not drawn; a list, optional
        ylim: limits of the y axis, [from, to]; points outside are drawn at the edge, as open triangles; a list, optional
        width: width of the figure in columns of a two-column page: 1 is 8.5 cm, 2 is 17.6 cm; the font size stays the same; a number, at least 1 and at most 2, optional
        reference: false: leave out reference lines such as lower bounds; true or false, default true
        posterior: true: for a result, draw the estimate and 95 % interval of every arm in its first run, with the true means if known; x is then arm or round; true or false, default false
        task: with posterior=true or where=, the only task to draw; a text, optional
        where: the problem of a result: draw which arms of the first run were still open, round by round, in the plane of the two features x and y; a problem, optional

    In a script: plot(s, x="gap", y="samples")
    """
    ...

def compare(r: Result, *more: Any) -> Table:
    """Shows results side by side in a table.

    Parameters:
        r: a result; a result

    Further arguments: further results.

    In a script: compare(r, b)
    """
    ...

def measures(s: Sweep, y: str | _List) -> Table:
    """Shows chosen measures of a sweep as a table, with a row for each result.

    Parameters:
        s: a sweep; a sweep
        y: a measure or a list of them, as in plot; a text or a list

    In a script: measures(s, y=["samples", "rounds"])
    """
    ...

def save(value: Any, path: str) -> None:
    """Writes a value to a file: .csv .parquet .json .md .html .tex .txt, figures also .svg .pdf .png; a figure as .tex uses pgfplots and a .dat file beside it.

    Parameters:
        value: what to write; any value
        path: the path of the file, relative to the script; its extension selects the format; a text

    In a script: save(s, "fc.csv")
    """
    ...

def show(value: Any) -> Any:
    """Displays a value; a name alone in a line does the same.

    Parameters:
        value: what to show; any value

    In a script: show(r)
    """
    ...

def clear() -> None:
    """Clears what the cell has shown so far; outside a notebook it does nothing.

    In a script: clear()
    """
    ...

def print(value: Any, *more: Any) -> str:
    """Returns values as one text, separated by spaces: a text unchanged, a number with up to ten digits, a kernel as script text with the formulas that it uses, a result as displayed in a terminal.

    Parameters:
        value: what to print; a text may contain values in braces; any value

    Further arguments: further values.

    In a script: print("half of it is {1/2:.0%}")
    """
    ...

def exp(x: _Number | _List) -> Any:
    """Exponential, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: exp(1)
    """
    ...

def log(x: _Number | _List) -> Any:
    """Natural logarithm, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: log(1)
    """
    ...

def log10(x: _Number | _List) -> Any:
    """Logarithm to base 10, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: log10(1)
    """
    ...

def sqrt(x: _Number | _List) -> Any:
    """Square root, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: sqrt(1)
    """
    ...

def abs(x: _Number | _List) -> Any:
    """Absolute value, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: abs(1)
    """
    ...

def sin(x: _Number | _List) -> Any:
    """Sine, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: sin(1)
    """
    ...

def cos(x: _Number | _List) -> Any:
    """Cosine, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: cos(1)
    """
    ...

def tanh(x: _Number | _List) -> Any:
    """Hyperbolic tangent, of each element.

    Parameters:
        x: a number or a list; a number or a list

    In a script: tanh(1)
    """
    ...

def min(x: _Number | _List, *more: Any) -> Any:
    """Smallest of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: min([1, 2, 3])
    """
    ...

def max(x: _Number | _List, *more: Any) -> Any:
    """Largest of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: max([1, 2, 3])
    """
    ...

def sum(x: _Number | _List, *more: Any) -> Any:
    """Sum of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: sum([1, 2, 3])
    """
    ...

def mean(x: _Number | _List, *more: Any) -> Any:
    """Mean of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: mean([1, 2, 3])
    """
    ...

def len(x: _List | str) -> Any:
    """Number of elements of a list, or of characters of a text.

    Parameters:
        x: a list or a text; a list or a text

    In a script: len([1, 2, 3])
    """
    ...

def round(x: _Number | _List, digits: int | None = ...) -> Any:
    """Rounds to a whole number, or to a number of digits after the point; a list element by element.

    Parameters:
        x: a number or a list; a number or a list
        digits: number of digits after the point; a number, whole, at least 0 and at most 15, default 0

    In a script: round(2/3, digits=2)
    """
    ...

def linspace(from_: _Number, to: _Number, n: int) -> Any:
    """N equally spaced numbers from one number to another, both included.

    Parameters:
        from_: the first number; a number
        to: the last number; a number
        n: number of values; a number, whole, at least 2 and at most 1000000

    In a script: linspace(0, 1, 5)
    """
    ...

def range(from_: _Number, to: _Number, step: _Number | None = ...) -> Any:
    """Numbers from one to another in steps; with steps of 1 the same as from..to.

    Parameters:
        from_: the first number; a number
        to: the limit of the numbers; included if a step ends there; a number
        step: distance between the numbers; negative for a falling list; a number, default 1

    In a script: range(0.1, 0.5, step=0.1)
    """
    ...

