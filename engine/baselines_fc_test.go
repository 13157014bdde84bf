package engine

import (
	"context"
	"math"
	"math/rand/v2"
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
		a.SymRankOne(a, w*sq(ref.p.LargestNoise()/ref.p.Noise[i]), ref.phi[i])
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
			right.AddScaledVec(right, float64(c)*ref.p.LargestNoise()/sq(ref.p.Noise[i])*b.Means[i], ref.phi[i])
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

// The baselines that run one agent each equal V plain transcriptions at δ/V, on the
// same rewards: pulls asked for, arms discarded, answers.
func TestReferenceIndividual(t *testing.T) {
	const delta = 0.1
	hard, err := PaperCase(1, 0.05) // takes several rounds in every phase
	if err != nil {
		t.Fatal(err)
	}
	problems := append(equalNoise(instances(t)), hard)
	for name, kind := range map[string]string{"IndRAGE": "RAGE", "IndRAGE/V": "RAGE", "IndALBA": "ALBA", "IndPolyALBA": "PolyALBA"} {
		for _, p := range problems {
			for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
				m, err := NewModel(p, 0)
				if err != nil {
					t.Fatal(err)
				}
				entry, err := AlgorithmNamed(ModeFC, name)
				if err != nil {
					t.Fatal(err)
				}
				// ξ is given and must not matter.
				alg, err := entry.New(m, Options{Delta: delta, Schedule: schedule, Ridge: Ridge{RidgeValue, 1e-3}})
				if err != nil {
					t.Fatal(err)
				}
				var agents []*plainAgent
				for v := range p.V() {
					agents = append(agents, newPlainAgent(p.Only(v), kind, delta/float64(p.V()), schedule))
				}
				compareIndividual(t, p, name+", "+schedule, alg, agents)
			}
		}
	}
}

func compareIndividual(t *testing.T, p *Problem, label string, alg Algorithm, agents []*plainAgent) {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 22))
	for !alg.Done() {
		plan, err := alg.Plan()
		if err != nil {
			t.Fatal(err)
		}
		b := pull(rng, p, plan)
		if err := alg.Learn(b); err != nil {
			t.Fatal(err)
		}
		for v, agent := range agents {
			lo, hi := p.ArmsOf(v)
			if len(agent.set) == 1 {
				if got := (Plan{Counts: plan.Counts[lo:hi]}).Pulls(); got != 0 {
					t.Fatalf("%s, %s, round %d: %d pulls for the decided task %d", label, p.Name, plan.Round, got, v)
				}
				continue
			}
			want := agent.pulls(t)
			// Values are to 1e-8, so the ceiling may differ by one.
			if got := float64((Plan{Counts: plan.Counts[lo:hi]}).Pulls()); math.Abs(got-want) > 1+1e-7*want {
				t.Fatalf("%s, %s, round %d, task %d: %g pulls, plainly %g", label, p.Name, plan.Round, v, got, want)
			}
			agent.learn(Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]})
			var got []int
			for _, i := range alg.(*individual).parts[v].(*elimination).alive[0] {
				got = append(got, i)
			}
			if !slices.Equal(got, agent.set) {
				t.Fatalf("%s, %s, round %d, task %d: candidates %v, plainly %v", label, p.Name, plan.Round, v, got, agent.set)
			}
		}
	}
	for v, agent := range agents {
		lo, _ := p.ArmsOf(v)
		if a := alg.Answers()[v]; len(agent.set) != 1 || !a.Decided || a.Arm != p.Arms.Names[lo+agent.set[0]] {
			t.Errorf("%s, %s, task %d: answer %+v, plainly %v", label, p.Name, v, a, agent.set)
		}
	}
}

// equalNoise gives every arm the same noise, as the authors of the baselines assume.
func equalNoise(problems []*Problem) []*Problem {
	for _, p := range problems {
		p.Noise = ones(p.N())
	}
	return problems
}

// CoKernelFC-IndAlloc, with the joined local allocations and their worth worked out
// in feature space, makes the decisions of Alg. 1 on the same data.
func TestReferenceIndAlloc(t *testing.T) {
	const delta, ridge = 0.1, 1e-7
	for _, p := range instances(t) {
		for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
			m, err := NewModel(p, 0)
			if err != nil {
				t.Fatal(err)
			}
			built, err := NewCoKernelFCIndAlloc(m, Options{Delta: delta, Schedule: schedule, Ridge: Ridge{RidgeValue, ridge}})
			if err != nil {
				t.Fatal(err)
			}
			alg := built.(*elimination)
			ref := newReference(p, ridge)
			rng := rand.New(rand.NewPCG(1, 2))
			for r := 1; !alg.Done(); r++ {
				d, err := m.localDesign(ridge, alg.alive)
				if err != nil {
					t.Fatal(err)
				}
				rho := ref.checkLocal(t, d.Weights)
				plan, err := alg.Plan()
				if err != nil {
					t.Fatal(err)
				}
				constant := 2 * 1.1
				if schedule == SchedulePaper {
					constant = 32 * 1.1 * 1.1
				}
				want := constant * math.Pow(4, float64(r)) * rho * math.Log(2*p.PairCount()*2*float64(r*r)/delta)
				if got := float64(plan.Pulls()); math.Abs(got-want) > 1+1e-6*want {
					t.Errorf("%s, %s, round %d: %g pulls, plainly %g", p.Name, schedule, r, got, want)
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

// checkLocal verifies weights that should be equal shares of each open task's own
// optimal allocation, and returns what they are worth to all open pairs.
func (ref *reference) checkLocal(t *testing.T, weights []float64) float64 {
	t.Helper()
	open := 0
	for _, set := range ref.sets {
		if len(set) > 1 {
			open++
		}
	}
	for v, set := range ref.sets {
		lo, hi := ref.p.ArmsOf(v)
		share := 0.0
		for _, w := range weights[lo:hi] {
			share += w
		}
		if len(set) < 2 {
			if share != 0 {
				t.Errorf("%s: the decided task %d has the share %g", ref.p.Name, v, share)
			}
			continue
		}
		if math.Abs(share-1/float64(open)) > 1e-9 {
			t.Errorf("%s: task %d has the share %g, want 1/%d", ref.p.Name, v, share, open)
		}
		own, local := newReference(ref.p.Only(v), ref.ridge), make([]float64, hi-lo)
		for k := range local {
			local[k] = weights[lo+k] * float64(open)
		}
		inside := make([]int, len(set))
		for k, i := range set {
			inside[k] = i - lo
		}
		// With the unit of the whole problem, in which ξ and precisions are measured.
		unit := sq(ref.p.LargestNoise() / own.p.LargestNoise())
		own.ridge /= unit
		if got, best := own.largestVariance(local, [][]int{inside}), own.omega(t, inside); math.Abs(got/best-1) > 1e-6 {
			t.Errorf("%s: the allocation of task %d is worth %g to itself, the best %g", ref.p.Name, v, got, best)
		}
	}
	return ref.largestVariance(weights, ref.sets)
}

// Each baseline errs in at most a share δ of 500 runs, under either schedule. The
// Wilson interval of no error in 500 runs ends at 0.0076.
func TestBaselineErrors(t *testing.T) {
	const delta, runs = 0.1, 500
	p, err := PaperCase(2, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Classic([]float64{0.5, 0.1, 0, 0.2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range Algorithms() {
		if entry.Mode != ModeFC {
			continue
		}
		q := p
		if unsuited(t, p, entry) {
			q = same
		}
		m, err := NewModel(q, 0)
		if err != nil {
			t.Fatal(err)
		}
		best, err := m.Best()
		if err != nil {
			t.Fatal(err)
		}
		for _, schedule := range []string{SchedulePaper, ScheduleTuned} {
			rng := rand.New(rand.NewPCG(31, 32))
			opt := Options{Delta: delta, Schedule: schedule, Ridge: Ridge{RidgeValue, 1e-9}}
			wrong := 0
			for range runs {
				alg, err := entry.New(m, opt)
				if err != nil {
					t.Fatal(err)
				}
				out, err := Run(context.Background(), alg, environmentFunc(func(plan Plan) Batch { return pull(rng, q, plan) }), opt)
				if err != nil || out.Status != StatusDecided {
					t.Fatalf("%s, %s: status %s, error %v", entry.Name, schedule, out.Status, err)
				}
				for v, a := range out.Answers {
					if a.Arm != q.Arms.Names[best[v]] {
						wrong++
						break
					}
				}
			}
			if upper := wilsonUpper(wrong, runs); upper > delta {
				t.Errorf("%s, %s: %d of %d runs were wrong, the rate may be up to %.3g, more than delta = %g", entry.Name, schedule, wrong, runs, upper, delta)
			}
		}
	}
}

// wilsonUpper is the upper end of the 95 % Wilson interval.
func wilsonUpper(count, runs int) float64 {
	const z = 1.959964
	n, k := float64(runs), float64(count)
	return (k + z*z/2 + z*math.Sqrt(k*(n-k)/n+z*z/4)) / (n + z*z)
}
