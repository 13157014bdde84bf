package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// process is a Gaussian process with its data: one covariance, factored.
type process struct {
	d        *data
	variance []float64 // of the noise of each mean
	sigma    covariance
	low      *inducing     // sigma, where that is along inducing arms; nil elsewhere
	contrast *mat.SymDense // P, see projected
	alpha    *mat.VecDense // Σ⁻¹ (y - H β̂)
	beta     []float64     // β̂, generalised least squares
	half     *mat.Dense    // Σ⁻¹ H
	normal   mat.Cholesky  // of Hᵀ Σ⁻¹ H

	likelihood float64 // log marginal likelihood of the means alone
}

// covariance is Σ = K + N, factored.
type covariance interface {
	solve(x *mat.Dense) (*mat.Dense, error) // Σ⁻¹x
	LogDet() float64
	Cond() float64              // the condition number of Σ, or a bound on it
	inverseDiagonal() []float64 // of Σ⁻¹
}

// whole is a covariance that is factored as a whole.
type whole struct {
	mat.Cholesky
	inverse *mat.SymDense // see invert
}

var errSingular = errors.New("the covariance of the data is not positive definite; the noise is too small for this kernel")

// newProcess factors K + N.
func newProcess(d *data, gram mat.Symmetric, variance []float64) (*process, error) {
	sigma := mat.NewSymDense(len(d.y), nil)
	sigma.CopySym(gram)
	w := new(whole)
	if !w.Factorize(symmetric.Add(sigma, func(i int) float64 { return variance[i] })) {
		return nil, errSingular
	}
	g := &process{d: d, variance: variance, sigma: w}
	return g, g.learn()
}

// learn computes the likelihood,
//
//	log p = -½ rᵀ Σ⁻¹ r - ½ log det Σ - ½ log det Hᵀ Σ⁻¹ H - (n-q)/2 log 2π,  r = y - H β̂,
//
// in which the q levels β are integrated out under a flat prior [RW06, eq. 2.45]: it is the
// density of all that does not depend on them, whatever the kernel says of levels.
func (g *process) learn() (err error) {
	defer try.Caught(&err)
	n := len(g.d.y)
	residual := mat.NewDense(n, 1, slices.Clone(g.d.y))
	if g.d.levels != nil {
		try.To(g.level(residual))
	}
	solved := try.Of(g.sigma.solve(residual))
	g.alpha = mat.VecDenseCopyOf(solved.ColView(0))
	g.likelihood = -0.5*mat.Dot(residual.ColView(0), g.alpha) - 0.5*g.sigma.LogDet() - 0.5*float64(n-len(g.beta))*math.Log(2*math.Pi)
	if g.half != nil {
		g.likelihood -= 0.5 * g.normal.LogDet()
	}
	if math.IsNaN(g.likelihood) || math.IsInf(g.likelihood, 0) {
		return errSingular
	}
	return nil
}

// level estimates β and takes H β̂ off the residual.
func (g *process) level(residual *mat.Dense) (err error) {
	if g.half, err = g.sigma.solve(g.d.levels); err != nil {
		return err
	}
	if w, is := g.sigma.(*whole); is && w.Cond() > mat.ConditionTolerance { // a level is a difference of large numbers then
		return errSingular
	}
	var product, right, beta, fitted mat.Dense
	product.Mul(g.d.levels.T(), g.half)
	right.Mul(g.half.T(), residual)
	if !g.normal.Factorize(symmetric.Make(product.RawMatrix().Rows, product.At)) || g.normal.SolveTo(&beta, &right) != nil {
		return errSingular
	}
	fitted.Mul(g.d.levels, &beta)
	residual.Sub(residual, &fitted)
	g.beta = mat.Col(nil, 0, &beta)
	return nil
}

func (w *whole) solve(x *mat.Dense) (*mat.Dense, error) {
	out := new(mat.Dense)
	if w.SolveTo(out, x) != nil && math.IsInf(w.Cond(), 1) {
		return nil, errSingular
	}
	return out, nil
}

// invert computes Σ⁻¹ once.
func (w *whole) invert() *mat.SymDense {
	if w.inverse == nil {
		w.inverse = mat.NewSymDense(w.SymmetricDim(), nil)
		_ = w.InverseTo(w.inverse) // it only ever warns of a condition, which is reported
	}
	return w.inverse
}

func (w *whole) inverseDiagonal() []float64 {
	return lists.Make(w.SymmetricDim(), func(i int) float64 { return w.invert().At(i, i) })
}

// slope returns the derivative of the likelihood along a change of the covariance,
//
//	½ αᵀ dΣ α - ½ tr(P dΣ)  [RW06, eq. 5.9, with P for Σ⁻¹].
func (g *process) slope(change *mat.SymDense) float64 {
	inverse := g.projected().RawSymmetric()
	raw := change.RawSymmetric()
	a := g.alpha.RawVector().Data
	sum := 0.0
	for i := range raw.N {
		row, own := raw.Data[i*raw.Stride:i*raw.Stride+raw.N], inverse.Data[i*inverse.Stride:i*inverse.Stride+raw.N]
		sum += 0.5 * row[i] * (a[i]*a[i] - own[i])
		for j := i + 1; j < raw.N; j++ {
			sum += row[j] * (a[i]*a[j] - own[j])
		}
	}
	return sum
}

// projected returns P = Σ⁻¹ - Σ⁻¹ H (Hᵀ Σ⁻¹ H)⁻¹ Hᵀ Σ⁻¹, for which P y = α, of a covariance that is factored as a
// whole.
func (g *process) projected() *mat.SymDense {
	if g.contrast != nil {
		return g.contrast
	}
	g.contrast = g.sigma.(*whole).invert()
	if g.half == nil {
		return g.contrast
	}
	var solved, outer mat.Dense
	_ = g.normal.SolveTo(&solved, g.half.T())
	outer.Mul(g.half, &solved)
	inverse := g.contrast
	g.contrast = symmetric.Make(len(g.d.y), func(i, j int) float64 { return inverse.At(i, j) - outer.At(i, j) })
	return g.contrast
}

// precisions returns the diagonal of P.
func (g *process) precisions() []float64 {
	out := g.sigma.inverseDiagonal()
	if g.half == nil {
		return out
	}
	var solved mat.Dense
	_ = g.normal.SolveTo(&solved, g.half.T())
	for i := range out {
		for j, v := range g.half.RawRowView(i) {
			out[i] -= v * solved.At(j, i)
		}
	}
	return out
}

// byNoise returns the derivatives of the likelihood by the variances N_i, ½(α_i² - P_ii); along inducing arms see slopes.
func (g *process) byNoise() []float64 {
	out := g.precisions()
	for i, v := range out {
		a := g.alpha.AtVec(i)
		if out[i] = 0.5 * (a*a - v); g.low != nil {
			out[i] += 0.5 * g.low.rest[i] / (g.low.noise[i] * g.low.noise[i])
		}
	}
	return out
}

// data are the sufficient statistics of N arms, with the level that is not the kernel's
// to explain.
type data struct {
	p      *problem.Problem
	y      []float64  // mean rewards, reward units
	count  []float64  // how many measurements each is of
	levels *mat.Dense // H: N × 1, N × V, or nil

	squares []float64 // sums of squares within each arm; nil if no replicates are known
	freedom float64   // their degrees of freedom, Σ (n_i - 1); 0 without replicates
}

// dataOf reads the statistics of a problem.
func dataOf(p *problem.Problem, mean string) (*data, error) {
	if p.Mean == nil {
		return nil, fmt.Errorf("problem %q has no mean rewards to fit to; it needs a mean of every arm, or raw rewards", p.Name)
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
		return nil, fmt.Errorf("problem %q: %d arms leave nothing to fit to after %d constant levels; take mean=%q", p.Name, n, q, MeanNone)
	}
	for i, v := range p.TaskOf {
		d.levels.Set(i, min(v, q-1), 1)
	}
	return d, nil
}

// replicates finds the sums of squares within arms: of raw rewards, else of the sample
// standard deviations in the table.
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

// known returns the variances σ_i²/n_i of the means where σ is the problem's noise scale.
func (d *data) known() []float64 {
	return lists.Make(len(d.y), func(i int) float64 { return d.p.Noise.Scales[i] * d.p.Noise.Scales[i] / d.count[i] })
}

// common returns the variances of the means where all rewards have one σ.
func (d *data) common(sigma float64) []float64 {
	return lists.Make(len(d.y), func(i int) float64 { return sigma * sigma / d.count[i] })
}

// Measured holds the worth of sharing in simulated runs of CoTestFC under the fitted kernel, with
// the data's means for expected rewards, against the same test by each agent alone.
type Measured struct {
	Runs       int             `json:"runs"`
	Delta      float64         `json:"delta"`
	Epsilon    float64         `json:"epsilon"`  // reward units; what the pilot cannot tell apart
	Speedup    engine.Interval `json:"speedup"`  // samples alone over samples together
	Together   engine.Interval `json:"together"` // samples per agent
	Alone      engine.Interval `json:"alone"`
	Wrong      engine.Rate     `json:"wrong"` // runs with a wrong answer, together
	WrongAlone engine.Rate     `json:"wrong_alone"`
	Undecided  int             `json:"undecided"` // runs with an undecided task, together
}

// Warnings says where pooling does not keep what is predicted of it.
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

// littleUse is the speedup below which pooling is said to be of little use.
const littleUse = 1.2

// mostResiduals limits the arms that are listed by their residuals.
const mostResiduals = 10

// crossValidate predicts every arm from all others, with the kernel and the noise fixed and the
// level estimated again [RW06, eq. 5.12; Dubrule 1983],
//
//	y_i - μ_i = (P y)_i / P_ii,  variance 1 / P_ii.
func (g *process) crossValidate() (CrossValidation, []Residual) {
	p := g.precisions()
	problem := g.d.p
	var c CrossValidation
	var all []Residual
	square, plain, density, inside, alone := 0.0, 0.0, 0.0, 0.0, 0
	for i, y := range g.d.y {
		v := p[i]
		if !(v*g.variance[i] > 1e-9) { // the arm alone says what its level is
			continue
		}
		off := g.alpha.AtVec(i) / v
		z := off * math.Sqrt(v)
		square += off * off
		density += -0.5*z*z + 0.5*math.Log(v/(2*math.Pi))
		if math.Abs(z) <= normal95 {
			inside++
		}
		c.Arms++
		if others, ok := g.d.others(i); ok {
			plain += (y - others) * (y - others)
			alone++
		}
		all = append(all, Residual{problem.Tasks.Names[problem.TaskOf[i]], problem.Arms.Names[i], problem.Turned(y), problem.Turned(y - off),
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

// others returns the mean of the other arms of the task of arm i.
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

// perArm reports whether the problem's noise scales are the standard deviations of single arms,
// each with few degrees of freedom.
func perArm(p *problem.Problem) bool {
	if !p.Noise.Estimated() {
		return false
	}
	return slices.ContainsFunc(indices.All(p.N()), func(i int) bool {
		return i > 0 && p.TaskOf[i] == p.TaskOf[i-1] && p.Noise.Scales[i] != p.Noise.Scales[i-1]
	})
}
