package rounds

import (
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Scales that differ between arms or tasks become groups of their own, and the warning says so. Equal scales of arms
// remain one group in about nine of ten first rounds. The warning is another one if coarser groups were scored before.
func TestGroupsFollowScales(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0}, []float64{0, 0})
	p.Noise.UnknownBy = problem.UnknownTested
	counts := []int{8, 8, 8, 8}
	for _, c := range []struct {
		sd     []float64
		scored bool // whether round 2 has scores
		kind   engine.WarningKind
		most   int // runs of 100 in which another kind is possible
	}{
		{[]float64{5, 5, 5, 5}, true, engine.WarnScaleCommon, 35},
		{[]float64{9, 9, 0.1, 0.1}, false, engine.WarnScalesByTask, 35},
		{[]float64{9, 0.1, 3, 1}, false, engine.WarnScalesByArm, 0},
		{[]float64{9, 0.1, 3, 1}, true, engine.WarnScalesLate, 0},
	} {
		other := 0
		for seed := range uint64(100) {
			n, err := NewScales(plain.ModelOf(t, p), engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(seed, 1))
			if c.scored { // a score before differences are found
				n.Replicated(enginetest.SquaresPull(rng, p, c.sd, engine.Plan{Counts: counts}))
				n.ScoreOf(0, 1, nil, nil, engine.Batch{})
			}
			for range 2 {
				if err := n.Learn(enginetest.SquaresPull(rng, p, c.sd, engine.Plan{Counts: counts})); err != nil {
					t.Fatal(err)
				}
			}
			if n.Grouped()[0].Kind != c.kind {
				other++
			}
		}
		if other > c.most {
			t.Errorf("sd %v: %d of 100 runs do not end with %q", c.sd, other, c.kind)
		}
	}
}

// Round 1 has three pulls of each arm, also after rewards from outside the rounds; later rounds need not.
func TestRoundOneIsReplicated(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0}, []float64{0, 0})
	p.Noise.UnknownBy = problem.UnknownTested
	n := try.Of(NewScales(plain.ModelOf(t, p), engine.Options{}))
	n.Aside()
	try.To(n.Learn(engine.Batch{Counts: []int{9, 9, 9, 9}, Means: make([]float64, 4)}))
	for round, want := range []int{3, 1} {
		counts := []int{9, 1, 9, 9}
		n.Replicate(counts)
		if counts[1] != want {
			t.Errorf("round %d: %d pulls of the second arm, want %d", round+1, counts[1], want)
		}
		try.To(n.Learn(enginetest.SquaresPull(rand.New(rand.NewPCG(1, 1)), p, []float64{1, 1, 1, 1}, engine.Plan{Counts: counts})))
	}
}
