package reference

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// plainOracle is the oracle transcribed plainly: least squares on all data in feature
// space; a rival goes when x* beats it by the one-sided width.
type plainOracle struct {
	ref   *plain.Reference
	delta float64
	best  []int
	all   engine.Batch
	alive [][]int
	round int
}

func (a *plainOracle) learn(b engine.Batch) {
	a.round++
	p := a.ref.P
	for i, c := range b.Counts {
		if c > 0 {
			sum := a.all.Means[i]*float64(a.all.Counts[i]) + b.Means[i]*float64(c)
			a.all.Counts[i] += c
			a.all.Means[i] = sum / float64(a.all.Counts[i])
		}
	}
	theta, inverse := a.ref.LeastSquares(a.all)
	rivals := float64(p.N() - p.V())
	for v, set := range a.alive {
		a.alive[v] = slices.DeleteFunc(set, func(i int) bool {
			var y mat.VecDense
			y.SubVec(a.ref.Phi[a.best[v]], a.ref.Phi[i])
			width := math.Sqrt(2 * mat.Inner(&y, inverse, &y) * math.Log(rivals*2*plain.Sq(float64(a.round))/a.delta))
			return i != a.best[v] && mat.Dot(&y, theta) >= width
		})
	}
}

// The oracle equals its plain transcription; its pulls begin at T* log(1/2.4δ), then
// add a quarter of all pulls so far, and are worth what the proportions of T* are.
func TestReferenceOracle(t *testing.T) {
	const delta = 0.05
	for _, p := range enginetest.Instances(t) {
		m := plain.ModelOf(t, p)
		built := try.Of(plain.On(engine.ModeFC, NewOracleFC)(m, engine.Options{Delta: delta}))
		alg := built.(*oracle)
		plain := &plainOracle{ref: plain.NewReference(p, 0), delta: delta, best: alg.best, alive: p.Groups(), all: engine.Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}}
		d := try.Of(m.Truth().Hardness(0, 0))
		if rho := scaledVariance(plain.ref, d.Weights, plain.best); math.Abs(rho/d.Value-1) > 1e-6 {
			t.Errorf("%s: rho* = %g, in feature space %g", p.Name, d.Value, rho)
		}
		rng := rand.New(rand.NewPCG(41, 42))
		want := int(math.Ceil(2 * d.Value * math.Log(1/(2.4*delta))))
		for total := 0; !alg.Done(); want = (total + 3) / 4 {
			plan := try.Of(alg.Plan(t.Context()))
			if plan.Pulls() != want {
				t.Errorf("%s, round %d: %d pulls, plainly %d", p.Name, plan.Round, plan.Pulls(), want)
			}
			total += want
			share := make([]float64, p.N())
			for i, c := range plan.Counts {
				share[i] = float64(c) / float64(want)
			}
			if rho := scaledVariance(plain.ref, share, plain.best); rho > d.Value*(1+engine.RoundingEpsilon) {
				t.Errorf("%s, round %d: the pulls are worth %g, the proportions of T* %g", p.Name, plan.Round, rho, d.Value)
			}
			b := enginetest.Pull(rng, p, plan)
			try.To(alg.Learn(t.Context(), b))
			if plain.learn(b); !slices.EqualFunc(alg.Sets, plain.alive, slices.Equal) {
				t.Fatalf("%s, round %d: candidates %v, plainly %v", p.Name, plan.Round, alg.Sets, plain.alive)
			}
		}
		for v, a := range alg.Answers() {
			if !a.Decided || a.Arm != p.Arms.Names[plain.best[v]] || a.Margin != 0 {
				t.Errorf("%s, task %d: %+v", p.Name, v, a)
			}
		}
	}
}

// scaledVariance returns max ‖φ_best - φ_i‖²_{A⁻¹}/gap_i² over the rivals.
func scaledVariance(ref *plain.Reference, weights []float64, best []int) float64 {
	inverse := plain.PseudoInverse(ref.Gram(weights))
	largest, unit := 0.0, ref.P.LargestNoise()
	for i, v := range ref.P.TaskOf {
		if i != best[v] {
			var y mat.VecDense
			y.SubVec(ref.Phi[best[v]], ref.Phi[i])
			largest = max(largest, mat.Inner(&y, inverse, &y)/plain.Sq((ref.P.Mean[best[v]]-ref.P.Mean[i])/unit))
		}
	}
	return largest
}
