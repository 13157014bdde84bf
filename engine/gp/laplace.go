package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Logistic returns 1/(1 + exp(-f)).
func Logistic(f float64) float64 { return 1 / (1 + math.Exp(-f)) }

// leastCurvature is the smallest curvature of a count's log likelihood that a Newton step uses.
const leastCurvature = 1e-4

// site returns an observation with normal noise that represents a number of wins in some trials, near the latent value
// f, which is the log odds. Let p be the probability of a win. The curvature of the log likelihood is w = n p (1 - p),
// and the observation is
//
//	y = f + (wins - n p)/w,  noise 1/w [RW06, eq. 3.18].
func site(f, wins, trials float64) (target, noise float64) {
	p := Logistic(f)
	w := max(trials*p*(1-p), leastCurvature)
	return f + (wins-trials*p)/w, 1 / w
}

// Prior is the prior covariance K of n latent values.
type Prior interface {
	Observe(noise []float64) (Covariance, error) // returns K + N, factored, where noise has the diagonal of N
	Times(a mat.Vector) *mat.VecDense            // returns Ka
}

// DensePrior is a prior covariance as a matrix.
type DensePrior struct{ *mat.SymDense }

// Observe returns K + N, factored.
func (k DensePrior) Observe(noise []float64) (Covariance, error) {
	sigma := mat.NewSymDense(len(noise), nil)
	sigma.CopySym(k)
	return NewDense(symmetric.Add(sigma, func(i int) float64 { return noise[i] }))
}

// Times returns Ka.
func (k DensePrior) Times(a mat.Vector) *mat.VecDense {
	out := new(mat.VecDense)
	out.MulVec(k, a)
	return out
}

// LowRankPrior is the prior covariance ΦᵀΦ + diag(Own).
type LowRankPrior struct {
	Features *mat.Dense // Φ, m × n
	Own      []float64
}

// Observe returns K + N, factored.
func (k LowRankPrior) Observe(noise []float64) (Covariance, error) {
	return NewLowRank(k.Features, floats.AddTo(make([]float64, len(noise)), k.Own, noise))
}

// Times returns Ka.
func (k LowRankPrior) Times(a mat.Vector) *mat.VecDense {
	var along, out mat.VecDense
	along.MulVec(k.Features, a)
	out.MulVec(k.Features.T(), &along)
	for i, own := range k.Own {
		out.SetVec(i, out.AtVec(i)+own*a.AtVec(i))
	}
	return &out
}

const newtonSteps, newtonEnough = 60, 1e-8

// Laplace is Laplace's approximation to the posterior of binomial counts with a logistic link [RW06, sec. 3.4]. Its
// Regression is that of the sites at the mode; the Evidence of that regression is not the evidence of the counts.
type Laplace struct {
	*Regression
	Noise       []float64 // noise of the sites
	LogEvidence float64   // of the counts, nats, without the binomial coefficients
}

// NewLaplace finds the mode f = Ka by Newton steps. Each step is a regression on the sites of the step before [RW06,
// alg. 3.1]. wins and trials have one entry per latent value. The evidence is
//
//	log p = log p(y | f) - ½ aᵀf - ½ (log |K + W⁻¹| + log |W|) [RW06, eq. 3.32].
//
// It returns ErrSingular if a covariance cannot be factored.
func NewLaplace(prior Prior, wins, trials []float64) (_ *Laplace, err error) {
	defer try.Caught(&err)
	n := len(wins)
	f, a := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	score := func(f, a mat.Vector) float64 {
		sum := -0.5 * mat.Dot(a, f)
		for i := range n {
			sum += wins[i]*f.AtVec(i) - trials[i]*softplus(f.AtVec(i))
		}
		return sum
	}
	regress := func() (*Laplace, error) {
		l, y := &Laplace{Noise: make([]float64, n)}, make([]float64, n)
		for i := range y {
			y[i], l.Noise[i] = site(f.AtVec(i), wins[i], trials[i])
		}
		c, err := prior.Observe(l.Noise)
		if err != nil {
			return nil, err
		}
		l.Regression, err = New(Data{Targets: y}, c)
		return l, err
	}
	last, at := math.Inf(-1), score(f, a)
	for step := 0; step < newtonSteps && math.Abs(at-last) >= newtonEnough; step++ {
		l := try.Of(regress())
		last = at
		// halve the step until the score does not decrease
		for share := 1.0; ; share /= 2 {
			next := mat.NewVecDense(n, slices.Clone(l.Weights))
			floats.Scale(share, next.RawVector().Data)
			next.AddScaledVec(next, 1-share, a)
			value := prior.Times(next)
			if at = score(value, next); at >= last-newtonEnough || share < 1e-6 {
				f, a = value, next
				break
			}
		}
	}
	l := try.Of(regress())
	l.LogEvidence = score(f, a) - 0.5*l.LogDet()
	for _, v := range l.Noise {
		l.LogEvidence += 0.5 * math.Log(v)
	}
	if math.IsNaN(l.LogEvidence) {
		return nil, ErrSingular
	}
	return l, nil
}

// Gradient returns the derivative of LogEvidence by the entries of the prior covariance, which must be a DensePrior
// [RW06, alg. 5.1],
//
//	W = ½ (ααᵀ - P + vαᵀ + αvᵀ),  v = P N s,  s_i = -½ V_ii ∂w_i/∂f_i,
//
// where V are the posterior variances. The terms with v are the effect of the mode's change.
func (l *Laplace) Gradient() *mat.SymDense {
	out, moved := l.Regression.Gradient(), mat.NewVecDense(len(l.Noise), nil)
	for i, p := range l.Precisions() {
		noise := l.Noise[i]
		if noise*leastCurvature < 1 { // s_i = -½ V_ii w_i (1 - 2p_i), and p_i is the probability at the mode
			f := l.Targets[i] - noise*l.Weights[i]
			moved.SetVec(i, -0.5*noise*(1-noise*p)*(1-2*Logistic(f)))
		}
	}
	out.RankTwo(out, 0.5, l.Solve(moved).ColView(0), mat.NewVecDense(len(l.Weights), l.Weights))
	return out
}

// softplus returns log(1 + exp(v)).
func softplus(v float64) float64 {
	if v > 30 {
		return v
	}
	return math.Log1p(math.Exp(v))
}

// Cavity returns the mean and the variance of a latent value without one of its observations. mean and variance are
// those of its posterior, which includes the observation y with noise variance noise = s² [RW06, eq. 3.56],
//
//	σ₋² = (1/σ² - 1/s²)⁻¹,  μ₋ = σ₋² (μ/σ² - y/s²).
func Cavity(mean, variance, y, noise float64) (mean1, variance1 float64) {
	return (noise*mean - variance*y) / (noise - variance), noise * variance / (noise - variance)
}
