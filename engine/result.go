package engine

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Status says how a run or a set of runs ended.
type Status string

// The ways to end. A set of runs has the status of its worst run, in this order.
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
	StatusRunning     Status = "running"     // of an explanation: a campaign goes on
)

// Words returns the status for a reader, who does not know what a word of the program means.
func (s Status) Words() string {
	if s == StatusEpsilon {
		return "within epsilon of the best"
	}
	return string(s)
}

// Interval is a mean over runs with its 95 % confidence interval (Student's t
// over the runs; a single run has the degenerate interval).
type Interval struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

// Rate is a relative frequency with its 95 % Wilson interval [Wilson 1927], of Result.TaskErrors at
// the effective number of runs.
type Rate struct {
	Count int        `json:"count"`
	Runs  int        `json:"runs"`
	Rate  float64    `json:"rate"`
	CI95  [2]float64 `json:"ci95"`
}

// Answer is the outcome of one task. Arm is empty when the data do not support a winner: then
// Candidates has every arm still possible and Leader the best estimate among them, which is a guess
// and labelled as one.
type Answer struct {
	Task       string   `json:"task"`
	Arm        string   `json:"arm"`                  // the answer; "" when undecided
	Decided    bool     `json:"decided"`              // whether the guarantee asked for backs Arm
	Leader     string   `json:"leader"`               // what Arm would be, among Candidates
	Estimate   float64  `json:"estimate"`             // estimated reward of Leader, reward units
	Candidates []string `json:"candidates,omitempty"` // arms not eliminated, when more than one
	// largest certified bound on (best - Leader), reward units; 0 when Leader alone is left
	Margin float64 `json:"margin"`
	// the truly best arm, when the expected rewards are known (simulation)
	Best    string `json:"best,omitempty"`
	Correct *bool  `json:"correct,omitempty"` // whether Leader is Best (simulation)
}

// Rule is the reason why an arm was dropped.
type Rule string

// The rules.
const (
	// a gap of the literal threshold [Du23, Alg. 1, l. 14]
	RulePaper Rule = "2^-r"
	// a gap of the arm's own confidence width: the tuned schedule
	RuleInterval Rule = "confidence interval"
	RuleEpsilon  Rule = "within epsilon"   // the leader is good enough (PAC)
	RuleHalved   Rule = "dimension halved" // [Du23, Alg. 2, l. 12]
	// IndPeaceFB: the Gaussian width instead of the dimension
	RuleNarrowed Rule = "width halved"
	RuleLargest  Rule = "largest estimate" // one uniform round
	// CoTestFC: the rounds together reject that the arm is best
	RuleCombination Rule = "combination test"
	// CoBayesFC: the posterior makes no arm of the task much better than the leader
	RulePosterior Rule = "posterior"
	RuleSame      Rule = "same to the kernel" // CoTestFC: an arm before it is the same arm
	RuleWithdrawn Rule = "withdrawn"          // it was taken out of its task while the run went on
)

// ByRank reports whether the rule takes the lower part of a set by estimate, without a test of its arms.
func (r Rule) ByRank() bool { return r == RuleHalved || r == RuleNarrowed }

// Elimination is one line of the audit trail: why an arm was dropped.
type Elimination struct {
	Round int     `json:"round"` // 0 when it left before any data
	Task  string  `json:"task"`
	Arm   string  `json:"arm"`
	Rival string  `json:"rival"` // the arm it lost against
	Gap   float64 `json:"gap"`   // estimated reward of Rival minus Arm's, reward units
	// the threshold that Gap reached, reward units; for "dimension halved" and "width halved",
	// which have none, a bound on the standard error of Gap
	Width float64 `json:"width"`
	Rule  Rule    `json:"rule"`
}

// Progress shows how far a task is from its stop, and why.
type Progress struct {
	Task    string `json:"task"`
	Decided bool   `json:"decided"`
	Leader  string `json:"leader"`
	// the open arm that is farthest from being told from Leader; "" when decided
	Rival string `json:"rival,omitempty"`
	// estimated reward of Leader minus Rival's, reward units
	Gap   float64 `json:"gap"`
	Error float64 `json:"error"` // standard error of Gap, reward units
	// Reached is the share of the evidence against Rival that a decision takes, 0 to 1, and 1 for
	// what is decided: (statistic/threshold)², which grows in proportion to the samples.
	Reached float64 `json:"reached"`
	// Samples is an estimate of the further samples, all agents together, that deciding the task by
	// itself takes, if Leader is best and ahead by what Gap and Error let expect. It is very
	// uncertain while Gap is within two errors, and in the first two rounds mostly far too small.
	// -1 when the task cannot be decided, NaN before any data.
	Samples float64 `json:"samples"`
	Open    int     `json:"open"` // arms that may still be the answer, Leader included
}

// What backs the answers of a result.
const (
	// a theorem whose conditions hold, as far as they can be checked
	StandingProven = "proven"
	// a theorem with a condition that holds approximately, or was assumed from the same data
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
	Digest   string  `json:"digest"`   // of the plan and all before it: replicas that differ notice
	// whether other pulls were made than planned, which Pulls then counts; see Steps.Amend
	Amended bool `json:"amended,omitempty"`
	// LackOfFit is the p-value of the test whether the kernel can represent the rewards, of all
	// data so far; nil where they leave nothing to test.
	LackOfFit *float64 `json:"lack_of_fit_p,omitempty"`
}

// Result is the value of fc and fb: plain data over one or many runs.
// Samples are per agent unless named otherwise; rewards and gaps are in the
// units of the data.
type Result struct {
	Mode      string `json:"mode"` // "fc" or "fb"
	Algorithm string `json:"algorithm"`
	Schedule  string `json:"schedule"` // "" where it says nothing to the algorithm
	Problem   string `json:"problem"`
	Status    Status `json:"status"`
	// the name that a script has bound it to; "" without one
	Name   string `json:"name,omitempty"`
	Kernel string `json:"kernel,omitempty"` // of the problem, as text; a long one abridged
	Noise  string `json:"noise,omitempty"`  // what is known of the noise of the problem, and its scale
	// the form that the computation had, one of the Regime constants of model; "" of algorithms of one's own
	Regime string `json:"regime,omitempty"`
	// further options that are not at their defaults
	Stated []Setting `json:"options,omitempty"`
	// finished runs; 0 when the first one was interrupted; samples, rounds and messages
	// are then its own
	Runs  int `json:"runs"`
	Asked int `json:"runs_asked"`

	Delta   float64 `json:"delta,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
	Budget  int     `json:"budget,omitempty"` // T, pulls per agent
	Ridge   float64 `json:"ridge"`            // ξ, normalised units
	// the bound on the norm of the reward function that was stated, in reward units; 0 where none was
	NormBound float64 `json:"norm_bound,omitempty"`
	Tasks     int     `json:"tasks"`
	Arms      int     `json:"arms"`
	// "min" where lower rewards are better; gaps, margins and regrets are then
	// what a reward is above a lower one, and rewards have the sign of the data
	Goal string `json:"goal,omitempty"`
	// what the table of the problem calls tasks, arms and rewards
	Words problem.Words `json:"columns,omitzero"`
	// whether the expected rewards of the simulation are means of measurements: what counts as right is then the arm
	// with the highest mean, which may be the best by luck
	Sampled bool `json:"means_measured,omitempty"`
	// whether each run drew its expected rewards from what the measurements of the problem say; its answers are
	// graded by these
	Drawn bool `json:"truth_drawn,omitempty"`

	SamplesPerAgent Interval `json:"samples_per_agent"`
	SamplesTotal    float64  `json:"samples_total"` // mean over runs
	Rounds          float64  `json:"rounds"`        // mean over runs
	MaxRounds       int      `json:"rounds_max"`
	// mean over runs; one broadcast of an agent is one message
	Messages float64 `json:"messages"`
	Bytes    float64 `json:"bytes"` // mean over runs, of all messages on the wire
	// BytesRaw and BytesTheta are the bytes that the same rounds of the same runs would take
	// with every reward sent by itself, and with an explicit θ̂ per agent and round.
	BytesRaw   float64 `json:"bytes_raw,omitempty"`
	BytesTheta float64 `json:"bytes_theta,omitempty"`

	// Errors counts runs with at least one wrong task: a task told a wrong winner
	// (FC), or whose Leader is wrong (FB). Absent truth leaves Runs at 0.
	Errors    Rate `json:"errors"`
	Undecided Rate `json:"undecided"` // runs with at least one task undecided
	// DecidedErrors counts runs with a decided answer that is wrong, which is what a guarantee bounds.
	// Absent truth leaves Runs at 0.
	DecidedErrors Rate `json:"decided_errors"`
	DecidedTasks  int  `json:"decided_tasks"` // pairs of a run and a task that it decided
	// TaskErrors is the share of (run, task) pairs whose Leader is not a best arm. Its Runs are
	// pairs; its interval uses runs, since the tasks of a run may err together.
	TaskErrors Rate `json:"task_errors"`
	// Regret is the mean over tasks of best - Leader, reward units; RelativeRegret
	// divides each by best - median arm of its task.
	Regret         Interval `json:"regret"`
	RelativeRegret Interval `json:"relative_regret"`

	Answers      []Answer      `json:"answers"`                // of the first run
	Trace        []RoundRecord `json:"trace,omitempty"`        // of the first run
	Eliminations []Elimination `json:"eliminations,omitempty"` // of the first run
	// of the first run, where the algorithm says how far it is
	Progress []Progress `json:"progress,omitempty"`
	// further samples, all agents together, that deciding the first run takes; as Samples of Progress
	Remaining float64 `json:"remaining,omitempty"`
	// why pulls of a fixed budget are left, of the first run that left any; "" where none did
	Unspent string `json:"unspent,omitempty"`

	// T* kl(δ, 1-δ) / V, per agent; 0 when unknown
	LowerBoundSamples float64 `json:"lower_bound_samples"`
	RatioToLowerBound float64 `json:"ratio_to_lower_bound"`
	// what the answers are backed by, in a sentence
	Guarantee string `json:"guarantee"`
	// "proven", "heuristic" or "none": that sentence in a word
	Standing string    `json:"standing,omitempty"`
	Warnings []Warning `json:"warnings,omitempty"`
	Seed     uint64    `json:"seed"`

	Detail *Detail `json:"detail,omitempty"` // run by run; of the results of a sweep
	// of the first run; nil unless asked for, and where the algorithm is not ArmEstimator. It is as large
	// as rounds times arms, so that no file has it
	Estimates *Estimates `json:"-"`
}

// Ended says how the runs ended: their status, and what is left of a budget.
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

// Detail is a Result run by run, in the order of the runs: what a sweep keeps so that
// runs that share seeds can be compared in pairs. Slices have one entry per
// finished run; Wrong, WrongTasks and Regret are empty where the truth is unknown.
type Detail struct {
	Run        []int     `json:"run"`     // number of the run, from 1
	Samples    []float64 `json:"samples"` // per agent
	Rounds     []int     `json:"rounds"`
	Undecided  []bool    `json:"undecided"`
	Wrong      []bool    `json:"wrong,omitempty"`
	WrongTasks []int     `json:"wrong_tasks,omitempty"`
	Regret     []float64 `json:"regret,omitempty"` // reward units

	TaskRank int `json:"task_rank"` // rank K_Z
	// Σ_v ρ*_v(ξ) / ρ*(ξ): the speedup β that the hardness predicts; 0 when unknown
	Speedup float64 `json:"speedup"`
	// what the theorem about the algorithm promises: samples per agent (fc), an error probability
	// (fb); 0 without a theorem
	Theorem float64 `json:"theorem"`
}
