package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// known is a table with known truth: a problem with measurements and the expected rewards, both with the sign of Problem.Turned.
type known struct {
	p       *problem.Problem
	truth   []float64
	epsilon float64
	days    []float64 // effects of the days, which are 0 on average; nil without
}

// generator makes a table from a seed.
type generator struct {
	name  string
	table func(rng *rand.Rand) known
}

// draft collects the rows of a table.
type draft struct {
	tasks   []string
	columns []string
	names   []string
	rows    [][]float64
	taskOf  []int
	truth   []float64
	rewards [][]float64
	days    [][]int // of the rewards; nil without
}

func (d *draft) arm(task int, name string, features []float64, truth float64, rewards []float64) {
	d.names, d.rows, d.taskOf = append(d.names, name), append(d.rows, features), append(d.taskOf, task)
	d.truth, d.rewards = append(d.truth, truth), append(d.rewards, rewards)
}

// known makes the problem as Load does: means, counts and standard deviations. Categories are one-hot columns.
func (d *draft) known(epsilon float64, goal string, categories ...string) known {
	tasks := try.Of(kernels.NewPoints(nil, d.tasks, nil))
	arms := try.Of(kernels.NewPoints(d.columns, d.names, d.rows))
	n := len(d.names)
	mean, sd, reps := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, r := range d.rewards {
		mean[i], sd[i], reps[i] = math.NaN(), math.NaN(), 1
		if len(r) == 0 {
			continue
		}
		sum, square := 0.0, 0.0
		for _, x := range r {
			sum += x
		}
		mean[i], reps[i] = sum/float64(len(r)), float64(len(r))
		for _, x := range r {
			square += (x - mean[i]) * (x - mean[i])
		}
		sd[i] = math.Sqrt(square / max(reps[i]-1, 1))
	}
	p := try.Of(problem.New("table", tasks, arms, d.taskOf, kernels.Joint{}, []float64{1}, nil))
	p.Partial, p.Reps, p.Noise.SD, p.Noise.UnknownBy = mean, reps, sd, problem.UnknownProblem
	for i, rewards := range d.rewards {
		for k, y := range rewards {
			r := problem.Row{Arm: i, Reward: y, Count: 1}
			if d.days != nil {
				r.Block = d.days[i][k]
				for len(p.Blocks) <= r.Block {
					p.Blocks = append(p.Blocks, fmt.Sprint("day ", len(p.Blocks)))
				}
			}
			p.Rows = append(p.Rows, r)
		}
	}
	if len(categories) > 0 {
		p.Categories = map[string][]string{}
		for _, c := range categories {
			for k := range 26 {
				p.Categories[c] = append(p.Categories[c], string(rune('A'+k)))
			}
		}
	}
	if goal == problem.GoalMin {
		p = p.Minimised()
		for i := range d.truth {
			d.truth[i] = p.Turned(d.truth[i])
		}
	}
	return known{p: p, truth: d.truth, epsilon: epsilon}
}

// normals draws rewards around a mean.
func normals(rng *rand.Rand, mean, sd float64, count int) []float64 {
	out := make([]float64, count)
	for k := range out {
		out[k] = mean + sd*rng.NormFloat64()
	}
	return out
}

// successes draws rewards of 0 and 1.
func successes(rng *rand.Rand, p float64, count int) []float64 {
	out := make([]float64, count)
	for k := range out {
		if rng.Float64() < p {
			out[k] = 1
		}
	}
	return out
}

// generators resemble real tables: a field trial, losses over hyperparameters, and outcomes of treatments at several sites, whose tasks
// differ in optimum and level. Further ones have one task, 1,000 arms explained by features, small counts, unrelated arms, unequal noise,
// day effects, and 1,000 arms not explained by features. Each table draws all of its numbers.
var generators = []generator{
	{"field trial", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"t1", "t2", "t3", "t4"}, columns: []string{"variety", "nitrogen"}}
		variety := []float64{0, 0.3 * rng.NormFloat64(), 0.3 * rng.NormFloat64()}
		for v := range d.tasks {
			level, optimum, special := 6+rng.NormFloat64(), 70+60*rng.Float64(), rng.IntN(3)
			for k, e := range variety {
				for _, n := range []float64{0, 40, 80, 120, 160} {
					m := level + e + 1.6*(1-math.Pow((n-optimum)/130, 2))
					if k == special {
						m += 0.2 * rng.Float64()
					}
					d.arm(v, fmt.Sprint(k, n), []float64{float64(k), n}, m, normals(rng, m, 0.45, 4))
				}
			}
		}
		return d.known(0.2, "", "variety")
	}},
	{"hyper-parameters, minimised", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"m1", "m2", "m3", "m4", "m5", "m6"}, columns: []string{"lr", "dropout"}}
		for v := range d.tasks {
			at, level, drop := -3.6+1.4*rng.Float64(), 0.45+0.2*rng.Float64(), 0.1+0.2*rng.Float64()
			for k := range 8 {
				x := -5 + 4*float64(k)/7
				for _, q := range []float64{0, .1, .2, .3, .5} {
					slope := 1.0
					if x > at {
						slope = 1.6
					}
					m := min(level+.12*(x-at)*(x-at)*slope+.9*(q-drop)*(q-drop), 2.3)
					d.arm(v, fmt.Sprint(k, q), []float64{math.Pow(10, x), q}, m, normals(rng, m, .03, 2))
				}
			}
		}
		return d.known(0.01, problem.GoalMin)
	}},
	{"treatments, 0 or 1", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"s1", "s2", "s3", "s4", "s5"}, columns: []string{"treatment"}}
		effect := make([]float64, 8)
		for k := range effect {
			effect[k] = 0.07 * rng.NormFloat64()
		}
		for v := range d.tasks {
			base := 0.3 + 0.2*rng.Float64()
			for k, e := range effect {
				p := min(max(base+e+0.015*rng.NormFloat64(), 0.01), 0.99)
				n := 40 + rng.IntN(360)
				if rng.Float64() < .3 {
					n = 4 + rng.IntN(21)
				}
				d.arm(v, fmt.Sprint(k), []float64{float64(k)}, p, successes(rng, p, n))
			}
		}
		return d.known(0.03, "", "treatment")
	}},
	{"one task", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"only"}, columns: []string{"temp", "time"}}
		a, b := rng.Float64(), rng.Float64()
		for i := range 6 {
			for j := range 5 {
				x, y := float64(i)/5, float64(j)/4
				m := 60 + 20*math.Exp(-4*(x-a)*(x-a)-2*(y-b)*(y-b)) + 5*x*y
				d.arm(0, fmt.Sprint(i, j), []float64{100 + 50*x, 1 + 5*y}, m, normals(rng, m, 3, 1+rng.IntN(3)))
			}
		}
		return d.known(1, "")
	}},
	{"1,000 arms", func(rng *rand.Rand) known { return bumps(rng, 0) }},
	{"small counts", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"t1", "t2", "t3"}, columns: []string{"dose"}}
		for v := range d.tasks {
			at := 1 + 6*rng.Float64()
			for k := range 9 {
				x := float64(k)
				p := 0.1 + 0.75*math.Exp(-(x-at)*(x-at)/8)
				d.arm(v, fmt.Sprint(k), []float64{x}, p, successes(rng, p, 5+rng.IntN(10)))
			}
		}
		return d.known(0.1, "")
	}},
	{"unrelated arms", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"t1", "t2", "t3", "t4"}}
		for v := range d.tasks {
			for k := range 10 {
				m := rng.NormFloat64()
				d.arm(v, fmt.Sprint(v, "-", k), nil, m, normals(rng, m, 1, 5))
			}
		}
		return d.known(0.2, "")
	}},
	{"unequal noise", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"t1", "t2", "t3", "t4", "t5"}, columns: []string{"a", "b"}}
		effects := make([]float64, 4)
		for k := range effects {
			effects[k] = rng.NormFloat64()
		}
		for v := range d.tasks {
			sd, slope := math.Exp(1.2*rng.NormFloat64()), rng.NormFloat64()
			for k, e := range effects {
				for b := range 4 {
					m := e + slope*float64(b)/3 + 0.3*rng.NormFloat64()
					d.arm(v, fmt.Sprint(k, b), []float64{float64(k), float64(b)}, m, normals(rng, m, sd, 3))
				}
			}
		}
		return d.known(0.3, "", "a")
	}},
	{"days that differ", func(rng *rand.Rand) known {
		d := draft{tasks: []string{"t1", "t2", "t3"}, columns: []string{"dose"}}
		var effects [8]float64
		for k := range effects {
			effects[k] = rng.NormFloat64()
		}
		for v := range d.tasks {
			at := 12 * rng.Float64()
			for k := range 12 {
				m := 5 - 0.03*math.Pow(float64(k)-at, 2) + 0.1*rng.NormFloat64()
				days := rng.Perm(len(effects))[:2]
				rewards := normals(rng, m, 0.3, len(days))
				for j, day := range days {
					rewards[j] += effects[day]
				}
				d.arm(v, fmt.Sprint(k), []float64{float64(k)}, m, rewards)
				d.days = append(d.days, days)
			}
		}
		k := d.known(0.2, "")
		k.days = effects[:]
		return k
	}},
	{"1,000 arms of their own", func(rng *rand.Rand) known { return bumps(rng, 0.1*rng.Float64()) }},
}

// bumps is a table of 1,000 arms on a grid in two tasks: a sum of three bumps plus an independent effect per arm with this standard
// deviation.
func bumps(rng *rand.Rand, own float64) known {
	d := draft{tasks: []string{"t1", "t2"}, columns: []string{"x", "y"}}
	var centers [3][3]float64
	for k := range centers {
		centers[k] = [3]float64{rng.Float64(), rng.Float64(), rng.NormFloat64()}
	}
	for v := range d.tasks {
		shift := 0.2 * rng.Float64()
		for i := range 25 {
			for j := range 20 {
				x, y, m := float64(i)/24, float64(j)/19, 0.0
				for _, c := range centers {
					m += c[2] * math.Exp(-10*(x-c[0]-shift)*(x-c[0]-shift)-10*(y-c[1])*(y-c[1]))
				}
				if own > 0 {
					m += own * rng.NormFloat64()
				}
				count := 0
				if rng.Float64() < 0.3 {
					count = 1 + rng.IntN(2)
				}
				d.arm(v, fmt.Sprint(i, j), []float64{x, y}, m, normals(rng, m, 0.2, count))
			}
		}
	}
	return d.known(0.1, "")
}
