package sim_test

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// A change of an algorithm's decisions must raise ResultsRevision and update these numbers: stored results are then recomputed. The
// numbers are the mean samples of all agents, or for a fixed budget the estimate of the first answer, of two runs of case 1 of the paper
// with gap 0.4; with a norm, of 60 arms of a smooth function.
func TestResultsRevision(t *testing.T) {
	const revision, tolerance = 47, 1e-6
	recorded := map[string]float64{
		"fb BestElsewhere":       2.2986269,
		"fb CoKernelFB":          2.21604789,
		"fb CoKernelFB-IndAlloc": 2.21604789,
		"fb CoBayesFB":           2.2508017044844464,
		"fb CoUniformFB":         2.30900486,
		"fb GPUCB":               2.2122577427780463,
		"fb TopTwoThompson":      2.1900118960663404,
		"fb KnowledgeGradient":   2.2359326069597327,
		"fb OCBA":                2.42803078,
		"fb IndKernelFB":         2.3652831,
		"fb IndPeaceFB":          2.57357293,
		"fb IndPeaceFB-Pooled":   2.426639,
		"fb IndUniformFB":        2.41058501,
		"fb IndUniformFB-LS":     2.3323911,
		"fb Oracle":              2.29534555,
		"fc CoBayesFC":           127.5,
		"fc CoKernelFC":          1012,
		"fc CoKernelFC-IndAlloc": 1012,
		"fc CoTestFC":            507,
		"fc CoTestFC, norm":      329.5,
		"fc IndALBA":             6955,
		"fc IndKernelFC":         5060,
		"fc IndPolyALBA":         15310.5,
		"fc IndRAGE":             5060,
		"fc IndRAGE/V":           1012,
		"fc IndTestFC":           2578,
		"fc IndUniformFC":        6633,
		"fc LazyTrackAndStop":    907,
		"fc LinGame":             597.5,
		"fc LinGapE":             398.5,
		"fc Oracle":              810,
		"fc TrackAndStop":        601.5,
	}
	same := sim.ResultsRevision == revision
	got := map[string]float64{}
	for _, e := range algorithms.All() {
		x := sim.Experiment{Problem: enginetest.Paper(t, 1, 0.4), Mode: e.Mode, Algorithm: e.Name, Runs: 2, Seed: 7}
		if e.Mode == engine.ModeFB {
			x.Options.Budget = 60
		}
		r, err := sim.Run(t.Context(), x)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		got[e.Mode+" "+e.Name] = r.SamplesTotal
		if e.Mode == engine.ModeFB {
			got[e.Mode+" "+e.Name] = r.Answers[0].Estimate
		}
	}
	many := try.Of(manyarms.Problem(60))
	normed := engine.Options{Epsilon: 0.1, Norm: manyarms.Norm, Unit: 1}
	r := try.Of(sim.Run(t.Context(), sim.Experiment{Problem: many, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: normed, Runs: 2, Seed: 7}))
	got["fc CoTestFC, norm"] = r.SamplesTotal
	for name, want := range recorded {
		same = same && math.Abs(got[name]-want) < tolerance
	}
	for name, number := range got {
		if _, known := recorded[name]; !known {
			t.Errorf("%s is new and changes no stored result: record its number here, %.9g", name, number)
			delete(got, name)
		}
	}
	if !same || len(recorded) != len(got) {
		t.Errorf("results differ from revision %d: raise ResultsRevision (now %d), and record %#v", revision, sim.ResultsRevision, got)
	}
}
