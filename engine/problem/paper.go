package problem

import (
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// PaperCase returns one of the three instances of [Du23, App. A]: V = 5 tasks,
// n = 6 arms each, whose features are all vectors of R⁴ with two ones, placed in
// the subspace of the task's group; θ* = [0.1, 0.1+gap, …], unit noise.
//
//	case 1  one group (the tasks are the same),   rank K_Z = 1, d = 4
//	case 2  groups {1, 2} and {3, 4, 5},          rank K_Z = 2, d = 8
//	case 3  five groups (all tasks differ),       rank K_Z = 5, d = 20
//
// As a product kernel this is linear over the one-hot group of the task times
// linear over the arm. It is an error when number is not 1, 2 or 3 or gap is
// not positive.
func PaperCase(number int, gap float64) (*Problem, error) {
	groups := map[int][]int{1: {0, 0, 0, 0, 0}, 2: {0, 0, 1, 1, 1}, 3: {0, 1, 2, 3, 4}}[number]
	if groups == nil {
		return nil, fmt.Errorf("paper: case must be 1, 2 or 3, got %d", number)
	}
	if !(gap > 0) {
		return nil, fmt.Errorf("paper: gap must be positive, got %g", gap)
	}
	d := Draft{TaskColumns: columns("z_group_", groups[len(groups)-1]+1), ArmColumns: columns("x_", 4)}
	for v, g := range groups {
		d.Task(fmt.Sprintf("task %d", v+1), indices.Spread(len(d.TaskColumns), []float64{1}, []int{g})...)
		for a := range 4 {
			for b := a + 1; b < 4; b++ {
				d.Arm(fmt.Sprintf("{%d,%d}", a+1, b+1), indices.Spread(4, []float64{1, 1}, []int{a, b}), 0.2+float64(8*g+a+b)*gap)
			}
		}
	}
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}
	return d.Problem(fmt.Sprintf("paper case %d, gap %g", number, gap), joint, 1)
}

func columns(prefix string, n int) []string {
	return lists.Make(n, func(i int) string { return fmt.Sprintf("%s%d", prefix, i+1) })
}

// PaperFamily returns an instance between the paper's cases [Du23, App. A], by the similarity of its tasks. It has five
// tasks with distinct one-hot features and the kernel rbf(lengthscale) over them, so that
//
//	K_Z = (1 - s) I + s 11ᵀ,  s = exp(-1/lengthscale²).
//
// Lengthscale 0 is the similarity of case 3 (no two tasks have anything in common, K_Z = I), and +Inf the similarity of
// case 1 (all tasks are the same, K_Z = 11ᵀ). Only the similarity of the tasks changes. Arms are the paper's, and every
// task has the rewards of case 1, which the kernel can represent at every lengthscale: ‖θ*‖² = ‖θ‖² V/(1 + (V-1)s) with θ
// the θ* of case 1. PaperFamily returns an error if lengthscale is negative or not a number, or if gap is not positive.
func PaperFamily(lengthscale, gap float64) (_ *Problem, err error) {
	defer try.Caught(&err)
	if !(lengthscale >= 0) {
		return nil, fmt.Errorf("paper: lengthscale must be 0 or more, got %g", lengthscale)
	}
	same := try.Of(PaperCase(1, gap))
	distinct := try.Of(PaperCase(3, gap))
	p := *distinct
	p.Mean = same.Mean
	p.Name = fmt.Sprintf("paper, lengthscale %g, gap %g", lengthscale, gap)
	switch {
	case lengthscale == 0: // one-hot features: the identity
	case math.IsInf(lengthscale, 1):
		p.Kernel = kernels.LiftArm(kernels.Linear{})
	default:
		p.Kernel = kernels.Joint{Terms: []kernels.Term{{
			Scale: 1, Task: kernels.RBF{Lengthscale: []float64{lengthscale}}, Arm: kernels.Linear{},
		}}}
	}
	return &p, nil
}

// Classic returns the special case that the paper names [Du23, Section 3.2]:
// collaborative best-arm identification as of Hillel et al. and Tao et al. All
// agents have the same task, arms are a canonical basis (nothing is known of one
// from another), noise is standard Gaussian. means are the expected rewards of the
// arms, the same for every agent. It is an error when there is no arm, no agent, or
// a mean that is not a finite number.
func Classic(means []float64, agents int) (*Problem, error) {
	if len(means) == 0 {
		return nil, fmt.Errorf("classic: means must have at least one arm, got none")
	}
	if agents < 1 {
		return nil, fmt.Errorf("classic: agents must be at least 1, got %d", agents)
	}
	for i, m := range means {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return nil, fmt.Errorf("classic: means must be finite numbers, got %g for arm %d", m, i+1)
		}
	}
	var d Draft
	for v := range agents {
		d.Task(fmt.Sprintf("agent %d", v+1))
		for i, m := range means {
			d.Arm(fmt.Sprintf("arm %d", i+1), nil, m)
		}
	}
	return d.Problem(fmt.Sprintf("classic, %d arms, %d agents", len(means), agents), SameArms(), 1)
}

// SameArms returns the kernel of equal tasks whose arms are unrelated: only the name distinguishes arms.
func SameArms() kernels.Joint { return kernels.LiftArm(kernels.Identity{}) }

// Reward models of simulated environments.
const (
	EnvironmentGaussian  = "gaussian"
	EnvironmentBernoulli = "bernoulli"
	EnvironmentResampled = "resampled"
	EnvironmentPosterior = "posterior"
	EnvironmentPrior     = "prior"
)

// EnvironmentEntry is one row of the catalogue of reward models.
type EnvironmentEntry struct {
	Name string
	Doc  string // how a reward is drawn
}

// Environments returns the catalogue of reward models.
func Environments() []EnvironmentEntry {
	return []EnvironmentEntry{
		{EnvironmentGaussian, "mean plus normal noise"},
		{EnvironmentBernoulli, "1 with probability mean, else 0; within bounds [lo, hi], hi or lo; if noise= is stated too, beta distributed " +
			"between them"},
		{EnvironmentResampled, "drawn with replacement from measured rewards"},
		{EnvironmentPosterior,
			"normal noise around expected rewards that each run draws from the posterior of best(p); the errors of answers are counted " +
				"against these"},
		{EnvironmentPrior,
			"normal noise around expected rewards that each run draws from the kernel, as a Gaussian process; the errors of answers " +
				"are counted against these"},
	}
}

// EnvironmentNamed returns the entry with this name; "" means gaussian.
func EnvironmentNamed(name string) (EnvironmentEntry, error) {
	var known []string
	for _, e := range Environments() {
		if e.Name == name || name == "" && e.Name == EnvironmentGaussian {
			return e, nil
		}
		known = append(known, fmt.Sprintf("%q", e.Name))
	}
	return EnvironmentEntry{}, fmt.Errorf("environment must be one of %s, got %q", strings.Join(known, ", "), name)
}

// DrawsMeans reports whether each run in an environment draws its own expected rewards.
func DrawsMeans(environment string) bool {
	return environment == EnvironmentPosterior || environment == EnvironmentPrior
}
