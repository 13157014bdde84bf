package bayes

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// drawn are problems that are drawn from the prior of CoBayesFC.
type drawn struct {
	name       string
	scale, own float64 // of the kernel, and the part of arms by themselves
	epsilon    float64
	unknown    string // by what the noise is not known
	stated     bool   // whether the scale is stated
}

var drawnRows = []drawn{
	{"kernel, scale stated", 1, 0, 5, "", true},
	{"kernel", 1, 0, 5, "", false},
	{"kernel + 10", 1, 10, 5, "", false},
	{"kernel + 60", 1, 60, 5, "", false},
	{"kernel + 10, noise unknown by task", 1, 10, 5, problem.UnknownTask, false},
	{"kernel + 10, noise unknown by arm", 1, 10, 5, problem.UnknownArm, false},
	{"0.05 kernel + 3, small gaps", 0.05, 3, 2, "", false},
	{"60 by themselves, kernel worthless", 0.0001, 60, 5, "", false},
}

// On problems that are drawn from its own model at most delta of the runs give a wrong answer, whatever the
// part of arms by themselves is: 15 tasks of 12 arms with the features of the coupling data, noise 15,
// delta 0.2. CALIBRATION=300 makes so many runs of every row and shows them, as docs/robustness.md has them;
// CALIBRATION_ROW=2 only that row.
func TestCoBayesIsCalibrated(t *testing.T) {
	const delta = 0.2
	runs, rows := 0, drawnRows
	if s := os.Getenv("CALIBRATION"); s != "" {
		runs, _ = strconv.Atoi(s)
		if at, err := strconv.Atoi(os.Getenv("CALIBRATION_ROW")); err == nil {
			rows = rows[at : at+1]
		}
	} else {
		runs, rows = enginetest.Number(24, 12), rows[2:3]
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
			alg, err := NewCoBayesFC(m, opt)
			if err != nil {
				t.Fatal(err)
			}
			out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
				return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
			}), engine.Options{})
			if err != nil || out.Status != engine.StatusDecided {
				t.Fatalf("%s: %s, %v", row.name, out.Status, err)
			}
			samples, rounds = samples+out.Samples, rounds+len(out.Rounds)
			for _, risk := range alg.(*coBayes).spent {
				stated += risk
			}
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
	base, err := problem.Load("../../../notebooks/data/cn_coupling.csv", kernels.Joint{Terms: []kernels.Term{
		{Scale: 1000, Task: alike}, {Scale: 50, Task: alike, Arm: kernels.Linear{}},
	}}, problem.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n := base.N()
	gram, err := base.Kernel.On(t.Context(), base.Tasks, base.Arms, base.TaskOf)
	if err != nil {
		t.Fatal(err)
	}
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
		return &p, rng
	}
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
