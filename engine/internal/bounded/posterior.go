package bounded

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Posterior is the posterior of f under the Gaussian process with covariance v·k, given means of pulled arms [RW06, sec.
// 2.2]. It is used for leaders and sizes of rounds; no guarantee depends on it.
//
// [RW06] Rasmussen, Williams: Gaussian Processes for Machine Learning, MIT Press 2006.
type Posterior struct {
	Variance float64 // v

	rows  [][]float64       // kernel between each pulled arm and all arms of the section
	upper blas64.Triangular // U, UᵀU = vK + D
	alpha []float64         // v(vK + D)⁻¹ȳ
}

// Fit returns the posteriors with two prior variances: best with the variance of largest likelihood among most, most/4,
// most/16, … [RW06, eq. (5.8)], and widest with variance most. pulled holds positions in the section; rows, means and
// noise (variances of the means) have one element per pulled arm.
//
// Smaller variances are not tried if the prior standard deviation would be less than half that of the most precise mean.
// Data without visible differences do not show that there are none. The search is a hill climb. It starts from the
// variance next to near, or from most if near is 0.
func Fit(ctx context.Context, pulled []int, rows [][]float64, means, noise []float64,
	most, near float64) (best, widest *Posterior, err error) {
	defer try.Caught(&err)
	least := math.Inf(1)
	for j, i := range pulled {
		least = min(least, noise[j]/(4*max(rows[j][i], math.SmallestNonzeroFloat64)))
	}
	at := func(step int) float64 { return math.Ldexp(most, -2*step) }
	first := 0
	if near > 0 {
		for at(first) > 1.5*near && at(first+1) >= least {
			first++
		}
	}
	form := func(step int) (*Posterior, float64) {
		p, likelihood, err := newPosterior(ctx, pulled, rows, means, noise, at(step))
		try.To(err)
		if step == 0 {
			widest = p
		}
		return p, likelihood
	}
	best, highest := form(first)
	for _, way := range []int{-1, 1} { // if two are equal, the larger variance is the best
		rose := false
		for step := first + way; step >= 0 && (way < 0 || at(step) >= least); step += way {
			p, likelihood := form(step)
			if likelihood < highest || way > 0 && likelihood == highest {
				break
			}
			best, highest, rose = p, likelihood, true
		}
		if rose {
			break
		}
	}
	if widest == nil {
		form(0)
	}
	return best, widest, nil
}

// Given returns the posterior with prior variance v. The other arguments are as in Fit.
func Given(ctx context.Context, pulled []int, rows [][]float64, means, noise []float64, v float64) (*Posterior, error) {
	p, _, err := newPosterior(ctx, pulled, rows, means, noise, v)
	return p, err
}

func newPosterior(ctx context.Context, pulled []int, rows [][]float64, means, noise []float64,
	v float64) (_ *Posterior, _ float64, err error) {
	defer try.Caught(&err)
	n := len(pulled)
	try.To(memlimit.Matrices(ctx, "the posterior", 2, n, n))
	a := symmetric.Make(n, func(i, j int) float64 { return v * rows[i][pulled[j]] })
	symmetric.Add(a, func(i int) float64 { return noise[i] })
	try.To(ctx.Err())
	sigma := try.Of(factor(a))
	r := try.Of(gp.New(gp.Data{Targets: means}, sigma))
	floats.Scale(v, r.Weights)
	return &Posterior{Variance: v, rows: rows, upper: sigma.Upper, alpha: r.Weights}, r.Evidence, nil
}

// Means returns the posterior means of all arms of the section.
func (p *Posterior) Means(ctx context.Context) ([]float64, error) {
	return Fitted(ctx, p.rows, p.alpha)
}

// Fitted returns Σ_j c_j rows_j: the values of a function on all arms of a section.
func Fitted(ctx context.Context, rows [][]float64, c []float64) ([]float64, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	out := make([]float64, len(rows[0]))
	err := cores.Do(ctx, len(out), tile, func(from, end int) {
		for j, row := range rows {
			x := c[j]
			for i := from; i < end; i++ {
				out[i] += x * row[i]
			}
		}
	})
	return out, err
}

// ArmVariances returns the posterior variances of all arms of the section. diagonal holds k(x̃,x̃).
func (p *Posterior) ArmVariances(ctx context.Context, diagonal []float64) ([]float64, error) {
	return p.variances(ctx, indices.All(len(diagonal)), diagonal, make([]float64, len(p.rows)))
}

// GapVariances returns the posterior variances of the gaps between the arms at these positions and the arm leader.
// squares has the kernel's squared norm of each gap.
func (p *Posterior) GapVariances(ctx context.Context, leader int, arms []int, squares []float64) ([]float64, error) {
	white := lists.Map(p.rows, func(row []float64) float64 { return row[leader] })
	blas64.Trsv(blas.Trans, p.upper, blas64.Vector{N: len(white), Inc: 1, Data: white})
	return p.variances(ctx, arms, squares, white)
}

// tile is the number of arms that are computed together, so that their data fit into the cache.
const tile = 512

// variances returns the posterior variances of differences between arms and another element. squares has the kernel's
// squared norm of each difference; other is U⁻ᵀk(s) of the other element.
func (p *Posterior) variances(ctx context.Context, arms []int, squares, other []float64) ([]float64, error) {
	out := make([]float64, len(arms))
	err := cores.Do(ctx, len(arms), tile, func(first, end int) {
		n := end - first
		w := make([]float64, 0, len(p.rows)*n)
		for _, row := range p.rows {
			for _, i := range arms[first:end] {
				w = append(w, row[i])
			}
		}
		if len(w) > 0 {
			blas64.Trsm(blas.Left, blas.Trans, 1, p.upper, blas64.General{Rows: len(p.rows), Cols: n, Stride: n, Data: w})
		}
		for k := range n {
			v := p.Variance * squares[first+k]
			for j, o := range other {
				d := p.Variance * (o - w[j*n+k])
				v -= d * d
			}
			out[first+k] = max(v, 0)
		}
	})
	return out, err
}
