package answer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A trial of related options.
type relatedTrial struct {
	truth   [][]float64   // of each task and option
	rewards [][][]float64 // the measurements of each
	share   float64
	noise   float64
}

// markers is a genomic relationship of options by VanRaden's first method, with few founders, so that options differ in how alike they are.
func markers(n, founders, loci int, rng *rand.Rand) *mat.SymDense {
	parents := mat.NewDense(founders, loci, nil)
	for f := range founders {
		for l := range loci {
			parents.Set(f, l, float64(rng.IntN(2)))
		}
	}
	z := mat.NewDense(n, loci, nil)
	for i := range n {
		a, b := rng.IntN(founders), rng.IntN(founders)
		from := a
		for l := range loci {
			if rng.IntN(20) == 0 { // a crossover
				from = a + b - from
			}
			z.Set(i, l, 2*parents.At(from, l))
		}
	}
	scale := 0.0
	for l := range loci {
		p := stat.Mean(mat.Col(nil, l, z), nil) / 2
		scale += 2 * p * (1 - p)
		for i := range n {
			z.Set(i, l, z.At(i, l)-2*p)
		}
	}
	var g mat.SymDense
	g.SymOuterK(1/scale, z)
	return &g
}

// permuted gives the rows of a matrix to other options.
func permuted(a *mat.SymDense, rng *rand.Rand) *mat.SymDense {
	to := rng.Perm(a.SymmetricDim())
	out := mat.NewSymDense(len(to), nil)
	for i, k := range to {
		for j, l := range to {
			out.SetSym(i, j, a.At(k, l))
		}
	}
	return out
}

// drawRelated draws effects of variance 1, a share by the matrix, half of which is the same in all tasks.
func drawRelated(a *mat.SymDense, share float64, tasks, reps int, noise float64, rng *rand.Rand) relatedTrial {
	n := a.SymmetricDim()
	var chol mat.Cholesky
	jittered := mat.NewSymDense(n, nil)
	diag := 0.0
	for i := range n {
		diag += a.At(i, i) / float64(n)
	}
	jittered.ScaleSym(1/diag, a)
	for i := range n {
		jittered.SetSym(i, i, jittered.At(i, i)+1e-6)
	}
	if !chol.Factorize(jittered) {
		panic("not positive definite")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	draw := func() []float64 {
		z := mat.NewVecDense(n, nil)
		for i := range n {
			z.SetVec(i, rng.NormFloat64())
		}
		var g mat.VecDense
		g.MulVec(&lower, z)
		return lists.Make(n, func(i int) float64 { return math.Sqrt(share)*g.AtVec(i) + math.Sqrt(1-share)*rng.NormFloat64() })
	}
	common := draw()
	t := relatedTrial{share: share, noise: noise}
	for range tasks {
		own, truth := draw(), make([]float64, n)
		var rewards [][]float64
		for i := range n {
			if truth[i] = common[i]; tasks > 1 {
				truth[i] = math.Sqrt(0.7)*common[i] + math.Sqrt(0.3)*own[i]
			}
			rewards = append(rewards, lists.Make(reps, func(int) float64 { return 10 + truth[i] + noise*rng.NormFloat64() }))
		}
		t.truth, t.rewards = append(t.truth, truth), append(t.rewards, rewards)
	}
	return t
}

// problem returns the problem of a trial, with a matrix unless it is nil.
func (x relatedTrial) problem(t *testing.T, a *mat.SymDense) *problem.Problem {
	t.Helper()
	n, v := len(x.truth[0]), len(x.truth)
	names := lists.Make(n, func(i int) string { return fmt.Sprintf("V%d", i) })
	var arms []string
	var taskOf []int
	var noise []float64
	for k := range v {
		for _, name := range names {
			arms, taskOf, noise = append(arms, name), append(taskOf, k), append(noise, 1)
		}
	}
	tasks := try.Of(kernels.NewPoints(nil, lists.Make(v, func(k int) string { return fmt.Sprintf("T%d", k) }), nil))
	points := try.Of(kernels.NewPoints(nil, arms, nil))
	p := try.Of(problem.New("trial", tasks, points, taskOf, kernels.Joint{}, noise, make([]float64, len(arms))))
	p.Noise.UnknownBy = problem.UnknownProblem
	for k := range v {
		p.Rewards = append(p.Rewards, x.rewards[k]...)
	}
	p.Reps = make([]float64, len(arms))
	for i, r := range p.Rewards {
		p.Mean[i], p.Reps[i] = stat.Mean(r, nil), float64(len(r))
	}
	if a != nil {
		values := lists.Make(n, func(i int) []float64 { return mat.Row(nil, i, a) })
		rows := lists.Make(len(arms), func(i int) int { return i % n })
		p.Similar = []problem.Similar{{Values: values, Rows: rows, Source: problem.Source{Path: "a.csv"}}}
	}
	return p
}

// expected returns the conditional means of the truth given the measurements, for known variances.
func (x relatedTrial) expected(a *mat.SymDense) [][]float64 {
	n, tasks := len(x.truth[0]), len(x.truth)
	common, own := 1.0, 0.0
	if tasks > 1 {
		common, own = 0.7, 0.3
	}
	diag := mat.Trace(a) / float64(n)
	k := symmetric.Make(n*tasks, func(i, j int) float64 {
		f := common
		if i/n == j/n {
			f += own
		}
		v := x.share * a.At(i%n, j%n) / diag
		if i%n == j%n {
			v += 1 - x.share
		}
		return f * v
	})
	y, sum := mat.NewVecDense(n*tasks, nil), mat.NewSymDense(n*tasks, nil)
	sum.CopySym(k)
	for v := range tasks {
		for i := range n {
			y.SetVec(v*n+i, stat.Mean(x.rewards[v][i], nil)-10)
			sum.SetSym(v*n+i, v*n+i, sum.At(v*n+i, v*n+i)+x.noise*x.noise/float64(len(x.rewards[v][i])))
		}
	}
	var chol mat.Cholesky
	chol.Factorize(sum)
	var w, m mat.VecDense
	_ = chol.SolveVecTo(&w, y)
	m.MulVec(k, &w)
	return lists.Make(tasks, func(v int) []float64 { return mat.Col(nil, 0, m.SliceVec(v*n, v*n+n)) })
}

// loss returns the expected simple regret of some picks, less that of the best picks from these measurements.
func (x relatedTrial) loss(picks []int, expected [][]float64) (sum float64) {
	for v, i := range picks {
		sum += (slices.Max(expected[v]) - expected[v][i]) / float64(len(picks))
	}
	return sum
}

// believed returns the picks of the program, and the weight of the matrix.
func (x relatedTrial) believed(t *testing.T, a *mat.SymDense) ([]int, float64) {
	t.Helper()
	out := try.Of(answer.Best(context.Background(), x.problem(t, a), answer.Options{}))
	share := 0.0
	if a != nil {
		share = out.Similar[0].Share
	}
	return lists.Map(out.Picks, func(p answer.Pick) int {
		return try.Of(strconv.Atoi(p.Arm[1:]))
	}), share
}

// blup returns the picks by the best linear unbiased prediction of the effects of one task alone or of the means over tasks, which have the
// covariance s A + e I: y ~ N(μ1, sA + eI), s and e by maximum likelihood over a grid, μ by generalised least squares
// [Henderson 1975; Mrode 2014, Section 3.2].
func (x relatedTrial) blup(a *mat.SymDense) []int {
	n := len(x.truth[0])
	y := mat.NewVecDense(n, nil)
	for i := range n {
		for v := range x.truth {
			y.SetVec(i, y.AtVec(i)+stat.Mean(x.rewards[v][i], nil)/float64(len(x.truth)))
		}
	}
	one := mat.NewVecDense(n, nil)
	for i := range n {
		one.SetVec(i, 1)
	}
	best, pick := math.Inf(-1), 0
	for ratio := 0.02; ratio < 100; ratio *= 1.15 { // s over e
		v := mat.NewSymDense(n, nil)
		v.ScaleSym(ratio, a)
		for i := range n {
			v.SetSym(i, i, v.At(i, i)+1)
		}
		var chol mat.Cholesky
		if !chol.Factorize(v) {
			continue
		}
		var vy, v1 mat.VecDense
		_ = chol.SolveVecTo(&vy, y)
		_ = chol.SolveVecTo(&v1, one)
		mu := mat.Dot(one, &vy) / mat.Dot(one, &v1)
		var r, vr mat.VecDense
		r.AddScaledVec(y, -mu, one)
		_ = chol.SolveVecTo(&vr, &r)
		e := mat.Dot(&r, &vr) / float64(n-1)
		log := -0.5 * (float64(n-1)*math.Log(e) + chol.LogDet() + math.Log(mat.Dot(one, &v1))) // restricted likelihood
		if log > best {
			best = log
			var u mat.VecDense
			u.MulVec(a, &vr)
			top := math.Inf(-1)
			for i := range n {
				if u.AtVec(i) > top {
					top, pick = u.AtVec(i), i
				}
			}
		}
	}
	return lists.Make(len(x.truth), func(int) int { return pick })
}

// The matrix that a truth is drawn from gains about as much as a plain mixed model with it, which has nothing else. One that
// belongs to other options costs little. RUNS=60 makes sixty tables of each kind.
func TestSimilarGains(t *testing.T) {
	if testing.Short() {
		t.Skip("answers 32 tables")
	}
	runs := 8
	if text := os.Getenv("RUNS"); text != "" {
		runs, _ = strconv.Atoi(text)
	}
	for name, k := range map[string]struct {
		share       float64
		tasks, reps int
		noise       float64
	}{
		"all by the matrix":  {1, 1, 2, 1.5},
		"half by the matrix": {0.5, 1, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var with, without, useless, blup, best, weight, wrong float64
			for seed := range runs {
				rng := rand.New(rand.NewPCG(uint64(seed), 58))
				a := markers(40, 4, 200, rng)
				x := drawRelated(a, k.share, k.tasks, k.reps, k.noise, rng)
				e := x.expected(a)
				for v := range e {
					best += (slices.Max(x.truth[v]) - slices.Max(e[v])) / float64(len(e)*runs)
				}
				add := func(loss *float64, a *mat.SymDense) (share float64) {
					picks, share := x.believed(t, a)
					*loss += x.loss(picks, e) / float64(runs)
					return share / float64(runs)
				}
				weight += add(&with, a)
				add(&without, nil)
				wrong += add(&useless, permuted(a, rng))
				blup += x.loss(x.blup(a), e) / float64(runs)
			}
			t.Logf("loss of the best picks %.3f; beyond that %.3f with the matrix, %.3f without, %.3f with a useless one, %.3f mixed model; "+
				"weights %.2f and %.2f", best, with, without, useless, blup, weight, wrong)
			if with > without || with > blup+0.15*best || useless > without+0.1*(best+without) || weight < wrong {
				t.Error("the matrix gains too little, or a useless one costs too much")
			}
		})
	}
}
