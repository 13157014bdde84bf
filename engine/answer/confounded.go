package answer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// apartBy returns the measured arms of each task, in groups that no chain of common blocks connects. Between groups, the
// data cannot separate arms from blocks. It returns nil if there are fewer than two blocks.
func apartBy(p *problem.Problem) [][][]int {
	if len(p.Blocks) < 2 {
		return nil
	}
	root := indices.All(p.N() + len(p.Blocks)) // arms, then blocks: union-find roots
	find := func(k int) int {
		for root[k] != k {
			root[k] = root[root[k]]
			k = root[k]
		}
		return k
	}
	measured := make([]bool, p.N())
	for _, r := range p.Rows {
		measured[r.Arm] = true
		root[find(r.Arm)] = find(p.N() + r.Block)
	}
	return lists.Map(p.Groups(), func(arms []int) [][]int {
		return lists.Groups(lists.Where(arms, func(i int) bool { return measured[i] }), find)
	})
}

// confounded returns a warning that names the options whose effects cannot be separated from blocks; "" if there are none.
func confounded(p *problem.Problem) string {
	words, block := p.Words(), "block"
	if p.Long != nil {
		block = strings.Join(p.Long.Blocks, ", ")
	}
	var of []string // names of the affected tasks
	var text string // text of the first task
	for v, groups := range apartBy(p) {
		if len(groups) < 2 {
			continue
		}
		if of = append(of, p.Tasks.Names[v]); len(of) > 1 {
			continue
		}
		named := lists.Map(groups[:min(len(groups), mostNamed+1)], func(group []int) string {
			var blocks []string
			for _, r := range p.Rows {
				if slices.Contains(group, r.Arm) {
					blocks = lists.Add(blocks, p.Blocks[r.Block])
				}
			}
			options := lists.Map(group, func(i int) string { return words.ArmLabel(p.Arms.Names[i]) })
			return sentence.List(options, mostNamed) + " in " + sentence.List(blocks, mostNamed)
		})
		if text = strings.Join(named, "; "); len(groups) > len(named) {
			text += fmt.Sprintf("; and %d more groups", len(groups)-len(named))
		}
	}
	if len(of) == 0 {
		return ""
	}
	at := ""
	if p.V() > 1 {
		at, text = "at "+sentence.List(of, mostNamed)+" ", "of "+of[0]+": "+text
	}
	return fmt.Sprintf("%[1]sthe effects of options and of %[2]s are confounded. Groups of options share no %[2]s: %[3]s. "+
		"An option that looks better may have had a better %[2]s. Measure options of different groups in the same %[2]s", at, block, text)
}

// doubted returns a posterior that allows for confounded blocks: groups of options without a common block may differ
// because of their blocks. A kernel could explain the whole difference by features, although a drift between blocks would
// look the same. V is the variance between the group means of a task. Each group gets a random error, so that the
// posterior variance of its mean is at least V/2. Thus up to half of a difference may come from blocks. Counts are
// returned unchanged, because their model has no blocks.
func doubted(b *belief.Belief) *belief.Belief {
	p := b.Problem
	apart := apartBy(p)
	if b.Scatter.Kind == belief.ScatterCounts || !slices.ContainsFunc(apart, func(groups [][]int) bool { return len(groups) > 1 }) {
		return b
	}
	out := *b
	out.Draws = mat.DenseCopyOf(b.Draws)
	means, rng := p.Means(), rand.New(rand.NewPCG(7, 7))
	count, _ := b.Draws.Dims()
	for v, groups := range apart {
		if len(groups) < 2 {
			continue
		}
		of := func(row []float64, group []int) float64 { return stat.Mean(indices.Of(row, group), nil) }
		half := stat.Variance(lists.Map(groups, func(group []int) float64 { return of(means, group) }), nil) / 2
		lo, hi := p.ArmsOf(v)
		for _, group := range groups {
			drawn := lists.Make(count, func(k int) float64 {
				row := b.Draws.RawRowView(k)
				return of(row, group) - stat.Mean(row[lo:hi], nil)
			})
			sd := math.Sqrt(max(0, half-stat.Variance(drawn, nil)))
			for k := range count {
				row, z := out.Draws.RawRowView(k), sd*rng.NormFloat64()
				for _, i := range group {
					row[i] += z
				}
			}
		}
	}
	return &out
}
