package enginetest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Run returns the outcome of alg on rewards that pull returns.
func Run(t testing.TB, alg engine.Algorithm, opt engine.Options, pull func(engine.Plan) engine.Batch) engine.Outcome {
	t.Helper()
	out, err := engine.Run(context.Background(), alg, EnvironmentFunc(pull), opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Number returns how many runs, cases or sizes a test takes: the first, or the second in short
// tests.
func Number(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// EnvironmentFunc is an engine.Environment that answers plans by a function.
type EnvironmentFunc func(engine.Plan) engine.Batch

// Pull returns the batch of f.
func (f EnvironmentFunc) Pull(_ context.Context, p engine.Plan) (engine.Batch, error) {
	return f(p), nil
}

// Replicas checks that two algorithms which are told the same make the same plans, as the digests
// show, and returns their outcome.
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

// Pull draws Gaussian mean rewards.
func Pull(rng *rand.Rand, p *problem.Problem, plan engine.Plan) engine.Batch {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	for i, c := range plan.Counts {
		if c > 0 {
			b.Means[i] = p.Mean[i] + p.Noise.Scales[i]*rng.NormFloat64()/math.Sqrt(float64(c))
		}
	}
	return b
}

// SquaresPull pulls with squared deviations, of noise scales true.
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

// PullBlocks pulls block by block and keeps every reward: rewards[k] of the blocks of side k, each in the order of
// the side's arms.
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
