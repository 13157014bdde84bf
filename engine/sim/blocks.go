package sim

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// blocks is an environment whose rewards of one task have something in common where they are measured side by
// side (problem.Block). Plans that do not ask for that are pulled by the environment in it.
type blocks struct {
	engine.Environment
	problem   *problem.Problem
	seed, run uint64
}

// Pull makes the plan's pulls, the blocks of each side at once.
func (e *blocks) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	if p.Sides == nil {
		return e.Environment.Pull(ctx, p)
	}
	b := engine.Batch{Counts: p.Counts}
	for k, s := range p.Sides {
		if err := ctx.Err(); err != nil {
			return b, err
		}
		rng := stream(e.seed, e.run, uint64(p.Round)<<32|uint64(k), uint64(s.Arms[0]))
		if e.problem.Rewards != nil {
			b.Within = append(b.Within, e.resample(rng, s))
		} else {
			b.Within = append(b.Within, e.normal(rng, s))
		}
	}
	b.Means = engine.MeansOf(p.Sides, b.Within, len(p.Counts))
	return b, nil
}

// resample draws n of the blocks in which the arms were measured, with replacement: one multinomial.
func (e *blocks) resample(rng *rand.Rand, s engine.Side) engine.Within {
	count, in := len(e.problem.Rewards[s.Arms[0]]), s.Arms
	taken, left := make([]float64, count), s.Blocks
	for k := range taken {
		if rest := count - k; rest > 1 {
			taken[k] = binomial(rng, left, 1/float64(rest))
		} else {
			taken[k] = float64(left)
		}
		left -= int(taken[k])
	}
	out := engine.Within{Means: make([]float64, len(in)), Products: make([]float64, len(in)*len(in))}
	for a, i := range in {
		for k, c := range taken {
			out.Means[a] += c * e.problem.Rewards[i][k] / float64(s.Blocks)
		}
	}
	for a, i := range in {
		for c, j := range in {
			for k, times := range taken {
				out.Products[a*len(in)+c] += times * (e.problem.Rewards[i][k] - out.Means[a]) * (e.problem.Rewards[j][k] - out.Means[c])
			}
		}
	}
	return out
}

// normal draws means and products of n blocks of normal rewards with a common effect: the products are
// Wishart with n - 1 degrees of freedom, independent of the means, and drawn as LTTᵀLᵀ [Bartlett 1933], L the
// Cholesky factor of the covariance.
func (e *blocks) normal(rng *rand.Rand, s engine.Side) engine.Within {
	in, n := s.Arms, s.Blocks
	sd, k := e.problem.Noise.Deviations(), len(in)
	factor := square(k)
	effect := e.problem.Block.Effect
	for i := range k { // of diag(sd²) + effect²·11ᵀ
		for j := range i + 1 {
			sum := effect * effect
			if i == j {
				sum += sd[in[i]] * sd[in[i]]
			}
			for l := range j {
				sum -= factor[i][l] * factor[j][l]
			}
			if i == j {
				factor[i][i] = math.Sqrt(sum)
			} else {
				factor[i][j] = sum / factor[j][j]
			}
		}
	}
	z := make([]float64, k)
	for i := range z {
		z[i] = rng.NormFloat64() / math.Sqrt(float64(n))
	}
	out := engine.Within{Products: e.wishart(rng, factor, n-1)}
	for i, arm := range in {
		mean := e.problem.Mean[arm]
		for j := range i + 1 {
			mean += factor[i][j] * z[j]
		}
		out.Means = append(out.Means, mean)
	}
	return out
}

// wishart draws LTTᵀLᵀ of so many degrees of freedom: with fewer than rows, as the sum of as many squares.
func (e *blocks) wishart(rng *rand.Rand, factor [][]float64, freedom int) []float64 {
	k := len(factor)
	t := make([][]float64, k)
	for i := range t {
		t[i] = make([]float64, min(k, freedom))
		for j := range t[i] {
			switch {
			case freedom < k || j < i:
				t[i][j] = rng.NormFloat64()
			case j == i:
				t[i][j] = math.Sqrt(distuv.ChiSquared{K: float64(freedom - i), Src: rng}.Rand())
			}
		}
	}
	lt := make([][]float64, k)
	for i := range lt {
		lt[i] = make([]float64, min(k, freedom))
		for j := range lt[i] {
			for l := range i + 1 {
				lt[i][j] += factor[i][l] * t[l][j]
			}
		}
	}
	out := make([]float64, k*k)
	for i := range k {
		for j := range k {
			for l := range lt[i] {
				out[i*k+j] += lt[i][l] * lt[j][l]
			}
		}
	}
	return out
}

// square returns a matrix of n rows and columns of 0.
func square(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
	}
	return out
}
