package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// process is the Gaussian process of the data at fixed values of the hyperparameters.
type process struct {
	*gp.Regression
	d          *data
	variance   []float64 // noise variance of each mean
	likelihood float64   // log marginal likelihood of the means
}

// newProcess factors K + N, where gram is K and variance has the diagonal of N. Levels are integrated out under a flat prior.
// The likelihood is the density of the data without the levels, so it does not depend on what the kernel assumes about them.
func newProcess(d *data, gram mat.Symmetric, variance []float64) (_ *process, err error) {
	defer try.Caught(&err)
	sigma := mat.NewSymDense(len(d.y), nil)
	sigma.CopySym(gram)
	c := try.Of(gp.NewDense(symmetric.Add(sigma, func(i int) float64 { return variance[i] })))
	if d.levels != nil && c.Cond() > mat.ConditionTolerance { // then a level is a difference of large numbers
		return nil, gp.ErrSingular
	}
	r := try.Of(gp.New(gp.Data{Targets: d.y, Basis: d.levels}, c))
	return &process{Regression: r, d: d, variance: variance, likelihood: r.Evidence}, nil
}

// data has the sufficient statistics of N arms, and the levels that are estimated beside the kernel.
type data struct {
	p      *problem.Problem
	y      []float64  // mean rewards, reward units
	count  []float64  // number of measurements of each mean
	levels *mat.Dense // H: N × 1, N × V, or nil without levels

	squares []float64 // sums of squares within each arm; nil if no replicates are known
	freedom float64   // degrees of freedom of squares, Σ (n_i - 1); 0 without replicates
}

// dataOf returns the statistics of a problem; mean is a value of Options.Mean.
func dataOf(p *problem.Problem, mean string) (*data, error) {
	if p.Mean == nil {
		return nil, fmt.Errorf("problem %q has no mean rewards. A fit needs a mean of every arm, or raw rewards", p.Name)
	}
	n := p.N()
	d := &data{p: p, y: p.Mean, count: p.Reps}
	if d.count == nil {
		d.count = slices.Repeat([]float64{1}, n)
	}
	d.replicates()
	switch mean {
	case MeanProblem:
		d.levels = mat.NewDense(n, 1, nil)
	case MeanTask:
		d.levels = mat.NewDense(n, p.V(), nil)
	case MeanNone:
		return d, nil
	default:
		return nil, fmt.Errorf("mean must be %q, %q or %q, got %q", MeanProblem, MeanTask, MeanNone, mean)
	}
	_, q := d.levels.Dims()
	if n <= q {
		return nil, fmt.Errorf("problem %q has %d arms, too few to fit a kernel after %d constant means are estimated. Write "+
			"mean=%q", p.Name, n, q, MeanNone)
	}
	for i, v := range p.TaskOf {
		d.levels.Set(i, min(v, q-1), 1)
	}
	return d, nil
}

// replicates sets the sums of squares within arms, from raw rewards or, without them, from the standard deviations in the
// table.
func (d *data) replicates() {
	squares := make([]float64, len(d.y))
	freedom := 0.0
	for i, n := range d.count {
		switch {
		case n < 2:
			continue
		case d.p.Rewards != nil:
			squares[i] = stat.PopVariance(d.p.Rewards[i], nil) * n
		case d.p.Noise.SD != nil:
			squares[i] = d.p.Noise.SD[i] * d.p.Noise.SD[i] * (n - 1)
		default:
			return
		}
		freedom += n - 1
	}
	if freedom > 0 {
		d.squares, d.freedom = squares, freedom
	}
}

// known returns the variances σ_i²/n_i of the means, with the problem's noise scales σ_i.
func (d *data) known() []float64 {
	return lists.Make(len(d.y), func(i int) float64 { return d.p.Noise.Scales[i] * d.p.Noise.Scales[i] / d.count[i] })
}

// common returns the variances σ²/n_i of the means if all rewards have the same σ.
func (d *data) common(sigma float64) []float64 {
	return lists.Make(len(d.y), func(i int) float64 { return sigma * sigma / d.count[i] })
}

// Measured has the speedup by sharing in simulated runs of CoTestFC under the fitted kernel. The data's means are the
// expected rewards. It is compared with the same test by each agent alone.
type Measured struct {
	Runs       int             `json:"runs"`
	Delta      float64         `json:"delta"`
	Epsilon    float64         `json:"epsilon"`  // reward units; smaller differences cannot be resolved by the data
	Speedup    engine.Interval `json:"speedup"`  // samples alone divided by samples together
	Together   engine.Interval `json:"together"` // samples per agent
	Alone      engine.Interval `json:"alone"`
	Wrong      engine.Rate     `json:"wrong"` // with sharing: runs with a wrong answer
	WrongAlone engine.Rate     `json:"wrong_alone"`
	Undecided  int             `json:"undecided"` // with sharing: runs with an undecided task
}

// Warnings returns a warning if runs with sharing err too often, or if the speedup is below 1, small, or less than half of
// that predicted. Otherwise it returns nil.
func (m Measured) Warnings(predicted float64) []engine.Warning {
	wrong, runs, alone := float64(m.Wrong.Count), float64(m.Wrong.Runs), float64(m.WrongAlone.Count)
	speedup := []float64{m.Speedup.Mean, m.Speedup.CI95[0], m.Speedup.CI95[1], predicted}
	switch {
	case m.Wrong.CI95[0] > m.Delta && m.WrongAlone.CI95[0] > m.Delta:
		return []engine.Warning{{Kind: engine.WarnMeasuredWrong, Numbers: []float64{wrong, runs, alone, m.Delta}}}
	case m.Wrong.CI95[0] > m.Delta:
		return []engine.Warning{{Kind: engine.WarnMeasuredPoolWrong, Numbers: []float64{wrong, runs, m.Delta, alone}}}
	case m.Speedup.CI95[1] < 1:
		return []engine.Warning{{Kind: engine.WarnMeasuredSlower, Numbers: speedup}}
	case m.Speedup.CI95[1] < littleUse:
		return []engine.Warning{{Kind: engine.WarnMeasuredWeak, Numbers: speedup}}
	case m.Speedup.CI95[1] < predicted/2:
		return []engine.Warning{{Kind: engine.WarnMeasuredLess, Numbers: speedup}}
	}
	return nil
}

// littleUse is a speedup: below it, a warning states that sharing is of little use.
const littleUse = 1.2

// mostResiduals is the largest number of arms in Misfit.Residuals.
const mostResiduals = 10

// crossValidate predicts every arm from all others, with the hyperparameters and the noise fixed and the level estimated
// again [Dubrule 1983]. It returns the errors and the arms with the largest residuals.
func (g *process) crossValidate() (CrossValidation, []Residual) {
	predicted, variance := g.LeaveOneOut()
	problem := g.d.p
	var c CrossValidation
	var all []Residual
	square, plain, density, inside, alone := 0.0, 0.0, 0.0, 0.0, 0
	for i, y := range g.d.y {
		v := variance[i]
		if !(g.variance[i]/v > 1e-9) { // the only arm of its level cannot be predicted
			continue
		}
		off := y - predicted[i]
		z := off / math.Sqrt(v)
		square += off * off
		density += -0.5*z*z - 0.5*math.Log(2*math.Pi*v)
		if math.Abs(z) <= normal95 {
			inside++
		}
		c.Arms++
		if others, ok := g.d.others(i); ok {
			plain += (y - others) * (y - others)
			alone++
		}
		all = append(all, Residual{problem.Tasks.Names[problem.TaskOf[i]], problem.Arms.Names[i], problem.Turned(y), problem.Turned(predicted[i]),
			problem.Turned(z)})
	}
	if c.Arms > 0 {
		n := float64(c.Arms)
		c.Error, c.LogDensity, c.Coverage = math.Sqrt(square/n), density/n, inside/n
	}
	if alone > 0 {
		c.Without = math.Sqrt(plain / float64(alone))
	}
	slices.SortStableFunc(all, func(a, b Residual) int { return cmp.Compare(math.Abs(b.Standardised), math.Abs(a.Standardised)) })
	return c, all[:min(len(all), mostResiduals)]
}

// others returns the mean of the other arms in the task of arm i, and whether there are any.
func (d *data) others(i int) (float64, bool) {
	lo, hi := d.p.ArmsOf(d.p.TaskOf[i])
	sum := 0.0
	for j := lo; j < hi; j++ {
		if j != i {
			sum += d.y[j]
		}
	}
	return sum / float64(hi-lo-1), hi-lo > 1
}

// perArm reports whether the noise scales are standard deviations of single arms, so that each has few degrees of freedom.
func perArm(p *problem.Problem) bool {
	if !p.Noise.Estimated() {
		return false
	}
	return slices.ContainsFunc(indices.All(p.N()), func(i int) bool {
		return i > 0 && p.TaskOf[i] == p.TaskOf[i-1] && p.Noise.Scales[i] != p.Noise.Scales[i-1]
	})
}
