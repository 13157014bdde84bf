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
)

// Of rounds that lose pulls, whole arms and gain others, the test eliminates what its plain
// transcription does, which is told the counts that came.
func TestReferenceAmended(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	distinct := []int{1, 2, 5, 3}
	lost, left := 0, 0
	for number, p := range enginetest.Instances(t) {
		for seed := range uint64(enginetest.Number(12, 8)) {
			m := plain.ModelOf(t, p)
			alg, err := plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: 0.05, Together: true})
			if err != nil {
				t.Fatal(err)
			}
			z, err := heights(t.Context(), m.Memory, engine.LawNormal, 0.05/float64(distinct[number]), 0)
			if err != nil {
				t.Fatal(err)
			}
			ref := newCombination(p, z)
			rng := rand.New(rand.NewPCG(seed, 31))
			for round := 1; !alg.Done() && round < 40; round++ {
				plan, err := alg.Plan(t.Context())
				if err != nil {
					t.Fatal(err)
				}
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
				if err := alg.(engine.Amender).Amend(counts); err != nil {
					t.Fatal(err)
				}
				if plan.Counts = counts; plan.Round == 1 {
					ref.t0 = float64(plan.Pulls()) / plan.Rho
				}
				b := enginetest.Pull(rng, p, plan)
				if err := alg.Learn(t.Context(), b); err != nil {
					t.Fatal(err)
				}
				before := slices.Clone(ref.leader)
				ref.learn(b)
				ref.leadMeasured(before)
				if got := alg.(*coTest).Sets; fmt.Sprint(got) != fmt.Sprint(ref.Sets) {
					t.Fatalf("%s, seed %d, round %d: candidates %v, plainly %v", p.Name, seed, plan.Round, got, ref.Sets)
				}
			}
			left += len(alg.Eliminations())
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

// Many rewards from before the first round do not make it large: it brings the information that the gaps ask
// for, and at least a twentieth of the information that there is.
func TestPilotIsNoBurden(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.8)
	alg, err := plain.On(engine.ModeFC, NewCoTestFC)(plain.ModelOf(t, p), engine.Options{Delta: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	pilot := engine.Plan{Counts: slices.Repeat([]int{1000}, p.N())}
	if err := alg.(engine.Informer).Inform(enginetest.Pull(rand.New(rand.NewPCG(1, 4)), p, pilot)); err != nil {
		t.Fatal(err)
	}
	plan, err := alg.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if least, most := pilot.Pulls()/100, pilot.Pulls()/10; plan.Pulls() < least || plan.Pulls() > most {
		t.Errorf("%d pulls after a pilot of %d, want %d to %d", plan.Pulls(), pilot.Pulls(), least, most)
	}
}
