package sides

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Every arm has the pulls it was to have, leader and control are in every block, and no block has more arms than
// places. Blocks that hold all are the same for all rivals.
func TestBlocksAreArranged(t *testing.T) {
	rivals, pulls := []int{0, 1, 3, 4, 5, 6}, []int{2, 5, 1, 4, 3, 2}
	for size := range 9 {
		for _, control := range []int{-1, 1, 2, 8} {
			if size == 1 || size == 2 && control >= 0 {
				continue
			}
			b := Planner{Size: size, control: []int{control}}
			sides := b.Arrange(0, 2, rivals, pulls)
			counts, blocks := engine.CountsOf(sides, 9), 0
			for _, s := range sides {
				blocks += s.Blocks
				if size > 0 && len(s.Arms) > size || !slices.IsSorted(s.Arms) || len(slices.Compact(slices.Clone(s.Arms))) < len(s.Arms) {
					t.Errorf("size %d: a block of %v", size, s.Arms)
				}
			}
			for k, i := range rivals {
				if counts[i] != pulls[k] && i != control {
					t.Errorf("size %d, control %d: arm %d has %d pulls, want %d", size, control, i, counts[i], pulls[k])
				}
			}
			if counts[2] != blocks || control >= 0 && counts[control] != blocks {
				t.Errorf("size %d, control %d: pulls %v in %d blocks", size, control, counts, blocks)
			}
			if size == 0 && blocks != 5 {
				t.Errorf("%d blocks that hold all, want the neediest arm's 5", blocks)
			}
		}
	}
}
