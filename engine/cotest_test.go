package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// combination is the test of docs/theory.md transcribed plainly: features φ = z ⊗ x
// written out, pseudo-inverses, every task by itself, maps instead of walks. It is told
// the plans of the code under test and must eliminate the same arms in the same rounds.
//
//	docs/theory.md   here
//	T_0, g, K        t0, 1.25, 60
//	I, Z             info, z
//	S, T_k           sum[i], t0·1.25^k[i]
type combination struct {
	*reference
	t0, height float64
	counts     []float64
	rewards    []float64
	sum        map[int]float64
	k          map[int]int
	leader     []int
}

// leastSquares returns the estimates of all arms and A⁺, in units of the largest noise.
func (c *combination) leastSquares(counts, means []float64) (estimates []float64, pseudo *mat.Dense) {
	dim := c.phi[0].Len()
	a, right := mat.NewSymDense(dim, nil), mat.NewVecDense(dim, nil)
	unit := c.p.LargestNoise()
	for i, n := range counts {
		if n > 0 {
			w := n * sq(unit/c.p.Noise.Scales[i])
			a.SymRankOne(a, w, c.phi[i])
			right.AddScaledVec(right, w*means[i]/unit, c.phi[i])
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(a, true)
	values, vectors := eigen.Values(nil), new(mat.Dense)
	eigen.VectorsTo(vectors)
	pseudo = mat.NewDense(dim, dim, nil)
	for j, v := range values {
		if v > 1e-9*values[dim-1] {
			var outer mat.Dense
			outer.Outer(1/v, vectors.ColView(j), vectors.ColView(j))
			pseudo.Add(pseudo, &outer)
		}
	}
	var theta mat.VecDense
	theta.MulVec(pseudo, right)
	for _, f := range c.phi {
		estimates = append(estimates, mat.Dot(f, &theta))
	}
	return estimates, pseudo
}

func (c *combination) learn(b Batch) {
	c.round++
	counts := make([]float64, len(b.Counts))
	for i, n := range b.Counts {
		counts[i] = float64(n)
	}
	estimates, pseudo := c.leastSquares(counts, b.Means)
	for v, set := range c.sets {
		var keep []int
		for _, i := range set {
			if c.round == 1 || i == c.leader[v] || len(set) == 1 || !c.crosses(i, c.leader[v], counts, estimates, pseudo) {
				keep = append(keep, i)
			}
		}
		c.sets[v] = keep
	}
	for i, n := range counts {
		if n > 0 {
			c.rewards[i] = (c.counts[i]*c.rewards[i] + n*b.Means[i]) / (c.counts[i] + n)
			c.counts[i] += n
		}
	}
	pooled, _ := c.leastSquares(c.counts, c.rewards)
	for v, set := range c.sets {
		c.leader[v] = leader(set, pooled)
	}
}

// deviation is √(yᵀA⁺y) for y = φ_first - φ_i.
func (c *combination) deviation(i, first int, pseudo *mat.Dense) float64 {
	var y mat.VecDense
	y.SubVec(c.phi[first], c.phi[i])
	return math.Sqrt(mat.Inner(&y, pseudo, &y))
}

// estimable tells whether A A⁺ y = y.
func (c *combination) estimable(i, first int, counts []float64, pseudo *mat.Dense) bool {
	var y, back, seen mat.VecDense
	y.SubVec(c.phi[first], c.phi[i])
	back.MulVec(pseudo, &y)
	seen.CloneFromVec(&y)
	for j, n := range counts {
		seen.AddScaledVec(&seen, -n*sq(c.p.LargestNoise()/c.p.Noise.Scales[j])*mat.Dot(c.phi[j], &back), c.phi[j])
	}
	return mat.Norm(&seen, 2) <= 1e-6
}

// crosses makes the step of the walk of arm i.
func (c *combination) crosses(i, first int, counts, estimates []float64, pseudo *mat.Dense) bool {
	if !c.estimable(i, first, counts, pseudo) {
		return false
	}
	variance := sq(c.deviation(i, first, pseudo))
	old := 0.0
	k, begun := c.k[i]
	if begun {
		old = c.t0 * math.Pow(1.25, float64(k))
	} else {
		k = -1
	}
	next := min(int(math.Round(math.Log((old+1/variance)/c.t0)/math.Log(1.25))), 59)
	if next <= k {
		return false
	}
	now := c.t0 * math.Pow(1.25, float64(next))
	c.sum[i] += math.Sqrt(now-old) * (estimates[first] - estimates[i]) / math.Sqrt(variance)
	c.k[i] = next
	return c.sum[i] >= c.height*math.Sqrt(now)
}

func TestReferenceCoTest(t *testing.T) {
	// z at δ/G = 0.05 over 1, 2, 5 and 3 different tasks; boundary.TestConstantKnownValues and others hold these.
	distinct := []int{1, 2, 5, 3}
	for number, p := range instances(t) {
		for seed := range uint64(12) {
			m := model(t, p)
			alg, err := NewCoTestFC(m, Options{Delta: 0.05})
			if err != nil {
				t.Fatal(err)
			}
			z, err := heights(t.Context(), m.memory, LawNormal, 0.05/float64(distinct[number]))
			if err != nil {
				t.Fatal(err)
			}
			ref := &combination{reference: newReference(p, 0), height: z[0], counts: make([]float64, p.N()), rewards: make([]float64, p.N()), sum: map[int]float64{}, k: map[int]int{}, leader: make([]int, p.V())}
			rng := rand.New(rand.NewPCG(seed, 31))
			for !alg.Done() {
				plan, err := alg.Plan()
				if err != nil {
					t.Fatal(err)
				}
				if plan.Round == 1 {
					ref.t0 = float64(plan.Pulls()) / plan.Rho
				}
				b := pull(rng, p, plan)
				if err := alg.Learn(b); err != nil {
					t.Fatal(err)
				}
				ref.learn(b)
				if got := alg.(*coTest).alive; fmt.Sprint(got) != fmt.Sprint(ref.sets) {
					t.Fatalf("%s, seed %d, round %d: candidates %v, plainly %v", p.Name, seed, plan.Round, got, ref.sets)
				}
			}
		}
	}
}

// Two replicas that are told the same make the same plans, and their audit trail says who left by
// which bet: gap at least width.
func TestCoTestReplicas(t *testing.T) {
	p := paper(t, 2, 0.3)
	out := replicas(t, p, Options{}, 8, func() (Algorithm, error) { return NewCoTestFC(model(t, p), Options{}) })
	if out.Status != StatusDecided || len(out.Eliminations) != p.N()-p.V() {
		t.Fatalf("status %s, %d eliminations", out.Status, len(out.Eliminations))
	}
	for _, e := range out.Eliminations {
		if e.Rule != RuleCombination || !(e.Gap >= e.Width) || e.Round < 2 || e.Arm == e.Rival {
			t.Errorf("audit trail: %+v", e)
		}
	}
}

// Copies of a task share their pulls evenly, whatever the round.
func TestCoTestSharesLoad(t *testing.T) {
	p := paper(t, 1, 0.3)
	load := make([]int, p.V())
	m := model(t, p)
	alg, err := NewCoTestFC(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	run(t, alg, Options{}, func(plan Plan) Batch {
		clear(load)
		for i, c := range plan.Counts {
			load[p.TaskOf[i]] += c
		}
		if slices.Max(load)-slices.Min(load) > 1 {
			t.Errorf("round %d: loads %v", plan.Round, load)
		}
		return pull(rng, p, plan)
	})
}

// Arms that tie for best end undecided when the test does, with a warning and a margin that holds;
// with epsilon one of them is the answer.
func TestCoTestTie(t *testing.T) {
	p := small(t, independent, []float64{3, 3, 0}, []float64{0, 5})
	out := solve(t, p, ModeFC, "CoTestFC", Options{MaxRounds: 100, MaxSamples: 1e15})
	a := out.Answers[0]
	if out.Status != StatusSamples || a.Decided || a.Arm != "" || len(a.Candidates) != 2 || !(a.Margin > 0 && a.Margin < 0.1) {
		t.Errorf("status %s after %d rounds, answer %+v; want undecided with two candidates and a small margin", out.Status, len(out.Rounds), a)
	}
	if len(out.Warnings) != 1 || out.Warnings[0].Kind != WarnTooCloseWithin || out.Warnings[0].Names[0] != "a" {
		t.Errorf("warnings %v", out.Warnings)
	}
	if a := out.Answers[1]; !a.Decided || a.Arm != "2" {
		t.Errorf("the other task: %+v; want arm 2 decided", a)
	}
	if out = solve(t, p, ModeFC, "CoTestFC", Options{MaxRounds: 3}); out.Status != StatusRounds || out.Answers[0].Decided {
		t.Errorf("after three rounds: status %s, %+v", out.Status, out.Answers[0])
	}
	out = solve(t, p, ModeFC, "CoTestFC", Options{Epsilon: 0.5})
	if out.Status != StatusEpsilon || !out.Answers[0].Decided || out.Answers[0].Margin > 0.5 {
		t.Errorf("with epsilon: status %s, answer %+v", out.Status, out.Answers[0])
	}
}

// Tasks are one contest only when their arms are the same, row by row, and arms that the
// kernel cannot tell apart leave before any data.
func TestContests(t *testing.T) {
	linear := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{}}}}
	for _, c := range []struct {
		p    *Problem
		want string
	}{
		{small(t, linear, []float64{1, 2, 4}, []float64{1, 2, 4}), "[0 1]"},
		{small(t, linear, []float64{1, 2, 4}, []float64{1, 4, 2}), "[0] [1]"},
		{small(t, linear, []float64{1, 2, 4}, []float64{1, 2}), "[0] [1]"},
		{small(t, linear, []float64{1, 2}, []float64{1, 3}, []float64{1, 2}), "[0 2] [1]"},
		{small(t, independent, []float64{1, 2}, []float64{1, 2}), "[0] [1]"},
	} {
		m := model(t, c.p)
		var got []string
		for _, x := range contestsOf(t, m) {
			got = append(got, fmt.Sprint(x.tasks))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: contests %v, want %s", c.p.Mean, got, c.want)
		}
	}
	out := solve(t, small(t, linear, []float64{4, 1, 4, 1}), ModeFC, "CoTestFC", Options{})
	if a := out.Answers[0]; !a.Decided || a.Arm != "1" {
		t.Errorf("answer %+v", a)
	}
	var same []string
	for _, e := range out.Eliminations {
		if e.Round == 0 {
			same = append(same, fmt.Sprint(e.Arm, "=", e.Rival, " ", e.Rule))
		}
	}
	if got := strings.Join(same, ", "); got != "3=1 same to the kernel, 4=2 same to the kernel" {
		t.Errorf("before any data: %s", got)
	}
}

// A round that does not tell an arm from the leader moves no walk.
func TestCoTestUnmeasured(t *testing.T) {
	p := small(t, independent, []float64{0, 1, 2})
	m := model(t, p)
	alg, err := NewCoTestFC(m, Options{Norm: 3})
	if err != nil {
		t.Fatal(err)
	}
	a := alg.(*coTest)
	if a.stage, err = m.stageOf([]int{5, 5, 0}); err != nil {
		t.Fatal(err)
	}
	a.clock.origin = 1
	a.contests[0].leader = 1
	a.bet(a.contests[0])
	if len(a.bets) != 1 || a.bets[0].arm != 0 {
		t.Errorf("bets %+v; want one, on the arm that was measured", a.bets)
	}
}

// stageOf is a stage of these pulls.
func (m *Model) stageOf(counts []int) (*stage, error) {
	e, err := NewEstimator(m, 0, counts)
	return &stage{estimate: e}, err
}

// Every delta between 0 and 1 is taken, but for those that no boundary is computed for, which are told
// in terms of delta.
func TestCoTestDelta(t *testing.T) {
	m := model(t, small(t, independent, []float64{0, 1}, []float64{0, 2}))
	for delta, want := range map[float64]string{
		0.999: "", 0.5: "", 2e-12: "", 1e-12: "delta must be at least 2e-12 here, 1e-12 for each of the 2 different tasks, got 1e-12",
	} {
		if _, err := NewCoTestFC(m, Options{Delta: delta}); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("delta %g: error %v, want %q", delta, err, want)
		}
	}
	one := model(t, small(t, independent, []float64{0, 1}))
	if _, err := NewCoTestFC(one, Options{Delta: 0.9}); err != nil { // one test, at more than a half
		t.Error(err)
	}
}

// contestsOf are the contests of exact features.
func contestsOf(t *testing.T, m *Model) []*contest {
	t.Helper()
	out, err := m.contests(true)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
