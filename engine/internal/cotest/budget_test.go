package cotest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// fixedBudget is CoBayesFB transcribed plainly on top of combination: T is the pulls since
// round 1, and S is compared with one height. It gets the plans of the code under test.
type fixedBudget struct {
	*combination
	z    float64 // height
	end  float64 // the last T
	time map[int]float64
	out  map[int]bool
	took float64 // T
}

// learn returns the leaders from all data.
func (f *fixedBudget) learn(b engine.Batch) {
	f.Round++
	counts, pulls := make([]float64, len(b.Counts)), 0.0
	for i, n := range b.Counts {
		counts[i] = float64(n)
		pulls += counts[i]
	}
	if f.Round > 1 {
		f.took += pulls
		estimates, pseudo := f.leastSquares(counts, b.Means)
		for v, set := range f.Sets {
			for _, i := range set {
				if i != f.leader[v] && !f.out[i] && f.estimable(i, f.leader[v], counts, pseudo) {
					step := math.Sqrt(f.took - f.time[i])
					f.sum[i] += step * (estimates[f.leader[v]] - estimates[i]) / f.deviation(i, f.leader[v], pseudo)
					f.time[i] = f.took
					f.out[i] = f.sum[i] >= f.z*math.Sqrt(f.end)
				}
			}
		}
	}
	for i, n := range counts {
		if n > 0 {
			f.rewards[i] = (f.counts[i]*f.rewards[i] + n*b.Means[i]) / (f.counts[i] + n)
			f.counts[i] += n
		}
	}
	pooled, _ := f.leastSquares(f.counts, f.rewards)
	for v, set := range f.Sets {
		f.leader[v] = rounds.Leader(set, pooled)
	}
}

// Budgets are spent to the pull in the shares of docs/theory/budget.md, leaders are the largest estimates
// of all data, and the same arms are out as in the transcription.
func TestReferenceCoBayesFB(t *testing.T) {
	distinct := []float64{1, 2, 5, 3}
	out, stood := 0, 0
	for number, p := range enginetest.Instances(t) {
		for seed := range uint64(8) {
			budget := []int{2003, 150}[seed%2]
			m := plain.ModelOf(t, p)
			alg := try.Of(plain.On(engine.ModeFB, NewCoBayesFB)(m, engine.Options{Budget: budget, Delta: 0.1, Ridge: engine.Ridge{Kind: engine.RidgeAuto}}))
			// P(sup B ≥ z) = 2 P(B(1) ≥ z), from the error function.
			z := math.Sqrt2 * math.Erfinv(1-0.1/distinct[number])
			total := budget * p.V()
			ref := &fixedBudget{
				combination: newCombination(p, nil), z: z,
				time: map[int]float64{}, out: map[int]bool{}, end: float64(total - total/5),
			}
			rng := rand.New(rand.NewPCG(seed, 32))
			spent := 0
			for !alg.Done() {
				plan := try.Of(alg.Plan(t.Context()))
				share := total / 5
				if plan.Round > 2 {
					share = (total - 2*(total/5)) / 4
				}
				if n := plan.Pulls(); n < share || n > share+1 {
					t.Errorf("%s, round %d: %d pulls, want %d", p.Name, plan.Round, n, share)
				}
				spent += plan.Pulls()
				if plan.Round > 2 {
					ref.checkWorth(t, plan)
				}
				b := enginetest.Pull(rng, p, plan)
				try.To(alg.Learn(t.Context(), b))
				ref.learn(b)
				a := alg.(*coBayesFB)
				for _, c := range a.contests {
					if got := c.arms[c.leader]; p.Arms.Names[got] != p.Arms.Names[ref.leader[c.tasks[0]]] {
						t.Fatalf("%s, seed %d, round %d: leader %d, plainly %d", p.Name, seed, plan.Round, got, ref.leader[c.tasks[0]])
					}
					for k, i := range c.arms {
						if c.walks[k].Out != ref.out[i] {
							t.Fatalf("%s, seed %d, round %d, arm %d: out %v, plainly %v", p.Name, seed, plan.Round, i, c.walks[k].Out, ref.out[i])
						}
						if ref.out[i] {
							out++
						} else {
							stood++
						}
					}
				}
			}
			if spent != total {
				t.Errorf("%s: %d pulls of %d", p.Name, spent, total)
			}
		}
	}
	if out < 100 || stood < 100 {
		t.Errorf("%d arms out and %d not: too few to tell", out, stood)
	}
}

// checkWorth compares the pulls of a round, on top of earlier ones, with as many in equal
// shares: the largest variance over gap² must be no larger.
func (f *fixedBudget) checkWorth(t *testing.T, plan engine.Plan) {
	t.Helper()
	planned, equal := slices.Clone(f.counts), slices.Clone(f.counts)
	for i, n := range plan.Counts {
		planned[i] += float64(n)
		equal[i] += float64(plan.Pulls()) / float64(len(plan.Counts))
	}
	estimates, before := f.leastSquares(f.counts, f.rewards)
	worst := func(counts []float64) float64 {
		largest := 0.0
		_, after := f.leastSquares(counts, f.rewards)
		for v, set := range f.Sets {
			for _, i := range set {
				if first := f.leader[v]; i != first {
					gap := estimates[first] - estimates[i]
					largest = max(largest, plain.Sq(f.deviation(i, first, after))/(gap*gap+2*plain.Sq(f.deviation(i, first, before))))
				}
			}
		}
		return largest
	}
	// 5 % for the rounding of small rounds.
	if got, uniform := worst(planned), worst(equal); got > 1.05*uniform {
		t.Errorf("%s, round %d: worst variance over gap² %g, with equal shares %g", f.P.Name, plan.Round, got, uniform)
	}
}

// Equal arms are decided with probability δ at most, in both laws of noise, and Student's.
func TestCoBayesFBTies(t *testing.T) {
	const delta = 0.1
	runs := float64(enginetest.Number(3000, 200))
	for _, kind := range []string{engine.LawNormal, engine.LawSubGaussian, problem.UnknownProblem} {
		p := try.Of(problem.Classic([]float64{0, 0, 0}, 1))
		opt := engine.Options{Budget: 120, Delta: delta, Ridge: engine.Ridge{Kind: engine.RidgeAuto}}
		if kind == problem.UnknownProblem {
			p.Noise.UnknownBy = kind
		} else {
			opt.Law = kind
		}
		m := plain.ModelOf(t, p)
		decided, ones := 0, []float64{1, 1, 1}
		for run := range uint64(runs) {
			alg, err := plain.On(engine.ModeFB, NewCoBayesFB)(m, opt)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(run, 33))
			out, err := engine.Run(context.Background(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch { return enginetest.SquaresPull(rng, p, ones, plan) }), opt)
			if err != nil || out.Samples != 120 {
				t.Fatalf("%d samples, %v", out.Samples, err)
			}
			// That an arm is out is wrong for any arm; the bound is for each of them.
			for _, e := range out.Eliminations {
				if e.Arm == p.Arms.Names[0] {
					decided++
				}
			}
		}
		t.Logf("%s: a best arm is out in %d of %g runs", kind, decided, runs)
		if limit := delta*runs + 4*math.Sqrt(delta*runs); float64(decided) > limit || kind == engine.LawNormal && float64(decided) < runs/150 {
			t.Errorf("%s: a best arm is out in %d of %g runs, delta = %g", kind, decided, runs, delta)
		}
	}
}

// Replicas make the same plans, whether or not the memory is warm; small budgets are spent in
// fewer rounds or refused, and one below the rank works with a prior.
func TestCoBayesFBBudgets(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3) // rank 20, 5 tasks
	m := plain.ModelOf(t, p)
	for _, c := range []struct {
		budget, rounds int
		kind           string
	}{{7, 0, engine.RidgeAuto}, {8, 1, engine.RidgeAuto}, {9, 2, engine.RidgeAuto}, {30, 6, engine.RidgeAuto}, {1, 4, engine.RidgeGP}, {3, 6, ""}, {100, 6, engine.RidgeGP}} {
		opt := engine.Options{Budget: c.budget, Ridge: engine.Ridge{Kind: c.kind}}
		if c.rounds == 0 {
			if _, err := plain.On(engine.ModeFB, NewCoBayesFB)(m, opt); err == nil || !strings.Contains(err.Error(), `Give at least 8 per agent, or xi="gp"`) {
				t.Errorf("budget %d: error %v", c.budget, err)
			}
			continue
		}
		out := enginetest.Replicas(t, p, opt, 4, func() (engine.Algorithm, error) { return plain.On(engine.ModeFB, NewCoBayesFB)(m, opt) })
		if out.Samples != 5*c.budget || len(out.Rounds) != c.rounds {
			t.Errorf("budget %d, xi %q: %d samples in %d rounds; want %d in %d", c.budget, c.kind, out.Samples, len(out.Rounds), 5*c.budget, c.rounds)
		}
		for _, r := range out.Rounds {
			if r.Pulls < 1 {
				t.Errorf("budget %d: %s", c.budget, fmt.Sprintf("%+v", r))
			}
		}
	}
}

// What a second exploring round adds under a prior depends on the first one, also where models
// share a memory.
func TestCoBayesFBRemembersTheFirstRound(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	second := func(memory *canon.Memory, budget, rounds int) string {
		m := plain.ModelOf(t, p)
		a := try.Of(plain.On(engine.ModeFB, NewCoBayesFB)(m.Share(memory), engine.Options{Budget: budget, MaxRounds: rounds, Ridge: engine.Ridge{Kind: engine.RidgeGP}}))
		var plan engine.Plan
		for range 2 {
			plan = try.Of(a.Plan(t.Context()))
			try.To(a.Learn(t.Context(), engine.Batch{Counts: plan.Counts, Means: p.Mean}))
		}
		return fmt.Sprint(plan.Counts)
	}
	shared := new(canon.Memory)
	second(shared, 5, 2) // rounds of 5 and 20 pulls
	if got, want := second(shared, 20, 6), second(new(canon.Memory), 20, 6); got != want {
		t.Errorf("round 2 of 20 pulls after one of 20 is planned like one after 5: %s, want %s", got, want)
	}
}

// More arms than posteriors take a part of each by itself, under a kernel of few dimensions: the budget is
// spent, and most answers are right.
func TestBudgetOfManyArmsInFewDimensions(t *testing.T) {
	p := enginetest.Linear(t, 4, enginetest.Number(80, 65))
	m := try.Of(plain.ModelOf(t, p).Exact())
	opt := engine.Options{Budget: 500, Delta: 0.1, Epsilon: 0.2}
	ridges := []string{"", engine.RidgeAuto}
	if testing.Short() {
		ridges = ridges[:1]
	}
	for _, xi := range ridges {
		opt.Ridge.Kind = xi
		out := enginetest.Replicas(t, p, opt, 4, func() (engine.Algorithm, error) { return plain.On(engine.ModeFB, NewCoBayesFB)(m, opt) })
		if out.Samples != 4*500 {
			t.Errorf("ridge %q: %d pulls, want 2000", xi, out.Samples)
		}
		right := 0
		for v, a := range out.Answers {
			lo, hi := p.ArmsOf(v)
			if k := slices.Index(p.Arms.Names[lo:hi], a.Leader); slices.Max(p.Mean[lo:hi])-p.Mean[lo+k] <= 0.2 {
				right++
			}
		}
		if right < 3 {
			t.Errorf("ridge %q: %d of 4 answers are near the best", xi, right)
		}
	}
}
