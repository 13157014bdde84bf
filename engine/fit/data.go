package fit

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// data are the sufficient statistics of N arms, with the level that is not the kernel's
// to explain.
type data struct {
	p      *problem.Problem
	y      []float64  // mean rewards, reward units
	count  []float64  // how many measurements each is of
	levels *mat.Dense // H: N × 1, N × V, or nil

	squares []float64 // sums of squares within each arm; nil where no replicates are known
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
		d.count = make([]float64, n)
		for i := range d.count {
			d.count[i] = 1
		}
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
	v := make([]float64, len(d.y))
	for i, s := range d.p.Noise.Scales {
		v[i] = s * s / d.count[i]
	}
	return v
}

// common returns the variances of the means where all rewards have one σ.
func (d *data) common(sigma float64) []float64 {
	v := make([]float64, len(d.y))
	for i, n := range d.count {
		v[i] = sigma * sigma / n
	}
	return v
}
