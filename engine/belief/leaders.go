package belief

import (
	"cmp"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Leaders returns, for each task, at most the given number of arms that are the best in the most draws. The result is
// sorted over all tasks, the arms with the most draws first. Arms that are never the best are left out.
func (b *Belief) Leaders(most int) []int {
	count, _ := b.Draws.Dims()
	var out []int
	groups, wins := b.Problem.Groups(), make([]int, b.Problem.N())
	for _, arms := range groups {
		for i := range count {
			row := b.Draws.RawRowView(i)
			wins[slices.MaxFunc(arms, func(x, y int) int { return cmp.Compare(row[x], row[y]) })]++
		}
	}
	byWins := func(x, y int) int { return wins[y] - wins[x] }
	for _, arms := range groups {
		arms = lists.Where(arms, func(i int) bool { return wins[i] > 0 })
		slices.SortStableFunc(arms, byWins)
		out = append(out, arms[:min(most, len(arms))]...)
	}
	slices.SortStableFunc(out, byWins)
	return out
}
