//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// method is a column of the zoo.
type method struct {
	Name     string
	About    string // in one line, with the facts that it receives besides features
	Ours     bool   // one of this project
	revision string // results of another one are not kept
	run      runner
	stops    bool // it stops by itself; its runs are a table of their own
	// the most cells of a table that it is tried on; 0 means any number
	most int
	on   []string // the only tables that it is tried on; nil means any
}

// wanted returns how many runs the method makes where others make so many.
func (m method) wanted(runs int) int {
	if m.stops {
		return runs * stopRuns
	}
	return runs
}

// tried reports whether the method is tried on a table of so many cells.
func (m method) tried(t table, cells int) bool {
	return (m.most == 0 || cells <= m.most) && (m.on == nil || slices.Contains(m.on, t.Name))
}

// runner makes one run on a world for several budgets in pulls of each task, which rise. name and run are for its
// random numbers.
type runner func(ctx context.Context, w *world, run int, name string, budgets []int) (result, error)

// result is what a run of a method gave.
type result struct {
	picks     [][]int // for each budget, the cell picked in each task
	pulls     []int   // for each budget, the pulls it took, all tasks together
	decisions int     // how often it chose pulls or picks, all budgets together
	cpu       float64 // seconds of processor time of another process that chose; 0 if it was this one
	peak      float64 // MB of that process
	decided   bool    // of methods that stop by themselves
}

// add notes the picks at a budget and how many decisions led to them.
func (r *result) add(p *play, picks []int, decisions int) {
	r.picks, r.pulls, r.decisions = append(r.picks, picks), append(r.pulls, p.total), r.decisions+decisions
}

// check reports picks that are not arms of their tasks, and budgets that were exceeded.
func (r *result) check(w *world, budgets []int) error {
	if len(r.picks) != len(budgets) {
		return fmt.Errorf("%d budgets were given, and picks for %d came back", len(budgets), len(r.picks))
	}
	for k, picks := range r.picks {
		if len(picks) != w.problem.V() {
			return fmt.Errorf("%d picks for %d tasks", len(picks), w.problem.V())
		}
		for v, pick := range picks {
			if lo, hi := w.problem.ArmsOf(v); pick < lo || pick >= hi {
				return fmt.Errorf("the pick of task %d is cell %d, which is of another task", v+1, pick)
			}
		}
		if most := budgets[k] * w.problem.V(); r.pulls[k] > most {
			return fmt.Errorf("%d pulls were made of a budget of %d", r.pulls[k], most)
		}
	}
	return nil
}

// eachArm are the budgets of every table, in pulls of each arm on average.
var eachArm = []float64{0.5, 1, 2, 4}

// The names by which the page speaks of our methods.
const (
	nameDefault = "fb"
	nameLoop    = "best"
)

// ownResults says which of our results runs are from; belief.Revision counts changes of best alone.
func ownResults() string { return fmt.Sprintf("results %d", sim.ResultsRevision) }

// methods returns the columns; other projects' only where their environment is in the cache.
func methods(root, cache string) []method {
	// the inputs of a method: stored runs are repeated if these changed
	stated := ownResults()
	paper := func(name string) runner { return documented(name, gp) }
	out := []method{
		{
			Name: nameDefault, Ours: true, revision: stated + ", learned 1", run: learned,
			About: `fb with its default algorithm and kernel="auto", without any measurements before: nothing is told, and kernel and noise are learned in the run`,
		}, {
			Name: nameLoop, Ours: true, revision: fmt.Sprintf("zoo %d", belief.Revision), run: loop,
			About: "the loop of best(next=): measure what it says, in rounds that end at the budgets of this page",
		}, {
			Name: "member", Ours: true, revision: stated + ", learned 1", run: member,
			About: `fb with kernel_is="member": the kernel of CoBayesFB is one term of the learned one; the scatter is not told`,
		}, {
			Name: "CoBayesFB", Ours: true, revision: stated, run: documented("CoBayesFB", engine.Ridge{}),
			About: "under the kernel that docs/tutorials/your-data.md has a newcomer write; told the scatter of each task",
		}, {
			Name: "CoKernelFB", Ours: true, revision: stated, run: paper("CoKernelFB"), most: 100,
			About: "the same kernel, told the same",
		}, {
			Name: "CoUniformFB", Ours: true, revision: stated, run: paper("CoUniformFB"),
			About: "the same kernel, told the same",
		}, {
			Name: "means", revision: "1", run: alone(spread).run(true),
			About: "equal pulls, different arms in different tasks below one pull an arm; the highest mean",
		}, {
			Name: "rejects", revision: "1", run: alone(rejects).run(false),
			About: "successive rejects, each task by itself; means below two pulls an arm",
		}, {
			Name: "OCBA", revision: "1", run: alone(ocba).run(true),
			About: "optimal computing budget allocation, each task by itself, told that arms scatter alike",
		}, {
			Name: "top-two", revision: "1", run: alone(topTwo).run(true),
			About: "top-two Thompson sampling, each task by itself, told the scatter of each task",
		},
	}
	return slices.Concat(out, peers(root, cache), stoppers(stated))
}

// among returns the values whose names a list has: names with commas between, "" for all, and "ours", "others",
// "tuning" and "held" for groups.
func among[T any](list string, all []T, is func(T, string) bool) ([]T, error) {
	if list == "" {
		return all, nil
	}
	wanted := strings.Split(list, ",")
	for _, name := range wanted {
		if !slices.ContainsFunc(all, func(x T) bool { return is(x, name) }) {
			return nil, fmt.Errorf("%q is no name of one; -list shows them", name)
		}
	}
	return lists.Where(all, func(x T) bool {
		return slices.ContainsFunc(wanted, func(name string) bool { return is(x, name) })
	}), nil
}

func (m method) is(name string) bool {
	return m.Name == name || name == "ours" && m.Ours || name == "others" && !m.Ours
}

func (t table) is(name string) bool {
	return t.Name == name || name == "held" && t.Held() || name == "tuning" && !t.Held()
}
