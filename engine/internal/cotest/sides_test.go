package cotest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// sidesOf returns a problem of two tasks whose arms are measured side by side.
func sidesOf(t *testing.T, means ...[]float64) *problem.Problem {
	t.Helper()
	p := enginetest.Small(t, enginetest.Identity, means...)
	p.Block = &problem.Block{Name: "day", Effect: 2}
	return p
}

// leastSquares returns, by a regression on arms and blocks of every single reward of task 0, the gap of two of its arms, its
// standard error and the degrees of freedom of the scale.
func leastSquares(t *testing.T, p *problem.Problem, sides []engine.Side, rewards [][][]float64, i, j int) (gap, sd, freedom float64) {
	t.Helper()
	var rows [][]float64
	var y []float64
	blocks := 0
	for _, s := range sides {
		blocks += s.Blocks
	}
	at := 0
	measured := map[int]bool{}
	for k, s := range sides {
		for _, block := range rewards[k] {
			for a, arm := range s.Arms {
				row := make([]float64, p.N()+blocks)
				row[arm], row[p.N()+at] = 1, 1
				measured[arm] = true
				rows, y = append(rows, row), append(y, block[a])
			}
			at++
		}
	}
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for r, row := range rows {
		x.SetRow(r, row)
	}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		t.Fatal("no singular values")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	beta, inverse := make([]float64, p.N()+blocks), 0.0
	rank := 0
	for c, value := range svd.Values(nil) {
		if value < 1e-9 {
			continue
		}
		rank++
		dot := 0.0
		for r := range y {
			dot += u.At(r, c) * y[r]
		}
		for k := range beta {
			beta[k] += v.At(k, c) * dot / value
		}
		inverse += math.Pow((v.At(i, c)-v.At(j, c))/value, 2)
	}
	residual := 0.0
	for r, row := range rows {
		off := y[r]
		for k := range row {
			off -= row[k] * beta[k]
		}
		residual += off * off
	}
	freedom = float64(len(y) - rank)
	return beta[i] - beta[j], math.Sqrt(inverse * residual / freedom), freedom
}

// A round's score is Student's t of least squares on its arms and blocks, whole or not, where the arms of a task have
// one scale, and of the pair's own differences where each has its own.
func TestScoreWithin(t *testing.T) {
	sides := map[string][]engine.Side{
		"whole":      {{Arms: []int{0, 1, 2, 3}, Blocks: 5}},
		"nested":     {{Arms: []int{0, 1, 3}, Blocks: 3}, {Arms: []int{1, 3}, Blocks: 2}, {Arms: []int{3}, Blocks: 1}},
		"incomplete": {{Arms: []int{0, 3}, Blocks: 2}, {Arms: []int{1, 3}, Blocks: 3}, {Arms: []int{2, 3}, Blocks: 1}, {Arms: []int{0, 2}, Blocks: 2}},
		"one each":   {{Arms: []int{0, 1, 3}, Blocks: 1}, {Arms: []int{1, 2, 3}, Blocks: 1}, {Arms: []int{0, 1, 2, 3}, Blocks: 1}},
	}
	for name, s := range sides {
		for _, unknown := range []string{problem.UnknownTask, problem.UnknownArm} {
			p := sidesOf(t, []float64{1, 2, 3, 4}, []float64{0, 5})
			p.Noise.UnknownBy = unknown
			m := plain.ModelOf(t, p)
			w := newWithin(m, nil)
			rewards, b := enginetest.PullBlocks(rand.New(rand.NewPCG(1, 9)), p, s)
			try.To(w.Planned(s))
			coming := w.coming(3, 1)
			try.To(w.Take(b))
			got := w.score(sequential.Bet{Opponent: 3, Arm: 1}, nil, b)
			gap, sd, freedom := leastSquares(t, p, s, rewards, 3, 1)
			if unknown == problem.UnknownArm {
				var off []float64
				for k, side := range s {
					x, y := slices.Index(side.Arms, 3), slices.Index(side.Arms, 1)
					for _, block := range rewards[k] {
						if x >= 0 && y >= 0 {
							off = append(off, block[x]-block[y])
						}
					}
				}
				gap, sd = stat.MeanStdDev(off, nil)
				n := float64(len(off))
				sd, freedom = sd/math.Sqrt(n), n-1
				if math.Abs(coming-2*w.Scale(0)/n) > 1e-12 {
					t.Errorf("%s: variance planned %g", name, coming)
				}
			}
			if math.Abs(got.Gap-gap/m.Unit) > 1e-9 || math.Abs(got.Sd-sd/m.Unit) > 1e-9 || got.Freedom != freedom || !got.Student {
				t.Errorf("%s, %s: gap %g, sd %g, %g degrees of freedom; want %g, %g, %g", name, unknown, got.Gap, got.Sd, got.Freedom, gap, sd, freedom)
			}
		}
	}
}

// Blocks that are alike to the last digit give no estimate of a scale, and no walk moves by them.
func TestScoreOfBlocksThatAreAlike(t *testing.T) {
	p := sidesOf(t, []float64{0.1, 0.7, 0.3})
	m := plain.ModelOf(t, p)
	w := newWithin(m, nil)
	s := []engine.Side{{Arms: []int{0, 1, 2}, Blocks: 2}, {Arms: []int{0, 1}, Blocks: 1}}
	b := engine.Batch{Counts: []int{3, 3, 2}, Means: []float64{0.1, 0.7, 0.3}, Within: []engine.Within{{Means: []float64{0.1, 0.7, 0.3}, Products: make([]float64, 9)}, {Means: []float64{0.1, 0.7}, Products: make([]float64, 4)}}}
	try.To(w.Planned(s))
	try.To(w.Take(b))
	if got := w.score(sequential.Bet{Opponent: 1, Arm: 0}, nil, b); got.Sd != 0 {
		t.Errorf("standard error %g, want 0", got.Sd)
	}
}

// Estimates are by least squares on arms and blocks of all rounds: with arms that come and go, what the
// blocks add does not show.
func TestEstimatesWithin(t *testing.T) {
	p := sidesOf(t, []float64{1, 2, 3})
	p.Block.Effect = 1000
	for i := range p.Noise.Scales {
		p.Noise.Scales[i] = 1e-6
	}
	m := plain.ModelOf(t, p)
	w := newWithin(m, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	var got []float64
	for r, s := range [][]engine.Side{{{Arms: []int{0, 1, 2}, Blocks: 2}}, {{Arms: []int{1, 2}, Blocks: 7}}, {{Arms: []int{0, 1}, Blocks: 9}}} {
		try.To(w.Planned(s))
		_, b := enginetest.PullBlocks(rng, p, s)
		try.To(w.Take(b))
		got = try.Of(w.Learn(b))
		if want := 2 * w.Scale(0) / 2; r == 0 && math.Abs(w.Variance(0, 2)-want) > 1e-9*want {
			t.Errorf("variance of a gap after two blocks: %g, want %g", w.Variance(0, 2), want)
		}
	}
	if d := (got[1] - got[0]) * m.Unit; math.Abs(d-1) > 1e-4 {
		t.Errorf("the second arm is %g above the first, want 1", d)
	}
	if d := (got[2] - got[1]) * m.Unit; math.Abs(d-1) > 1e-4 {
		t.Errorf("the third arm is %g above the second, want 1", d)
	}
}

// Every block has the leader and a rival, in blocks of any size, replicas plan alike, and rounds with other blocks are
// accepted, but not rounds with counts alone.
func TestSideBySidePlans(t *testing.T) {
	for _, size := range []int{0, 2, 3} {
		p := sidesOf(t, []float64{0, 1, 2, 4}, []float64{0, 0.2})
		p.Block.Size = size
		opt := engine.Options{Delta: 0.1, MaxRounds: 20}
		algs := make([]engine.Algorithm, 2)
		for k := range algs {
			algs[k] = try.Of(plain.On(engine.ModeFC, NewCoTestFC)(plain.ModelOf(t, p), opt))
		}
		rng := rand.New(rand.NewPCG(3, 2))
		enginetest.SideRounds(t, rng, p, 20, algs)
		if a := algs[0].State().Answers[0]; !a.Decided || a.Leader != p.Arms.Names[3] {
			t.Errorf("size %d: the first task's answer is %+v, want its last arm", size, a)
		}
	}
}

// A block that has no room for leader, rival and control, and a control that a task lacks, are refused.
func TestBlocksThatCannotBe(t *testing.T) {
	for _, c := range []problem.Block{{Name: "day", Size: 1}, {Name: "day", Size: 2, Control: "1"}, {Name: "day", Control: "zz"}} {
		p := sidesOf(t, []float64{0, 1, 2, 4})
		p.Block = &c
		if _, err := plain.On(engine.ModeFC, NewCoTestFC)(plain.ModelOf(t, p), engine.Options{Delta: 0.1}); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
