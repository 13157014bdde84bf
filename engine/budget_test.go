package engine

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// The baselines of fixed budget transcribed plainly, in the explicit features of
// reference_test.go. Shared with the code under test are only the designs of
// package design, which has its own oracles, and the random rewards.

// CoKernelFB-IndAlloc: Alg. 2, but task v pulls by the design over its own arms,
// and the tasks with several candidates share the round's pulls equally.
func TestReferenceIndAllocFB(t *testing.T) {
	const ridge = 1e-7
	for _, p := range instances(t) {
		m := model(t, p)
		alg, err := newHalving(m, Options{Budget: 2000, Ridge: Ridge{RidgeValue, ridge}}, dimension{allocation: separate()})
		if err != nil {
			t.Fatal(err)
		}
		ref := newReference(p, ridge)
		rng := rand.New(rand.NewPCG(3, 4))
		for !alg.Done() {
			plan, err := alg.Plan()
			if err != nil {
				t.Fatal(err)
			}
			open := 0
			for _, set := range ref.sets {
				if len(set) > 1 {
					open++
				}
			}
			total := 2000 * p.V() / alg.rounds
			if plan.Pulls() != total {
				t.Errorf("%s: %d pulls in a round, Alg. 2 l. 2 gives %d", p.Name, plan.Pulls(), total)
			}
			for v, set := range ref.sets {
				ref.checkShare(t, v, set, plan.Counts, float64(total)/float64(open))
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

// checkShare compares the pulls of task v with its share, in number and in what
// they are worth to its own pairs under its own arms. Optimal weights are not
// unique, so only their value can be compared.
func (ref *reference) checkShare(t *testing.T, v int, set, counts []int, share float64) {
	t.Helper()
	p := ref.p
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
	own := newReference(p.Only(v), ref.ridge)
	local := make([]int, len(set))
	for k, i := range set {
		local[k] = i - lo
	}
	// In the joint model's unit of noise, the largest of all tasks.
	unit := sq(p.LargestNoise() / own.p.LargestNoise())
	best := own.omega(t, local) / unit
	if got := own.largestVariance(lambda[lo:hi], [][]int{local}) / unit; got > best*(1+2/math.Sqrt(share)) {
		t.Errorf("%s, task %d: the largest variance of its own pairs is %g, the best %g", p.Name, v, got, best)
	}
}

// leastSquares is the ridge that stands for none where features of other tasks
// make dense information matrices singular.
const leastSquares = 1e-9

// Peace on one task, by widths from design.Width on the explicit features.
func TestReferencePeace(t *testing.T) {
	for _, p := range instances(t) {
		for v := range p.V() {
			q := p.Only(v)
			m := model(t, q)
			alg, err := newHalving(m, Options{Budget: 3000, Ridge: Ridge{Kind: RidgeValue}}, gaussianWidth{allocation: narrowest()})
			if err != nil {
				t.Fatal(err)
			}
			ref := newReference(q, leastSquares)
			left := ref.sets[0]
			rounds := int(math.Ceil(math.Log2(ref.width(t, left).Value)))
			if alg.rounds != rounds || alg.pulls != 3000/rounds {
				t.Errorf("%s, task %d: %d rounds of %d pulls, want %d of %d", p.Name, v, alg.rounds, alg.pulls, rounds, 3000/rounds)
			}
			rng := rand.New(rand.NewPCG(5, uint64(v)))
			for r := 0; r < rounds && len(left) > 1; r++ {
				plan, err := alg.Plan()
				if err != nil {
					t.Fatal(err)
				}
				d := ref.width(t, left)
				if math.Abs(plan.Rho/d.Value-1) > widthSlack {
					t.Errorf("%s, task %d: width %g, on the explicit features %g", p.Name, v, plan.Rho, d.Value)
				}
				b := pull(rng, q, plan)
				if err := alg.Learn(b); err != nil {
					t.Fatal(err)
				}
				theta, _ := ref.estimate(b)
				rewards := ref.rewards(theta)
				sorted := slices.Clone(left)
				slices.SortStableFunc(sorted, func(i, j int) int {
					if rewards[i] > rewards[j] {
						return -1
					}
					return 1
				})
				keep := 1
				for k := 2; k <= len(sorted); k++ {
					prefix := slices.Sorted(slices.Values(sorted[:k]))
					if ref.width(t, prefix).Value <= d.Value/2 {
						keep = k
					}
				}
				left = slices.Sorted(slices.Values(sorted[:keep]))
				if !slices.Equal(alg.alive[0], left) {
					t.Fatalf("%s, task %d, round %d: candidates %v, in feature space %v", p.Name, v, r+1, alg.alive[0], left)
				}
			}
			if !alg.Done() {
				t.Errorf("%s, task %d: not done after %d rounds with %v left", p.Name, v, rounds, left)
			}
		}
	}
}

// widthSlack is twice the relative gap to which design.Width solves: both sides
// stop within it, in different coordinates.
const widthSlack = 1e-2

// width is the Gaussian width on the explicit features.
func (ref *reference) width(t *testing.T, set []int) design.Design {
	t.Helper()
	s := ref.space()
	s.Ridge = 0
	d, err := design.Width(s, set, design.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// IndPeaceFB and IndPeaceFB-Pooled are run on every task with the budget of one agent.
func TestIndPeace(t *testing.T) {
	p := paper(t, 3, 0.3)
	m := model(t, p)
	// γ = 21.1 for the six arms (design.TestWidthPaperSets), hence five rounds; a quarter
	// of it makes three.
	for name, rounds := range map[string]int{"IndPeaceFB": 5, "IndPeaceFB-Pooled": 3} {
		entry, err := AlgorithmNamed(ModeFB, name)
		if err != nil {
			t.Fatal(err)
		}
		alg, err := entry.New(m, Options{Budget: 1003})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := alg.Plan()
		if err != nil {
			t.Fatal(err)
		}
		for v := range p.V() {
			lo, hi := p.ArmsOf(v)
			if sum := (Plan{Counts: plan.Counts[lo:hi]}).Pulls(); sum != 1003/rounds {
				t.Errorf("%s, task %d: %d pulls in the first round, want %d", name, v, sum, 1003/rounds)
			}
		}
	}
}

// The oracle's pulls are in the proportions of ρ*(0) to a pull per arm, TV in all.
func TestOracleFB(t *testing.T) {
	for _, p := range instances(t) {
		m := model(t, p)
		alg, err := NewOracleFB(m, Options{Budget: 5000, Ridge: Ridge{RidgeValue, 1e-10}})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := alg.Plan()
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.Hardness(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		n := 5000 * p.V()
		if plan.Pulls() != n {
			t.Errorf("%s: %d pulls, the budget of all agents is %d", p.Name, plan.Pulls(), n)
		}
		for i, c := range plan.Counts {
			if math.Abs(float64(c)-d.Weights[i]*float64(n)) > float64(p.N()) {
				t.Errorf("%s, arm %d: %d pulls, the proportions of T* give %g", p.Name, i, c, d.Weights[i]*float64(n))
			}
		}
		b := Batch{Counts: plan.Counts, Means: p.Mean} // no noise
		if err := alg.Learn(b); err != nil {
			t.Fatal(err)
		}
		best, err := m.Best()
		if err != nil {
			t.Fatal(err)
		}
		for v, a := range alg.Answers() {
			if a.Leader != p.Arms.Names[best[v]] || !alg.Done() {
				t.Errorf("%s, task %d: answer %s without noise, best %s", p.Name, v, a.Leader, p.Arms.Names[best[v]])
			}
		}
	}
}

// What the oracle cannot know, and what has no proportions.
func TestOracleFBUnsuited(t *testing.T) {
	tied := small(t, independent, []float64{0, 1, 1})
	_, err := NewOracleFB(model(t, tied), Options{Budget: 10})
	if want := `task "a", arm "3" ties for best`; !errors.Is(err, ErrUnsuited) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("a tie: %v, want %s", err, want)
	}
	p := small(t, independent, []float64{0, 1})
	p.Mean = nil
	_, err = NewOracleFB(model(t, p), Options{Budget: 10})
	if !errors.Is(err, ErrUnknownMeans) || !errors.Is(err, ErrUnsuited) || !strings.Contains(err.Error(), "true gaps") {
		t.Errorf("without expected rewards: %v", err)
	}
}

// IndUniformFB-LS estimates by least squares on the task's own pulls, and judges them at δ/V.
func TestIndUniformLS(t *testing.T) {
	for _, p := range instances(t) {
		m := model(t, p)
		alg, err := NewIndUniformLS(m, Options{Budget: 601})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := alg.Plan()
		if err != nil {
			t.Fatal(err)
		}
		b := pull(rand.New(rand.NewPCG(8, 8)), p, plan)
		if err := alg.Learn(b); err != nil {
			t.Fatal(err)
		}
		for v, a := range alg.Answers() {
			lo, hi := p.ArmsOf(v)
			logTerm := math.Log(2 * sq(float64(hi-lo)) * float64(p.V()) / DefaultDelta)
			if got := alg.(*individual).parts[v].(*uniformFB).logTerm; math.Abs(got-logTerm) > 1e-12 {
				t.Errorf("%s, task %d: judged with the logarithm %g, want %g", p.Name, v, got, logTerm)
			}
			own := newReference(p.Only(v), leastSquares)
			part := Batch{Counts: b.Counts[lo:hi], Means: b.Means[lo:hi]}
			theta, _ := own.estimate(part)
			rewards := own.rewards(theta)
			first := leader(own.sets[0], rewards)
			if want := rewards[first] * own.p.LargestNoise(); a.Leader != p.Arms.Names[lo+first] || math.Abs(a.Estimate-want) > 1e-6 {
				t.Errorf("%s, task %d: %s with %g, by least squares %s with %g", p.Name, v, a.Leader, a.Estimate, p.Arms.Names[lo+first], want)
			}
		}
	}
}
