package plain

import (
	"errors"
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Algorithms 1 and 2 transcribed plainly in feature space, for kernels whose
// feature map is known: explicit φ(x̃) = z ⊗ x, dense inverses, no factor, no
// memory, no shortcuts. The kernelised code must make the same decisions.
//
//	paper            here
//	φ(x̃_i)           phi[i], noise-scaled: phi[i]/σ_i where it is sampled
//	N_i, ȳ_i         b.Counts[i], b.Means[i]
//	A = NξI + ΣNφφᵀ  information(...)
//	θ̂_r              theta
//	B_v^(r)          sets[v]
type Reference struct {
	P     *problem.Problem
	Phi   []*mat.VecDense
	ridge float64
	Sets  [][]int
	Round int
}

// NewReference returns the listing before its first round, with ridge ξ.
func NewReference(p *problem.Problem, ridge float64) *Reference {
	ref := &Reference{P: p, ridge: ridge, Sets: p.Groups()}
	for i, v := range p.TaskOf {
		z, x := p.Tasks.Point(v).X, p.Arms.Point(i).X
		f := mat.NewVecDense(len(z)*len(x), nil)
		for a, zv := range z {
			for b, xv := range x {
				f.SetVec(a*len(x)+b, zv*xv)
			}
		}
		ref.Phi = append(ref.Phi, f)
	}
	return ref
}

// Estimate returns θ̂_r of [Du23, eq. (2)] in feature space and A⁻¹.
func (ref *Reference) Estimate(b engine.Batch) (theta *mat.VecDense, inverse *mat.Dense) {
	dim := ref.Phi[0].Len()
	a, right := mat.NewDense(dim, dim, nil), mat.NewVecDense(dim, nil)
	total := 0.0
	for i, c := range b.Counts {
		w := float64(c) / (ref.P.Noise.Scales[i] * ref.P.Noise.Scales[i]) * Sq(ref.P.LargestNoise())
		total += float64(c)
		var outer mat.Dense
		outer.Outer(w, ref.Phi[i], ref.Phi[i])
		a.Add(a, &outer)
		right.AddScaledVec(right, w*b.Means[i]/ref.P.LargestNoise(), ref.Phi[i])
	}
	for k := 0; k < dim; k++ {
		a.Set(k, k, a.At(k, k)+total*ref.ridge)
	}
	inverse, theta = new(mat.Dense), new(mat.VecDense)
	if err := inverse.Inverse(a); err != nil && !illConditioned(err) {
		panic(err)
	}
	theta.MulVec(inverse, right)
	return theta, inverse
}

// Sq returns x².
func Sq(x float64) float64 { return x * x }

// illConditioned reports whether an inverse is only warned about.
func illConditioned(err error) bool {
	var c mat.Condition
	return errors.As(err, &c)
}

// LargestVariance returns max ‖φ_i - φ_j‖²_{A(ξ,λ)⁻¹} over pairs within sets, with a dense inverse.
func (ref *Reference) LargestVariance(lambda []float64, sets [][]int) float64 {
	dim := ref.Phi[0].Len()
	a := mat.NewDense(dim, dim, nil)
	for i, w := range lambda {
		var outer mat.Dense
		outer.Outer(w*Sq(ref.P.LargestNoise()/ref.P.Noise.Scales[i]), ref.Phi[i], ref.Phi[i])
		a.Add(a, &outer)
	}
	for k := 0; k < dim; k++ {
		a.Set(k, k, a.At(k, k)+ref.ridge)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil && !illConditioned(err) {
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

// LearnFC runs lines 11-15 of Algorithm 1, with the rule of either schedule.
func (ref *Reference) LearnFC(b engine.Batch, delta, norm float64, schedule string) []float64 {
	ref.Round++
	r := float64(ref.Round)
	theta, inverse := ref.Estimate(b)
	total := 0.0
	for _, c := range b.Counts {
		total += float64(c)
	}
	pairs := 0.0
	for _, set := range ref.P.Groups() {
		pairs += Sq(float64(len(set)))
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
					width = math.Sqrt(2*mat.Dot(&y, &solved)*logTerm) + total*ref.ridge*mat.Norm(&solved, 2)*norm
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

// LearnFB runs lines 9-14 of Algorithm 2: the longest prefix by estimate of at most half the
// dimension, found by trying every prefix.
func (ref *Reference) LearnFB(t *testing.T, b engine.Batch) []float64 {
	theta, _ := ref.Estimate(b)
	rewards := ref.Rewards(theta)
	for v, set := range ref.Sets {
		if len(set) < 2 {
			continue
		}
		sorted := slices.Clone(set)
		sort.SliceStable(sorted, func(x, y int) bool { return rewards[sorted[x]] > rewards[sorted[y]] })
		half := ref.Omega(t, set) / 2
		keep := 1
		for k := 2; k <= len(sorted); k++ {
			if ref.Omega(t, sorted[:k]) <= half*(1+1e-9) {
				keep = k
			}
		}
		ref.Sets[v] = sorted[:keep]
		slices.Sort(ref.Sets[v])
	}
	return rewards
}

// Omega returns ω(ξ, S) on the explicit features.
func (ref *Reference) Omega(t *testing.T, set []int) float64 {
	t.Helper()
	d, err := design.Minimax(ref.space(), design.Contrasts{Groups: [][]int{set}}, design.Options{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	return d.Value
}

// space returns the explicit features with the precision of each arm.
func (ref *Reference) space() design.Space {
	features := mat.NewDense(len(ref.Phi), ref.Phi[0].Len(), nil)
	precision := make([]float64, len(ref.Phi))
	for i, f := range ref.Phi {
		features.SetRow(i, f.RawVector().Data)
		precision[i] = Sq(ref.P.LargestNoise() / ref.P.Noise.Scales[i])
	}
	return design.Space{Features: features, Precision: precision, Ridge: ref.ridge}
}

// Rewards returns φᵀtheta of every arm.
func (ref *Reference) Rewards(theta *mat.VecDense) []float64 {
	out := make([]float64, len(ref.Phi))
	for i, f := range ref.Phi {
		out[i] = mat.Dot(f, theta)
	}
	return out
}

// SameDecisions compares candidate sets exactly and estimates of candidates to
// 1e-6: both solve the same equations, once in a Cholesky factor of the Gram
// matrix and once in the explicit features, at condition numbers up to 1e7.
func SameDecisions(t *testing.T, p *problem.Problem, got, want [][]int, estimates, rewards []float64) {
	t.Helper()
	for v := range want {
		if !slices.Equal(got[v], want[v]) {
			t.Fatalf("%s, task %d: candidates %v, in feature space %v", p.Name, v, got[v], want[v])
		}
		for _, i := range want[v] {
			// Decided tasks are not sampled any more: compare differences of open ones.
			if j := want[v][0]; math.Abs((estimates[i]-estimates[j])-(rewards[i]-rewards[j])) > 1e-6 {
				t.Errorf("%s, arm %d: estimated difference %g, in feature space %g", p.Name, i, estimates[i]-estimates[j], rewards[i]-rewards[j])
			}
		}
	}
}

// CheckShare compares the pulls of task v with its share, in number and in what
// they are worth to its own pairs under its own arms. Optimal weights are not
// unique, so only their value can be compared.
func (ref *Reference) CheckShare(t *testing.T, v int, set, counts []int, share float64) {
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
	own := NewReference(p.Only(v), ref.ridge)
	local := make([]int, len(set))
	for k, i := range set {
		local[k] = i - lo
	}
	// In the joint model's unit of noise, the largest of all tasks.
	unit := Sq(p.LargestNoise() / own.P.LargestNoise())
	best := own.Omega(t, local) / unit
	if got := own.LargestVariance(lambda[lo:hi], [][]int{local}) / unit; got > best*(1+2/math.Sqrt(share)) {
		t.Errorf("%s, task %d: the largest variance of its own pairs is %g, the best %g", p.Name, v, got, best)
	}
}

// LeastSquares is the ridge that stands for none where features of other tasks
// make dense information matrices singular.
const LeastSquares = 1e-9

// Width returns the Gaussian width on the explicit features.
func (ref *Reference) Width(t *testing.T, set []int) design.Design {
	t.Helper()
	s := ref.space()
	s.Ridge = 0
	d, err := design.Width(s, set, design.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ScaledVariance returns max ‖φ_best - φ_i‖²_{A⁻¹}/gap_i² over the rivals.
func (ref *Reference) ScaledVariance(weights []float64, best []int) float64 {
	inverse := pseudoInverse(ref.gram(weights))
	largest, unit := 0.0, ref.P.LargestNoise()
	for i, v := range ref.P.TaskOf {
		if i != best[v] {
			var y mat.VecDense
			y.SubVec(ref.Phi[best[v]], ref.Phi[i])
			largest = max(largest, mat.Inner(&y, inverse, &y)/Sq((ref.P.Mean[best[v]]-ref.P.Mean[i])/unit))
		}
	}
	return largest
}

// gram returns Σ w_i φ_iφ_iᵀ, with the precision of each arm.
func (ref *Reference) gram(weights []float64) *mat.SymDense {
	a := mat.NewSymDense(ref.Phi[0].Len(), nil)
	for i, w := range weights {
		a.SymRankOne(a, w*Sq(ref.P.LargestNoise()/ref.P.Noise.Scales[i]), ref.Phi[i])
	}
	return a
}

// LeastSquares returns the estimator without regularisation.
func (ref *Reference) LeastSquares(b engine.Batch) (*mat.VecDense, *mat.Dense) {
	weights, right := make([]float64, len(b.Counts)), mat.NewVecDense(ref.Phi[0].Len(), nil)
	for i, c := range b.Counts {
		weights[i] = float64(c)
		if c > 0 {
			right.AddScaledVec(right, float64(c)*ref.P.LargestNoise()/Sq(ref.P.Noise.Scales[i])*b.Means[i], ref.Phi[i])
		}
	}
	inverse := pseudoInverse(ref.gram(weights))
	theta := new(mat.VecDense)
	theta.MulVec(inverse, right)
	return theta, inverse
}

// armValue returns min_λ max ‖φ_i‖²_{A⁻¹} over a set of arms of equal noise, by the multiplicative
// algorithm λ_i ← λ_i ‖φ_i‖²/d [Silvey, Titterington and Torsney 1978].
func (ref *Reference) armValue(set []int) float64 {
	weights := make([]float64, len(ref.Phi))
	for _, i := range set {
		weights[i] = 1 / float64(len(set))
	}
	largest := 0.0
	for range 5000 {
		a := ref.gram(weights)
		inverse, d := pseudoInverse(a), float64(len(positive(a)))
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

// CheckLocal verifies weights that should be equal shares of each open task's own
// optimal allocation, and returns what they are worth to all open pairs.
func (ref *Reference) CheckLocal(t *testing.T, weights []float64) float64 {
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
		own, local := NewReference(ref.P.Only(v), ref.ridge), make([]float64, hi-lo)
		for k := range local {
			local[k] = weights[lo+k] * float64(open)
		}
		inside := make([]int, len(set))
		for k, i := range set {
			inside[k] = i - lo
		}
		// With the unit of the whole problem, in which ξ and precisions are measured.
		unit := Sq(ref.P.LargestNoise() / own.P.LargestNoise())
		own.ridge /= unit
		if got, best := own.LargestVariance(local, [][]int{inside}), own.Omega(t, inside); math.Abs(got/best-1) > 1e-6 {
			t.Errorf("%s: the allocation of task %d is worth %g to itself, the best %g", ref.P.Name, v, got, best)
		}
	}
	return ref.LargestVariance(weights, ref.Sets)
}
