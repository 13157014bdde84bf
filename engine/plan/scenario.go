package plan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// scenario has assumed rewards: problems with known expected rewards. The runs are distributed over them.
type scenario struct {
	gap      float64 // gap of the assumed rewards; 0 for the problem's own rewards
	problems []*problem.Problem
}

// draws is the number of random choices of best arms for each gap.
const draws = 5

// scenarios returns one scenario with the known rewards, or one for each gap, and notes that describe their assumptions.
// It returns an error if rewards are unknown and no gap is given.
func (q Question) scenarios(ctx context.Context, p *problem.Problem) (_ []scenario, _ []engine.Warning, err error) {
	defer try.Caught(&err)
	notes := engine.NoiseWarnings(p)
	gaps := q.Gaps
	if len(gaps) == 0 && p.Mean == nil && q.Options.Gap > 0 {
		gaps = []float64{q.Options.Gap}
	}
	measured := problem.DrawsMeans(p.Noise.Environment) // each run then draws its own rewards
	if len(gaps) == 0 && p.Mean == nil && !measured {
		if unmeasured := p.Unmeasured(); unmeasured != "" {
			return nil, nil, fmt.Errorf("%s; or give gaps, the smallest difference between best and second arm to plan for", unmeasured)
		}
		return nil, nil, errUnknown
	}
	if len(gaps) == 0 && p.N() > model.MaxRank { // more arms than the largest supported rank
		return []scenario{{problems: []*problem.Problem{p}}}, notes, nil
	}
	m := try.Of(model.NewContext(ctx, p, q.Options.Unit))
	notes = append(notes, m.Relations().KernelWarnings()...)
	if len(gaps) == 0 {
		return []scenario{{problems: []*problem.Problem{p}}}, notes, nil
	}
	m = try.Of(m.Exact())
	var out []scenario
	for _, gap := range gaps {
		if !(gap > 0) || math.IsInf(gap, 0) {
			return nil, nil, fmt.Errorf("gaps must be positive numbers, got %g", gap)
		}
		if slices.ContainsFunc(out, func(s scenario) bool { return s.gap == gap }) {
			return nil, nil, fmt.Errorf("gaps must differ, got %g twice", gap)
		}
		s := scenario{gap: gap}
		for d := range min(draws, q.Runs) {
			mean := try.Of(leastFavourable(m, gap, rand.New(rand.NewPCG(q.Seed, uint64(d)))))
			of := Supposed(p, mean)
			if p.Noise.Bounds != nil {
				of = try.Of(withinBounds(p, gap, mean))
			}
			s.problems = append(s.problems, of)
		}
		out = append(out, s)
	}
	return out, append(notes, engine.Warning{Kind: engine.WarnLeastFavourable}), nil
}

// Supposed returns the problem with N assumed expected rewards. Noise is normal with the problem's scales, because noise
// with bounds and resampled rewards do not fit assumed means. The noise of blocks is estimated from the data.
func Supposed(p *problem.Problem, mean []float64) *problem.Problem {
	q := *p
	q.Mean, q.Partial, q.Rewards, q.Noise.Bounds, q.Noise.Environment = mean, nil, nil, nil, problem.EnvironmentGaussian
	if p.Block == nil {
		return &q
	}
	block := *p.Block
	switch sd := belief.Within(p); {
	case len(p.Blocks) > 1 && sd != nil:
		q.Noise.SD = sd
		for i, all := range p.Noise.Deviations() {
			if beyond := all*all - sd[i]*sd[i]; beyond > 0 {
				block.Effect += beyond / float64(len(sd))
			}
		}
		block.Effect = math.Sqrt(block.Effect)
	case p.Rewards != nil && p.Long == nil:
		q.Noise.SD, block.Effect = withinBlocks(p)
	}
	q.Block = &block
	return &q
}

// withinBlocks estimates the standard deviation within blocks, equal for all arms of a task, and the standard deviation of
// block effects, both in reward units. The model is y_ik = μ_i + B_k + e_ik for K arms in n blocks. Then Σ e² has
// (K-1)(n-1) degrees of freedom, and block means have variance Var B + Var e / K.
func withinBlocks(p *problem.Problem) (sd []float64, effect float64) {
	sd = slices.Clone(p.Noise.Deviations())
	for _, set := range p.Groups() {
		arms, blocks := float64(len(set)), len(p.Rewards[set[0]])
		if arms < 2 || blocks < 2 || slices.ContainsFunc(set, func(i int) bool { return len(p.Rewards[i]) != blocks }) {
			continue
		}
		of, squares := make([]float64, blocks), 0.0 // per block: its mean minus the overall mean
		for _, i := range set {
			mean := stat.Mean(p.Rewards[i], nil)
			for k, y := range p.Rewards[i] {
				of[k] += (y - mean) / arms
			}
		}
		for _, i := range set {
			mean := stat.Mean(p.Rewards[i], nil)
			for k, y := range p.Rewards[i] {
				squares += math.Pow(y-mean-of[k], 2)
			}
		}
		variance := squares / ((arms - 1) * float64(blocks-1))
		for _, i := range set {
			if variance > 0 {
				sd[i] = math.Sqrt(variance)
			}
		}
		effect += max(stat.Variance(of, nil)-variance/arms, 0) / float64(p.V())
	}
	return sd, math.Sqrt(effect)
}

// withinBounds returns the problem with these expected rewards, shifted to the middle of its bounds. Rewards are either
// bound, which gives the largest variance for these means. It returns an error if the means do not fit between the bounds.
func withinBounds(p *problem.Problem, gap float64, mean []float64) (*problem.Problem, error) {
	lo, hi := slices.Min(mean), slices.Max(mean)
	bounds := p.Noise.Bounds
	if hi-lo > bounds[1]-bounds[0] {
		return nil, fmt.Errorf("with a gap of %g the expected rewards of problem %q have a range of %.3g, but the bounds allow only %.3g. "+
			"Give smaller gaps",
			gap, p.Name, hi-lo, bounds[1]-bounds[0])
	}
	q := Supposed(p, slices.Clone(mean))
	for i := range q.Mean {
		q.Mean[i] += (bounds[0] + bounds[1] - lo - hi) / 2
	}
	q.Noise.Bounds, q.Noise.Environment, q.Noise.SD = bounds, problem.EnvironmentBernoulli, nil
	return q, nil
}

// LeastFavourable returns n problems with the hardest rewards that the kernel can represent. gap is the lead of the best
// arm over its rivals in every task, reward units; see leastFavourable. unit is as in engine.Options.
func LeastFavourable(ctx context.Context, p *problem.Problem, gap, unit float64, n int) (_ []*problem.Problem, err error) {
	defer try.Caught(&err)
	m := try.Of(model.NewContext(ctx, p, unit))
	m = try.Of(m.Exact())
	return lists.Try(n, func(d int) (*problem.Problem, error) {
		mean, err := leastFavourable(m, gap, rand.New(rand.NewPCG(1, uint64(d))))
		if err != nil {
			return nil, err
		}
		return Supposed(p, mean), nil
	})
}

// leastFavourable returns expected rewards, as hard as the kernel allows, in which the best arm of every task leads each
// rival by at least gap (reward units). In ranking and selection, the least favourable configuration has every rival
// exactly gap below the best [Bechhofer54]. Here it is restricted to functions that the kernel can represent: the one with
// these leads and the smallest norm,
//
//	min ‖θ‖²  subject to  (φ_best - φ_i)ᵀθ ≥ gap  for every rival i of every task.
//
// With identity() every rival is exactly gap below. A kernel of smaller rank, or similar tasks, forces some rivals further
// below. The best arms are those of a draw from the Gaussian process. So similar tasks have similar best arms, and the
// problem has a solution. Arms with equal features have equal rewards.
func leastFavourable(m *model.Model, gap float64, rng *rand.Rand) ([]float64, error) {
	p := m.Problem
	draw := lists.Make(m.Rank(), func(int) float64 { return rng.NormFloat64() })
	leads, smallest := contrasts(m, draw)
	if len(leads) == 0 || math.IsInf(smallest, 1) {
		return nil, fmt.Errorf("problem %q: no task has two arms that the kernel distinguishes, so there is no gap to plan for", p.Name)
	}
	theta := smallestNorm(leads, draw, smallest)
	return lists.Make(p.N(), func(i int) float64 { return gap * floats.Dot(m.Features.RawRowView(i), theta) }), nil
}

// indistinct is a relative tolerance: two arms count as equal if their features differ by at most this fraction of the
// largest ‖φ‖².
const indistinct = 1e-10

// contrasts returns φ_best - φ_i for every rival i of every task. best is the best arm of the task under the rewards
// φᵀtheta. smallest is the smallest lead φ_bestᵀtheta - φ_iᵀtheta.
func contrasts(m *model.Model, theta []float64) (leads [][]float64, smallest float64) {
	largest := 0.0
	for i := range m.Problem.N() {
		row := m.Features.RawRowView(i)
		largest = max(largest, floats.Dot(row, row))
	}
	smallest = math.Inf(1)
	for _, group := range m.Problem.Groups() {
		best := group[0]
		for _, i := range group {
			if floats.Dot(m.Features.RawRowView(i), theta) > floats.Dot(m.Features.RawRowView(best), theta) {
				best = i
			}
		}
		for _, i := range group {
			y := floats.SubTo(make([]float64, len(theta)), m.Features.RawRowView(best), m.Features.RawRowView(i))
			if floats.Dot(y, y) <= indistinct*largest {
				continue
			}
			leads, smallest = append(leads, y), min(smallest, floats.Dot(y, theta))
		}
	}
	return leads, smallest
}

// smallestNorm stops at the relative duality gap normTolerance, or after normSweeps sweeps. In the second case the rewards
// are not quite the hardest, but their smallest gap is still right.
const (
	normTolerance = 1e-4
	normSweeps    = 2000
)

// smallestNorm solves min ‖θ‖² subject to yᵀθ ≥ 1 for all leads y, by coordinate ascent on the dual Σα - ½‖Σ αy‖² over α ≥
// 0 [Hildreth57]. start is any θ with yᵀθ > 0 for all y, and smallest is the minimum of these products. The result has min
// yᵀθ = 1.
func smallestNorm(leads [][]float64, start []float64, smallest float64) []float64 {
	best := floats.ScaleTo(make([]float64, len(start)), 1/smallest, start)
	theta, alpha, sum := make([]float64, len(start)), make([]float64, len(leads)), 0.0
	for range normSweeps {
		for k, y := range leads {
			step := max(-alpha[k], (1-floats.Dot(y, theta))/floats.Dot(y, y))
			alpha[k] += step
			sum += step
			floats.AddScaled(theta, step, y)
		}
		least := math.Inf(1)
		for _, y := range leads {
			least = min(least, floats.Dot(y, theta))
		}
		if least <= 0 {
			continue
		}
		if now := floats.ScaleTo(make([]float64, len(theta)), 1/least, theta); floats.Dot(now, now) < floats.Dot(best, best) {
			best = now
		}
		if norm := floats.Dot(best, best) / 2; norm-(sum-floats.Dot(theta, theta)/2) <= normTolerance*norm {
			break
		}
	}
	return best
}
