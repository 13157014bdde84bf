package belief

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// onDays is a table of 21 arms whose measurements were made on four days that differ, or on more that differ as these.
func onDays(t testing.TB, days int) *problem.Problem {
	t.Helper()
	p := smooth(t)
	rng := rand.New(rand.NewPCG(8, 8))
	effects := []float64{3, -2, 0, 1}
	p.Blocks = make([]string, days)
	for i := range p.Partial {
		sum, square, count := 0.0, 0.0, 0.0
		var rows []float64
		for k := range 1 + (i*7)%3 {
			block := (i + k*k) % days
			y := 10 + math.Sin(float64(i)) + effects[block%len(effects)] + 0.1*rng.NormFloat64()
			p.Rows = append(p.Rows, problem.Row{Arm: i, Block: block, Reward: y, Count: 1})
			rows, sum, count = append(rows, y), sum+y, count+1
		}
		for _, y := range rows {
			square += (y - sum/count) * (y - sum/count)
		}
		p.Partial[i], p.Reps[i], p.Noise.SD[i] = sum/count, count, math.NaN()
		if count > 1 {
			p.Noise.SD[i] = math.Sqrt(square / (count - 1))
		}
	}
	return p
}

// TestBlocks: evidence and posterior with effects of blocks are as of all measurements, one by one, whose covariance
// has a variance for each block, with fewer blocks than arms and with more; evidence of some arms is as of their measurements
// alone; without the effects the posterior is another.
func TestBlocks(t *testing.T) {
	for _, days := range []int{4, 24} {
		testBlocks(t, onDays(t, days))
	}
}

// inYears is onDays with levels of two random columns, for one task or three.
func inYears(t testing.TB, blocks bool, columns ...string) *problem.Problem {
	t.Helper()
	p := onDays(t, 4)
	p.Long = &problem.Long{Task: []string{"site"}, Arm: []string{"dose", "kind"}, Random: columns}
	for k := range p.Rows {
		r := &p.Rows[k]
		r.Levels = (k + r.Arm) % 6
		if !blocks {
			r.Block = 0
		}
	}
	for k := range 6 {
		p.Levels = append(p.Levels, []string{string(rune('A' + k%3)), string(rune('a' + k%2))}[:len(columns)])
	}
	if !blocks {
		p.Blocks = nil
	}
	return p
}

// TestWithinUnits: the squares within arms at each level have one degree of freedom less for each level but the first, and an arm whose
// rows are not read keeps its own.
func TestWithinUnits(t *testing.T) {
	p := inYears(t, false, "year")
	for k := range p.Rows {
		p.Rows[k].Levels = p.Rows[k].Block + k%3 // each measurement of an arm is at a level of its own
	}
	p.Rows = slices.DeleteFunc(p.Rows, func(r problem.Row) bool { return r.Arm == 4 })
	d := cellsOf(p)
	d.standard = together(p)
	units, of := d.units()
	squares, freedom := d.squares()
	within, free := d.withinUnits(units, of, squares, freedom)
	for k, i := range d.cells {
		want := 0.0
		if i == 4 {
			want = freedom[k]
		}
		if free[k] != want || i != 4 && within[k] != 0 {
			t.Errorf("arm %d: squares %g, degrees of freedom %g of %g", i, within[k], free[k], freedom[k])
		}
	}
}

// TestRandomEffects: evidence and posterior are as of all measurements, one by one, whose covariance has a variance for each kind of
// effects.
func TestRandomEffects(t *testing.T) {
	testBlocks(t, inYears(t, false, "year"))
	testBlocks(t, inYears(t, true, "year"))
	testBlocks(t, inYears(t, true, "year", "lot"))
}

func testBlocks(t *testing.T, p *problem.Problem) {
	rng := rand.New(rand.NewPCG(8, 9))
	c := prepared(t, p)
	d, n, first := c.d, len(p.Rows), [2]float64{}
	some := newChosen(c.model, d.evenly(8))
	for trial := range 4 {
		u := make([]float64, len(c.numbers))
		for k, x := range c.numbers {
			u[k] = x.mean + 0.5*x.sd*rng.NormFloat64()
		}
		sigma2, variance := c.value(u, "noise", 0), c.value(u, "blocks", 0)
		all := plainly(c.model, u)
		sigma, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		cross := mat.NewDense(p.N(), n, nil)
		for a, r := range d.p.Rows {
			y.SetVec(a, d.scaled(r.Reward))
			for i := range p.N() {
				cross.Set(i, a, all.At(i, r.Arm)+constantVariance)
			}
			for b, s := range p.Rows[:a+1] {
				v := all.At(r.Arm, s.Arm) + constantVariance
				for _, k := range d.kinds {
					if k.of[a] == k.of[b] {
						v += c.value(u, k.number, 0)
					}
				}
				if r.Arm == s.Arm && r.Levels == s.Levels {
					v += c.value(u, cellsNumber, 0)
				}
				if a == b {
					v += sigma2 * d.rel[r.Arm]
				}
				sigma.SetSym(a, b, v)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(sigma) {
			t.Fatal("not positive definite")
		}
		solved := mat.NewVecDense(n, nil)
		_ = chol.SolveVecTo(solved, y)
		var of []int // rows of some arms
		for a, r := range p.Rows {
			if slices.ContainsFunc(some.at, func(k int) bool { return d.cells[k] == r.Arm }) {
				of = append(of, a)
			}
		}
		for k, x := range []struct {
			*chosen
			rows []int
		}{{c, indices.All(n)}, {some, of}} {
			e := try.Of(x.of(context.Background(), u, false))
			want := logDensity(t, sigma, y, x.rows)
			if trial == 0 {
				first[k] = e.log - want
			}
			if got := e.log - first[k]; math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("trial %d, %d rows: log evidence %.10g, want %.10g", trial, len(x.rows), got, want)
			}
		}
		m := try.Of(c.memberAt(context.Background(), u, d.y, d.variances(sigma2), mostRank))
		var mean mat.VecDense
		mean.MulVec(cross, solved)
		apart := 0.0
		for i := range p.N() {
			if math.Abs(m.Mean[i]-mean.AtVec(i)) > 1e-5 {
				t.Errorf("trial %d: mean of arm %d: %.8g, want %.8g", trial, i, m.Mean[i], mean.AtVec(i))
			}
			apart = max(apart, math.Abs(m.Mean[i]-d.y[i]))
		}
		if variance > 1e-3 && apart < 0.1 {
			t.Errorf("trial %d: the effects of blocks change no mean", trial)
		}
	}
}

// logDensity returns the log density of these entries of y under a normal law, except for a constant.
func logDensity(t *testing.T, cov *mat.SymDense, y *mat.VecDense, of []int) float64 {
	t.Helper()
	part, some := mat.NewSymDense(len(of), nil), mat.NewVecDense(len(of), nil)
	for i, a := range of {
		some.SetVec(i, y.AtVec(a))
		for j, b := range of {
			part.SetSym(i, j, cov.At(a, b))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(part) {
		t.Fatal("not positive definite")
	}
	solved := mat.NewVecDense(len(of), nil)
	_ = chol.SolveVecTo(solved, some)
	return -0.5*mat.Dot(some, solved) - 0.5*chol.LogDet()
}

// TestUnblocked: the scatter that differences within arms show beside blocks is the residual variance of the regression on
// arms and blocks; days in which nothing else was measured leave it unknown.
func TestUnblocked(t *testing.T) {
	p := onDays(t, 4)
	d, err := dataOf(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	n, arms, columns := len(p.Rows), p.N(), p.N()+len(p.Blocks)-1
	x, y := mat.NewDense(n, columns, nil), mat.NewVecDense(n, nil)
	for k, r := range p.Rows {
		x.Set(k, r.Arm, 1)
		if r.Block > 0 {
			x.Set(k, arms+r.Block-1, 1)
		}
		y.SetVec(k, r.Reward)
	}
	var fit mat.VecDense
	try.To(fit.SolveVec(x, y))
	var left mat.VecDense
	left.MulVec(x, &fit)
	left.SubVec(y, &left)
	want := mat.Dot(&left, &left) / float64(n-columns)
	if got := d.pure * d.size(0) * d.size(0); d.scatter.Kind != ScatterCommon || math.Abs(got-want) > 1e-5*want {
		t.Errorf("scatter %s, variance %.8g, the regression leaves %.8g", d.scatter.Kind, got, want)
	}
	if within := Within(p); math.Abs(within[2]-math.Sqrt(want)) > 1e-5*within[2] {
		t.Errorf("a measurement scatters by %.8g within its block, the regression says %.8g", within[2], math.Sqrt(want))
	}
	for k := range p.Rows { // each measurement on a day of its own
		p.Rows[k].Block = k
	}
	p.Blocks = make([]string, n)
	if d, err = dataOf(t.Context(), p); err != nil || d.pureKnown || Within(p) != nil {
		t.Errorf("a day for each measurement: %v, scatter known %v, within %v", err, d.pureKnown, Within(p))
	}
}
