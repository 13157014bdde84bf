//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// shared makes cells on points that all tasks have: common plus special functions of a kernel, and a level of each task.
func (d *draft) shared(rng *rand.Rand, points [][]float64, kernel func(x, y []float64) float64, common, special, sd float64) {
	d.ArmColumns = lists.Make(len(points[0]), func(c int) string { return fmt.Sprint("x", c+1) })
	f := process(rng, points, kernel)
	for v := range d.Tasks {
		own, level := process(rng, points, kernel), rng.NormFloat64()
		for i, x := range points {
			d.arm(v, fmt.Sprint("a", i), x, 10+level+common*f[i]+special*own[i], sd)
		}
	}
}

// named makes arms with names and no features that all tasks have.
func (d *draft) named(rng *rand.Rand, arms int, common, special, sd float64) {
	f := normals(rng, arms)
	for v := range d.Tasks {
		level := rng.NormFloat64()
		for i := range arms {
			d.arm(v, fmt.Sprint("a", i), nil, 5+level+common*f[i]+special*rng.NormFloat64(), sd)
		}
	}
}

// coded makes all combinations of codes; effect gives the part of a combination in a task.
func (d *draft) coded(sizes []int, sd float64, effect func(task int, code []int) float64) {
	total := 1
	for c, size := range sizes {
		d.ArmColumns = append(d.ArmColumns, fmt.Sprint("c", c+1))
		total *= size
	}
	d.categories = d.ArmColumns
	for v := range d.Tasks {
		for i := range total {
			rest, code, x := i, make([]int, len(sizes)), make([]float64, len(sizes))
			for c, size := range sizes {
				code[c], rest = rest%size, rest/size
				x[c] = float64(code[c])
			}
			d.arm(v, fmt.Sprint(code), x, effect(v, code), sd)
		}
	}
}

var newGenerators = []generator{
	{"smooth", "4 × 25 on a grid, common and special smooth functions", 4, func(d *draft, rng *rand.Rand) {
		d.shared(rng, grid(5, 5), hills(0.4), 1, 0.5, 0.5)
	}},
	{"rough", "4 × 25 on a grid, functions that are nowhere smooth", 4, func(d *draft, rng *rand.Rand) {
		d.shared(rng, grid(5, 5), rough(0.15), 1, 0.5, 0.5)
	}},
	{"unrelated tasks", "6 × 16 on a line, smooth, nothing common to tasks", 6, func(d *draft, rng *rand.Rand) {
		d.shared(rng, evenly(16), hills(0.3), 0, 1, 0.5)
	}},
	{"equal tasks", "6 × 16 without features, the same means in all tasks", 6, func(d *draft, rng *rand.Rand) {
		d.named(rng, 16, 1, 0, 1)
	}},
	{"varieties", "6 × 14 without features, common effects and as large special ones", 6, func(d *draft, rng *rand.Rand) {
		d.named(rng, 14, 0.7, 0.7, 1)
	}},
	{"fifty tasks", "50 × 6 without features, common effects and smaller special ones", 50, func(d *draft, rng *rand.Rand) {
		d.named(rng, 6, 1, 0.5, 1)
	}},
	{"weak signal", "6 × 12 on a line, scatter of ten times the signal", 6, func(d *draft, rng *rand.Rand) {
		d.shared(rng, evenly(12), hills(0.4), 0.3, 0.1, 3)
	}},
	{"quiet", "4 × 20 on a grid, hardly any scatter", 4, func(d *draft, rng *rand.Rand) {
		d.shared(rng, grid(5, 4), hills(0.5), 1, 0.7, 0.02)
	}},
	{"heavy tails", "4 × 20 on a grid, smooth, Student's law with 2.5 degrees of freedom", 4, func(d *draft, rng *rand.Rand) {
		d.shared(rng, grid(5, 4), hills(0.4), 1, 0.4, 1)
		scale := 0.5 / math.Sqrt(2.5/0.5) // a standard deviation of 0.5
		for i := range d.sd {
			d.sd[i] = 0.5
		}
		d.draw = func(cell int, rng *rand.Rand) float64 {
			return d.truth[cell] + scale*distuv.StudentsT{Sigma: 1, Nu: 2.5, Src: rng}.Rand()
		}
	}},
	{"lognormal", "4 × 20 on a grid, positive rewards whose scatter grows with their mean", 4, func(d *draft, rng *rand.Rand) {
		d.shared(rng, grid(5, 4), hills(0.4), 0.8, 0.3, 0)
		const s = 0.5
		for i, m := range d.truth {
			d.truth[i] = math.Exp((m - 10) / 2)
			d.sd[i] = d.truth[i] * math.Sqrt(math.Exp(s*s)-1)
		}
		d.draw = func(cell int, rng *rand.Rand) float64 {
			return d.truth[cell] * math.Exp(s*rng.NormFloat64()-s*s/2)
		}
	}},
	{"counts", "6 × 12, Poisson counts around 1 to 20", 6, func(d *draft, rng *rand.Rand) {
		d.named(rng, 12, 0.5, 0.3, 0)
		for i, m := range d.truth {
			d.truth[i] = math.Exp(min(m-5, 2.5) + 0.7)
			d.sd[i] = math.Sqrt(d.truth[i])
		}
		d.draw = func(cell int, rng *rand.Rand) float64 {
			return distuv.Poisson{Lambda: d.truth[cell], Src: rng}.Rand()
		}
	}},
	{"rare successes", "4 × 10, outcomes 0 or 1 with probabilities of 0.02 to 0.15", 4, func(d *draft, rng *rand.Rand) {
		common := normals(rng, 10)
		for v := range d.Tasks {
			for i, e := range common {
				d.success(v, fmt.Sprint("a", i), nil, 0.06*math.Exp(0.5*e+0.2*rng.NormFloat64()))
			}
		}
		d.draw = d.binary()
	}},
	{"additive codes", "4 × 24: three columns of codes, effects that add up", 4, func(d *draft, rng *rand.Rand) {
		sizes := []int{4, 3, 2}
		effects := [][]float64{normals(rng, 4), normals(rng, 3), normals(rng, 2)}
		level, own := normals(rng, 4), normals(rng, 4*24)
		at := 0
		d.coded(sizes, 1, func(v int, code []int) float64 {
			at++
			return level[v] + effects[0][code[0]] + effects[1][code[1]] + effects[2][code[2]] + 0.2*own[at-1]
		})
	}},
	{"interactions", "4 × 20: two columns of codes; only their combination tells, the same for all", 4, func(d *draft, rng *rand.Rand) {
		common := normals(rng, 20)
		d.coded([]int{5, 4}, 1, func(_ int, code []int) float64 {
			return common[code[0]+5*code[1]] + 0.3*rng.NormFloat64()
		})
	}},
	{"near ties", "6 × 10 without features, the three best within a tenth of the scatter", 6, func(d *draft, rng *rand.Rand) {
		for v := range d.Tasks {
			order := rng.Perm(10)
			for i := range 10 {
				m := -0.5 - 1.5*rng.Float64()
				if order[i] < 3 {
					m = -0.05 * float64(order[i])
				}
				d.arm(v, fmt.Sprint("a", i), nil, m, 1)
			}
		}
	}},
	{"task groups", "9 × 12 on a line: three groups of tasks, each with a function of its own", 9, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"x1"}
		var f [3][]float64
		for g := range f {
			f[g] = process(rng, evenly(12), hills(0.25))
		}
		for v := range d.Tasks {
			for i, y := range f[v%3] {
				d.arm(v, fmt.Sprint("a", i), []float64{float64(i)}, y+0.15*rng.NormFloat64(), 0.7)
			}
		}
	}},
	{"opposites", "6 × 15 on a line: what is good in half of the tasks is bad in the others", 6, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"x1"}
		f := process(rng, evenly(15), hills(0.3))
		for v := range d.Tasks {
			sign := float64(1 - 2*(v%2))
			for i, y := range f {
				d.arm(v, fmt.Sprint("a", i), []float64{float64(i)}, sign*y+0.15*rng.NormFloat64(), 0.7)
			}
		}
	}},
	{"moving optimum", "7 × 15 on a line: the optimum moves with a feature of the task", 7, func(d *draft, rng *rand.Rand) {
		d.ArmColumns, d.TaskColumns = []string{"x1"}, []string{"z1"}
		start, step := 14*rng.Float64(), 2*rng.Float64()-1
		for v := range d.Tasks {
			d.TaskRows = append(d.TaskRows, []float64{float64(v)})
			for i := range 15 {
				off := (float64(i) - min(max(start+2*step*float64(v), 0), 14)) / 4
				d.arm(v, fmt.Sprint("a", i), []float64{float64(i)}, 2*math.Exp(-off*off)+0.1*rng.NormFloat64(), 0.6)
			}
		}
	}},
	{"noise by arm", "5 × 16 without features, scatter of arms differs by factors of ten", 5, func(d *draft, rng *rand.Rand) {
		d.named(rng, 16, 0.7, 0.5, 0)
		for i := range d.sd {
			d.sd[i] = math.Exp(1.1*rng.NormFloat64() - 0.3)
		}
	}},
	{"needles", "5 × 20 without features: one arm of each task stands out, others are alike", 5, func(d *draft, rng *rand.Rand) {
		for v := range d.Tasks {
			best := rng.IntN(20)
			for i := range 20 {
				m := 0.1 * rng.NormFloat64()
				if i == best {
					m += 2
				}
				d.arm(v, fmt.Sprint("a", i), nil, m, 1)
			}
		}
	}},
	{"steps", "5 × 24 on a grid: plateaus with edges", 5, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"x1", "x2"}
		a, b, height := 1+4*rng.Float64(), 1+2*rng.Float64(), normals(rng, 4)
		for v := range d.Tasks {
			for i := range 6 {
				for j := range 4 {
					m, plateau := 0.2*rng.NormFloat64(), 0
					if float64(i) > a {
						plateau++
					}
					if float64(j) > b {
						plateau += 2
					}
					d.arm(v, fmt.Sprint(i, j), []float64{float64(i), float64(j)}, m+height[plateau], 0.7)
				}
			}
		}
	}},
	{"angles", "4 × 24 hours: periodic, phase and height differ by task", 4, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"hour"}
		phase := 24 * rng.Float64()
		for v := range d.Tasks {
			own, height := phase+2*rng.NormFloat64(), 1+0.3*rng.NormFloat64()
			for h := range 24 {
				d.arm(v, fmt.Sprint("h", h), []float64{float64(h)}, height*math.Cos(2*math.Pi*(float64(h)-own)/24)+0.1*rng.NormFloat64(), 0.8)
			}
		}
	}},
	{"other arms", "5 tasks of 6 to 30 arms at random points of a square, smooth, other arms in every task",
		5, func(d *draft, rng *rand.Rand) {
			d.ArmColumns = []string{"x1", "x2"}
			var points [][]float64
			for v := range d.Tasks {
				for range 6 + 6*v {
					points = append(points, []float64{rng.Float64(), rng.Float64()})
				}
			}
			f, at := process(rng, points, hills(0.3)), 0
			for v := range d.Tasks {
				level := rng.NormFloat64()
				for i := range 6 + 6*v {
					d.arm(v, fmt.Sprint(v, "-", i), points[at], level+f[at]+0.2*rng.NormFloat64(), 0.6)
					at++
				}
			}
		}},
	{"many arms", "2 × 200 at random points of four features, smooth, two features idle", 2, func(d *draft, rng *rand.Rand) {
		d.ArmColumns = []string{"x1", "x2", "x3", "x4"}
		var points, seen [][]float64
		for range 200 {
			x := []float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()}
			points, seen = append(points, x), append(seen, x[:2])
		}
		f := process(rng, seen, hills(0.3))
		for v := range d.Tasks {
			own := process(rng, seen, hills(0.3))
			for i, x := range points {
				d.arm(v, fmt.Sprint("a", i), x, f[i]+0.4*own[i], 0.5)
			}
		}
	}},
	{"rates", "4 × 18 learning rates (logarithm), a cliff above the best, losses with the sign changed", 4, func(d *draft, rng *rand.Rand) {
		d.ArmColumns, d.logs = []string{"rate"}, []string{"rate"}
		common := -3 + rng.NormFloat64()
		for v := range d.Tasks {
			at := common + 0.4*rng.NormFloat64()
			for k := range 18 {
				x := -6 + 6*float64(k)/17
				m := 0.15 * math.Abs(x-at)
				if x > at+0.5 {
					m += 0.8
				}
				d.arm(v, fmt.Sprint("a", k), []float64{math.Pow(10, x)}, -m, 0.15)
			}
		}
	}},
}

// evenly returns n points on [0, 1].
func evenly(n int) [][]float64 {
	return lists.Make(n, func(i int) []float64 { return []float64{float64(i) / float64(n-1)} })
}
