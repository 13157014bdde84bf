package report

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The values below are made up by hand in the shape of real ones; numbers of the
// theory are the values of the paper's case 2 where they are known.

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

func fcResult() engine.Result {
	r := engine.Result{
		Mode: "fc", Algorithm: "CoKernelFC", Schedule: "tuned", Problem: "paper case 2", Status: engine.StatusDecided,
		Runs: 50, Asked: 50, Delta: 0.005, Ridge: 1e-6, Tasks: 5, Arms: 30,
		SamplesPerAgent: engine.Interval{Mean: 9812.44, CI95: [2]float64{9700.1, 9924.78}}, SamplesTotal: 49062.2,
		Rounds: 3.9, MaxRounds: 4, Messages: 19.5, Bytes: 1872,
		Errors:            engine.Rate{Count: 0, Runs: 50, Rate: 0, CI95: [2]float64{0, 0.0713}},
		Undecided:         engine.Rate{Count: 0, Runs: 50, Rate: 0, CI95: [2]float64{0, 0.0713}},
		TaskErrors:        engine.Rate{Count: 0, Runs: 250, Rate: 0, CI95: [2]float64{0, 0.0151}},
		LowerBoundSamples: 1516.7, RatioToLowerBound: 6.47,
		Standing: engine.StandingProven, Guarantee: "with probability at least 0.995 every answer is the best arm of its task", Seed: 1,
	}
	for v := 1; v <= 5; v++ {
		r.Answers = append(r.Answers, engine.Answer{Task: fmt.Sprintf("task %d", v), Arm: "arm 1", Decided: true, Leader: "arm 1",
			Estimate: 0.1003 + 0.0004*float64(v), Best: "arm 1", Correct: yes()})
	}
	alive := []int{30, 21, 9, 5}
	for i, pulls := range []int{1240, 4960, 14212, 28650} {
		r.Trace = append(r.Trace, engine.RoundRecord{Round: i + 1, Pulls: pulls, Rho: 23.999856 / float64(i+1), RhoLower: 23.99985 / float64(i+1),
			Rounding: 1.012, Alive: alive[i], Digest: fmt.Sprintf("9f86d081884c7d659a2f%d", i)})
	}
	for i := range 25 {
		r.Eliminations = append(r.Eliminations, engine.Elimination{Round: 2 + i/9, Task: fmt.Sprintf("task %d", 1+i%5), Arm: fmt.Sprintf("arm %d", 2+i/5),
			Rival: "arm 1", Gap: 0.212 - 0.004*float64(i), Width: 0.198 - 0.004*float64(i), Rule: "confidence interval"})
	}
	return r
}

// undecidedResult returns a single run on measured data (truth unknown) that a sample limit ended
// early.
func undecidedResult() engine.Result {
	return engine.Result{
		Mode: "fc", Algorithm: "CoKernelFC", Schedule: "tuned", Problem: "coupling & <yield>", Status: engine.StatusSamples,
		Runs: 1, Asked: 1, Delta: 0.05, Epsilon: 0.02, Ridge: 0.001, Tasks: 3, Arms: 12,
		SamplesPerAgent: engine.Interval{Mean: 400, CI95: [2]float64{400, 400}}, SamplesTotal: 1200,
		Rounds: 2, MaxRounds: 2, Messages: 6, Bytes: 384,
		Undecided: engine.Rate{Count: 1, Runs: 1, Rate: 1, CI95: [2]float64{0.206, 1}},
		Answers: []engine.Answer{
			{Task: "primary amine", Arm: "XPhos", Decided: true, Leader: "XPhos", Estimate: 81.25},
			{Task: "aniline", Leader: "tBuXPhos", Estimate: 64.031, Candidates: []string{"tBuXPhos", "XPhos"}, Margin: 2.18},
			{Task: "amide", Leader: "BrettPhos", Estimate: 12.5, Candidates: []string{"BrettPhos", "tBuXPhos", "XPhos", "AdBrettPhos", "SPhos", "RuPhos"}, Margin: 9.7},
		},
		Guarantee: "with probability at least 0.95 every decided answer is within 0.02 of the best arm of its task",
		Warnings:  []engine.Warning{{Kind: "the noise scale was estimated from 3 replicates per arm: the guarantee is approximate"}, {Kind: "the kernel explains 71 % of the variance of the means only"}},
		Seed:      7,
	}
}

func fbResult(algorithm string, wrong int, regret float64) engine.Result {
	p := float64(wrong) / 100
	half := 1.96 * math.Sqrt(max(p*(1-p), 0.002)/100)
	return engine.Result{
		Mode: "fb", Algorithm: algorithm, Problem: "paper case 2", Status: engine.StatusBudget, Runs: 100, Asked: 100, Budget: 7000, Ridge: 1e-6, Tasks: 5, Arms: 30,
		SamplesPerAgent: engine.Interval{Mean: 6996, CI95: [2]float64{6996, 6996}}, SamplesTotal: 34980, Rounds: 5, MaxRounds: 5, Messages: 25, Bytes: 2400,
		Errors:         engine.Rate{Count: wrong, Runs: 100, Rate: p, CI95: [2]float64{max(0, p-half), p + half}},
		TaskErrors:     engine.Rate{Count: wrong, Runs: 500, Rate: p / 5, CI95: [2]float64{0, p/5 + half/3}},
		Regret:         engine.Interval{Mean: regret / 4, CI95: [2]float64{regret / 5, regret / 3}},
		RelativeRegret: engine.Interval{Mean: regret, CI95: [2]float64{regret * 0.8, regret * 1.2}},
		Answers:        []engine.Answer{{Task: "task 1", Leader: "arm 1", Estimate: 0.098, Best: "arm 1", Correct: yes()}, {Task: "task 2", Leader: "arm 3", Estimate: 0.091, Best: "arm 1", Correct: no()}},
		Guarantee:      "none at this budget: Theorem 2 is vacuous", Seed: 1,
	}
}

func boundsReport() bounds.Report {
	return bounds.Report{
		Problem: "paper case 2", Tasks: 5, Arms: 30, Delta: 0.005, Budget: 7000, Ridge: 1e-6, Unit: 1, Norm: 1.1, DeltaMin: 0.1,
		InformationGain: 98.387273, InformationGainGap: 3.2e-9, EffectiveDimension: 8, RankTask: 2, RankArm: 4, RankJoint: 8, RoundingDimension: 9,
		Rho1: bounds.Certified{Value: 23.999856, Lower: 23.999856}, RhoStar: bounds.Certified{Value: 857.1169, Lower: 857.11689}, Omega: bounds.Certified{Value: 23.999856, Lower: 23.9998},
		CharacteristicTime: 1714.24, LowerBoundSamples: 1516.35, RoundsFC: 4, RoundsFB: 5,
		Theorem: bounds.Theorem{FC: 392232, FB: 1, FBBudget: 61234.5},
		Corollary: bounds.Corollary{
			FC: bounds.ABC{A: 4.1e6, B: 9.7e5, C: 1.33e6}, FB: bounds.ABC{A: 1, B: 1, C: 1}, FBBudget: bounds.ABC{A: 712345, B: 210987, C: math.Inf(1)},
		},
		Notes: []engine.Warning{{Kind: "Theorem 2 asks for T ≥ 8,120 pulls per agent; the budget is smaller."}},
	}
}

func forecast() plan.Forecast {
	return plan.Forecast{Problem: "paper case 2", Delta: 0.005, Prices: plan.Prices{Sample: 12, Parallel: 96, SampleTime: 1, RoundTime: 2, TimeUnit: "days"}, Rows: []plan.Row{
		{Algorithm: "CoKernelFC", Schedule: "paper", Delta: 0.005, Tasks: 5, Runs: 20, Rounds: 4, RoundsQ90: 4, SamplesPerAgent: 392232, SamplesPerAgentCI95: [2]float64{392232, 392232},
			SamplesTotal: 1961160, SamplesTotalQ90: 1961160, SamplesBusiest: 401020, Messages: 20, Bytes: 960, RatioToLower: 258.7, FirstRound: 312440, Cost: 23533920, CostQ90: 23533920, Time: 4187, TimeQ90: 4187},
		{Algorithm: "CoKernelFC", Schedule: "tuned", Delta: 0.005, Tasks: 5, Runs: 20, Undecided: 0, Rounds: 4, RoundsQ90: 4, SamplesPerAgent: 9920, SamplesPerAgentCI95: [2]float64{9801, 10039},
			SamplesTotal: 49600, SamplesTotalQ90: 50210, SamplesBusiest: 10990, Messages: 20, Bytes: 1920, RatioToLower: 6.54, FirstRound: 1240, Cost: 595200, CostQ90: 602520, Time: 124.5, TimeQ90: 130, Quickest: true},
		{Algorithm: "CoTestFC", Delta: 0.005, Tasks: 5, Runs: 20, Rounds: 9.6, RoundsQ90: 12, SamplesPerAgent: 4030, SamplesPerAgentCI95: [2]float64{3610, 4450},
			SamplesTotal: 20150, SamplesTotalQ90: 25520, SamplesBusiest: 4410, Messages: 48, Bytes: 4420, RatioToLower: 2.66, FirstRound: 24, Cost: 241800, CostQ90: 306240, Time: 70.4, TimeQ90: 82, Cheapest: true},
	}, Notes: []engine.Warning{{Kind: "assumes the gaps of the expected rewards given"}}}
}

func hardness() bounds.Hardness {
	return bounds.Hardness{Problem: "stroke", Rows: []bounds.HardnessRow{
		{Task: "hospital a", Arms: 6, Best: "warfarin", Second: "aspirin", Gap: 0.1, Noise: 1, GapToNoise: 0.1, RhoAlone: 428.56, Weight: 0.61},
		{Task: "hospital b", Arms: 6, Best: "aspirin", Second: "placebo", Gap: 0.42, Noise: 1, GapToNoise: 0.42, RhoAlone: 24.3, Weight: 0.25},
		{Task: "hospital c", Arms: 4, Best: "apixaban", Second: "warfarin", Gap: 0.8, Noise: 0.9, GapToNoise: 0.889, RhoAlone: 6.7, Weight: 0.14},
	}}
}

func spectrum() bounds.Spectrum {
	s := bounds.Spectrum{Problem: "paper case 2", Ridge: 1e-6, EffectiveDimension: 8, Task: []float64{3, 2, 0, 0, 0}}
	for i := range 30 {
		s.Joint = append(s.Joint, 4.2*math.Exp(-0.9*float64(i)))
		if i < 6 {
			s.Arm = append(s.Arm, 1.2*math.Exp(-1.1*float64(i)))
		}
	}
	return s
}

func allocation(tasks, arms int) bounds.Design {
	a := bounds.Design{Problem: "paper case 2", Ridge: 1e-6, Value: 23.999856, Lower: 23.99985599, Iterations: 9, Status: "optimal"}
	total := 0.0
	for v := range tasks {
		for i := range arms {
			w := 1 + math.Sin(float64(3*v+2*i))
			if (v+i)%5 == 4 {
				continue
			}
			total += w
			a.Weights = append(a.Weights, bounds.AllocationWeight{Task: fmt.Sprintf("task %d", v+1), Arm: fmt.Sprintf("arm %d", i+1), Weight: w})
		}
	}
	for i := range a.Weights {
		a.Weights[i].Weight /= total
	}
	return a
}

func fcSweep() sim.Sweep {
	s := sim.Sweep{Names: []string{"gap", "algorithm"}}
	for _, gap := range []float64{0.1, 0.2, 0.4, 0.8} {
		for k, name := range []string{"CoKernelFC", "CoKernelFC-IndAlloc", "IndRAGE", "IndRAGE/V"} {
			r := fcResult()
			r.Algorithm, r.Answers, r.Trace, r.Eliminations = name, nil, nil, nil
			lower := 15.1635 / gap / gap
			mean := lower * (6 + 3*float64(k%3)) * (1 + gap)
			r.SamplesPerAgent = engine.Interval{Mean: mean, CI95: [2]float64{mean * 0.93, mean * 1.07}}
			r.LowerBoundSamples, r.RatioToLowerBound, r.Rounds = lower, mean/lower, 4-math.Log2(gap*10)
			if gap == 0.1 && k == 2 {
				r.Status, r.Warnings = engine.StatusSamples, []engine.Warning{{Kind: "MaxSamples ended 3 of 50 runs"}}
			}
			s.Rows = append(s.Rows, sim.SweepRow{Values: []any{gap, name}, Result: r})
		}
	}
	return s
}

func fbSweep() sim.Sweep {
	s := sim.Sweep{Names: []string{"budget", "algorithm"}}
	for i, budget := range []int{1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000} {
		for k, name := range []string{"CoKernelFB", "CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB"} {
			r := fbResult(name, int(60*math.Exp(-0.7*float64(i)/(1+0.7*float64(k)))), 0.3*math.Exp(-0.5*float64(i)))
			r.Budget = budget
			s.Rows = append(s.Rows, sim.SweepRow{Values: []any{budget, name}, Result: r})
		}
	}
	return s
}

func comparisons() sim.Comparisons {
	c := sim.Comparisons{Names: []string{"gap"}, Reference: "IndRAGE", Measure: "samples"}
	for i, gap := range []float64{0.1, 0.2, 0.4, 0.8} {
		for k, name := range []string{"CoKernelFC", "IndALBA"} {
			r := 0.3 + 1.2*float64(k) + 0.05*float64(i)
			half := 0.02 + 0.6*float64(k*i)
			c.Rows = append(c.Rows, sim.Comparison{Values: []any{gap}, Algorithm: name, Paired: true, Runs: 50,
				Ratio:      engine.Interval{Mean: r, CI95: [2]float64{r - half, r + half}},
				Difference: engine.Interval{Mean: 1000 * (r - 1), CI95: [2]float64{1000 * (r - half - 1), 1000 * (r + half - 1)}}})
		}
	}
	return c
}

func speedup() sim.Speedup {
	s := sim.Speedup{Names: []string{"lengthscale", "gap"}, Algorithm: "CoKernelFC", Alone: "IndRAGE", Tasks: 5}
	for _, gap := range []float64{0.1, 0.2} {
		for i, l := range []float64{0, 0.1, 0.2, 0.5, 1, 2, 5, 10, math.Inf(1)} {
			beta := 1 + 4*float64(i)/8 - gap/4
			s.Rows = append(s.Rows, sim.SpeedupRow{Values: []any{l, gap}, ByRank: 5 / math.Max(1, float64(5-i)), ByHardness: 1 + 4*float64(i)/8,
				Beta: engine.Interval{Mean: beta, CI95: [2]float64{beta - 0.15, beta + 0.15}}})
		}
	}
	return s
}

const script = `// two groups of tasks
p = paper(case=2, gap=0.1)
r = fc(p, delta=0.005, algorithm="CoKernelFC", schedule="tuned", runs=50, seed=1)
bounds(p, delta=5e-3)
"a < b & c"
`

// document returns one display of every kind.
func document() Document {
	must := func(f Figure, err error) Figure {
		if err != nil {
			panic(err)
		}
		return f
	}
	return Document{
		Title: "Sharing <tasks> & arms",
		Displays: []Display{
			{"gap", "gap = 0.1", 0.1},
			{"kx", `kx = linear() + 0.5*rbf(lengthscale=[0.5, 2])`, kernel()},
			{"r", `r = fc(p, delta=0.005, runs=50)`, fcResult()},
			{"u", `u = fc(q, delta=0.05, epsilon=0.02)`, undecidedResult()},
			{"", `fb(p, budget=7000)`, fbResult("CoKernelFB", 3, 0.04)},
			{"", `bounds(p, delta=0.005)`, boundsReport()},
			{"", `plan(p, delta=0.005)`, forecast()},
			{"", `hardness(p)`, hardness()},
			{"", `spectrum(p)`, spectrum()},
			{"", `design(p)`, allocation(5, 6)},
			{"s", `s = sweep(r, gap=[0.1, 0.2, 0.4, 0.8])`, fcSweep()},
			{"", `plot(s, x="gap", y="samples")`, must(FigureOf(fcSweep(), asked("gap", "samples")))},
			{"", `paired(s, reference="IndRAGE")`, comparisons()},
			{"", `speedup(s)`, speedup()},
			{"", `plot(b)`, must(FigureOf(boundsReport(), PlotOptions{}))},
			{"", `[r, b]`, []any{fbResult("CoKernelFB", 3, 0.04), fbResult("IndUniformFB", 22, 0.11)}},
			{"", `[1, 2.5, "three"]`, []any{1, 2.5, "three"}},
			{"", `[[1, 0.5], [0.5, 1]]`, []any{[]any{1.0, 0.5}, []any{0.5, 1.0}}},
		},
		Script: script,
		Provenance: &Provenance{
			Version: "0.1.0", Revision: "c235d67", Go: "go1.26.8", Platform: "linux/amd64", Script: "paper.cope", ScriptSHA256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
			Data: []DataFile{{Path: "data/stroke.csv", SHA256: "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13", Rows: 18}}, Seeds: []string{"1"}, Command: "gonb-cope run paper.cope --seed 1", Workers: 2,
		},
	}
}

func kernel() kernels.Kernel {
	return kernels.Sum{Terms: []kernels.Kernel{
		kernels.Linear{}, kernels.Scaled{Scale: 0.5, Kernel: kernels.RBF{Lengthscale: []float64{0.5, 2}}},
	}}
}
