package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// blocked holds the data of all blocks that measure the same set of arms.
type blocked struct {
	arms     []int
	products []float64 // n×n values: Σ (Y_i - Ȳ_i)(Y_j - Ȳ_j) over blocks
	freedom  float64   // number of blocks minus number of rounds
}

// sideCheck tests whether the arms of a block have equal variances, by Mauchly's test of sphericity [Mauchly40], for each set of
// arms that shares blocks. Block effects cancel in orthonormal contrasts of arms; if the arms have equal noise scales, these
// contrasts have equal variances and no correlation. Two arms have only one contrast, so nothing can be tested.
//
// [Mauchly40]: J. W. Mauchly, Significance test for sphericity of a normal n-variate distribution, Ann. Math. Stat. 11 (1940)
// 204.
type sideCheck struct {
	p      *problem.Problem
	rounds int
	sides  map[string]*blocked // data by set of arms
	order  []string            // keys of sides, in the order of their first blocks
}

// NewBlockedNoiseCheck returns the test that the arms of each task have the same noise scale within blocks, without data.
func NewBlockedNoiseCheck(p *problem.Problem) NoiseCheck {
	return &sideCheck{p: p, sides: map[string]*blocked{}}
}

// Learn implements NoiseCheck.
func (c *sideCheck) Learn(sides []Side, b Batch) *Warning {
	within := b.Within
	for k, side := range sides {
		if k >= len(within) || side.Blocks < 2 {
			continue
		}
		key := fmt.Sprint(side.Arms)
		known := c.sides[key]
		if known == nil {
			known = &blocked{arms: side.Arms, products: make([]float64, len(side.Arms)*len(side.Arms))}
			c.sides[key] = known
			c.order = append(c.order, key)
		}
		for i, x := range within[k].Products {
			known.products[i] += x
		}
		known.freedom += float64(side.Blocks - 1)
	}
	c.rounds++
	statistic, freedom, apart := 0.0, 0.0, 1.0
	var high, low int
	var highest, lowest float64
	for _, key := range c.order {
		side := c.sides[key]
		s, f, ok := side.mauchly()
		if !ok {
			continue
		}
		statistic, freedom = statistic+s, freedom+f
		v := side.variances()
		i, j := slices.Index(v, slices.Max(v)), slices.Index(v, slices.Min(v))
		if ratio := v[i] / max(v[j], v[i]*leastCompared); ratio > apart {
			apart, high, low = ratio, side.arms[i], side.arms[j]
			highest, lowest = math.Sqrt(v[i]), math.Sqrt(max(v[j], 0))
		}
	}
	if freedom == 0 {
		return nil
	}
	p := distuv.ChiSquared{K: freedom}.Survival(statistic)
	if p > levelOf(c.rounds) || apart == 1 {
		return nil
	}
	return &Warning{Kind: WarnScalesDiffer, Names: append(c.p.NamesOf(high), c.p.NamesOf(low)...),
		Numbers: []float64{highest, lowest, max(p, math.SmallestNonzeroFloat64)}}
}

// mauchly returns the test statistic, which is approximately χ² for equal variances, and its degrees of freedom. ok is false if
// there are too few blocks or arms.
func (b *blocked) mauchly() (statistic, freedom float64, ok bool) {
	n := len(b.arms)
	p := float64(n - 1)
	if n < 3 || b.freedom < 2*p {
		return 0, 0, false
	}
	contrasts := mat.NewDense(n-1, n, nil) // Helmert contrasts, orthonormal
	for r := 1; r < n; r++ {
		root := math.Sqrt(float64(r * (r + 1)))
		for i := range r {
			contrasts.Set(r-1, i, 1/root)
		}
		contrasts.Set(r-1, r, -float64(r)/root)
	}
	var half, all mat.Dense
	half.Mul(contrasts, mat.NewDense(n, n, b.products))
	all.Mul(&half, contrasts.T())
	covariance := mat.NewSymDense(n-1, nil)
	trace := 0.0
	for i := range n - 1 {
		trace += all.At(i, i)
		for j := i; j < n-1; j++ {
			covariance.SetSym(i, j, (all.At(i, j)+all.At(j, i))/2)
		}
	}
	var chol mat.Cholesky
	if !(trace > 0) || !chol.Factorize(covariance) {
		return 0, 0, false
	}
	log := chol.LogDet() - p*math.Log(trace/p)
	statistic = -(b.freedom - (2*p*p+p+2)/(6*p)) * log
	return statistic, p*(p+1)/2 - 1, true
}

// variances estimates the variance of each arm within blocks. It solves for them from the variances of differences of two arms,
// which are sums of two variances.
func (b *blocked) variances() []float64 {
	n := len(b.arms)
	at := func(i, j int) float64 { return b.products[i*n+j] / b.freedom }
	sums, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			if i != j {
				sums[i] += at(i, i) + at(j, j) - 2*at(i, j)
			}
		}
		all += sums[i]
	}
	out := make([]float64, n)
	for i := range n {
		out[i] = (sums[i] - all/float64(2*(n-1))) / float64(n-2)
	}
	return out
}
