package belief

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// tableOf makes a problem of tasks with arms of a number and a category, measured as the function says.
func tableOf(t testing.TB, tasks, arms int, measure func(task, arm int) (mean, sd, count float64)) *problem.Problem {
	t.Helper()
	var names, taskNames []string
	var rows [][]float64
	var taskOf []int
	var means, sds, counts []float64
	for v := range tasks {
		taskNames = append(taskNames, fmt.Sprint("task ", v))
		for i := range arms {
			names, taskOf = append(names, fmt.Sprint("arm ", i)), append(taskOf, v)
			rows = append(rows, []float64{float64(i * i), float64(i % 3)})
			m, sd, n := measure(v, i)
			means, sds, counts = append(means, m), append(sds, sd), append(counts, n)
		}
	}
	z := try.Of(kernels.NewPoints(nil, taskNames, nil))
	x := try.Of(kernels.NewPoints([]string{"dose", "kind"}, names, rows))
	p := try.Of(problem.New("table", z, x, taskOf, kernels.Joint{}, []float64{1}, nil))
	p.Partial, p.Noise.SD, p.Reps, p.Noise.UnknownBy = means, sds, counts, problem.UnknownProblem
	p.Categories = map[string][]string{"kind": {"A", "B", "C"}}
	return p
}

// smooth is a table of 3 tasks of 7 arms, one of them not measured.
func smooth(t testing.TB) *problem.Problem {
	rng := rand.New(rand.NewPCG(1, 1))
	return tableOf(t, 3, 7, func(task, arm int) (mean, sd, count float64) {
		if task == 1 && arm == 4 {
			return math.NaN(), math.NaN(), 1
		}
		return 10 + float64(task) + math.Sin(float64(arm)) + 0.1*rng.NormFloat64(), 0.2 + 0.02*float64(arm), float64(1 + (task+arm)%3)
	})
}

// prepared returns the model of a problem and its evidence on all measured arms.
func prepared(t testing.TB, p *problem.Problem) *chosen {
	t.Helper()
	d := try.Of(dataOf(t.Context(), p))
	d.scale()
	at := make([]int, len(d.cells))
	for k := range at {
		at[k] = k
	}
	return newChosen(newModel(d), at)
}

// plainly computes covariances of all arms by the doc's formula, one pair at a time.
func plainly(m *model, u []float64) *mat.SymDense {
	d, n := m.d, m.d.p.N()
	out := mat.NewSymDense(n, nil)
	matern := func(term string, i, j int) float64 {
		r := (d.arms.X[0][i] - d.arms.X[0][j]) / m.value(u, term+" length dose", 0)
		s := math.Sqrt(5) * math.Abs(r)
		k := m.value(u, term, 0) * (1 + s + s*s/3) * math.Exp(-s)
		if d.arms.X[1][i] != d.arms.X[1][j] {
			k *= m.value(u, term+" similar kind", 0)
		}
		return k
	}
	for i := range n {
		for j := i; j < n; j++ {
			v := matern("common", i, j)
			sameTask, sameArm := d.p.TaskOf[i] == d.p.TaskOf[j], d.p.Arms.ID[i] == d.p.Arms.ID[j]
			if sameArm {
				v += m.value(u, "rough", 0)
			}
			if sameTask {
				v += m.value(u, "level", 0) + matern("special", i, j)
			}
			if i == j {
				v += m.value(u, "own", 0)
			}
			out.SetSym(i, j, v)
		}
	}
	return out
}

// TestEvidence: the evidence is the density of the means, whose covariance is formed as the doc says, and the density of the
// scatter within arms, except for a constant; predictions of left-out means come from the other means.
func TestEvidence(t *testing.T) {
	c := prepared(t, smooth(t))
	rng := rand.New(rand.NewPCG(2, 2))
	var first float64
	for trial := range 5 {
		u := make([]float64, len(c.numbers))
		for k, x := range c.numbers {
			u[k] = x.mean + 0.5*x.sd*rng.NormFloat64()
		}
		e := try.Of(c.of(context.Background(), u, true))
		d, sigma2 := c.d, c.value(u, "noise", 0)
		all := plainly(c.model, u)
		sigma := mat.NewSymDense(len(d.cells), nil)
		for a, i := range d.cells {
			for b, j := range d.cells {
				v := all.At(i, j) + constantVariance
				if a == b {
					v += sigma2 * d.rel[a] / d.n[a]
				}
				sigma.SetSym(a, b, v)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(sigma) {
			t.Fatal("not positive definite")
		}
		y, solved := mat.NewVecDense(len(d.y), d.y), mat.NewVecDense(len(d.y), nil)
		_ = chol.SolveVecTo(solved, y)
		want := -0.5*mat.Dot(y, solved) - 0.5*chol.LogDet() - 0.5*(d.within/sigma2+d.free*math.Log(sigma2))
		if trial == 0 {
			first = e.log - want
		}
		if got := e.log - first; math.Abs(got-want) > 1e-8*math.Abs(want) {
			t.Errorf("trial %d: log evidence %.12g, want %.12g", trial, got, want)
		}
		var inverse mat.SymDense
		_ = chol.InverseTo(&inverse)
		for a := range d.cells {
			if want := d.y[a] - solved.AtVec(a)/inverse.At(a, a); math.Abs(e.loo[a]-want) > 1e-8 {
				t.Errorf("trial %d: left-out mean %d is predicted as %.10g, want %.10g", trial, a, e.loo[a], want)
			}
		}
	}
}

// TestPosterior: the posterior along the features of a Cholesky factor is the conditional law of the covariance, at the
// arms that are not measured, too.
func TestPosterior(t *testing.T) {
	c := prepared(t, smooth(t))
	d := c.d
	u := make([]float64, len(c.numbers))
	for k, x := range c.numbers {
		u[k] = x.mean
	}
	variance := d.variances(c.value(u, "noise", 0))
	m := try.Of(c.memberAt(context.Background(), u, d.y, variance, mostRank))
	n := d.p.N()
	all := plainly(c.model, u)
	sigma, cross := mat.NewSymDense(len(d.cells), nil), mat.NewDense(n, len(d.cells), nil)
	for b, j := range d.cells {
		for i := range n {
			cross.Set(i, b, all.At(i, j)+constantVariance)
		}
		for a, i := range d.cells {
			v := all.At(i, j) + constantVariance
			if a == b {
				v += variance[a]
			}
			sigma.SetSym(a, b, v)
		}
	}
	var chol mat.Cholesky
	chol.Factorize(sigma)
	var gain, taken mat.Dense
	_ = chol.SolveTo(&gain, cross.T())
	taken.Mul(cross, &gain)
	mean := mat.NewVecDense(n, nil)
	mean.MulVec(gain.T(), mat.NewVecDense(len(d.y), d.y))
	var got mat.Dense
	got.Mul(m.Features, m.Features.T())
	for i := range n {
		if math.Abs(m.Mean[i]-mean.AtVec(i)) > 1e-6 {
			t.Errorf("mean of arm %d: %.9g, want %.9g", i, m.Mean[i], mean.AtVec(i))
		}
		for j := range n {
			g := got.At(i, j)
			if i == j {
				g += m.Entry(i, i)
			}
			if want := all.At(i, j) + constantVariance - taken.At(i, j); math.Abs(g-want) > 1e-5 {
				t.Errorf("covariance of arms %d and %d: %.9g, want %.9g", i, j, g, want)
			}
		}
	}
}

// TestScatter: what the scatter of measurements is like is found from replicates.
func TestScatter(t *testing.T) {
	for _, x := range []struct {
		want string
		sd   func(task, arm int, mean float64) float64
	}{
		{ScatterCommon, func(int, int, float64) float64 { return 0.3 }},
		{ScatterTask, func(task, _ int, _ float64) float64 { return []float64{0.05, 0.3, 1}[task] }},
		{ScatterArm, func(task, arm int, _ float64) float64 { return 0.3 * math.Exp(float64((7*task+3*arm)%5)-2) }},
		{ScatterMean, func(_, _ int, mean float64) float64 { return 0.02 * math.Exp(0.9*mean) }},
	} {
		rng := rand.New(rand.NewPCG(4, 4))
		var means []float64
		p := tableOf(t, 3, 15, func(task, arm int) (mean, sd, count float64) {
			m := 2 * math.Sin(float64(arm*(task+1)))
			means = append(means, m)
			scale, square := x.sd(task, arm, m), 0.0
			for range 9 {
				e := rng.NormFloat64()
				square += e * e
			}
			return m + scale*rng.NormFloat64()/math.Sqrt(10), scale * math.Sqrt(square/9), 10
		})
		d := try.Of(dataOf(t.Context(), p))
		if d.changing {
			d.change(means)
		}
		if d.scatter.Kind != x.want {
			t.Errorf("scatter is found to be %q, want %q", d.scatter.Kind, x.want)
		}
	}
}

// TestScatterWithMean: where measurements of better arms scatter more, arms are not taken for worse than they are. Weighed by
// their own means, those that noise made better would count less: all were then believed to be worse by 0.38.
func TestScatterWithMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	truth := 0.0
	p := tableOf(t, 6, 20, func(task, arm int) (mean, sd, count float64) {
		m := 3 + math.Sin(float64(arm)/3)
		truth += m / 120
		scale := math.Exp(1.5*(m-3)) / 2
		a, b := m+scale*rng.NormFloat64(), m+scale*rng.NormFloat64()
		return (a + b) / 2, math.Abs(a-b) / math.Sqrt2, 2
	})
	b := try.Of(Of(context.Background(), p, Options{}))
	if b.Scatter.Kind != ScatterMean {
		t.Errorf("scatter is found to be %q", b.Scatter.Kind)
	}
	if got := mat.Sum(b.Draws) / float64(len(b.Draws.RawMatrix().Data)); math.Abs(got-truth) > 0.08 {
		t.Errorf("arms are %.3f on average, believed to be %.3f", truth, got)
	}
}

// TestHiddenSpread: if noise hides the spread of the arms, the prior does not treat them as alike: the unit is not below the
// standard error of the estimate of their spread.
func TestHiddenSpread(t *testing.T) {
	d := try.Of(dataOf(t.Context(), tableOf(t, 3, 4, func(task, arm int) (mean, sd, count float64) { return 5, 2, 4 })))
	if want := math.Sqrt(math.Sqrt(2*11) / 12); math.Abs(d.size(0)-want) > 1e-9 { // of twelve means with variance 1
		t.Errorf("the unit is %.6g, want %.6g", d.size(0), want)
	}
}

// TestSpreadOfCounts: variances of logits are by how much these differ beyond chance, not in units of 1.
func TestSpreadOfCounts(t *testing.T) {
	for _, want := range []float64{0.1, 1} {
		rng := rand.New(rand.NewPCG(12, 1))
		const trials = 4000
		p := tableOf(t, 5, 40, func(task, arm int) (mean, sd, count float64) {
			share, won := gp.Logistic(want*rng.NormFloat64()), 0.0
			for range trials {
				if rng.Float64() < share {
					won++
				}
			}
			m := won / trials
			return m, math.Sqrt(m * (1 - m) * trials / (trials - 1)), trials
		})
		c := prepared(t, p)
		if got := c.numbers[c.model.at["level"]]; math.Abs(got.mean-math.Log(0.4*want*want)) > 0.3 {
			t.Errorf("where logits have sd %g, the median variance of levels is %.3g", want, math.Exp(got.mean))
		}
	}
}

// TestUsable: the kernel that problems get has the covariance that was found, in reward units squared, with the level
// as a constant; a column at geometric spacing is compared by its logarithm.
func TestUsable(t *testing.T) {
	p := tableOf(t, 2, 8, func(task, arm int) (mean, sd, count float64) {
		return 100 + 5*math.Log(1+float64(arm)) + float64(task), 1, 4
	})
	for i := range p.Arms.X[0] {
		p.Arms.X[0][i] = math.Pow(4, float64(i%8))
	}
	b := try.Of(Of(context.Background(), p, Options{}))
	if len(b.Log) != 1 || b.Log[0] != "dose" {
		t.Errorf("logarithms of %v are compared, want dose", b.Log)
	}
	q := b.Usable
	on := try.Of(q.Kernel.On(context.Background(), q.Tasks, q.Arms, q.TaskOf))
	gram := kernels.Dense(on)
	if least := 0.5 * 100 * 100; gram.At(0, 15) < least {
		t.Errorf("two arms have the covariance %g, want at least %g from the level", gram.At(0, 15), least)
	}
	if v := q.Arms.Value(0, 3); math.Abs(v-64) > 1e-9 {
		t.Errorf("the dose of arm 3 reads %g, want 64", v)
	}
}

// TestDeterministic: draws have the same bits for any number of cores.
func TestDeterministic(t *testing.T) {
	p := smooth(t)
	one := try.Of(Of(cores.Within(context.Background(), 1), p, Options{}))
	two := try.Of(Of(context.Background(), p, Options{}))
	if !mat.Equal(one.Draws, two.Draws) {
		t.Error("draws differ with the number of cores")
	}
}

// TestInterrupt: a context that ends ends the computation.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Of(ctx, smooth(t), Options{}); err == nil {
		t.Error("no error of a context that has ended")
	}
}

// TestRepeatedColumns: columns of tasks that say the same are taken for one of them.
func TestRepeatedColumns(t *testing.T) {
	p := smooth(t)
	var covariances []*mat.SymDense
	for _, copies := range []int{1, 4} {
		q := *p
		var columns []string
		rows := make([][]float64, q.V())
		for c := range copies {
			columns = append(columns, fmt.Sprint("z", c))
			for v := range rows {
				rows[v] = append(rows[v], float64(v*v))
			}
		}
		q.Tasks = try.Of(kernels.NewPoints(columns, q.Tasks.Names, rows))
		c := prepared(t, &q)
		tables := try.Of(c.tables(t.Context(), c.numbersAt(make([]float64, len(c.numbers))), nil))
		covariances = append(covariances, c.gram(tables))
	}
	if !mat.EqualApprox(covariances[0], covariances[1], 1e-12) {
		t.Error("four columns of tasks that are the same give other covariances than one of them")
	}
}

// Measurements that repeat themselves to nearly the last digit have an answer, too: the one of the means.
func TestMeasurementsWithHardlyAnyNoise(t *testing.T) {
	for _, scale := range []float64{1e-5, 1e-12} {
		rng := rand.New(rand.NewPCG(11, 1))
		p := tableOf(t, 6, 20, func(task, arm int) (mean, sd, count float64) {
			m := 3 + math.Sin(float64(arm)/3)
			a, b := m+scale*rng.NormFloat64(), m+scale*rng.NormFloat64()
			return (a + b) / 2, math.Abs(a-b) / math.Sqrt2, 2
		})
		b, err := Of(t.Context(), p, Options{})
		if err != nil {
			t.Errorf("scale %g: %v", scale, err)
			continue
		}
		for i, want := range p.Means() {
			if got := mat.Sum(b.Draws.ColView(i)) / float64(b.Draws.RawMatrix().Rows); math.Abs(got-want) > 0.01 {
				t.Errorf("scale %g, arm %d: %.4f was measured, believed is %.4f", scale, i, want, got)
			}
		}
	}
}

// TestCountsInMeans: shares with six digits are counts where their standard deviations are those of counts, and only in the unit of counts.
func TestCountsInMeans(t *testing.T) {
	for _, unit := range []float64{1, 1e-3, 1e-9, 100} {
		p := tableOf(t, 2, 4, func(task, arm int) (mean, sd, count float64) {
			const n = 40
			m := float64(1+3*task+5*arm) / n
			digits := func(x float64) float64 { return math.Round(1e6*x) / 1e6 * unit }
			return digits(m), digits(math.Sqrt(m * (1 - m) * n / (n - 1))), n
		})
		if d, err := dataOf(t.Context(), p); err != nil || (d.wins != nil) != (unit == 1) {
			t.Errorf("in unit %g: counts %v, %v", unit, d.wins, err)
		}
	}
}

// TestLevelsOfTasks checks that the estimates of options within a task do not depend on how far apart the levels of tasks are.
func TestLevelsOfTasks(t *testing.T) {
	within := func(apart float64) []float64 {
		rng := rand.New(rand.NewPCG(8, 3))
		p := tableOf(t, 5, 8, func(task, arm int) (mean, sd, count float64) {
			return apart*float64(task*task) + 0.3*rng.NormFloat64() + 0.6*rng.NormFloat64(), 1, 3
		})
		b := try.Of(Of(t.Context(), p, Options{}))
		means := lists.Make(p.N(), func(i int) float64 { return stat.Mean(mat.Col(nil, i, b.Draws), nil) })
		for k := 0; k < p.N(); k += 8 {
			floats.AddConst(-stat.Mean(means[k:k+8], nil), means[k:k+8])
		}
		return means
	}
	near, far := within(0.1), within(20)
	if d := floats.Distance(near, far, 2) / floats.Norm(near, 2); d > 0.3 { // 0.12; 1.47 if variances are relative to the spread that includes levels
		t.Errorf("estimates within tasks change by a share of %.3f", d)
	}
}
