//go:build unix

package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// world is one table with its truth, as one run meets it. Higher rewards are better. A table of known or drawn truth
// is another world in every run.
type world struct {
	problem    *problem.Problem // tasks, arms and features; no rewards
	truth      []float64        // expected reward of each cell, an arm of a task
	sd         []float64        // standard deviation of one reward of each cell
	logs       []string         // columns of arms that an expert in the subject would log-transform
	categories []string         // columns of arms that are codes
	draw       func(cell int, rng *rand.Rand) float64
	seed       uint64 // of the rewards of this run
}

// mix is the finaliser of SplitMix64 [Steele, Lea and Flood 2014].
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// seedOf returns the seed that a name and numbers represent.
func seedOf(name string, numbers ...int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	seed := h.Sum64()
	for _, n := range numbers {
		seed = mix(seed + uint64(n))
	}
	return seed
}

// source returns random numbers of a seed.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, mix(seed))) }

// reward returns the k-th reward of a cell: the same number for every method, a function of table, run, cell and k.
func (w *world) reward(cell, k int) float64 {
	return w.draw(cell, source(mix(mix(w.seed+uint64(cell))+uint64(k))))
}

// best returns the expected reward of a task's best arm, and how much less a random arm has.
func (w *world) best(v int) (best, random float64) {
	lo, hi := w.problem.ArmsOf(v)
	best = slices.Max(w.truth[lo:hi])
	return best, best - stat.Mean(w.truth[lo:hi], nil)
}

// pulls returns how many pulls of a task a number of pulls of each arm means, at least 1.
func (w *world) pulls(each float64) int {
	return max(1, int(math.Round(each*float64(w.problem.N())/float64(w.problem.V()))))
}

// loss returns what picks lose, the mean over tasks of best less picked reward, in reward units and as a share of a
// random arm's loss; and the share of tasks whose pick is a best one.
func (w *world) loss(picks []int) (units, share, right float64) {
	random := 0.0
	for v, pick := range picks {
		best, off := w.best(v)
		units += best - w.truth[pick]
		random += off
		if w.truth[pick] == best {
			right++
		}
	}
	n := float64(len(picks))
	if random > 0 {
		share = units / random
	}
	return units / n, share, right / n
}

// noise returns the noise SD of each task, for methods that need it: the root mean square of the SDs of its
// cells.
func (w *world) noise() []float64 {
	out := make([]float64, w.problem.V())
	for v := range out {
		lo, hi := w.problem.ArmsOf(v)
		for _, s := range w.sd[lo:hi] {
			out[v] += s * s / float64(hi-lo)
		}
		if out[v] = math.Sqrt(out[v]); !(out[v] > 0) {
			out[v] = 1e-6
		}
	}
	return out
}

// draft collects the cells of a world, grouped by task.
type draft struct {
	problem.Draft
	categories []string
	logs       []string
	truth, sd  []float64
	draw       func(cell int, rng *rand.Rand) float64 // nil is normal noise
}

func (d *draft) arm(task int, name string, features []float64, truth, sd float64) {
	d.Arms, d.ArmRows, d.TaskOf = append(d.Arms, name), append(d.ArmRows, features), append(d.TaskOf, task)
	d.truth, d.sd = append(d.truth, truth), append(d.sd, sd)
}

// numbered names n tasks.
func numbered(n int) []string {
	return lists.Make(n, func(v int) string { return fmt.Sprint("t", v+1) })
}

// world makes the world.
func (d *draft) world() *world {
	p, err := d.Problem("table", kernels.Joint{}, 1)
	if err != nil {
		panic(err)
	}
	p.Noise.UnknownBy = problem.UnknownProblem
	if len(d.categories) > 0 {
		p.Categories = lists.Keyed(d.categories, func(_ int, name string) (string, []string) {
			most := int(slices.Max(p.Arms.X[slices.Index(d.ArmColumns, name)]))
			return name, lists.Make(most+1, func(k int) string { return fmt.Sprint(name, k) })
		})
	}
	w := &world{problem: p, truth: d.truth, sd: d.sd, logs: d.logs, categories: d.categories, draw: d.draw}
	if d.draw == nil {
		w.draw = func(cell int, rng *rand.Rand) float64 { return w.truth[cell] + w.sd[cell]*rng.NormFloat64() }
	}
	return w
}

// play is the pulls that one run of a method makes in a world.
type play struct {
	*world
	count         []int
	mean, squares []float64 // of rewards, the second of their deviations
	total         int
}

func newPlay(w *world) *play {
	n := w.problem.N()
	return &play{world: w, count: make([]int, n), mean: make([]float64, n), squares: make([]float64, n)}
}

func (p *play) pull(cell int) float64 {
	y := p.reward(cell, p.count[cell])
	p.count[cell]++
	p.total++
	off := y - p.mean[cell] // [Welford 1962]
	p.mean[cell] += off / float64(p.count[cell])
	p.squares[cell] += off * (y - p.mean[cell])
	return y
}

// measured returns the problem with what was pulled, as a table of measurements has it.
func (p *play) measured() *problem.Problem {
	q := *p.problem
	n := q.N()
	q.Partial, q.Reps, q.Noise.SD = make([]float64, n), make([]float64, n), make([]float64, n)
	for i, c := range p.count {
		q.Partial[i], q.Reps[i], q.Noise.SD[i] = math.NaN(), 1, math.NaN()
		if c > 0 {
			q.Partial[i], q.Reps[i] = p.mean[i], float64(c)
			q.Noise.SD[i] = math.Sqrt(p.squares[i] / float64(max(c-1, 1)))
		}
	}
	return &q
}

// leader returns the arm of a task with the highest mean, by chance among equals; any arm where none was pulled.
func (p *play) leader(v int, rng *rand.Rand) int {
	lo, hi := p.problem.ArmsOf(v)
	best, ties := -1, 0
	for i := lo; i < hi; i++ {
		switch {
		case p.count[i] == 0:
		case best < 0 || p.mean[i] > p.mean[best]:
			best, ties = i, 1
		case p.mean[i] == p.mean[best]:
			if ties++; rng.IntN(ties) == 0 {
				best = i
			}
		}
	}
	if best < 0 {
		return lo + rng.IntN(hi-lo)
	}
	return best
}
