package engine

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Status states how a run or a set of runs ended.
type Status string

// The statuses. A set of runs has the status of its worst run, in this order.
const (
	// every task has an answer with the guarantee asked for
	StatusDecided Status = "decided"
	// PAC: every task's answer is within epsilon of its best arm
	StatusEpsilon Status = "within eps"
	StatusBudget  Status = "budget used" // fixed budget: the pulls allowed are spent
	// fixed budget: the run ended before the pulls allowed were spent; Result.Unspent says why
	StatusLeft   Status = "budget left"
	StatusRounds Status = "round limit" // some task is undecided: MaxRounds were used
	// some task is undecided: the next round would exceed MaxSamples
	StatusSamples     Status = "sample limit"
	StatusInterrupted Status = "interrupted" // stopped from outside; what was finished is kept
	StatusRunning     Status = "running"     // of an explanation: a campaign continues
)

// Words returns the status as text for readers.
func (s Status) Words() string {
	if s == StatusEpsilon {
		return "within epsilon of the best"
	}
	return string(s)
}

// Interval is a mean over runs with its 95 % confidence interval (Student's t over the runs; for one run both ends equal the mean).
type Interval struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

// Rate is a relative frequency with its 95 % Wilson interval [Wilson 1927]; for Result.TaskErrors the interval uses the effective number
// of runs.
type Rate struct {
	Count int        `json:"count"`
	Runs  int        `json:"runs"`
	Rate  float64    `json:"rate"`
	CI95  [2]float64 `json:"ci95"`
}

// Answer is the outcome of one task. If the data support no winner, Arm is empty, Candidates has every arm that is still possible, and
// Leader is the one with the best estimate.
type Answer struct {
	Task       string   `json:"task"`
	Arm        string   `json:"arm"`                  // the answer; "" when undecided
	Decided    bool     `json:"decided"`              // whether the guarantee covers Arm
	Leader     string   `json:"leader"`               // candidate with the best estimate
	Estimate   float64  `json:"estimate"`             // estimated reward of Leader, reward units
	Candidates []string `json:"candidates,omitempty"` // arms not eliminated, when more than one
	// largest certified bound on (best - Leader), reward units; 0 if only Leader is left
	Margin float64 `json:"margin"`
	// the truly best arm, if the expected rewards are known (simulation)
	Best    string `json:"best,omitempty"`
	Correct *bool  `json:"correct,omitempty"` // whether Leader is Best (simulation)
}

// Rule is the rule that eliminated an arm.
type Rule string

// The rules.
const (
	// the gap reached the literal threshold [Du23, Alg. 1, l. 14]
	RulePaper Rule = "2^-r"
	// the gap reached the arm's own confidence width: the tuned schedule
	RuleInterval Rule = "confidence interval"
	RuleEpsilon  Rule = "within epsilon"   // the leader is good enough (PAC)
	RuleHalved   Rule = "dimension halved" // [Du23, Alg. 2, l. 12]
	// IndPeaceFB: the Gaussian width, instead of the dimension, was halved
	RuleNarrowed Rule = "width halved"
	RuleLargest  Rule = "largest estimate" // one uniform round
	// CoTestFC: all rounds together reject that the arm is best
	RuleCombination Rule = "combination test"
	// CoBayesFC: the posterior probability that an arm of the task is much better than the leader is small
	RulePosterior Rule = "posterior"
	RuleSame      Rule = "same to the kernel" // CoTestFC: an earlier arm has the same features
	RuleWithdrawn Rule = "withdrawn"          // the arm was withdrawn during the run
)

// ByRank reports whether the rule eliminates the arms with the lowest estimates, without a test.
func (r Rule) ByRank() bool { return r == RuleHalved || r == RuleNarrowed }

// Elimination is one entry of the audit trail: an eliminated arm and the reason.
type Elimination struct {
	Round int     `json:"round"` // 0 if eliminated before any data
	Task  string  `json:"task"`
	Arm   string  `json:"arm"`
	Rival string  `json:"rival"` // the arm it was compared with
	Gap   float64 `json:"gap"`   // estimated reward of Rival minus Arm, reward units
	// threshold that Gap reached, reward units. "dimension halved" and "width halved" have no threshold; then it is a bound on the
	// standard error of Gap
	Width float64 `json:"width"`
	Rule  Rule    `json:"rule"`
}

// Progress has the distance of a task from its decision.
type Progress struct {
	Task    string `json:"task"`
	Decided bool   `json:"decided"`
	Leader  string `json:"leader"`
	// the open arm whose comparison with Leader needs most samples; "" if decided
	Rival string `json:"rival,omitempty"`
	// estimated reward of Leader minus Rival, reward units
	Gap   float64 `json:"gap"`
	Error float64 `json:"error"` // standard error of Gap, reward units
	// Reached is the fraction of the required evidence against Rival, 0 to 1, and 1 if decided: (statistic/threshold)², which grows
	// linearly with the samples.
	Reached float64 `json:"reached"`
	// Samples is the estimated number of further samples, all agents together, to decide this task alone, if Leader is best and the gap
	// is as Gap and Error suggest. It is very uncertain while Gap is below two errors, and usually far too small in the first two rounds.
	// -1 if the task cannot be decided, NaN before any data.
	Samples float64 `json:"samples"`
	Open    int     `json:"open"` // arms that may still be the answer, Leader included
}

// Types of guarantee of a result (Result.Standing).
const (
	// a theorem whose conditions hold, as far as they can be checked
	StandingProven = "proven"
	// a theorem with a condition that holds only approximately or was estimated from the same data
	StandingHeuristic = "heuristic"
	StandingNone      = "none"
)

// RoundRecord is one communication round of one run.
type RoundRecord struct {
	Round    int     `json:"round"`
	Pulls    int     `json:"pulls"` // all agents together
	Rho      float64 `json:"rho"`   // value of the allocation's objective, normalised units
	RhoLower float64 `json:"rho_lower"`
	Rounding float64 `json:"rounding"` // achieved ratio of ROUND, ≤ 2(1+ε)
	Alive    int     `json:"alive"`    // arms left after the round, all tasks
	Digest   string  `json:"digest"`   // hash of the plan and all earlier data: replicas that differ notice it
	// whether the pulls differ from the plan, see Steps.Amend; Pulls counts the pulls made
	Amended bool `json:"amended,omitempty"`
	// LackOfFit is the p-value of the test that the kernel can represent the rewards, from all data so far; nil if there is nothing to
	// test.
	LackOfFit *float64 `json:"lack_of_fit_p,omitempty"`
}

// Result is the value of fc and fb: plain data over one or many runs. Samples are per agent unless stated otherwise; rewards and gaps are
// in the units of the data.
type Result struct {
	Mode      string `json:"mode"` // "fc" or "fb"
	Algorithm string `json:"algorithm"`
	Schedule  string `json:"schedule"` // "" if the algorithm has no schedule
	Problem   string `json:"problem"`
	Status    Status `json:"status"`
	// script variable that has this result; "" without one
	Name   string `json:"name,omitempty"`
	Kernel string `json:"kernel,omitempty"` // kernel of the problem as text; abridged if long
	Noise  string `json:"noise,omitempty"`  // noise model of the problem with its scale
	// form of the computation, one of the Regime constants of package model; "" for algorithms of your own
	Regime string `json:"regime,omitempty"`
	// further options that differ from their defaults
	Stated []Setting `json:"options,omitempty"`
	// finished runs; 0 if the first run was interrupted: samples, rounds and messages then describe that run
	Runs  int `json:"runs"`
	Asked int `json:"runs_asked"`

	Delta   float64 `json:"delta,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
	Budget  int     `json:"budget,omitempty"` // T, pulls per agent
	Ridge   float64 `json:"ridge"`            // ξ, normalised units
	// stated bound on the norm of the reward function, reward units; 0 if none was stated
	NormBound float64 `json:"norm_bound,omitempty"`
	Tasks     int     `json:"tasks"`
	Arms      int     `json:"arms"`
	// "min" if lower rewards are better. Gaps, margins and regrets are then higher minus lower reward, and rewards have the sign of the
	// data
	Goal string `json:"goal,omitempty"`
	// column names of tasks, arms and rewards in the table of the problem
	Words problem.Words `json:"columns,omitzero"`
	// whether the simulation uses means of measurements as expected rewards: the right arm is then the one with the highest mean, which
	// may be best by chance
	Sampled bool `json:"means_measured,omitempty"`
	// whether each run drew its expected rewards from the posterior given the measurements of the problem; answers are graded by these
	Drawn bool `json:"truth_drawn,omitempty"`
	// whether Drawn ones are from the kernel instead, as a Gaussian process
	FromKernel bool `json:"truth_from_kernel,omitempty"`

	SamplesPerAgent Interval `json:"samples_per_agent"`
	SamplesTotal    float64  `json:"samples_total"` // mean over runs
	Rounds          float64  `json:"rounds"`        // mean over runs
	MaxRounds       int      `json:"rounds_max"`
	// mean over runs; one broadcast of an agent is one message
	Messages float64 `json:"messages"`
	Bytes    float64 `json:"bytes"` // mean over runs, of all messages on the wire
	// BytesRaw and BytesTheta are the bytes of the same rounds if every reward were sent singly, and if each agent sent an explicit θ̂
	// per round.
	BytesRaw   float64 `json:"bytes_raw,omitempty"`
	BytesTheta float64 `json:"bytes_theta,omitempty"`

	// Errors counts runs with at least one wrong task: a wrong decided answer (FC) or a wrong Leader (FB). Its Runs are 0 if the truth is
	// unknown.
	Errors    Rate `json:"errors"`
	Undecided Rate `json:"undecided"` // runs with at least one undecided task
	// DecidedErrors counts runs with a wrong decided answer, which is the event that a guarantee bounds. Its Runs are 0 if the truth is
	// unknown.
	DecidedErrors Rate `json:"decided_errors"`
	DecidedTasks  int  `json:"decided_tasks"` // number of (run, task) pairs that were decided
	// TaskErrors is the fraction of (run, task) pairs whose Leader is not a best arm. Its Runs are pairs; its interval is based on runs,
	// since the tasks of a run may err together.
	TaskErrors Rate `json:"task_errors"`
	// Regret is the simple regret, the mean over tasks of (best - Leader), reward units. RelativeRegret divides it by (best - median arm)
	// of each task.
	Regret         Interval `json:"regret"`
	RelativeRegret Interval `json:"relative_regret"`

	Answers      []Answer      `json:"answers"`                // answers of the first run
	Trace        []RoundRecord `json:"trace,omitempty"`        // trace of the first run
	Eliminations []Elimination `json:"eliminations,omitempty"` // of the first run
	// of the first run, unless the algorithm has only a State
	Progress []Progress `json:"progress,omitempty"`
	// estimated further samples, all agents together, to decide the first run; as Progress.Samples
	Remaining float64 `json:"remaining,omitempty"`
	// why part of a fixed budget was not spent, from the first such run; "" if none
	Unspent string `json:"unspent,omitempty"`

	// T* kl(δ, 1-δ) / V, per agent; 0 when unknown
	LowerBoundSamples float64 `json:"lower_bound_samples"`
	RatioToLowerBound float64 `json:"ratio_to_lower_bound"`
	// the same with T* for δ → 0, if a task has several right answers; 0 otherwise. It is not a bound at a fixed δ
	LowerBoundSamplesLimit float64 `json:"lower_bound_samples_limit,omitempty"`
	// the guarantee of the answers, as a sentence
	Guarantee string `json:"guarantee"`
	// type of guarantee: "proven", "heuristic" or "none"
	Standing string    `json:"standing,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
	Seed     uint64    `json:"seed"`

	Detail *Detail `json:"detail,omitempty"` // per-run data, in results of a sweep
	Theory *Theory `json:"theory,omitempty"` // in results of a sweep; nil if unknown or for many arms
	// of the first run; nil unless requested and unless the algorithm has estimates. It has rounds × arms numbers, so files omit it
	Estimates *Estimates `json:"-"`
}

// Ended returns the status of the runs as text, with the unspent part of a budget.
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

// Theory has the bounds of [Du23] for the problem and the options of a Result, as package bounds computes them. The bounds are for
// CoKernelFC or CoKernelFB, under every algorithm and schedule: samples per agent (fc), or error probability at the budget (fb).
type Theory struct {
	InformationGain    float64 `json:"information_gain"`    // Υ
	EffectiveDimension int     `json:"effective_dimension"` // d_eff
	RankJoint          int     `json:"rank_joint"`          // rank K_{λ*}
	Theorem            float64 `json:"theorem"`             // Theorem 1 or 2
	CorollaryA         float64 `json:"corollary_a"`         // by Υ
	CorollaryB         float64 `json:"corollary_b"`         // by d_eff
	CorollaryC         float64 `json:"corollary_c"`         // by ranks
	// samples per agent of elimination under the stated misfit; 0 if the kernel cannot resolve the gap, or for algorithms without misfit
	MisfitBound float64 `json:"misfit_bound,omitempty"`
}

// Detail has a Result's numbers per run, in order of the runs, so that runs with the same seeds can be compared in pairs. Slices have one
// entry per finished run; Wrong, WrongTasks and Regret are empty if the truth is unknown.
type Detail struct {
	Run        []int     `json:"run"`     // number of the run, from 1
	Samples    []float64 `json:"samples"` // per agent
	Rounds     []int     `json:"rounds"`
	Undecided  []bool    `json:"undecided"`
	Wrong      []bool    `json:"wrong,omitempty"`
	WrongTasks []int     `json:"wrong_tasks,omitempty"`
	Regret     []float64 `json:"regret,omitempty"` // reward units

	TaskRank int `json:"task_rank"` // rank K_Z
	// Σ_v ρ*_v(ξ) / ρ*(ξ): the speedup β predicted by the hardness; 0 if unknown
	Speedup float64 `json:"speedup"`
	// the theorem that holds for these runs: samples per agent (fc) or error probability (fb); 0 without one
	Theorem float64 `json:"theorem"`
}
