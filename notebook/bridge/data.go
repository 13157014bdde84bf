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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// List is the encoded form of a list of points, with the number by which rows are requested.
type List struct {
	Number   uint64
	Drop     []uint64 // numbers of lists that can be dropped
	Columns  []string
	Names    []string
	ID       []int
	X        [][]float64
	Units    []kernels.Unit
	Data     [][]float64 // Data and Texts are sent only for the points of problems
	Texts    [][]string
	Distinct int
}

func packPoints(p *kernels.Points) List {
	return List{Columns: p.Columns, Names: p.Names, ID: p.ID, X: p.X, Units: p.Units, Distinct: p.Distinct()}
}

// withTable adds the columns that only the points of problems have.
func (l List) withTable(p *kernels.Points) List {
	l.Data, l.Texts = p.Data, p.Texts
	return l
}

// unpackPoints restores a list of points. It checks that all columns have the same length. A subset also knows the number
// of distinct points in its original list, so unpackPoints restores such a list as a subset.
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

// packedProblem is the encoded form of a problem.Problem.
type packedProblem struct {
	Problem     problem.Problem // without points and kernel
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

// unpackProblem restores a problem and checks with problem.New that its lists fit together.
func unpackProblem(w packedProblem, fs Functions) (_ *problem.Problem, err error) {
	defer try.Caught(&err)
	p := w.Problem
	p.Tasks = try.Of(unpackPoints(w.Tasks))
	p.Arms = try.Of(unpackPoints(w.Arms))
	p.Kernel = try.Of(unpackJoint(w.Kernel, fs))
	try.Of(problem.New(p.Name, p.Tasks, p.Arms, p.TaskOf, p.Kernel, p.Noise.Scales, p.Mean))
	if n := p.N(); len(p.Noise.Scales) != n || p.Noise.SD != nil && len(p.Noise.SD) != n || p.Reps != nil && len(p.Reps) != n ||
		p.Rewards != nil && len(p.Rewards) != n {
		return nil, fmt.Errorf("problem %q: %d arms, but %d noise scales, %d standard deviations and %d lists of rewards", p.Name, n,
			len(p.Noise.Scales), len(p.Noise.SD), len(p.Rewards))
	}
	return &p, nil
}

// fitting is the encoded form of a fit.Fit.
type fitting struct {
	Fit    fit.Fit // without the kernel
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

// zeros reports for each pointer to a plain value below v whether it points to a zero value. gob does not send zeros, so
// such a pointer would arrive as nil. The positions of the zeros are therefore sent separately.
func zeros(v any) []bool {
	var zero []bool
	pointers(reflect.ValueOf(v), func(p reflect.Value) {
		zero = append(zero, !p.IsNil() && p.Elem().IsZero())
	})
	return zero
}

// setZeros restores the pointers to zero values below *v. zero is the result of zeros for the sent value.
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

// result is the encoded form of an engine.Result within a sweep.
type result struct {
	Result engine.Result
	Zero   []bool // result of zeros
}

// pointers calls visit for each pointer to a boolean, number or text below v, in a fixed order.
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
			return // lists of plain values contain no pointers
		}
		for i := range v.Len() {
			pointers(v.Index(i), visit)
		}
	}
}

// sweep is the encoded form of a sim.Sweep.
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
			return Encode(fmt.Sprint(row.Values[i]), fs) // sends the value's text as a label
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
