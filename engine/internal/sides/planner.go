package sides

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Planner puts the leader of a task into every block of a round, and each open arm into as many as it
// needs: into the same as the others where blocks hold all, else evenly over blocks of their size.
type Planner struct {
	law     string // of the noise
	Size    int    // places of a block; 0 is any number
	control []int  // by task: the arm that is in every block; -1 without one
}

// NewPlanner prepares it for the blocks of a problem, and reports those that have no room for a leader and a rival.
func NewPlanner(p *problem.Problem, law string) (*Planner, error) {
	out := &Planner{law: law, Size: p.Block.Size, control: slices.Repeat([]int{-1}, p.V())}
	least := 2
	if name := p.Block.Control; name != "" {
		least = 3
		for v := range p.V() {
			at := p.ArmNamed(v, name)
			if at < 0 {
				return nil, fmt.Errorf("task %q has no arm %q, which was to be the control of every block (control=)", p.Tasks.Names[v], name)
			}
			out.control[v] = at
		}
	}
	if out.Size != 0 && out.Size < least {
		return nil, fmt.Errorf("a block must have at least %d places (block_size=), for a leader, a rival%s, got %d",
			least, map[int]string{2: "", 3: " and the control"}[least], out.Size)
	}
	return out, nil
}

// Arrange returns blocks in which each rival of a leader has so many pulls, with leader and control in all of them.
func (b *Planner) Arrange(task, leader int, rivals, pulls []int) []engine.Side {
	fixed, control := []int{leader}, b.control[task]
	if control >= 0 && control != leader {
		fixed = append(fixed, control)
	}
	var order []int // places in rivals, the neediest first
	count, sum := 0, 0
	for k, i := range rivals {
		if count = max(count, pulls[k]); i != control {
			order, sum = append(order, k), sum+pulls[k]
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(pulls[y], pulls[x]) })
	whole := b.Size == 0 || len(order)+len(fixed) <= b.Size
	if room := b.Size - len(fixed); !whole {
		count = max(count, (sum+room-1)/room)
	}
	blocks := lists.Make(count, func(int) []int { return slices.Clone(fixed) })
	next := 0
	for _, k := range order { // one pull in each of consecutive blocks; the first follows the last
		if whole {
			next = 0
		}
		for range pulls[k] {
			blocks[next%count] = append(blocks[next%count], rivals[k])
			next++
		}
	}
	sides, _ := engine.SidesOf(blocks, b.law)
	return sides
}

// Why rounds of blocks do not change as others do.
var (
	ErrCounts = fmt.Errorf("%w: arms are measured in blocks, but counts do not show which arms share a block", engine.ErrFixedPlans)
	// added arms were in no block so far
	ErrAdded = fmt.Errorf("arms cannot be added to a run whose arms are measured in blocks: %w", engine.ErrFixedQuestion)
)

// Check reports a side that has none or arms of several tasks.
func Check(p *problem.Problem, s engine.Side) error {
	switch {
	case len(s.Arms) == 0 || s.Blocks < 1:
		return fmt.Errorf("a block needs at least one arm, and a set of arms at least one block, got %d arms and %d "+
			"blocks", len(s.Arms), s.Blocks)
	case !slices.IsSorted(s.Arms) || s.Arms[0] < 0 || s.Arms[len(s.Arms)-1] >= p.N() ||
		len(slices.Compact(slices.Clone(s.Arms))) != len(s.Arms):
		return fmt.Errorf("the arms of a block must be different numbers from 0 to %d in rising order, got %v", p.N()-1, s.Arms)
	case p.TaskOf[s.Arms[0]] != p.TaskOf[s.Arms[len(s.Arms)-1]]:
		return fmt.Errorf("the arms of a block must belong to one task, got %s and %s", p.Where(s.Arms[0]), p.Where(s.Arms[len(s.Arms)-1]))
	}
	return nil
}
