package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/boundary"
)

// A score is the evidence of a round's own data on a gap μ_leader - μ_x, as a number whose law is known
// when the gap is: Z of docs/theory.md.
type score struct {
	gap     float64 // the estimate, less the bound on its bias, normalised
	sd      float64 // its standard error, normalised; estimated from the round where scales are not known
	freedom float64 // degrees of freedom of sd; +Inf where scales are known
}

// z is Z if the leader were that loss ≥ 0 below x. It rises with the loss, and at the leader's loss
// no probability P(Z ≥ u) is above that of the standard normal law; with known scales it is N(0, 1), or as
// sub-Gaussian as that.
func (s score) z(loss float64) float64 {
	t := (s.gap + loss) / s.sd
	if t <= 0 || math.IsInf(s.freedom, 1) {
		return t
	}
	// The normal quantile of Student's law. It is below t.
	tail := distuv.StudentsT{Sigma: 1, Nu: min(s.freedom, mostFreedom)}.Survival(t)
	return min(-mathext.NormalQuantile(tail), largestScore, t)
}

// mostFreedom is the most degrees of freedom that are counted: with more, the incomplete beta function
// loses the digits in which Student's law differs from the normal one, and with fewer Z is lower.
const mostFreedom = 1e6

// largestScore bounds Z where tails vanish in double precision.
const largestScore = 37

// noiseLaw holds the known and estimated noise scales.
type noiseLaw struct {
	model *Model // with the precisions of the coming round

	groups  []int     // N: the unknown factor that an arm's scale has; nil when scales are known
	freedom []float64 // by group, of the rounds so far
	squares []float64 // by group: Σ squared deviations over guessed variance
}

// lawOf checks Options.Law against the problem and prepares.
func lawOf(m *Model, opt Options) (noiseLaw, error) {
	p := m.Problem
	n := noiseLaw{model: m}
	n.groups = p.Noise.Groups(p.TaskOf)
	if n.groups == nil {
		return n, nil
	}
	if opt.LawFor(p) != LawNormal {
		return n, fmt.Errorf("law must be %q where noise scales are unknown, got %q: nothing bounds them", LawNormal, opt.LawFor(p))
	}
	count := slices.Max(n.groups) + 1
	n.freedom, n.squares = make([]float64, count), make([]float64, count)
	return n, nil
}

// heights returns the z of the clock at error probability alpha, remembered.
func heights(ctx context.Context, m *Memory, law string, alpha float64) ([]float64, error) {
	times := boundary.Geometric(clockGrowth, clockLooks)
	if law == LawSubGaussian {
		return remember(ctx, m, key{kind: kindSubGaussianHeights, level: alpha}, func() ([]float64, error) { return boundary.Mixture(alpha, times) })
	}
	return remember(ctx, m, key{kind: kindNormalHeights, level: alpha}, func() ([]float64, error) {
		z, err := boundary.Constant(alpha, times)
		return slices.Repeat([]float64{z}, clockLooks), err
	})
}

// fewestFree is the degrees of freedom that every unknown scale gets in every round that
// pulls it: with fewer, Student's law costs more than the pulls.
const fewestFree = 6

// replicate adds pulls to the arm of each group that has most, until its scale can be estimated.
func (n *noiseLaw) replicate(counts []int) {
	if n.groups == nil {
		return
	}
	free, most := make([]int, len(n.freedom)), make([]int, len(n.freedom))
	for g := range most {
		most[g] = -1
	}
	for i, c := range counts {
		if g := n.groups[i]; c > 0 {
			free[g] += c - 1
			if most[g] < 0 || c > counts[most[g]] {
				most[g] = i
			}
		}
	}
	for g, i := range most {
		if i >= 0 && free[g] < fewestFree {
			counts[i] += fewestFree - free[g]
		}
	}
}

// learn takes in a round's squared deviations and sets the precisions of the next round:
// guesses times what all rounds so far say of their factors, those with little data drawn towards
// the common one. It returns the least factor by which a precision changed.
func (n *noiseLaw) learn(b Batch) (least float64, err error) {
	if n.groups == nil {
		return 1, nil
	}
	p := n.model.Problem
	for i, c := range b.Counts {
		if c > 1 {
			n.freedom[n.groups[i]] += float64(c - 1)
			n.squares[n.groups[i]] += b.Squares[i] / (p.Noise.Scales[i] * p.Noise.Scales[i])
		}
	}
	var freedom, squares float64
	for g, f := range n.freedom {
		freedom, squares = freedom+f, squares+n.squares[g]
	}
	if !(squares > 0) { // no replicates, or rewards without noise: nothing to learn
		return 1, nil
	}
	precision := make([]float64, p.N())
	least = math.Inf(1)
	for i, g := range n.groups {
		factor := (n.squares[g] + fewestFree*squares/freedom) / (n.freedom[g] + fewestFree)
		sigma := p.Noise.Scales[i] / n.model.Unit
		precision[i] = 1 / (sigma * sigma * factor)
		least = min(least, precision[i]/n.model.Precision[i])
	}
	n.model, err = n.model.reweighted(precision)
	return least, err
}

// noWeight is the weight, relative to the largest, that is rounding of 0. An arm of no more weight is left out of
// the estimate, not only of its variance: how much its noise counts is not known, and guesses may be off by any factor.
const noWeight = 1e-10

// score returns the evidence of the round's data on a bet.
func (n *noiseLaw) score(b bet, e *Estimator, estimates []float64, round Batch) score {
	s := score{gap: estimates[b.leader] - estimates[b.arm] - b.bias, sd: math.Sqrt(b.variance), freedom: math.Inf(1)}
	if n.groups == nil {
		return s
	}
	// yᵀθ̂ = Σ_i w_i ȳ_i, and Var yᵀθ̂ = Σ_i w_i² σ_i²/n_i with each group's variance estimated from its own replicates.
	weights, largest := b.weights(e), 0.0
	for _, w := range weights {
		largest = max(largest, math.Abs(w))
	}
	per := make([]struct{ coefficient, squares, freedom float64 }, len(n.freedom))
	p := n.model.Problem
	for i, c := range round.Counts {
		if c == 0 {
			continue
		}
		g, sigma := &per[n.groups[i]], p.Noise.Scales[i]/n.model.Unit
		if w := weights[i]; math.Abs(w) > noWeight*largest {
			g.coefficient += w * w * sigma * sigma / float64(c)
		} else {
			s.gap -= w * round.Means[i] / n.model.Unit
		}
		g.squares += round.Squares[i] / (p.Noise.Scales[i] * p.Noise.Scales[i])
		g.freedom += float64(c - 1)
	}
	variance := 0.0
	for _, g := range per {
		if g.coefficient == 0 {
			continue
		}
		variance += g.coefficient * g.squares / g.freedom // no replicates: NaN, and no step
		s.freedom = min(s.freedom, g.freedom)
	}
	s.sd = math.Sqrt(variance)
	return s
}
