package cotest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// combination is the test of docs/theory/test.md transcribed plainly: features φ = z ⊗ x
// written out, pseudo-inverses, every task by itself, maps instead of walks. It gets the plans of
// the code under test and must eliminate the same arms in the same rounds.
//
//	docs/theory/test.md   here
//	T_0, g, K        from[i], growth, len(heights)
//	I, Z             info, z
//	S, T_k           sum[i], from[i]·growth^k[i]
//	z_k              heights
type combination struct {
	*plain.Reference
	t0      float64         // of walks whose first round brings as much
	from    map[int]float64 // T_0 of each walk that began
	heights []float64
	counts  []float64
	rewards []float64
	pooled  []float64 // estimates of all data
	known   *mat.Dense
	before  []int // candidates of the task at hand before the round
	sum     map[int]float64
	k       map[int]int
	leader  []int
}

func newCombination(p *problem.Problem, heights []float64) *combination {
	return &combination{Reference: plain.NewReference(p, 0), heights: heights, counts: make([]float64, p.N()), rewards: make([]float64, p.N()), sum: map[int]float64{}, from: map[int]float64{}, k: map[int]int{}, leader: make([]int, p.V())}
}

// opponent returns whom arm i of a task is compared with: the leader, or the second best if it is the leader.
func (c *combination) opponent(v, i int) int {
	if i != c.leader[v] {
		return c.leader[v]
	}
	return rounds.Leader(slices.DeleteFunc(slices.Clone(c.Sets[v]), func(j int) bool { return j == i }), c.pooled)
}

// leastSquares returns the estimates of all arms and A⁺, in units of the largest noise.
func (c *combination) leastSquares(counts, means []float64) (estimates []float64, pseudo *mat.Dense) {
	dim := c.Phi[0].Len()
	a, right := mat.NewSymDense(dim, nil), mat.NewVecDense(dim, nil)
	unit := c.P.LargestNoise()
	for i, n := range counts {
		if n > 0 {
			w := n * plain.Sq(unit/c.P.Noise.Scales[i])
			a.SymRankOne(a, w, c.Phi[i])
			right.AddScaledVec(right, w*means[i]/unit, c.Phi[i])
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(a, true)
	values, vectors := eigen.Values(nil), new(mat.Dense)
	eigen.VectorsTo(vectors)
	pseudo = mat.NewDense(dim, dim, nil)
	for j, v := range values {
		if v > 1e-9*values[dim-1] {
			var outer mat.Dense
			outer.Outer(1/v, vectors.ColView(j), vectors.ColView(j))
			pseudo.Add(pseudo, &outer)
		}
	}
	var theta mat.VecDense
	theta.MulVec(pseudo, right)
	for _, f := range c.Phi {
		estimates = append(estimates, mat.Dot(f, &theta))
	}
	return estimates, pseudo
}

func (c *combination) learn(b engine.Batch) {
	c.Round++
	counts := make([]float64, len(b.Counts))
	for i, n := range b.Counts {
		counts[i] = float64(n)
	}
	estimates, pseudo := c.leastSquares(counts, b.Means)
	for v, set := range c.Sets {
		var keep []int
		c.before = set
		for _, i := range set {
			if c.Round == 1 || len(set) == 1 || !c.crosses(v, i, counts, estimates, pseudo) {
				keep = append(keep, i)
			}
		}
		c.Sets[v] = keep
	}
	for i, n := range counts {
		if n > 0 {
			c.rewards[i] = (c.counts[i]*c.rewards[i] + n*b.Means[i]) / (c.counts[i] + n)
			c.counts[i] += n
		}
	}
	c.pooled, c.known = c.leastSquares(c.counts, c.rewards)
	for v, set := range c.Sets {
		c.leader[v] = rounds.Leader(set, c.pooled)
	}
}

// deviation returns √(yᵀA⁺y) for y = φ_first - φ_i.
func (c *combination) deviation(i, first int, pseudo *mat.Dense) float64 {
	var y mat.VecDense
	y.SubVec(c.Phi[first], c.Phi[i])
	return math.Sqrt(mat.Inner(&y, pseudo, &y))
}

// estimable reports whether A A⁺ y = y.
func (c *combination) estimable(i, first int, counts []float64, pseudo *mat.Dense) bool {
	var y, back, seen mat.VecDense
	y.SubVec(c.Phi[first], c.Phi[i])
	back.MulVec(pseudo, &y)
	seen.CloneFromVec(&y)
	for j, n := range counts {
		seen.AddScaledVec(&seen, -n*plain.Sq(c.P.LargestNoise()/c.P.Noise.Scales[j])*mat.Dot(c.Phi[j], &back), c.Phi[j])
	}
	return mat.Norm(&seen, 2) <= 1e-6
}

// above returns E max(0, μ_j - μ_i), given all data, and 0 if they give no estimate of it.
func (c *combination) above(j, i int) float64 {
	if !c.estimable(j, i, c.counts, c.known) {
		return 0
	}
	sd, n := c.deviation(j, i, c.known), distuv.UnitNormal
	u := (c.pooled[j] - c.pooled[i]) / sd
	return sd * (u*n.CDF(u) + n.Prob(u))
}

// crosses makes the step of the walk of arm i.
func (c *combination) crosses(v, i int, counts, estimates []float64, pseudo *mat.Dense) bool {
	first := c.opponent(v, i)
	if !c.estimable(i, first, counts, pseudo) {
		return false
	}
	doubt := 0.0
	for _, j := range c.before {
		if j != i && j != first {
			doubt += c.above(j, first)
		}
	}
	variance := plain.Sq(c.deviation(i, first, pseudo))
	info := 1 / variance
	if gap := c.above(first, i); gap > 0 {
		info *= plain.Sq(gap / (gap + doubt))
	}
	const growth = 1.25
	old, from := 0.0, c.from[i]
	k, begun := c.k[i]
	if begun {
		old = from * math.Pow(growth, float64(k))
	} else {
		k, from = -1, c.t0
		if sooner := math.Round(math.Log(1/variance/c.t0) / math.Log(growth)); sooner < 0 {
			from *= math.Pow(growth, max(sooner, math.Ceil(-4*math.Log(1.25)/math.Log(growth)-1e-9)))
		}
	}
	next := min(int(math.Round(math.Log((old+info)/from)/math.Log(growth))), len(c.heights)-1)
	if next <= k {
		return false
	}
	now := from * math.Pow(growth, float64(next))
	c.sum[i] += math.Sqrt(now-old) * (estimates[first] - estimates[i]) / math.Sqrt(variance)
	c.from[i] = from
	c.k[i] = next
	return c.sum[i] >= c.heights[next]*math.Sqrt(now)
}

// heightsAt returns the heights of the usual clock at the level alpha.
func heightsAt(t *testing.T, alpha float64) []float64 {
	t.Helper()
	return try.Of(normalBoundary.heights(t.Context(), new(canon.Memory), alpha, 0))
}

func TestReferenceCoTest(t *testing.T) {
	// different tasks
	distinct, seeds := []float64{1, 2, 5, 3}, uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for number, p := range enginetest.Instances(t) {
		deltas := []float64{0.05 * distinct[number], 0.03}
		levels := [][]float64{heightsAt(t, 0.05), heightsAt(t, 0.03/distinct[number])}
		for seed := range seeds {
			m := plain.ModelOf(t, p)
			alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: deltas[seed%2], Together: true}))
			ref := newCombination(p, levels[seed%2])
			rng := rand.New(rand.NewPCG(seed, 31))
			for !alg.Done() {
				plan := try.Of(alg.Plan(t.Context()))
				if plan.Round == 1 {
					ref.t0 = float64(plan.Pulls()) / plan.Rho
				}
				b := enginetest.Pull(rng, p, plan)
				try.To(alg.Learn(t.Context(), b))
				ref.learn(b)
				if got := alg.(*coTest).Sets; fmt.Sprint(got) != fmt.Sprint(ref.Sets) {
					t.Fatalf("%s, seed %d, round %d: candidates %v, plainly %v", p.Name, seed, plan.Round, got, ref.Sets)
				}
			}
		}
	}
}
