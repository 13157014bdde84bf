package cotest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// won is the test of bounded rewards in plain steps, for rewards that are 0 or 1 and arms that share nothing:
// capitals are products over rewards. It gets the leaders and decides which arms are out.
type won struct {
	h             []float64
	height        float64
	ones, seen    []float64
	squares, free []float64 // by arm, for the scales that stakes use
	capital       [][]float64
	out           []bool
}

// variances returns the guess of the variance of each arm's rewards, from the rounds so far.
func (w *won) variances() []float64 {
	var squares, free float64
	for i := range w.squares {
		squares, free = squares+w.squares[i], free+w.free[i]
	}
	out := make([]float64, len(w.squares))
	for i := range out {
		if out[i] = 0.25; squares > 0 {
			out[i] = (w.squares[i] + 24*squares/free) / (w.free[i] + 24)
		}
	}
	return out
}

// learn takes a round in, of counts n and ones k; in the first nothing is tested.
func (w *won) learn(best int, n, k []float64) {
	variance := w.variances()
	centre := func(i int) float64 { return (w.ones[i] + 0.25) / (w.seen[i] + 0.5) }
	out := slices.Clone(w.out)
	for x := range n {
		leader := best
		if x == best { // the second best is its opponent
			leader = -1
			for j := range n {
				if j != x && !out[j] && (leader < 0 || w.ones[j]/w.seen[j] > w.ones[leader]/w.seen[leader]) {
					leader = j
				}
			}
		}
		if leader < 0 || out[x] || n[x] == 0 || n[leader] == 0 {
			continue
		}
		c, d := centre(leader), centre(x)
		information := 1 / (variance[leader]/n[leader] + variance[x]/n[x])
		most := 0.97 * min(n[leader]/c, n[x]/(1-d))
		sum := 0.0
		for j, h := range w.h {
			size := min(h*information, most)
			lambda, kappa := size/n[leader], size/n[x]
			w.capital[x][j] *= math.Pow(1+lambda*(1-c), k[leader]) * math.Pow(1-lambda*c, n[leader]-k[leader]) *
				math.Pow(1-kappa*(1-d), k[x]) * math.Pow(1+kappa*d, n[x]-k[x]) * math.Exp(size*(c-d))
			sum += w.capital[x][j] / float64(len(w.h))
		}
		w.out[x] = sum >= w.height
	}
	for i := range n {
		w.ones[i], w.seen[i] = w.ones[i]+k[i], w.seen[i]+n[i]
		if n[i] > 1 {
			w.squares[i], w.free[i] = w.squares[i]+k[i]*(n[i]-k[i])/n[i], w.free[i]+n[i]-1
		}
	}
}

// CoTestFC on rewards that are 0 or 1 drops the arms that the plain steps drop, round by round.
func TestReferenceBets(t *testing.T) {
	means := []float64{0.9, 0.7, 0.65, 0.3}
	p := enginetest.Small(t, enginetest.Identity, means)
	p = try.Of(p.WithNoise(problem.NoiseModel{Bounds: &[2]float64{0, 1}, Environment: problem.EnvironmentBernoulli}))
	dropped := 0
	for seed := range uint64(30) {
		m := plain.ModelOf(t, p)
		alg := try.Of(plain.On(engine.ModeFC, NewCoTestFC)(m, engine.Options{Delta: 0.05, Epsilon: 0.02}))
		a := alg.(*coTest)
		ref := &won{height: 20, out: make([]bool, 4), capital: make([][]float64, 4)}
		ref.ones, ref.seen, ref.squares, ref.free = make([]float64, 4), make([]float64, 4), make([]float64, 4), make([]float64, 4)
		for _, h := range a.contests[0].walks[0].Stakes.Gaps {
			ref.h = append(ref.h, h*m.Unit)
		}
		for i := range ref.capital {
			ref.capital[i] = slices.Repeat([]float64{1}, len(ref.h))
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		for r := 1; !alg.Done() && r <= 12; r++ {
			plan := try.Of(alg.Plan(t.Context()))
			leader := -1
			if r > 1 {
				leader = a.contests[0].leader
			}
			n, k, b := make([]float64, 4), make([]float64, 4), engine.Batch{Counts: plan.Counts, Means: make([]float64, 4), Squares: make([]float64, 4)}
			for i, c := range plan.Counts {
				for range c {
					if n[i]++; rng.Float64() < means[i] {
						k[i]++
					}
				}
				if c > 0 {
					b.Means[i], b.Squares[i] = k[i]/n[i], k[i]*(n[i]-k[i])/n[i]
				}
			}
			try.To(alg.Learn(t.Context(), b))
			ref.learn(leader, n, k)
			for i, w := range a.contests[0].walks {
				if w.Out != ref.out[i] {
					t.Fatalf("seed %d, round %d: arm %d is out %v, plainly %v", seed, r, i, w.Out, ref.out[i])
				}
				if w.Out {
					dropped++
				}
			}
		}
	}
	if dropped < 60 {
		t.Errorf("%d arms out, round by round: the test sees little", dropped)
	}
}

// A request for another noise law selects its test, and a test with less information takes more samples,
// not another answer.
func TestBetsWhere(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0.9, 0.2})
	free := p
	p = try.Of(p.WithNoise(problem.NoiseModel{Bounds: &[2]float64{0, 1}, Environment: problem.EnvironmentBernoulli}))
	for _, c := range []struct {
		p    *problem.Problem
		opt  engine.Options
		bets bool
	}{{p, engine.Options{}, true}, {p, engine.Options{Law: engine.LawSubGaussian}, false}, {p, engine.Options{Law: engine.LawNormal}, false}, {free, engine.Options{}, false}} {
		alg, err := plain.On(engine.ModeFC, NewCoTestFC)(plain.ModelOf(t, c.p), c.opt)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := alg.Plan(t.Context())
		if got := alg.(*coTest).limits != nil; err != nil || got != c.bets || plan.WantSquares != c.bets {
			t.Errorf("law %q: bets %v, squares wanted %v, error %v; want %v", c.opt.Law, got, plan.WantSquares, err, c.bets)
		}
	}
}
