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
    """Evaluate a script of the language with the given names bound, and return the values that it binds."""
    ...
def load_ipython_extension(ip: Any) -> None: ...

_Kernel: TypeAlias = Literal["auto"]
_Noise: TypeAlias = Literal["sd", "task", "unknown", "unknown task", "unknown arm", "unknown tested"]
_Environment: TypeAlias = Literal["gaussian", "bernoulli", "resampled", "posterior", "prior"]
_Goal: TypeAlias = Literal["max", "min"]
_Unmeasured: TypeAlias = Literal["keep", "drop"]
_Lengthscale: TypeAlias = Literal["inf"]
_NoiseOfPaper: TypeAlias = Literal["unknown", "unknown task", "unknown arm", "unknown tested"]
_Algorithm: TypeAlias = Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame", "Oracle"]
_Schedule: TypeAlias = Literal["tuned", "paper"]
_Law: TypeAlias = Literal["normal", "subgaussian", "symmetric"]
_Level: TypeAlias = Literal["unknown"]
_Scale: TypeAlias = Literal["fit"]
_Threshold: TypeAlias = Literal["mixture", "heuristic"]
_AlgorithmOfFb: TypeAlias = Literal["CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "GPUCB", "TopTwoThompson", "KnowledgeGradient", "OCBA", "BestElsewhere", "Oracle"]
_Xi: TypeAlias = Literal["auto", "gp"]
_KernelIs: TypeAlias = Literal["fixed", "member", "auto"]
_Rows: TypeAlias = Literal["cell", "run"]
_Mean: TypeAlias = Literal["problem", "task", "none"]
_Reference: TypeAlias = Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "GPUCB", "TopTwoThompson", "KnowledgeGradient", "OCBA", "BestElsewhere"]
_Y: TypeAlias = Literal["samples", "error", "rounds", "regret"]
_AlgorithmOfProtocol: TypeAlias = Literal["CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "GPUCB", "TopTwoThompson", "KnowledgeGradient", "OCBA", "BestElsewhere"]
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
    def plot(self, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
        """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign."""
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

class FreeHyperparameter(Value):
    """A free hyperparameter, as returned by free."""

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
    """A table, as returned by compare_kernels, compare, measures and field_book."""

class List(Value):
    """A list, as returned by linspace and range."""

class RewardFunction(Value):
    """A reward function."""

class OwnAlgorithm(Value):
    """An own algorithm."""

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
    task_values: Record
    """for each task its texts in task_columns"""
    epsilon: float | None
    """the accuracy asked for, reward units; 0 asks for the best arm"""
    picks: _DataFrame
    """one for each task"""
    unanswered: list[str]
    """tasks without a pick: all measurements of all of their options failed"""
    pareto: _DataFrame
    """with several rewards: options that may be the best trade-off between these, by task, the most probable first"""
    required: list[str]
    """conditions that an option has to meet"""
    overall: Record
    """one recommendation for all tasks together, if that was asked for"""
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
    random: _DataFrame
    """standard deviations of the effects of random columns; none without such columns"""
    left_out: Record
    """how well each arm is predicted from the others"""
    similar: _DataFrame
    """weight of each matrix of how alike options are"""
    task_groups: Record
    """groups of tasks that the measurements suggest; null if they suggest none"""
    basis: str
    """how far to trust the answer, and what would make it surer"""
    model_check: Record
    """the strongest contradiction between measurements and model; null unless it speaks against the model"""
    undetermined: Record
    """why the measurements do not distinguish arms; null if they do"""
    warnings: list[str]
    """conditions that a reader must know"""
    arms: _DataFrame
    """estimates of every arm of all tasks, in the order of the problem"""
    importance: _DataFrame
    """how much the estimates depend on each column of the arms, the most first; none for a single column"""
    def field_book(self, seed: int | None = ...) -> Table:
        """Lists the measurements that best proposes, one in a row, in random order within each block, with columns to fill in; save it as .xlsx or .csv, or for paper as .pdf."""
        ...

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
        """Compares every algorithm of a sweep with a reference: difference and ratio with 95 % intervals, from paired runs if the seeds are equal."""
        ...
    def speedup(self, algorithm: _Algorithm | None = ..., alone: _Algorithm | None = ...) -> Speedup:
        """Measures the speedup β of [Du23, eq. (4)], and compares it with V and the prediction from the rank of the task kernel."""
        ...
    def measures(self, y: str | _List | None = ...) -> Table:
        """Shows chosen measures of a sweep as a table, with a row for each result."""
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
    truth_from_kernel: bool
    """whether `truth_drawn` ones are from the kernel instead, as a Gaussian process"""
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
    lower_bound_samples_limit: float | None
    """the same with T* for δ → 0, if a task has several right answers; 0 otherwise. It is no bound at a fixed δ"""
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
    theory: Record
    """in results of a sweep; nil if unknown or for many arms"""
    def sweep(self, rows: _Rows | None = ..., store: str | None = ..., **named: Any) -> Sweep:
        """Repeats the runs of a result for every combination of values."""
        ...
    def explain(self, task: str | None = ...) -> Explanation:
        """Explains the state of each task of a run: the lead of its best arm over the next, the samples still needed, and the comparisons that eliminated the other arms."""
        ...
    def compare(self, *more: Any, **named: Any) -> Table:
        """Shows results side by side in a table."""
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
    lower_bound_samples_limit: float | None
    """`lower_bound_samples` with T* for δ → 0, if a task has several right answers (Degenne and Koolen 2019); 0 otherwise"""
    lower_bound_samples_norm: float | None
    """lower bound in samples per agent for algorithms that use the norm that was stated"""
    rounds_fc: int
    """r* of the proof of Theorem 1, rounds"""
    rounds_fb: int
    """R of Alg. 2, rounds"""
    misfit: Record
    """nil if no misfit is stated"""
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
    sampled_from: int
    """measured arms if the fit uses a sample of them; 0 otherwise"""
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
    """log likelihood of the kernel fitted, nats"""
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
        """Returns the kernel of a fit, with its fitted numbers and its mean level as a term, for with_kernel(p, fitted(f))."""
        ...

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
    """A problem, as returned by problem, with_kernel, paper, classic, family and drawn."""
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
    def best(self, epsilon: _Number | None = ..., next: int | None = ..., overall: bool | None = ..., per_block: int | None = ..., options: int | None = ..., check: str | _List | None = ..., retry: bool | None = ...) -> Answer:
        """Recommends an arm for every task from the measurements, with the probability that it is good enough, and proposes what to measure next."""
        ...
    def with_kernel(self, kernel: JointKernel) -> Problem:
        """Returns the problem with another kernel, such as a fitted one; everything else stays the same."""
        ...
    def drawn(self, seed: int | None = ...) -> Problem:
        """Returns the problem with expected rewards drawn from its kernel, as a Gaussian process; everything else stays the same."""
        ...
    def bounds(self, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
        """Computes the quantities of the theory: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound."""
        ...
    def spectrum(self, xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
        """Shows the eigenvalues of the kernels, which determine the effective dimension."""
        ...
    def hardness(self) -> Hardness:
        """Shows the gap and the difficulty of each task."""
        ...
    def design(self, xi: _Number | _Kernel | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
        """Computes the allocation of the first round, with its certificate of optimality."""
        ...
    def plan(self, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
        """Forecasts what each algorithm needs, by simulation: rounds, samples and bytes; with prices also cost and time."""
        ...
    def fc(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _Algorithm | type[Any] | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., batch: int | None = ..., threshold: _Threshold | None = ...) -> Result:
        """Simulates a fixed-confidence algorithm, which samples until it has the required confidence in the best arm of every task."""
        ...
    def fb(self, budget: int | None = ..., algorithm: _AlgorithmOfFb | type[Any] | None = ..., xi: _Number | _Xi | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., kernel_is: _KernelIs | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ..., batch: int | None = ...) -> Result:
        """Simulates a fixed-budget algorithm, which finds the best arms with a given number of samples."""
        ...
    def fit(self, kernel: JointKernel | None = ..., mean: _Mean | None = ..., noise: _Number | FreeHyperparameter | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
        """Fits the free hyperparameters of the kernel to the mean rewards of a problem by maximum marginal likelihood."""
        ...
    def compare_kernels(self, kernels: _List, mean: _Mean | None = ..., noise: _Number | FreeHyperparameter | None = ..., starts: int | None = ...) -> Table:
        """Fits several kernels to the means of a problem, and compares their marginal likelihood, leave-one-out prediction and test for lack of fit."""
        ...
    def protocol(self, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _AlgorithmOfProtocol | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: _TimeUnit | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., reward_norm: _Number | None = ..., batch: int | None = ..., threshold: _Threshold | None = ..., kernel_is: _KernelIs | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
        """Fixes the rules of a campaign of real measurements, and forecasts its measurements and time by simulation; start(…) begins the campaign."""
        ...
    def compare(self, *more: Any, **named: Any) -> Table:
        """Shows results side by side in a table."""
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
        """Starts a campaign in a folder, and fixes its question, its decision rule and its data."""
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
        """Explains the state of each task of a run: the lead of its best arm over the next, the samples still needed, and the comparisons that eliminated the other arms."""
        ...
    def amend(self, reason: str, epsilon: _Number | None = ..., delta: _Number | None = ..., capacity: int | None = ..., withdraw: str | _List | None = ..., add: str | PathLike[str] | _Table | None = ..., by: str | None = ...) -> Campaign:
        """Changes the protocol while it runs, from the next round on, and shows how far the campaign is."""
        ...
    def fail(self, ids: str | _List, reason: str, by: str | None = ...) -> Campaign:
        """Reports pulls that were not measured, and shows how far the campaign is; they are handed out again."""
        ...
    def correct(self, id: str, value: _Number, reason: str, by: str | None = ...) -> Campaign:
        """Replaces a wrong result, and shows how far the campaign is."""
        ...
    def close(self, round: int, reason: str, by: str | None = ...) -> Campaign:
        """Ends an open round with the results so far, and shows how far the campaign is; a finished round does not change."""
        ...
    def attach(self, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ...) -> Receipt:
        """Records earlier or other measurements, task,arm,reward or task,arm,count,mean,sd, that belong to no round."""
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

def linear(bias: _Number | FreeHyperparameter | None = ..., lengthscale: _Number | _List | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards are linear in the features.

    k(x, y) = bias + Σ_c x_c y_c / lengthscale_c²

    Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, sec. 4.2.2.

    Parameters:
        bias (a number or a free hyperparameter, default 0):
            Constant added to the scalar product, at least 0 and finite
        lengthscale (a number, a list or a free hyperparameter, default 1):
            Distance over which values remain similar; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.linear(bias=1)
    """
    ...

def constant(value: _Number | FreeHyperparameter) -> Kernel:
    """The same level everywhere; k + 2 means k + constant(2).

    k(x, y) = value

    Source: Rasmussen and Williams 2006, sec. 4.2.1.

    Parameters:
        value (a number or a free hyperparameter):
            Variance of the common level, at least 0 and finite

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.constant(2)
    """
    ...

def rbf(lengthscale: _Number | _List | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Smooth rewards: points within a length scale are similar.

    k(x, y) = exp(-½ Σ_c (x_c - y_c)² / lengthscale_c²)

    Source: Rasmussen and Williams 2006, eq. 4.9.

    Parameters:
        lengthscale (a number, a list or a free hyperparameter, default 1):
            Distance over which values remain similar; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.rbf(lengthscale=0.5)
    """
    ...

def matern(nu: _Number | None = ..., lengthscale: _Number | _List | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that are rougher than with rbf.

    k(x, y) = nu = 0.5: exp(-s); 1.5: (1 + s) exp(-s); 2.5: (1 + s + s²/3) exp(-s);  s² = 2 nu Σ_c (x_c - y_c)² / lengthscale_c²

    Source: Rasmussen and Williams 2006, eq. 4.17.

    Parameters:
        nu (a number, default 2.5):
            Smoothness: 0.5 is rough, 2.5 twice differentiable, 0.5, 1.5 or 2.5
        lengthscale (a number, a list or a free hyperparameter, default 1):
            Distance over which values remain similar; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.matern(nu=1.5, lengthscale=0.5)
    """
    ...

def rq(lengthscale: _Number | _List | FreeHyperparameter | None = ..., alpha: _Number | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Smooth rewards that vary on many length scales at once.

    k(x, y) = (1 + r²/(2 alpha))^-alpha,  r² = Σ_c (x_c - y_c)² / lengthscale_c²

    Source: Rasmussen and Williams 2006, eq. 4.19.

    Parameters:
        lengthscale (a number, a list or a free hyperparameter, default 1):
            Distance over which values remain similar; one number, or one per column, greater than 0 and
            finite
        alpha (a number or a free hyperparameter, default 1):
            How narrow the mixture of length scales is; the limit of large alpha is rbf, greater than 0
            and finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.rq(lengthscale=0.5, alpha=2)
    """
    ...

def polynomial(degree: _Number | None = ..., bias: _Number | FreeHyperparameter | None = ..., lengthscale: _Number | _List | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards are polynomial in the features; a bias > 0 adds the lower degrees.

    k(x, y) = (bias + Σ_c x_c y_c / lengthscale_c²)^degree

    Source: Rasmussen and Williams 2006, sec. 4.2.2.

    Parameters:
        degree (a number, default 2):
            Highest degree of the monomials, whole and at least 1 and finite
        bias (a number or a free hyperparameter, default 0):
            Constant added to the scalar product, at least 0 and finite
        lengthscale (a number, a list or a free hyperparameter, default 1):
            Distance over which values remain similar; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.polynomial(degree=3, bias=1)
    """
    ...

def periodic(period: _Number | _List | FreeHyperparameter | None = ..., lengthscale: _Number | _List | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that repeat in every column, of any shape within a period.

    k(x, y) = exp(-2 Σ_c sin²(π (x_c - y_c)/period_c) / lengthscale_c²)

    Source: MacKay, Introduction to Gaussian processes, 1998, sec. 4.3; Rasmussen and Williams 2006, eq. 4.31.

    Parameters:
        period (a number, a list or a free hyperparameter, default 1):
            Distance after which values repeat; one number, or one per column, greater than 0 and finite
        lengthscale (a number, a list or a free hyperparameter, default 1):
            Distance over which values remain similar; one number, or one per column, greater than 0 and
            finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.periodic(period=2, lengthscale=0.7)
    """
    ...

def cosine(period: _Number | _List | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Rewards that are one sine wave per column.

    k(x, y) = Π_c cos(2π (x_c - y_c)/period_c)

    Source: cos(a - b) = cos a cos b + sin a sin b is a scalar product; products by Schur's theorem.

    Parameters:
        period (a number, a list or a free hyperparameter, default 1):
            Distance after which values repeat; one number, or one per column, greater than 0 and finite
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.cosine(period=2)
    """
    ...

def category(similarity: _Number | FreeHyperparameter | None = ..., dims: _List | str | _Number | None = ...) -> Kernel:
    """Columns of categories, whose values are equal or different.

    k(x, y) = Π_c (1 if x_c = y_c, else similarity)

    Source: one column's matrix is similarity·11ᵀ + (1 - similarity)·[x_c = y_c]; products by Schur's theorem.

    Parameters:
        similarity (a number or a free hyperparameter, default 0):
            How alike two different categories are, at least 0 and less than 1
        dims (a list, a string or a number, default all columns):
            Columns that the kernel reads, by name or by number from 0

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
            Similarity of each pair of points, row by row; or the path of a CSV file relative to the
            current folder: a square table of numbers, with or without names
        names (a list, default in order of appearance):
            The point that each row is for

    Returns:
        Kernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.table([[1, 0.6], [0.6, 1]], names=["oslo", "rome"])
    """
    ...

def identity() -> Kernel:
    """Points are unrelated; they are compared by name, not by distance.

    k(x, y) = 1 if x and y are the same point, else 0

    Source: its Gram matrix of distinct points is the identity matrix.

    Returns:
        Kernel

    Example:
        cope.identity()
    """
    ...

def free(value: _Number, min: _Number | None = ..., max: _Number | None = ..., name: str | None = ...) -> FreeHyperparameter:
    """Makes an unknown number for fit: a parameter of a kernel, a factor or summand of kernels, or a name
    in a formula; it has its start value until it is fitted.

    Parameters:
        value (a number, at least 0):
            The start value of the search
        min (a number, at least 0, optional):
            Smallest value; by default a thousandth of the start value
        max (a number, at least 0, optional):
            Largest value; by default a thousand times the start value, or the largest that the
            parameter allows
        name (a string, optional):
            Name; free hyperparameters with the same name are one hyperparameter; by default the name
            that it is bound to

    Returns:
        FreeHyperparameter

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.free(0.5, min=0.1, max=10)
    """
    ...

def task(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares tasks by their features z_*.

    Parameters:
        k (a kernel; also a Python function):
            A kernel on tasks

    Returns:
        JointKernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.task(cope.rbf(lengthscale=0.7))
    """
    ...

def arm(k: Kernel | Callable[..., Any]) -> JointKernel:
    """A joint kernel that compares arms by their features x_*.

    Parameters:
        k (a kernel; also a Python function):
            A kernel on arms

    Returns:
        JointKernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.arm(cope.linear())
    """
    ...

def best(p: Problem, epsilon: _Number | None = ..., next: int | None = ..., overall: bool | None = ..., per_block: int | None = ..., options: int | None = ..., check: str | _List | None = ..., retry: bool | None = ...) -> Answer:
    """Recommends an arm for every task from the measurements, with the probability that it is good enough,
    and proposes what to measure next. It averages over kernels, mean levels and noise models that fit
    the measurements. A stated kernel is one of these kernels, with the weight that the measurements
    give it.

    Parameters:
        p (a problem):
            The problem
        epsilon (a number, at least 0, default 0):
            How far below the best arm a recommended arm may be and still be good enough, in reward
            units
        next (a whole number, at least 0 and at most 10000, default 0):
            How many further measurements to propose, in all tasks together
        overall (True or False, default False):
            True: also recommend one arm for all tasks together; weights= of the problem says how much
            each task counts
        per_block (a whole number, at least 1, optional):
            How often a proposed arm may be in a block; if blocks belong to one task each, by default as
            often as the data need for all arms to be in each block
        options (a whole number, at least 1, optional):
            How many different arms may be proposed, besides those of check=
        check (a string or a list, optional):
            The arm or arms that are in every proposed block
        retry (True or False, default False):
            True: also recommend and propose arms whose measurements all failed

    Returns:
        Answer

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.best(cope.problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)
    """
    ...

def problem(path: str | PathLike[str] | _Table | None = ..., kernel: JointKernel | _Kernel | None = ..., noise: _Number | _Noise | None = ..., rewards: str | PathLike[str] | _Table | None = ..., block: str | None = ..., name: str | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: _Environment | None = ..., goal: _Goal | _List | None = ..., standardize: bool | None = ..., unmeasured: _Unmeasured | None = ..., data: str | PathLike[str] | _Table | None = ..., task: str | _List | _Label | None = ..., arm: str | _List | _Label | None = ..., reward: str | _List | _Label | None = ..., require: str | _List | None = ..., sd: str | _Label | None = ..., count: str | _Label | None = ..., successes: str | _Label | None = ..., trials: str | _Label | None = ..., blocks: str | _List | _Label | None = ..., crossed: str | _List | _Label | None = ..., random: str | _List | _Label | None = ..., cost: str | _Label | None = ..., weights: str | _Label | None = ..., log: str | _List | _Label | None = ..., candidates: str | PathLike[str] | _List | _Table | None = ..., where: str | None = ..., failed: str | None = ..., task_features: str | _List | _Label | None = ..., arm_features: str | _List | _Label | None = ..., text: str | _List | _Label | None = ..., similar: str | PathLike[str] | _List | _Table | None = ...) -> Problem:
    """Reads tasks and arms from a CSV file with the columns task,arm,x_*,z_*,mean,sd,reps; with data=,
    from a table with a row for every measurement and any column names; see
    docs/reference/data-format.md.

    Parameters:
        path (a string, optional; also a DataFrame):
            The path of the file, relative to the current folder
        kernel (a joint kernel or "auto", default "auto"):
            The kernel: how similar arms and tasks are; "auto" finds one from the measurements
        noise (a number, "sd", "task", "unknown", "unknown task", "unknown arm" or "unknown tested", greater than 0, optional):
            Standard deviation of the noise: a number, "sd" (the column sd), "task" (pooled per task),
            "unknown" (one for all), "unknown task", "unknown arm" (one for each) or "unknown tested"
            (one for all, until a test finds differences); by default the column sd; with raw rewards,
            the deviation of each arm with at least ten, or of its task; otherwise unknown
        rewards (a string, optional; also a DataFrame):
            File of measured rewards, with the columns task,arm,rep,reward, from which simulated rewards
            are drawn
        block (a string, optional):
            Column of rewards= that names the block of a measurement, such as a day or a plate; CoTestFC
            and CoBayesFC then compare arms within blocks
        name (a string, optional):
            Name in reports; by default the file's name
        noise_guess (a number, greater than 0, optional):
            With unknown noise: a guess of its standard deviation, which only plans the first round; by
            default 1
        bounded (a list, optional):
            The lower and the upper limit of every reward, for any noise distribution
        environment ("gaussian", "bernoulli", "resampled", "posterior" or "prior", optional):
            How simulated rewards are drawn; by default gaussian, with data= posterior, with rewards=
            resampled, with bounded= bernoulli
        goal ("max", "min" or a list, default "max"):
            "max" if the best arm has the highest expected reward, "min" if the lowest; with several
            reward columns, a list such as ["max", "min"]
        standardize (True or False, default False):
            True (or 1): scale every numeric feature column to the range 0 to 1, so that length scales
            are fractions of the column's range
        unmeasured ("keep" or "drop", default "keep"):
            Whether arms without measurements stay in the problem
        data (a string, optional; also a DataFrame):
            Instead of path: a table with a row for every measurement; task, arm and reward name its
            columns; with arm and reward, the first argument is such a table too
        task (a string or a list, optional):
            With data: the column that names the task, or a list of columns whose combinations are the
            tasks; if not given, all rows belong to one task
        arm (a string or a list, optional):
            With data: the column or columns whose distinct values are the arms and their features
        reward (a string or a list, optional):
            With data: the column of measurements (or of means, with sd= and count=); with several
            columns, best lists the options that may be the best trade-off
        require (a string or a list, optional):
            With data: a limit of another measured column, such as "impurity < 0.5", or a list of
            limits; best then weighs how probable it is that an option meets them
        sd (a string, optional):
            With data whose rows are means: the column of standard deviations of one measurement, not of
            the mean; for one value for all rows, use noise=
        count (a string, optional):
            With data whose rows are means: the column with the number of measurements in each mean; by
            default 1
        successes (a string, optional):
            With data, instead of reward: the column with the number of successes among the trials
        trials (a string, optional):
            With successes: the column with the number of trials
        blocks (a string or a list, optional):
            With data: the column or columns that name what was measured together, such as a day or a
            plate; best removes their effect
        crossed (a string or a list, optional):
            With data: columns of blocks in which a label means the same block in all tasks; in blocks=,
            a label means another block in each task
        random (a string or a list, optional):
            With data: columns whose values are a sample of many, such as years or operators; best then
            recommends what is best on average over all of them
        cost (a string, optional):
            With data: the column with the cost of each measurement, such as hours; best then proposes
            what gains most per unit of cost
        weights (a string, optional):
            With data: the column with the weight of the task, for best(p, overall=True); by default all
            tasks count the same
        log (a string or a list, optional):
            With data: columns of arms whose decimal logarithm is used as the feature
        candidates (a string or a list, optional; also a DataFrame):
            With data: the options to consider besides those in the table: "all" for every combination
            of the values of the arm columns, a range of a column such as "lr=1e-5..1e-1 log" or
            "layers=2..8 step 1", or the path of a table of options; ranges without a step are refined
            where the best options may be
        where (a string, optional):
            With data: a condition that selects rows, such as "site == 'Gent' and dose > 2"; a column
            name with blanks is written col('Temp °C')
        failed (a string, optional):
            With data: a condition on rows whose measurement failed, such as "status != 'ok'"; in the
            column reward, texts without digits, NaN and inf also mean failed, and <0.05 or >9 mean
            limits
        task_features (a string or a list, optional):
            With data: the column or columns of features of the tasks
        arm_features (a string or a list, optional):
            With data: the column or columns of features of the arms; by default the columns of arm
        text (a string or a list, optional):
            The column or columns whose values are names although they look like numbers, such as
            versions: 12.1 and 12.10 then differ, NA is a name, and only an empty cell is a missing
            value
        similar (a string or a list, optional; also a DataFrame):
            A file with a square matrix of how alike the options are, such as a pedigree or genomic
            relationship, with their names in the first row and column; best averages over how much of
            the differences it explains; for one of several arm columns write "variety=G.csv"

    Returns:
        Problem

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.problem("data/cn_coupling.csv", kernel=cope.task(cope.identity()) * cope.arm(1000 + 50*cope.linear()), noise="task")
    """
    ...

def with_kernel(p: Problem, kernel: JointKernel) -> Problem:
    """Returns the problem with another kernel, such as a fitted one; everything else stays the same.

    Parameters:
        p (a problem):
            The problem
        kernel (a joint kernel):
            The new kernel: how similar arms and tasks are

    Returns:
        Problem

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.with_kernel(cope.paper(case=2), cope.task(cope.rbf(0.7)) * cope.arm(cope.linear()))
    """
    ...

def paper(case: int | None = ..., gap: _Number | None = ..., lengthscale: _Number | _Lengthscale | None = ..., noise: _Number | _NoiseOfPaper | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: _Environment | None = ...) -> Problem:
    """Makes the instance of [Du23, App. A]: 5 tasks with 6 arms each, in one of the three cases or between
    them.

    Parameters:
        case (a whole number, at least 1 and at most 3, optional):
            1: all tasks alike, 2: two groups, 3: all different
        gap (a number, greater than 0, default 0.1):
            Gap between expected rewards
        lengthscale (a number or "inf", at least 0, optional):
            Instead of case: five tasks whose similarity is rbf(lengthscale), from 0 (like case 3) to
            "inf" (like case 1)
        noise (a number, "unknown", "unknown task", "unknown arm" or "unknown tested", greater than 0, optional):
            Standard deviation of the noise: a number, "unknown" (one for all), "unknown task", "unknown
            arm" (one for each) or "unknown tested" (one for all, until a test finds differences); by
            default 1
        noise_guess (a number, greater than 0, optional):
            With unknown noise: a guess of its standard deviation, which only plans the first round; by
            default 1
        bounded (a list, optional):
            The lower and the upper limit of every reward, for any noise distribution
        environment ("gaussian", "bernoulli", "resampled", "posterior" or "prior", optional):
            How simulated rewards are drawn; by default gaussian, with data= posterior, with rewards=
            resampled, with bounded= bernoulli

    Returns:
        Problem

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.paper(case=2, gap=0.1)
    """
    ...

def classic(means: _List, agents: int | None = ..., goal: _Goal | None = ...) -> Problem:
    """Makes a problem of collaborative best-arm identification without features: all agents have the same
    arms, with noise 1.

    Parameters:
        means (a list):
            Expected reward of each arm
        agents (a whole number, at least 1 and at most 1000, default 5):
            Number of agents
        goal ("max" or "min", default "max"):
            "max" if the best arm has the highest expected reward, "min" if the lowest

    Returns:
        Problem

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.classic(means=[0.9, 0.5, 0.1], agents=5)
    """
    ...

def family(tasks: int | None = ..., dimension: int | None = ..., arms: int | None = ..., rank: int | None = ..., gap: _Number | None = ..., seed: int | None = ..., noise: _Number | _NoiseOfPaper | None = ..., noise_guess: _Number | None = ..., bounded: _List | None = ..., environment: _Environment | None = ...) -> Problem:
    """Makes a random linear problem to sweep over: tasks whose features span a rank, each with its own
    arms on the unit sphere.

    Parameters:
        tasks (a whole number, at least 1 and at most 1000, default 5):
            Number of tasks, V
        dimension (a whole number, at least 1 and at most 1000, default 4):
            Dimension of the arms, d
        arms (a whole number, at least 2 and at most 100000, default 6):
            Number of arms of each task, n
        rank (a whole number, at least 1, default 1):
            Rank of the task kernel, at most the smaller of tasks and dimension
        gap (a number, greater than 0, default 0.1):
            Smallest gap between the best arm of a task and the second
        seed (a whole number, at least 0, default 1):
            Seed of the features; more tasks keep the arms of the first ones
        noise (a number, "unknown", "unknown task", "unknown arm" or "unknown tested", greater than 0, optional):
            Standard deviation of the noise: a number, "unknown" (one for all), "unknown task", "unknown
            arm" (one for each) or "unknown tested" (one for all, until a test finds differences); by
            default 1
        noise_guess (a number, greater than 0, optional):
            With unknown noise: a guess of its standard deviation, which only plans the first round; by
            default 1
        bounded (a list, optional):
            The lower and the upper limit of every reward, for any noise distribution
        environment ("gaussian", "bernoulli", "resampled", "posterior" or "prior", optional):
            How simulated rewards are drawn; by default gaussian, with data= posterior, with rewards=
            resampled, with bounded= bernoulli

    Returns:
        Problem

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.family(tasks=10, dimension=4, rank=2, gap=0.3)
    """
    ...

def drawn(p: Problem, seed: int | None = ...) -> Problem:
    """Returns the problem with expected rewards drawn from its kernel, as a Gaussian process; everything
    else stays the same.

    Parameters:
        p (a problem):
            The problem
        seed (a whole number, at least 0, default 1):
            Seed of the rewards

    Returns:
        Problem

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.drawn(cope.with_kernel(cope.paper(case=2), cope.task(cope.rbf(0.7)) * cope.arm(cope.rbf(1))), seed=1)
    """
    ...

def bounds(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., budget: int | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., reward_norm: _Number | None = ...) -> Bounds:
    """Computes the quantities of the theory: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, optional):
            An arm this close to the best is good enough, in reward units
        budget (a whole number, at least 1 and at most 1e12, optional):
            Pulls per agent, on average over the agents; the most of each agent in a campaign, and for
            CoBayesFB with its posterior
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit`
            (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth
            kernel; others use the norm of the known means by default
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, in reward units; by default from the known means
        unit (a number, greater than 0, optional):
            Normalisation: reward units of one normalised unit; by default the largest noise
        misfit (a number, at least 0, default 0):
            Bound on the misspecification: how far any expected reward may be from what the kernel can
            represent, in reward units
        reward_norm (a number, greater than 0, optional):
            The bound `norm` in reward units, without division by the noise; give only one of the two

    Returns:
        Bounds

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.bounds(cope.paper(case=2))
    """
    ...

def spectrum(p: Problem, xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Spectrum:
    """Shows the eigenvalues of the kernels, which determine the effective dimension.

    Parameters:
        p (a problem):
            The problem
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit`
            (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth
            kernel; others use the norm of the known means by default
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, in reward units; by default from the known means

    Returns:
        Spectrum

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.spectrum(cope.paper(case=2))
    """
    ...

def hardness(p: Problem) -> Hardness:
    """Shows the gap and the difficulty of each task.

    Parameters:
        p (a problem):
            The problem

    Returns:
        Hardness

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.hardness(cope.paper(case=2))
    """
    ...

def design(p: Problem, xi: _Number | _Kernel | None = ..., tol: _Number | None = ..., norm: _Number | None = ..., gap: _Number | None = ...) -> Design:
    """Computes the allocation of the first round, with its certificate of optimality.

    Parameters:
        p (a problem):
            The problem
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow
        tol (a number, at least 1e-12 and at most 0.5, default 1e-4):
            Relative gap between the value and its lower bound
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit`
            (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth
            kernel; others use the norm of the known means by default
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, in reward units; by default from the known means

    Returns:
        Design

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.design(cope.paper(case=2))
    """
    ...

def plan(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., gaps: _Number | _List | None = ..., runs: int | None = ..., seed: int | None = ..., cost: _Number | None = ..., cost_round: _Number | None = ..., parallel: int | None = ..., capacity: int | None = ..., sample_time: _Number | None = ..., round_time: _Number | None = ..., time_unit: str | None = ..., xi: _Number | _Kernel | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., total: int | None = ...) -> Plan:
    """Forecasts what each algorithm needs, by simulation: rounds, samples and bytes; with prices also cost
    and time. With total=, forecasts the expected simple regret along the measurements, the cost or the
    time.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, optional):
            An arm this close to the best is good enough, in reward units
        gaps (a number or a list, greater than 0, optional):
            Smallest lead of the best arm to plan for, in reward units, instead of the known means: a
            number, or a list to compare
        runs (a whole number, at least 1 and at most 10000, default 20):
            Simulated runs per method and gap; if not given, fewer for more than 200 arms, at least 4
        seed (a whole number, at least 0, default 1):
            Seed of the simulated rewards
        cost (a number, at least 0, optional):
            Cost of one sample
        cost_round (a number, at least 0, optional):
            Cost of a round per agent that samples in it
        parallel (a whole number, at least 1, optional):
            Samples that an agent can take at once, in one batch; all of a round if not given
        capacity (a whole number, at least 1, optional):
            Samples that all agents together can take in one batch, as with one robot; instead of
            parallel
        sample_time (a number, at least 0, optional):
            Duration of one batch
        round_time (a number, at least 0, optional):
            Time between rounds, for analysis and communication
        time_unit (a string, optional):
            Unit of these durations, such as "days"
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit`
            (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth
            kernel; others use the norm of the known means by default
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, in reward units; by default from the known means; for
            CoKernelFC
        unit (a number, greater than 0, optional):
            Normalisation: reward units of one normalised unit; by default the largest noise
        total (a whole number, at least 1 and at most 1000000, optional):
            Number of further measurements in all tasks together, or their total cost if the problem has
            cost=; the plan is then a curve of the expected simple regret

    Returns:
        Plan

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.plan(cope.paper(case=2), gaps=[0.1, 0.3], cost=12, parallel=24, sample_time=1, round_time=2, time_unit="days")
    """
    ...

def fc(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _Algorithm | type[Any] | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., runs: int | None = ..., seed: int | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., batch: int | None = ..., threshold: _Threshold | None = ...) -> Result:
    """Simulates a fixed-confidence algorithm, which samples until it has the required confidence in the
    best arm of every task.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, default 0):
            An arm this close to the best is good enough, in reward units
        algorithm ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame", "Oracle" or an algorithm of your own, default "CoTestFC"; also a class with plan, learn and answers):
            The algorithm to run
        schedule ("tuned" or "paper", default "tuned"):
            Pulls per round: small constants, or the constants of [Du23, Alg. 1]; for CoKernelFC,
            CoKernelFC-IndAlloc, IndRAGE, IndRAGE/V, IndALBA, IndPolyALBA and IndKernelFC
        law ("normal", "subgaussian" or "symmetric", optional):
            Noise distribution that a test assumes: normal; subgaussian (tails no heavier than normal,
            takes more samples); symmetric (within blocks, symmetric differences); by default normal,
            and with bounded= any distribution within the limits: CoTestFC tests by betting, others
            assume subgaussian; for CoTestFC, IndTestFC and IndUniformFC
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC,
            CoKernelFC-IndAlloc and IndKernelFC
        level (a number or "unknown", default "unknown"):
            Prior mean of posterior methods: a constant for all tasks and arms, in reward units;
            "unknown" gives it a flat prior; for CoBayesFC
        scale (a number or "fit", greater than 0, default "fit"):
            Signal variance of posterior methods: a factor on the kernel; "fit" fits it to the data of
            the run after each round, together with a nugget g*identity(); for CoBayesFC
        runs (a whole number, at least 1 and at most 100000, default 1):
            Number of independent runs
        seed (a whole number, at least 0, default 1):
            Seed of the random rewards; the same seed gives the same results
        max_rounds (a whole number, at least 1, optional):
            Stop after this many rounds; by default 30
        max_samples (a whole number, at least 1, optional):
            Stop before more samples than this, all agents together
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit`
            (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth
            kernel; others use the norm of the known means by default; not for IndUniformFC, CoBayesFC,
            TrackAndStop, LazyTrackAndStop, LinGapE or LinGame
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, in reward units; by default from the known means; for
            CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC
        unit (a number, greater than 0, optional):
            Normalisation: reward units of one normalised unit; by default the largest noise
        misfit (a number, at least 0, default 0):
            Bound on the misspecification: how far any expected reward may be from what the kernel can
            represent, in reward units; for CoTestFC and IndTestFC
        rewards (a reward function, optional; also a Python function):
            A function that draws rewards instead of the problem: a Go func bound by session.Put, or a
            Python function f(task, arm, count) that returns the mean of count rewards
        reward_norm (a number, greater than 0, optional):
            The bound `norm` in reward units, without division by the noise; give only one of the two
        batch (a whole number, at least 1, default 1):
            Pulls of a round, for methods that choose one pull at a time (fb: of each agent); for
            TrackAndStop, LazyTrackAndStop, LinGapE and LinGame
        threshold ("mixture" or "heuristic", default "mixture"):
            Threshold of the likelihood ratio test of methods that choose one pull at a time: "mixture"
            is proven, "heuristic" is log((1 + log t)/δ), as in most experiments, without proof; for
            TrackAndStop, LazyTrackAndStop, LinGapE and LinGame

    Returns:
        Result

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.fc(cope.paper(case=2), delta=0.05, runs=10)
    """
    ...

def fb(p: Problem, budget: int | None = ..., algorithm: _AlgorithmOfFb | type[Any] | None = ..., xi: _Number | _Xi | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., kernel_is: _KernelIs | None = ..., runs: int | None = ..., seed: int | None = ..., delta: _Number | None = ..., epsilon: _Number | None = ..., norm: _Number | None = ..., unit: _Number | None = ..., rewards: RewardFunction | Callable[..., Any] | None = ..., reward_norm: _Number | None = ..., total: int | None = ..., rounds: int | None = ..., batch: int | None = ...) -> Result:
    """Simulates a fixed-budget algorithm, which finds the best arms with a given number of samples.

    Parameters:
        p (a problem):
            The problem
        budget (a whole number, at least 1 and at most 1e12, optional):
            Pulls per agent, on average over the agents; the most of each agent in a campaign, and for
            CoBayesFB with its posterior
        algorithm ("CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "GPUCB", "TopTwoThompson", "KnowledgeGradient", "OCBA", "BestElsewhere", "Oracle" or an algorithm of your own, default "CoBayesFB"; also a class with plan, learn and answers):
            The algorithm to run
        xi (a number, "auto" or "gp", at least 0, optional):
            Regularisation ξ: a number; "auto", the largest that the theorems allow (for CoBayesFB,
            least squares); or "gp", the posterior of a Gaussian process with the kernel as prior; by
            default "gp" for CoBayesFB and "auto" for others; for CoKernelFB, CoKernelFB-IndAlloc,
            IndKernelFB, CoUniformFB, CoBayesFB and Oracle
        level (a number or "unknown", default "unknown"):
            Prior mean of posterior methods: a constant for all tasks and arms, in reward units;
            "unknown" gives it a flat prior; not for IndPeaceFB, IndUniformFB, IndPeaceFB-Pooled,
            IndUniformFB-LS, OCBA or BestElsewhere
        scale (a number or "fit", greater than 0, default "fit"):
            Signal variance of posterior methods: a factor on the kernel; "fit" fits it to the data of
            the run after each round, together with a nugget g*identity(); not for IndPeaceFB,
            IndUniformFB, IndPeaceFB-Pooled, IndUniformFB-LS, OCBA or BestElsewhere
        kernel_is ("fixed", "member" or "auto", optional):
            Role of the kernel in a posterior: "fixed", it is the prior, up to its scale; "member", a
            mixture component beside kernels that are learned in the run; "auto", all are learned; by
            default "auto" if the problem has kernel="auto", and else "fixed"; for CoBayesFB
        runs (a whole number, at least 1 and at most 100000, default 1):
            Number of independent runs
        seed (a whole number, at least 0, default 1):
            Seed of the random rewards; the same seed gives the same results
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability below which an answer counts as supported
        epsilon (a number, at least 0, default 0):
            An arm this close to the best is good enough, in reward units
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit`
            (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth
            kernel; others use the norm of the known means by default; not for IndUniformFB, GPUCB,
            TopTwoThompson, KnowledgeGradient, OCBA or BestElsewhere
        unit (a number, greater than 0, optional):
            Normalisation: reward units of one normalised unit; by default the largest noise
        rewards (a reward function, optional; also a Python function):
            A function that draws rewards instead of the problem: a Go func bound by session.Put, or a
            Python function f(task, arm, count) that returns the mean of count rewards
        reward_norm (a number, greater than 0, optional):
            The bound `norm` in reward units, without division by the noise; give only one of the two
        total (a whole number, at least 1 and at most 1e12, optional):
            Pulls of all agents together, instead of budget; they go to the tasks that need them most;
            for CoBayesFB
        rounds (a whole number, at least 1, optional):
            Number of rounds of a budget; by default up to 6; for CoBayesFB
        batch (a whole number, at least 1, default 1):
            Pulls of a round, for methods that choose one pull at a time (fb: of each agent); for GPUCB,
            TopTwoThompson, KnowledgeGradient and OCBA

    Returns:
        Result

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.fb(cope.paper(case=2), budget=7000, runs=10)
    """
    ...

def sweep(r: Result, rows: _Rows | None = ..., store: str | None = ..., **named: Any) -> Sweep:
    """Repeats the runs of a result for every combination of values.

    Parameters:
        r (a result):
            The name of a result of fc or fb
        rows ("cell" or "run", default "cell"):
            Rows of the table: "cell" for a row per combination, "run" for a row per run
        store (a string, optional):
            The path of a .jsonl file that stores finished combinations; stored combinations are not run
            again
        **named: a name or an argument that r depends on, with the list of values to try

    Returns:
        Sweep

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.sweep(r, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndKernelFC"])
    """
    ...

def fit(p: Problem, kernel: JointKernel | None = ..., mean: _Mean | None = ..., noise: _Number | FreeHyperparameter | None = ..., starts: int | None = ..., measure: int | None = ...) -> Fit:
    """Fits the free hyperparameters of the kernel to the mean rewards of a problem by maximum marginal
    likelihood. The result has intervals, a test for lack of fit, cross-validation, and the benefit of
    sharing between tasks. A kernel without free hyperparameters is only tested.

    Parameters:
        p (a problem):
            The problem
        kernel (a joint kernel, optional):
            The kernel to fit; the problem's kernel if not given
        mean ("problem", "task" or "none", default "problem"):
            The constant mean that the kernel does not explain: one for the problem, one for each task,
            or none
        noise (a number or a free hyperparameter, greater than 0, optional):
            Standard deviation of one reward: a number or a free hyperparameter; the problem's noise if
            not given
        starts (a whole number, at least 1 and at most 17, default 4):
            Number of searches, each from another start
        measure (a whole number, at least 0 and at most 1000, default 0):
            Number of simulated runs that measure the benefit of sharing: CoTestFC against IndTestFC,
            with the data's means as the truth

    Returns:
        Fit

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.fit(cope.problem("pilot.csv", kernel=cope.task(cope.rbf(cope.free(1))) * cope.arm(cope.free(1)*cope.rbf(cope.free(1)))))
    """
    ...

def fitted(f: Fit) -> JointKernel:
    """Returns the kernel of a fit, with its fitted numbers and its mean level as a term, for
    with_kernel(p, fitted(f)).

    Parameters:
        f (a fit):
            The fit

    Returns:
        JointKernel

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.fitted(f)
    """
    ...

def compare_kernels(p: Problem, kernels: _List, mean: _Mean | None = ..., noise: _Number | FreeHyperparameter | None = ..., starts: int | None = ...) -> Table:
    """Fits several kernels to the means of a problem, and compares their marginal likelihood,
    leave-one-out prediction and test for lack of fit.

    Parameters:
        p (a problem):
            The problem
        kernels (a list):
            A list of kernels; the table shows their names
        mean ("problem", "task" or "none", default "problem"):
            The constant mean that the kernel does not explain: one for the problem, one for each task,
            or none
        noise (a number or a free hyperparameter, greater than 0, optional):
            Standard deviation of one reward: a number or a free hyperparameter; the problem's noise if
            not given
        starts (a whole number, at least 1 and at most 17, default 4):
            Number of searches, each from another start

    Returns:
        Table

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.compare_kernels(cope.paper(case=2), [cope.task(cope.identity()) * cope.arm(cope.linear()), cope.arm(cope.linear())])
    """
    ...

def paired(s: Sweep, reference: _Reference, y: _Y | None = ...) -> Comparisons:
    """Compares every algorithm of a sweep with a reference: difference and ratio with 95 % intervals, from
    paired runs if the seeds are equal.

    Parameters:
        s (a sweep):
            A sweep over algorithm; it may vary other names too
        reference ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame", "Oracle", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "GPUCB", "TopTwoThompson", "KnowledgeGradient", "OCBA" or "BestElsewhere"):
            The algorithm that the others are compared with
        y ("samples", "error", "rounds" or "regret", default "samples"):
            The quantity to compare

    Returns:
        Comparisons

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.paired(s, reference="IndKernelFC")
    """
    ...

def speedup(s: Sweep, algorithm: _Algorithm | None = ..., alone: _Algorithm | None = ...) -> Speedup:
    """Measures the speedup β of [Du23, eq. (4)], and compares it with V and the prediction from the rank
    of the task kernel.

    Parameters:
        s (a sweep):
            A sweep over algorithm; it may vary other names too
        algorithm ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame" or "Oracle", default "CoKernelFC"):
            The collaborative algorithm
        alone ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame" or "Oracle", default "IndRAGE"):
            The independent algorithm

    Returns:
        Speedup

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.speedup(s, algorithm="CoKernelFC", alone="IndKernelFC")
    """
    ...

def explain(r: Result | Campaign | str, task: str | None = ...) -> Explanation:
    """Explains the state of each task of a run: the lead of its best arm over the next, the samples still
    needed, and the comparisons that eliminated the other arms. It explains the first of several runs.

    Parameters:
        r (a result, a campaign or a string):
            A result of fc or fb, or a campaign or its folder
        task (a string, optional):
            The task to explain; all tasks if not given

    Returns:
        Explanation

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.explain(cope.fc(cope.paper(case=2), algorithm="CoTestFC", max_rounds=4))
    """
    ...

def protocol(p: Problem, delta: _Number | None = ..., epsilon: _Number | None = ..., algorithm: _AlgorithmOfProtocol | None = ..., budget: int | None = ..., total: int | None = ..., rounds: int | None = ..., plate: int | None = ..., block: str | None = ..., block_size: int | None = ..., control: str | None = ..., capacity: int | None = ..., time_unit: _TimeUnit | None = ..., lease: _Number | None = ..., failed: _Number | None = ..., late: _Number | None = ..., delay: int | None = ..., attach: bool | None = ..., cost: _Number | None = ..., schedule: _Schedule | None = ..., law: _Law | None = ..., xi: _Number | _Kernel | None = ..., level: _Number | _Level | None = ..., scale: _Number | _Scale | None = ..., max_rounds: int | None = ..., max_samples: int | None = ..., norm: _Number | None = ..., gap: _Number | None = ..., unit: _Number | None = ..., misfit: _Number | None = ..., reward_norm: _Number | None = ..., batch: int | None = ..., threshold: _Threshold | None = ..., kernel_is: _KernelIs | None = ..., gaps: _Number | None = ..., runs: int | None = ..., seed: int | None = ...) -> Protocol:
    """Fixes the rules of a campaign of real measurements, and forecasts its measurements and time by
    simulation; start(…) begins the campaign. Only the forecast uses expected rewards of the table.

    Parameters:
        p (a problem):
            The problem
        delta (a number, greater than 0 and less than 1, default 0.05):
            Error probability
        epsilon (a number, at least 0, default 0):
            An arm this close to the best is good enough, in reward units
        algorithm ("CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndALBA", "IndPolyALBA", "IndKernelFC", "CoTestFC", "IndTestFC", "IndUniformFC", "CoBayesFC", "TrackAndStop", "LazyTrackAndStop", "LinGapE", "LinGame", "CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB", "IndKernelFB", "CoUniformFB", "IndPeaceFB-Pooled", "IndUniformFB-LS", "CoBayesFB", "GPUCB", "TopTwoThompson", "KnowledgeGradient", "OCBA" or "BestElsewhere", default "CoTestFC"):
            The algorithm to run; if not given, with a budget CoBayesFB
        budget (a whole number, at least 1 and at most 1e12, optional):
            Measurements per task, at most
        total (a whole number, at least 1 and at most 1e12, optional):
            Pulls of all agents together, instead of budget; they go to the tasks that need them most
        rounds (a whole number, at least 1, optional):
            Number of rounds of a budget; by default up to 6, and at most as many as full plates allow;
            with a plate or capacity but no budget, each round is one plate or one unit of time
        plate (a whole number, at least 1, optional):
            Measurements per plate: each plate is a balanced sample of its round, in random order, so
            that effects of the plate cancel
        block (a string, optional):
            The block in which the arms of a task are measured together, such as "day": lists then have
            whole blocks, and CoTestFC and CoBayesFC compare arms within a block; if not given, as in
            the problem
        block_size (a whole number, at least 1, optional):
            Arms of a task per block; all open arms if not given
        control (a string, optional):
            With block: the control arm, which is in every block of its task
        capacity (a whole number, at least 1, optional):
            Measurements that the laboratory makes per unit of time, in all tasks together; Bayesian
            algorithms make rounds of at most this size
        time_unit ("minutes", "hours", "days" or "weeks", default "days"):
            Unit of capacity and lease
        lease (a number, greater than 0, optional):
            Units of time after which a measurement without a result is handed out again, under a new id
        failed (a number, at least 0 and less than 1, optional):
            Fraction of measurements without a result, for the forecast; default: 0 without a capacity,
            else up to 0.2
        late (a number, at least 0 and less than 1, optional):
            Fraction of results that arrive late, for the forecast; default: 0 without a capacity, else
            up to 0.3
        delay (a whole number, at least 1, optional):
            Largest delay of late results in units of time, for the forecast; 5 if not given
        attach (True or False, optional):
            Whether the measurements of the table count as results of the campaign; False: only the
            kernel and the forecast use them
        cost (a number, at least 0, optional):
            Cost of one measurement, for the forecast
        schedule ("tuned" or "paper", default "tuned"):
            Pulls per round: small constants, or the constants of [Du23, Alg. 1]; for CoKernelFC,
            CoKernelFC-IndAlloc, IndRAGE, IndRAGE/V, IndALBA, IndPolyALBA and IndKernelFC
        law ("normal", "subgaussian" or "symmetric", optional):
            Noise distribution that a test assumes: normal; subgaussian (tails no heavier than normal,
            takes more samples); symmetric (within blocks, symmetric differences); by default normal,
            and with bounded= any distribution within the limits: CoTestFC tests by betting, others
            assume subgaussian; for CoTestFC, IndTestFC and IndUniformFC
        xi (a number or "auto", at least 0, default "auto"):
            Regularisation ξ: a number, or "auto", the largest that the theorems allow; for CoKernelFC,
            CoKernelFC-IndAlloc and IndKernelFC
        level (a number or "unknown", default "unknown"):
            Prior mean of posterior methods: a constant for all tasks and arms, in reward units;
            "unknown" gives it a flat prior; for CoBayesFC
        scale (a number or "fit", greater than 0, default "fit"):
            Signal variance of posterior methods: a factor on the kernel; "fit" fits it to the data of
            the run after each round, together with a nugget g*identity(); for CoBayesFC
        max_rounds (a whole number, at least 1, optional):
            Stop after this many rounds; by default 30
        max_samples (a whole number, at least 1, optional):
            Stop before more samples than this, all agents together
        norm (a number, greater than 0, optional):
            Bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit`
            (`reward_norm` states it in reward units); with it CoTestFC takes few samples under a smooth
            kernel; others use the norm of the known means by default; not for IndUniformFC, CoBayesFC,
            TrackAndStop, LazyTrackAndStop, LinGapE or LinGame
        gap (a number, greater than 0, optional):
            Lower bound on the smallest gap, in reward units; by default from the known means; for
            CoKernelFC, CoKernelFC-IndAlloc and IndKernelFC
        unit (a number, greater than 0, optional):
            Normalisation: reward units of one normalised unit; by default the largest noise
        misfit (a number, at least 0, default 0):
            Bound on the misspecification: how far any expected reward may be from what the kernel can
            represent, in reward units; for CoTestFC and IndTestFC
        reward_norm (a number, greater than 0, optional):
            The bound `norm` in reward units, without division by the noise; give only one of the two
        batch (a whole number, at least 1, default 1):
            Pulls of a round, for methods that choose one pull at a time (fb: of each agent); for
            TrackAndStop, LazyTrackAndStop, LinGapE and LinGame
        threshold ("mixture" or "heuristic", default "mixture"):
            Threshold of the likelihood ratio test of methods that choose one pull at a time: "mixture"
            is proven, "heuristic" is log((1 + log t)/δ), as in most experiments, without proof; for
            TrackAndStop, LazyTrackAndStop, LinGapE and LinGame
        kernel_is ("fixed", "member" or "auto", optional):
            Role of the kernel in a posterior: "fixed", it is the prior, up to its scale; "member", a
            mixture component beside kernels that are learned in the run; "auto", all are learned; by
            default "auto" if the problem has kernel="auto", and else "fixed"
        gaps (a number, greater than 0, optional):
            Lead of the best arm in the forecast's simulation, in reward units; if not given, the known
            means, or means drawn from the kernel as prior
        runs (a whole number, at least 0 and at most 1000, default 20):
            Simulated runs per algorithm in the forecast; if not given, fewer for more than 200 arms, at
            least 4; 0 for no forecast
        seed (a whole number, at least 0, optional):
            Seed of ids and of the order of lists; if not given, each start draws a new one

    Returns:
        Protocol

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.protocol(cope.paper(case=2), delta=0.1, plate=24, capacity=24, time_unit="days", runs=0)
    """
    ...

def start(protocol: Protocol, folder: str) -> Campaign:
    """Starts a campaign in a folder, and fixes its question, its decision rule and its data. If the folder
    already holds this campaign, it is opened, so the cell can be run again.

    Parameters:
        protocol (a protocol):
            The name of a protocol
        folder (a string):
            The path of the folder, relative to the current folder; it must be empty or not exist

    Returns:
        Campaign

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.start(cope.protocol(cope.paper(case=2), runs=0), "days")
    """
    ...

def resume(folder: str | Campaign) -> Campaign:
    """Opens a campaign and shows its state.

    Parameters:
        folder (a string or a campaign):
            The path of its folder, relative to the current folder; or a campaign, also an earlier state
            of it

    Returns:
        Campaign

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.resume("days")
    """
    ...

def ask(c: Campaign | str, by: str | None = ..., count: int | None = ..., task: str | None = ..., more: bool | None = ..., decimals: _Decimals | None = ..., retry: bool | None = ...) -> Worklist:
    """Lists what to measure next: the person's open list if results are missing, otherwise further
    measurements of the open round.

    Parameters:
        c (a campaign or a string):
            A campaign, or the path of its folder, relative to the current folder
        by (a string, optional):
            The name of the person who measures; each person has at most one open list
        count (a whole number, at least 1, optional):
            How many measurements; if not given, the capacity, a plate or the whole round
        task (a string, optional):
            List only measurements of this task
        more (True or False, default False):
            True: list further measurements although results of the last list are missing
        decimals ("comma" or "point", optional):
            Decimal mark in the file of the list: comma, with semicolons between columns, or point; if
            not given, as in the problem's table
        retry (True or False, default False):
            True: also list arms whose measurements all failed

    Returns:
        Worklist

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.ask("days", by="Ann", count=24)
    """
    ...

def tell(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ..., extra: bool | None = ...) -> Receipt:
    """Records results from a CSV file with the columns id,reward; or task,arm,reward; or
    task,arm,count,mean,sd. A row without a reward is not measured yet. A text without digits, such as
    vial broken, means that the measurement failed, as in best; a reaction without product is a result:
    enter 0. Rows already recorded are skipped, so the same growing sheet can be recorded every day.

    Parameters:
        c (a campaign or a string):
            A campaign, or the path of its folder, relative to the current folder
        file (a string; also a DataFrame):
            The file, relative to the current folder
        by (a string, optional):
            Name of the person who measures; each person has one open list at a time
        sure (True or False, default False):
            True: accept rewards that look like typing errors
        take_good (True or False, default False):
            True: record the good rows of a file in which others are wrong
        again (True or False, default False):
            True: rows with the same values as recorded results are further measurements, not copies
        tolerance (a string or a list, optional):
            Largest difference between a setting of a row and the arm's, for rows that name arms by
            columns: "temp=0.5", or a list of these
        extra (True or False, default False):
            True: if a sheet has more rows without ids than open measurements, record the rest as extra

    Returns:
        Receipt

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.tell("days", "results.csv", by="Ann")
    """
    ...

def amend(c: Campaign | str, reason: str, epsilon: _Number | None = ..., delta: _Number | None = ..., capacity: int | None = ..., withdraw: str | _List | None = ..., add: str | PathLike[str] | _Table | None = ..., by: str | None = ...) -> Campaign:
    """Changes the protocol while it runs, from the next round on, and shows how far the campaign is. Every
    campaign accepts another capacity. Algorithms that decide by a posterior (CoBayesFC) also accept
    another epsilon or delta, and arms that are withdrawn or added; tests accept only the withdrawal of
    arms that gave no result. The same change for the same reason is made only once.

    Parameters:
        c (a campaign or a string):
            A campaign, or the path of its folder, relative to the current folder
        reason (a string):
            The reason, which the report shows
        epsilon (a number, at least 0, optional):
            An arm this close to the best is good enough from now on, reward units
        delta (a number, greater than 0 and less than 1, optional):
            Error probability from now on
        capacity (a whole number, at least 0, optional):
            Pulls that the laboratory can make per unit of time from now on; 0: no limit
        withdraw (a string or a list, optional):
            Arms that cannot be measured any more: "task/arm", or a list of these
        add (a string, optional; also a DataFrame):
            A CSV file of arms and tasks to add, with columns of the problem's table; the path is
            relative to the current folder
        by (a string, optional):
            Name of the person who measures; each person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.amend("days", capacity=4, reason="a robot is away")
    """
    ...

def fail(c: Campaign | str, ids: str | _List, reason: str, by: str | None = ...) -> Campaign:
    """Reports pulls that were not measured, and shows how far the campaign is; they are handed out again.
    A reaction that ran and gave nothing is a result: record the worst possible reward (a yield of 0;
    with goal="min" the largest loss). Use fail and close only if the reason is independent of the
    option, such as a broken vial.

    Parameters:
        c (a campaign or a string):
            A campaign, or the path of its folder, relative to the current folder
        ids (a string or a list):
            The id of a pull, or a list of ids
        reason (a string):
            The reason, which the report shows
        by (a string, optional):
            Name of the person who measures; each person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.fail("days", ["K7M2PQ"], reason="the vial broke")
    """
    ...

def correct(c: Campaign | str, id: str, value: _Number, reason: str, by: str | None = ...) -> Campaign:
    """Replaces a wrong result, and shows how far the campaign is. If the round is over, later decisions
    are computed again. If one of them changes, the guarantee of the answers is heuristic.

    Parameters:
        c (a campaign or a string):
            A campaign, or the path of its folder, relative to the current folder
        id (a string):
            The id of the pull
        value (a number):
            The right reward
        reason (a string):
            The reason, which the report shows
        by (a string, optional):
            Name of the person who measures; each person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.correct("days", "K7M2PQ", 41.5, reason="read from the wrong column")
    """
    ...

def close(c: Campaign | str, round: int, reason: str, by: str | None = ...) -> Campaign:
    """Ends an open round with the results so far, and shows how far the campaign is; a finished round does
    not change. A reaction that ran and gave nothing is a result: record the worst possible reward (a
    yield of 0; with goal="min" the largest loss). Use fail and close only if the reason is independent
    of the option, such as a broken vial.

    Parameters:
        c (a campaign or a string):
            A campaign, or the path of its folder, relative to the current folder
        round (a whole number, at least 1):
            The number of the round
        reason (a string):
            The reason, which the report shows
        by (a string, optional):
            Name of the person who measures; each person has one open list at a time

    Returns:
        Campaign

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.close("days", round=3, reason="the freezer failed")
    """
    ...

def attach(c: Campaign | str, file: str | PathLike[str] | _Table, by: str | None = ..., sure: bool | None = ..., take_good: bool | None = ..., again: bool | None = ..., tolerance: str | _List | None = ...) -> Receipt:
    """Records earlier or other measurements, task,arm,reward or task,arm,count,mean,sd, that belong to no
    round. They guide what is measured next. Tests do not use them for decisions; posterior methods use
    all of them. Rows already attached are skipped, also from a renamed file.

    Parameters:
        c (a campaign or a string):
            A campaign, or the path of its folder, relative to the current folder
        file (a string; also a DataFrame):
            The file, relative to the current folder
        by (a string, optional):
            Name of the person who measures; each person has one open list at a time
        sure (True or False, default False):
            True: accept rewards that look like typing errors
        take_good (True or False, default False):
            True: record the good rows of a file in which others are wrong
        again (True or False, default False):
            True: rows with the same values as recorded results are further measurements, not copies
        tolerance (a string or a list, optional):
            Largest difference between a setting of a row and the arm's, for rows that name arms by
            columns: "temp=0.5", or a list of these

    Returns:
        Receipt

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.attach("days", "pilot.csv", by="Ann")
    """
    ...

def plot(value: Answer | Sweep | Result | _List | Bounds | Plan | Hardness | Spectrum | Design | Comparisons | Speedup | Fit | Campaign, x: str | None = ..., y: str | _List | None = ..., file: str | None = ..., panel: str | None = ..., title: str | None = ..., xlabel: str | None = ..., ylabel: str | None = ..., logx: bool | None = ..., logy: bool | None = ..., xlim: _List | None = ..., ylim: _List | None = ..., width: _Number | None = ..., reference: bool | None = ..., task: str | None = ..., where: Problem | None = ...) -> Figure:
    """Draws a figure of an answer, a sweep, a result, several results, bounds, a plan, hardness, a
    spectrum, a design, comparisons, a speedup, a fit or a campaign.

    Parameters:
        value (an answer, a sweep, a result, a list, bounds, a plan, hardness, a spectrum, a design, comparisons, a speedup, a fit or a campaign):
            What to draw; a list compares results
        x (a string, optional):
            The x axis: a swept name; for a result, task or round
        y (a string or a list, optional):
            The measure to draw, by default the first; for a sweep or several results also a list of
            measures; for a sweep each unit has a panel. Measures for an answer: reward; for a sweep or
            several results: samples, samples_total, ratio, lower_bound, theorem, corollary_a,
            corollary_b, corollary_c, misfit_bound, theorem_error, corollary_a_error, corollary_b_error,
            corollary_c_error, information_gain, effective_dimension, rank_joint, rounds, messages,
            bytes, bytes_raw, bytes_theta, error, decided_error, task_error, undecided, regret or
            relative_regret; for a result: estimate, alive, pulls, rho or open; for bounds: samples,
            budget or error; for a plan: samples, samples_total, rounds, cost or time; for hardness:
            gap, rho_alone or weight; for a spectrum: eigenvalue; for a design: weight; for comparisons:
            ratio or difference; for a speedup: beta; for a fit: similarity or residual; for a campaign:
            open, decided or samples
        file (a string, optional):
            Also write the figure to this file, as .svg, .pdf, .png or .tex
        panel (a string, optional):
            A swept name; the figure has a panel for each of its values
        title (a string, optional):
            The title, instead of the default; "" for none
        xlabel (a string, optional):
            Label of the x axis, instead of the default
        ylabel (a string, optional):
            Label of the y axis, instead of the default
        logx (True or False, optional):
            True: logarithmic x axis; False: linear; if not given, chosen to suit the values
        logy (True or False, optional):
            True: logarithmic y axis; False: linear; if not given, chosen to suit the values
        xlim (a list, optional):
            Limits of the x axis, [from, to]; points outside are not drawn
        ylim (a list, optional):
            Limits of the y axis, [from, to]; points outside are drawn at the edge, as open triangles
        width (a number, at least 1 and at most 2, optional):
            Width of the figure in columns of a two-column page: 1 is 8.5 cm, 2 is 17.6 cm; the font
            size stays the same
        reference (True or False, default True):
            False: leave out reference lines such as lower bounds
        task (a string, optional):
            With where=, the only task to draw
        where (a problem, optional):
            The problem of a result: draw which arms of the first run were still open, round by round,
            in the plane of the two features x and y

    Returns:
        Figure

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.plot(s, x="gap", y="samples")
    """
    ...

def compare(r: Result | Problem, *more: Any, **named: Any) -> Table:
    """Shows results side by side in a table.

    Parameters:
        r (a result or a problem):
            A result, or a problem with algorithm=
        *more: further results
        **named: algorithm=[…] runs r with each of these and compares the results. For a problem,
        arguments of fc are also allowed, or of fb with budget or total

    Returns:
        Table

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.compare(r, b)
    """
    ...

def measures(s: Sweep, y: str | _List | None = ...) -> Table:
    """Shows chosen measures of a sweep as a table, with a row for each result.

    Parameters:
        s (a sweep):
            A sweep
        y (a string or a list, optional):
            A measure or a list of them, as in plot; if not given, all

    Returns:
        Table

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.measures(s, y=["samples", "rounds"])
    """
    ...

def field_book(a: Answer, seed: int | None = ...) -> Table:
    """Lists the measurements that best proposes, one in a row, in random order within each block, with
    columns to fill in; save it as .xlsx or .csv, or for paper as .pdf.

    Parameters:
        a (an answer):
            An answer of best with next=
        seed (a whole number, at least 0, default 1):
            Seed of the random order

    Returns:
        Table

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.field_book(cope.best(cope.problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), next=24))
    """
    ...

def save(value: Any, path: str) -> None:
    """Writes a value to a file: .csv .xlsx .parquet .json .md .html .docx .tex .txt, figures also .svg
    .pdf .png; a figure as .tex includes a .pdf file beside it; Chromium prints other values as .pdf.

    Parameters:
        value (any value):
            What to write
        path (a string):
            The path of the file, relative to the current folder; its extension selects the format

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.save(s, "fc.csv")
    """
    ...

def show(value: Any) -> Any:
    """Displays a value; a name alone in a line does the same.

    Parameters:
        value (any value):
            What to show

    Returns:
        Value

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.show(r)
    """
    ...

def clear() -> None:
    """Clears what the cell has shown so far; outside a notebook it does nothing.

    Example:
        cope.clear()
    """
    ...

def print(value: Any, *more: Any) -> str:
    """Returns values as one text, separated by spaces: a text unchanged, a number with up to ten digits, a
    kernel as script text with the formulas that it uses, a result as displayed in a terminal.

    Parameters:
        value (any value):
            What to print; a text may contain values in braces
        *more: further values

    Returns:
        str

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

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
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.tanh(1)
    """
    ...

def min(x: _Number | _List, *more: Any) -> Any:
    """Smallest of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.min([1, 2, 3])
    """
    ...

def max(x: _Number | _List, *more: Any) -> Any:
    """Largest of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.max([1, 2, 3])
    """
    ...

def sum(x: _Number | _List, *more: Any) -> Any:
    """Sum of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.sum([1, 2, 3])
    """
    ...

def mean(x: _Number | _List, *more: Any) -> Any:
    """Mean of a list, or of several numbers.

    Parameters:
        x (a number or a list):
            A list, or the first of several numbers
        *more: further numbers

    Returns:
        float

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.mean([1, 2, 3])
    """
    ...

def len(x: _List | str) -> Any:
    """Number of elements of a list, or of characters of a text.

    Parameters:
        x (a list or a string):
            A list or a text

    Returns:
        float

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.len([1, 2, 3])
    """
    ...

def round(x: _Number | _List, digits: int | None = ...) -> Any:
    """Rounds to a whole number, or to a number of digits after the point; a list element by element.

    Parameters:
        x (a number or a list):
            A number or a list
        digits (a whole number, at least 0 and at most 15, default 0):
            Number of digits after the point

    Returns:
        float

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction

    Example:
        cope.round(2/3, digits=2)
    """
    ...

def linspace(from_: _Number, to: _Number, n: int) -> Any:
    """N equally spaced numbers from one number to another, both included.

    Parameters:
        from_ (a number):
            The first number
        to (a number):
            The last number
        n (a whole number, at least 2 and at most 1000000):
            Number of values

    Returns:
        list

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.linspace(0, 1, 5)
    """
    ...

def range(from_: _Number, to: _Number, step: _Number | None = ...) -> Any:
    """Numbers from one to another in steps; with steps of 1 the same as from..to.

    Parameters:
        from_ (a number):
            The first number
        to (a number):
            The limit of the numbers; included if a step ends there
        step (a number, default 1):
            Distance between the numbers; negative for a falling list

    Returns:
        list

    Raises:
        CopeError: an argument or the data are wrong; the message names the place and suggests a correction
        Interrupted: Ctrl-C was pressed; its attribute partial is the finished part

    Example:
        cope.range(0.1, 0.5, step=0.1)
    """
    ...

