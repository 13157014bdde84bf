package design

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// sized returns a size for the whole run or the short one.
func sized(whole, short int) int {
	if testing.Short() {
		return short
	}
	return whole
}

// smoothArms returns the kernel exp(-‖z-z'‖²/2) exp(-‖x-x'‖²/2) of tasks·n arms: tasks at random points
// of [0, 1]², arms at random points of [0, side]⁴.
func smoothArms(tasks, n int, side float64, seed uint64) func(i, j int) float64 {
	r := rand.New(rand.NewPCG(seed, 3))
	const dim = 6
	points := make([][dim]float64, tasks*n)
	for v := range tasks {
		a, b := r.Float64(), r.Float64()
		for i := range n {
			x := &points[v*n+i]
			x[0], x[1] = a, b
			for k := 2; k < dim; k++ {
				x[k] = side * r.Float64()
			}
		}
	}
	return func(i, j int) float64 {
		d := 0.0
		for k := range dim {
			d += (points[i][k] - points[j][k]) * (points[i][k] - points[j][k])
		}
		return math.Exp(-d / 2)
	}
}

// pivoted is a Space by the pivots of a factor, with the squared length that each arm has outside their span.
type pivoted struct {
	Space
	Arms []int
	Rest []float64
}

// factored returns the pivoted Cholesky factor of a kernel with unit diagonal on n arms, stopped at a
// residual.
func factored(n int, kernel func(i, j int) float64, residual float64) pivoted {
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = 1
	}
	var columns [][]float64
	p := pivoted{Rest: rest}
	for {
		top := 0
		for i, v := range rest {
			if v > rest[top] {
				top = i
			}
		}
		if rest[top] <= residual {
			break
		}
		c := make([]float64, n)
		for i := range c {
			c[i] = kernel(i, top)
		}
		for _, b := range columns {
			axpy(-b[top], b, c)
		}
		root := math.Sqrt(rest[top])
		for i := range c {
			c[i] /= root
			rest[i] -= c[i] * c[i]
		}
		rest[top] = 0
		columns, p.Arms = append(columns, c), append(p.Arms, top)
	}
	p.Features = mat.NewDense(n, len(columns), nil)
	for k, c := range columns {
		p.Features.SetCol(k, c)
	}
	return p
}

// taskGroups returns the arms of each of some tasks with n arms.
func taskGroups(tasks, n int) Contrasts {
	c := Contrasts{}
	for v := range tasks {
		g := make([]int, n)
		for i := range g {
			g[i] = v*n + i
		}
		c.Groups = append(c.Groups, g)
	}
	return c
}
