package engine

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Status states how a run or a set of runs ended.
type Status string

// The statuses, from best to worst. A set of runs has the status of its worst run.
const (
	// every task has an answer with the requested guarantee
	StatusDecided Status = "decided"
	// PAC: the answer of every task is within epsilon of its best arm
	StatusEpsilon Status = "within eps"
	StatusBudget  Status = "budget used" // fixed budget: all allowed pulls were made
	// fixed budget: the run ended before all allowed pulls were made; Result.Unspent has the reason
	StatusLeft   Status = "budget left"
	StatusRounds Status = "round limit" // a task is undecided, and MaxRounds is reached
	// a task is undecided, and the next round would exceed MaxSamples
	StatusSamples     Status = "sample limit"
	StatusInterrupted Status = "interrupted" // stopped from outside; the finished part is kept
	StatusRunning     Status = "running"     // only in explanations: the campaign continues
)

// Words returns the status as text for readers.
func (s Status) Words() string {
	switch s {
	case StatusEpsilon:
		return "within epsilon of the best"
	case StatusLeft:
		return "ended before the budget was used"
	}
	return string(s)
}

// Interval is a mean over runs and its 95 % confidence interval (Student's t over the runs). For one run, both ends equal the
// mean.
type Interval struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

// Rate is a relative frequency and its 95 % Wilson interval [Wilson 1927]. The interval of Result.TaskErrors is based on the
// effective number of runs.
type Rate struct {
	Count int        `json:"count"`
	Runs  int        `json:"runs"`
	Rate  float64    `json:"rate"`
	CI95  [2]float64 `json:"ci95"`
}

// Answer is the recommendation for one task. If the data do not single out an arm, Arm is empty, Candidates has every arm that
// may still be best, and Leader has the best estimate of them.
type Answer struct {
	Task       string   `json:"task"`
	Arm        string   `json:"arm"`                  // recommended arm; "" if undecided
	Decided    bool     `json:"decided"`              // whether the guarantee covers the recommendation
	Leader     string   `json:"leader"`               // arm with the best estimate among the candidates
	Estimate   float64  `json:"estimate"`             // estimated reward of Leader, in reward units
	Candidates []string `json:"candidates,omitempty"` // arms that are not eliminated, if there are several
	// proven upper bound on the best reward minus that of Leader, in reward units; 0 if only Leader is left
	Margin float64 `json:"margin"`
	// the truly best arm, if the expected rewards are known (in simulation)
	Best    string `json:"best,omitempty"`
	Correct *bool  `json:"correct,omitempty"` // whether Leader is Best (in simulation)
}

// Rule is the rule by which an arm was eliminated.
type Rule string

// The rules.
const (
	// the gap reached the literal threshold [Du23, Alg. 1, l. 14]
	RulePaper Rule = "2^-r"
	// tuned schedule: the estimated gap reached its own confidence width
	RuleInterval Rule = "confidence interval"
	RuleEpsilon  Rule = "within epsilon"   // PAC: the arm can be at most epsilon better than the leader
	RuleHalved   Rule = "dimension halved" // [Du23, Alg. 2, l. 12]
	// IndPeaceFB: the Gaussian width was halved, instead of the dimension
	RuleNarrowed Rule = "width halved"
	RuleLargest  Rule = "largest estimate" // the arm did not have the largest estimate after one uniform round
	// CoTestFC: all rounds together reject the hypothesis that the arm is best
	RuleCombination Rule = "combination test"
	// CoBayesFC: the posterior probability that an arm of the task is much better than the leader is small
	RulePosterior Rule = "posterior"
	RuleSame      Rule = "same to the kernel" // CoTestFC: an earlier arm has the same features, so the kernel cannot distinguish the two
	RuleWithdrawn Rule = "withdrawn"          // the arm was withdrawn during the run
)

// ByRank reports whether the rule eliminates the arms with the lowest estimates without testing them.
func (r Rule) ByRank() bool { return r == RuleHalved || r == RuleNarrowed }

// Elimination is one entry of the audit trail: an eliminated arm and the reason.
type Elimination struct {
	Round int     `json:"round"` // 0 if eliminated before any data
	Task  string  `json:"task"`
	Arm   string  `json:"arm"`
	Rival string  `json:"rival"` // arm with which it was compared
	Gap   float64 `json:"gap"`   // estimated reward of Rival minus that of Arm, in reward units
	// threshold that Gap reached, in reward units. The rules "dimension halved" and "width halved" have no threshold; for them
	// Width bounds the standard error of Gap
	Width float64 `json:"width"`
	Rule  Rule    `json:"rule"`
}

// Progress describes how far a task is from its decision.
type Progress struct {
	Task    string `json:"task"`
	Decided bool   `json:"decided"`
	Leader  string `json:"leader"`
	// open arm whose comparison with Leader needs the most samples; "" if decided
	Rival string `json:"rival,omitempty"`
	// estimated reward of Leader minus that of Rival, in reward units
	Gap   float64 `json:"gap"`
	Error float64 `json:"error"` // standard error of Gap, in reward units
	// Reached is the collected fraction of the evidence against Rival, from 0 to 1; 1 if decided. It is (statistic/threshold)²,
	// which grows linearly with the samples.
	Reached float64 `json:"reached"`
	// Samples is the estimated number of further samples, summed over all agents, until this task alone is decided. It assumes
	// that Leader is best and Gap is right. It is very uncertain while Gap is below two standard errors, and usually far too
	// small in the first two rounds. It is -1 if the task cannot be decided, and NaN before any data.
	Samples float64 `json:"samples"`
	Open    int     `json:"open"` // number of arms that may still be recommended, including Leader
}

// Types of guarantee of a result, in Result.Standing.
const (
	// a theorem covers the answers, and its conditions hold as far as they can be checked
	StandingProven = "proven"
	// a posterior probability, or a theorem with a condition that holds only approximately or was estimated from the same data
	StandingHeuristic = "heuristic"
	// no guarantee: no answer was decided, or the method has no test
	StandingNone = "none"
)

// RoundRecord describes one communication round of one run.
type RoundRecord struct {
	Round    int     `json:"round"`
	Pulls    int     `json:"pulls"` // summed over all agents
	Rho      float64 `json:"rho"`   // value of the objective that the allocation minimises, normalised
	RhoLower float64 `json:"rho_lower"`
	Rounding float64 `json:"rounding"` // achieved ratio of ROUND, at most 2(1+ε)
	Alive    int     `json:"alive"`    // arms that are not eliminated after the round, in all tasks
	Digest   string  `json:"digest"`   // hash of the plan and all earlier data; replicas with different data have different digests
	// whether the pulls differ from the plan, see Steps.Amend; Pulls is the number of pulls made
	Amended bool `json:"amended,omitempty"`
	// LackOfFit is the p-value of the test that the kernel can represent the rewards, from all data so far; nil if nothing can be
	// tested.
	LackOfFit *float64 `json:"lack_of_fit_p,omitempty"`
}

// Result is the value of the script functions fc and fb: data of one or many runs. Samples are per agent unless stated otherwise.
// Rewards and gaps are in the units of the data.
type Result struct {
	Mode      string `json:"mode"` // "fc" or "fb"
	Algorithm string `json:"algorithm"`
	Schedule  string `json:"schedule"` // "" if the algorithm has no schedule
	Problem   string `json:"problem"`
	Status    Status `json:"status"`
	// name that a script binds to this result; "" if there is none
	Name   string `json:"name,omitempty"`
	Kernel string `json:"kernel,omitempty"` // kernel of the problem as text; shortened if long
	Noise  string `json:"noise,omitempty"`  // noise model of the problem, including its scale
	// form of the computation, one of the Regime constants of package model; "" for user-defined algorithms
	Regime string `json:"regime,omitempty"`
	// other options that differ from their defaults
	Stated []Setting `json:"options,omitempty"`
	// finished runs. If the first run was interrupted, Runs is 0, and samples, rounds and messages describe that run
	Runs  int `json:"runs"`
	Asked int `json:"runs_asked"`

	Delta   float64 `json:"delta,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
	Budget  int     `json:"budget,omitempty"` // T, pulls per agent
	Ridge   float64 `json:"ridge"`            // ξ, normalised units
	// stated upper bound on the norm of the reward function, in reward units; 0 if none was stated
	NormBound float64 `json:"norm_bound,omitempty"`
	Tasks     int     `json:"tasks"`
	Arms      int     `json:"arms"`
	// "min" if lower rewards are better. Rewards have the sign of the data; gaps, margins and regrets are not negative: they are
	// higher minus lower reward
	Goal string `json:"goal,omitempty"`
	// column names for tasks, arms and rewards in the table of the problem
	Words problem.Words `json:"columns,omitzero"`
	// whether the simulation uses measured means as expected rewards. The arm with the highest measured mean then counts as best,
	// which it may be by chance
	Sampled bool `json:"means_measured,omitempty"`
	// whether each run drew its expected rewards from the posterior given the measurements; answers are then compared with the
	// drawn rewards
	Drawn bool `json:"truth_drawn,omitempty"`
	// whether Drawn rewards are from the prior, a Gaussian process with the kernel, instead of the posterior
	FromKernel bool `json:"truth_from_kernel,omitempty"`

	SamplesPerAgent Interval `json:"samples_per_agent"`
	SamplesTotal    float64  `json:"samples_total"` // mean over runs
	Rounds          float64  `json:"rounds"`        // mean over runs
	MaxRounds       int      `json:"rounds_max"`
	// mean over runs; a broadcast by one agent is one message
	Messages float64 `json:"messages"`
	Bytes    float64 `json:"bytes"` // mean over runs, for all encoded messages
	// BytesRaw is the number of bytes if every reward were sent separately, and BytesTheta if each agent sent an explicit θ̂ in
	// every round.
	BytesRaw   float64 `json:"bytes_raw,omitempty"`
	BytesTheta float64 `json:"bytes_theta,omitempty"`

	// Errors counts the runs with at least one wrong task: a wrong decided answer (fc) or a wrong Leader (fb). Errors.Runs is 0
	// if the true rewards are unknown.
	Errors    Rate `json:"errors"`
	Undecided Rate `json:"undecided"` // runs with at least one undecided task
	// DecidedErrors counts the runs with at least one wrong decided answer. A guarantee bounds the probability of this event.
	// DecidedErrors.Runs is 0 if the true rewards are unknown.
	DecidedErrors Rate `json:"decided_errors"`
	DecidedTasks  int  `json:"decided_tasks"` // number of (run, task) pairs that were decided
	// TaskErrors is the fraction of (run, task) pairs whose Leader is not a best arm. TaskErrors.Runs counts pairs. The interval
	// is based on runs, since errors within a run may be correlated.
	TaskErrors Rate `json:"task_errors"`
	// Regret is the simple regret: the mean over tasks of the best reward minus that of Leader, in reward units. RelativeRegret
	// divides it by the best minus the median reward of the task.
	Regret         Interval `json:"regret"`
	RelativeRegret Interval `json:"relative_regret"`

	Answers      []Answer      `json:"answers"`                // answers of the first run
	Trace        []RoundRecord `json:"trace,omitempty"`        // rounds of the first run
	Eliminations []Elimination `json:"eliminations,omitempty"` // of the first run
	// of the first run, unless the algorithm has only a State
	Progress []Progress `json:"progress,omitempty"`
	// estimated further samples, summed over all agents, until the first run is decided; see Progress.Samples
	Remaining float64 `json:"remaining,omitempty"`
	// reason why part of a fixed budget was not spent, in the first run for which that is so; "" if there is none
	Unspent string `json:"unspent,omitempty"`

	// lower bound T* kl(δ, 1-δ) / V on the samples per agent; 0 if unknown
	LowerBoundSamples float64 `json:"lower_bound_samples"`
	RatioToLowerBound float64 `json:"ratio_to_lower_bound"`
	// the same expression with T* for δ → 0, if a task has several correct answers, otherwise 0; not a bound for a fixed δ
	LowerBoundSamplesLimit float64 `json:"lower_bound_samples_limit,omitempty"`
	// the guarantee of the answers, as a sentence
	Guarantee string `json:"guarantee"`
	// type of the guarantee: "proven", "heuristic" or "none"
	Standing string    `json:"standing,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
	Seed     uint64    `json:"seed"`

	Detail *Detail `json:"detail,omitempty"` // data of each run, in results of a sweep
	Theory *Theory `json:"theory,omitempty"` // in results of a sweep; nil if unknown, or with many arms
}

// Ended returns the status of the runs as text, including the unspent part of a budget.
func (r Result) Ended() string {
	if r.Unspent == "" {
		return r.Status.Words()
	}
	used := r.Unspent
	if r.Budget > 0 {
		used = fmt.Sprintf("%.4g of %d samples used: %s", r.SamplesPerAgent.Mean, r.Budget, r.Unspent)
	}
	if r.Status == StatusLeft {
		return used
	}
	return fmt.Sprintf("%s, %s", r.Status, used)
}

// Theory holds the bounds of [Du23] for the problem and the options of a Result, computed by package bounds. They are bounds for
// CoKernelFC or CoKernelFB, whatever algorithm and schedule the result has: on samples per agent (fc), or on the error
// probability at the budget (fb).
type Theory struct {
	InformationGain    float64 `json:"information_gain"`    // Υ
	EffectiveDimension int     `json:"effective_dimension"` // d_eff
	RankJoint          int     `json:"rank_joint"`          // rank K_{λ*}
	Theorem            float64 `json:"theorem"`             // bound of Theorem 1 (fc) or 2 (fb)
	CorollaryA         float64 `json:"corollary_a"`         // bound by the information gain Υ
	CorollaryB         float64 `json:"corollary_b"`         // bound by the effective dimension d_eff
	CorollaryC         float64 `json:"corollary_c"`         // bound by the ranks of the kernel matrices
	// bound on samples per agent for elimination with the stated misspecification bound; 0 if the kernel cannot resolve the gap,
	// and for algorithms without such a bound
	MisfitBound float64 `json:"misfit_bound,omitempty"`
}

// Detail holds data of each run of a Result, in the order of runs, so that runs with the same seeds can be compared in pairs.
// Slices have one entry per finished run; Wrong, WrongTasks and Regret are empty if the true rewards are unknown.
type Detail struct {
	Run        []int     `json:"run"`     // number of the run, from 1
	Samples    []float64 `json:"samples"` // per agent
	Rounds     []int     `json:"rounds"`
	Undecided  []bool    `json:"undecided"`
	Wrong      []bool    `json:"wrong,omitempty"`
	WrongTasks []int     `json:"wrong_tasks,omitempty"`
	Regret     []float64 `json:"regret,omitempty"` // reward units

	TaskRank int `json:"task_rank"` // rank K_Z
	// Σ_v ρ*_v(ξ) / ρ*(ξ): the predicted speedup β; 0 if unknown
	Speedup float64 `json:"speedup"`
	// bound of the theorem that holds for these runs: on samples per agent (fc) or error probability (fb); 0 if none holds
	Theorem float64 `json:"theorem"`
}
