package model

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Every member of a mixture within blocks is the posterior of a dense normal law of arms and blocks, whose effects have a
// variance of 10⁸, given every single reward, and members are weighed by its density. Blocks are whole and incomplete, one arm is in none,
// and in one problem two tasks have the same arms, which share what they have of their own.
func TestMixtureWithin(t *testing.T) {
	const sd, wide = 0.7, 1e8
	few := enginetest.Instances(t)[3]
	same := enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.RBF{}}}}, []float64{0, 1, 2, 3}, []float64{0, 1, 2, 3})
	for _, p := range []*problem.Problem{few, same} {
		m := model(t, p)
		rng := rand.New(rand.NewPCG(4, uint64(p.N())))
		var arms [][]int // by block
		for v, set := range p.Groups() {
			arms = append(arms, set[1:], set[1:], set[1:3], []int{set[1], set[len(set)-1]}, set[len(set)-2:])
			if v == 0 {
				arms = append(arms, set)
			}
		}
		n, rows := p.N(), 0
		w := &Within{Information: mat.NewSymDense(n, nil), Right: make([]float64, n), Levels: make([]float64, n), Weights: make([]float64, n)}
		precision := m.Unit * m.Unit / (sd * sd)
		counts, means, pulls := make([]int, n), make([]float64, n), make([]float64, p.V())
		var y []float64
		for _, set := range arms {
			effect, mean := 3*rng.NormFloat64(), 0.0
			for _, i := range set {
				y = append(y, p.Mean[i]+effect+sd*rng.NormFloat64())
				mean += y[rows] / float64(len(set))
				counts[i]++
				pulls[p.TaskOf[i]]++
				rows++
			}
			for a, i := range set {
				w.Right[i] += precision * (y[rows-len(set)+a] - mean) / m.Unit
				w.Information.SetSym(i, i, w.Information.At(i, i)+precision)
				for _, j := range set {
					if j >= i {
						w.Information.SetSym(i, j, w.Information.At(i, j)-precision/float64(len(set)))
					}
				}
			}
		}
		for i := range w.Weights {
			w.Levels[i], w.Weights[i] = 5, float64(counts[i])/pulls[p.TaskOf[i]]
		}
		x := try.Of(ContinuedMixture(m, Prior{}, nil, counts, means, w, 1e-3))
		constant := math.NaN()
		compared := 0
		for k, of := range x.Members {
			if of.SD > 30 { // what blocks add must be much wider
				continue
			}
			compared++
			// covariances of arms and rewards
			gram := try.Of(p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
			prior := mat.NewDense(n, n, nil)
			for i := range n {
				gram.Row(prior.RawRowView(i), i)
			}
			prior.Scale(of.Scale, prior)
			for i, first := range m.Layout.First {
				for j, other := range m.Layout.First {
					if first == other {
						prior.Set(i, j, prior.At(i, j)+of.Own)
					}
				}
			}
			design, inner := mat.NewDense(rows, n, nil), mat.NewSymDense(rows, nil)
			at := 0
			for _, set := range arms {
				for a, i := range set {
					design.Set(at+a, i, 1)
					for b := range set {
						inner.SetSym(at+a, at+b, wide)
					}
					inner.SetSym(at+a, at+a, wide+sd*sd)
				}
				at += len(set)
			}
			var cross, between mat.Dense
			cross.Mul(prior, design.T())
			between.Mul(design, &cross)
			for r := range rows {
				for c := r; c < rows; c++ {
					inner.SetSym(r, c, inner.At(r, c)+between.At(r, c))
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(inner) {
				t.Fatal("not positive definite")
			}
			var solved, weight mat.VecDense
			var reduced, covariance mat.Dense
			_ = chol.SolveVecTo(&weight, mat.NewVecDense(rows, y))
			solved.MulVec(&cross, &weight)
			_ = chol.SolveTo(&reduced, cross.T())
			covariance.Mul(&cross, &reduced)
			covariance.Sub(prior, &covariance)
			// each arm less the mean of its task
			centre := mat.NewDense(n, n, nil)
			for i := range n {
				for j := range n {
					if p.TaskOf[i] == p.TaskOf[j] {
						centre.Set(i, j, -w.Weights[j])
					}
				}
				centre.Set(i, i, centre.At(i, i)+1)
			}
			var mean mat.VecDense
			mean.MulVec(centre, &solved)
			covariance.Product(centre, &covariance, centre.T())
			estimates, row := of.Estimates(means), make([]float64, n)
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			for i := range n {
				if want := mean.AtVec(i) + 5*m.Unit; math.Abs(estimates[i]*m.Unit-want) > 1e-5 {
					t.Fatalf("%s, own %g: mean %g of arm %d, want %g", p.Name, of.Own, estimates[i]*m.Unit, i, want)
				}
				of.Covariances(row, all, i)
				for j := range n {
					if want := covariance.At(i, j); math.Abs(row[j]*m.Unit*m.Unit-want) > 1e-5*(1+math.Abs(want)) {
						t.Fatalf("%s, own %g: covariance %g of arms %d and %d, want %g", p.Name, of.Own, row[j]*m.Unit*m.Unit, i, j, want)
					}
				}
			}
			likelihood := chol.LogDet() + mat.Dot(mat.NewVecDense(rows, y), &weight) - math.Log(of.Scale)
			if off := of.at.likelihood - likelihood; math.IsNaN(constant) {
				constant = off
			} else if math.Abs(off-constant) > 1e-4 {
				t.Errorf("%s: -2 log of the likelihood of member %d is off by %g", p.Name, k, off-constant)
			}
		}
		if compared < 5 {
			t.Errorf("%s: %d members were compared", p.Name, compared)
		}
	}
}
