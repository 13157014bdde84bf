package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// named makes a table of options that have names alone, the same ones in all tasks: mean and rewards follow from the function.
func named(tasks, arms int, epsilon float64, arm func(task, arm int) (mean float64, rewards []float64)) known {
	d := draft{columns: []string{"option"}}
	for v := range tasks {
		d.tasks = append(d.tasks, fmt.Sprint("t", v))
		for k := range arms {
			m, rewards := arm(v, k)
			d.arm(v, fmt.Sprint("o", k), []float64{float64(k)}, m, rewards)
		}
	}
	k := d.known(epsilon, "")
	k.p.Categories = map[string][]string{"option": d.names[:arms]}
	return k
}

// levels draws an expected reward of each task and of each option.
func levels(rng *rand.Rand, tasks, arms int, ofTask, ofArm float64) (t, a []float64) {
	return normals(rng, 0, ofTask, tasks), normals(rng, 0, ofArm, arms)
}

// effects makes a table of effects of tasks, options and pairs of these, the latter by a law of their own; the noise is 1.
func effects(tasks, arms, reps int, ofArm float64, law func(rng *rand.Rand, task, arm int) float64) func(rng *rand.Rand) known {
	return func(rng *rand.Rand) known {
		t, a := levels(rng, tasks, arms, 2, ofArm)
		return named(tasks, arms, 0.2, func(v, k int) (float64, []float64) {
			m := t[v] + a[k] + law(rng, v, k)
			return m, normals(rng, m, 1, reps)
		})
	}
}

// needles has in each task one option that is so much better, beside effects of a normal law.
func needles(tasks, arms, reps int, ofArm, ofPair, height float64) func(rng *rand.Rand) known {
	return func(rng *rand.Rand) known {
		at := make([]int, tasks)
		for v := range at {
			at[v] = rng.IntN(arms)
		}
		return effects(tasks, arms, reps, ofArm, func(rng *rand.Rand, v, k int) float64 {
			e := ofPair * rng.NormFloat64()
			if k == at[v] {
				e += height
			}
			return e
		})(rng)
	}
}

// student draws from Student's law.
func student(rng *rand.Rand, freedom int) float64 {
	chi := 0.0
	for range freedom {
		x := rng.NormFloat64()
		chi += x * x / float64(freedom)
	}
	return rng.NormFloat64() / math.Sqrt(chi)
}

// doses makes a table of options with a number, whose means are a curve of each task and effects of their own.
func doses(tasks, arms, reps int, epsilon, own float64, noise func(rng *rand.Rand, mean float64) float64) func(rng *rand.Rand) known {
	return func(rng *rand.Rand) known {
		d := draft{columns: []string{"dose"}}
		common := rng.Float64()
		for v := range tasks {
			d.tasks = append(d.tasks, fmt.Sprint("t", v))
			at, level := min(max(common+0.15*rng.NormFloat64(), 0), 1), 4+rng.NormFloat64()
			for k := range arms {
				x := float64(k) / float64(arms-1)
				m := max(level+3*math.Exp(-8*(x-at)*(x-at))+own*rng.NormFloat64(), 0.3)
				var rewards []float64
				for range reps {
					rewards = append(rewards, m+noise(rng, m))
				}
				d.arm(v, fmt.Sprint("o", k), []float64{x}, m, rewards)
			}
		}
		return d.known(epsilon, "")
	}
}

// shapes are tables whose effects or noise are not of the shape that generators have: heavy tails, needles, noise that grows with the
// mean, two tasks, tasks in different units.
var shapes = []generator{
	{"needles", needles(6, 10, 3, 0.2, 0, 1.5)},
	{"needles beside effects", needles(5, 12, 3, 0.5, 0.3, 2)},
	{"high needles", needles(4, 20, 2, 0.3, 0.1, 4)},
	{"needles of all tasks", func(rng *rand.Rand) known {
		a := normals(rng, 0, 0.2, 15)
		a[rng.IntN(len(a))] += 2
		t := normals(rng, 0, 2, 4)
		return named(4, 15, 0.2, func(v, k int) (float64, []float64) {
			m := t[v] + a[k] + 0.2*rng.NormFloat64()
			return m, normals(rng, m, 1, 2)
		})
	}},
	{"needles among doses", func(rng *rand.Rand) known {
		d := draft{columns: []string{"x", "y"}}
		for v := range 3 {
			d.tasks = append(d.tasks, fmt.Sprint("t", v))
			at, needle := rng.Float64(), rng.IntN(36)
			for k := range 36 {
				x, y := float64(k%6)/5, float64(k/6)/5
				m := 2*math.Exp(-4*(x-at)*(x-at)) + y
				if k == needle {
					m += 2.5
				}
				d.arm(v, fmt.Sprint("o", k), []float64{x, y}, m, normals(rng, m, 0.7, 2))
			}
		}
		return d.known(0.2, "")
	}},
	{"strong task × option", effects(6, 8, 3, 0.5, func(rng *rand.Rand, _, _ int) float64 { return rng.NormFloat64() })},
	{"task × option, t with 2", effects(6, 10, 3, 0.3, func(rng *rand.Rand, _, _ int) float64 { return 0.3 * student(rng, 2) })},
	{"12 × 4", effects(12, 4, 2, 0.5, func(rng *rand.Rand, _, _ int) float64 { return 0.5 * rng.NormFloat64() })},
	{"one task of names", effects(1, 30, 3, 0.5, func(*rand.Rand, int, int) float64 { return 0 })},
	{"one task of needles", func(rng *rand.Rand) known {
		return effects(1, 30, 3, 0.2, func(rng *rand.Rand, _, k int) float64 {
			if k%15 == 7 {
				return 2 + rng.NormFloat64()
			}
			return 0
		})(rng)
	}},
	{"noise of t with 3", func(rng *rand.Rand) known {
		t, a := levels(rng, 5, 8, 1, 0.5)
		return named(5, 8, 0.2, func(v, k int) (float64, []float64) {
			m := t[v] + a[k] + 0.3*rng.NormFloat64()
			return m, []float64{m + 0.6*student(rng, 3), m + 0.6*student(rng, 3), m + 0.6*student(rng, 3)}
		})
	}},
	{"noise ∝ mean", doses(5, 10, 3, 0.2, 0.2, func(rng *rand.Rand, m float64) float64 { return 0.25 * m * rng.NormFloat64() })},
	{"lognormal noise of names", func(rng *rand.Rand) known {
		t, a := levels(rng, 6, 8, 0.3, 0.3)
		return named(6, 8, 0.2, func(v, k int) (float64, []float64) {
			m := 3 * math.Exp(t[v]+a[k]+0.15*rng.NormFloat64())
			rewards := make([]float64, 3)
			for j := range rewards {
				rewards[j] = m * math.Exp(0.35*rng.NormFloat64()-0.35*0.35/2)
			}
			return m, rewards
		})
	}},
	{"2 × 40, smooth and own", doses(2, 40, 2, 0.2, 0.3, func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() })},
	{"2 × 40, smooth", doses(2, 40, 2, 0.2, 0, func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() })},
	{"seconds and hours", func(rng *rand.Rand) known {
		a, units := normals(rng, 0, 1, 8), []float64{1, 3600, 60, 1}
		return named(4, 8, 0, func(v, k int) (float64, []float64) {
			m := 20 + a[k] + 0.5*rng.NormFloat64()
			y := normals(rng, m, 0.7, 3)
			for j := range y {
				y[j] *= units[v]
			}
			return m * units[v], y
		})
	}},
}
