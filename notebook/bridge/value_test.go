package bridge

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// here keeps formulas in a list, as either side does.
func here() Functions {
	var kept []kernels.Formula
	return Functions{
		Number: func(f kernels.Formula) (uint64, error) {
			kept = append(kept, f)
			return uint64(len(kept) - 1), nil
		},
		Formula: func(_ kernels.Formula, number uint64) (kernels.Formula, error) { return kept[number], nil },
	}
}

func round(t *testing.T, v any) any {
	t.Helper()
	fs := here()
	value := try.Of(Encode(v, fs))
	return try.Of(Decode(value, fs))
}

// TestSubset sends one task of a problem, whose arms are numbered as in the whole.
func TestSubset(t *testing.T) {
	tasks, _ := kernels.NewPoints(nil, []string{"oslo", "rome"}, nil)
	arms, _ := kernels.NewPoints([]string{"x_1"}, []string{"a", "b", "c", "a"}, [][]float64{{1}, {2}, {3}, {4}})
	// a row for each task of the whole
	similar := kernels.Table{Values: [][]float64{{1, 0.5}, {0.5, 1}}}
	p := try.Of(problem.New("two", tasks, arms, []int{0, 0, 1, 1}, kernels.LiftTask(similar), []float64{1}, nil))
	got := round(t, p.Only(1)).(*problem.Problem)
	if got.Tasks.Distinct() != 2 || got.Arms.Distinct() != 3 || got.Arms.ID[0] != 2 || got.Mean != nil {
		t.Errorf("one task came back with %d of 2 tasks, %d of 3 arms, first arm %d", got.Tasks.Distinct(), got.Arms.Distinct(), got.Arms.ID[0])
	}
	if _, err := got.Kernel.On(context.Background(), got.Tasks, got.Arms, got.TaskOf); err != nil {
		t.Errorf("its kernel: %v", err)
	}
}

// TestGoTypes sends what a cell may have instead of the language's types.
func TestGoTypes(t *testing.T) {
	type length float32
	five := 5
	open := kernels.Open{Kernel: kernels.RBF{Lengthscale: []float64{2}}, Slots: []kernels.Slot{{Param: "lengthscale", Free: kernels.Free{Value: 2}}}}
	for _, test := range []struct {
		v    any
		want any
	}{
		{7, 7.0}, {uint8(7), 7.0}, {length(0.5), 0.5}, {&five, 5.0}, {math.Inf(-1), math.Inf(-1)},
		{&kernels.RBF{Lengthscale: []float64{2}}, "rbf(lengthscale=2)"}, {kernels.LiftArm(kernels.Linear{}), "arm(linear())"},
		{kernels.LiftArm(open), "arm(rbf(lengthscale=free(2)))"}, {kernels.Free{Value: 2}, "free(2)"},
	} {
		got := round(t, test.v)
		if text, ok := got.(interface{ String() string }); ok {
			got = text.String()
		}
		if got != test.want {
			t.Errorf("%v became %v", test.v, got)
		}
	}
	if list, ok := round(t, []int{1, 2}).([]any); !ok || len(list) != 2 || list[1] != 2.0 {
		t.Errorf("a list became %v", list)
	}
	var nothing *problem.Problem
	for _, v := range []any{nil, nothing, true, map[string]int{}, struct{}{}, own{}, []any{nil}, kernels.Sum{Terms: []kernels.Kernel{nil}}} {
		if value, err := Encode(v, here()); err == nil {
			t.Errorf("%v can be sent, as %v", v, value)
		}
	}
	_, err := Encode(own{}, here())
	if err == nil || !strings.Contains(err.Error(), "kernels.Func") {
		t.Errorf("of a kernel of the cell's own it says %v", err)
	}
}

// TestStatistics sends what is computed from sweeps, and a sweep with its runs.
func TestStatistics(t *testing.T) {
	interval := engine.Interval{Mean: 2, CI95: [2]float64{math.Inf(-1), 3}}
	for _, v := range []any{
		sim.Comparisons{Names: []string{"gap", "xi"}, Reference: "a", Measure: "samples", Rows: []sim.Comparison{{Values: []any{0.1, "auto"}, Algorithm: "b", Difference: interval, Paired: true, Runs: 3}}},
		sim.Speedup{Names: []string{"case"}, Algorithm: "a", Alone: "b", Tasks: 5, Rows: []sim.SpeedupRow{{Values: []any{1.0}, Beta: interval, ByRank: 5}}},
		engine.Explanation{Mode: "fc", Algorithm: "a", Status: engine.StatusRounds, Rounds: 2, Samples: 30, Remaining: -1, Tasks: []engine.TaskExplanation{{
			Progress: engine.Progress{Task: "t", Leader: "x", Rival: "y", Gap: 1, Error: 0.5, Reached: 0.25, Samples: -1, Open: 2}, Arms: []string{"x", "y"},
			Eliminated: []engine.Elimination{{Round: 1, Task: "t", Arm: "z", Rival: "x", Gap: 3, Width: 2, Rule: "2^-r"}},
		}}},
		sim.Sweep{Names: []string{"gap"}, Per: sim.PerRun, Stored: 1, Rows: []sim.SweepRow{{Values: []any{0.1}, Result: engine.Result{
			Runs: 2, Detail: &engine.Detail{Run: []int{1, 2}, Samples: []float64{1, 2}, Rounds: []int{1, 1}, Undecided: []bool{false, true}, Wrong: []bool{true, false}},
		}}}},
	} {
		if diff := cmp.Diff(v, round(t, v)); diff != "" {
			t.Errorf("%T (-sent +received):\n%s", v, diff)
		}
	}
}

// own is a kernel that only its program has.
type own struct{ kernels.Linear }

// FuzzDecode reads values of any bytes: an error or a value, and no panic.
func FuzzDecode(f *testing.F) {
	fs := here()
	p := try.Of(problem.PaperCase(1, 0.5))
	correct := false
	for _, v := range []any{1.5, "text", []float64{1}, []any{1, "a", []any{2}}, p, p.Kernel, kernels.Func("f", nil), engine.Result{Answers: []engine.Answer{{Correct: &correct}}}} {
		value := try.Of(Encode(v, fs))
		f.Add(value.Kind, value.Data)
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		v, err := Decode(Value{Kind: kind, Data: data}, Functions{Formula: func(f kernels.Formula, _ uint64) (kernels.Formula, error) { return f, nil }})
		if err == nil && v == nil {
			t.Error("neither a value nor an error")
		}
	})
}

// FuzzAnswer asks an evaluator anything.
func FuzzAnswer(f *testing.F) {
	binding, _ := Pack(Binding{Formula: 0, Columns: []string{"x"}})
	list, _ := Pack(List{Number: 1, Columns: []string{"x"}, Names: []string{"a"}, ID: []int{0}, X: [][]float64{{1}}})
	row := appendPoint(append(bytes.Repeat([]byte{0}, 8), append([]byte{1, 0, 0, 0, 0, 0, 0, 0}, 0, 0, 0, 0, 1, 0, 0, 0)...), kernels.Point{X: []float64{1}, Name: "a"})
	f.Add(byte(OpRow), row)
	f.Add(byte(OpPair), row[:12])
	f.Add(byte(OpReward), binding)
	f.Fuzz(func(t *testing.T, op byte, content []byte) {
		e := Evaluator{Lookup: func(number uint64) (kernels.Formula, bool) {
			return kernels.Func("f", func(x, y []float64) float64 { return x[0] * y[0] }), number == 0
		}}
		e.Answer(OpBind, binding)
		e.Answer(OpPoints, list)
		if kind, answer := e.Answer(Op(op), content); kind == OpError && len(answer) == 0 {
			t.Error("an error without a message")
		}
		if kind, _ := e.Answer(OpRow, row); kind != OpValues {
			t.Error("a good request fails afterwards")
		}
	})
}

// TestFit sends a fit with its kernel, which remembers the data it was fitted to.
func TestFit(t *testing.T) {
	k := kernels.LiftArm(kernels.RBF{})
	k.Fitted = []string{"data"}
	sent := fit.Fit{Kernel: k, Problem: "pilot", Parameters: []fit.Parameter{{Name: "a", Value: 2}}}
	got, ok := round(t, sent).(fit.Fit)
	if !ok || !cmp.Equal(got, sent) {
		t.Errorf("%+v", got)
	}
}
