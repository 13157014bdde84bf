package bayes

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// drawn are problems that are drawn from the prior of CoBayesFC.
type drawn struct {
	name       string
	scale, own float64 // of the kernel, and the part of arms by themselves
	epsilon    float64
	unknown    string  // by what the noise is not known
	stated     bool    // whether the scale is stated
	unequal    string  // whose noise is drawn: the standard deviation is 15 times a factor from 1/4 to 4, even in its log
	plates     bool    // whether arms are measured side by side
	plate      float64 // the standard deviation of the effect of a plate
	binary     bool    // rewards are 0 or 100, with the expected reward in per cent for probability
}

var drawnRows = []drawn{
	{name: "kernel, scale stated", scale: 1, epsilon: 5, stated: true},
	{name: "kernel", scale: 1, epsilon: 5},
	{name: "kernel + 10", scale: 1, own: 10, epsilon: 5},
	{name: "kernel + 60", scale: 1, own: 60, epsilon: 5},
	{name: "kernel + 10, noise unknown by task", scale: 1, own: 10, epsilon: 5, unknown: problem.UnknownTask},
	{name: "kernel + 10, noise unknown by arm", scale: 1, own: 10, epsilon: 5, unknown: problem.UnknownArm},
	{name: "0.05 kernel + 3, small gaps", scale: 0.05, own: 3, epsilon: 2},
	{name: "60 by themselves, kernel worthless", scale: 0.0001, own: 60, epsilon: 5},
	{name: "kernel + 10, noise of tasks unequal", scale: 1, own: 10, epsilon: 5, unknown: problem.UnknownTask, unequal: problem.UnknownTask},
	{name: "kernel + 10, noise of arms unequal", scale: 1, own: 10, epsilon: 5, unknown: problem.UnknownArm, unequal: problem.UnknownArm},
	{name: "kernel + 10, plates of 0 sd", scale: 1, own: 10, epsilon: 5, plates: true},
	{name: "kernel + 10, plates of 0.3 sd", scale: 1, own: 10, epsilon: 5, plates: true, plate: 4.5},
	{name: "kernel + 10, plates of 1 sd", scale: 1, own: 10, epsilon: 5, plates: true, plate: 15},
	{name: "60 by themselves, plates of 1 sd", scale: 0.0001, own: 60, epsilon: 5, plates: true, plate: 15},
	{name: "kernel + 10, counts", scale: 1, own: 10, epsilon: 15, binary: true},
}

// On problems that are drawn from its own model at most delta of the runs give a wrong answer, whatever the
// part of arms by themselves is: 15 tasks of 12 arms with the features of the coupling data, noise 15,
// delta 0.2. CALIBRATION=300 makes so many runs of every row and shows them, as docs/explanation/robustness.md has them;
// CALIBRATION_ROW=2 only that row, and CALIBRATION_DELTA=0.1 another delta.
func TestCoBayesIsCalibrated(t *testing.T) {
	if testing.Short() {
		t.Skip("24 runs on 180 arms")
	}
	delta, runs, rows := 0.2, 0, drawnRows
	if other, err := strconv.ParseFloat(os.Getenv("CALIBRATION_DELTA"), 64); err == nil {
		delta = other
	}
	if s := os.Getenv("CALIBRATION"); s != "" {
		runs, _ = strconv.Atoi(s)
		if at, err := strconv.Atoi(os.Getenv("CALIBRATION_ROW")); err == nil {
			rows = rows[at : at+1]
		}
	} else {
		runs, rows = 24, rows[2:3]
	}
	for _, row := range rows {
		wrong, tasks, answers, stated, samples, rounds := 0, 0, 0, 0., 0, 0
		problems := row.problems(t)
		for seed := range uint64(runs) {
			p, rng := problems(seed)
			m, err := model.New(p, 0)
			if err != nil {
				t.Fatal(err)
			}
			opt := engine.Options{Delta: delta, Epsilon: row.epsilon}
			if row.stated {
				opt.Scale = 1
			}
			alg := try.Of(plain.On(engine.ModeFC, NewCoBayesFC)(m, opt))
			out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
				return row.pull(rng, p, plan)
			}), engine.Options{})
			if err != nil || out.Status != engine.StatusDecided {
				t.Fatalf("%s: %s, %v", row.name, out.Status, err)
			}
			samples, rounds = samples+out.Samples, rounds+len(out.Rounds)
			of, apart := alg.(*coBayes)
			if !apart {
				of = alg.(*sideBySide).coBayes
			}
			stated += floats.Sum(of.spent)
			bad := false
			for v, set := range p.Groups() {
				best, got := math.Inf(-1), math.NaN()
				for _, i := range set {
					best = max(best, p.Mean[i])
					if p.Arms.Names[i] == out.Answers[v].Arm {
						got = p.Mean[i]
					}
				}
				tasks++
				if !(best-got <= row.epsilon) {
					answers++
					bad = true
				}
			}
			if bad {
				wrong++
			}
		}
		lo, hi := clopperPearson(wrong, runs)
		t.Logf("%s: %d of %d runs wrong: %.3f [%.3f, %.3f]; answers wrong %.4f, stated %.4f; %.1f samples a task, %.1f rounds", row.name,
			wrong, runs, float64(wrong)/float64(runs), lo, hi, float64(answers)/float64(tasks), stated/float64(tasks),
			float64(samples)/float64(tasks), float64(rounds)/float64(runs))
		if lo > delta {
			t.Errorf("%s: more than delta of the runs are wrong", row.name)
		}
	}
}

// problems returns what draws a problem, with the source of its rewards.
func (d drawn) problems(t *testing.T) func(seed uint64) (*problem.Problem, *rand.Rand) {
	t.Helper()
	alike := kernels.RBF{Lengthscale: []float64{3}}
	base := try.Of(problem.Load("../../../notebooks/data/cn_coupling.csv", kernels.Joint{Terms: []kernels.Term{
		{Scale: 1000, Task: alike}, {Scale: 50, Task: alike, Arm: kernels.Linear{}},
	}}, problem.LoadOptions{}))
	n := base.N()
	gram := try.Of(base.Kernel.On(t.Context(), base.Tasks, base.Arms, base.TaskOf))
	covariance, row := mat.NewSymDense(n, nil), make([]float64, n)
	for i := range n {
		gram.Row(row, i)
		for j := i; j < n; j++ {
			covariance.SetSym(i, j, d.scale*row[j])
		}
		covariance.SetSym(i, i, covariance.At(i, i)+d.own+1e-7)
	}
	var chol mat.Cholesky
	if !chol.Factorize(covariance) {
		t.Fatal("the covariance is not positive definite")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	return func(seed uint64) (*problem.Problem, *rand.Rand) {
		p, rng := *base, rand.New(rand.NewPCG(seed, 77))
		z, f := mat.NewVecDense(n, nil), new(mat.VecDense)
		for i := range n {
			z.SetVec(i, rng.NormFloat64())
		}
		f.MulVec(&lower, z)
		p.Mean, p.Noise.Scales = make([]float64, n), make([]float64, n)
		for i := range n {
			p.Mean[i], p.Noise.Scales[i] = 45+f.AtVec(i), 15
		}
		p.Noise.SD, p.Noise.UnknownBy, p.Noise.Environment = nil, d.unknown, ""
		if d.plates {
			p.Block = &problem.Block{Name: "plate", Effect: d.plate}
		}
		d.scatter(rng, &p)
		return &p, rng
	}
}

// scatter sets what rewards really scatter by, where that is not what is stated.
func (d drawn) scatter(rng *rand.Rand, p *problem.Problem) {
	if d.unequal != "" {
		p.Noise.SD = make([]float64, p.N())
		factors := map[int]float64{}
		for i, g := range (problem.NoiseModel{UnknownBy: d.unequal}).Groups(p.TaskOf) {
			if factors[g] == 0 {
				factors[g] = math.Pow(4, 2*rng.Float64()-1)
			}
			p.Noise.SD[i] = 15 * factors[g]
		}
	}
	if d.binary {
		for i, mean := range p.Mean {
			p.Mean[i], p.Noise.Scales[i] = min(max(mean, 1), 99), 50
		}
		p.Noise.Bounds, p.Noise.Environment = &[2]float64{0, 100}, problem.EnvironmentBernoulli
	}
}

// pull draws rewards.
func (d drawn) pull(rng *rand.Rand, p *problem.Problem, plan engine.Plan) engine.Batch {
	if d.plates {
		_, b := enginetest.PullBlocks(rng, p, plan.Sides)
		return b
	}
	if !d.binary {
		return enginetest.SquaresPull(rng, p, p.Noise.Deviations(), plan)
	}
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N()), Squares: make([]float64, p.N())}
	for i, n := range plan.Counts {
		if n > 0 {
			successes := distuv.Binomial{N: float64(n), P: p.Mean[i] / 100, Src: rng}.Rand()
			b.Means[i] = 100 * successes / float64(n)
			b.Squares[i] = successes*(100-b.Means[i])*(100-b.Means[i]) + (float64(n)-successes)*b.Means[i]*b.Means[i]
		}
	}
	return b
}

// clopperPearson returns the 95 % interval of a share.
func clopperPearson(k, n int) (lo, hi float64) {
	lo, hi = 0, 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(0.025)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(0.975)
	}
	return lo, hi
}
