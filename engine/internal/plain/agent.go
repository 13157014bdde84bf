package plain

import (
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

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
