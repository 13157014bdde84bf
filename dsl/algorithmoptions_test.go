package dsl

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// In a sweep over algorithms, an option applies to the algorithms that have it. Each row equals a
// call of its own.
func TestOptionsInSweeps(t *testing.T) {
	// Two sweeps and the runs alone: over algorithm= of the call, and over a name that algorithm= has.
	values := valuesOf(t, NewSession(Options{}), `
p = paper(case=2, gap=0.4)
r = fc(p, algorithm="CoKernelFC", schedule="paper", xi=0.01, runs=2)
s = sweep(r, algorithm=["CoKernelFC", "IndRAGE", "CoTestFC"])
s
fc(p, algorithm="CoKernelFC", schedule="paper", xi=0.01, runs=2)
fc(p, algorithm="IndRAGE", schedule="paper", runs=2)
fc(p, runs=2)
method = "CoKernelFC"
q = fc(p, algorithm=method, schedule="paper", xi=0.01, runs=2)
t = sweep(q, method=["CoTestFC", "CoKernelFC"])
t
`)
	var sweeps []sim.Sweep
	var results []engine.Result
	for _, v := range values {
		switch v := v.(type) {
		case sim.Sweep:
			sweeps = append(sweeps, v)
		case engine.Result:
			results = append(results, v)
		}
	}
	results = results[len(results)-3:] // the three that are alone, in the order of the first sweep
	same := func(got, want engine.Result) {
		t.Helper()
		if got.Algorithm != want.Algorithm || got.Schedule != want.Schedule || got.Ridge != want.Ridge || got.SamplesTotal != want.SamplesTotal {
			t.Errorf("%s %q takes %g samples at xi = %g, alone %s %q takes %g at %g", got.Algorithm, got.Schedule, got.SamplesTotal, got.Ridge, want.Algorithm, want.Schedule, want.SamplesTotal, want.Ridge)
		}
	}
	for i, row := range sweeps[0].Rows {
		same(row.Result, results[i])
	}
	last := sweeps[len(sweeps)-1] // the second sweep, in the order CoTestFC, CoKernelFC
	same(last.Rows[0].Result, results[2])
	same(last.Rows[1].Result, results[0])
}
