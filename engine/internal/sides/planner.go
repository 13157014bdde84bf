package sides

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Planner arranges arms in blocks. The leader of a task is in every block of a round, and each open arm in as many blocks
// as it needs. If a block has places for all arms, the arms share the same blocks. Otherwise they are spread evenly over
// blocks of the given size.
type Planner struct {
	law     string // Options.Law
	Size    int    // number of places of a block; 0 means unlimited
	control []int  // by task: the arm that is in every block; -1 if there is none
}

// NewPlanner returns a planner for the blocks of a problem. Blocks that are too small for a leader and a rival, and tasks
// without the control, are errors.
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

// Arrange returns blocks of a task in which rivals[k] has pulls[k] pulls. Every block contains the leader and the control.
func (b *Planner) Arrange(task, leader int, rivals, pulls []int) []engine.Side {
	fixed, control := []int{leader}, b.control[task]
	if control >= 0 && control != leader {
		fixed = append(fixed, control)
	}
	var order []int // positions in rivals, in descending order of their pulls
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
	for _, k := range order { // one pull in each of consecutive blocks, cyclically
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

// Errors for changes that runs with blocks do not support.
var (
	ErrCounts = fmt.Errorf("%w: arms are measured in blocks, but counts do not show which arms share a block", engine.ErrFixedPlans)
	// added arms were in no block so far
	ErrAdded = fmt.Errorf("arms cannot be added to a run whose arms are measured in blocks: %w", engine.ErrFixedQuestion)
)

// Check returns an error for a side without arms or blocks, or with arms that are unsorted, repeated, unknown or from
// several tasks.
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
