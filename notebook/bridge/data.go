package bridge

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
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
	Units    []kernels.Unit
	Data     [][]float64 // data of problems alone, as Texts
	Texts    [][]string
	Distinct int
}

func packPoints(p *kernels.Points) List {
	return List{Columns: p.Columns, Names: p.Names, ID: p.ID, X: p.X, Units: p.Units, Distinct: p.Distinct()}
}

// withTable adds what the table of a problem has.
func (l List) withTable(p *kernels.Points) List {
	l.Data, l.Texts = p.Data, p.Texts
	return l
}

// unpackPoints makes the points again. What a subset remembers of the list that it
// was taken from, how many distinct points there are, comes back by taking a subset.
func unpackPoints(l List) (*kernels.Points, error) {
	n := len(l.Names)
	if len(l.ID) != n || len(l.X) != len(l.Columns) || l.Units != nil && len(l.Units) != len(l.Columns) ||
		l.Data != nil && len(l.Data) != len(l.Columns) || l.Texts != nil && len(l.Texts) != len(l.Columns) ||
		slices.ContainsFunc(slices.Concat(l.X, l.Data), func(column []float64) bool { return len(column) != n }) ||
		slices.ContainsFunc(l.Texts, func(column []string) bool { return column != nil && len(column) != n }) ||
		slices.ContainsFunc(l.ID, func(id int) bool { return id < 0 }) {
		return nil, fmt.Errorf("the points cannot be decoded: they have %d names, %d numbers and %d of %d columns", n, len(l.ID), len(l.X),
			len(l.Columns))
	}
	p := &kernels.Points{Columns: l.Columns, Names: l.Names, ID: l.ID, X: l.X, Data: l.Data, Units: l.Units, Texts: l.Texts}
	if l.Distinct <= p.Distinct() {
		return p, nil
	}
	whole := &kernels.Points{Columns: l.Columns, Names: append(l.Names[:n:n], ""), ID: append(l.ID[:n:n], l.Distinct-1), Units: l.Units}
	whole.X = lists.Map(l.X, func(column []float64) []float64 { return append(column[:n:n], 0) })
	p = whole.Subset(indices.All(n))
	p.Data, p.Texts = l.Data, l.Texts
	return p, nil
}

// problem is an problem.Problem as data.
type packedProblem struct {
	Problem     problem.Problem // without its points and kernel
	Tasks, Arms List
	Kernel      jointKernel
}

func packProblem(p problem.Problem, fs Functions) (packedProblem, error) {
	if p.Tasks == nil || p.Arms == nil {
		return packedProblem{}, fmt.Errorf("the problem has no tasks or no arms")
	}
	joint, err := packJoint(p.Kernel, fs)
	w := packedProblem{Problem: p, Tasks: packPoints(p.Tasks).withTable(p.Tasks), Arms: packPoints(p.Arms).withTable(p.Arms), Kernel: joint}
	w.Problem.Tasks, w.Problem.Arms, w.Problem.Kernel = nil, nil, kernels.Joint{}
	return w, err
}

// unpackProblem makes the problem again, and has problem.New look whether its lists
// fit together.
func unpackProblem(w packedProblem, fs Functions) (*problem.Problem, error) {
	p := w.Problem
	var err error
	if p.Tasks, err = unpackPoints(w.Tasks); err != nil {
		return nil, err
	}
	if p.Arms, err = unpackPoints(w.Arms); err != nil {
		return nil, err
	}
	if p.Kernel, err = unpackJoint(w.Kernel, fs); err != nil {
		return nil, err
	}
	if _, err := problem.New(p.Name, p.Tasks, p.Arms, p.TaskOf, p.Kernel, p.Noise.Scales, p.Mean); err != nil {
		return nil, err
	}
	if n := p.N(); len(p.Noise.Scales) != n || p.Noise.SD != nil && len(p.Noise.SD) != n || p.Reps != nil && len(p.Reps) != n ||
		p.Rewards != nil && len(p.Rewards) != n {
		return nil, fmt.Errorf("problem %q: %d arms, but %d noise scales, %d standard deviations and %d lists of rewards", p.Name, n,
			len(p.Noise.Scales), len(p.Noise.SD), len(p.Rewards))
	}
	return &p, nil
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

// zeros returns, of each pointer to a plain value below v in their order, whether it points to zero. gob
// leaves zeros out, so that a wrong answer would read as an unknown one and a reward of 0 as not
// measured; their places are therefore sent beside the value.
func zeros(v any) []bool {
	var zero []bool
	pointers(reflect.ValueOf(v), func(p reflect.Value) {
		zero = append(zero, !p.IsNil() && p.Elem().IsZero())
	})
	return zero
}

// setZeros puts the zeros back into what v points at.
func setZeros(v any, zero []bool) error {
	at := 0
	pointers(reflect.ValueOf(v).Elem(), func(p reflect.Value) {
		if at < len(zero) && zero[at] {
			p.Set(reflect.New(p.Type().Elem()))
		}
		at++
	})
	if at != len(zero) {
		return fmt.Errorf("the value cannot be decoded: it has %d optional fields, but the message marks %d. Use the same build of gonb-cope "+
			"on both sides", at, len(zero))
	}
	return nil
}

// result is an engine.Result as data, if it is part of a sweep.
type result struct {
	Result engine.Result
	Zero   []bool // see zeros
}

// pointers visits the pointers to booleans, numbers and texts below v, in a fixed order.
func pointers(v reflect.Value, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		switch v.Type().Elem().Kind() {
		case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map, reflect.Pointer:
			if !v.IsNil() {
				pointers(v.Elem(), visit)
			}
		default:
			visit(v)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				pointers(v.Field(i), visit)
			}
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Pointer, reflect.Struct, reflect.Slice, reflect.Array:
		default:
			return // long lists of numbers
		}
		for i := range v.Len() {
			pointers(v.Index(i), visit)
		}
	}
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
		values, err := lists.Try(len(row.Values), func(i int) (Value, error) {
			if v, err := Encode(row.Values[i], fs); err == nil {
				return v, nil
			}
			return Encode(fmt.Sprint(row.Values[i]), fs) // a label nevertheless
		})
		if err != nil {
			return w, err
		}
		w.Values, w.Results = append(w.Values, values), append(w.Results, result{row.Result, zeros(row.Result)})
	}
	return w, nil
}

func unpackSweep(w sweep, fs Functions) (sim.Sweep, error) {
	s := sim.Sweep{Names: w.Names, Per: w.Per, Stored: w.Stored}
	if len(w.Values) != len(w.Results) {
		return s, fmt.Errorf("the sweep cannot be decoded: it has %d cells, but %d results", len(w.Values), len(w.Results))
	}
	for i, values := range w.Values {
		row := sim.SweepRow{Result: w.Results[i].Result}
		err := setZeros(&row.Result, w.Results[i].Zero)
		if err == nil {
			row.Values, err = lists.Try(len(values), func(j int) (any, error) { return Decode(values[j], fs) })
		}
		if err != nil {
			return s, err
		}
		s.Rows = append(s.Rows, row)
	}
	return s, nil
}
