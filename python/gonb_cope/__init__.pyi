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

_DataFrame: TypeAlias = Any  # of pandas, or else of polars, or else a list of dicts
_Table: TypeAlias = Any  # a DataFrame, a list of dicts or a dict of lists
_Label: TypeAlias = Hashable  # of a column, such as 0 or ("yield", "mean")
_Number: TypeAlias = int | float
_List: TypeAlias = Sequence[Any] | Any

__version__: str

def close_process() -> None:
    """End the gonb-cope process, for example to free memory; the next call starts another."""
    ...
def script(text: str, file: str = ..., **names: Any) -> dict[str, Any]:
    """Evaluate a script of the language, with names bound before it, and return what it binds."""
    ...
def load_ipython_extension(ip: Any) -> None: ...

_Kernel: TypeAlias = Literal["auto"]
_Noise: TypeAlias = Literal["sd", "task", "unknown", "unknown task", "unknown arm"]
_Environment: TypeAlias = Literal["gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch", "autocorrelated"]
_Goal: TypeAlias = Literal["max", "min"]
_Unmeasured: TypeAlias = Literal["keep", "drop"]
_Lengthscale: TypeAlias = Literal["inf"]
_NoiseOfPaper: TypeAlias = Literal["unknown", "unknown task", "unknown arm"]
_Algorithm: TypeAlias = Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle"]
_Schedule: TypeAlias = Literal["tuned", "paper"]
_Law: TypeAlias = Literal["normal", "subgaussian", "symmetric"]
_Level: TypeAlias = Literal["unknown"]
_Scale: TypeAlias = Literal["fit"]
_AlgorithmOfFb: TypeAlias = Literal["CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere", "Oracle"]
_Xi: TypeAlias = Literal["auto", "gp"]
_KernelIs: TypeAlias = Literal["fixed", "member", "auto"]
_Rows: TypeAlias = Literal["cell", "run"]
_Mean: TypeAlias = Literal["problem", "task", "none"]
_Reference: TypeAlias = Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"]
_Y: TypeAlias = Literal["samples", "error", "rounds", "regret"]
_AlgorithmOfProtocol: TypeAlias = Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere"]
_TimeUnit: TypeAlias = Literal["minutes", "hours", "days", "weeks"]
_Decimals: TypeAlias = Literal["comma", "point"]

class Value:
    """A value of the language. Its parts are attributes; functions that take it first are its methods."""
    @property
    def json(self) -> Any:
        """All parts as Python dicts and lists, as docs/reference/json.md describes them."""
        ...
    @property
    def table(self) -> _DataFrame:
        """The rows of the value as a DataFrame of pandas or else polars, or else as a list of dicts."""
        ...
    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table as lists by the names of its columns."""
        ...
    def to_pandas(self) -> Any:
        """Return the table as a DataFrame of pandas."""
        ...
    def to_polars(self) -> Any:
        """Return the table as a DataFrame of polars."""
        ...
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

class Record(dict[str, Any]):
    """A part of a value that has parts itself: a dict whose items are attributes, too."""
    def __getattr__(self, name: str) -> Any: ...

class _HasPlot:
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table,"""
        ...

class Kernel(Value):
    """A kernel, as returned by linear, constant, rbf, matern, rq, polynomial, periodic, cosine, category, table and identity."""
    def task(self) -> JointKernel:
        """A joint kernel that compares tasks by their features z_*."""
        ...
    def arm(self) -> JointKernel:
        """A joint kernel that compares arms by their features x_*."""
        ...

class JointKernel(Value):
    """A joint kernel, as returned by task, arm and fitted."""

class FreeNumber(Value):
    """A free number, as returned by free."""

class Figure(Value):
    """A figure, as returned by plot."""
    @property
    def svg(self) -> str: ...
    @property
    def png(self) -> bytes: ...
    @property
    def pdf(self) -> bytes: ...
    def to_vega(self) -> dict[str, Any]:
        """Return the figure as a Vega-Lite specification."""
        ...
    def draw(self, ax: Any = ...) -> Any:
        """Draw the figure in axes of matplotlib and return them; new axes if none are given."""
        ...

class Table(Value):
    """A table, as returned by compare_kernels, compare and measures."""

class List(Value):
    """A list, as returned by linspace and range."""

class RewardFunction(Value):
    """A reward function."""

class Answer(Value, _HasPlot):
    """An answer, as returned by best."""
    problem: str
    """name of the problem"""
    goal: str
    """"min" where lower rewards are better"""
    reward: str
    """the column of the rewards, where the data are a long table"""
    block_columns: list[str]
    """the columns of the blocks whose effects are taken out"""
    task_columns: list[str]
    """the columns of the tasks, where the data are a long table"""
    arm_columns: list[str]
    """the columns of the arms, where the data are a long table"""
    epsilon: float | None
    """the accuracy asked for, reward units; 0 asks for the best arm"""
    picks: _DataFrame
    """one for each task"""
    unanswered: list[str]
    """tasks without a pick: all measurements of all of their options failed"""
    next: _DataFrame
    """what to measure next, the most valuable first"""
    loss_now: float | None
    """mean over tasks of the expected simple regret, reward units"""
    loss_after: float | None
    """what it is expected to be after the measurements of next"""
    kernel: str
    """the most probable kernel, with the prior variance of the level as a term, in the notation of a script"""
    log: list[str]
    """columns whose decimal logarithm it compares"""
    noise: str
    """the noise model, in words"""
    noise_law: Record
    """the noise model"""
    left_out: Record
    """how well each arm is predicted from the others"""
    basis: str
    """how far to trust the answer, and what would make it surer"""
    undetermined: Record
    """why the measurements do not distinguish arms; null if they do"""
    warnings: list[str]
    """conditions that a reader must know"""
    arms: _DataFrame
    """estimates of every arm of all tasks, in the order of the problem"""

class Sweep(Value, _HasPlot):
    """A sweep, as returned by sweep."""
    names: list[str]
    """swept names, in the order given"""
    per: str
    """what a row of its table is: "cell", one combination ("" is the same), or "run\""""
    stored: int
    """how many of `rows` were read from a file that keeps results, and not run"""
    rows: _DataFrame
    """a row for every combination of the swept values, in order"""
    def paired(self, reference: _Reference, y: _Y | None = ...) -> Comparisons:
        """Every algorithm of a sweep beside a reference: difference and ratio with 95 % intervals, run by run"""
        ...
    def speedup(self, algorithm: _Algorithm | None = ..., alone: _Algorithm | None = ...) -> Speedup:
        """The speedup β of [Du23, eq. (4)], measured, beside V and what the rank of the task kernel predicts."""
        ...
    def claims(self, fb: Sweep | None = ...) -> Claims:
        """What the paper says of its experiments, each statement beside what was measured, with a verdict."""
        ...
    def measures(self, y: str | _List) -> Table:
        """Chosen measures of a sweep as a table, a row for each result."""
        ...

class Result(Value, _HasPlot):
    """A result, as returned by fc and fb."""
    mode: str
    """"fc" (fixed confidence) or "fb" (fixed budget)"""
    algorithm: str
    """name of the algorithm"""
    schedule: str
    """"tuned" or "paper", "" where the algorithm has none"""
    problem: str
    """name of the problem"""
    status: str
    """how the first run ended: "completed", a limit that it reached, or "interrupted\""""
    name: str
    """name that a script has bound it to"""
    kernel: str
    """kernel of the problem, as text; a long one is abridged"""
    noise: str
    """the noise model of the problem, and its scale"""
    regime: str
    """the form that the computation had on the problem, as in regimes of size"""
    options: _DataFrame
    """further options that are not at their defaults"""
    runs: int
    """finished runs; 0 when the first one was interrupted, and samples, rounds and messages are of that"""
    runs_asked: int
    """runs that were asked for; more than `runs` after an interrupt"""
    delta: float | None
    """δ, the error probability asked for"""
    epsilon: float | None
    """the accuracy asked for, reward units; 0 asks for the best arm"""
    budget: int
    """T, pulls per agent"""
    ridge: float | None
    """ξ, normalised units"""
    norm_bound: float | None
    """the bound on the norm of the reward function that was stated, in reward units; 0 where none was"""
    tasks: int
    """how many tasks there are, one agent each"""
    arms: int
    """how many arms there are, of all tasks together"""
    goal: str
    """"min" where lower rewards are better"""
    columns: Record
    """what the table of the problem calls tasks, arms and rewards"""
    means_measured: bool
    """whether the expected rewards of the simulation are means of measurements: what counts as right is then the arm with the highest mean, which may be the best by luck"""
    truth_drawn: bool
    """whether each run drew its expected rewards from what the measurements of the problem say; its answers are graded by these"""
    samples_per_agent: Record
    """samples of one agent"""
    samples_total: float | None
    """samples, all agents together, mean over runs"""
    rounds: float | None
    """communication rounds, mean over runs"""
    rounds_max: int
    """the most rounds that a run took"""
    messages: float | None
    """messages of all agents, mean over runs; one broadcast is one"""
    bytes: float | None
    """bytes of all messages, mean over runs"""
    bytes_raw: float | None
    """bytes that the same rounds would take if every reward were sent by itself"""
    bytes_theta: float | None
    """bytes that the same rounds would take if every agent sent θ̂ in every round"""
    errors: Record
    """runs with at least one wrong task: a wrong winner (fc), or a leader that is not a best arm (fb). Its `runs` are 0 where the truth is unknown"""
    undecided: Record
    """runs with at least one task undecided"""
    decided_errors: Record
    """`decided_errors` counts runs with a decided answer that is wrong, which is what a guarantee bounds. Absent truth leaves `runs` at 0."""
    decided_tasks: int
    """pairs of a run and a task that it decided"""
    task_errors: Record
    """pairs of run and task whose leader is not a best arm; its `runs` count pairs"""
    regret: Record
    """simple regret: mean over tasks of best - leader, reward units"""
    relative_regret: Record
    """as `regret`, divided for each task by best - median arm"""
    answers: _DataFrame
    """answers of the first run, one a task"""
    trace: _DataFrame
    """rounds of the first run"""
    eliminations: _DataFrame
    """arms that the first run dropped"""
    progress: _DataFrame
    """state of the tasks of the first run, if the algorithm reports it"""
    remaining: float | None
    """further samples, all agents together, that deciding the first run takes; as `samples` of progress"""
    unspent: str
    """why pulls of a fixed budget are left, of the first run that left any"""
    lower_bound_samples: float | None
    """no algorithm needs fewer samples per agent: T* kl(δ, 1 - δ) / V; 0 when unknown"""
    ratio_to_lower_bound: float | None
    """`samples_per_agent` over `lower_bound_samples`; 0 when the bound is unknown, and where more runs than `delta` end undecided"""
    guarantee: str
    """the guarantee of the answers, in a sentence"""
    standing: str
    """"proven", "heuristic" or "none": the type of guarantee"""
    warnings: list[str]
    """conditions that a reader must know"""
    seed: int
    """the random numbers follow from it"""
    detail: Record
    """the result run by run, in a sweep"""
    def what_if(self, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: _Algorithm | None = ..., schedule: _Schedule | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
        """How samples and rounds change with delta, epsilon and the tasks, each changed by itself, beside the"""
        ...
    def sweep(self, rows: _Rows | None = ..., store: str | None = ..., **named: Any) -> Sweep:
        """Runs a result again for every combination of values; evaluates again what depends on them."""
        ...
    def explain(self, task: str | None = ...) -> Explanation:
        """How far each task of a run is: what separates its leader from the next arm, the samples still"""
        ...
    def compare(self, *more: Any) -> Table:
        """Results side by side."""
        ...

class Bounds(Value, _HasPlot):
    """Bounds, as returned by bounds."""
    problem: str
    """name of the problem"""
    tasks: int
    """how many tasks there are, one agent each"""
    arms: int
    """how many arms there are, of all tasks together"""
    delta: float | None
    """δ, the error probability asked for"""
    epsilon: float | None
    """the accuracy asked for, reward units; 0 asks for the best arm"""
    budget: int
    """T, pulls per agent"""
    ridge: float | None
    """ξ, normalised"""
    unit: float | None
    """reward units of one normalised unit: the largest noise scale"""
    norm: float | None
    """bound on ‖θ*‖, normalised"""
    delta_min: float | None
    """smallest gap between best and second, reward units"""
    information_gain: float | None
    """maximum information gain Υ, nats; of very many arms its lower end"""
    information_gain_gap: float | None
    """relative distance of `information_gain` from its upper bound"""
    information_gain_upper: float | None
    """upper end of Υ, for very many arms"""
    effective_dimension: int
    """effective dimension d_eff"""
    rank_task: int
    """rank of K_Z, the kernel matrix of the tasks"""
    rank_arm: int
    """rank of K_{X,λ*}, on the arms that λ* measures"""
    rank_joint: int
    """rank of K_{λ*}, of both"""
    rounding_dimension: int
    """d̃(ξ, λ*_1), by which rounding counts"""
    rho_1: Record
    """value ρ_1 of the design of round 1, all arms of each task; normalised"""
    rho_star: Record
    """hardness ρ*(ξ), normalised"""
    omega: Record
    """ω(ξ) over all pairs of arms, normalised"""
    characteristic_time: float | None
    """T* of the lower bound, all agents together; of very many arms, and where several answers are right, its lower end; 0 when unknown"""
    characteristic_time_upper: float | None
    """upper end of T*, for very many arms"""
    lower_bound_samples: float | None
    """no algorithm needs fewer samples per agent: T* kl(δ, 1 - δ) / V; 0 when unknown"""
    lower_bound_samples_norm: float | None
    """lower bound in samples per agent for algorithms that use the norm that was stated"""
    rounds_fc: int
    """r* of the proof of Theorem 1, rounds"""
    rounds_fb: int
    """R of Alg. 2, rounds"""
    theorem: Record
    """Theorems 1 and 2 as numbers"""
    corollary: Record
    """Corollaries 1 and 2 as numbers"""
    notes: list[str]
    """conditions that do not hold, readings chosen"""

class Plan(Value, _HasPlot):
    """A plan, as returned by plan."""
    problem: str
    """name of the problem"""
    delta: float | None
    """δ, the error probability asked for"""
    epsilon: float | None
    """the accuracy asked for, reward units; 0 asks for the best arm"""
    rows: _DataFrame
    """one row for each method and gap, gap by gap"""
    prices: Record
    """the prices and durations that were given"""
    notes: list[str]
    """what was assumed, and what could not be forecast"""
    columns: Record
    """what the table of the problem calls tasks, arms and rewards"""
    budget: Record
    """instead of `rows`: what a number of measurements buys"""

class WhatIf(Value, _HasPlot):
    """A what_if table, as returned by what_if."""
    problem: str
    """name of the problem"""
    rows: _DataFrame
    """one row for each change; the first is the baseline"""
    prices: Record
    """the prices and durations that were given"""
    notes: list[str]
    """what was assumed or could not be done"""

class Hardness(Value, _HasPlot):
    """Hardness, as returned by hardness."""
    problem: str
    """name of the problem"""
    rows: _DataFrame
    """one row for each task"""

class Spectrum(Value, _HasPlot):
    """A spectrum, as returned by spectrum."""
    problem: str
    """name of the problem"""
    arms: int
    """how many arms there are, of all tasks together"""
    ridge: float | None
    """ξ, normalised units"""
    joint: _DataFrame
    """eigenvalues of K_{λ*}"""
    task: _DataFrame
    """eigenvalues of K_Z, the kernel matrix of the tasks"""
    arm: _DataFrame
    """eigenvalues of K_{X,λ*}, on the arms that λ* measures"""
    effective_dimension: int
    """d_eff at `ridge`"""
    information_gain: float | None
    """lower end of Υ, nats; the eigenvalues belong to an allocation with this gain"""
    information_gain_upper: float | None
    """upper end of Υ, nats"""

class Design(Value, _HasPlot):
    """A design, as returned by design."""
    problem: str
    """name of the problem"""
    ridge: float | None
    """ξ, normalised units"""
    value: float | None
    """largest variance of a contrast under the weights, for one pull, normalised: the objective"""
    lower: float | None
    """no allocation has a smaller `value` than this"""
    iterations: int
    """iterations of the solver"""
    status: str
    """how the solver ended"""
    weights: _DataFrame
    """shares of the pulls above 1e-9"""

class Comparisons(Value, _HasPlot):
    """Comparisons, as returned by paired."""
    names: list[str]
    """swept names besides the algorithm"""
    reference: str
    """the algorithm that the others are set beside"""
    measure: str
    """"samples", "error", "rounds" or "regret\""""
    rows: _DataFrame
    """one row for each combination of values and algorithm"""

class Speedup(Value, _HasPlot):
    """A speedup, as returned by speedup."""
    names: list[str]
    """swept names besides the algorithm"""
    algorithm: str
    """the algorithm of many agents"""
    alone: str
    """the algorithm of one agent"""
    tasks: int
    """V, which is the largest possible speedup"""
    rows: _DataFrame
    """one row for each combination of the swept values"""

class Fit(Value, _HasPlot):
    """A fit, as returned by fit."""
    problem: str
    """name of the problem"""
    goal: str
    """"min" where lower rewards are better"""
    columns: Record
    """what the table of the problem calls tasks, arms and rewards"""
    tasks: int
    """how many tasks there are, one agent each"""
    arms: int
    """arms of all tasks together, to which the kernel is fitted"""
    measurements: float | None
    """measurements of all arms together"""
    replicates: float | None
    """degrees of freedom within arms; 0 where the data have none"""
    start: str
    """the kernel as it was given"""
    expression: str
    """the kernel fitted, without the level"""
    usable: str
    """the kernel fitted, with the level as a term of its own, as problems take it"""
    mean: str
    """what has a level of its own: "problem", "task" or "none\""""
    levels: _DataFrame
    """levels of the rewards, reward units"""
    noise: str
    """where the noise is from, in words"""
    log_likelihood_start: float | None
    """log likelihood of the kernel at the start, nats"""
    log_likelihood: float | None
    """log likelihood of the kernel fitted, nats; with `log_likelihood_lost` a lower bound"""
    inducing_arms: int
    """arms along which the covariance of very many was factored"""
    log_likelihood_lost: float | None
    """how much larger the log likelihood may be than the one stated, nats"""
    gradient_norm: float | None
    """largest derivative by a number on its scale, nats; numbers at a limit are left out"""
    condition: float | None
    """condition number of the covariance of the data"""
    effective_parameters: float | None
    """tr K(K+N)⁻¹: to how many arms' worth the kernel adapts"""
    evaluations: int
    """how often the likelihood was evaluated"""
    parameters: _DataFrame
    """the numbers that were free"""
    cross_validation: Record
    """how well each arm is predicted from the others"""
    misfit: Record
    """test for lack of fit"""
    sharing: Record
    """how alike the tasks are, and what that is worth"""
    warnings: list[str]
    """conditions that a reader must know"""
    def fitted(self) -> JointKernel:
        """The kernel of a fit, with plain numbers and with the level as a term of its own, for with_kernel(p,"""
        ...

class Claims(Value):
    """Claims, as returned by claims."""
    rows: _DataFrame
    """one row for each statement and setting"""

class Explanation(Value):
    """An explanation, as returned by explain."""
    mode: str
    """"fc" (fixed confidence) or "fb" (fixed budget)"""
    algorithm: str
    """name of the algorithm"""
    problem: str
    """name of the problem"""
    status: str
    """how the run ended, as `status` of the result"""
    runs_asked: int
    """runs that were asked for; more than `runs` after an interrupt"""
    goal: str
    """"min" where lower rewards are better"""
    rounds: int
    """communication rounds"""
    samples: float | None
    """samples so far, all agents together"""
    remaining: float | None
    """further samples, all agents together, until all tasks of the run are decided"""
    tasks: _DataFrame
    """one for each task, in the order of the tasks"""

class Problem(Value):
    """A problem, as returned by problem, with_kernel, paper and classic."""
    name: str
    """name of the problem"""
    kernel: str
    """the joint kernel, in the notation of a script"""
    noise: str
    """the noise model"""
    environment: str
    """how simulated rewards are drawn"""
    tasks: _DataFrame
    """the tasks with their arms"""
    sources: _DataFrame
    """files that it was read from"""
    goal: str
    """"min" where lower rewards are better"""
    standardized: _DataFrame
    """feature columns that were scaled to [0, 1], with their ranges in the units of the data"""
    notes: list[str]
    """how the files were read, where that is not plain, and what the kernel is on these points, where it may surprise"""
    def best(self, epsilon: _Number | None = ..., next: int | None = ..., retry: bool | None = ...) -> Answer:
        """The best arm of every task by what was measured, how sure that is, and what to measure next; kernel,"""
        ...
    def with_kernel(self, kernel: JointKernel) -> Problem:
        """The same problem under another kernel, as one that was fitted: what else was stated of the data"""
        ...
    def bounds(self, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
        """The theory as numbers: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound."""
        ...
    def spectrum(self, xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
        """Eigenvalues of the kernels, for the effective dimension."""
        ...
    def hardness(self) -> Hardness:
        """Gap and difficulty of each task."""
        ...
    def design(self, xi: _Number | _Kernel | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
        """The allocation of the first round, with its certificate."""
        ...
    def plan(self, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
        """What each method is expected to need before anything is sampled, by simulation: rounds, samples,"""
        ...
    def what_if(self, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: _Algorithm | None = ..., schedule: _Schedule | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
        """How samples and rounds change with delta, epsilon and the tasks, each changed by itself, beside the"""
        ...
    def fc(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _Algorithm | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ...) -> Result:
        """Fixed confidence: samples until every task's best arm is known."""
        ...
    def fb(self, budget: int | None = ..., algorithm: _AlgorithmOfFb | None = ..., xi: _Number | _Xi | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., kernel_is: _KernelIs | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ...) -> Result:
        """Fixed budget: the best answers from a given number of pulls."""
        ...
    def fit(self, kernel: JointKernel | None = ..., mean: _Mean | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
        """The free numbers of the kernel by maximum marginal likelihood on the mean rewards of a problem, with"""
        ...
    def compare_kernels(self, kernels: _List, mean: _Mean | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ...) -> Table:
        """Fits several kernels to the means of a problem, and sets marginal likelihood, leave-one-out"""
        ...
    def protocol(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _AlgorithmOfProtocol | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: _TimeUnit | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., reward_norm: _Number | None = ..., kernel_is: _KernelIs | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
        """What a campaign of real measurements keeps to, with a forecast of its samples and time, by"""
        ...

class Protocol(Value):
    """A protocol, as returned by protocol."""
    name: str
    """name that the script has bound it to"""
    mode: str
    """"fc" (fixed confidence) or "fb" (fixed budget)"""
    algorithm: str
    """name of the algorithm"""
    plate: int
    """pulls on a plate; without it there are no plates"""
    capacity: int
    """pulls in a unit of time, of all tasks together; without it any number"""
    time_unit: str
    """unit of durations; without it days"""
    lease: float | None
    """after this long, in the unit of time, pulls that were handed out are overdue; without it never"""
    cost: float | None
    """cost of one pull, where it was stated"""
    fresh: bool
    """the measurements of the table of the problem are not attached at the start"""
    failed: float | None
    """share of pulls that the forecast expects to give no result, where it was stated"""
    late: float | None
    """share of results that the forecast expects to come late, where it was stated"""
    delay: int
    """by how many units of time late results are expected to come late at most"""
    seed: int
    """ids and orders follow from it; 0 means a new one at each start"""
    forecast: Record
    """what the campaign is expected to take"""
    def start(self, folder: str) -> Campaign:
        """Makes a campaign in a folder: what is asked, how it is decided and the data are fixed from then on;"""
        ...

class Campaign(Value, _HasPlot):
    """A campaign, as returned by start, resume, amend, fail, correct and close."""
    folder: str
    @classmethod
    def start(cls, folder: str | PathLike[str], protocol: Protocol) -> Campaign:
        """Make a campaign in a folder, or open the one that the folder has of this protocol."""
        ...
    @classmethod
    def resume(cls, folder: str | PathLike[str]) -> Campaign:
        """Open the campaign of a folder."""
        ...
    def ask(
        self, count: int | None = ..., by: str | None = ..., task: str | None = ..., more: bool | None = ..., retry: bool | None = ...
    ) -> _DataFrame:
        """Return what to measure next, one measurement in a row: fill in the column reward, then call tell."""
        ...
    def tell(
        self,
        results: _Table,
        by: str | None = ...,
        sure: bool | None = ...,
        take_good: bool | None = ...,
        extra: bool | None = ...,
        again: bool | None = ...,
        tolerance: _Number | None = ...,
    ) -> Receipt:
        """Record results: a DataFrame of ask with its column reward, all rows or some, or a CSV file."""
        ...
    name: str
    """name of the campaign"""
    problem: str
    """name of the problem"""
    algorithm: str
    """name of the algorithm"""
    goal: str
    """"min" where lower rewards are better"""
    delta: float | None
    """δ, the error probability asked for"""
    epsilon: float | None
    """the accuracy asked for, reward units; 0 asks for the best arm"""
    started: str
    """when it began, RFC 3339"""
    done: bool
    """whether everything is decided"""
    ended: str
    """how it ended"""
    rounds: int
    """rounds that are over"""
    samples: int
    """pulls of these rounds"""
    late: int
    """results that came after their round was over"""
    attached: int
    """measurements that were not asked for"""
    failed: int
    """pulls without a result"""
    corrected: int
    """results that were corrected"""
    open_round: Record
    """the round that is being measured"""
    tasks: _DataFrame
    """how far each task is"""
    best: Record
    """what all measurements but the open round's say; null without any, and of more than 2000 arms"""
    people: _DataFrame
    """who has pulls without results"""
    remaining: float | None
    """further samples, all agents together, until everything is decided; `null` where nothing says"""
    time_left: float | None
    """time that `remaining` takes, in `time_unit`; `null` without a capacity"""
    time_unit: str
    """unit of durations, such as "days\""""
    capacity: int
    """pulls that can be made in a unit of time"""
    forecast: Record
    """what it was expected to take at the start"""
    renewed: Record
    """of the rest, where it was asked for"""
    by_time: _DataFrame
    """what was known at the end of each round"""
    standing: str
    """"proven", "heuristic" or "none\""""
    guarantee: str
    """the guarantee of the answers, in a sentence"""
    assumes: list[str]
    """what the campaign adds to the guarantee's conditions"""
    differs: list[str]
    """decisions that are not those recorded"""
    warnings: list[str]
    """conditions that a reader must know"""
    notes: list[str]
    """what of the data was not used"""
    hash: str
    """hash of the last event"""
    events: int
    """how many events are recorded"""
    def explain(self, task: str | None = ...) -> Explanation:
        """How far each task of a run is: what separates its leader from the next arm, the samples still"""
        ...
    def amend(self, reason: str, epsilon: _Number | None = ..., delta: _Number | None = ..., capacity: int | None = ..., withdraw: str | _List | None = ..., add: str | PathLike[str] | _Table | None = ..., by: str | None = ...) -> Campaign:
        """Changes the protocol while it runs, from the next round on, and shows how far the campaign is."""
        ...
    def fail(self, ids: str | _List, reason: str, by: str | None = ...) -> Campaign:
        """Gives pulls back that were not measured, and shows how far the campaign is; they are handed out"""
        ...
    def correct(self, id: str, value: _Number, reason: str, by: str | None = ...) -> Campaign:
        """Replaces a result that was wrong, and shows how far the campaign is. In a round that is over, what"""
        ...
    def close(self, round: int, reason: str, by: str | None = ...) -> Campaign:
        """Ends an open round with what came, and shows how far the campaign is; a round that is over stays as"""
        ...
    def attach(self, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ...) -> Receipt:
        """Records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that"""
        ...

class Worklist(Value):
    """A worklist, as returned by ask."""
    campaign: str
    """name of the campaign"""
    by: str
    """who asked"""
    round: int
    """number of the round, from 1"""
    until: str
    """when pulls without a result may be handed out again, RFC 3339"""
    again: bool
    """whether it repeats the previous list, whose results are not recorded yet"""
    columns: list[str]
    """names of the features of arms"""
    block_columns: list[str]
    """to be filled in: what is measured together, as the table of the problem has it"""
    rows: _DataFrame
    """one row for each pull"""
    note: str
    """why it is empty"""
    dialect: Record
    """how a file of it is written: as the table that the problem was read from"""
    chain: str
    """the events that the list rests on, see State.`chain`"""

class Receipt(Value):
    """A receipt, as returned by tell and attach."""
    campaign: str
    """name of the campaign"""
    sheet: str
    """name of the sheet"""
    taken: bool
    """whether anything was recorded"""
    counts: Record
    """rows by what became of them: "new", "known", "late", "failed", "waiting", "conflict", "unknown", "bad" or "unlikely\""""
    lines: _DataFrame
    """rows that are not simply new, known or waiting"""
    round: int
    """number of the round, from 1"""
    left: int
    """pulls of the open round without result"""
    round_over: bool
    """whether the round has all its results now"""
    notes: list[str]
    """how the sheet was read, where that is not plain"""
    hash: str
    """hash of the last event"""
    chain: str
    """see State.`chain`"""

def linear(bias: _Number | FreeNumber | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards are linear in the features.

    k(x, y) = bias + Σ_c x_c y_c / lengthscale_c²

    Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, sec. 4.2.2.

    Parameters:
        bias (a number or a free number, default 0):
            Constant added to the scalar product, at least 0 and finite
        lengthscale (a number, a list or a free number, default 1):
            Distance over which values stay alike; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.linear(bias=1)
    """
    ...

def constant(value: _Number | FreeNumber) -> Kernel:
    """The same level everywhere; k + 2 means k + constant(2).

    k(x, y) = value

    Source: Rasmussen and Williams 2006, sec. 4.2.1.

    Parameters:
        value (a number or a free number):
            Variance of the common level, at least 0 and finite

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.constant(2)
    """
    ...

def rbf(lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Smooth rewards: points nearer than a length scale are alike.

    k(x, y) = exp(-½ Σ_c (x_c - y_c)² / lengthscale_c²)

    Source: Rasmussen and Williams 2006, eq. 4.9.

    Parameters:
        lengthscale (a number, a list or a free number, default 1):
            Distance over which values stay alike; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.rbf(lengthscale=0.5)
    """
    ...

def matern(nu: _Number | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that are rougher than under rbf.

    k(x, y) = nu = 0.5: exp(-s); 1.5: (1 + s) exp(-s); 2.5: (1 + s + s²/3) exp(-s);  s² = 2 nu Σ_c (x_c - y_c)² / lengthscale_c²

    Source: Rasmussen and Williams 2006, eq. 4.17.

    Parameters:
        nu (a number, default 2.5):
            Smoothness: 0.5 is rough, 2.5 twice differentiable, 0.5, 1.5 or 2.5
        lengthscale (a number, a list or a free number, default 1):
            Distance over which values stay alike; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.matern(nu=1.5, lengthscale=0.5)
    """
    ...

def rq(lengthscale: _Number | _List | FreeNumber | None = ..., alpha: _Number | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Smooth rewards that vary on many length scales at once.

    k(x, y) = (1 + r²/(2 alpha))^-alpha,  r² = Σ_c (x_c - y_c)² / lengthscale_c²

    Source: Rasmussen and Williams 2006, eq. 4.19.

    Parameters:
        lengthscale (a number, a list or a free number, default 1):
            Distance over which values stay alike; one number, or one per column, greater than 0 and
            finite
        alpha (a number or a free number, default 1):
            How narrow the mixture of length scales is; rbf in the limit of large alpha, greater than 0
            and finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.rq(lengthscale=0.5, alpha=2)
    """
    ...

def polynomial(degree: _Number | None = ..., bias: _Number | FreeNumber | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards are polynomial in the features; a bias > 0 adds the lower degrees.

    k(x, y) = (bias + Σ_c x_c y_c / lengthscale_c²)^degree

    Source: Rasmussen and Williams 2006, sec. 4.2.2.

    Parameters:
        degree (a number, default 2):
            Highest degree of the monomials, whole and at least 1 and finite
        bias (a number or a free number, default 0):
            Constant added to the scalar product, at least 0 and finite
        lengthscale (a number, a list or a free number, default 1):
            Distance over which values stay alike; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.polynomial(degree=3, bias=1)
    """
    ...

def periodic(period: _Number | _List | FreeNumber | None = ..., lengthscale: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that repeat in every column, of any shape within a period.

    k(x, y) = exp(-2 Σ_c sin²(π (x_c - y_c)/period_c) / lengthscale_c²)

    Source: MacKay, Introduction to Gaussian processes, 1998, sec. 4.3; Rasmussen and Williams 2006, eq. 4.31.

    Parameters:
        period (a number, a list or a free number, default 1):
            Distance after which values repeat; one number, or one per column, greater than 0 and finite
        lengthscale (a number, a list or a free number, default 1):
            Distance over which values stay alike; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.periodic(period=2, lengthscale=0.7)
    """
    ...

def cosine(period: _Number | _List | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that are one sine wave per column.

    k(x, y) = Π_c cos(2π (x_c - y_c)/period_c)

    Source: cos(a - b) = cos a cos b + sin a sin b is a scalar product; products by Schur's theorem.

    Parameters:
        period (a number, a list or a free number, default 1):
            Distance after which values repeat; one number, or one per column, greater than 0 and finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.cosine(period=2)
    """
    ...

def category(similarity: _Number | FreeNumber | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Columns that are codes: two values are equal or they are not.

    k(x, y) = Π_c (1 if x_c = y_c, else similarity)

    Source: one column's matrix is similarity·11ᵀ + (1 - similarity)·[x_c = y_c]; products by Schur's theorem.

    Parameters:
        similarity (a number or a free number, default 0):
            How alike two different categories are, at least 0 and less than 1
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.category(similarity=0.3)
    """
    ...

def table(values: _List | str | PathLike[str] | _Table, names: _List | None = ...) -> Kernel:
    """Similarities given as numbers, by the name of the point.

    k(x, y) = values[x, y]

    Source: the intrinsic coregionalisation model: Álvarez, Rosasco and Lawrence, Kernels for vector-valued functions, 2012, sec. 4.2.

    Parameters:
        values (a list or a string; also a DataFrame):
            Similarity of each pair of points, row by row; or the CSV file that holds them, relative to
            the script: a square table of numbers, with or without a header and a first column of names
        names (a list, default in order of appearance):
            The point that each row is for

    Returns:
        Kernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.table([[1, 0.6], [0.6, 1]], names=["oslo", "rome"])
    """
    ...

def identity() -> Kernel:
    """Points share nothing; they are compared by name, not by distance.

    k(x, y) = 1 if x and y are the same point, else 0

    Source: its Gram matrix of distinct points is the identity matrix.

    Returns:
        Kernel

    Example:
        cope.identity()
    """
    ...

def free(value: _Number, min: _Number | None = ..., max: _Number | None = ..., name: str | None = ...) -> FreeNumber:
    """An unknown number, for fit: a parameter of a kernel, a factor or summand of kernels, or by its name
    in a formula; it has its start value until it is fitted.

    Parameters:
        value (a number, at least 0):
            Where the search begins
        min (a number, at least 0, optional):
            Smallest value; a thousandth of the start when not given
        max (a number, at least 0, optional):
            Largest value; a thousand times the start when not given, as far as the parameter allows
        name (a string, optional):
            Free numbers with the same name are one number; the name that it is bound to when not given

    Returns:
        FreeNumber

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.free(0.5, min=0.1, max=10)
    """
    ...

def task(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares tasks by their features z_*.

    Parameters:
        k (a kernel; also a Python function):
            Kernel of two tasks

    Returns:
        JointKernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.task(cope.rbf(lengthscale=0.7))
    """
    ...

def arm(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares arms by their features x_*.

    Parameters:
        k (a kernel; also a Python function):
            Kernel of two arms

    Returns:
        JointKernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.arm(cope.linear())
    """
    ...

def best(p: Problem, epsilon: _Number | None = ..., next: int | None = ..., retry: bool | None = ...) -> Answer:
    """The best arm of every task by what was measured, how sure that is, and what to measure next; kernel,
    level and noise are found from the measurements and averaged over, whatever kernel the problem has.

    Parameters:
        p (a problem):
            The problem
        epsilon (a number, at least 0, default 0):
            An arm this close to the best is good enough, in reward units
        next (a whole number, at least 0 and at most 10000, default 0):
            How many further measurements to propose, of all tasks together
        retry (True or False, default False):
            True: take and propose options, too, of which all measurements failed

    Returns:
        Answer

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.best(cope.problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)
    """
    ...

def problem(path: str | PathLike[str] | _Table | None = ..., kernel: JointKernel | _Kernel | None = ..., noise: _Number | _Noise | None = ..., rewards: str | PathLike[str] | _Table | None = ..., block: str | None = ..., name: str | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: _Environment | None = ..., strength: _Number | None = ..., goal: _Goal | None = ..., standardize: bool | None = ..., unmeasured: _Unmeasured | None = ..., data: str | PathLike[str] | _Table | None = ..., task: str | _List | _Label | None = ..., arm: str | _List | _Label | None = ..., reward: str | _Label | None = ..., sd: str | _Label | None = ..., count: str | _Label | None = ..., successes: str | _Label | None = ..., trials: str | _Label | None = ..., blocks: str | _List | _Label | None = ..., log: str | _List | _Label | None = ..., where: str | None = ..., failed: str | None = ..., task_features: str | _List | _Label | None = ..., arm_features: str | _List | _Label | None = ..., text: str | _List | _Label | None = ...) -> Problem:
    """Reads tasks and arms from a CSV file: task,arm,x_*,z_*,mean,sd,reps; or, with data=, from a table
    with a row for every measurement and any names of columns; see docs/reference/data-format.md.

    Parameters:
        path (a string, optional; also a DataFrame):
            The file, relative to the script
        kernel (a joint kernel or "auto", default "auto"):
            Similarity of arms of tasks; "auto" finds one from the measurements of the table
        noise (a number, "sd", "task", "unknown", "unknown task" or "unknown arm", greater than 0, optional):
            Noise scale of rewards: estimated from the data when not given; else a number, "sd" (the
            column), "task" (pooled per task), "unknown" (one for all), "unknown task" or "unknown arm"
            (one for each)
        rewards (a string, optional; also a DataFrame):
            File of measured rewards task,arm,rep,reward to draw from
        block (a string, optional):
            Column of rewards= that says what was measured side by side, such as a day or a plate:
            CoTestFC and CoBayesFC then measure the open arms of a task in the same blocks and compare
            within blocks
        name (a string, optional):
            Name in reports; the file's name when not given
        noise_guess (a number, greater than 0, optional):
            With unknown noise, the guess by which the first round is planned; no guarantee depends on
            it; 1 when not given
        bounded (a list, optional):
            In place of noise, the two numbers between which every reward lies, whatever its law
        environment ("gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch" or "autocorrelated", optional):
            How simulated rewards are drawn: gaussian; with data= posterior, with rewards= resampled,
            with bounded= bernoulli; see docs/explanation/robustness.md for those that break the
            guarantee's conditions
        strength (a number, greater than 0, optional):
            How far the environment departs from normal noise (student: degrees of freedom, outliers:
            share of outliers, drift: drift per round over noise, batch: error of a round over noise,
            autocorrelated: correlation of neighbours)
        goal ("max" or "min", default "max"):
            Whether the best arm has the highest expected reward or the lowest; all that is shown has
            the sign and the units of the data
        standardize (True or False, default False):
            True (or 1): scale every feature column of numbers to the range 0 to 1, so that length
            scales are shares of its range; otherwise they are in the units of the data
        unmeasured ("keep" or "drop", default "keep"):
            Arms that have no mean yet: kept, which fit, bounds and runs that draw expected rewards
            allow for, or left out
        data (a string, optional; also a DataFrame):
            In place of path, a table with a row for every measurement; task, arm and reward say what
            its columns mean, and others are ignored; with arm and reward the first argument is such a
            table, too
        task (a string or a list, optional):
            With data, the column that names the task, or a list of columns whose combinations are the
            tasks; one task for all rows when not given
        arm (a string or a list, optional):
            With data, the column or columns whose distinct values are the arms, and their features
        reward (a string, optional):
            With data, the column of measurements, or of their means with sd= and count=
        sd (a string, optional):
            With data whose rows are means, the column of their standard deviations: of one measurement,
            not of the mean; a noise scale for all is noise=
        count (a string, optional):
            With data whose rows are means, the column that counts the measurements behind each; 1 each
            when not given
        successes (a string, optional):
            With data, in place of reward: the column of how many of trials were 1, the others being 0
        trials (a string, optional):
            With successes, the column of how many there were
        blocks (a string or a list, optional):
            With data, the column or columns that say what was measured together, such as a day or a
            plate; best takes its effect out
        log (a string or a list, optional):
            With data, columns of arms whose decimal logarithm is the feature
        where (a string, optional):
            With data, the rows to take: a condition on columns, such as "site == 'Gent' and dose > 2";
            a name with blanks is col('Temp °C')
        failed (a string, optional):
            With data, a condition on rows where a measurement was tried and gave no value, such as
            "status != 'ok'"; in the column reward, texts without digits, NaN and inf count as failed
            too, and <0.05 and >9 as limits
        task_features (a string or a list, optional):
            With data, the column or columns of features that tasks have
        arm_features (a string or a list, optional):
            With data, the features of arms; the columns of arm when not given
        text (a string or a list, optional):
            The column or columns whose values are names although they look like numbers, such as
            versions: 12.1 and 12.10 are then two, and only an empty cell is no value (NA is a name)

    Returns:
        Problem

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.problem("data/cn_coupling.csv", kernel=cope.task(cope.identity()) * cope.arm(1000 + 50*cope.linear()), noise="task")
    """
    ...

def with_kernel(p: Problem, kernel: JointKernel) -> Problem:
    """The same problem under another kernel, as one that was fitted: what else was stated of the data
    stays.

    Parameters:
        p (a problem):
            The problem
        kernel (a joint kernel):
            Similarity of arms of tasks

    Returns:
        Problem

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.with_kernel(cope.paper(case=2), cope.task(cope.rbf(0.7)) * cope.arm(cope.linear()))
    """
    ...

def paper(case: int | None = ..., gap: _Number | None = ..., lengthscale: _Number | _Lengthscale | None = ..., noise: _Number | _NoiseOfPaper | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: _Environment | None = ..., strength: _Number | None = ...) -> Problem:
    """An instance of [Du23, App. A]: 5 tasks, 6 arms each; one of the three cases, or one between them.

    Parameters:
        case (a whole number, at least 1 and at most 3, optional):
            1: all tasks alike, 2: two groups, 3: all different
        gap (a number, greater than 0, default 0.1):
            Reward gap
        lengthscale (a number or "inf", at least 0, optional):
            Instead of case: the rewards of case 1 in five tasks that are alike as rbf(lengthscale)
            says, from 0 (as case 3) to 1e9 or "inf" (as case 1)
        noise (a number, "unknown", "unknown task" or "unknown arm", greater than 0, optional):
            Noise scale of rewards: a number (1 when not given), "unknown" (one for all), "unknown task"
            or "unknown arm" (one for each)
        noise_guess (a number, greater than 0, optional):
            With unknown noise, the guess by which the first round is planned; no guarantee depends on
            it; 1 when not given
        bounded (a list, optional):
            In place of noise, the two numbers between which every reward lies, whatever its law
        environment ("gaussian", "bernoulli", "resampled", "posterior", "student", "outliers", "drift", "batch" or "autocorrelated", optional):
            How simulated rewards are drawn: gaussian; with data= posterior, with rewards= resampled,
            with bounded= bernoulli; see docs/explanation/robustness.md for those that break the
            guarantee's conditions
        strength (a number, greater than 0, optional):
            How far the environment departs from normal noise (student: degrees of freedom, outliers:
            share of outliers, drift: drift per round over noise, batch: error of a round over noise,
            autocorrelated: correlation of neighbours)

    Returns:
        Problem

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.paper(case=2, gap=0.1)
    """
    ...

def classic(means: _List, agents: int | None = ..., goal: _Goal | None = ...) -> Problem:
    """Collaborative best-arm identification without features: every agent has the same arms, unit noise.

    Parameters:
        means (a list):
            Expected reward of each arm
        agents (a whole number, at least 1 and at most 1000, default 5):
            How many agents there are
        goal ("max" or "min", default "max"):
            Whether the best arm has the highest expected reward or the lowest; all that is shown has
            the sign and the units of the data

    Returns:
        Problem

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.classic(means=[0.9, 0.5, 0.1], agents=5)
    """
    ...

def bounds(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
    """The theory as numbers: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, optional):
            An arm this close to the best is good enough, in reward units
        budget (a whole number, at least 1 and at most 1e12, optional):
            Pulls per agent: on average over the agents, and no more of any agent by CoBayesFB with its
            posterior or in a campaign
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the
            largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC
            takes few samples with it under a smooth kernel; others take the norm of the known means
            when it is not given
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, reward units; from the known means when not given
        unit (a number, greater than 0, optional):
            Reward units of one normalised unit; the largest noise when not given
        reward_norm (a number, greater than 0, optional):
            The bound that `norm` is, in reward units: of the expected rewards as they are; not beside
            `norm`

    Returns:
        Bounds

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.bounds(cope.paper(case=2))
    """
    ...

def spectrum(p: Problem, xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
    """Eigenvalues of the kernels, for the effective dimension.

    Parameters:
        p (a problem):
            The problem
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the
            largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC
            takes few samples with it under a smooth kernel; others take the norm of the known means
            when it is not given
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, reward units; from the known means when not given

    Returns:
        Spectrum

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.spectrum(cope.paper(case=2))
    """
    ...

def hardness(p: Problem) -> Hardness:
    """Gap and difficulty of each task.

    Parameters:
        p (a problem):
            The problem

    Returns:
        Hardness

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.hardness(cope.paper(case=2))
    """
    ...

def design(p: Problem, xi: _Number | _Kernel | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
    """The allocation of the first round, with its certificate.

    Parameters:
        p (a problem):
            The problem
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow
        tol (a number, at least 1e-12 and at most 0.5, default 1e-4):
            Relative gap between value and lower bound
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the
            largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC
            takes few samples with it under a smooth kernel; others take the norm of the known means
            when it is not given
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, reward units; from the known means when not given

    Returns:
        Design

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.design(cope.paper(case=2))
    """
    ...

def plan(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
    """What each method is expected to need before anything is sampled, by simulation: rounds, samples,
    bytes, and with prices also cost and calendar time; with total= what so many measurements buy:
    expected loss along measurements, money or time.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, optional):
            An arm this close to the best is good enough, in reward units
        gaps (a number or a list, greater than 0, optional):
            Smallest lead of the best arm to plan for, reward units, in place of the known means: a
            number, or a list of several to compare
        runs (a whole number, at least 1 and at most 10000, default 20):
            Simulated runs of each method and gap; when not given, fewer of more than 200 arms, down to
            4
        seed (a whole number, at least 0, default 1):
            The simulated rewards follow from it
        cost (a number, at least 0, optional):
            Cost of one sample
        cost_round (a number, at least 0, optional):
            Cost of a round for each agent that samples in it
        parallel (a whole number, at least 1, optional):
            Samples that an agent can make at once, in one batch; all of a round when not given
        capacity (a whole number, at least 1, optional):
            Samples that all agents together can make in one batch, as with one robot; in place of
            parallel
        sample_time (a number, at least 0, optional):
            Duration of a batch
        round_time (a number, at least 0, optional):
            Duration between rounds, for analysis and communication
        time_unit (a string, optional):
            Unit of these durations, such as "days"
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the
            largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC
            takes few samples with it under a smooth kernel; others take the norm of the known means
            when it is not given
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, reward units; from the known means when not given; for
            CoKernelFC
        unit (a number, greater than 0, optional):
            Reward units of one normalised unit; the largest noise when not given
        total (a whole number, at least 1 and at most 1000000, optional):
            Further measurements of all tasks together: the plan is then the curve of expected loss up
            to them, from what was measured, or simulated where nothing was

    Returns:
        Plan

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.plan(cope.paper(case=2), gaps=[0.1, 0.3], cost=12, parallel=24, sample_time=1, round_time=2, time_unit="days")
    """
    ...

def what_if(p: Problem | Result, delta: _Number | _List | None = ..., epsilon: _Number | _List | None = ..., tasks: int | str | _List | None = ..., gaps: _Number | None = ..., algorithm: _Algorithm | None = ..., schedule: _Schedule | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ...) -> WhatIf:
    """How samples and rounds change with delta, epsilon and the tasks, each changed by itself, beside the
    unchanged run.

    Parameters:
        p (a problem or a result):
            The problem, or the name of a result of fc, whose call is then the unchanged run
        delta (a number or a list, greater than 0 and less than 1, optional):
            Error probabilities to try
        epsilon (a number or a list, at least 0, optional):
            Accuracies to try, reward units
        tasks (a whole number, a string or a list, at least 1, optional):
            Tasks to keep: names, or how many of the first; a list of these for several alternatives
        gaps (a number, greater than 0, optional):
            Smallest lead of the best arm to plan for, reward units, in place of the known means
        algorithm ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoTestFC"):
            Which algorithm runs
        schedule ("tuned" or "paper", default "tuned"):
            Pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC,
            IndTestFC, IndUniformFC, CoBayesFC or Oracle
        runs (a whole number, at least 1 and at most 10000, default 20):
            Simulated runs of each method and gap; when not given, fewer of more than 200 arms, down to
            4
        seed (a whole number, at least 0, default 1):
            The simulated rewards follow from it
        cost (a number, at least 0, optional):
            Cost of one sample
        cost_round (a number, at least 0, optional):
            Cost of a round for each agent that samples in it
        parallel (a whole number, at least 1, optional):
            Samples that an agent can make at once, in one batch; all of a round when not given
        capacity (a whole number, at least 1, optional):
            Samples that all agents together can make in one batch, as with one robot; in place of
            parallel
        sample_time (a number, at least 0, optional):
            Duration of a batch
        round_time (a number, at least 0, optional):
            Duration between rounds, for analysis and communication
        time_unit (a string, optional):
            Unit of these durations, such as "days"

    Returns:
        WhatIf

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.what_if(cope.paper(case=2), delta=[0.01, 0.1], tasks=[3, ["task 1", "task 3"]])
    """
    ...

def fc(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _Algorithm | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ...) -> Result:
    """Fixed confidence: samples until every task's best arm is known.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, default 0):
            An arm this close to the best is good enough, in reward units
        algorithm ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoTestFC"):
            Which algorithm runs
        schedule ("tuned" or "paper", default "tuned"):
            Pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC,
            IndTestFC, IndUniformFC, CoBayesFC or Oracle
        law ("normal", "subgaussian" or "symmetric", optional):
            Law of the noise, for tests that depend on it: normal, or any law whose tails are no heavier
            (takes more samples), or of arms side by side any for which their differences are symmetric,
            as where all have one law; when not given, normal, and for bounded rewards any law within
            the bounds: CoTestFC bets on them, others take them as subgaussian; for CoTestFC, IndTestFC
            and IndUniformFC
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC,
            CoKernelFC-IndAlloc and IndKernelFC
        level (a number or "unknown", default "unknown"):
            Of methods that go by a posterior: what rewards are near before any data, reward units, one
            number for all tasks and arms; "unknown" gives it a flat prior; for CoBayesFC
        scale (a number or "fit", greater than 0, default "fit"):
            Of methods that go by a posterior: factor on the kernel, which is in squared reward units;
            "fit" fits it to the data of the run after each round, and with it a part g*identity() for
            what the kernel cannot represent; for CoBayesFC
        runs (a whole number, at least 1 and at most 100000, default 1):
            Independent runs
        seed (a whole number, at least 0, default 1):
            The random rewards follow from it; the same seed gives the same numbers
        max_rounds (a whole number, at least 1, optional):
            Stop after this many rounds; 30 when not given
        max_samples (a whole number, at least 1, optional):
            Stop before more samples than this, all agents together
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the
            largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC
            takes few samples with it under a smooth kernel; others take the norm of the known means
            when it is not given; not for IndUniformFC or CoBayesFC
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, reward units; from the known means when not given; for
            CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC
        unit (a number, greater than 0, optional):
            Reward units of one normalised unit; the largest noise when not given
        misfit (a number, at least 0, default 0):
            How far any expected reward may be from what the kernel can represent, reward units; for
            CoTestFC and IndTestFC
        robust (True or False, default False):
            True (or 1): estimate misfit from the data of the run and allow for it; for CoTestFC and
            IndTestFC
        rewards (a reward function, optional; also a Python function):
            A Go func that draws rewards, bound by session.Put in a Go cell, or a function f(task, arm,
            count) of Python that returns their mean, in place of the problem's own
        reward_norm (a number, greater than 0, optional):
            The bound that `norm` is, in reward units: of the expected rewards as they are; not beside
            `norm`

    Returns:
        Result

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.fc(cope.paper(case=2), delta=0.05, runs=10)
    """
    ...

def fb(p: Problem, budget: int | None = ..., algorithm: _AlgorithmOfFb | None = ..., xi: _Number | _Xi | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., kernel_is: _KernelIs | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ...) -> Result:
    """Fixed budget: the best answers from a given number of pulls.

    Parameters:
        p (a problem):
            The problem
        budget (a whole number, at least 1 and at most 1e12, optional):
            Pulls per agent: on average over the agents, and no more of any agent by CoBayesFB with its
            posterior or in a campaign
        algorithm ("CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "BestElsewhere" or "Oracle", default "CoBayesFB"):
            Which algorithm runs
        xi (a number, "auto" or "gp", at least 0, optional):
            Regularisation ξ: a number; "auto", the largest that the theorems allow, which for CoBayesFB
            is least squares; or "gp", the posterior of a Gaussian process that has the kernel for its
            prior; when not given, "gp" for CoBayesFB and "auto" for others; not for IndPeaceFB,
            IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere
        level (a number or "unknown", default "unknown"):
            Of methods that go by a posterior: what rewards are near before any data, reward units, one
            number for all tasks and arms; "unknown" gives it a flat prior; not for IndPeaceFB,
            IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS or BestElsewhere
        scale (a number or "fit", greater than 0, default "fit"):
            Of methods that go by a posterior: factor on the kernel, which is in squared reward units;
            "fit" fits it to the data of the run after each round, and with it a part g*identity() for
            what the kernel cannot represent; not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled,
            IndUniformFB-LS or BestElsewhere
        kernel_is ("fixed", "member" or "auto", optional):
            How far a posterior believes the kernel: "fixed", it is the prior but for its scale;
            "member", one term of a prior whose other terms are learned in the run; "auto", nothing is
            stated and all is learned in the run; when not given, "auto" where the problem has
            kernel="auto", and "fixed" where a kernel is stated; for CoBayesFB
        runs (a whole number, at least 1 and at most 100000, default 1):
            Independent runs
        seed (a whole number, at least 0, default 1):
            The random rewards follow from it; the same seed gives the same numbers
        delta (a number, greater than 0 and less than 1, default 0.05):
            Level at which an answer counts as supported
        epsilon (a number, at least 0, default 0):
            An arm this close to the best is good enough, in reward units
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the
            largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC
            takes few samples with it under a smooth kernel; others take the norm of the known means
            when it is not given; not for IndUniformFB or BestElsewhere
        unit (a number, greater than 0, optional):
            Reward units of one normalised unit; the largest noise when not given
        rewards (a reward function, optional; also a Python function):
            A Go func that draws rewards, bound by session.Put in a Go cell, or a function f(task, arm,
            count) of Python that returns their mean, in place of the problem's own
        reward_norm (a number, greater than 0, optional):
            The bound that `norm` is, in reward units: of the expected rewards as they are; not beside
            `norm`
        total (a whole number, at least 1 and at most 1e12, optional):
            Pulls of all agents together, in place of budget: they go to the tasks that need them most;
            for CoBayesFB
        rounds (a whole number, at least 1, optional):
            Rounds in which a budget is spent; up to 6 when not given; for CoBayesFB

    Returns:
        Result

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.fb(cope.paper(case=2), budget=7000, runs=10)
    """
    ...

def sweep(r: Result, rows: _Rows | None = ..., store: str | None = ..., **named: Any) -> Sweep:
    """Runs a result again for every combination of values; evaluates again what depends on them.

    Parameters:
        r (a result):
            The name of a result of fc or fb
        rows ("cell" or "run", default "cell"):
            What a row of the table is: a combination of the values, or a single run of one
        store (a string, optional):
            A file, .jsonl, that keeps the finished combinations: what it has is not run again
        **named: a name that r depends on, or an argument of a call that it depends on, with the list of
        values to try

    Returns:
        Sweep

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.sweep(r, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndKernelFC"])
    """
    ...

def fit(p: Problem, kernel: JointKernel | None = ..., mean: _Mean | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
    """The free numbers of the kernel by maximum marginal likelihood on the mean rewards of a problem, with
    intervals, a test for lack of fit, cross-validation, and what sharing between tasks is worth; a
    kernel without free numbers is tested as it is.

    Parameters:
        p (a problem):
            The problem
        kernel (a joint kernel, optional):
            The kernel to fit; the problem's own when not given
        mean ("problem", "task" or "none", default "problem"):
            A constant level that the kernel need not explain: of the problem, of each task, or none
        noise (a number or a free number, greater than 0, optional):
            Standard deviation of one reward: a number, or a free one; the problem's own when not given
        starts (a whole number, at least 1 and at most 17, default 4):
            How many searches
        measure (a whole number, at least 0 and at most 1000, default 0):
            How many simulated runs measure what sharing between tasks is worth: CoTestFC under the
            fitted kernel against IndTestFC, with the data's means for expected rewards

    Returns:
        Fit

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.fit(cope.problem("pilot.csv", kernel=cope.task(cope.rbf(cope.free(1))) * cope.arm(cope.free(1)*cope.rbf(cope.free(1)))))
    """
    ...

def fitted(f: Fit) -> JointKernel:
    """The kernel of a fit, with plain numbers and with the level as a term of its own, for with_kernel(p,
    fitted(f)).

    Parameters:
        f (a fit):
            The fit

    Returns:
        JointKernel

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.fitted(f)
    """
    ...

def compare_kernels(p: Problem, kernels: _List, mean: _Mean | None = ..., noise: _Number | FreeNumber | None = ..., starts: int | None = ...) -> Table:
    """Fits several kernels to the means of a problem, and sets marginal likelihood, leave-one-out
    prediction and the test for lack of fit side by side.

    Parameters:
        p (a problem):
            The problem
        kernels (a list):
            A list of kernels, which the table calls by their bound names
        mean ("problem", "task" or "none", default "problem"):
            A constant level that the kernel need not explain: of the problem, of each task, or none
        noise (a number or a free number, greater than 0, optional):
            Standard deviation of one reward: a number, or a free one; the problem's own when not given
        starts (a whole number, at least 1 and at most 17, default 4):
            How many searches

    Returns:
        Table

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.compare_kernels(cope.paper(case=2), [cope.task(cope.identity()) * cope.arm(cope.linear()), cope.arm(cope.linear())])
    """
    ...

def paired(s: Sweep, reference: _Reference, y: _Y | None = ...) -> Comparisons:
    """Every algorithm of a sweep beside a reference: difference and ratio with 95 % intervals, run by run
    where seeds are shared.

    Parameters:
        s (a sweep):
            A sweep over algorithm, and over other names if you like
        reference ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB" or "BestElsewhere"):
            The algorithm that the others are compared with
        y ("samples", "error", "rounds" or "regret", default "samples"):
            What is compared

    Returns:
        Comparisons

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.paired(s, reference="IndKernelFC")
    """
    ...

def speedup(s: Sweep, algorithm: _Algorithm | None = ..., alone: _Algorithm | None = ...) -> Speedup:
    """The speedup β of [Du23, eq. (4)], measured, beside V and what the rank of the task kernel predicts.

    Parameters:
        s (a sweep):
            A sweep over algorithm, and over other names if you like
        algorithm ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "CoKernelFC"):
            The algorithm of agents that share
        alone ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC" or "Oracle", default "IndRAGE"):
            The algorithm of agents that share nothing

    Returns:
        Speedup

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.speedup(s, algorithm="CoKernelFC", alone="IndKernelFC")
    """
    ...

def claims(fc: Sweep, fb: Sweep | None = ...) -> Claims:
    """What the paper says of its experiments, each statement beside what was measured, with a verdict.

    Parameters:
        fc (a sweep):
            A sweep of fc over case, gap and algorithm
        fb (a sweep, optional):
            A sweep of fb over case, budget and algorithm

    Returns:
        Claims

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.claims(cope.sweep(r, case=[1, 2, 3], gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndRAGE", "IndRAGE/V"]))
    """
    ...

def explain(r: Result | Campaign | str, task: str | None = ...) -> Explanation:
    """How far each task of a run is: what separates its leader from the next arm, the samples still
    needed, and what decided the other arms. Of several runs it explains the first; the run may have
    been interrupted or stopped by a limit.

    Parameters:
        r (a result, a campaign or a string):
            A result of fc or fb, or a campaign or its folder
        task (a string, optional):
            The task to explain; all when not given

    Returns:
        Explanation

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.explain(cope.fc(cope.paper(case=2), algorithm="CoTestFC", max_rounds=4))
    """
    ...

def protocol(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _AlgorithmOfProtocol | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: _TimeUnit | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., robust: bool | None = ..., reward_norm: _Number | None = ..., kernel_is: _KernelIs | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
    """What a campaign of real measurements keeps to, with a forecast of its samples and time, by
    simulation; start makes the campaign. The expected rewards of the table, if it has any, serve the
    forecast alone.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, default 0):
            An arm this close to the best is good enough, in reward units
        algorithm ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoSuccessiveElimination", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB" or "BestElsewhere", default "CoTestFC"):
            Which algorithm runs; with a budget and when not given, CoBayesFB
        budget (a whole number, at least 1 and at most 1e12, optional):
            Pulls of each task, and no more of any
        total (a whole number, at least 1 and at most 1e12, optional):
            Pulls of all agents together, in place of budget: they go to the tasks that need them most
        rounds (a whole number, at least 1, optional):
            Rounds in which a budget is spent; up to 6 when not given, and no more than whole plates
            fill; with a plate or a capacity and without a budget, each round is one
        plate (a whole number, at least 1, optional):
            Pulls on a plate: each plate is a balanced sample of its round, in random order, so that
            what is common to a plate cancels
        block (a string, optional):
            What the arms of a task are measured in together, such as "day": lists then have whole
            blocks, and CoTestFC and CoBayesFC compare within them; when not given, as the problem says
        block_size (a whole number, at least 1, optional):
            Arms of a task in a block; all that are open when not given
        control (a string, optional):
            With block, the arm that is in every block of its task
        capacity (a whole number, at least 1, optional):
            Pulls that the laboratory makes in a unit of time, of all tasks together; methods that go by
            a posterior cut their rounds to it
        time_unit ("minutes", "hours", "days" or "weeks", default "days"):
            Unit of capacity and lease
        lease (a number, greater than 0, optional):
            Units of time after which pulls that were handed out and not told are handed out again,
            under new ids
        failed (a number, at least 0 and less than 1, optional):
            Share of pulls that give no result, for the forecast; with a capacity and when not given, up
            to 0.2
        late (a number, at least 0 and less than 1, optional):
            Share of results that come late, for the forecast; with a capacity and when not given, up to
            0.3
        delay (a whole number, at least 1, optional):
            The most units of time that late results are late, for the forecast; 5 when not given
        attach (True or False, optional):
            Whether the campaign begins with the measurements of the table; false: they find the kernel
            and serve the forecast alone
        cost (a number, at least 0, optional):
            Of one pull, for the forecast
        schedule ("tuned" or "paper", default "tuned"):
            Pulls per round: small constants, or the constants of [Du23, Alg. 1]; not for CoTestFC,
            IndTestFC, IndUniformFC, CoBayesFC or Oracle
        law ("normal", "subgaussian" or "symmetric", optional):
            Law of the noise, for tests that depend on it: normal, or any law whose tails are no heavier
            (takes more samples), or of arms side by side any for which their differences are symmetric,
            as where all have one law; when not given, normal, and for bounded rewards any law within
            the bounds: CoTestFC bets on them, others take them as subgaussian; for CoTestFC, IndTestFC
            and IndUniformFC
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC,
            CoKernelFC-IndAlloc and IndKernelFC
        level (a number or "unknown", default "unknown"):
            Of methods that go by a posterior: what rewards are near before any data, reward units, one
            number for all tasks and arms; "unknown" gives it a flat prior; for CoBayesFC
        scale (a number or "fit", greater than 0, default "fit"):
            Of methods that go by a posterior: factor on the kernel, which is in squared reward units;
            "fit" fits it to the data of the run after each round, and with it a part g*identity() for
            what the kernel cannot represent; for CoBayesFC
        max_rounds (a whole number, at least 1, optional):
            Stop after this many rounds; 30 when not given
        max_samples (a whole number, at least 1, optional):
            Stop before more samples than this, all agents together
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of rewards over `unit` in the kernel's space, so in units of the
            largest noise unless `unit` is given (`reward_norm` takes it in reward units); CoTestFC
            takes few samples with it under a smooth kernel; others take the norm of the known means
            when it is not given; not for IndUniformFC or CoBayesFC
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, reward units; from the known means when not given; for
            CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC
        unit (a number, greater than 0, optional):
            Reward units of one normalised unit; the largest noise when not given
        misfit (a number, at least 0, default 0):
            How far any expected reward may be from what the kernel can represent, reward units; for
            CoTestFC and IndTestFC
        robust (True or False, default False):
            True (or 1): estimate misfit from the data of the run and allow for it; for CoTestFC and
            IndTestFC
        reward_norm (a number, greater than 0, optional):
            The bound that `norm` is, in reward units: of the expected rewards as they are; not beside
            `norm`
        kernel_is ("fixed", "member" or "auto", optional):
            How far a posterior believes the kernel: "fixed", it is the prior but for its scale;
            "member", one term of a prior whose other terms are learned in the run; "auto", nothing is
            stated and all is learned in the run; when not given, "auto" where the problem has
            kernel="auto", and "fixed" where a kernel is stated
        gaps (a number, greater than 0, optional):
            Lead of the best arm that the forecast is simulated with, reward units; when not given, the
            known means, or rewards drawn from the kernel as prior
        runs (a whole number, at least 0 and at most 1000, default 20):
            Simulated runs of the forecast of each algorithm; when not given, fewer of more than 200
            arms, down to 4; 0 makes none
        seed (a whole number, at least 0, optional):
            Of ids and of the order of lists; each start takes another one when not given

    Returns:
        Protocol

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.protocol(cope.paper(case=2), delta=0.1, plate=24, capacity=24, time_unit="days", runs=0)
    """
    ...

def start(protocol: Protocol, folder: str) -> Campaign:
    """Makes a campaign in a folder: what is asked, how it is decided and the data are fixed from then on;
    a folder that has this campaign already is opened, so that the cell can be run again.

    Parameters:
        protocol (a protocol):
            The name of a protocol
        folder (a string):
            The folder, relative to the script; it must not exist, or be empty

    Returns:
        Campaign

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.start(cope.protocol(cope.paper(case=2), runs=0), "days")
    """
    ...

def resume(folder: str | Campaign) -> Campaign:
    """Opens a campaign, and shows how far it is.

    Parameters:
        folder (a string or a campaign):
            Its folder, relative to the script; or a campaign, which may be an earlier state of it

    Returns:
        Campaign

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.resume("days")
    """
    ...

def ask(c: Campaign | str, by: str | None = ..., count: int | None = ..., task: str | None = ..., more: bool | None = ..., decimals: _Decimals | None = ..., retry: bool | None = ...) -> Worklist:
    """What to measure next: the list that the asker has and has not told, else further pulls of the open
    round.

    Parameters:
        c (a campaign or a string):
            A campaign, or its folder, relative to the script
        by (a string, optional):
            Who asks or tells: the same person has one open list at a time
        count (a whole number, at least 1, optional):
            How many; the capacity, a plate or the round when not given
        task (a string, optional):
            Only pulls of this task
        more (True or False, default False):
            True: further pulls, though the list of before is not told yet
        decimals ("comma" or "point", optional):
            Of a file of the list: comma, with semicolons between columns, or point; as in the table of
            the problem when not given
        retry (True or False, default False):
            True: also pulls of arms whose every try failed

    Returns:
        Worklist

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.ask("days", by="Ann", count=24)
    """
    ...

def tell(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ..., extra: bool | None = ...) -> Receipt:
    """Records results from a CSV file: id,reward; or task,arm,reward; or task,arm,count,mean,sd. Rows
    without a reward are not measured yet, a text without digits in its place says that the measurement
    failed, and rows told before are known: the same growing sheet can be told every day.

    Parameters:
        c (a campaign or a string):
            A campaign, or its folder, relative to the script
        file (a string; also a DataFrame):
            The file, relative to the script
        by (a string, optional):
            Who asks or tells: the same person has one open list at a time
        sure (True or False, default False):
            True: rewards that look like slips are right
        take_good (True or False, default False):
            True: take the good rows of a file in which others are wrong
        again (True or False, default False):
            True: rows with the values of recorded results are further measurements, and no copies
        tolerance (a string or a list, optional):
            How far what was set may be from the arm that was planned, in rows that name arms by
            columns: "temp=0.5", or a list of these
        extra (True or False, default False):
            True: rows without ids beyond the open pulls are extra measurements

    Returns:
        Receipt

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.tell("days", "results.csv", by="Ann")
    """
    ...

def amend(c: Campaign | str, reason: str, epsilon: _Number | None = ..., delta: _Number | None = ..., capacity: int | None = ..., withdraw: str | _List | None = ..., add: str | PathLike[str] | _Table | None = ..., by: str | None = ...) -> Campaign:
    """Changes the protocol while it runs, from the next round on, and shows how far the campaign is.
    epsilon may be changed at any time; of delta the report states the largest that was in force; arms
    that are withdrawn or added cost a little of the guarantee, which the report states. The same change
    for the same reason is made once.

    Parameters:
        c (a campaign or a string):
            A campaign, or its folder, relative to the script
        reason (a string):
            The reason, which the report shows
        epsilon (a number, at least 0, optional):
            An arm this close to the best is good enough from now on, reward units
        delta (a number, greater than 0 and less than 1, optional):
            Error probability from now on
        capacity (a whole number, at least 0, optional):
            Pulls that the laboratory makes in a unit of time from now on; 0 for any number
        withdraw (a string or a list, optional):
            Arms that cannot be measured any more: "task/arm", or a list of these
        add (a string, optional; also a DataFrame):
            A CSV file with columns of the table of the problem, relative to the script: its arms and
            tasks come in
        by (a string, optional):
            Who asks or tells: the same person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.amend("days", epsilon=2, reason="a yield this close is good enough for the plant")
    """
    ...

def fail(c: Campaign | str, ids: str | _List, reason: str, by: str | None = ...) -> Campaign:
    """Gives pulls back that were not measured, and shows how far the campaign is; they are handed out
    again. A reaction or run that fails is a result, the worst that it can have (a yield of 0; with
    goal="min" the largest loss), and not a failed pull: only pulls that were not measured for reasons
    that have nothing to do with their reward may be given back.

    Parameters:
        c (a campaign or a string):
            A campaign, or its folder, relative to the script
        ids (a string or a list):
            The id of a pull, or a list of ids
        reason (a string):
            The reason, which the report shows
        by (a string, optional):
            Who asks or tells: the same person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.fail("days", ["K7M2PQ"], reason="the vial broke")
    """
    ...

def correct(c: Campaign | str, id: str, value: _Number, reason: str, by: str | None = ...) -> Campaign:
    """Replaces a result that was wrong, and shows how far the campaign is. In a round that is over, what
    followed is worked out again; where a decision changes, the answers are heuristic.

    Parameters:
        c (a campaign or a string):
            A campaign, or its folder, relative to the script
        id (a string):
            The id of the pull
        value (a number):
            The right reward
        reason (a string):
            The reason, which the report shows
        by (a string, optional):
            Who asks or tells: the same person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.correct("days", "K7M2PQ", 41.5, reason="read from the wrong column")
    """
    ...

def close(c: Campaign | str, round: int, reason: str, by: str | None = ...) -> Campaign:
    """Ends an open round with what came, and shows how far the campaign is; a round that is over stays as
    it is. A reaction or run that fails is a result, the worst that it can have (a yield of 0; with
    goal="min" the largest loss), and not a failed pull: only pulls that were not measured for reasons
    that have nothing to do with their reward may be given back.

    Parameters:
        c (a campaign or a string):
            A campaign, or its folder, relative to the script
        round (a whole number, at least 1):
            The number of the round
        reason (a string):
            The reason, which the report shows
        by (a string, optional):
            Who asks or tells: the same person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.close("days", round=3, reason="the freezer failed")
    """
    ...

def attach(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ...) -> Receipt:
    """Records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that
    are of no round. They guide what is measured and decide nothing in tests; methods that go by a
    posterior take them whole. Rows attached before are known, also under another name of their file.

    Parameters:
        c (a campaign or a string):
            A campaign, or its folder, relative to the script
        file (a string; also a DataFrame):
            The file, relative to the script
        by (a string, optional):
            Who asks or tells: the same person has one open list at a time
        sure (True or False, default False):
            True: rewards that look like slips are right
        take_good (True or False, default False):
            True: take the good rows of a file in which others are wrong
        again (True or False, default False):
            True: rows with the values of recorded results are further measurements, and no copies
        tolerance (a string or a list, optional):
            How far what was set may be from the arm that was planned, in rows that name arms by
            columns: "temp=0.5", or a list of these

    Returns:
        Receipt

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.attach("days", "pilot.csv", by="Ann")
    """
    ...

def plot(value: Answer | Sweep | Result | _List | Bounds | Plan | WhatIf | Hardness | Spectrum | Design | Comparisons | Speedup | Fit | Campaign, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., posterior: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
    """A figure of an answer, a sweep, a result, several results, bounds, a plan, a what_if table,
    hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign.

    Parameters:
        value (an answer, a sweep, a result, a list, bounds, a plan, a what_if table, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign):
            What to draw; a list compares results
        x (a string, optional):
            The horizontal axis: a swept name, or of a result task or round
        y (a string or a list, optional):
            The measure to draw, the first when not given; of a sweep or several results also a list
            with one unit. The measures of an answer: reward; of a sweep or several results: samples,
            samples_total, ratio, lower_bound, theorem, theorem_error, rounds, messages, bytes,
            bytes_raw, bytes_theta, error, decided_error, task_error, undecided, regret or
            relative_regret; of a result: estimate, alive, pulls, rho or open; of bounds: samples,
            budget or error; of a plan or a what_if table: samples, samples_total, rounds, cost or time;
            of hardness: gap, rho_alone or weight; of a spectrum: eigenvalue; of a design: weight; of
            comparisons: ratio or difference; of a speedup: beta; of a fit: similarity or residual; of a
            campaign: open, decided or samples
        file (a string, optional):
            Also write the figure to this file, as .svg, .pdf, .png or .tex
        panel (a string, optional):
            A swept name: a panel for each of its values
        title (a string, optional):
            The title, in place of its own; "" for none
        xlabel (a string, optional):
            What stands below the x axis, in place of its own
        ylabel (a string, optional):
            What stands beside the y axis, in place of its own
        logx (True or False, optional):
            True or false: a logarithmic x axis or a linear one; when not given, what suits the values
        logy (True or False, optional):
            True or false: a logarithmic y axis or a linear one; when not given, what suits the values
        xlim (a list, optional):
            The ends of the x axis, [from, to]; what lies outside is not drawn
        ylim (a list, optional):
            The ends of the y axis, [from, to]; what lies outside stands at the edge, as open triangles
        width (a number, at least 1 and at most 2, optional):
            In columns of a page that has two: 1 is 8.5 cm, 2 is 17.6 cm and usual; letters keep their
            size
        reference (True or False, default True):
            False leaves out what is only there to compare with: lower bounds, theorems, levels asked
            for
        posterior (True or False, default False):
            True: of a result, the mean and the 95 % interval of every arm of every task by round, of
            its first run, with the true means where they are known; x is then arm, or round for the
            course of the best arms
        task (a string, optional):
            With posterior=true or where=, the only task to draw
        where (a problem, optional):
            A problem: of a result on it, where its arms were open, at first and round by round, in the
            plane of two of their features, which x and y name; of its first run

    Returns:
        Figure

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.plot(s, x="gap", y="samples")
    """
    ...

def compare(r: Result, *more: Any) -> Table:
    """Results side by side.

    Parameters:
        r (a result):
            A result
        *more: further results

    Returns:
        Table

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.compare(r, b)
    """
    ...

def measures(s: Sweep, y: str | _List) -> Table:
    """Chosen measures of a sweep as a table, a row for each result.

    Parameters:
        s (a sweep):
            A sweep
        y (a string or a list):
            A measure or a list of them, as in plot

    Returns:
        Table

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.measures(s, y=["samples", "rounds"])
    """
    ...

def save(value: Any, path: str) -> None:
    """Writes a value to a file: .csv .parquet .json .md .html .tex .txt, figures also .svg .pdf .png; .tex
    of a figure is pgfplots and writes its .dat.

    Parameters:
        value (any value):
            What to write
        path (a string):
            The file, relative to the script; its extension says the format

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.save(s, "fc.csv")
    """
    ...

def show(value: Any) -> Any:
    """Displays a value; a name alone does the same.

    Parameters:
        value (any value):
            What to show

    Returns:
        Value

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.show(r)
    """
    ...

def clear() -> None:
    """Clears what the cell has shown so far; outside of notebooks it does nothing.

    Example:
        cope.clear()
    """
    ...

def print(value: Any, *more: Any) -> str:
    """Values as a text, with a space between them: a text as it is, a number in up to ten digits, a kernel
    as text that makes an equal kernel with the formulas it uses, a result as it is shown in a terminal.

    Parameters:
        value (any value):
            What to print; a text shows values between braces
        *more: further values

    Returns:
        str

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.print("half of it is {1/2:.0%}")
    """
    ...

def exp(x: _Number | _List) -> Any:
    """Exponential, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.exp(1)
    """
    ...

def log(x: _Number | _List) -> Any:
    """Natural logarithm, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.log(1)
    """
    ...

def log10(x: _Number | _List) -> Any:
    """Logarithm to base 10, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.log10(1)
    """
    ...

def sqrt(x: _Number | _List) -> Any:
    """Square root, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.sqrt(1)
    """
    ...

def abs(x: _Number | _List) -> Any:
    """Absolute value, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.abs(1)
    """
    ...

def sin(x: _Number | _List) -> Any:
    """Sine, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.sin(1)
    """
    ...

def cos(x: _Number | _List) -> Any:
    """Cosine, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.cos(1)
    """
    ...

def tanh(x: _Number | _List) -> Any:
    """Hyperbolic tangent, of each element.

    Parameters:
        x (a number or a list):
            A number or a list

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.tanh(1)
    """
    ...

def min(x: _Number | _List, *more: Any) -> Any:
    """Smallest of the elements of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.min([1, 2, 3])
    """
    ...

def max(x: _Number | _List, *more: Any) -> Any:
    """Largest of the elements of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.max([1, 2, 3])
    """
    ...

def sum(x: _Number | _List, *more: Any) -> Any:
    """Sum of the elements of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.sum([1, 2, 3])
    """
    ...

def mean(x: _Number | _List, *more: Any) -> Any:
    """Mean of the elements of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.mean([1, 2, 3])
    """
    ...

def len(x: _List | str) -> Any:
    """How many elements a list has, or characters a text.

    Parameters:
        x (a list or a string):
            A list or a text

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.len([1, 2, 3])
    """
    ...

def round(x: _Number | _List, digits: int | None = ...) -> Any:
    """Nearest whole number, or number with so many digits after the point; of each element of a list.

    Parameters:
        x (a number or a list):
            A number or a list
        digits (a whole number, at least 0 and at most 15, default 0):
            Digits after the point

    Returns:
        float

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write

    Example:
        cope.round(2/3, digits=2)
    """
    ...

def linspace(from_: _Number, to: _Number, n: int) -> Any:
    """N numbers at equal distances from one number to another, both included.

    Parameters:
        from_ (a number):
            The first number
        to (a number):
            The last number
        n (a whole number, at least 2 and at most 1000000):
            How many numbers

    Returns:
        list

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.linspace(0, 1, 5)
    """
    ...

def range(from_: _Number, to: _Number, step: _Number | None = ...) -> Any:
    """Numbers from one to another in steps, as far as the last is reached; with steps of 1 the same as
    from..to.

    Parameters:
        from_ (a number):
            The first number
        to (a number):
            No number goes beyond this one; it is included where a step ends there
        step (a number, default 1):
            Distance of two numbers; below 0 they go down

    Returns:
        list

    Raises:
        CopeError: an argument, or the data, are wrong; the message names the place and says what to write
        Interrupted: Ctrl-C was pressed; its attribute partial is what was finished

    Example:
        cope.range(0.1, 0.5, step=0.1)
    """
    ...

