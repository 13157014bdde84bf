package engine

import "math"

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
	// "" where no arm is open, as after an interrupt between the exclusion of the last one and the
	// decision
	Arm   string
	Open  int     // arms that may still be the answer, the leader included
	Gap   float64 // estimated reward of the leader minus that of the rival, reward units
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
	var open []int
	for v, a := range answers {
		if !a.Decided {
			open = append(open, v)
		}
	}
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
