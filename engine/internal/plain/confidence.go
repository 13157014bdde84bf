package plain

import (
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

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

// ModelOf returns the model of p.
func ModelOf(t testing.TB, p *problem.Problem) *model.Model {
	t.Helper()
	m, err := model.New(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The single-agent baselines transcribed plainly for one task, in its explicit
// features: pseudo-inverses, a multiplicative algorithm for G-optimal designs, no
// memory. They take the counts and means of the code under test, since optimal
// weights are not unique, and must ask for as many pulls and discard the same arms.
type Agent struct {
	ref      *Reference
	kind     string // "RAGE", "ALBA" or "PolyALBA"
	delta    float64
	schedule string

	Set   []int
	round int     // r of RAGE
	q, s  int     // phase and round within it of the others
	log   float64 // log(2n²/δ_r) of the round
}

// NewAgent returns an agent before its first round.
func NewAgent(p *problem.Problem, kind string, delta float64, schedule string) *Agent {
	a := &Agent{ref: NewReference(p, 0), kind: kind, delta: delta, schedule: schedule}
	for i := range p.N() {
		a.Set = append(a.Set, i)
	}
	return a
}

// rank returns the rank of the task's features.
func (a *Agent) rank() int { return len(positive(a.ref.gram(Ones(len(a.ref.Phi))))) }

// Asks returns N of the coming round.
func (a *Agent) Asks(t *testing.T) float64 {
	var deltaR, value float64
	if a.kind == "RAGE" {
		a.round++
		a.s = a.round
		deltaR = a.delta / (2 * Sq(float64(a.round)))
		value = a.ref.Omega(t, a.Set)
	} else {
		for p := a.goal(); p > 1 && len(a.Set) <= p; p = a.goal() {
			a.q, a.s = a.q+1, 0
		}
		a.s++
		deltaR = a.delta * 6 / Sq(math.Pi*float64(a.q+1)) * 6 / Sq(math.Pi*float64(a.s))
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
func (a *Agent) goal() int {
	return max(1, int(math.Floor(float64(a.rank())/math.Pow(2, float64(a.q)))))
}

// Learn discards arms.
func (a *Agent) Learn(b engine.Batch) {
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

// Ones returns n ones.
func Ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

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

// pseudoInverse returns A⁺, by eigenvalues.
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

// On returns a constructor that checks the options for the mode first, as entries of the catalogue do.
func On[A any](mode string, begin func(*model.Model, model.Terms) (A, error)) func(*model.Model, engine.Options) (A, error) {
	return func(m *model.Model, opt engine.Options) (a A, err error) {
		t, err := m.Terms(mode, opt)
		if err != nil {
			return a, err
		}
		return begin(m, t)
	}
}

// TermsOf returns options on a model.
func TermsOf(t testing.TB, m *model.Model, mode string, opt engine.Options) model.Terms {
	t.Helper()
	terms, err := m.Terms(mode, opt)
	if err != nil {
		t.Fatal(err)
	}
	return terms
}
