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

// Explanation describes, for the first run of a result, the progress of each task and the reason for each elimination, at the end
// of the run or at its interruption.
type Explanation struct {
	Mode      string `json:"mode"`
	Algorithm string `json:"algorithm"`
	Problem   string `json:"problem"`
	Status    Status `json:"status"` // status of the result
	Asked     int    `json:"runs_asked"`
	Goal      string `json:"goal,omitempty"` // "min" if lower rewards are better, as in the result

	Words problem.Words `json:"-"` // column names, copied from the result

	Rounds  int     `json:"rounds"`
	Samples float64 `json:"samples"` // samples so far, summed over all agents
	// estimated further samples, summed over all agents, until all tasks of the run are decided
	Remaining float64           `json:"remaining"`
	Tasks     []TaskExplanation `json:"tasks"` // in task order
}

// TaskExplanation describes the progress of one task.
type TaskExplanation struct {
	Progress Progress `json:"progress"`
	// arms that may still be recommended, including Progress.Leader; nil if only one remains
	Arms       []string      `json:"arms,omitempty"`
	Eliminated []Elimination `json:"left,omitempty"` // the other arms, which left the candidates, in this order
}

// Explain explains the first run of a result, for all tasks if task is "", or for one task. It returns an error if the result has
// no run or no such task.
func Explain(r Result, task string) (Explanation, error) {
	out := Explanation{Mode: r.Mode, Algorithm: r.Algorithm, Problem: r.Problem, Status: r.Status, Asked: r.Asked,
		Goal: r.Goal, Words: r.Words,
		Rounds: len(r.Trace), Remaining: r.Remaining}
	if len(r.Answers) == 0 {
		return out, fmt.Errorf("the result has no answers, because no run was finished")
	}
	if len(r.Progress) != len(r.Answers) {
		return out, fmt.Errorf("the result has no record of how far its tasks are. It was made by another program. " +
			"Run it again")
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

// Open returns the undecided tasks.
func (x Explanation) Open() []TaskExplanation {
	return slices.DeleteFunc(slices.Clone(x.Tasks), func(s TaskExplanation) bool { return s.Progress.Decided })
}

// Uncertain reports whether the task is open and its gap is below twice its standard error. Progress.Samples is then very
// uncertain.
func (p Progress) Uncertain() bool { return !p.Decided && p.Gap < 2*p.Error }

// Rival describes the open arm of a task whose comparison with the leader needs the most further samples.
type Rival struct {
	// "" if no arm is open, because the run was interrupted between the last elimination and the decision
	Arm   string
	Open  int     // number of arms that may still be recommended, including the leader
	Gap   float64 // estimated reward of the leader minus that of the rival, in reward units
	Error float64 // standard error of Gap, in reward units
	// test statistic for leader against rival, and its boundary, on a scale that grows with the square root of the samples; 0
	// before any data
	Statistic, Threshold float64
	// tasks with the same arms and features, including v, in task order; nil if there is only v
	Tasks []int
}

// ProgressOf returns the progress of each task, in task order, and the estimated further samples until all are decided, see
// Detailed.Samples. If the algorithm has only a State, it reports no progress and tasks is nil.
func ProgressOf(x Detailed) (tasks []Progress, remaining float64) {
	if _, own := x.(*whole); own {
		return nil, 0
	}
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
		if remaining >= 0 && samples > remaining { // once all tasks are decided, this one is too
			samples = remaining
		}
		tasks[v].Samples = samples
	}
	return tasks, remaining
}

// Remaining returns the estimated further samples until all tasks are decided, see Detailed.Samples.
func Remaining(x Detailed) float64 { return remainingOf(x, x.Answers()) }

func remainingOf(x Detailed, answers []Answer) float64 {
	open := indices.Where(len(answers), func(v int) bool { return !answers[v].Decided })
	if len(open) == 0 {
		return 0
	}
	return x.Samples(open)
}

// reached returns the collected fraction of the evidence, (statistic/threshold)², which grows linearly with the samples if the
// estimated gap is right. It stays below 1, because 1 means decided.
func reached(statistic, threshold float64) float64 {
	if !(statistic > 0) || !(threshold > 0) {
		return 0
	}
	x := statistic / threshold
	return min(x*x, math.Nextafter(1, 0))
}

// LackLevel is the significance level of the tests of the kernel and of the noise, over all rounds of a run. Round r is tested at
// LackLevel/(r(r+1)); these levels add up to at most LackLevel for any number of rounds.
const LackLevel = 0.01

// LackOfFit is the evidence of a run against its kernel. The means of the arms differ from the closest function of the kernel's
// space by more than their standard errors explain.
type LackOfFit struct {
	Round  int // first round whose test rejected the kernel
	PValue float64
	Level  float64 // significance level of that round; PValue is below it
	// coefficient g of a term g*identity() that would explain the excess, in reward units²; estimated by the method of moments
	// [DerSimonian and Kacker 2007]
	Nugget float64
	Worst  []Residual
	Alike  *AlikeArms // pair of arms that explains most of the excess; nil if there is none
	Scales bool       // whether the test uses noise scales stated in the problem
}

// Residual describes an arm whose reward the kernel cannot represent.
type Residual struct {
	Task, Arm    string
	Off          float64 // mean minus the closest function of the kernel's space, in reward units
	Standardised float64 // Off divided by its standard deviation
}

// AlikeArms describes two arms of a task with equal or nearly equal features but different rewards.
type AlikeArms struct {
	Task, Arm, Other string
	Off              float64 // mean of Other minus mean of Arm, in reward units
	Standardised     float64 // Off divided by its standard error
}

// A FitCheck tests the kernel on the data of a run.
type FitCheck interface {
	// Learn adds the data of a round. p is the p-value of all data so far; nil if nothing can be tested. found is the evidence of
	// the first round whose test rejected the kernel; nil before that.
	Learn(round int, b Batch) (p *float64, found *LackOfFit)
}
