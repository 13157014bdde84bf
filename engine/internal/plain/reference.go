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
