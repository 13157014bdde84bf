package belief

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// rowed gives a problem rows: of each measured arm two measurements, and a mean of three.
func rowed(p *problem.Problem) *problem.Problem {
	rng := rand.New(rand.NewPCG(4, 4))
	for i, m := range p.Partial {
		if math.IsNaN(m) {
			continue
		}
		y, counts := []float64{m, m + 0.2*rng.NormFloat64(), m + 0.1*rng.NormFloat64()}, []float64{1, 1, 3}
		for k := range y {
			p.Rows = append(p.Rows, problem.Row{Arm: i, Reward: y[k], Count: counts[k]})
		}
		p.Partial[i], p.Noise.SD[i], p.Reps[i] = stat.Mean(y, counts), stat.StdDev(y, counts), floats.Sum(counts)
	}
	return p
}

// TestLeft: the prediction of a measurement from all others is the conditional law under the covariance of all measurements [RW06, eq. 5.12].
func TestLeft(t *testing.T) {
	for _, blocks := range []int{0, 4, 30} { // with 30, blocks are more than arms
		t.Run(fmt.Sprint(blocks, " blocks"), func(t *testing.T) { left(t, blocks) })
	}
}

// left runs TestLeft on a problem whose measurements are in this many blocks.
func left(t *testing.T, blocks int) {
	p := rowed(smooth(t))
	for k := range p.Rows {
		if blocks > 0 {
			p.Rows[k].Block = (7*k + k/5) % blocks
			p.Rows[k].Reward += 0.3 * float64(p.Rows[k].Block%3)
		}
	}
	p = without(p, p.Rows, p.Rows) // computes the means
	for b := range blocks {
		p.Blocks = append(p.Blocks, strconv.Itoa(b))
	}
	c := prepared(t, p)
	s := &search{chosen: c, ctx: context.Background(), best: make([]float64, len(c.numbers))}
	for k, x := range c.numbers {
		s.best[k] = x.mean
	}
	f := try.Of(s.foresight(mostRank))
	f.d.shrunk = nil // its own square would be taken off, which no law of fixed numbers does
	all, n := plainly(c.model, s.best), len(c.d.p.Rows)
	sigma, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for a, r := range c.d.p.Rows {
		y.SetVec(a, c.d.scaled(r.Reward))
		for b, x := range p.Rows {
			v := all.At(r.Arm, x.Arm) + constantVariance
			if blocks > 0 && r.Block == x.Block {
				v += c.value(s.best, blocksNumber, 0)
			}
			if a == b {
				v += f.noise[r.Arm] / r.Count
			}
			sigma.SetSym(a, b, v)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sigma) {
		t.Fatal("not positive definite")
	}
	var inverse mat.SymDense
	_ = chol.InverseTo(&inverse)
	solved := mat.NewVecDense(n, nil)
	_ = chol.SolveVecTo(solved, y)
	for a, r := range c.d.p.Rows {
		got := f.leaveOneOut(r)
		mean, sd := y.AtVec(a)-solved.AtVec(a)/inverse.At(a, a), 1/math.Sqrt(inverse.At(a, a))
		if math.Abs(got.mean-mean) > 1e-5 || math.Abs(got.sd-sd) > 1e-5 {
			t.Errorf("measurement %d: mean %.8g, sd %.8g; want %.8g, %.8g", a, got.mean, got.sd, mean, sd)
		}
	}
}

// TestWithout: arms have the mean, count and standard deviation of their other measurements.
func TestWithout(t *testing.T) {
	p := rowed(smooth(t))
	odd := []problem.Row{p.Rows[2], p.Rows[3], p.Rows[4], p.Rows[5]} // the mean of three of arm 0, and all of arm 1
	q := without(p, slices.Concat(p.Rows[:2], p.Rows[6:]), odd)
	y := []float64{p.Rows[0].Reward, p.Rows[1].Reward}
	if mean, sd := stat.MeanStdDev(y, nil); q.Partial[0] != mean || q.Noise.SD[0] != sd || q.Reps[0] != 2 {
		t.Errorf("arm 0: mean %g, sd %g, count %g; want %g, %g, 2", q.Partial[0], q.Noise.SD[0], q.Reps[0], mean, sd)
	}
	if !math.IsNaN(q.Partial[1]) || q.Partial[2] != p.Partial[2] || q.Noise.SD[2] != p.Noise.SD[2] {
		t.Errorf("arms 1 and 2: means %g, sds %g, want NaN and no change", q.Partial[1:3], q.Noise.SD[1:3])
	}
}
