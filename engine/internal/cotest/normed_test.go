package cotest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// smooth returns 60 arms of five tasks, of a function of known norm.
func smooth(t testing.TB) (*problem.Problem, *model.Model) { return smoothOn(t, 60) }

// smoothOn returns n of them.
func smoothOn(t testing.TB, n int) (*problem.Problem, *model.Model) {
	t.Helper()
	p := try.Of(manyarms.Problem(n))
	m := try.Of(model.New(p, 1))
	return p, m
}

// plainBets is the test of docs/theory/norm.md, transcribed plainly: the Gram matrix
// written out, p by elimination, the error functional as one coefficient for each arm. It gets the κ, a
// and look of each bet, and must come to the same walks.
//
//	docs/theory/norm.md     here
//	A = K_ss + D/v     ridge
//	p, G               p, functional
//	S Σ pᵀȳ - S‖G‖     told - norm·size
type plainBets struct {
	p          *problem.Problem
	gram       *mat.Dense
	unit, norm float64
	functional map[*sequential.Walk][]float64
	told       map[*sequential.Walk]float64
	time       map[*sequential.Walk]float64
}

func newPlainBets(t *testing.T, p *problem.Problem, unit, norm float64) *plainBets {
	t.Helper()
	on := try.Of(p.Kernel.On(t.Context(), p.Tasks, p.Arms, p.TaskOf))
	return &plainBets{p, mat.DenseCopyOf(kernels.Dense(on)), unit, norm, map[*sequential.Walk][]float64{}, map[*sequential.Walk]float64{}, map[*sequential.Walk]float64{}}
}

// settle makes the step of one bet and returns S and T of its walk.
func (r *plainBets) settle(t *testing.T, bet sequential.Bet, how choice, b engine.Batch) (sum, time float64) {
	t.Helper()
	w, n := bet.Walk, r.p.N()
	if r.functional[w] == nil {
		r.functional[w] = make([]float64, n)
	}
	g := r.functional[w]
	var support []int
	for i, c := range b.Counts {
		if c > 0 {
			support = append(support, i)
		}
	}
	ridge, target := mat.NewDense(len(support), len(support), nil), mat.NewVecDense(len(support), nil)
	v := shrinkage[how.kind] * r.norm * r.norm
	variance := func(i int) float64 {
		s := r.p.Noise.Scales[i] / r.unit
		return s * s / float64(b.Counts[i])
	}
	for j, i := range support {
		for k, l := range support {
			ridge.Set(j, k, r.gram.At(i, l))
		}
		ridge.Set(j, j, ridge.At(j, j)+variance(i)/v)
		x := how.scale * (r.gram.At(bet.Opponent, i) - r.gram.At(bet.Arm, i))
		for k, c := range g {
			x -= c * r.gram.At(k, i)
		}
		target.SetVec(j, x)
	}
	var p mat.VecDense
	try.To(p.SolveVec(ridge, target))
	spent := 0.0
	for j, i := range support {
		r.told[w] += p.AtVec(j) * b.Means[i] / r.unit
		spent += p.AtVec(j) * p.AtVec(j) * variance(i)
		g[i] += p.AtVec(j)
	}
	g[bet.Opponent] -= how.scale
	g[bet.Arm] += how.scale
	r.time[w] += spent
	size := mat.Inner(mat.NewVecDense(n, g), r.gram, mat.NewVecDense(n, g))
	return r.told[w] - r.norm*math.Sqrt(max(size, 0)), r.time[w]
}

func TestReferenceNormed(t *testing.T) {
	p, m := smooth(t)
	steps, later := 0, 0
	seeds := 4
	if testing.Short() {
		seeds = 1
	}
	for seed := range uint64(seeds) {
		a := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Unit: 1, Epsilon: 0.1, Norm: manyarms.Norm}), Bound{Bound: model.Bound{Norm: manyarms.Norm}}))
		ref := newPlainBets(t, p, 1, manyarms.Norm)
		rng := rand.New(rand.NewPCG(seed, 4))
		for !a.Done() && a.round < 12 {
			plan := try.Of(a.Plan(t.Context()))
			bets, choices := slices.Clone(a.bets), slices.Clone(a.fixed.choices)
			b := enginetest.Pull(rng, p, plan)
			try.To(a.Learn(t.Context(), b))
			for k, bet := range bets {
				sum, time := ref.settle(t, bet, choices[k], b)
				clock := a.clock.Of(bet.Walk)
				if d := math.Abs(bet.Walk.Sum-sum) / math.Sqrt(time); d > 1e-3 || bet.Walk.Sum > sum+1e-7*math.Sqrt(time) {
					t.Fatalf("seed %d, round %d, arm %d: S = %.10g, plainly %.10g at √T = %.4g", seed, plan.Round, bet.Arm, bet.Walk.Sum, sum, math.Sqrt(time))
				}
				if want := clock.Time(bet.Look); math.Abs(time-want) > 1e-6*want {
					t.Fatalf("seed %d, round %d, arm %d: T = %.10g, plainly %.10g", seed, plan.Round, bet.Arm, want, time)
				}
				if out := bet.Walk.Sum >= clock.Height(bet.Look); out != bet.Walk.Out {
					t.Fatalf("arm %d is out: %v", bet.Arm, bet.Walk.Out)
				}
				if steps++; plan.Round > 2 {
					later++
				}
			}
		}
		if !a.Done() {
			t.Errorf("seed %d: undecided after %d rounds", seed, a.round)
		}
	}
	if steps < 50*seeds || later < 30*seeds/4 {
		t.Errorf("only %d steps, %d of them on top of others", steps, later)
	}
}

// Replicas make the same plans, amended rounds and rewards of no round move no walk wrongly, and what
// cannot be changed says so.
func TestNormedAmendInformChange(t *testing.T) {
	p, m := smooth(t)
	opt := engine.Options{Norm: manyarms.Norm, Unit: 1, Epsilon: 0.1}
	create := func() (engine.Algorithm, error) { return plain.On(engine.ModeFC, NewCoTestFC)(m, opt) }
	enginetest.Replicas(t, p, opt, 3, create)
	alg := try.Of(create())
	a, rng := alg.(*normed), rand.New(rand.NewPCG(1, 2))
	ref := newPlainBets(t, p, 1, manyarms.Norm)
	for !a.Done() && a.round < 15 {
		plan := try.Of(a.Plan(t.Context()))
		counts := slices.Clone(plan.Counts)
		for i := range counts { // some lost, some more, also of arms that were not planned
			switch rng.IntN(5) {
			case 0:
				counts[i] = 0
			case 1:
				counts[i] += 2
			}
		}
		plan.Counts = counts
		if a.round == 3 {
			early := engine.Plan{Counts: make([]int, p.N())}
			early.Counts[rng.IntN(p.N())] = 3
			try.To(a.AddData(enginetest.Pull(rng, p, early)))
		}
		try.To(a.Amend(counts))
		bets, choices := slices.Clone(a.bets), slices.Clone(a.fixed.choices)
		b := enginetest.Pull(rng, p, plan)
		try.To(a.Learn(t.Context(), b))
		for k, bet := range bets {
			if sum, time := ref.settle(t, bet, choices[k], b); math.Abs(bet.Walk.Sum-sum) > 1e-3*math.Sqrt(time) {
				t.Fatalf("round %d, arm %d: S = %.9g, plainly %.9g", a.round, bet.Arm, bet.Walk.Sum, sum)
			}
		}
	}
	if !a.Done() {
		t.Fatalf("undecided after %d rounds", a.round)
	}
}

// Rewards of no round that come while a round is open, and change every leader, leave the fixed bets on it unchanged.
func TestNormedInformInARound(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of processor time")
	}
	p, m := smoothOn(t, 5*(model.MostOneLeader+1))
	opt := engine.Options{Norm: manyarms.Norm, Unit: 1, Epsilon: 0.1}
	a := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, opt), Bound{Bound: model.Bound{Norm: manyarms.Norm}}))
	ref, rng, changed, later := newPlainBets(t, p, 1, manyarms.Norm), rand.New(rand.NewPCG(3, 2)), 0, 0
	for round := 1; round <= 4; round++ {
		plan := try.Of(a.Plan(t.Context()))
		bets, choices := slices.Clone(a.bets), slices.Clone(a.fixed.choices)
		if round == 3 {
			were := lists.Map(a.contests, func(c *contest) int { return c.arms[c.leader] })
			try.To(a.AddData(another(a, p.N())))
			changed = lists.Sum(a.contests, func(c *contest) int { return indices.Indicator(!slices.Contains(were, c.arms[c.leader])) })
		}
		b := enginetest.Pull(rng, p, plan)
		try.To(a.Learn(t.Context(), b))
		for k, bet := range bets {
			if sum, time := ref.settle(t, bet, choices[k], b); math.Abs(bet.Walk.Sum-sum) > 1e-3*math.Sqrt(time) {
				t.Fatalf("round %d, arm %d: S = %.9g, plainly %.9g", round, bet.Arm, bet.Walk.Sum, sum)
			}
			if round == 4 {
				later++
			}
		}
	}
	if changed == 0 || later == 0 {
		t.Errorf("%d leaders changed, %d bets afterwards", changed, later)
	}
}

// another returns rewards by which an arm leads each contest that no claim of it has as its leader.
func another(a *normed, n int) engine.Batch {
	b := engine.Batch{Counts: make([]int, n), Means: make([]float64, n)}
	for _, c := range a.contests {
		for k, i := range c.arms {
			if leads := func(l *claim) bool { return l.leader == k }; !c.walks[k].Out && !slices.ContainsFunc(c.claims(), leads) {
				b.Counts[i], b.Means[i] = 200, a.estimates[c.arms[c.leader]]*a.Model.Unit+5
				break
			}
		}
	}
	return b
}
