package bounds_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// moved returns a problem of the family whose expected rewards are up to eta away from the kernel's space.
func moved(t *testing.T, eta float64) *problem.Problem {
	t.Helper()
	p := try.Of(problem.Family(problem.FamilySize{Tasks: 3, Dimension: 2, Arms: 6, Rank: 1}, 1, 3))
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range p.Mean {
		p.Mean[i] += eta * (2*rng.Float64() - 1)
	}
	return p
}

// The samples that CoTestFC takes under a stated misfit are below the bound, while the kernel can resolve the gap.
func TestMisfitBoundAboveMeasured(t *testing.T) {
	last := 0.0
	for _, eta := range []float64{0, 0.01, 0.03, 0.06, 0.5} {
		p, opt := moved(t, eta), engine.Options{Delta: 0.05, Misfit: eta}
		m := try.Of(model.New(p, 0))
		b := try.Of(bounds.MisfitOf(m, opt))
		r := try.Of(sim.Run(t.Context(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: opt, Runs: 20, Seed: 1,
			Detail: true}))
		t.Logf("η = %g: bound %.4g in %d rounds, floor %.3g, measured %.4g, errors %v", eta, b.Samples, b.Rounds, b.Floor, r.SamplesPerAgent.Mean,
			r.Errors.Rate)
		switch {
		case eta == 0.5:
			if b.Samples != 0 || !(b.Floor > 1) {
				t.Errorf("η = %g: bound %g, floor %g", eta, b.Samples, b.Floor)
			}
		case !(b.Samples >= r.SamplesPerAgent.CI95[1] && b.Samples >= last) || r.Errors.Rate > 0.05:
			t.Errorf("η = %g: bound %g, measured %v, errors %v", eta, b.Samples, r.SamplesPerAgent, r.Errors)
		}
		if r.Theory == nil || r.Theory.MisfitBound != b.Samples {
			t.Errorf("η = %g: a sweep has %+v", eta, r.Theory)
		}
		last = b.Samples
	}
}

// The bound by the plain formula: designs by softmax and quasi-Newton steps on dense matrices, the arms left by their gaps.
func TestMisfitBoundByPlainMatrices(t *testing.T) {
	const eta, delta = 0.03, 0.05
	p := moved(t, eta)
	m := try.Of(model.New(p, 0))
	b := try.Of(bounds.MisfitOf(m, engine.Options{Delta: delta, Misfit: eta}))
	all := p.N()
	g := gramProblem{gram: mat.NewSymDense(all, nil), ridge: 1e-8}
	for i := range all {
		for j := i; j < all; j++ {
			z, x := 0.0, 0.0
			for _, column := range p.Tasks.X {
				z += column[p.TaskOf[i]] * column[p.TaskOf[j]]
			}
			for _, column := range p.Arms.X {
				x += column[i] * column[j]
			}
			g.gram.SetSym(i, j, z*x)
		}
	}
	lead := make([]float64, all)
	for i, v := range p.TaskOf {
		for j, w := range p.TaskOf {
			if v == w {
				lead[i] = max(lead[i], p.Mean[j]-p.Mean[i])
			}
		}
	}
	least := math.Inf(1)
	for _, x := range lead {
		if x > 0 {
			least = min(least, x)
		}
	}
	most, samples, round := math.Inf(1), 0.0, 0
	for most > least {
		round++
		g.pairs = nil
		for i, v := range p.TaskOf {
			for j := range i {
				if p.TaskOf[j] == v && (lead[i] == 0 || lead[i] < most) && (lead[j] == 0 || lead[j] < most) {
					g.pairs = append(g.pairs, weightedPair{i, j, 1})
				}
			}
		}
		rho := g.minimax(t, all)
		samples += 32 * math.Pow(4, float64(round)) * 1.21 * rho * math.Log(4*3*36*float64(round*round)/delta) / 3
		most = math.Exp2(-float64(round)) + 2*eta*(2+math.Sqrt(2.2*rho))
	}
	if b.Rounds != round {
		t.Errorf("%d rounds, want %d", b.Rounds, round)
	}
	agreeWithin(t, 2e-3, "samples", b.Samples, samples)
}
