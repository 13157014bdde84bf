package elimination

import (
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"gonum.org/v1/gonum/mat"
)

// listing is Algorithms 1 and 2 transcribed plainly, on the estimates of plain.Reference.
type listing struct{ *plain.Reference }

// newListing returns the listing before its first round, with ridge ξ.
func newListing(p *problem.Problem, ridge float64) *listing {
	return &listing{plain.NewReference(p, ridge)}
}

// learnFC runs lines 11-15 of Algorithm 1, with the rule of either schedule.
func (ref *listing) learnFC(b engine.Batch, delta, norm float64, schedule string) []float64 {
	ref.Round++
	r := float64(ref.Round)
	theta, inverse := ref.Estimate(b)
	total := 0.0
	for _, c := range b.Counts {
		total += float64(c)
	}
	pairs := 0.0
	for _, set := range ref.P.Groups() {
		pairs += plain.Sq(float64(len(set)))
	}
	logTerm := math.Log(2 * pairs / (delta / (2 * r * r)))
	for v, set := range ref.Sets {
		var keep []int
		for _, i := range set {
			beaten := false
			for _, j := range set {
				var y, solved mat.VecDense
				y.SubVec(ref.Phi[j], ref.Phi[i])
				solved.MulVec(inverse, &y)
				width := math.Pow(2, -r)
				if schedule == engine.ScheduleTuned {
					width = math.Sqrt(2*mat.Dot(&y, &solved)*logTerm) + total*ref.Ridge*mat.Norm(&solved, 2)*norm
				}
				if i != j && mat.Dot(&y, theta) >= width {
					beaten = true
				}
			}
			if !beaten {
				keep = append(keep, i)
			}
		}
		ref.Sets[v] = keep
	}
	return ref.Rewards(theta)
}

// learnFB runs lines 9-14 of Algorithm 2: the longest prefix by estimate of at most half the
// dimension, found by trying every prefix.
func (ref *listing) learnFB(t *testing.T, b engine.Batch) []float64 {
	theta, _ := ref.Estimate(b)
	rewards := ref.Rewards(theta)
	for v, set := range ref.Sets {
		if len(set) < 2 {
			continue
		}
		sorted := slices.Clone(set)
		sort.SliceStable(sorted, func(x, y int) bool { return rewards[sorted[x]] > rewards[sorted[y]] })
		half := ref.omega(t, set) / 2
		keep := 1
		for k := 2; k <= len(sorted); k++ {
			if ref.omega(t, sorted[:k]) <= half*(1+1e-9) {
				keep = k
			}
		}
		ref.Sets[v] = sorted[:keep]
		slices.Sort(ref.Sets[v])
	}
	return rewards
}

// omega returns ω(ξ, S) on the explicit features.
func (ref *listing) omega(t *testing.T, set []int) float64 {
	t.Helper()
	d := try.Of(design.Minimax(ref.space(), design.Contrasts{Groups: [][]int{set}}, design.Options{Tolerance: 1e-9}))
	return d.Value
}

// space returns the explicit features with the precision of each arm.
func (ref *listing) space() design.Space {
	features := mat.NewDense(len(ref.Phi), ref.Phi[0].Len(), nil)
	precision := make([]float64, len(ref.Phi))
	for i, f := range ref.Phi {
		features.SetRow(i, f.RawVector().Data)
		precision[i] = plain.Sq(ref.P.LargestNoise() / ref.P.Noise.Scales[i])
	}
	return design.Space{Features: features, Precision: precision, Ridge: ref.Ridge}
}

// largestVariance returns max ‖φ_i - φ_j‖²_{A(ξ,λ)⁻¹} over pairs within sets, with a dense inverse.
func (ref *listing) largestVariance(lambda []float64, sets [][]int) float64 {
	dim := ref.Phi[0].Len()
	a := mat.NewDense(dim, dim, nil)
	for i, w := range lambda {
		var outer mat.Dense
		outer.Outer(w*plain.Sq(ref.P.LargestNoise()/ref.P.Noise.Scales[i]), ref.Phi[i], ref.Phi[i])
		a.Add(a, &outer)
	}
	for k := 0; k < dim; k++ {
		a.Set(k, k, a.At(k, k)+ref.Ridge)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil && !plain.IllConditioned(err) {
		panic(err)
	}
	largest := 0.0
	for _, set := range sets {
		for _, i := range set {
			for _, j := range set {
				var y mat.VecDense
				y.SubVec(ref.Phi[i], ref.Phi[j])
				largest = max(largest, mat.Inner(&y, &inverse, &y))
			}
		}
	}
	return largest
}

// width returns the Gaussian width on the explicit features.
func (ref *listing) width(t *testing.T, set []int) design.Design {
	t.Helper()
	s := ref.space()
	s.Ridge = 0
	return try.Of(design.Width(s, set, design.Options{}))
}

// armValue returns min_λ max ‖φ_i‖²_{A⁻¹} over a set of arms of equal noise, by the multiplicative
// algorithm λ_i ← λ_i ‖φ_i‖²/d [Silvey, Titterington and Torsney 1978].
func (ref *listing) armValue(set []int) float64 {
	weights := make([]float64, len(ref.Phi))
	for _, i := range set {
		weights[i] = 1 / float64(len(set))
	}
	largest := 0.0
	for range 5000 {
		a := ref.Gram(weights)
		inverse, d := plain.PseudoInverse(a), float64(len(positive(a)))
		largest = 0
		for _, i := range set {
			norm := mat.Inner(ref.Phi[i], inverse, ref.Phi[i])
			largest = max(largest, norm)
			weights[i] *= norm / d
		}
		if largest < d*(1+1e-8) {
			break
		}
	}
	return largest
}

// checkLocal checks weights that should be equal shares of each open task's own optimal allocation, and returns their value for all open
// pairs.
func (ref *listing) checkLocal(t *testing.T, weights []float64) float64 {
	t.Helper()
	open := 0
	for _, set := range ref.Sets {
		if len(set) > 1 {
			open++
		}
	}
	for v, set := range ref.Sets {
		lo, hi := ref.P.ArmsOf(v)
		share := 0.0
		for _, w := range weights[lo:hi] {
			share += w
		}
		if len(set) < 2 {
			if share != 0 {
				t.Errorf("%s: the decided task %d has the share %g", ref.P.Name, v, share)
			}
			continue
		}
		if math.Abs(share-1/float64(open)) > 1e-9 {
			t.Errorf("%s: task %d has the share %g, want 1/%d", ref.P.Name, v, share, open)
		}
		own, local := newListing(ref.P.Only(v), ref.Ridge), make([]float64, hi-lo)
		for k := range local {
			local[k] = weights[lo+k] * float64(open)
		}
		inside := make([]int, len(set))
		for k, i := range set {
			inside[k] = i - lo
		}
		// in the unit of the whole problem, like ξ and precisions
		unit := plain.Sq(ref.P.LargestNoise() / own.P.LargestNoise())
		own.Ridge /= unit
		if got, best := own.largestVariance(local, [][]int{inside}), own.omega(t, inside); math.Abs(got/best-1) > 1e-6 {
			t.Errorf("%s: the allocation of task %d is worth %g to itself, the best %g", ref.P.Name, v, got, best)
		}
	}
	return ref.largestVariance(weights, ref.Sets)
}

// checkShare compares the pulls of task v with its share, in number and in their value for its own pairs under its own arms. Optimal
// weights are not unique, so only their value can be compared.
func (ref *listing) checkShare(t *testing.T, v int, set, counts []int, share float64) {
	t.Helper()
	p := ref.P
	lo, hi := p.ArmsOf(v)
	sum, lambda := 0.0, make([]float64, p.N())
	for i := lo; i < hi; i++ {
		sum += float64(counts[i])
		lambda[i] = float64(counts[i]) / share
	}
	if len(set) < 2 {
		if sum != 0 {
			t.Errorf("%s, task %d: %g pulls, but it is decided", p.Name, v, sum)
		}
		return
	}
	// Apportioning rounds each of the task's arms by less than one pull.
	if math.Abs(sum-share) > float64(hi-lo) {
		t.Errorf("%s, task %d: %g pulls, an equal share is %g", p.Name, v, sum, share)
	}
	own := newListing(p.Only(v), ref.Ridge)
	local := make([]int, len(set))
	for k, i := range set {
		local[k] = i - lo
	}
	// In the joint model's unit of noise, the largest of all tasks.
	unit := plain.Sq(p.LargestNoise() / own.P.LargestNoise())
	best := own.omega(t, local) / unit
	if got := own.largestVariance(lambda[lo:hi], [][]int{local}) / unit; got > best*(1+2/math.Sqrt(share)) {
		t.Errorf("%s, task %d: the largest variance of its own pairs is %g, the best %g", p.Name, v, got, best)
	}
}

// sameDecisions compares candidate sets exactly and estimates of candidates to
// 1e-6: both solve the same equations, once in a Cholesky factor of the Gram
// matrix and once in the explicit features, at condition numbers up to 1e7.
func sameDecisions(t *testing.T, p *problem.Problem, got, want [][]int, estimates, rewards []float64) {
	t.Helper()
	for v := range want {
		if !slices.Equal(got[v], want[v]) {
			t.Fatalf("%s, task %d: candidates %v, in feature space %v", p.Name, v, got[v], want[v])
		}
		for _, i := range want[v] {
			// decided tasks are not sampled any more: compare differences of open ones
			if j := want[v][0]; math.Abs((estimates[i]-estimates[j])-(rewards[i]-rewards[j])) > 1e-6 {
				t.Errorf("%s, arm %d: estimated difference %g, in feature space %g", p.Name, i, estimates[i]-estimates[j], rewards[i]-rewards[j])
			}
		}
	}
}

// agent transcribes the single-agent baselines plainly for one task, in its explicit features: pseudo-inverses, a multiplicative
// algorithm for G-optimal designs, no cache. It gets the counts and means of the tested code, since optimal weights are not unique, and
// must request as many pulls and discard the same arms.
type agent struct {
	ref      *listing
	kind     string // "RAGE", "ALBA" or "PolyALBA"
	delta    float64
	schedule string

	Set   []int
	round int     // r of RAGE
	q, s  int     // phase and round within it of the others
	log   float64 // log(2n²/δ_r) of the round
}

// newAgent returns an agent before its first round.
func newAgent(p *problem.Problem, kind string, delta float64, schedule string) *agent {
	a := &agent{ref: newListing(p, 0), kind: kind, delta: delta, schedule: schedule}
	for i := range p.N() {
		a.Set = append(a.Set, i)
	}
	return a
}

// rank returns the rank of the task's features.
func (a *agent) rank() int { return len(positive(a.ref.Gram(ones(len(a.ref.Phi))))) }

// Asks returns N of the coming round.
func (a *agent) Asks(t *testing.T) float64 {
	var deltaR, value float64
	if a.kind == "RAGE" {
		a.round++
		a.s = a.round
		deltaR = a.delta / (2 * plain.Sq(float64(a.round)))
		value = a.ref.omega(t, a.Set)
	} else {
		for p := a.goal(); p > 1 && len(a.Set) <= p; p = a.goal() {
			a.q, a.s = a.q+1, 0
		}
		a.s++
		deltaR = a.delta * 6 / plain.Sq(math.Pi*float64(a.q+1)) * 6 / plain.Sq(math.Pi*float64(a.s))
		value = 4 * a.ref.armValue(a.Set)
	}
	n := float64(len(a.ref.Phi))
	a.log = math.Log(2 * n * n / deltaR)
	constant := 2 * 1.1
	if a.schedule == engine.SchedulePaper {
		constant = 32 * 1.1 * 1.1
	}
	return math.Ceil(constant * math.Pow(4, float64(a.s)) * value * a.log)
}

// goal returns ⌊d/2^q⌋.
func (a *agent) goal() int {
	return max(1, int(math.Floor(float64(a.rank())/math.Pow(2, float64(a.q)))))
}

// Learn discards arms.
func (a *agent) Learn(b engine.Batch) {
	theta, inverse := a.ref.LeastSquares(b)
	value := func(i int) float64 { return mat.Dot(a.ref.Phi[i], theta) }
	beats := func(j, i int) bool { // j beats i
		width := math.Pow(2, -float64(a.s))
		if a.schedule == engine.ScheduleTuned {
			var y mat.VecDense
			y.SubVec(a.ref.Phi[i], a.ref.Phi[j])
			width = math.Sqrt(2 * mat.Inner(&y, inverse, &y) * a.log)
		}
		return value(j)-value(i) >= width
	}
	if a.kind == "PolyALBA" && a.q == 0 {
		sorted := slices.Clone(a.Set)
		sort.SliceStable(sorted, func(x, y int) bool { return value(sorted[x]) > value(sorted[y]) })
		d := a.rank()
		if !slices.ContainsFunc(sorted[d:], func(i int) bool { return !beats(sorted[0], i) }) {
			a.Set = sorted[:d]
			slices.Sort(a.Set)
		}
		return
	}
	a.Set = slices.DeleteFunc(slices.Clone(a.Set), func(i int) bool {
		return slices.ContainsFunc(a.Set, func(j int) bool { return j != i && beats(j, i) })
	})
}

// ones returns n ones.
func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// positive returns the positions of eigenvalues above rounding.
func positive(a *mat.SymDense) (out []int) {
	var eig mat.EigenSym
	if !eig.Factorize(a, false) {
		panic("eigenvalues")
	}
	values := eig.Values(nil)
	for k, v := range values {
		if v > 1e-10*values[len(values)-1] {
			out = append(out, k)
		}
	}
	return out
}
