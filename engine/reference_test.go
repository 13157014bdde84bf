package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/kernels"
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
		w := float64(c) / (ref.p.Noise[i] * ref.p.Noise[i]) * sq(ref.p.LargestNoise())
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
		outer.Outer(w*sq(ref.p.LargestNoise()/ref.p.Noise[i]), ref.phi[i], ref.phi[i])
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
	dim := ref.phi[0].Len()
	features := mat.NewDense(len(ref.phi), dim, nil)
	precision := make([]float64, len(ref.phi))
	for i, f := range ref.phi {
		features.SetRow(i, f.RawVector().Data)
		precision[i] = sq(ref.p.LargestNoise() / ref.p.Noise[i])
	}
	d, err := design.Minimax(design.Space{Features: features, Precision: precision, Ridge: ref.ridge}, design.Contrasts{Groups: [][]int{set}}, design.Options{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	return d.Value
}

func (ref *reference) rewards(theta *mat.VecDense) []float64 {
	out := make([]float64, len(ref.phi))
	for i, f := range ref.phi {
		out[i] = mat.Dot(f, theta)
	}
	return out
}

// instances are problems with linear task and arm kernels, so that φ = z ⊗ x.
func instances(t *testing.T) []*Problem {
	t.Helper()
	var out []*Problem
	for number := 1; number <= 3; number++ {
		p, err := PaperCase(number, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	taskOf := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2}
	z, x := make([][]float64, 3), make([][]float64, len(taskOf))
	theta := []float64{1, -1, .5, .3, .8, -.6}
	var mean, noise []float64
	for v := range z {
		z[v] = []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	for i, v := range taskOf {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		m := 0.0
		for a := range z[v] {
			for b := range x[i] {
				m += z[v][a] * x[i][b] * theta[a*3+b]
			}
		}
		mean, noise = append(mean, m), append(noise, 0.5+rng.Float64())
	}
	tasks, err := kernels.NewPoints(columns("z_", 2), []string{"a", "b", "c"}, z)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(taskOf))
	for i := range names {
		names[i] = fmt.Sprintf("arm %d", i)
	}
	arms, err := kernels.NewPoints(columns("x_", 3), names, x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New("random, unequal n and noise", tasks, arms, taskOf, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}, noise, mean)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, p)
}

// pull draws Gaussian mean rewards.
func pull(rng *rand.Rand, p *Problem, plan Plan) Batch {
	b := Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	for i, c := range plan.Counts {
		if c > 0 {
			b.Means[i] = p.Mean[i] + p.Noise[i]*rng.NormFloat64()/math.Sqrt(float64(c))
		}
	}
	return b
}

func TestReferenceFC(t *testing.T) {
	const delta, ridge = 0.1, 1e-7
	for _, p := range instances(t) {
		for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
			m, err := NewModel(p, 0)
			if err != nil {
				t.Fatal(err)
			}
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
		m, err := NewModel(p, 0)
		if err != nil {
			t.Fatal(err)
		}
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

// The paper writes the estimator with the Gram matrix: k_r(x̃)ᵀ(K^(r) + NξI)⁻¹ȳ^(r)
// [Du23, eq. (3)]. It must equal the one in the low-rank factor.
func TestGramForm(t *testing.T) {
	for _, p := range instances(t) {
		m, err := NewModel(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 6))
		plan := Plan{Counts: make([]int, p.N())}
		total := 0
		for i := range plan.Counts {
			plan.Counts[i] = rng.IntN(20)
			total += plan.Counts[i]
		}
		const ridge = 1e-3
		b := pull(rng, p, plan)
		e, err := NewEstimator(m, ridge, b.Counts)
		if err != nil {
			t.Fatal(err)
		}
		got := e.Estimates(b.Means)
		gram, err := p.Kernel.On(p.Tasks, p.Arms, p.TaskOf)
		if err != nil {
			t.Fatal(err)
		}
		k := kernels.Dense(gram)
		n := p.N()
		s := make([]float64, n) // √N_i/σ_i
		for i, c := range b.Counts {
			s[i] = math.Sqrt(float64(c)) * m.Unit / p.Noise[i]
		}
		kr := mat.NewDense(n, n, nil)
		y := mat.NewVecDense(n, nil)
		for i := 0; i < n; i++ {
			y.SetVec(i, s[i]*b.Means[i]/m.Unit)
			for j := 0; j < n; j++ {
				kr.Set(i, j, s[i]*s[j]*k.At(i, j))
			}
			kr.Set(i, i, kr.At(i, i)+float64(total)*ridge)
		}
		var solved mat.VecDense
		if err := solved.SolveVec(kr, y); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < n; i++ {
			want := 0.0
			for j := 0; j < n; j++ {
				want += s[j] * k.At(i, j) * solved.AtVec(j)
			}
			if math.Abs(got[i]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s, arm %d: estimate %g, with the Gram matrix %g", p.Name, i, got[i], want)
			}
		}
	}
}

// A run is a function of the plans' answers: two replicas fed the same batches
// make the same plans, as the digests show.
func TestReplicas(t *testing.T) {
	p, err := PaperCase(2, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	var digests [2][]string
	for k := range digests {
		m, err := NewModel(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		alg, err := NewCoKernelFC(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(8, 9))
		out, err := Run(context.Background(), alg, environmentFunc(func(plan Plan) Batch {
			digests[k] = append(digests[k], plan.Digest)
			return pull(rng, p, plan)
		}), Options{})
		if err != nil || out.Status != StatusDecided {
			t.Fatalf("status %s, error %v", out.Status, err)
		}
	}
	if len(digests[0]) == 0 || !slices.Equal(digests[0], digests[1]) {
		t.Errorf("digests differ: %v and %v", digests[0], digests[1])
	}
}

type environmentFunc func(Plan) Batch

func (f environmentFunc) Pull(_ context.Context, p Plan) (Batch, error) { return f(p), nil }
