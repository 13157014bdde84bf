package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
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
type reference struct {
	p     *Problem
	phi   []*mat.VecDense
	ridge float64
	sets  [][]int
	round int
}

func newReference(p *Problem, ridge float64) *reference {
	ref := &reference{p: p, ridge: ridge, sets: p.Groups()}
	for i, v := range p.TaskOf {
		z, x := p.Tasks.Point(v).X, p.Arms.Point(i).X
		f := mat.NewVecDense(len(z)*len(x), nil)
		for a, zv := range z {
			for b, xv := range x {
				f.SetVec(a*len(x)+b, zv*xv)
			}
		}
		ref.phi = append(ref.phi, f)
	}
	return ref
}

// estimate returns θ̂_r of [Du23, eq. (2)] in feature space and A⁻¹.
func (ref *reference) estimate(b Batch) (theta *mat.VecDense, inverse *mat.Dense) {
	dim := ref.phi[0].Len()
	a, right := mat.NewDense(dim, dim, nil), mat.NewVecDense(dim, nil)
	total := 0.0
	for i, c := range b.Counts {
		w := float64(c) / (ref.p.Noise.Scales[i] * ref.p.Noise.Scales[i]) * sq(ref.p.LargestNoise())
		total += float64(c)
		var outer mat.Dense
		outer.Outer(w, ref.phi[i], ref.phi[i])
		a.Add(a, &outer)
		right.AddScaledVec(right, w*b.Means[i]/ref.p.LargestNoise(), ref.phi[i])
	}
	for k := 0; k < dim; k++ {
		a.Set(k, k, a.At(k, k)+total*ref.ridge)
	}
	inverse, theta = new(mat.Dense), new(mat.VecDense)
	if err := inverse.Inverse(a); err != nil && !isCondition(err) {
		panic(err)
	}
	theta.MulVec(inverse, right)
	return theta, inverse
}

func sq(x float64) float64 { return x * x }

// largestVariance is max ‖φ_i - φ_j‖²_{A(ξ,λ)⁻¹} over pairs within sets, with a
// dense inverse.
func (ref *reference) largestVariance(lambda []float64, sets [][]int) float64 {
	dim := ref.phi[0].Len()
	a := mat.NewDense(dim, dim, nil)
	for i, w := range lambda {
		var outer mat.Dense
		outer.Outer(w*sq(ref.p.LargestNoise()/ref.p.Noise.Scales[i]), ref.phi[i], ref.phi[i])
		a.Add(a, &outer)
	}
	for k := 0; k < dim; k++ {
		a.Set(k, k, a.At(k, k)+ref.ridge)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil && !isCondition(err) {
		panic(err)
	}
	largest := 0.0
	for _, set := range sets {
		for _, i := range set {
			for _, j := range set {
				var y mat.VecDense
				y.SubVec(ref.phi[i], ref.phi[j])
				largest = max(largest, mat.Inner(&y, &inverse, &y))
			}
		}
	}
	return largest
}

// learnFC is lines 11-15 of Algorithm 1, with the rule of either schedule.
func (ref *reference) learnFC(b Batch, delta, norm float64, schedule string) []float64 {
	ref.round++
	r := float64(ref.round)
	theta, inverse := ref.estimate(b)
	total := 0.0
	for _, c := range b.Counts {
		total += float64(c)
	}
	pairs := 0.0
	for _, set := range ref.p.Groups() {
		pairs += sq(float64(len(set)))
	}
	logTerm := math.Log(2 * pairs / (delta / (2 * r * r)))
	for v, set := range ref.sets {
		var keep []int
		for _, i := range set {
			beaten := false
			for _, j := range set {
				var y, solved mat.VecDense
				y.SubVec(ref.phi[j], ref.phi[i])
				solved.MulVec(inverse, &y)
				width := math.Pow(2, -r)
				if schedule == ScheduleTuned {
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
		ref.sets[v] = keep
	}
	return ref.rewards(theta)
}

// learnFB is lines 9-14 of Algorithm 2: the longest prefix by estimate of at most
// half the dimension, found by trying every prefix.
func (ref *reference) learnFB(t *testing.T, b Batch) []float64 {
	theta, _ := ref.estimate(b)
	rewards := ref.rewards(theta)
	for v, set := range ref.sets {
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
		ref.sets[v] = sorted[:keep]
		slices.Sort(ref.sets[v])
	}
	return rewards
}

// omega is ω(ξ, S) on the explicit features.
func (ref *reference) omega(t *testing.T, set []int) float64 {
	t.Helper()
	d, err := design.Minimax(ref.space(), design.Contrasts{Groups: [][]int{set}}, design.Options{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	return d.Value
}

// space is the explicit features with the precision of each arm.
func (ref *reference) space() design.Space {
	features := mat.NewDense(len(ref.phi), ref.phi[0].Len(), nil)
	precision := make([]float64, len(ref.phi))
	for i, f := range ref.phi {
		features.SetRow(i, f.RawVector().Data)
		precision[i] = sq(ref.p.LargestNoise() / ref.p.Noise.Scales[i])
	}
	return design.Space{Features: features, Precision: precision, Ridge: ref.ridge}
}

func (ref *reference) rewards(theta *mat.VecDense) []float64 {
	out := make([]float64, len(ref.phi))
	for i, f := range ref.phi {
		out[i] = mat.Dot(f, theta)
	}
	return out
}

func TestReferenceFC(t *testing.T) {
	const delta, ridge = 0.1, 1e-7
	for _, p := range instances(t) {
		for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
			m := model(t, p)
			alg, err := NewCoKernelFC(m, Options{Delta: delta, Schedule: schedule, Ridge: Ridge{RidgeValue, ridge}})
			if err != nil {
				t.Fatal(err)
			}
			ref := newReference(p, ridge)
			rng := rand.New(rand.NewPCG(1, 2))
			for !alg.Done() {
				plan, err := alg.Plan()
				if err != nil {
					t.Fatal(err)
				}
				d, err := m.Design(ridge, alg.alive)
				if err != nil {
					t.Fatal(err)
				}
				if rho := ref.largestVariance(d.Weights, ref.sets); math.Abs(rho/plan.Rho-1) > 1e-6 {
					t.Errorf("%s, %s: rho = %g, in feature space %g", p.Name, schedule, plan.Rho, rho)
				}
				b := pull(rng, p, plan)
				if err := alg.Learn(b); err != nil {
					t.Fatal(err)
				}
				rewards := ref.learnFC(b, delta, alg.norm, schedule)
				sameDecisions(t, p, alg.alive, ref.sets, alg.estimates, rewards)
			}
		}
	}
}

func TestReferenceFB(t *testing.T) {
	const ridge = 1e-7
	for _, p := range instances(t) {
		m := model(t, p)
		alg, err := NewCoKernelFB(m, Options{Budget: 2000, Ridge: Ridge{RidgeValue, ridge}})
		if err != nil {
			t.Fatal(err)
		}
		ref := newReference(p, ridge)
		all := make([]int, p.N())
		for i := range all {
			all[i] = i
		}
		if want := int(math.Ceil(math.Log2(ref.omega(t, all)))); alg.rounds != want {
			t.Errorf("%s: %d rounds, log2 of omega in feature space gives %d", p.Name, alg.rounds, want)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for !alg.Done() {
			plan, err := alg.Plan()
			if err != nil {
				t.Fatal(err)
			}
			if want := 2000 * p.V() / alg.rounds; plan.Pulls() != want {
				t.Errorf("%s: %d pulls in a round, Alg. 2 l. 2 gives %d", p.Name, plan.Pulls(), want)
			}
			b := pull(rng, p, plan)
			if err := alg.Learn(b); err != nil {
				t.Fatal(err)
			}
			rewards := ref.learnFB(t, b)
			sameDecisions(t, p, alg.alive, ref.sets, alg.evidence.rounds[alg.round-1].estimates, rewards)
		}
	}
}

// sameDecisions compares candidate sets exactly and estimates of candidates to
// 1e-6: both solve the same equations, once in a Cholesky factor of the Gram
// matrix and once in the explicit features, at condition numbers up to 1e7.
func sameDecisions(t *testing.T, p *Problem, got, want [][]int, estimates, rewards []float64) {
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
