package report

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// mill returns a problem of two tasks with 300 settings each, whose rewards are linear in two features.
func mill(t *testing.T) *problem.Problem {
	t.Helper()
	var names []string
	var rows [][]float64
	var taskOf []int
	var mean []float64
	for v := range 2 {
		for i := range 300 {
			x := []float64{float64(i%20) / 19, float64(i/20) * 10}
			names, rows, taskOf = append(names, fmt.Sprintf("%d/%d", i%20, i/20)), append(rows, x), append(taskOf, v)
			mean = append(mean, 3*x[0]+0.03*x[1]*float64(1-2*v))
		}
	}
	tasks := try.Of(kernels.NewPoints([]string{"z"}, []string{"oslo", "rome"}, [][]float64{{0}, {1}}))
	arms := try.Of(kernels.NewPoints([]string{"temp", "speed"}, names, rows))
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Linear{}}}}
	return try.Of(problem.New("mill", tasks, arms, taskOf, joint, []float64{4}, mean))
}

// milled returns the result of one run on mill, and the problem.
func milled(t *testing.T) (engine.Result, *problem.Problem) {
	p := mill(t)
	return try.Of(sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC",
		Options: engine.Options{Delta: 0.05}, Runs: 1, Seed: 1})), p
}

// Each map of open arms has as many of them as the audit trail says, and at first all.
func TestWhereOpen(t *testing.T) {
	r, p := milled(t)
	f := try.Of(FigureOf(r, PlotOptions{Where: p}))
	h := f.Heat
	rounds, open := openArms(r)
	if len(h.RowMarks) != 2 || len(h.ColumnMarks) < 3 || len(h.Z) != len(h.Rows) {
		t.Fatalf("%d tasks, %d rounds, %d rows with %d names", len(h.RowMarks), len(h.ColumnMarks), len(h.Z), len(h.Rows))
	}
	for _, m := range h.ColumnMarks {
		for v := range 2 {
			want := 300
			for k, round := range rounds {
				if m.Name == fmt.Sprintf("round %d", round) {
					want = open[k][v]
				}
			}
			sum := 0.0
			for i, row := range h.Z {
				for j, z := range row {
					if strings.HasPrefix(h.Rows[i], p.Tasks.Names[v]+",") && strings.HasPrefix(h.Columns[j], m.Name+",") && !math.IsNaN(z) {
						sum += z
					}
				}
			}
			if int(sum) != want {
				t.Errorf("%s, task %d: the map has %g open arms, the trail %d", m.Name, v+1, sum, want)
			}
		}
	}
	// Rewards grow with temp: at the end the hottest field alone is open.
	if z := h.Z[0]; !(z[len(z)-1] >= 1) {
		t.Errorf("the last field of the last map of the first task is %g", z[len(z)-1])
	}
	text := try.Of(json.Marshal(JSONValue(f)))
	var plain any
	try.To(json.Unmarshal(text, &plain))
	again, err := figure.FromJSON(plain)
	if err != nil || len(again.Heat.RowMarks) != 2 || !again.Heat.Log {
		t.Errorf("read back: %v %v", again.Heat, err)
	}

}
