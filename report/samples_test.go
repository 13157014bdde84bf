package report

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// The samples of this file are exported, because the tests of package save share them.
// Those tests are in this folder, in package report_test.

// RunSweep returns a sweep of two cells with a record of its runs; the truth is unknown in the
// second.
func RunSweep() sim.Sweep {
	known, unknown := fcResult(), undecidedResult()
	known.Runs, unknown.Runs = 3, 2
	known.Detail = &engine.Detail{
		Run: []int{1, 2, 3}, Samples: []float64{9000, 9100.5, 10000}, Rounds: []int{4, 4, 3}, Undecided: []bool{false, false, true},
		Wrong: []bool{false, true, false}, WrongTasks: []int{0, 2, 0}, Regret: []float64{0, 0.04, 1.0 / 3},
	}
	unknown.Detail = &engine.Detail{Run: []int{1, 2}, Samples: []float64{400, 400}, Rounds: []int{2, 2}, Undecided: []bool{true, true}}
	return sim.Sweep{Names: []string{"delta", "xi"}, Per: sim.PerRun, Rows: []sim.SweepRow{
		{Values: []any{0.005, "auto"}, Result: known}, {Values: []any{0.05, 0.25}, Result: unknown},
	}}
}

// Tables returns values of every kind that files of rows can hold.
func Tables() map[string]any {
	odd := fcSweep()
	odd.Rows[0].Result.SamplesPerAgent.CI95 = [2]float64{math.Inf(-1), math.NaN()}
	odd.Rows[1].Result.Seed = math.MaxUint64
	interval := engine.Interval{Mean: 4.2, CI95: [2]float64{3.9, 4.6}}
	return map[string]any{
		"fc sweep": odd, "fb sweep": fbSweep(), "runs": RunSweep(), "result": fcResult(), "results": []engine.Result{fcResult(), undecidedResult()},
		"bounds": boundsReport(), "spectrum": spectrum(), "hardness": hardness(), "number": 2.5, "text": "ä\n\"b\", c", "list": []any{1.5, "x", true},
		"matrix": []any{[]any{1.0, 2.0}, []any{3.0, 4.0}}, "empty": sim.Sweep{Names: []string{"gap"}},
		"comparisons": sim.Comparisons{Names: []string{"gap"}, Reference: "IndRAGE", Measure: "error", Rows: []sim.Comparison{
			{Values: []any{0.1}, Algorithm: "CoKernelFC", Difference: interval, Ratio: interval, Paired: true, Runs: 50},
			{Values: []any{0.2}, Algorithm: "CoKernelFC", Difference: interval, Runs: 20},
		}},
		"speedup": sim.Speedup{Names: []string{"lengthscale"}, Algorithm: "CoKernelFC", Alone: "IndRAGE", Tasks: 5, Rows: []sim.SpeedupRow{
			{Values: []any{0.5}, Beta: interval, ByRank: 1, ByHardness: 1.1}, {Values: []any{math.Inf(1)}, Beta: interval, ByRank: 5},
		}},
		"explanation": explanation(), "references": withOracle(), "paired": against(),
	}
}

// SweepOfFC returns a sweep of fixed confidence.
func SweepOfFC() sim.Sweep { return fcSweep() }
