package engine

import (
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The single-agent baselines transcribed plainly for one task, in its explicit
// features: pseudo-inverses, a multiplicative algorithm for G-optimal designs, no
// memory. They take the counts and means of the code under test, since optimal
// weights are not unique, and must ask for as many pulls and discard the same arms.
type plainAgent struct {
	ref      *reference
	kind     string // "RAGE", "ALBA" or "PolyALBA"
	delta    float64
	schedule string

	set   []int
	round int     // r of RAGE
	q, s  int     // phase and round within it of the others
	log   float64 // log(2n²/δ_r) of the round
}

func newPlainAgent(p *Problem, kind string, delta float64, schedule string) *plainAgent {
	a := &plainAgent{ref: newReference(p, 0), kind: kind, delta: delta, schedule: schedule}
	for i := range p.N() {
		a.set = append(a.set, i)
	}
	return a
}

// rank is that of the task's features.
func (a *plainAgent) rank() int { return len(positive(a.ref.gram(ones(len(a.ref.phi))))) }

// pulls is N of the coming round.
func (a *plainAgent) pulls(t *testing.T) float64 {
	var deltaR, value float64
	if a.kind == "RAGE" {
		a.round++
		a.s = a.round
		deltaR = a.delta / (2 * sq(float64(a.round)))
		value = a.ref.omega(t, a.set)
	} else {
		for p := a.limit(); p > 1 && len(a.set) <= p; p = a.limit() {
			a.q, a.s = a.q+1, 0
		}
		a.s++
		deltaR = a.delta * 6 / sq(math.Pi*float64(a.q+1)) * 6 / sq(math.Pi*float64(a.s))
		value = 4 * a.ref.armValue(a.set)
	}
	n := float64(len(a.ref.phi))
	a.log = math.Log(2 * n * n / deltaR)
	constant := 2 * 1.1
	if a.schedule == SchedulePaper {
		constant = 32 * 1.1 * 1.1
	}
	return math.Ceil(constant * math.Pow(4, float64(a.s)) * value * a.log)
}

// limit is ⌊d/2^q⌋.
func (a *plainAgent) limit() int {
	return max(1, int(math.Floor(float64(a.rank())/math.Pow(2, float64(a.q)))))
}

// learn discards arms.
func (a *plainAgent) learn(b Batch) {
	theta, inverse := a.ref.leastSquares(b)
	value := func(i int) float64 { return mat.Dot(a.ref.phi[i], theta) }
	beats := func(j, i int) bool { // j beats i
		width := math.Pow(2, -float64(a.s))
		if a.schedule == ScheduleTuned {
			var y mat.VecDense
			y.SubVec(a.ref.phi[i], a.ref.phi[j])
			width = math.Sqrt(2 * mat.Inner(&y, inverse, &y) * a.log)
		}
		return value(j)-value(i) >= width
	}
	if a.kind == "PolyALBA" && a.q == 0 {
		sorted := slices.Clone(a.set)
		sort.SliceStable(sorted, func(x, y int) bool { return value(sorted[x]) > value(sorted[y]) })
		d := a.rank()
		if !slices.ContainsFunc(sorted[d:], func(i int) bool { return !beats(sorted[0], i) }) {
			a.set = sorted[:d]
			slices.Sort(a.set)
		}
		return
	}
	a.set = slices.DeleteFunc(slices.Clone(a.set), func(i int) bool {
		return slices.ContainsFunc(a.set, func(j int) bool { return j != i && beats(j, i) })
	})
}

// gram is Σ w_i φ_iφ_iᵀ, with the precision of each arm.
func (ref *reference) gram(weights []float64) *mat.SymDense {
	a := mat.NewSymDense(ref.phi[0].Len(), nil)
	for i, w := range weights {
		a.SymRankOne(a, w*sq(ref.p.LargestNoise()/ref.p.Noise.Scales[i]), ref.phi[i])
	}
	return a
}

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

// pseudoInverse by eigenvalues.
func pseudoInverse(a *mat.SymDense) *mat.Dense {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		panic("eigenvalues")
	}
	values, n := eig.Values(nil), a.SymmetricDim()
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	out := mat.NewDense(n, n, nil)
	for k, v := range values {
		if v > 1e-10*values[n-1] {
			var outer mat.Dense
			outer.Outer(1/v, vectors.ColView(k), vectors.ColView(k))
			out.Add(out, &outer)
		}
	}
	return out
}

// leastSquares is the estimator without regularisation.
func (ref *reference) leastSquares(b Batch) (*mat.VecDense, *mat.Dense) {
	weights, right := make([]float64, len(b.Counts)), mat.NewVecDense(ref.phi[0].Len(), nil)
	for i, c := range b.Counts {
		weights[i] = float64(c)
		if c > 0 {
			right.AddScaledVec(right, float64(c)*ref.p.LargestNoise()/sq(ref.p.Noise.Scales[i])*b.Means[i], ref.phi[i])
		}
	}
	inverse := pseudoInverse(ref.gram(weights))
	theta := new(mat.VecDense)
	theta.MulVec(inverse, right)
	return theta, inverse
}

// armValue is min_λ max ‖φ_i‖²_{A⁻¹} over a set of arms of equal noise, by the
// multiplicative algorithm λ_i ← λ_i ‖φ_i‖²/d [Silvey, Titterington and Torsney 1978].
func (ref *reference) armValue(set []int) float64 {
	weights := make([]float64, len(ref.phi))
	for _, i := range set {
		weights[i] = 1 / float64(len(set))
	}
	largest := 0.0
	for range 5000 {
		a := ref.gram(weights)
		inverse, d := pseudoInverse(a), float64(len(positive(a)))
		largest = 0
		for _, i := range set {
			norm := mat.Inner(ref.phi[i], inverse, ref.phi[i])
			largest = max(largest, norm)
			weights[i] *= norm / d
		}
		if largest < d*(1+1e-8) {
			break
		}
	}
	return largest
}
