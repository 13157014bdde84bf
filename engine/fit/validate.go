package fit

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// mostResiduals limits the arms that are listed by their residuals.
const mostResiduals = 10

// crossValidate predicts every arm from all others, the kernel and the noise as they are and the
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
	slices.SortStableFunc(all, func(a, b Residual) int {
		return int(math.Copysign(1, math.Abs(b.Standardised)-math.Abs(a.Standardised)))
	})
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
	for i := 1; i < p.N(); i++ {
		if p.TaskOf[i] == p.TaskOf[i-1] && p.Noise.Scales[i] != p.Noise.Scales[i-1] {
			return true
		}
	}
	return false
}
