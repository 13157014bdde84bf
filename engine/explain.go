package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Explanation shows how far a run is and what decided each arm: the first run of a result, as it
// stood at its end or when it was interrupted.
type Explanation struct {
	Mode      string `json:"mode"`
	Algorithm string `json:"algorithm"`
	Problem   string `json:"problem"`
	Status    Status `json:"status"` // of the result
	Asked     int    `json:"runs_asked"`
	Goal      string `json:"goal,omitempty"` // of the result: "min" where lower rewards are better

	Words problem.Words `json:"-"` // of the result

	Rounds  int     `json:"rounds"`
	Samples float64 `json:"samples"` // all agents together
	// further samples, all agents together, until all tasks of the run are decided
	Remaining float64           `json:"remaining"`
	Tasks     []TaskExplanation `json:"tasks"` // in task order
}

// TaskExplanation explains one task.
type TaskExplanation struct {
	Progress Progress `json:"progress"`
	// those that may still be the answer, Progress.Leader included, when there are several
	Arms       []string      `json:"arms,omitempty"`
	Eliminated []Elimination `json:"left,omitempty"` // the others, in the order in which they left
}

// Explain explains the first run of a result, or one of its tasks. It is an error when the result
// has no such task or no run.
func Explain(r Result, task string) (Explanation, error) {
	out := Explanation{Mode: r.Mode, Algorithm: r.Algorithm, Problem: r.Problem, Status: r.Status, Asked: r.Asked,
		Goal: r.Goal, Words: r.Words,
		Rounds: len(r.Trace), Remaining: r.Remaining}
	if len(r.Answers) == 0 {
		return out, fmt.Errorf("the result has no answers: no run got that far")
	}
	if len(r.Progress) != len(r.Answers) {
		return out, fmt.Errorf("the result does not say how far its tasks are; it was made by an earlier version or by other means")
	}
	out.Samples = lists.Sum(r.Trace, func(round RoundRecord) float64 { return float64(round.Pulls) })
	var names []string
	for v, a := range r.Answers {
		names = append(names, a.Task)
		if task != "" && a.Task != task {
			continue
		}
		eliminated := lists.Where(r.Eliminations, func(e Elimination) bool { return e.Task == a.Task })
		out.Tasks = append(out.Tasks, TaskExplanation{Progress: r.Progress[v], Arms: a.Candidates, Eliminated: eliminated})
	}
	if len(out.Tasks) == 0 {
		return out, fmt.Errorf("no task is called %q; there are %s", task, sentence.List(names, 8))
	}
	return out, nil
}

// Open returns the tasks that are not decided.
func (x Explanation) Open() []TaskExplanation {
	return slices.DeleteFunc(slices.Clone(x.Tasks), func(s TaskExplanation) bool { return s.Progress.Decided })
}

// Uncertain reports whether the gap of an open task still lies within twice its standard error, so that
// the samples it takes are very uncertain.
func (p Progress) Uncertain() bool { return !p.Decided && p.Gap < 2*p.Error }

// An Explainer is an Algorithm that can say how far it is. What it says guides people
// and decides nothing. It is worked out when asked for, at the cost of about one design a task.
type Explainer interface {
	Algorithm
	// Hardest returns what decides task v, which is open.
	Hardest(v int) Rival
	// Samples returns the further samples, all agents together, that deciding the given open tasks
	// takes, in the sense of Progress.Samples; at most the sum over them, since tasks share rounds. -1
	// when one of them cannot be decided, NaN before any data.
	Samples(tasks []int) float64
}

// Rival describes the open arm of a task that is farthest from being told from its leader.
type Rival struct {
	// "" if no arm is open, as after an interrupt between the exclusion of the last one and the
	// decision
	Arm   string
	Open  int     // arms that may still be the answer, the leader included
	Gap   float64 // estimated reward of the leader minus the rival's, reward units
	Error float64 // standard error of Gap, reward units
	// The evidence against the rival and what a decision takes, in one unit that grows as the root of
	// the samples; 0 before any data.
	Statistic, Threshold float64
	// the tasks that are the same question, v among them, in task order; nil for v alone
	Tasks []int
}

// ProgressOf returns how far each task is, in task order, and the further samples that deciding all
// of them takes, in the sense of Explainer.Samples.
func ProgressOf(x Explainer) (tasks []Progress, remaining float64) {
	answers := x.Answers()
	remaining = remainingOf(x, answers)
	tasks = make([]Progress, len(answers))
	for v, a := range answers {
		if a.Decided {
			tasks[v] = Progress{Task: a.Task, Decided: true, Leader: a.Leader, Reached: 1, Open: 1}
			continue
		}
		r := x.Hardest(v)
		tasks[v] = Progress{Task: a.Task, Leader: a.Leader, Rival: r.Arm, Gap: r.Gap, Error: r.Error,
			Reached: reached(r.Statistic, r.Threshold), Open: r.Open}
		if len(r.Tasks) > 0 && r.Tasks[0] < v {
			tasks[v].Samples = tasks[r.Tasks[0]].Samples
			continue
		}
		samples := x.Samples([]int{v})
		if remaining >= 0 && samples > remaining { // what decides all tasks decides this one
			samples = remaining
		}
		tasks[v].Samples = samples
	}
	return tasks, remaining
}

// Remaining returns the further samples that deciding all tasks takes, in the sense of
// Explainer.Samples.
func Remaining(x Explainer) float64 { return remainingOf(x, x.Answers()) }

func remainingOf(x Explainer, answers []Answer) float64 {
	open := indices.Where(len(answers), func(v int) bool { return !answers[v].Decided })
	if len(open) == 0 {
		return 0
	}
	return x.Samples(open)
}

// reached returns the fraction of the evidence that a decision takes: (statistic/threshold)², which
// grows in proportion to the samples if the gap is what it seems. It stays below 1, which is for
// what is decided.
func reached(statistic, threshold float64) float64 {
	if !(statistic > 0) || !(threshold > 0) {
		return 0
	}
	x := statistic / threshold
	return min(x*x, math.Nextafter(1, 0))
}

// ArmEstimates holds the estimates of an algorithm of every arm, N of each, reward units.
type ArmEstimates struct {
	Mean []float64 // NaN where the data say nothing of an arm
	// half of the length of a 95 % interval around Mean, of each arm by itself: the pulls are taken for
	// fixed beforehand, and no answer rests on it
	Half []float64
	// whether the interval is one of a posterior; else it is a confidence interval of the noise, which
	// leaves out what the estimator is off on average
	Posterior bool
}

// An ArmEstimator algorithm is an Algorithm that can say what it makes of every arm. What it says is for
// people and decides nothing.
type ArmEstimator interface {
	// ArmEstimates returns what the data so far say; empty before any.
	ArmEstimates() ArmEstimates
}

// A LazyArmEstimator algorithm can say later what it makes of some arms now, which with many arms is much
// less work than to say it of all of them after every round.
type LazyArmEstimator interface {
	ArmEstimator
	// DeferEstimates returns what ArmEstimates would of some arms, which rise, NaN of others; and the latest
	// estimates of all arms, of each from when it was last compared with others, by which to choose some.
	// Both are nil before any data. The function is to be called before the algorithm's context ends.
	DeferEstimates() (later func(arms []int) ArmEstimates, latest []float64)
}

// Estimates holds the estimates of one run of every arm, round by round. Of very many arms it has some: the arms of
// each task whose last estimates are best, and NaN of others.
type Estimates struct {
	Tasks     []string  // V names
	Arms      []string  // N names
	TaskOf    []int     // N: task of each arm
	Truth     []float64 // N expected rewards, nil where they are not known
	Posterior bool      // as ArmEstimates.Posterior
	// in the order of the run; of a very long one not every round, but the last
	Rounds []RoundEstimates
}

// RoundEstimates is Estimates after one round.
type RoundEstimates struct {
	Round      int       // from 1
	Mean, Half []float64 // N, as in ArmEstimates
}

// LackLevel is the probability, over all rounds of a run, that a kernel which can
// represent the rewards is said not to fit. Round r is tested at LackLevel/(r(r+1)),
// and these add up to LackLevel without knowing how many rounds there will be.
const LackLevel = 0.01

// LackOfFit is the evidence of a run against its kernel: the arms' means differ
// from the closest function of the kernel's space by more than their pure error does.
type LackOfFit struct {
	Round  int // in which the test rejected first
	PValue float64
	Level  float64 // that PValue is below
	// g of + g*identity(), reward units squared: what explains the excess; by moments
	// [DerSimonian and Kacker 2007]
	Nugget float64
	Worst  []Residual
	Alike  *AlikeArms // that explain most of it; nil where none do
	Robust bool       // whether the run estimates this and allows for it
	Scales bool       // whether it rests on noise scales that the problem states
}

// Residual is an arm that the kernel misses.
type Residual struct {
	Task, Arm    string
	Off          float64 // mean less the closest function of the kernel's space, reward units
	Standardised float64 // Off over its standard deviation
}

// AlikeArms are two arms of a task that have the same features, or nearly, and not the same rewards.
type AlikeArms struct {
	Task, Arm, Other string
	Off              float64 // mean of Other less the mean of Arm, reward units
	Standardised     float64 // Off over its standard error
}

// A KernelReliant is an Algorithm whose answers rely on a kernel that can represent the rewards.
type KernelReliant interface {
	// FitCheck returns the test of that kernel for one run; nil if no data would speak against
	// it.
	FitCheck() FitCheck
}

// A FitCheck tests a kernel on the data of a run.
type FitCheck interface {
	// Learn takes a round in. It returns the p-value of all data so far, nil where they leave
	// nothing to test, and what speaks against the kernel since the first round that rejected it.
	Learn(round int, b Batch) (p *float64, found *LackOfFit)
}
