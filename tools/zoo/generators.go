//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// The tables of known truth on which best(...) was checked before this zoo was made: the tables of
// engine/answer/tables_test.go, two of them smaller, without the one of days, which a budget of pulls cannot
// express.
var seenGenerators = []generator{
	{"field trial", "4 sites × 15: variety and nitrogen, optimum and level differ by site", 4, func(d *draft, rng *rand.Rand) {
		d.ArmColumns, d.categories = []string{"variety", "nitrogen"}, []string{"variety"}
		variety := []float64{0, 0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64()}
		for v := range d.Tasks {
			level, optimum, special := 6+rng.NormFloat64(), 70+60*rng.Float64(), rng.IntN(3)
			for k, e := range variety {
				for _, n := range []float64{0, 40, 80, 120, 160} {
					m := level + e + 1.6*(1-math.Pow((n-optimum)/130, 2))
					if k == special {
						m += 0.2 * rng.Float64()
					}
					d.arm(v, fmt.Sprint(k, n), []float64{float64(k), n}, m, 0.45)
				}
			}
		}
	}},
	{"hyper-parameters", "4 models × 40: learning rate (logarithm) and dropout, losses with the sign changed",
		4, func(d *draft, rng *rand.Rand) {
			d.ArmColumns, d.logs = []string{"lr", "dropout"}, []string{"lr"}
			for v := range d.Tasks {
				at, level, drop := -3.6+1.4*rng.Float64(), 0.45+0.2*rng.Float64(), 0.1+0.2*rng.Float64()
				for k := range 8 {
					x := -5 + 4*float64(k)/7
					for _, q := range []float64{0, .1, .2, .3, .5} {
						slope := 1.0
						if x > at {
							slope = 1.6
						}
						m := -min(level+.12*(x-at)*(x-at)*slope+.9*(q-drop)*(q-drop), 2.3)
						d.arm(v, fmt.Sprint(k, q), []float64{math.Pow(10, x), q}, m, .03)
					}
				}
			}
		}},
	{"treatments", "5 sites × 8 treatments, outcomes 0 or 1 near 0.4", 5, func(d *draft, rng *rand.Rand) {
		d.ArmColumns, d.categories = []string{"treatment"}, []string{"treatment"}
		effect := lists.Make(8, func(int) float64 { return 0.07 * rng.NormFloat64() })
		for v := range d.Tasks {
			base := 0.3 + 0.2*rng.Float64()
			for k, e := range effect {
				d.success(v, fmt.Sprint(k), []float64{float64(k)}, base+e+0.015*rng.NormFloat64())
			}
		}
		d.draw = d.binary()
	}},
	{"one task", "1 × 30: temperature and time, one smooth hill", 1, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"temp", "time"}
		a, b := rng.Float64(), rng.Float64()
		for i := range 6 {
			for j := range 5 {
				x, y := float64(i)/5, float64(j)/4
				m := 60 + 20*math.Exp(-4*(x-a)*(x-a)-2*(y-b)*(y-b)) + 5*x*y
				d.arm(0, fmt.Sprint(i, j), []float64{100 + 50*x, 1 + 5*y}, m, 3)
			}
		}
	}},
	{"500 arms", "2 × 250: two features, sums of hills that are shifted between tasks", 2, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"x", "y"}
		var centers [3][3]float64
		for k := range centers {
			centers[k] = [3]float64{rng.Float64(), rng.Float64(), rng.NormFloat64()}
		}
		for v := range d.Tasks {
			shift := 0.2 * rng.Float64()
			for i := range 25 {
				for j := range 10 {
					x, y, m := float64(i)/24, float64(j)/9, 0.0
					for _, c := range centers {
						m += c[2] * math.Exp(-10*(x-c[0]-shift)*(x-c[0]-shift)-10*(y-c[1])*(y-c[1]))
					}
					d.arm(v, fmt.Sprint(i, j), []float64{x, y}, m, 0.2)
				}
			}
		}
	}},
	{"binary doses", "3 × 9 doses, outcomes 0 or 1, an optimum for each task", 3, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"dose"}
		for v := range d.Tasks {
			at := 1 + 6*rng.Float64()
			for k := range 9 {
				x := float64(k)
				d.success(v, fmt.Sprint(k), []float64{x}, 0.1+0.75*math.Exp(-(x-at)*(x-at)/8))
			}
		}
		d.draw = d.binary()
	}},
	{"unrelated arms", "4 × 10 without features, other arms in every task", 4, func(d *draft, rng *rand.Rand) {
		for v := range d.Tasks {
			for k := range 10 {
				d.arm(v, fmt.Sprint(v, "-", k), nil, rng.NormFloat64(), 1)
			}
		}
	}},
	{"unequal noise", "5 × 16: scatter of tasks differs by factors of ten", 5, func(d *draft, rng *rand.Rand) {
		d.ArmColumns, d.categories = []string{"a", "b"}, []string{"a"}
		effects := lists.Make(4, func(int) float64 { return rng.NormFloat64() })
		for v := range d.Tasks {
			sd, slope := math.Exp(1.2*rng.NormFloat64()), rng.NormFloat64()
			for k, e := range effects {
				for b := range 4 {
					m := e + slope*float64(b)/3 + 0.3*rng.NormFloat64()
					d.arm(v, fmt.Sprint(k, b), []float64{float64(k), float64(b)}, m, sd)
				}
			}
		}
	}},
}

// generator makes a random table with the given number of tasks. Each run gets a different table.
type generator struct {
	name, about string
	tasks       int
	make        func(d *draft, rng *rand.Rand)
}

// world makes a world.
func (g generator) world(rng *rand.Rand) *world {
	d := &draft{Draft: problem.Draft{Tasks: numbered(g.tasks)}}
	g.make(d, rng)
	return d.world()
}

// success adds a cell whose rewards are 1 with a probability, kept from 0 and 1.
func (d *draft) success(task int, name string, features []float64, p float64) {
	p = min(max(p, 0.005), 0.995)
	d.arm(task, name, features, p, math.Sqrt(p*(1-p)))
}

// binary draws 1 with the expected reward for probability, else 0.
func (d *draft) binary() func(int, *rand.Rand) float64 {
	return func(cell int, rng *rand.Rand) float64 {
		if rng.Float64() < d.truth[cell] {
			return 1
		}
		return 0
	}
}

// process draws a function on points from the Gaussian process with a kernel.
func process(rng *rand.Rand, points [][]float64, kernel func(x, y []float64) float64) []float64 {
	n := len(points)
	k := symmetric.Make(n, func(i, j int) float64 { return kernel(points[i], points[j]) })
	for i := range n {
		k.SetSym(i, i, k.At(i, i)*(1+1e-8)+1e-10)
	}
	var c mat.Cholesky
	if !c.Factorize(k) {
		panic("zoo: the kernel of a generator is not positive-definite")
	}
	var l mat.TriDense
	c.LTo(&l)
	var out mat.VecDense
	out.MulVec(&l, mat.NewVecDense(n, normals(rng, n)))
	return out.RawVector().Data
}

// hills is the kernel exp(-‖x - y‖²/2ℓ²).
func hills(length float64) func(x, y []float64) float64 {
	return func(x, y []float64) float64 {
		s := distance(x, y) / length
		return math.Exp(-s * s / 2)
	}
}

// rough is the kernel exp(-‖x - y‖/ℓ), whose functions are continuous and nowhere smooth.
func rough(length float64) func(x, y []float64) float64 {
	return func(x, y []float64) float64 { return math.Exp(-distance(x, y) / length) }
}

func distance(x, y []float64) float64 {
	sum := 0.0
	for c := range x {
		sum += (x[c] - y[c]) * (x[c] - y[c])
	}
	return math.Sqrt(sum)
}

// grid returns the points of a grid on [0, 1]², row by row.
func grid(rows, columns int) [][]float64 {
	var out [][]float64
	for i := range rows {
		for j := range columns {
			out = append(out, []float64{float64(i) / float64(rows-1), float64(j) / float64(columns-1)})
		}
	}
	return out
}

// normals draws n normal numbers.
func normals(rng *rand.Rand, n int) []float64 {
	return lists.Make(n, func(int) float64 { return rng.NormFloat64() })
}
