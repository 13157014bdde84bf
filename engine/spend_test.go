package engine

import (
	"slices"
	"testing"
)

// TestBatchesAreFilled checks that budgets are spent in whole batches, in at most as many rounds as there are batches, and in the stated
// number of rounds.
func TestBatchesAreFilled(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		want []int
	}{
		{Options{Total: 48, Batch: 24, MaxRounds: 30}, []int{24, 24}},
		{Options{Total: 200, Batch: 24, MaxRounds: 30}, []int{48, 48, 48, 24, 24, 8}},
		{Options{Total: 100, Batch: 24, Rounds: 3, MaxRounds: 30}, []int{48, 48, 4}},
		{Options{Total: 48, Rounds: 1, MaxRounds: 30}, []int{48}},
		{Options{Total: 48, Batch: 24, Rounds: 4, MaxRounds: 30}, []int{12, 12, 12, 12}},
		{Options{Budget: 12, Batch: 96, MaxRounds: 30}, []int{48}},
		{Options{Budget: 12, MaxRounds: 30}, []int{8, 8, 8, 8, 8, 8}},
	} {
		left, got := c.opt.Pulls(4), []int(nil)
		for n := c.opt.Parts(left, 6); n > 0; n-- {
			k := c.opt.Part(left/n, left, n-1)
			got, left = append(got, k), left-k
		}
		if !slices.Equal(got, c.want) || left != 0 {
			t.Errorf("%+v: rounds of %v and %d left, want %v", c.opt, got, left, c.want)
		}
	}
}
