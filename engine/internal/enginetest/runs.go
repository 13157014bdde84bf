package enginetest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Run returns the outcome of alg with the rewards of pull, and ends the test on an error.
func Run(t testing.TB, alg engine.Algorithm, opt engine.Options, pull func(engine.Plan) engine.Batch) engine.Outcome {
	t.Helper()
	out, err := engine.Run(context.Background(), alg, EnvironmentFunc(pull), opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Number returns whole, or short in short tests. Tests use it for numbers of runs, cases or sizes.
func Number(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// EnvironmentFunc is an engine.Environment that calls a function.
type EnvironmentFunc func(engine.Plan) engine.Batch

// Pull returns f(p).
func (f EnvironmentFunc) Pull(_ context.Context, p engine.Plan) (engine.Batch, error) {
	return f(p), nil
}

// Replicas runs two algorithms with the same inputs, checks that their plans have the same digests, and returns the
// outcome of the second.
func Replicas(t *testing.T, p *problem.Problem, opt engine.Options, seed uint64, create func() (engine.Algorithm, error)) engine.Outcome {
	t.Helper()
	var digests [2][]string
	var out engine.Outcome
	for k := range digests {
		alg, err := create()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 9))
		out = Run(t, alg, opt, func(plan engine.Plan) engine.Batch {
			digests[k] = append(digests[k], plan.Digest)
			return Pull(rng, p, plan)
		})
	}
	if len(digests[0]) == 0 || !slices.Equal(digests[0], digests[1]) {
		t.Errorf("digests differ: %v and %v", digests[0], digests[1])
	}
	return out
}

// Pull draws the mean rewards of a plan from normal distributions.
func Pull(rng *rand.Rand, p *problem.Problem, plan engine.Plan) engine.Batch {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	for i, c := range plan.Counts {
		if c > 0 {
			b.Means[i] = p.Mean[i] + p.Noise.Scales[i]*rng.NormFloat64()/math.Sqrt(float64(c))
		}
	}
	return b
}

// SquaresPull draws rewards, and returns their means and squared deviations. truth holds the true noise scales.
func SquaresPull(rng *rand.Rand, p *problem.Problem, truth []float64, plan engine.Plan) engine.Batch {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N()), Squares: make([]float64, p.N())}
	for i, n := range plan.Counts {
		var sum, squares float64
		for range n {
			x := p.Mean[i] + truth[i]*rng.NormFloat64()
			sum, squares = sum+x, squares+x*x
		}
		if n > 0 {
			b.Means[i] = sum / float64(n)
			b.Squares[i] = max(0, squares-sum*sum/float64(n))
		}
	}
	return b
}

// PullBlocks draws the rewards of all blocks. rewards[k] has one list per block of side k, in the order of the side's
// arms.
func PullBlocks(rng *rand.Rand, p *problem.Problem, sides []engine.Side) (rewards [][][]float64, b engine.Batch) {
	for _, s := range sides {
		var all [][]float64
		w := engine.Within{Means: make([]float64, len(s.Arms))}
		for range s.Blocks {
			day, block := p.Block.Effect*rng.NormFloat64(), []float64{}
			for a, i := range s.Arms {
				block = append(block, p.Mean[i]+day+p.Noise.Scales[i]*rng.NormFloat64())
				w.Means[a] += block[a] / float64(s.Blocks)
			}
			all = append(all, block)
		}
		for a := range s.Arms {
			for c := range s.Arms {
				sum := 0.0
				for _, block := range all {
					sum += (block[a] - w.Means[a]) * (block[c] - w.Means[c])
				}
				w.Products = append(w.Products, sum)
			}
		}
		rewards, b.Within = append(rewards, all), append(b.Within, w)
	}
	b.Counts = engine.CountsOf(sides, p.N())
	b.Means = engine.MeansOf(sides, b.Within, p.N())
	return rewards, b
}

// SideRounds runs two replicas that plan blocks, for fewer than the given number (most) of rounds. Their plans must be
// equal. Blocks must have at least two arms, the problem's size and its control. In round 2, other blocks are measured
// than planned.
func SideRounds(t *testing.T, rng *rand.Rand, p *problem.Problem, most int, algs []engine.Algorithm) {
	t.Helper()
	for r := 1; !algs[0].Done() && r < most; r++ {
		plan, err := algs[0].Plan(t.Context())
		other, err2 := algs[1].Plan(t.Context())
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if plan.WantSquares || len(plan.Sides) == 0 || !slices.Equal(plan.Counts, engine.CountsOf(plan.Sides, p.N())) {
			t.Fatalf("round %d: squares %v, counts %v, sides %v", r, plan.WantSquares, plan.Counts, plan.Sides)
		}
		for k, s := range plan.Sides {
			if !slices.Equal(s.Arms, other.Sides[k].Arms) || s.Blocks != other.Sides[k].Blocks {
				t.Fatalf("round %d: replicas plan %v and %v", r, plan.Sides, other.Sides)
			}
			lacks := p.Block.Control != "" && !slices.ContainsFunc(s.Arms, func(i int) bool { return p.Arms.Names[i] == p.Block.Control })
			if len(s.Arms) < 2 || p.Block.Size > 0 && len(s.Arms) > p.Block.Size || lacks {
				t.Errorf("%+v, round %d: a block of %v", *p.Block, r, s.Arms)
			}
		}
		if r == 2 {
			if err := algs[0].(engine.Amender).Amend(plan.Counts); !errors.Is(err, engine.ErrFixedPlans) {
				t.Errorf("counts alone: error %v", err)
			}
			if err := algs[0].(engine.BlockAmender).AmendBlocks([]engine.Side{{Arms: []int{0, 4}, Blocks: 1}}); err == nil {
				t.Error("a block of two tasks is taken")
			}
			plan.Sides[0].Blocks++
			for _, alg := range algs {
				if err := alg.(engine.BlockAmender).AmendBlocks(plan.Sides); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, b := PullBlocks(rng, p, plan.Sides)
		for _, alg := range algs {
			if err := alg.Learn(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	}
}
