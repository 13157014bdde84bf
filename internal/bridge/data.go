package bridge

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// List is a list of points as data, under the number that rows are asked by.
type List struct {
	Number   uint64
	Drop     []uint64 // lists that are not asked of again
	Columns  []string
	Names    []string
	ID       []int
	X        [][]float64
	Distinct int
}

func packPoints(p *kernels.Points) List {
	return List{Columns: p.Columns, Names: p.Names, ID: p.ID, X: p.X, Distinct: p.Distinct()}
}

// unpackPoints makes the points again. What a subset remembers of the list that it
// was taken from, how many distinct points there are, comes back by taking a subset.
func unpackPoints(l List) (*kernels.Points, error) {
	n := len(l.Names)
	if len(l.ID) != n || len(l.X) != len(l.Columns) {
		return nil, fmt.Errorf("points that cannot be read: %d names, %d numbers, %d columns of %d", n, len(l.ID), len(l.X), len(l.Columns))
	}
	for _, column := range l.X {
		if len(column) != n {
			return nil, fmt.Errorf("points that cannot be read: a column of %d values for %d points", len(column), n)
		}
	}
	for _, id := range l.ID {
		if id < 0 {
			return nil, fmt.Errorf("points that cannot be read: the number %d", id)
		}
	}
	p := &kernels.Points{Columns: l.Columns, Names: l.Names, ID: l.ID, X: l.X}
	if l.Distinct <= p.Distinct() {
		return p, nil
	}
	whole := &kernels.Points{Columns: l.Columns, Names: append(l.Names[:n:n], ""), ID: append(l.ID[:n:n], l.Distinct-1)}
	for _, column := range l.X {
		whole.X = append(whole.X, append(column[:n:n], 0))
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return whole.Subset(all), nil
}

// problem is an engine.Problem as data.
type problem struct {
	Name           string
	Tasks, Arms    List
	TaskOf         []int
	Kernel         jointKernel
	Noise          []float64
	NoiseEstimated bool
	Unknown        string
	Bounds         []float64 // two, or none
	Mean, SD, Reps []float64
	Rewards        [][]float64
	Environment    string
	Strength       float64
	Sources        []engine.Source
}

func packProblem(p engine.Problem, fs Functions) (problem, error) {
	if p.Tasks == nil || p.Arms == nil {
		return problem{}, fmt.Errorf("the problem has no tasks or no arms")
	}
	var bounds []float64
	if p.Bounds != nil {
		bounds = p.Bounds[:]
	}
	joint, err := packJoint(p.Kernel, fs)
	return problem{
		Name: p.Name, Tasks: packPoints(p.Tasks), Arms: packPoints(p.Arms), TaskOf: p.TaskOf, Kernel: joint,
		Noise: p.Noise, NoiseEstimated: p.NoiseEstimated, Mean: p.Mean, SD: p.SD, Reps: p.Reps, Rewards: p.Rewards,
		Unknown: p.Unknown, Bounds: bounds, Environment: p.Environment, Strength: p.Strength, Sources: p.Sources,
	}, err
}

// unpackProblem makes the problem again, and has engine.New look whether its lists
// fit together.
func unpackProblem(w problem, fs Functions) (*engine.Problem, error) {
	tasks, err := unpackPoints(w.Tasks)
	if err != nil {
		return nil, err
	}
	arms, err := unpackPoints(w.Arms)
	if err != nil {
		return nil, err
	}
	joint, err := unpackJoint(w.Kernel, fs)
	if err != nil {
		return nil, err
	}
	p, err := engine.New(w.Name, tasks, arms, w.TaskOf, joint, w.Noise, w.Mean)
	if err != nil {
		return nil, err
	}
	p.Noise, p.NoiseEstimated, p.SD, p.Rewards = w.Noise, w.NoiseEstimated, w.SD, w.Rewards
	p.Environment, p.Strength, p.Sources, p.Reps = w.Environment, w.Strength, w.Sources, w.Reps
	p.Unknown = w.Unknown
	if len(w.Bounds) == 2 {
		p.Bounds = &[2]float64{w.Bounds[0], w.Bounds[1]}
	}
	if n := p.N(); len(w.Noise) != n || w.SD != nil && len(w.SD) != n || w.Reps != nil && len(w.Reps) != n || w.Rewards != nil && len(w.Rewards) != n {
		return nil, fmt.Errorf("problem %q: %d arms, but %d noise scales, %d standard deviations and %d lists of rewards", p.Name, n, len(w.Noise), len(w.SD), len(w.Rewards))
	}
	return p, nil
}

// fitting is a fit.Fit as data.
type fitting struct {
	Fit    fit.Fit // without its kernel
	Kernel jointKernel
}

func packFit(f fit.Fit, fs Functions) (fitting, error) {
	joint, err := packJoint(f.Kernel, fs)
	f.Kernel = kernels.Joint{}
	return fitting{f, joint}, err
}

func unpackFit(w fitting, fs Functions) (fit.Fit, error) {
	joint, err := unpackJoint(w.Kernel, fs)
	w.Fit.Kernel = joint
	return w.Fit, err
}

// result is an engine.Result as data. gob leaves out false behind a pointer, which
// would make of a wrong answer one that nobody knows about; so Correct travels apart.
type result struct {
	Result  engine.Result
	Correct []int8 // of each answer: 1 true, 0 false, -1 unknown
}

func packResult(r engine.Result, _ Functions) (result, error) {
	w := result{Result: r}
	for _, a := range r.Answers {
		switch {
		case a.Correct == nil:
			w.Correct = append(w.Correct, -1)
		case *a.Correct:
			w.Correct = append(w.Correct, 1)
		default:
			w.Correct = append(w.Correct, 0)
		}
	}
	return w, nil
}

func unpackResult(w result, _ Functions) (engine.Result, error) {
	if len(w.Correct) != len(w.Result.Answers) {
		return engine.Result{}, fmt.Errorf("a result that cannot be read: %d answers, %d verdicts", len(w.Result.Answers), len(w.Correct))
	}
	for i, c := range w.Correct {
		w.Result.Answers[i].Correct = nil
		if c >= 0 {
			correct := c > 0
			w.Result.Answers[i].Correct = &correct
		}
	}
	return w.Result, nil
}

// sweep is a sim.Sweep as data.
type sweep struct {
	Names   []string
	Per     string
	Stored  int
	Values  [][]Value
	Results []result
}

func packSweep(s sim.Sweep, fs Functions) (sweep, error) {
	w := sweep{Names: s.Names, Per: s.Per, Stored: s.Stored}
	for _, row := range s.Rows {
		r, err := packResult(row.Result, fs)
		if err != nil {
			return w, err
		}
		values := make([]Value, len(row.Values))
		for i, v := range row.Values {
			if values[i], err = Encode(v, fs); err != nil { // a label all the same
				values[i], err = Encode(fmt.Sprint(v), fs)
			}
			if err != nil {
				return w, err
			}
		}
		w.Values, w.Results = append(w.Values, values), append(w.Results, r)
	}
	return w, nil
}

func unpackSweep(w sweep, fs Functions) (sim.Sweep, error) {
	s := sim.Sweep{Names: w.Names, Per: w.Per, Stored: w.Stored}
	if len(w.Values) != len(w.Results) {
		return s, fmt.Errorf("a sweep that cannot be read: %d cells, %d results", len(w.Values), len(w.Results))
	}
	for i, values := range w.Values {
		r, err := unpackResult(w.Results[i], fs)
		if err != nil {
			return s, err
		}
		row := sim.SweepRow{Values: make([]any, len(values)), Result: r}
		for j, v := range values {
			if row.Values[j], err = Decode(v, fs); err != nil {
				return s, err
			}
		}
		s.Rows = append(s.Rows, row)
	}
	return s, nil
}
