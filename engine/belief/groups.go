package belief

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Some tasks may be more alike than others: the models of a family, or the dry sites of a trial. If tasks have no features,
// the posterior also averages over partitions of the tasks into groups. The common part of the kernel is then multiplied by
//
//	k_Z(t, t') = 1 if t and t' are in the same group, else s,
//
// with an unknown s. Before data, a partition has the probability of the cycles of a random permutation, ∏ (n_i - 1)!/V!
// for groups of n_i tasks. The partition with the highest score is found by moves of single tasks. The average has this
// partition, the partitions that one move makes of it, and the one with a single group.

// partition is the group of each task, numbered from 0 in the order of their first tasks.
type partition []int

// groupsNumber is the hyperparameter s: how alike tasks of different groups are.
const groupsNumber = "alike groups"

// newPartition returns the partition with the groups of of, numbered in order.
func newPartition(of []int) partition {
	number := map[int]int{}
	return lists.Map(of, func(g int) int {
		if _, known := number[g]; !known {
			number[g] = len(number)
		}
		return number[g]
	})
}

// count returns the number of groups.
func (p partition) count() int { return slices.Max(p) + 1 }

// log returns the log prior probability of a partition, relative to that of a single group; 0 for nil.
func (p partition) log() (sum float64) {
	if p == nil {
		return 0
	}
	factorial := func(n int) float64 {
		v, _ := math.Lgamma(float64(n))
		return v
	}
	for _, tasks := range indices.Groups(p.count(), p) {
		sum += factorial(len(tasks))
	}
	return sum - factorial(len(p))
}

// useful reports whether the partition is neither a single group nor a group for each task. The special part of the kernel
// represents the latter already.
func (p partition) useful() bool { return p.count() > 1 && p.count() < len(p) }

// moves returns the useful partitions that differ by the group of one task, or by two groups that are merged.
func (p partition) moves() (out []partition) {
	seen := map[string]bool{string(p.key()): true}
	add := func(of []int) {
		if q := newPartition(of); q.useful() && !seen[string(q.key())] {
			seen[string(q.key())] = true
			out = append(out, q)
		}
	}
	for v := range p {
		for g := range p.count() + 1 {
			q := slices.Clone(p)
			q[v] = g
			add(q)
		}
	}
	for g := range p.count() {
		for h := range g {
			add(lists.Map(p, func(of int) int {
				if of == g {
					return h
				}
				return of
			}))
		}
	}
	return out
}

// key returns a text that is equal for equal partitions.
func (p partition) key() []rune { return lists.Map(p, func(g int) rune { return rune(g) }) }

// kernel returns the kernel of tasks for a partition: 1 within groups, and the similarity between them.
func (p partition) kernel(tasks *kernels.Points, similarity float64) kernels.Kernel {
	names := make([]string, len(p))
	for k, v := range tasks.ID {
		names[v] = tasks.Names[k]
	}
	return kernels.Table{Names: names, Values: lists.Make(len(p), func(v int) []float64 {
		return lists.Make(len(p), func(w int) float64 {
			if p[v] == p[w] {
				return 1
			}
			return similarity
		})
	})}
}

// parted returns the model with the groups of a partition.
func (m *model) parted(p partition) *model {
	out := *m
	if out.groups = p; m.groups == nil {
		out.numbers = append(slices.Clone(m.numbers), number{groupsNumber, 0, 1.3, gp.Logistic})
		out.at = lists.Keyed(out.numbers, func(k int, n number) (string, int) { return n.name, k })
	}
	return &out
}

// parted returns the search with the groups of a partition. It begins at u.
func (s *search) parted(p partition, u []float64) *search {
	c := *s.chosen
	c.model = s.model.parted(p)
	return &search{chosen: &c, ctx: s.ctx, rng: rand.New(rand.NewPCG(1, 2)), best: u, bestScore: math.Inf(-1)}
}

// alikeness returns the derivative of the evidence at u by the entry of each pair of tasks in the common part of the kernel. It
// is positive if the measurements of the two tasks are more alike than the model says.
func (s *search) alikeness(u []float64) (_ *mat.Dense, err error) {
	defer try.Caught(&err)
	t := try.Of(s.tables(s.ctx, u, nil))
	weight := try.Of(s.weight(t, u)).SymDense
	tasks, _ := s.along(weight, t)
	var out mat.Dense
	out.Add(tasks[0], tasks[0].T())
	return &out, nil
}

// withoutSpecial returns the best hyperparameters with most of the special part of the kernel moved to the common part.
// Without groups, the special part explains how groups differ, which hides them.
func (s *search) withoutSpecial() []float64 {
	u := slices.Clone(s.best)
	special, found := s.model.at["special"]
	if !found {
		return u
	}
	const left = 0.2
	moved := (1 - left) * math.Exp(u[special])
	u[special] += math.Log(left)
	common := s.model.at["common"]
	u[common] = math.Log(math.Exp(u[common]) + moved)
	return u
}

// clustered returns a partition: from a group for each task, it merges the two groups with the largest sum of alike between
// them while that sum is positive.
func clustered(alike *mat.Dense) partition {
	n, _ := alike.Dims()
	of := indices.All(n)
	for {
		most, a, b := 0.0, -1, -1
		for g := range n {
			for h := range g {
				sum := 0.0
				for v, x := range of {
					for w, y := range of {
						if x == g && y == h {
							sum += alike.At(v, w)
						}
					}
				}
				if sum > most {
					most, a, b = sum, g, h
				}
			}
		}
		if a < 0 {
			return newPartition(of)
		}
		for v := range of {
			if of[v] == a {
				of[v] = b
			}
		}
	}
}

// fewestGrouped is the smallest number of tasks that are grouped. With two tasks, groups are the same as the special part
// of the kernel.
const fewestGrouped = 3

// fewestEach is the smallest average number of arms per task, among at most densest arms, for which partitions are tried.
const fewestEach = 8

// groupable reports whether partitions of the tasks are tried: tasks have no features and share a part of the kernel, and
// the arms of all tasks can be searched together.
func (s *search) groupable() bool {
	shares := s.features() || s.value(s.best, "rough", 0) > 0
	all := s.tasks.Len() == s.d.p.V() || s.d.p.V()*fewestEach <= densest
	return s.d.p.V() >= fewestGrouped && len(s.taskNumeric)+len(s.taskText) == 0 && shares && all
}

// withAllTasks returns a search with arms of all tasks if partitions are tried; else s.
func (s *search) withAllTasks() (*search, error) {
	if !s.groupable() || s.tasks.Len() == s.d.p.V() {
		return s, nil
	}
	return newSearch(s.ctx, newChosen(s.model, s.d.evenly(densest)), s)
}

// likely is a difference in nats: partitions whose score is farther below the best one are left out.
const likely = 3

// grouped returns a search with the best partition found, and the partitions near it that are likely; nil if no partition
// is better than negligible.
func (s *search) grouped() (_ *search, near []partition, err error) {
	defer try.Caught(&err)
	if !s.groupable() {
		return nil, nil, nil
	}
	start := s.withoutSpecial()
	p := clustered(try.Of(s.alikeness(start)))
	if !p.useful() {
		return nil, nil, nil
	}
	x := s.parted(p, append(start, 0))
	try.Of(x.scores([][]float64{x.best}))
	x, near = try.Two(x.improved())
	for before := partition(nil); !slices.Equal(before, x.groups); {
		before = x.groups
		try.To(x.climb(nil))
		x, near = try.Two(x.improved())
	}
	if x.bestScore < s.bestScore-negligible {
		return nil, nil, nil
	}
	x.bank = x.fromPrior(bankSize)
	x.bankScores = try.Of(x.scores(x.bank))
	return x, near, nil
}

// improved moves single tasks between groups while that raises the score at the best hyperparameters. near are the moves
// after which the partition is almost as likely.
func (s *search) improved() (_ *search, near []partition, err error) {
	defer try.Caught(&err)
	for {
		moves := try.Of(s.promising())
		scores := try.Of(s.scoresOf(moves))
		if len(moves) == 0 || floats.Max(scores) <= s.bestScore+climbEnough {
			return s, indices.Of(moves, indices.Where(len(moves), func(k int) bool { return scores[k] > s.bestScore-likely })), nil
		}
		s = s.parted(moves[floats.MaxIdx(scores)], s.best)
		try.Of(s.scores([][]float64{s.best}))
	}
}

// mostMoves is the largest number of moves whose scores are computed at once.
const mostMoves = 24

// promising returns the moves of the partition that gain most by the derivatives of the evidence, at most mostMoves.
func (s *search) promising() (_ []partition, err error) {
	defer try.Caught(&err)
	alike, moves := try.Of(s.alikeness(s.best)), s.groups.moves()
	gain := func(q partition) float64 {
		return lists.Sum(indices.All(len(q)), func(v int) (sum float64) {
			for w := range v {
				sum += alike.At(v, w) * float64(indices.Indicator(q[v] == q[w])-indices.Indicator(s.groups[v] == s.groups[w]))
			}
			return sum
		})
	}
	slices.SortStableFunc(moves, func(p, q partition) int { return cmp.Compare(gain(q), gain(p)) })
	return moves[:min(len(moves), mostMoves)], nil
}

// scoresOf returns the scores of partitions at the best hyperparameters.
func (s *search) scoresOf(some []partition) ([]float64, error) {
	return lists.Try(len(some), func(k int) (float64, error) {
		out, err := s.parted(some[k], s.best).scores([][]float64{s.best})
		if err != nil {
			return 0, err
		}
		return out[0], nil
	})
}

// neighbours returns searches with other partitions, around the same hyperparameters as s.
func (s *search) neighbours(some []partition) (out []*search, err error) {
	defer try.Caught(&err)
	for _, p := range some {
		x := s.parted(p, s.best)
		try.Of(x.scores([][]float64{s.best}))
		x.center, x.root, x.logDet = s.center, s.root, s.logDet
		x.bank, x.bankScores = s.bank, slices.Repeat([]float64{math.Inf(-1)}, len(s.bank))
		at := indices.Where(len(s.bank), func(k int) bool { return s.bankScores[k] > s.bestScore-negligible })
		if len(at) > 0 {
			for k, score := range try.Of(x.scores(indices.Of(s.bank, at))) {
				x.bankScores[at[k]] = score
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// TaskGroups are groups of tasks that the measurements suggest.
type TaskGroups struct {
	Groups      [][]string `json:"groups"`      // names of the tasks of each group
	Probability float64    `json:"probability"` // posterior probability of exactly these groups
}

// taskGroups returns the most probable partition of tasks, nil if that is a single group.
func (d *data) taskGroups(found []weighed) *TaskGroups {
	weights, of := map[string]float64{}, map[string]partition{}
	for _, w := range found {
		key := string(w.groups.key())
		weights[key] += w.weight
		of[key] = w.groups
	}
	best := slices.MaxFunc(lists.Map(found, func(w weighed) string { return string(w.groups.key()) }), func(a, b string) int {
		return cmp.Compare(weights[a], weights[b])
	})
	if of[best] == nil {
		return nil
	}
	groups := lists.Map(indices.Groups(of[best].count(), of[best]), func(tasks []int) []string { return indices.Of(d.p.Tasks.Names, tasks) })
	return &TaskGroups{groups, weights[best]}
}
