package sim

import (
	"context"
	"fmt"
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

// Pull makes the plan's pulls, each block of a task at once.
func (e *blocks) Pull(ctx context.Context, p engine.Plan) (engine.Batch, error) {
	if !p.SideBySide {
		return e.Environment.Pull(ctx, p)
	}
	groups := e.problem.Groups()
	b := engine.Batch{Counts: p.Counts, Means: make([]float64, len(p.Counts)), Products: make([][]float64, len(groups))}
	for v, set := range groups {
		b.Products[v] = make([]float64, len(set)*len(set))
		var in []int
		n := 0
		for _, i := range set {
			if c := p.Counts[i]; c > 0 {
				if in = append(in, i); n > 0 && c != n {
					return b, fmt.Errorf("task %q: side by side all its arms have equally many pulls, got %d and %d", e.problem.Tasks.Names[v], n, c)
				}
				n = c
			}
		}
		if n == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return b, err
		}
		rng := stream(e.seed, e.run, uint64(p.Round), uint64(set[0]))
		var products [][]float64
		if e.problem.Rewards != nil {
			products = e.resample(rng, in, n, b.Means)
		} else {
			products = e.normal(rng, in, n, b.Means)
		}
		for a, i := range in {
			for c, j := range in {
				b.Products[v][(i-set[0])*len(set)+j-set[0]] = products[a][c]
			}
		}
	}
	return b, nil
}

// resample draws n of the blocks in which the arms were measured, with replacement: one multinomial.
func (e *blocks) resample(rng *rand.Rand, in []int, n int, means []float64) [][]float64 {
	count := len(e.problem.Rewards[in[0]])
	taken, left := make([]float64, count), n
	for k := range taken {
		if rest := count - k; rest > 1 {
			taken[k] = binomial(rng, left, 1/float64(rest))
		} else {
			taken[k] = float64(left)
		}
		left -= int(taken[k])
	}
	for _, i := range in {
		for k, c := range taken {
			means[i] += c * e.problem.Rewards[i][k] / float64(n)
		}
	}
	products := square(len(in))
	for a, i := range in {
		for c, j := range in {
			for k, times := range taken {
				products[a][c] += times * (e.problem.Rewards[i][k] - means[i]) * (e.problem.Rewards[j][k] - means[j])
			}
		}
	}
	return products
}

// normal draws means and products of n blocks of normal rewards with a common effect: the products are
// Wishart with n - 1 degrees of freedom, independent of the means, and drawn as LTTᵀLᵀ [Bartlett 1933], L the
// Cholesky factor of the covariance.
func (e *blocks) normal(rng *rand.Rand, in []int, n int, means []float64) [][]float64 {
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
	for i, arm := range in {
		means[arm] = e.problem.Mean[arm]
		for j := range i + 1 {
			means[arm] += factor[i][j] * z[j]
		}
	}
	return e.wishart(rng, factor, n-1)
}

// wishart draws LTTᵀLᵀ of so many degrees of freedom: with fewer than rows, as the sum of as many squares.
func (e *blocks) wishart(rng *rand.Rand, factor [][]float64, freedom int) [][]float64 {
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
	out := square(k)
	for i := range out {
		for j := range out[i] {
			for l := range lt[i] {
				out[i][j] += lt[i][l] * lt[j][l]
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
