package sim_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// budgetMethod is a candidate for the default of a fixed budget.
type budgetMethod struct{ name, xi string }

// budgetMethods are compared in measured/budget-default.csv.
var budgetMethods = []budgetMethod{
	{"CoBayesFB", engine.RidgeGP}, {"CoBayesFB", engine.RidgeAuto}, {"CoKernelFB", engine.RidgeAuto}, {"CoKernelFB", engine.RidgeGP},
	{"CoUniformFB", engine.RidgeGP}, {"CoUniformFB", engine.RidgeAuto}, {"IndUniformFB", ""},
}

// budgetCell is a row of that table: problems of one kind with the same budget.
type budgetCell struct {
	name     string
	budget   int
	problems []*problem.Problem
}

// product returns the kernel variance·task·arm.
func product(variance float64, task, arm kernels.Kernel) kernels.Joint {
	return kernels.Joint{Terms: []kernels.Term{{Scale: variance, Task: task, Arm: arm}}}
}

func rbf(lengthscale ...float64) kernels.Kernel { return kernels.RBF{Lengthscale: lengthscale} }

// drawnProblem returns four tasks at 0 to 3 with a 3 × 3 grid of arms each. Their expected rewards are a draw from the Gaussian process
// of truth around a level; algorithms use another kernel. Noise is 1.
func drawnProblem(t testing.TB, seed uint64, truth, kernel kernels.Joint, level float64) *problem.Problem {
	t.Helper()
	var z, x [][]float64
	var taskNames, armNames []string
	var taskOf []int
	for v := range 4 {
		z, taskNames = append(z, []float64{float64(v)}), append(taskNames, fmt.Sprint("task ", v+1))
		for i := range 9 {
			x, armNames = append(x, []float64{float64(i / 3), float64(i % 3)}), append(armNames, fmt.Sprint("arm ", i+1))
			taskOf = append(taskOf, v)
		}
	}
	tasks := try.Of(kernels.NewPoints([]string{"z"}, taskNames, z))
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2"}, armNames, x))
	p := try.Of(problem.New("drawn", tasks, arms, taskOf, truth, []float64{1}, make([]float64, len(taskOf))))
	m := plain.ModelOf(t, p)
	rng := rand.New(rand.NewPCG(seed, 45))
	theta := mat.NewVecDense(m.Rank(), nil)
	for k := range m.Rank() {
		theta.SetVec(k, math.Sqrt(m.Scale)*rng.NormFloat64())
	}
	var mean mat.VecDense
	mean.MulVec(m.Features, theta)
	for i := range mean.Len() {
		p.Mean[i] = level + mean.AtVec(i)
	}
	return p.WithKernel(kernel)
}

// machines returns testdata/machines.csv: 4 machines by 9 settings, rewards of 31 to 57 with standard
// deviations of 1 to 3.
func machines(t testing.TB, k kernels.Joint) *problem.Problem {
	t.Helper()
	return try.Of(problem.Load("testdata/machines.csv", k, problem.LoadOptions{Noise: problem.NoiseModel{Known: problem.NoiseSD}}))
}

// budgetCells returns the rows of the table.
func budgetCells(t testing.TB) []budgetCell {
	t.Helper()
	var out []budgetCell
	for number := 1; number <= 3; number++ {
		p := enginetest.Paper(t, number, 0.3)
		for _, budget := range []int{30, 100, 1000} {
			out = append(out, budgetCell{fmt.Sprint("paper case ", number), budget, []*problem.Problem{p}})
		}
	}
	alike, apart := rbf(2), kernels.Identity{}
	for _, family := range []struct {
		name          string
		truth, kernel kernels.Joint
	}{
		{"smooth, tasks alike", product(9, alike, rbf(1)), product(9, alike, rbf(1))},
		{"smooth, tasks apart", product(9, apart, rbf(1)), product(9, apart, rbf(1))},
		{"rough", product(9, alike, rbf(0.4)), product(9, alike, rbf(0.4))},
		{"length scale too long", product(9, alike, rbf(0.6)), product(9, alike, rbf(1.5))},
		{"scale too small", product(9, alike, rbf(1)), product(0.09, alike, rbf(1))},
		{"tasks not alike", product(9, apart, rbf(1)), product(9, alike, rbf(1))},
	} {
		for _, level := range []float64{0, 45} {
			for _, budget := range []int{9, 30} {
				c := budgetCell{name: fmt.Sprintf("%s, level %g", family.name, level), budget: budget}
				for seed := range uint64(20) {
					c.problems = append(c.problems, drawnProblem(t, seed, family.truth, family.kernel, level))
				}
				out = append(out, c)
			}
		}
	}
	for _, budget := range []int{20, 60, 200} {
		out = append(out, budgetCell{"machines, rank-deficient", budget, []*problem.Problem{machines(t, product(1, rbf(0.7), kernels.Linear{}))}})
	}
	for _, budget := range []int{20, 60} {
		out = append(out, budgetCell{"machines, U", budget, []*problem.Problem{machines(t, product(1, rbf(1, 0.3), rbf(30, 10)))}})
	}
	for _, budget := range []int{12, 24, 48, 96, 192} {
		out = append(out, budgetCell{"coupling", budget, []*problem.Problem{couplingProblem(t)}})
	}
	return out
}

// TestBudgetDefaultTable prints the table from which the fixed-budget default was chosen, with GONB_COPE_TABLE=100 (runs per cell).
// GONB_COPE_CELLS="coupling 12" selects rows with that in name and budget, GONB_COPE_METHODS=gp selects columns.
func TestBudgetDefaultTable(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("GONB_COPE_TABLE"))
	if err != nil {
		t.Skip("set GONB_COPE_TABLE to a number of runs")
	}
	for _, c := range budgetCells(t) {
		if !strings.Contains(fmt.Sprintf("%s %d", c.name, c.budget), os.Getenv("GONB_COPE_CELLS")) {
			continue
		}
		line := fmt.Sprintf("| %s | %d |", c.name, c.budget)
		for _, m := range budgetMethods {
			if !strings.Contains(m.name+" "+m.xi, os.Getenv("GONB_COPE_METHODS")) {
				continue
			}
			line += " " + c.measure(t, m, runs) + " |"
		}
		fmt.Println(line)
	}
}

// measure returns the mean relative simple regret of a method in percent, with its 95 % interval over runs, or over problems if there are
// several.
func (c budgetCell) measure(t *testing.T, m budgetMethod, runs int) string {
	t.Helper()
	var means []float64
	var one engine.Interval
	for k, p := range c.problems {
		r, err := sim.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFB, Algorithm: m.name,
			Options: engine.Options{Budget: c.budget, Ridge: engine.Ridge{Kind: m.xi}}, Runs: max(1, runs/len(c.problems)), Seed: uint64(k + 1)})
		if err != nil {
			return "-" // least squares: the budget is below the rank
		}
		one = r.RelativeRegret
		means = append(means, one.Mean)
	}
	if len(means) > 1 {
		one = sim.Mean(means)
	}
	return fmt.Sprintf("%.1f [%.1f, %.1f]", 100*one.Mean, 100*one.CI95[0], 100*one.CI95[1])
}
