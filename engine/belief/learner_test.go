package belief

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// plain returns a problem of tasks with the same arms on a line, or of arms of other names in every task without features.
func plain(t *testing.T, tasks, arms int, features bool) *problem.Problem {
	t.Helper()
	var names, taskNames []string
	var rows [][]float64
	var taskOf []int
	for v := range tasks {
		taskNames = append(taskNames, fmt.Sprint("t", v))
		for k := range arms {
			name, row := fmt.Sprint("a", v, "-", k), []float64{}
			if features {
				name, row = fmt.Sprint("a", k), []float64{float64(k)}
			}
			names, rows, taskOf = append(names, name), append(rows, row), append(taskOf, v)
		}
	}
	var columns []string
	if features {
		columns = []string{"x"}
	}
	z := try.Of(kernels.NewPoints(nil, taskNames, make([][]float64, tasks)))
	x := try.Of(kernels.NewPoints(columns, names, rows))
	return try.Of(problem.New("plain", z, x, taskOf, kernels.LiftArm(kernels.Identity{}), []float64{1}, nil))
}

// drawn returns counts, means and squares of measurements of some arms.
func drawn(p *problem.Problem, truth []float64, sd float64, each func(i int) int) (counts []int, means, squares []float64) {
	rng := rand.New(rand.NewPCG(7, 7))
	counts, means, squares = make([]int, p.N()), make([]float64, p.N()), make([]float64, p.N())
	for i := range counts {
		counts[i] = each(i)
		for k := range counts[i] {
			y := truth[i] + sd*rng.NormFloat64()
			d := y - means[i]
			means[i] += d / float64(k+1)
			squares[i] += d * (y - means[i])
		}
	}
	return counts, means, squares
}

// wave is smooth along a line, and other tasks are a little lower.
func wave(p *problem.Problem) []float64 {
	out := make([]float64, p.N())
	for i, v := range p.TaskOf {
		lo, _ := p.ArmsOf(v)
		out[i] = math.Sin(float64(i-lo)/2) - 0.3*float64(v)
	}
	return out
}

// Both forms of a posterior, by covariances of all arms and by features, are one law at any numbers.
func TestOutlooksAgree(t *testing.T) {
	for _, features := range []bool{true, false} {
		p := plain(t, 3, 8, features)
		l := NewLearner(p, nil, nil, 1, 512)
		c := l.chosen(l.data(drawn(p, wave(p), 0.3, func(i int) int { return i % 3 })))
		u := c.numbersAt(normalNumbers(rand.New(rand.NewPCG(5, 5)), len(c.numbers)))
		c.distinct = l.distinct
		for k, a := range c.at {
			c.place[k] = l.place[c.d.cells[a]]
		}
		one := try.Of(l.onFeatures(t.Context(), c, u))
		other := try.Of(l.onCovariances(t.Context(), c, u))
		// 1e-5: the constant has a variance of 100, and features end at 1e-7 of the largest variance
		if !floats.EqualApprox(one.mean, other.mean, 1e-5) {
			t.Errorf("features %v: means %.6f and %.6f", features, one.mean, other.mean)
		}
		a, b := mat.NewSymDense(p.N(), nil), mat.NewSymDense(p.N(), nil)
		one.AddCovariances(a, indices.All(p.N()))
		other.AddCovariances(b, indices.All(p.N()))
		if !mat.EqualApprox(a, b, 1e-5) {
			t.Errorf("features %v: covariances differ", features)
		}
		for _, o := range []*outlook{one, other} {
			from, all := make([]float64, p.N()), make([]float64, p.N())
			o.AddDifferences(from, indices.All(p.N()), 3)
			o.AddVariances(all)
			for i := range from {
				if want := a.At(i, i) + a.At(3, 3) - 2*a.At(i, 3); math.Abs(from[i]-want) > 1e-5 || math.Abs(all[i]-a.At(i, i)) > 1e-5 {
					t.Errorf("features %v, arm %d: variance from arm 3 %g, want %g; its own %g, want %g", features, i, from[i], want, all[i], a.At(i, i))
				}
			}
		}
	}
}

// If nothing relates arms, the formula for each arm gives the likelihood of the whole covariance, up to the same constant.
func TestLikelihoodApart(t *testing.T) {
	p := plain(t, 3, 7, false)
	l := NewLearner(p, nil, nil, 1, 512)
	c := l.chosen(l.data(drawn(p, wave(p), 0.5, func(i int) int { return 1 + i%3 })))
	rng := rand.New(rand.NewPCG(9, 9))
	for range 5 {
		u := c.numbersAt(normalNumbers(rng, len(c.numbers)))
		want := c.likelihoodOfMeans(t.Context(), u)
		if got := c.likelihoodApart(u); math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("log likelihood %g, by the whole covariance %g", got, want)
		}
	}
}

// The chains have the posterior of the numbers for their law, with few data, if it is nearly the prior, and with many, where
// the likelihood decides: the mean and the spread of each number are as in weighted draws from the prior, or as of
// the true noise. There is no number of data at which another computation takes over.
func TestChainsFollowThePosterior(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p := plain(t, 1, 6, false)
	for _, each := range []int{1, 2, 40} {
		l := NewLearner(p, nil, nil, 1, 512)
		counts, means, squares := drawn(p, wave(p), 0.5, func(int) int { return each })
		c := l.chosen(l.data(counts, means, squares))
		d := len(c.numbers)
		rng := rand.New(rand.NewPCG(11, 11))
		const draws = 10_000
		logs, places := make([]float64, draws), make([][]float64, draws)
		for k := range draws {
			places[k] = normalNumbers(rng, d)
			logs[k] = c.likelihood(t.Context(), places[k])
		}
		weights := make([]float64, draws)
		for k := range weights {
			weights[k] = math.Exp(logs[k] - floats.Max(logs))
		}
		var met [][]float64
		for range 80 {
			try.To(l.sample(t.Context(), c))
			l.rounds++
			met = append(met, l.chains...)
		}
		for j := range d {
			column := func(of [][]float64) []float64 {
				out := make([]float64, len(of))
				for k, z := range of {
					out[k] = z[j]
				}
				return out
			}
			want, sd := stat.MeanStdDev(column(places), weights)
			got, gotSD := stat.MeanStdDev(column(met), nil)
			// 960 draws of chains, about every fifth a new one: a standard error of 0.07 sd; weighted draws have less
			if math.Abs(got-want) > 0.25*sd || math.Abs(math.Log(gotSD/sd)) > 0.3 {
				t.Errorf("%d pulls an arm, %s: chains %.3f ± %.3f, the posterior %.3f ± %.3f", each, c.numbers[j].name, got, gotSD, want, sd)
			}
		}
	}
}

// The learner distinguishes smooth arms from rough ones: arms without pulls are predicted from their neighbours.
func TestLearnerLearnsFeatures(t *testing.T) {
	p := plain(t, 3, 12, true)
	truth := wave(p)
	counts, means, squares := drawn(p, truth, 0.05, func(i int) int { return (i + i/12) % 2 })
	l := NewLearner(p, nil, nil, 1, 512)
	try.To(l.Learn(t.Context(), counts, means, squares))
	missed, square := 0.0, 0.0
	for i, m := range l.Estimates() {
		if counts[i] == 0 {
			missed += (m - truth[i]) * (m - truth[i])
			square += truth[i] * truth[i]
		}
	}
	if missed > 0.1*square {
		t.Errorf("arms without pulls are missed by a square of %.3f of %.3f", missed, square)
	}
}

// A stated kernel is a term: arms that it says are the same are one where the data do not speak against it, and rewards
// that it cannot have are learned in spite of it.
func TestStatedKernelIsATerm(t *testing.T) {
	p := plain(t, 1, 12, false)
	stated := mat.NewSymDense(12, nil) // arms k and k+6 are the same
	for i := range 12 {
		for j := i; j < 12; j++ {
			if i%6 == j%6 {
				stated.SetSym(i, j, 1)
			}
		}
	}
	for _, right := range []bool{true, false} {
		truth := make([]float64, 12)
		rng := rand.New(rand.NewPCG(2, 2))
		for i := range truth {
			if truth[i] = rng.NormFloat64(); right && i >= 6 {
				truth[i] = truth[i-6]
			}
		}
		counts, means, squares := drawn(p, truth, 0.1, func(i int) int { return 4 })
		for i := 9; i < 12; i++ {
			counts[i], means[i], squares[i] = 0, 0, 0
		}
		l := NewLearner(p, nil, stated, 1, 512)
		try.To(l.Learn(t.Context(), counts, means, squares))
		apart := make([]float64, 1)
		try.To(l.VariancesFrom(apart, []int{9}, 3))
		if right != (apart[0] < 0.1) {
			t.Errorf("kernel right %v: arms that it says are the same differ with variance %.3f", right, apart[0])
		}
	}
}

// One measurement is enough to go on from, and rewards of 0 and 1 have the variance of a share.
func TestLearnerOfFewData(t *testing.T) {
	p := plain(t, 2, 5, true)
	for _, each := range []func(i int) int{func(i int) int { return max(0, 1-i) }, func(i int) int { return 1 }} {
		for _, told := range [][]float64{nil, slices.Repeat([]float64{0.1}, 10)} {
			l := NewLearner(p, told, nil, 1, 512)
			counts, means, squares := drawn(p, make([]float64, 10), 0, each)
			for round := range 3 {
				try.To(l.Learn(context.Background(), counts, means, squares))
				for i, m := range l.Estimates() {
					if math.IsNaN(m) || !(l.Precision()[i] > 0) {
						t.Fatalf("round %d, arm %d: estimate %g, precision %g", round, i, m, l.Precision()[i])
					}
				}
			}
		}
	}
	l := NewLearner(p, nil, nil, 1, 512)
	counts, means, squares := make([]int, 10), make([]float64, 10), make([]float64, 10)
	for i := range counts {
		counts[i], means[i] = 4, float64(i%2)/2
		squares[i] = 4 * means[i] * (1 - means[i])
	}
	try.To(l.Learn(context.Background(), counts, means, squares))
	want := 10.5 / 41 * (1 - 10.5/41) // 10 successes of 40, with half a one more
	if got := 1 / l.Precision()[0]; math.Abs(got-want) > 1e-9 {
		t.Errorf("the variance of an outcome is %g, want %g", got, want)
	}
}

// TestLearnerOfEqualMeasurements: plates of zeros, and of any one value, also measured again, give no scale and cause no error.
func TestLearnerOfEqualMeasurements(t *testing.T) {
	for _, value := range []float64{0, 7, (0.1 + 0.1 + 0.1) / 3, 1e9 + 0.1} {
		for _, again := range []int{1, 2, 4} {
			for _, features := range []bool{true, false} {
				p := plain(t, 1, 6, features)
				counts, means, squares := make([]int, p.N()), make([]float64, p.N()), make([]float64, p.N())
				for i := range 5 {
					counts[i], means[i] = 1+(again-1)*(i%2), value
				}
				l := NewLearner(p, nil, nil, 1, 256)
				if err := l.Learn(context.Background(), counts, means, squares); err != nil {
					t.Fatalf("value %v, %d times, features %v: %v", value, again, features, err)
				}
				all := l.CovarianceMatrix(indices.All(p.N()))
				for i, m := range l.Estimates() {
					if v := all.At(i, i); math.Abs(m-value) > 1e-6*max(value, 1) || !(v > 0) || math.IsInf(v, 0) {
						t.Errorf("value %v, %d times: arm %d has the posterior mean %v and variance %v", value, again, i, m, v)
					}
				}
			}
		}
	}
}

// Tasks whose rewards differ in scale alone are estimated alike, each in its own unit; noise may be known.
func TestLearnerOfScales(t *testing.T) {
	p := plain(t, 3, 6, true)
	truth := wave(p)
	counts, means, squares := drawn(p, truth, 0.3, func(int) int { return 12 })
	for _, known := range []bool{false, true} {
		var noise []float64
		factor := func(i int) float64 { return math.Pow(100, float64(p.TaskOf[i])) }
		of := func(y []float64, power float64) []float64 {
			return lists.Make(len(y), func(i int) float64 { return y[i] * math.Pow(factor(i), power) })
		}
		if known {
			noise = of(slices.Repeat([]float64{0.3}, p.N()), 1)
		}
		l := NewLearner(p, noise, nil, 1, 512)
		try.To(l.Learn(t.Context(), counts, of(means, 1), of(squares, 2)))
		all := l.CovarianceMatrix(indices.All(p.N()))
		for i, y := range l.Estimates() {
			if off := math.Abs(y/factor(i) - means[i]); off > 0.3 {
				t.Errorf("noise known %v, arm %d: estimate %g, mean %g of unit %g", known, i, y, means[i]*factor(i), factor(i))
			}
			if sd := math.Sqrt(all.At(i, i)) / factor(i); sd < 0.02 || sd > 0.3 {
				t.Errorf("noise known %v, arm %d: sd %g of unit %g", known, i, sd, factor(i))
			}
			if noise := 1 / math.Sqrt(l.Precision()[i]) / factor(i); noise < 0.15 || noise > 0.6 {
				t.Errorf("noise known %v, arm %d: noise %g of unit %g", known, i, noise, factor(i))
			}
		}
		from := make([]float64, 6)
		lo, _ := p.ArmsOf(1)
		arms := indices.All(p.N())[lo : lo+6]
		try.To(l.VariancesFrom(from, arms, lo+2))
		for k, i := range arms {
			if want := all.At(i, i) + all.At(lo+2, lo+2) - 2*all.At(i, lo+2); math.Abs(from[k]-want) > 1e-6*all.At(i, i) {
				t.Errorf("noise known %v, arm %d: variance of the difference %g, want %g", known, i, from[k], want)
			}
		}
	}
}

// Groups has the covariances of CovarianceMatrix.
func TestLearnerGroups(t *testing.T) {
	p := plain(t, 6, 30, true)
	l := NewLearner(p, nil, nil, 2, 40)
	counts, means, squares := drawn(p, wave(p), 0.3, func(i int) int { return i % 3 })
	try.To(l.Learn(t.Context(), counts, means, squares))
	groups := l.Groups()
	if groups == nil {
		t.Fatal("the posterior of many arms has no features")
	}
	arms := []int{3, 0, 31, 32, 170}
	if got, want := groups.Plan().Covariance(arms), l.CovarianceMatrix(arms); !mat.EqualApprox(got, want, 1e-10) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}
