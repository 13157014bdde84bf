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
        """Collaborative best-arm identification without features: every agent has the same arms, unit noise."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
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
        """Smallest of the elements of a list, or of several numbers."""
        ...
    def max(self, *more: Any) -> Any:
        """Largest of the elements of a list, or of several numbers."""
        ...
    def sum(self, *more: Any) -> Any:
        """Sum of the elements of a list, or of several numbers."""
        ...
    def mean(self, *more: Any) -> Any:
        """Mean of the elements of a list, or of several numbers."""
        ...
    def len(self) -> Any:
        """How many elements a list has, or characters a text."""
        ...
    def round(self, digits: int | None = ...) -> Any:
        """Nearest whole number, or number with so many digits after the point; of each element of a list."""
        ...

class Record(dict[str, Any]):
    """A record of the language."""

class RewardFunction(Value):
    """A reward function of the language."""

class Answer(Value):
    """A answer of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Sweep(Value):
    """A sweep of the language."""
    def paired(self, reference: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"], y: Literal["samples", "error", "rounds", "regret"] | None = ...) -> Comparisons:
        """Every algorithm of a sweep beside a reference: difference and ratio with 95 % intervals, run by run where seeds are shared."""
        ...
    def speedup(self, algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., alone: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ...) -> Speedup:
        """The speedup β of [Du23, eq. (4)], measured, beside V and what the rank of the task kernel predicts."""
        ...
    def claims(self, fb: Sweep | None = ...) -> Claims:
        """What the paper says of its experiments, each statement beside what was measured, with a verdict."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...
    def measures(self, y: str | _List) -> Table:
        """Chosen measures of a sweep as a table, a row for each result."""
        ...

class Result(Value):
    """A result of the language."""
    def what_if(self, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
        """How samples and rounds change with delta, epsilon and the tasks, each changed by itself, beside the unchanged run."""
        ...
    def sweep(self, rows: Literal["cell", "run"] | None = ..., store: str | None = ..., **named: Any) -> Sweep:
        """Runs a result again for every combination of values; evaluates again what depends on them."""
        ...
    def explain(self, task: str | None = ...) -> Explanation:
        """How far each task of a run is: what separates its leader from the next arm, the samples still needed, and what decided the other arms. Of several runs it explains the first; the run may have been interrupted or stopped by a limit."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...
    def compare(self, *more: Any) -> Table:
        """Results side by side."""
        ...

class Bounds(Value):
    """A bounds of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Plan(Value):
    """A plan of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class WhatIf(Value):
    """A what_if table of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Hardness(Value):
    """A hardness of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Spectrum(Value):
    """A spectrum of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Design(Value):
    """A design of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Comparisons(Value):
    """A comparisons of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Speedup(Value):
    """A speedup of the language."""
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Fit(Value):
    """A fit of the language."""
    def fitted(self) -> JointKernel:
        """The kernel of a fit, with plain numbers and with the level as a term of its own, for with_kernel(p, fitted(f))."""
        ...
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
        ...

class Claims(Value):
    """A claims of the language."""

class Explanation(Value):
    """A explanation of the language."""

class Problem(Value):
    """A problem of the language."""
    def best(self, epsilon: _Number | None = ..., next: int | None = ..., retry: bool | None = ...) -> Answer:
        """The best arm of every task by what was measured, how sure that is, and what to measure next; kernel, level and noise are found from the measurements and averaged over, whatever kernel the problem has."""
        ...
    def with_kernel(self, kernel: JointKernel) -> Problem:
        """The same problem under another kernel, as one that was fitted: what else was stated of the data stays."""
        ...
    def bounds(self, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
        """The theory as numbers: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound."""
        ...
    def spectrum(self, xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
        """Eigenvalues of the kernels, for the effective dimension."""
        ...
    def hardness(self) -> Hardness:
        """Gap and difficulty of each task."""
        ...
    def design(self, xi: _Number | Literal["auto"] | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
        """The allocation of the first round, with its certificate."""
        ...
    def plan(self, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
        """What each method is expected to need before anything is sampled, by simulation: rounds, samples, bytes, and with prices also cost and calendar time; with total= what so many measurements buy: expected loss along measurements, money or time."""
        ...
    def what_if(self, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
        """How samples and rounds change with delta, epsilon and the tasks, each changed by itself, beside the unchanged run."""
        ...
    def fc(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ...) -> Result:
        """Fixed confidence: samples until every task's best arm is known."""
        ...
    def fb(self, budget: int | None = ..., algorithm: Literal["CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere", "Oracle"] | None = ..., xi: _Number | Literal["auto", "gp"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ...) -> Result:
        """Fixed budget: the best answers from a given number of pulls."""
        ...
    def fit(self, kernel: JointKernel | None = ..., mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
        """The free numbers of the kernel by maximum marginal likelihood on the mean rewards of a problem, with intervals, a test for lack of fit, cross-validation, and what sharing between tasks is worth; a kernel without free numbers is tested as it is."""
        ...
    def compare_kernels(self, kernels: _List, mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ...) -> Table:
        """Fits several kernels to the means of a problem, and sets marginal likelihood, leave-one-out prediction and the test for lack of fit side by side."""
        ...
    def protocol(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"] | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: Literal["minutes", "hours", "days", "weeks"] | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., reward_norm: _Number | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
        """What a campaign of real measurements keeps to, with a forecast of its samples and time, by simulation; start makes the campaign. The expected rewards of the table, if it has any, serve the forecast alone."""
        ...

class Protocol(Value):
    """A protocol of the language."""
    def start(self, folder: str) -> Campaign:
        """Makes a campaign in a folder: what is asked, how it is decided and the data are fixed from then on; a folder that has this campaign already is opened, so that the cell can be run again."""
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
        """How far each task of a run is: what separates its leader from the next arm, the samples still needed, and what decided the other arms. Of several runs it explains the first; the run may have been interrupted or stopped by a limit."""
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
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
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
        values: similarity of each pair of points, row by row; or the CSV file that holds them, relative to the script: a square table of numbers, with or without a header and a first column of names; a list or a text, or a DataFrame
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
    """An unknown number, for fit: a parameter of a kernel, a factor or summand of kernels, or by its name in a formula; it has its start value until it is fitted.

    Parameters:
        value: where the search begins; a number, at least 0 and finite
        min: smallest value; a thousandth of the start when not given; a number, at least 0 and finite, optional
        max: largest value; a thousand times the start when not given, as far as the parameter allows; a number, at least 0 and finite, optional
        name: free numbers with the same name are one number; the name that it is bound to when not given; a text, optional

    In a script: free(0.5, min=0.1, max=10)
    """
    ...

def task(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares tasks by their features z_*.

    Parameters:
        k: kernel of two tasks; a kernel, or a Python function

    In a script: task(rbf(lengthscale=0.7))
    """
    ...

def arm(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares arms by their features x_*.

    Parameters:
        k: kernel of two arms; a kernel, or a Python function

    In a script: arm(linear())
    """
    ...

def best(p: Problem, epsilon: _Number | None = ..., next: int | None = ..., retry: bool | None = ...) -> Answer:
    """The best arm of every task by what was measured, how sure that is, and what to measure next; kernel, level and noise are found from the measurements and averaged over, whatever kernel the problem has.

    Parameters:
        p: the problem; a problem
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, default 0
        next: how many further measurements to propose, of all tasks together; a number, whole, at least 0 and at most 10000, default 0
        retry: true: take and propose options, too, of which all measurements failed; true or false, default false

    In a script: best(problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)
    """
    ...

def problem(path: str | PathLike[str] | _Table | None = ..., kernel: JointKernel | Literal["auto"] | None = ..., noise: _Number | Literal["sd", "task", "unknown", "unknown task", "unknown arm"] | None = ..., rewards: str | PathLike[str] | _Table | None = ..., block: str | None = ..., name: str | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: Literal["gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch", "autocorrelated"] | None = ..., strength: _Number | None = ..., goal: Literal["max", "min"] | None = ..., standardize: bool | None = ..., unmeasured: Literal["keep", "drop"] | None = ..., data: str | PathLike[str] | _Table | None = ..., task: str | _List | _Label | None = ..., arm: str | _List | _Label | None = ..., reward: str | _Label | None = ..., sd: str | _Label | None = ..., count: str | _Label | None = ..., successes: str | _Label | None = ..., trials: str | _Label | None = ..., blocks: str | _List | _Label | None = ..., log: str | _List | _Label | None = ..., where: str | None = ..., failed: str | None = ..., task_features: str | _List | _Label | None = ..., arm_features: str | _List | _Label | None = ..., text: str | _List | _Label | None = ...) -> Problem:
    """Reads tasks and arms from a CSV file: task,arm,x_*,z_*,mean,sd,reps; or, with data=, from a table with a row for every measurement and any names of columns; see docs/reference/data-format.md.

    Parameters:
        path: the file, relative to the script; a text, optional, or a DataFrame
        kernel: similarity of arms of tasks; "auto" finds one from the measurements of the table; a joint kernel or "auto", default "auto"
        noise: noise scale of rewards: a number, "sd" for the column, "task" pooled per task; when not given, the column sd, of raw rewards the deviation of each arm or, of arms with fewer than ten, of their task, and unknown without any, "unknown" (one for all), "unknown task" or "unknown arm" (one for each); a number, "sd", "task", "unknown", "unknown task" or "unknown arm", greater than 0 and finite, optional
        rewards: file of measured rewards task,arm,rep,reward to draw from; a text, optional, or a DataFrame
        block: column of rewards= that says what was measured side by side, such as a day or a plate: CoTestFC and CoBayesFC then measure the open arms of a task in the same blocks and compare within blocks; a text, optional
        name: name in reports; the file's name when not given; a text, optional
        noise_guess: with unknown noise, the guess by which the first round is planned; no guarantee depends on it; 1 when not given; a number, greater than 0 and finite, optional
        bounded: in place of noise, the two numbers between which every reward lies, whatever its law; a list, optional
        environment: how simulated rewards are drawn: gaussian; with data= posterior, with rewards= resampled, with bounded= bernoulli; see docs/explanation/robustness.md for those that break the guarantee's conditions; "gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch" or "autocorrelated", optional
        strength: how far the environment departs from normal noise (student: degrees of freedom, outliers: share of outliers, drift: drift per round over noise, batch: error of a round over noise, autocorrelated: correlation of neighbours); a number, greater than 0 and finite, optional
        goal: whether the best arm has the highest expected reward or the lowest; all that is shown has the sign and the units of the data; "max" or "min", default "max"
        standardize: true (or 1): scale every feature column of numbers to the range 0 to 1, so that length scales are shares of its range; otherwise they are in the units of the data; true or false, default false
        unmeasured: arms that have no mean yet: kept, which fit, bounds and runs that draw expected rewards allow for, or left out; "keep" or "drop", default "keep"
        data: in place of path, a table with a row for every measurement; task, arm and reward say what its columns mean, and others are ignored; with arm and reward the first argument is such a table, too; a text, optional, or a DataFrame
        task: with data, the column that names the task, or a list of columns whose combinations are the tasks; one task for all rows when not given; a text or a list, optional
        arm: with data, the column or columns whose distinct values are the arms, and their features; a text or a list, optional
        reward: with data, the column of measurements, or of their means with sd= and count=; a text, optional
        sd: with data whose rows are means, the column of their standard deviations: of one measurement, not of the mean; a noise scale for all is noise=; a text, optional
        count: with data whose rows are means, the column that counts the measurements behind each; 1 each when not given; a text, optional
        successes: with data, in place of reward: the column of how many of trials were 1, the others being 0; a text, optional
        trials: with successes, the column of how many there were; a text, optional
        blocks: with data, the column or columns that say what was measured together, such as a day or a plate; best takes its effect out; a text or a list, optional
        log: with data, columns of arms whose decimal logarithm is the feature; a text or a list, optional
        where: with data, the rows to take: a condition on columns, such as "site == 'Gent' and dose > 2"; a name with blanks is col('Temp °C'); a text, optional
        failed: with data, a condition on rows where a measurement was tried and gave no value, such as "status != 'ok'"; in the column reward, texts without digits, NaN and inf count as failed too, and <0.05 and >9 as limits; a text, optional
        task_features: with data, the column or columns of features that tasks have; a text or a list, optional
        arm_features: with data, the features of arms; the columns of arm when not given; a text or a list, optional
        text: the column or columns whose values are names although they look like numbers, such as versions: 12.1 and 12.10 are then two, and only an empty cell is no value (NA is a name); a text or a list, optional

    In a script: problem("data/cn_coupling.csv", kernel=task(identity()) * arm(1000 + 50*linear()), noise="task")
    """
    ...

def with_kernel(p: Problem, kernel: JointKernel) -> Problem:
    """The same problem under another kernel, as one that was fitted: what else was stated of the data stays.

    Parameters:
        p: the problem; a problem
        kernel: similarity of arms of tasks; a joint kernel

    In a script: with_kernel(paper(case=2), task(rbf(0.7)) * arm(linear()))
    """
    ...

def paper(case: int | None = ..., gap: _Number | None = ..., lengthscale: _Number | Literal["inf"] | None = ..., noise: _Number | Literal["unknown", "unknown task", "unknown arm"] | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: Literal["gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch", "autocorrelated"] | None = ..., strength: _Number | None = ...) -> Problem:
    """An instance of [Du23, App. A]: 5 tasks, 6 arms each; one of the three cases, or one between them.

    Parameters:
        case: 1: all tasks alike, 2: two groups, 3: all different; a number, whole, at least 1 and at most 3, optional
        gap: reward gap; a number, greater than 0 and finite, default 0.1
        lengthscale: instead of case: the rewards of case 1 in five tasks that are alike as rbf(lengthscale) says, from 0 (as case 3) to 1e9 or "inf" (as case 1); a number or "inf", at least 0 and finite, optional
        noise: noise scale of rewards: a number (1 when not given), "unknown" (one for all), "unknown task" or "unknown arm" (one for each); a number, "unknown", "unknown task" or "unknown arm", greater than 0 and finite, optional
        noise_guess: with unknown noise, the guess by which the first round is planned; no guarantee depends on it; 1 when not given; a number, greater than 0 and finite, optional
        bounded: in place of noise, the two numbers between which every reward lies, whatever its law; a list, optional
        environment: how simulated rewards are drawn: gaussian; with data= posterior, with rewards= resampled, with bounded= bernoulli; see docs/explanation/robustness.md for those that break the guarantee's conditions; "gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch" or "autocorrelated", optional
        strength: how far the environment departs from normal noise (student: degrees of freedom, outliers: share of outliers, drift: drift per round over noise, batch: error of a round over noise, autocorrelated: correlation of neighbours); a number, greater than 0 and finite, optional

    In a script: paper(case=2, gap=0.1)
    """
    ...

def classic(means: _List, agents: int | None = ..., goal: Literal["max", "min"] | None = ...) -> Problem:
    """Collaborative best-arm identification without features: every agent has the same arms, unit noise.

    Parameters:
        means: expected reward of each arm; a list
        agents: how many agents there are; a number, whole, at least 1 and at most 1000, default 5
        goal: whether the best arm has the highest expected reward or the lowest; all that is shown has the sign and the units of the data; "max" or "min", default "max"

    In a script: classic(means=[0.9, 0.5, 0.1], agents=5)
    """
    ...

def bounds(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
    """The theory as numbers: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, optional
        budget: pulls per agent: on average over the agents, and no more of any agent by CoBayesFB with its posterior or in a campaign; a number, whole, at least 1 and at most 1e12, optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; a number or "auto", at least 0 and finite, default "auto"
        norm: bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC takes few samples with it under a smooth kernel; others take the norm of the known means when it is not given; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, reward units; from the known means when not given; a number, greater than 0 and finite, optional
        unit: reward units of one normalised unit; the largest noise when not given; a number, greater than 0 and finite, optional
        reward_norm: the bound that `norm` is, in reward units: of the expected rewards as they are; not beside `norm`; a number, greater than 0 and finite, optional

    In a script: bounds(paper(case=2))
    """
    ...

def spectrum(p: Problem, xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
    """Eigenvalues of the kernels, for the effective dimension.

    Parameters:
        p: the problem; a problem
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; a number or "auto", at least 0 and finite, default "auto"
        norm: bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC takes few samples with it under a smooth kernel; others take the norm of the known means when it is not given; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, reward units; from the known means when not given; a number, greater than 0 and finite, optional

    In a script: spectrum(paper(case=2))
    """
    ...

def hardness(p: Problem) -> Hardness:
    """Gap and difficulty of each task.

    Parameters:
        p: the problem; a problem

    In a script: hardness(paper(case=2))
    """
    ...

def design(p: Problem, xi: _Number | Literal["auto"] | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
    """The allocation of the first round, with its certificate.

    Parameters:
        p: the problem; a problem
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; a number or "auto", at least 0 and finite, default "auto"
        tol: relative gap between value and lower bound; a number, at least 1e-12 and at most 0.5, default 1e-4
        norm: bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC takes few samples with it under a smooth kernel; others take the norm of the known means when it is not given; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, reward units; from the known means when not given; a number, greater than 0 and finite, optional

    In a script: design(paper(case=2))
    """
    ...

def plan(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | Literal["auto"] | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
    """What each method is expected to need before anything is sampled, by simulation: rounds, samples, bytes, and with prices also cost and calendar time; with total= what so many measurements buy: expected loss along measurements, money or time.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, optional
        gaps: smallest lead of the best arm to plan for, reward units, in place of the known means: a number, or a list of several to compare; a number or a list, greater than 0 and finite, optional
        runs: simulated runs of each method and gap; when not given, fewer of more than 200 arms, down to 4; a number, whole, at least 1 and at most 10000, default 20
        seed: the simulated rewards follow from it; a number, whole, at least 0 and at most 9007199254740992, default 1
        cost: cost of one sample; a number, at least 0 and finite, optional
        cost_round: cost of a round for each agent that samples in it; a number, at least 0 and finite, optional
        parallel: samples that an agent can make at once, in one batch; all of a round when not given; a number, whole, at least 1 and at most 9007199254740992, optional
        capacity: samples that all agents together can make in one batch, as with one robot; in place of parallel; a number, whole, at least 1 and at most 9007199254740992, optional
        sample_time: duration of a batch; a number, at least 0 and finite, optional
        round_time: duration between rounds, for analysis and communication; a number, at least 0 and finite, optional
        time_unit: unit of these durations, such as "days"; a text, optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC; a number or "auto", at least 0 and finite, default "auto"
        norm: bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC takes few samples with it under a smooth kernel; others take the norm of the known means when it is not given; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, reward units; from the known means when not given; for CoKernelFC; a number, greater than 0 and finite, optional
        unit: reward units of one normalised unit; the largest noise when not given; a number, greater than 0 and finite, optional
        total: further measurements of all tasks together: the plan is then the curve of expected loss up to them, from what was measured, or simulated where nothing was; a number, whole, at least 1 and at most 1000000, optional

    In a script: plan(paper(case=2), gaps=[0.1, 0.3], cost=12, parallel=24, sample_time=1, round_time=2, time_unit="days")
    """
    ...

def what_if(p: Problem | Result, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
    """How samples and rounds change with delta, epsilon and the tasks, each changed by itself, beside the unchanged run.

    Parameters:
        p: the problem, or the name of a result of fc, whose call is then the unchanged run; a problem or a result
        delta: error probabilities to try; a number or a list, greater than 0 and less than 1, optional
        epsilon: accuracies to try, reward units; a number or a list, at least 0 and finite, optional
        tasks: tasks to keep: names, or how many of the first; a list of these for several alternatives; a number, a text or a list, whole, at least 1 and at most 9007199254740992, optional
        gaps: smallest lead of the best arm to plan for, reward units, in place of the known means; a number, greater than 0 and finite, optional
        algorithm: which algorithm runs; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoTestFC"
        schedule: pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC, IndTestFC, IndUniformFC, CoBayesFC or Oracle; "tuned" or "paper", default "tuned"
        runs: simulated runs of each method and gap; when not given, fewer of more than 200 arms, down to 4; a number, whole, at least 1 and at most 10000, default 20
        seed: the simulated rewards follow from it; a number, whole, at least 0 and at most 9007199254740992, default 1
        cost: cost of one sample; a number, at least 0 and finite, optional
        cost_round: cost of a round for each agent that samples in it; a number, at least 0 and finite, optional
        parallel: samples that an agent can make at once, in one batch; all of a round when not given; a number, whole, at least 1 and at most 9007199254740992, optional
        capacity: samples that all agents together can make in one batch, as with one robot; in place of parallel; a number, whole, at least 1 and at most 9007199254740992, optional
        sample_time: duration of a batch; a number, at least 0 and finite, optional
        round_time: duration between rounds, for analysis and communication; a number, at least 0 and finite, optional
        time_unit: unit of these durations, such as "days"; a text, optional

    In a script: what_if(paper(case=2), delta=[0.01, 0.1], tasks=[3, ["task 1", "task 3"]])
    """
    ...

def fc(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ...) -> Result:
    """Fixed confidence: samples until every task's best arm is known.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, default 0
        algorithm: which algorithm runs; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoTestFC"
        schedule: pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC, IndTestFC, IndUniformFC, CoBayesFC or Oracle; "tuned" or "paper", default "tuned"
        law: law of the noise, for tests that depend on it: normal, or any law whose tails are no heavier (takes more samples), or of arms side by side any for which their differences are symmetric, as where all have one law; when not given, normal, and for bounded rewards any law within the bounds: CoTestFC bets on them, others take them as subgaussian; for CoTestFC, IndTestFC and IndUniformFC; "normal", "subgaussian" or "symmetric", optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number or "auto", at least 0 and finite, default "auto"
        level: of methods that go by a posterior: what rewards are near before any data, reward units, one number for all tasks and arms; "unknown" gives it a flat prior; for CoBayesFC; a number or "unknown", default "unknown"
        scale: of methods that go by a posterior: factor on the kernel, which is in squared reward units; "fit" fits it to the data of the run after each round, and with it a part g*identity() for what the kernel cannot represent; for CoBayesFC; a number or "fit", greater than 0 and finite, default "fit"
        runs: independent runs; a number, whole, at least 1 and at most 100000, default 1
        seed: the random rewards follow from it; the same seed gives the same numbers; a number, whole, at least 0 and at most 9007199254740992, default 1
        max_rounds: stop after this many rounds; 30 when not given; a number, whole, at least 1 and at most 9007199254740992, optional
        max_samples: stop before more samples than this, all agents together; a number, whole, at least 1 and at most 9007199254740992, optional
        norm: bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC takes few samples with it under a smooth kernel; others take the norm of the known means when it is not given; not for IndUniformFC or CoBayesFC; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, reward units; from the known means when not given; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number, greater than 0 and finite, optional
        unit: reward units of one normalised unit; the largest noise when not given; a number, greater than 0 and finite, optional
        misfit: how far any expected reward may be from what the kernel can represent, reward units; for CoTestFC and IndTestFC; a number, at least 0 and finite, default 0
        robust: true (or 1): estimate misfit from the data of the run and allow for it; for CoTestFC and IndTestFC; true or false, default false
        rewards: a Go func that draws rewards, bound by session.Put in a Go cell, or a function f(task, arm, count) of Python that returns their mean, in place of the problem's own; a reward function, optional, or a Python function
        reward_norm: the bound that `norm` is, in reward units: of the expected rewards as they are; not beside `norm`; a number, greater than 0 and finite, optional

    In a script: fc(paper(case=2), delta=0.05, runs=10)
    """
    ...

def fb(p: Problem, budget: int | None = ..., algorithm: Literal["CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere", "Oracle"] | None = ..., xi: _Number | Literal["auto", "gp"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ...) -> Result:
    """Fixed budget: the best answers from a given number of pulls.

    Parameters:
        p: the problem; a problem
        budget: pulls per agent: on average over the agents, and no more of any agent by CoBayesFB with its posterior or in a campaign; a number, whole, at least 1 and at most 1e12, optional
        algorithm: which algorithm runs; "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere" or "Oracle", default "CoBayesFB"
        xi: regularisation ξ: a number; "auto", the largest that the theorems allow, which for CoBayesFB is least squares; or "gp", the posterior of a Gaussian process that has the kernel for its prior; when not given, "gp" for CoBayesFB and "auto" for others; not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere; a number, "auto" or "gp", at least 0 and finite, optional
        level: of methods that go by a posterior: what rewards are near before any data, reward units, one number for all tasks and arms; "unknown" gives it a flat prior; not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere; a number or "unknown", default "unknown"
        scale: of methods that go by a posterior: factor on the kernel, which is in squared reward units; "fit" fits it to the data of the run after each round, and with it a part g*identity() for what the kernel cannot represent; not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere; a number or "fit", greater than 0 and finite, default "fit"
        kernel_is: how far a posterior believes the kernel: "fixed", it is the prior but for its scale; "member", one term of a prior whose other terms are learned in the run; "auto", nothing is stated and all is learned in the run; when not given, "auto" where the problem has kernel="auto", and "fixed" where a kernel is stated; for CoBayesFB; "fixed", "member" or "auto", optional
        runs: independent runs; a number, whole, at least 1 and at most 100000, default 1
        seed: the random rewards follow from it; the same seed gives the same numbers; a number, whole, at least 0 and at most 9007199254740992, default 1
        delta: level at which an answer counts as supported; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, default 0
        norm: bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC takes few samples with it under a smooth kernel; others take the norm of the known means when it is not given; not for IndUniformFB or BestElsewhere; a number, greater than 0 and finite, optional
        unit: reward units of one normalised unit; the largest noise when not given; a number, greater than 0 and finite, optional
        rewards: a Go func that draws rewards, bound by session.Put in a Go cell, or a function f(task, arm, count) of Python that returns their mean, in place of the problem's own; a reward function, optional, or a Python function
        reward_norm: the bound that `norm` is, in reward units: of the expected rewards as they are; not beside `norm`; a number, greater than 0 and finite, optional
        total: pulls of all agents together, in place of budget: they go to the tasks that need them most; for CoBayesFB; a number, whole, at least 1 and at most 1e12, optional
        rounds: rounds in which a budget is spent; up to 6 when not given; for CoBayesFB; a number, whole, at least 1 and at most 9007199254740992, optional

    In a script: fb(paper(case=2), budget=7000, runs=10)
    """
    ...

def sweep(r: Result, rows: Literal["cell", "run"] | None = ..., store: str | None = ..., **named: Any) -> Sweep:
    """Runs a result again for every combination of values; evaluates again what depends on them.

    Parameters:
        r: the name of a result of fc or fb; a result
        rows: what a row of the table is: a combination of the values, or a single run of one; "cell" or "run", default "cell"
        store: a file, .jsonl, that keeps the finished combinations: what it has is not run again; a text, optional

    Named arguments: a name that r depends on, or an argument of a call that it depends on, with the list of values to try.

    In a script: sweep(r, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndKernelFC"])
    """
    ...

def fit(p: Problem, kernel: JointKernel | None = ..., mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
    """The free numbers of the kernel by maximum marginal likelihood on the mean rewards of a problem, with intervals, a test for lack of fit, cross-validation, and what sharing between tasks is worth; a kernel without free numbers is tested as it is.

    Parameters:
        p: the problem; a problem
        kernel: the kernel to fit; the problem's own when not given; a joint kernel, optional
        mean: a constant level that the kernel need not explain: of the problem, of each task, or none; "problem", "task" or "none", default "problem"
        noise: standard deviation of one reward: a number, or a free one; the problem's own when not given; a number or a free number, greater than 0 and finite, optional
        starts: how many searches; a number, whole, at least 1 and at most 17, default 4
        measure: how many simulated runs measure what sharing between tasks is worth: CoTestFC under the fitted kernel against IndTestFC, with the data's means for expected rewards; a number, whole, at least 0 and at most 1000, default 0

    In a script: fit(problem("pilot.csv", kernel=task(rbf(free(1))) * arm(free(1)*rbf(free(1)))))
    """
    ...

def fitted(f: Fit) -> JointKernel:
    """The kernel of a fit, with plain numbers and with the level as a term of its own, for with_kernel(p, fitted(f)).

    Parameters:
        f: the fit; a fit

    In a script: fitted(f)
    """
    ...

def compare_kernels(p: Problem, kernels: _List, mean: Literal["problem", "task", "none"] | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ...) -> Table:
    """Fits several kernels to the means of a problem, and sets marginal likelihood, leave-one-out prediction and the test for lack of fit side by side.

    Parameters:
        p: the problem; a problem
        kernels: a list of kernels, which the table calls by their bound names; a list
        mean: a constant level that the kernel need not explain: of the problem, of each task, or none; "problem", "task" or "none", default "problem"
        noise: standard deviation of one reward: a number, or a free one; the problem's own when not given; a number or a free number, greater than 0 and finite, optional
        starts: how many searches; a number, whole, at least 1 and at most 17, default 4

    In a script: compare_kernels(paper(case=2), [task(identity()) * arm(linear()), arm(linear())])
    """
    ...

def paired(s: Sweep, reference: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"], y: Literal["samples", "error", "rounds", "regret"] | None = ...) -> Comparisons:
    """Every algorithm of a sweep beside a reference: difference and ratio with 95 % intervals, run by run where seeds are shared.

    Parameters:
        s: a sweep over algorithm, and over other names if you like; a sweep
        reference: the algorithm that the others are compared with; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB" or "BestElsewhere"
        y: what is compared; "samples", "error", "rounds" or "regret", default "samples"

    In a script: paired(s, reference="IndKernelFC")
    """
    ...

def speedup(s: Sweep, algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ..., alone: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"] | None = ...) -> Speedup:
    """The speedup β of [Du23, eq. (4)], measured, beside V and what the rank of the task kernel predicts.

    Parameters:
        s: a sweep over algorithm, and over other names if you like; a sweep
        algorithm: the algorithm of agents that share; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoKernelFC"
        alone: the algorithm of agents that share nothing; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "IndRAGE"

    In a script: speedup(s, algorithm="CoKernelFC", alone="IndKernelFC")
    """
    ...

def claims(fc: Sweep, fb: Sweep | None = ...) -> Claims:
    """What the paper says of its experiments, each statement beside what was measured, with a verdict.

    Parameters:
        fc: a sweep of fc over case, gap and algorithm; a sweep
        fb: a sweep of fb over case, budget and algorithm; a sweep, optional

    In a script: claims(sweep(r, case=1..3, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndRAGE", "IndRAGE/V"]))
    """
    ...

def explain(r: Result | Campaign | str, task: str | None = ...) -> Explanation:
    """How far each task of a run is: what separates its leader from the next arm, the samples still needed, and what decided the other arms. Of several runs it explains the first; the run may have been interrupted or stopped by a limit.

    Parameters:
        r: a result of fc or fb, or a campaign or its folder; a result, a campaign or a text
        task: the task to explain; all when not given; a text, optional

    In a script: explain(fc(paper(case=2), algorithm="CoTestFC", max_rounds=4))
    """
    ...

def protocol(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"] | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: Literal["minutes", "hours", "days", "weeks"] | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: Literal["tuned", "paper"] | None = ..., law: Literal["normal", "subgaussian", "symmetric"] | None = ..., xi: _Number | Literal["auto"] | None = ..., level: _Number | Literal["unknown"] | None = ..., scale: _Number | Literal["fit"] | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., reward_norm: _Number | None = ..., kernel_is: Literal["fixed", "member", "auto"] | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
    """What a campaign of real measurements keeps to, with a forecast of its samples and time, by simulation; start makes the campaign. The expected rewards of the table, if it has any, serve the forecast alone.

    Parameters:
        p: the problem; a problem
        delta: error probability; a number, greater than 0 and less than 1, default 0.05
        epsilon: an arm this close to the best is good enough, in reward units; a number, at least 0 and finite, default 0
        algorithm: which algorithm runs; with a budget and when not given, CoBayesFB; "CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB" or "BestElsewhere", default "CoTestFC"
        budget: pulls of each task, and no more of any; a number, whole, at least 1 and at most 1e12, optional
        total: pulls of all agents together, in place of budget: they go to the tasks that need them most; a number, whole, at least 1 and at most 1e12, optional
        rounds: rounds in which a budget is spent; up to 6 when not given, and no more than whole plates fill; with a plate or a capacity and without a budget, each round is one; a number, whole, at least 1 and at most 9007199254740992, optional
        plate: pulls on a plate: each plate is a balanced sample of its round, in random order, so that what is common to a plate cancels; a number, whole, at least 1 and at most 9007199254740992, optional
        block: what the arms of a task are measured in together, such as "day": lists then have whole blocks, and CoTestFC and CoBayesFC compare within them; when not given, as the problem says; a text, optional
        block_size: arms of a task in a block; all that are open when not given; a number, whole, at least 1 and at most 9007199254740992, optional
        control: with block, the arm that is in every block of its task; a text, optional
        capacity: pulls that the laboratory makes in a unit of time, of all tasks together; methods that go by a posterior cut their rounds to it; a number, whole, at least 1 and at most 9007199254740992, optional
        time_unit: unit of capacity and lease; "minutes", "hours", "days" or "weeks", default "days"
        lease: units of time after which pulls that were handed out and not told are handed out again, under new ids; a number, greater than 0 and finite, optional
        failed: share of pulls that give no result, for the forecast; with a capacity and when not given, up to 0.2; a number, at least 0 and less than 1, optional
        late: share of results that come late, for the forecast; with a capacity and when not given, up to 0.3; a number, at least 0 and less than 1, optional
        delay: the most units of time that late results are late, for the forecast; 5 when not given; a number, whole, at least 1 and at most 9007199254740992, optional
        attach: whether the campaign begins with the measurements of the table; false: they find the kernel and serve the forecast alone; true or false, optional
        cost: of one pull, for the forecast; a number, at least 0 and finite, optional
        schedule: pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC, IndTestFC, IndUniformFC, CoBayesFC or Oracle; "tuned" or "paper", default "tuned"
        law: law of the noise, for tests that depend on it: normal, or any law whose tails are no heavier (takes more samples), or of arms side by side any for which their differences are symmetric, as where all have one law; when not given, normal, and for bounded rewards any law within the bounds: CoTestFC bets on them, others take them as subgaussian; for CoTestFC, IndTestFC and IndUniformFC; "normal", "subgaussian" or "symmetric", optional
        xi: regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number or "auto", at least 0 and finite, default "auto"
        level: of methods that go by a posterior: what rewards are near before any data, reward units, one number for all tasks and arms; "unknown" gives it a flat prior; for CoBayesFC; a number or "unknown", default "unknown"
        scale: of methods that go by a posterior: factor on the kernel, which is in squared reward units; "fit" fits it to the data of the run after each round, and with it a part g*identity() for what the kernel cannot represent; for CoBayesFC; a number or "fit", greater than 0 and finite, default "fit"
        max_rounds: stop after this many rounds; 30 when not given; a number, whole, at least 1 and at most 9007199254740992, optional
        max_samples: stop before more samples than this, all agents together; a number, whole, at least 1 and at most 9007199254740992, optional
        norm: bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC takes few samples with it under a smooth kernel; others take the norm of the known means when it is not given; not for IndUniformFC or CoBayesFC; a number, greater than 0 and finite, optional
        gap: lower bound on the smallest gap, reward units; from the known means when not given; for CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC; a number, greater than 0 and finite, optional
        unit: reward units of one normalised unit; the largest noise when not given; a number, greater than 0 and finite, optional
        misfit: how far any expected reward may be from what the kernel can represent, reward units; for CoTestFC and IndTestFC; a number, at least 0 and finite, default 0
        robust: true (or 1): estimate misfit from the data of the run and allow for it; for CoTestFC and IndTestFC; true or false, default false
        reward_norm: the bound that `norm` is, in reward units: of the expected rewards as they are; not beside `norm`; a number, greater than 0 and finite, optional
        kernel_is: how far a posterior believes the kernel: "fixed", it is the prior but for its scale; "member", one term of a prior whose other terms are learned in the run; "auto", nothing is stated and all is learned in the run; when not given, "auto" where the problem has kernel="auto", and "fixed" where a kernel is stated; "fixed", "member" or "auto", optional
        gaps: lead of the best arm that the forecast is simulated with, reward units; when not given, the known means, or rewards drawn from the kernel as prior; a number, greater than 0 and finite, optional
        runs: simulated runs of the forecast of each algorithm; when not given, fewer of more than 200 arms, down to 4; 0 makes none; a number, whole, at least 0 and at most 1000, default 20
        seed: of ids and of the order of lists; each start takes another one when not given; a number, whole, at least 0 and at most 9007199254740992, optional

    In a script: protocol(paper(case=2), delta=0.1, plate=24, capacity=24, time_unit="days", runs=0)
    """
    ...

def start(protocol: Protocol, folder: str) -> Campaign:
    """Makes a campaign in a folder: what is asked, how it is decided and the data are fixed from then on; a folder that has this campaign already is opened, so that the cell can be run again.

    Parameters:
        protocol: the name of a protocol; a protocol
        folder: the folder, relative to the script; it must not exist, or be empty; a text

    In a script: start(protocol(paper(case=2), runs=0), "days")
    """
    ...

def resume(folder: str | Campaign) -> Campaign:
    """Opens a campaign, and shows how far it is.

    Parameters:
        folder: its folder, relative to the script; or a campaign, which may be an earlier state of it; a text or a campaign

    In a script: resume("days")
    """
    ...

def ask(c: Campaign | str, by: str | None = ..., count: int | None = ..., task: str | None = ..., more: bool | None = ..., decimals: Literal["comma", "point"] | None = ..., retry: bool | None = ...) -> Worklist:
    """What to measure next: the list that the asker has and has not told, else further pulls of the open round.

    Parameters:
        c: a campaign, or its folder, relative to the script; a campaign or a text
        by: who asks or tells: the same person has one open list at a time; a text, optional
        count: how many; the capacity, a plate or the round when not given; a number, whole, at least 1 and at most 9007199254740992, optional
        task: only pulls of this task; a text, optional
        more: true: further pulls, though the list of before is not told yet; true or false, default false
        decimals: of a file of the list: comma, with semicolons between columns, or point; as in the table of the problem when not given; "comma" or "point", optional
        retry: true: also pulls of arms whose every try failed; true or false, default false

    In a script: ask("days", by="Ann", count=24)
    """
    ...

def tell(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ..., extra: bool | None = ...) -> Receipt:
    """Records results from a CSV file: id,reward; or task,arm,reward; or task,arm,count,mean,sd. Rows without a reward are not measured yet, a text without digits in its place says that the measurement failed, and rows told before are known: the same growing sheet can be told every day.

    Parameters:
        c: a campaign, or its folder, relative to the script; a campaign or a text
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
        c: a campaign, or its folder, relative to the script; a campaign or a text
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
        c: a campaign, or its folder, relative to the script; a campaign or a text
        ids: the id of a pull, or a list of ids; a text or a list
        reason: the reason, which the report shows; a text
        by: who asks or tells: the same person has one open list at a time; a text, optional

    In a script: fail("days", ["K7M2PQ"], reason="the vial broke")
    """
    ...

def correct(c: Campaign | str, id: str, value: _Number, reason: str, by: str | None = ...) -> Campaign:
    """Replaces a result that was wrong, and shows how far the campaign is. In a round that is over, what followed is worked out again; where a decision changes, the answers are heuristic.

    Parameters:
        c: a campaign, or its folder, relative to the script; a campaign or a text
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
        c: a campaign, or its folder, relative to the script; a campaign or a text
        round: the number of the round; a number, whole, at least 1 and at most 9007199254740992
        reason: the reason, which the report shows; a text
        by: who asks or tells: the same person has one open list at a time; a text, optional

    In a script: close("days", round=3, reason="the freezer failed")
    """
    ...

def attach(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ...) -> Receipt:
    """Records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that are of no round. They guide what is measured and decide nothing in tests; methods that go by a posterior take them whole. Rows attached before are known, also under another name of their file.

    Parameters:
        c: a campaign, or its folder, relative to the script; a campaign or a text
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
    """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign.

    Parameters:
        value: what to draw; a list compares results; an answer, a sweep, a result, a list, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign
        x: the horizontal axis: a swept name, or of a result task or round; a text, optional
        y: the measure to draw, the first when not given; of a sweep or several results also a list with one unit. The measures of an answer: reward; of a sweep or several results: samples, samples_total, ratio, lower_bound, theorem, theorem_error, rounds, messages, bytes, bytes_raw, bytes_theta, error, decided_error, task_error, undecided, regret or relative_regret; of a result: estimate, alive, pulls, rho or open; of bounds: samples, budget or error; of a plan or a what_if table: samples, samples_total, rounds, cost or time; of hardness: gap, rho_alone or weight; of a spectrum: eigenvalue; of a design: weight; of comparisons: ratio or difference; of a speedup: beta; of a fit: similarity or residual; of a campaign: open, decided or samples; a text or a list, optional
        file: also write the figure to this file, as .svg, .pdf, .png or .tex; a text, optional
        panel: a swept name: a panel for each of its values; a text, optional
        title: the title, in place of its own; "" for none; a text, optional
        xlabel: what stands below the x axis, in place of its own; a text, optional
        ylabel: what stands beside the y axis, in place of its own; a text, optional
        logx: true or false: a logarithmic x axis or a linear one; when not given, what suits the values; true or false, optional
        logy: true or false: a logarithmic y axis or a linear one; when not given, what suits the values; true or false, optional
        xlim: the ends of the x axis, [from, to]; what lies outside is not drawn; a list, optional
        ylim: the ends of the y axis, [from, to]; what lies outside stands at the edge, as open triangles; a list, optional
        width: in columns of a page that has two: 1 is 8.5 cm, 2 is 17.6 cm and usual; letters keep their size; a number, at least 1 and at most 2, optional
        reference: false leaves out what is only there to compare with: lower bounds, theorems, levels asked for; true or false, default true
        posterior: true: of a result, the mean and the 95 % interval of every arm of every task by round, of its first run, with the true means where they are known; x is then arm, or round for the course of the best arms; true or false, default false
        task: with posterior=true or where=, the only task to draw; a text, optional
        where: a problem: of a result on it, where its arms were open, at first and round by round, in the plane of two of their features, which x and y name; of its first run; a problem, optional

    In a script: plot(s, x="gap", y="samples")
    """
    ...

def compare(r: Result, *more: Any) -> Table:
    """Results side by side.

    Parameters:
        r: a result; a result

    Further arguments: further results.

    In a script: compare(r, b)
    """
    ...

def measures(s: Sweep, y: str | _List) -> Table:
    """Chosen measures of a sweep as a table, a row for each result.

    Parameters:
        s: a sweep; a sweep
        y: a measure or a list of them, as in plot; a text or a list

    In a script: measures(s, y=["samples", "rounds"])
    """
    ...

def save(value: Any, path: str) -> None:
    """Writes a value to a file: .csv .parquet .json .md .html .tex .txt, figures also .svg .pdf .png; .tex of a figure is pgfplots and writes its .dat.

    Parameters:
        value: what to write; any value
        path: the file, relative to the script; its extension says the format; a text

    In a script: save(s, "fc.csv")
    """
    ...

def show(value: Any) -> Any:
    """Displays a value; a name alone does the same.

    Parameters:
        value: what to show; any value

    In a script: show(r)
    """
    ...

def clear() -> None:
    """Clears what the cell has shown so far; outside of notebooks it does nothing.

    In a script: clear()
    """
    ...

def print(value: Any, *more: Any) -> str:
    """Values as a text, with a space between them: a text as it is, a number in up to ten digits, a kernel as text that makes an equal kernel with the formulas it uses, a result as it is shown in a terminal.

    Parameters:
        value: what to print; a text shows values between braces; any value

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
    """Smallest of the elements of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: min([1, 2, 3])
    """
    ...

def max(x: _Number | _List, *more: Any) -> Any:
    """Largest of the elements of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: max([1, 2, 3])
    """
    ...

def sum(x: _Number | _List, *more: Any) -> Any:
    """Sum of the elements of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: sum([1, 2, 3])
    """
    ...

def mean(x: _Number | _List, *more: Any) -> Any:
    """Mean of the elements of a list, or of several numbers.

    Parameters:
        x: a list, or the first of several numbers; a number or a list

    Further arguments: further numbers.

    In a script: mean([1, 2, 3])
    """
    ...

def len(x: _List | str) -> Any:
    """How many elements a list has, or characters a text.

    Parameters:
        x: a list or a text; a list or a text

    In a script: len([1, 2, 3])
    """
    ...

def round(x: _Number | _List, digits: int | None = ...) -> Any:
    """Nearest whole number, or number with so many digits after the point; of each element of a list.

    Parameters:
        x: a number or a list; a number or a list
        digits: digits after the point; a number, whole, at least 0 and at most 15, default 0

    In a script: round(2/3, digits=2)
    """
    ...

def linspace(from_: _Number, to: _Number, n: int) -> Any:
    """N numbers at equal distances from one number to another, both included.

    Parameters:
        from_: the first number; a number
        to: the last number; a number
        n: how many numbers; a number, whole, at least 2 and at most 1000000

    In a script: linspace(0, 1, 5)
    """
    ...

def range(from_: _Number, to: _Number, step: _Number | None = ...) -> Any:
    """Numbers from one to another in steps, as far as the last is reached; with steps of 1 the same as from..to.

    Parameters:
        from_: the first number; a number
        to: no number goes beyond this one; it is included where a step ends there; a number
        step: distance of two numbers; below 0 they go down; a number, default 1

    In a script: range(0.1, 0.5, step=0.1)
    """
    ...

