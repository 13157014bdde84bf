package problem

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// FamilySize states the sizes of a problem for Family.
type FamilySize struct {
	Tasks     int // V, at least 1
	Dimension int // d, at least 1
	Arms      int // n of each task, at least 2
	Rank      int // r of the task kernel, from 1 to min(V, d)
}

// Family returns a random linear problem: V tasks, each with its own n arms on the unit sphere of R^d, and the kernel
// task(linear())*arm(linear()). Noise is 1. With B a random r × d matrix of orthonormal rows, task v has the expected rewards
//
//	μ_v(x) = s z_vᵀ B x,  ‖z_v‖ = 1,
//
// and its parameter Bᵀz_v is a unit vector. The first r tasks have the unit vectors of R^r as features z, so that the tasks span rank r.
// In each task the best arm leads by at least half of the standard deviation 1/√d of an arm's projection; s makes the smallest of these
// gaps equal to gap.
//
// Each task has its own random numbers: more tasks keep the arms of the first ones, and another gap changes the rewards only. It returns
// an error for sizes outside their ranges, and for a gap that is not positive.
func Family(size FamilySize, gap float64, seed uint64) (*Problem, error) {
	n, dim := size.Arms, size.Dimension
	switch most := min(size.Tasks, dim); {
	case size.Tasks < 1 || dim < 1:
		return nil, fmt.Errorf("family: tasks and dimension must be at least 1, got %d and %d", size.Tasks, dim)
	case n < 2:
		return nil, fmt.Errorf("family: arms must be at least 2, got %d", n)
	case size.Rank < 1 || size.Rank > most:
		return nil, fmt.Errorf("family: rank must be from 1 to %d, the smaller of tasks and dimension, got %d", most, size.Rank)
	case !(gap > 0) || math.IsInf(gap, 1):
		return nil, fmt.Errorf("family: gap must be a positive number, got %g", gap)
	}
	rows := orthonormal(rand.New(rand.NewPCG(seed, 0)), size.Rank, dim)
	d := Draft{TaskColumns: columns("z_", size.Rank), ArmColumns: columns("x_", dim)}
	smallest := math.Inf(1)
	for v := range size.Tasks {
		rng := rand.New(rand.NewPCG(seed, uint64(v)+1))
		z := onSphere(rng, size.Rank)
		if v < size.Rank {
			z = indices.Spread(size.Rank, []float64{1}, []int{v})
		}
		parameter := make([]float64, dim)
		for k, row := range rows {
			floats.AddScaled(parameter, z[k], row)
		}
		arms, means, lead := separatedArms(rng, parameter, n)
		smallest = min(smallest, lead)
		d.Task(fmt.Sprintf("task %d", v+1), z...)
		for i, x := range arms {
			d.Arm(fmt.Sprintf("arm %d.%d", v+1, i+1), x, means[i])
		}
	}
	floats.Scale(gap/smallest, d.Mean)
	name := fmt.Sprintf("family, V=%d, d=%d, n=%d, rank %d, gap %g, seed %d", size.Tasks, dim, n, size.Rank, gap, seed)
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Linear{}, Arm: kernels.Linear{}}}}
	return d.Problem(name, joint, 1)
}

// separatedArms draws n arms on the unit sphere. Arms too close to the best one are drawn again. It returns the arms, their
// projections on the parameter, and the gap between the best and the second.
func separatedArms(rng *rand.Rand, parameter []float64, n int) (arms [][]float64, means []float64, lead float64) {
	least := 0.5 / math.Sqrt(float64(len(parameter)))
	arms, means = make([][]float64, n), make([]float64, n)
	again := indices.All(n)
	for len(again) > 0 {
		for _, i := range again {
			arms[i] = onSphere(rng, len(parameter))
			means[i] = floats.Dot(arms[i], parameter)
		}
		best := floats.MaxIdx(means)
		again, lead = nil, math.Inf(1)
		for i := range n {
			if gap := means[best] - means[i]; i != best {
				lead = min(lead, gap)
				if gap < least {
					again = append(again, i)
				}
			}
		}
	}
	return arms, means, lead
}

// onSphere draws a uniform unit vector.
func onSphere(rng *rand.Rand, dim int) []float64 {
	x := lists.Make(dim, func(int) float64 { return rng.NormFloat64() })
	floats.Scale(1/floats.Norm(x, 2), x)
	return x
}

// orthonormal draws orthonormal vectors, by Gram and Schmidt's method, twice for accuracy.
func orthonormal(rng *rand.Rand, number, dim int) (rows [][]float64) {
	for len(rows) < number {
		x := onSphere(rng, dim)
		for range 2 {
			for _, row := range rows {
				floats.AddScaled(x, -floats.Dot(x, row), row)
			}
		}
		if norm := floats.Norm(x, 2); norm > 1e-6 { // otherwise almost in the span of the others
			floats.Scale(1/norm, x)
			rows = append(rows, x)
		}
	}
	return rows
}

// Drawn returns the problem with expected rewards drawn from its kernel, as a Gaussian process of mean 0. It returns an error if the
// problem has measurements, whose expected rewards it would contradict, and if ctx ends.
func (p *Problem) Drawn(ctx context.Context, seed uint64) (*Problem, error) {
	prior, err := p.Prior(ctx)
	if err != nil {
		return nil, err
	}
	q := *p
	q.Mean, q.Partial, q.Reps = prior.Draw(seed, 0), nil, nil
	q.Name = fmt.Sprintf("%s, drawn with seed %d", p.Name, seed)
	return &q, nil
}

// Prior is the Gaussian process of mean 0 of a problem's kernel, on its arms.
type Prior struct{ root *mat.Dense } // N × N, with root rootᵀ the Gram matrix

// Prior returns the Gaussian process of the kernel. It returns an error for a problem with measurements, and if ctx ends.
func (p *Problem) Prior(ctx context.Context) (_ *Prior, err error) {
	defer try.Caught(&err)
	if p.Long != nil || p.Rewards != nil {
		return nil, fmt.Errorf("problem %q has measurements, but rewards can be drawn only for problems without any", p.Name)
	}
	gram := kernels.Dense(try.Of(p.Kernel.On(ctx, p.Tasks, p.Arms, p.TaskOf)))
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return nil, fmt.Errorf("problem %q: the eigenvalues of the kernel cannot be computed", p.Name)
	}
	root := new(mat.Dense)
	eigen.VectorsTo(root)
	for k, v := range eigen.Values(nil) {
		for i := range p.N() {
			root.Set(i, k, root.At(i, k)*math.Sqrt(max(v, 0)))
		}
	}
	return &Prior{root}, nil
}

// Draw returns the expected rewards of all arms for a number of a seed.
func (g *Prior) Draw(seed, number uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, number))
	n, _ := g.root.Dims()
	coefficients := mat.NewVecDense(n, lists.Make(n, func(int) float64 { return rng.NormFloat64() }))
	var means mat.VecDense
	means.MulVec(g.root, coefficients)
	return means.RawVector().Data
}
