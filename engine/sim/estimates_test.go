package sim

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// runOf returns a result with estimates.
func runOf(t *testing.T, p *problem.Problem, mode, algorithm string, seed uint64, ridge string) engine.Result {
	t.Helper()
	opt := engine.Options{Delta: 0.1, Ridge: engine.Ridge{Kind: ridge}}
	if mode == engine.ModeFB {
		opt.Budget = 400
	}
	r, err := Run(context.Background(), Experiment{Problem: p, Mode: mode, Algorithm: algorithm, Options: opt, Runs: 2, Seed: seed, Estimates: true})
	if err != nil {
		t.Fatal(algorithm, err)
	}
	return r
}

// TestEstimatesOfAll checks that every algorithm estimates each arm after every round, and that the last estimates agree with its
// answers.
func TestEstimatesOfAll(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.8)
	same := enginetest.Paper(t, 1, 0.8)
	for _, e := range algorithms.All() {
		p := p
		if e.Name == "CoSuccessiveElimination" {
			p = same
		}
		r := runOf(t, p, e.Mode, e.Name, 1, engine.RidgeAuto)
		x := r.Estimates
		if x == nil {
			t.Errorf("%s %s keeps no estimates", e.Mode, e.Name)
			continue
		}
		if len(x.Rounds) != len(r.Trace) || len(x.Arms) != p.N() || len(x.TaskOf) != p.N() || len(x.Tasks) != p.V() || len(x.Truth) != p.N() {
			t.Errorf("%s: %d rounds of %d, %d arms of %d", e.Name, len(x.Rounds), len(r.Trace), len(x.Arms), p.N())
			continue
		}
		known := 0
		for k, round := range x.Rounds {
			if round.Round != k+1 || len(round.Mean) != p.N() || len(round.Half) != p.N() {
				t.Fatalf("%s: entry %d is of round %d with %d arms", e.Name, k, round.Round, len(round.Mean))
			}
			for i, m := range round.Mean {
				if math.IsNaN(m) {
					continue
				}
				if known++; !(round.Half[i] > 0) {
					t.Errorf("%s, round %d, arm %d: %g ± %g", e.Name, round.Round, i, m, round.Half[i])
				}
			}
		}
		if known == 0 {
			t.Errorf("%s knows nothing of any arm", e.Name)
		}
		last := x.Rounds[len(x.Rounds)-1]
		switch e.Name {
		case "CoTestFC", "CoBayesFC", "IndTestFC", "IndUniformFC", "CoBayesFB", "CoUniformFB", "IndUniformFB", "Oracle":
			for v, a := range r.Answers {
				lo, hi := p.ArmsOf(v)
				found := false
				for i := lo; i < hi; i++ {
					found = found || x.Arms[i] == a.Leader && math.Abs(last.Mean[i]-a.Estimate) < 1e-9
				}
				if !found {
					t.Errorf("%s, %s: the answer estimates %g for %s, the arms %v", e.Name, a.Task, a.Estimate, a.Leader, last.Mean[lo:hi])
				}
			}
		}
		if x.Posterior != (e.Regression == algorithms.RegressionPosterior) {
			t.Errorf("%s: posterior is %v", e.Name, x.Posterior)
		}
	}
}

// TestPosteriorEstimates checks that with ξ of a Gaussian process, estimates are its posterior, on which the answers are based, with
// shorter intervals than those of the noise alone.
func TestPosteriorEstimates(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.8)
	for _, algorithm := range []string{"CoBayesFB", "CoUniformFB", "CoKernelFB"} {
		r := runOf(t, p, engine.ModeFB, algorithm, 1, engine.RidgeGP)
		x := r.Estimates
		if x == nil || !x.Posterior {
			t.Errorf("%s keeps no posterior", algorithm)
			continue
		}
		last := x.Rounds[len(x.Rounds)-1]
		for v, a := range r.Answers {
			lo, hi := p.ArmsOf(v)
			for i := lo; i < hi; i++ {
				if x.Arms[i] == a.Leader && math.Abs(last.Mean[i]-a.Estimate) > 1e-9 {
					t.Errorf("%s, %s: %s is estimated at %g, the answer says %g", algorithm, a.Task, a.Leader, last.Mean[i], a.Estimate)
				}
			}
		}
	}
}

// TestEstimatesCover checks that for pulls fixed in advance the intervals have 95 % coverage, with known and with estimated scales.
func TestEstimatesCover(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	runs := uint64(enginetest.Number(50, 30))
	for _, c := range []struct {
		algorithm, unknown string
	}{{"IndUniformFB", ""}, {"CoUniformFB", ""}, {"IndUniformFC", problem.UnknownProblem}} {
		p := enginetest.Paper(t, 2, 0.8)
		p.Noise.UnknownBy = c.unknown
		mode := engine.ModeFB
		if c.unknown != "" {
			mode = engine.ModeFC
		}
		covered, all := 0, 0
		for seed := range runs {
			round := runOf(t, p, mode, c.algorithm, seed, engine.RidgeAuto).Estimates.Rounds[0]
			for i, m := range round.Mean {
				all++
				if math.Abs(m-p.Mean[i]) <= round.Half[i] {
					covered++
				}
			}
		}
		// The arms of a run are not independent under a common kernel: 6 standard errors of all of them.
		if share := float64(covered) / float64(all); math.Abs(share-0.95) > 6*math.Sqrt(0.95*0.05/float64(all)) {
			t.Errorf("%s: %.3f of %d intervals have the truth", c.algorithm, share, all)
		} else {
			t.Logf("%s: %.3f of %d", c.algorithm, share, all)
		}
	}
}

// fixed is an algorithm with constant estimates.
type fixed struct {
	engine.Detailed
	n int
}

func (f fixed) ArmEstimates() engine.ArmEstimates {
	return engine.ArmEstimates{Mean: make([]float64, f.n), Half: make([]float64, f.n)}
}

func (fixed) DeferEstimates() (func([]int) engine.ArmEstimates, []float64) { return nil, nil }

// TestEstimatesAreBounded checks that long runs of many arms store the first round, the last one and evenly spaced ones between, in
// bounded memory.
func TestEstimatesAreBounded(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.8)
	for _, n := range []int{1000, 400_000} {
		k := keepEstimates(NewEnvironment(p, nil, 1, 0), fixed{n: n}, p)
		const rounds = 5000
		for r := range rounds {
			try.Of(k.Pull(context.Background(), engine.Plan{Round: r + 1}))
		}
		x := k.finish()
		size := len(x.Rounds) * 2 * n
		if size > mostKept && len(x.Rounds) > 2 || x.Rounds[0].Round != 1 || x.Rounds[len(x.Rounds)-1].Round != rounds {
			t.Errorf("%d arms: %d rounds, from %d to %d", n, len(x.Rounds), x.Rounds[0].Round, x.Rounds[len(x.Rounds)-1].Round)
		}
		if n == 1000 && size < mostKept/5 {
			t.Errorf("only %d rounds are kept", len(x.Rounds))
		}
	}
}

// recalling estimates arm i by i after round 1, and by i + 1 later.
type recalling struct {
	fixed
	round *int
}

func (r recalling) DeferEstimates() (func([]int) engine.ArmEstimates, []float64) {
	n, latest := *r.round, make([]float64, r.n)
	for i := range latest {
		latest[i] = float64(i)
	}
	return func(arms []int) engine.ArmEstimates {
		out := engine.ArmEstimates{Mean: slices.Repeat([]float64{math.NaN()}, len(latest)), Half: make([]float64, len(latest))}
		for _, i := range arms {
			out.Mean[i] = float64(i + n)
		}
		return out
	}, latest
}

// TestEstimatesOfManyArms checks that for tasks with very many arms those with the best latest estimates are stored, with their estimates
// after each round; for other tasks all are.
func TestEstimatesOfManyArms(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.8)
	for _, n := range []int{mostWhole, mostWhole + 1} {
		round := 0
		few := p.N()
		q := *p
		q.TaskOf = append(slices.Clone(p.TaskOf), slices.Repeat([]int{p.V() - 1}, n-few/p.V())...)
		q.Mean = nil
		k := keepEstimates(NewEnvironment(p, nil, 1, 0), recalling{fixed{n: q.N()}, &round}, &q)
		for r := range 3 {
			try.Of(k.Pull(context.Background(), engine.Plan{Round: r + 1}))
			round = r + 1
		}
		x := k.finish()
		if len(x.Rounds) != 3 {
			t.Fatalf("%d arms: %d rounds", n, len(x.Rounds))
		}
		for r, e := range x.Rounds {
			for i, mean := range e.Mean {
				switch {
				case n <= mostWhole:
					if mean != 0 {
						t.Fatalf("%d arms, round %d, arm %d: %g", n, r+1, i, mean)
					}
				case i < few-few/p.V() || i >= q.N()-mostRecalled:
					if mean != float64(i+r+1) {
						t.Fatalf("%d arms, round %d, arm %d: %g", n, r+1, i, mean)
					}
				case !math.IsNaN(mean):
					t.Fatalf("%d arms, round %d, arm %d: %g is kept", n, r+1, i, mean)
				}
			}
		}
	}
}

// TestEstimatesAreNotAsked checks that nothing is stored unless requested, and that a Store keeps no estimates.
func TestEstimatesAreNotAsked(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.8)
	x := Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1, Seed: 1}
	if r, err := Run(context.Background(), x); err != nil || r.Estimates != nil {
		t.Errorf("estimates are kept, or %v", err)
	}
	x.Estimates = true
	s := try.Of(OpenStore(t.TempDir() + "/x.jsonl"))
	defer s.Close()
	for range 2 {
		try.Two(s.Run(context.Background(), x))
	}
}
