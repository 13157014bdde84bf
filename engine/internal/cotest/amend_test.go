package cotest

import (
	"fmt"
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

// With rounds that lose pulls or whole arms and gain others, the test eliminates the same arms as
// its plain transcription, which gets the actual counts.
func TestReferenceAmended(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	distinct := []float64{1, 2, 5, 3}
	lost, left := 0, 0
	for number, p := range enginetest.Instances(t) {
		deltas := []float64{0.05 * distinct[number], 0.03}
		levels := [][]float64{heightsAt(t, 0.05), heightsAt(t, 0.03/distinct[number])}
		for seed := range uint64(enginetest.Number(12, 8)) {
			m := plain.ModelOf(t, p)
			alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: deltas[seed%2], Together: true}))
			ref := newCombination(p, levels[seed%2])
			rng := rand.New(rand.NewPCG(seed, 31))
			for round := 1; !alg.Done() && round < 40; round++ {
				plan := try.Of(alg.Plan(t.Context()))
				counts := make([]int, p.N())
				for i, n := range plan.Counts {
					switch rng.IntN(10) {
					case 0: // the whole arm is lost
						lost += min(n, 1)
					case 1:
						counts[i] = n + 1 + rng.IntN(5)
					default:
						for range n {
							if rng.Float64() > 0.2 {
								counts[i]++
							}
						}
					}
				}
				try.To(alg.(engine.Amender).Amend(counts))
				if plan.Counts = counts; plan.Round == 1 {
					ref.t0 = float64(plan.Pulls()) / plan.Rho
				}
				b := enginetest.Pull(rng, p, plan)
				try.To(alg.Learn(t.Context(), b))
				before := slices.Clone(ref.leader)
				ref.learn(b)
				ref.leadMeasured(before)
				if got := alg.(*coTest).Sets; fmt.Sprint(got) != fmt.Sprint(ref.Sets) {
					t.Fatalf("%s, seed %d, round %d: candidates %v, plainly %v", p.Name, seed, plan.Round, got, ref.Sets)
				}
			}
			left += len(alg.State().Eliminations)
		}
	}
	if lost < 100 || left < 500 {
		t.Errorf("%d arms were lost in a round and %d eliminated: too few to tell", lost, left)
	}
}

// leadMeasured chooses the leaders among the arms whose rewards the pulls so far can estimate: those
// with A A⁺ φ = φ. Where there are none the old ones stay.
func (c *combination) leadMeasured(before []int) {
	pooled, pseudo := c.leastSquares(c.counts, c.rewards)
	c.pooled = pooled
	for v, set := range c.Sets {
		best, known := before[v], false
		for _, i := range set {
			var back, off mat.VecDense
			back.MulVec(pseudo, c.Phi[i])
			off.CloneFromVec(c.Phi[i])
			for j, n := range c.counts {
				off.AddScaledVec(&off, -n*plain.Sq(c.P.LargestNoise()/c.P.Noise.Scales[j])*mat.Dot(c.Phi[j], &back), c.Phi[j])
			}
			if mat.Norm(&off, 2) > 1e-6*mat.Norm(c.Phi[i], 2) {
				pooled[i] = math.Inf(-1)
				continue
			}
			if !known || pooled[i] > pooled[best] {
				best, known = i, true
			}
		}
		c.leader[v] = best
	}
}

// Rewards from before the first round, few or many, cost a run no samples: the clock, its heights and the minimum of a
// round use the information of the rounds.
func TestPilotIsNoBurden(t *testing.T) {
	const runs = 60
	p := enginetest.Paper(t, 1, 0.8)
	m, spent := plain.ModelOf(t, p), map[int]int{}
	for _, pilot := range []int{0, 1, 1000} {
		for seed := range uint64(runs) {
			alg, err := plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: 0.1, Epsilon: 0.4})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(seed, 4))
			each := engine.Plan{Counts: slices.Repeat([]int{pilot}, p.N())}
			if pilot > 0 {
				err = alg.(engine.DataAdder).AddData(enginetest.Pull(rng, p, each))
			}
			for err == nil && !alg.Done() {
				var plan engine.Plan
				if plan, err = alg.Plan(t.Context()); err != nil {
					break
				}
				spent[pilot] += plan.Pulls()
				err = alg.Learn(t.Context(), enginetest.Pull(rng, p, plan))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("after %d rewards of every arm %d pulls a run", pilot, spent[pilot]/runs)
		if float64(spent[pilot]) > 1.05*float64(spent[0]) {
			t.Errorf("%d pulls in %d runs after %d rewards of every arm, %d without", spent[pilot], runs, pilot, spent[0])
		}
	}
}
