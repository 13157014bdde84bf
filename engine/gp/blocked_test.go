package gp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The posterior of a blocked prior, its draws and the evidence are those of the whole covariance [RW06, eq. 2.23, 2.24 and 2.30].
func TestBlocked(t *testing.T) {
	const n = 9
	rng := rand.New(rand.NewPCG(3, 4))
	features, blocks := mat.NewDense(n, 3, nil), &gp.Blocks{Block: make([]int, n), At: make([]int, n)}
	features.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, features)
	k := mat.NewSymDense(n, nil)
	k.SymOuterK(1, features)
	for g, points := range [][]int{{0, 2, 3, 7}, {1, 4}, {5, 6, 8}} { // the last is not observed
		root, block := mat.NewDense(len(points), len(points), nil), mat.NewSymDense(len(points), nil)
		root.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, root)
		block.SymOuterK(1, root)
		blocks.Within = append(blocks.Within, block)
		for a, i := range points {
			blocks.Block[i], blocks.At[i] = g, a
			for b, j := range points[:a+1] {
				k.SetSym(i, j, k.At(i, j)+block.At(a, b))
			}
		}
	}
	at, y, noise := []int{1, 0, 4, 7}, []float64{1, -2, 0.5, 3}, []float64{0.1, 0.2, 0.3, 0.4}
	sigma, cross := mat.NewSymDense(len(at), nil), mat.NewDense(n, len(at), nil)
	for a, i := range at {
		for b, j := range at[:a+1] {
			sigma.SetSym(a, b, k.At(i, j))
		}
		sigma.SetSym(a, a, k.At(i, i)+noise[a])
		for i2 := range n {
			cross.Set(i2, a, k.At(i2, i))
		}
	}
	var inverse, gain, mean, cov mat.Dense
	try.To(inverse.Inverse(sigma))
	gain.Mul(cross, &inverse)
	mean.Mul(&gain, mat.NewVecDense(len(at), y))
	cov.Mul(&gain, cross.T())
	cov.Sub(k, &cov)
	p := try.Of(gp.NewBlocked(features, blocks).Posterior(t.Context(), gp.Observations{At: at, Y: y, Noise: noise}))
	near(t, "evidence", p.Evidence, logDensity(y, sigma), 1e-10)
	variances := make([]float64, n)
	p.AddVariances(variances)
	draws := mat.NewDense(40000, n, nil)
	p.Draw(rng, draws)
	var drawn mat.SymDense
	stat.CovarianceMatrix(&drawn, draws, nil)
	for i := range n {
		near(t, "mean", p.Mean[i], mean.At(i, 0), 1e-10)
		near(t, "variance", variances[i], cov.At(i, i), 1e-10)
		for j := range n {
			near(t, "drawn covariance", drawn.At(i, j), cov.At(i, j), 0.05)
		}
	}
}

// The deviance of many rows with few different noise variances is that of the whole covariance, up to a constant.
func TestTurnedCondenses(t *testing.T) {
	const n, m, own = 60, 3, 0.2
	rng := rand.New(rand.NewPCG(3, 5))
	features, variances := mat.NewDense(n, m, nil), make([]float64, n)
	features.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, features)
	o := gp.Observations{}
	for i := range n {
		variances[i] = []float64{0, 0.4, 0.4}[i%3]
		o.At, o.Y, o.Noise = append(o.At, i), append(o.Y, rng.NormFloat64()), append(o.Noise, 0.3+float64(i/3%2))
	}
	turned := gp.NewBlocked(features, gp.Alone(variances)).Turn(own, o)
	deviance := func(scale float64) float64 {
		sigma := mat.NewSymDense(n, nil)
		sigma.SymOuterK(scale, features)
		for i := range n {
			sigma.SetSym(i, i, sigma.At(i, i)+scale*variances[i]+own+o.Noise[i])
		}
		return -2*logDensity(o.Y, sigma) - math.Log(scale)
	}
	for _, scale := range []float64{1e-3, 0.5, 40} {
		near(t, "difference of deviances", turned.Deviance(scale)-turned.Deviance(1), deviance(scale)-deviance(1), 1e-9)
	}
}
