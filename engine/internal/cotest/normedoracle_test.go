package cotest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bounded"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// What one round would take that knew the means, where the posterior variance under the norm is at most
// (gap + epsilon)²/(1 + z²), with z the height that the proof asks of a walk at its first looks if a contest has one claim: bias + z standard
// deviations are within the gap then. A run pays for not knowing the means, and not many times over. ARMS sets the
// size of the problem.
func TestNormedBesideOracle(t *testing.T) {
	n := enginetest.Number(250, 80)
	if arms, err := strconv.Atoi(os.Getenv("ARMS")); err == nil {
		n = arms
	}
	const epsilon = 0.1
	p := try.Of(manyarms.Problem(n))
	m := try.Of(model.New(p, 1))
	opt := engine.Options{Epsilon: epsilon, Norm: manyarms.Norm, Unit: 1}
	bound := Bound{Bound: model.Bound{Norm: manyarms.Norm / m.Unit}}
	a := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, opt), bound))
	z := try.Of(normalBoundary.heights(t.Context(), m.Memory, a.opt.Delta/float64(a.tests), 0))
	root := 1 + z[0]*z[0]
	a.section = try.Of(bounded.NewSection(a.ctx(), p, indices.All(n)))
	var targets []target
	for _, arms := range p.Groups() {
		best := arms[0]
		for _, i := range arms {
			if p.Mean[i] > p.Mean[best] {
				best = i
			}
		}
		for _, i := range arms {
			if i != best {
				gap := (p.Mean[best] - p.Mean[i] + epsilon) / m.Unit
				targets = append(targets, target{i, best, root / (gap * gap), root / (gap * gap)})
			}
		}
	}
	l := a.localise(targets)
	oracle := 1000.0
	for range 5 { // a solution is found from a guess that is near
		pulls, _ := l.solve(oracle)
		oracle = floats.Sum(pulls)
	}
	alg := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, opt), bound))
	rng := rand.New(rand.NewPCG(1, 6))
	out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) })
	t.Logf("%d arms, z = %.3f: the oracle takes %.0f pulls, a run %d", n, z[0], oracle, out.Samples)
	if times := float64(out.Samples) / oracle; times < 1 || times > 10 {
		t.Errorf("%d arms: %.2f times the oracle's pulls", n, times)
	}
}
