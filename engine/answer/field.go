package answer

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// newBlocks are the new blocks of a plan, with their limits. If each block of the data belongs to one task, each new block
// does, too. A group is the blocks of one task, or all blocks.
type newBlocks struct {
	groups   int
	nested   bool
	size     []int  // by group: median size of the blocks in the data
	number   []int  // by group: number of blocks in the data
	perBlock int    // most measurements of an option in a block; 0 for no limit
	distinct int    // most different options in the plan; 0 for no limit
	checks   []bool // by arm: whether it is in every block of its task; nil without checks
}

// constrain sets q.blocks from the data and the options. It returns a *CheckError for a check that is not an option of any
// task.
func (q *planner) constrain(opt Options) error {
	p, out := q.b.Problem, newBlocks{groups: 1, perBlock: opt.PerBlock, distinct: opt.Distinct}
	of, sizes := slices.Repeat([]int{-1}, len(p.Blocks)), make([]float64, len(p.Blocks))
	out.nested = q.b.Blocks > 0 && p.V() > 1
	for _, r := range p.Rows {
		if q.b.Blocks == 0 {
			break
		}
		v := p.TaskOf[r.Arm]
		out.nested = out.nested && (of[r.Block] < 0 || of[r.Block] == v)
		of[r.Block] = v
		sizes[r.Block] += r.Count
	}
	if out.nested {
		out.groups = p.V()
	}
	out.number = make([]int, out.groups)
	out.size = lists.Make(out.groups, func(g int) int {
		all := indices.Of(sizes, indices.Where(len(sizes), func(k int) bool { return !out.nested || of[k] == g }))
		out.number[g] = len(all)
		if len(all) == 0 {
			all = slices.Clone(sizes)
		}
		if slices.Sort(all); len(all) == 0 {
			return math.MaxInt
		}
		return max(1, int(stat.Quantile(0.5, stat.Empirical, all, nil)))
	})
	for _, name := range opt.Checks {
		found := false
		for i := range p.N() {
			if p.Arms.Names[i] != name && labelOf(p, columnsOf(p), i) != name {
				continue
			}
			if found = true; out.checks == nil {
				out.checks = make([]bool, p.N())
			}
			out.checks[i] = true
		}
		if !found {
			return &CheckError{Name: name}
		}
	}
	q.blocks = out
	return nil
}

// CheckError reports a check that is not an option of any task.
type CheckError struct{ Name string }

func (e *CheckError) Error() string {
	return fmt.Sprintf("no option has the name %q, so it cannot be in every block; write it as the table does", e.Name)
}

func columnsOf(p *problem.Problem) []string {
	if p.Long == nil {
		return nil
	}
	return p.Long.Arm
}

func (n *newBlocks) isCheck(i int) bool { return n.checks != nil && i >= 0 && n.checks[i] }

// groupOf returns the group of the blocks of arm i. A weighted mean (i < 0) has no blocks; for it, groupOf returns 0.
func (n *newBlocks) groupOf(p *problem.Problem, i int) int {
	if !n.nested || i < 0 {
		return 0
	}
	return p.TaskOf[i]
}

// costs returns the costs of the arms; nil if all cost the same.
func (q *planner) costs() []float64 { return q.b.Problem.Cost }

// cost returns the cost of a measurement of an arm of the shortlist.
func (q *planner) cost(k int) float64 {
	if costs := q.costs(); costs != nil {
		return costs[q.arms[k]]
	}
	return 1
}

// usualCost returns the mean cost of one measurement of the arms that the batch may contain.
func (b *batch) usualCost() float64 {
	return lists.Sum(b.within, b.cost) / float64(len(b.within))
}

// spent returns the cost of all measurements in the batch, including the checks in its blocks.
func (b *batch) spent() float64 {
	sum := 0.0
	for k, n := range b.counts {
		if n > 0 {
			sum += b.cost(k) * float64(n)
		}
	}
	if b.blocks.checks == nil {
		return sum
	}
	for _, counts := range b.inBlocks(b.counts) {
		for k, n := range counts {
			if n > 0 && b.blocks.isCheck(b.arms[k]) {
				sum += b.cost(k) * float64(n)
			}
		}
	}
	return sum
}

// add adds one measurement of the most valuable arm among those that the limits allow and that cost at most left. It
// returns false if there is no such arm, or if its block would need checks that cost too much.
func (b *batch) add(repeated int, left float64) bool {
	allowed, before := b.allowed(left), b.spent()
	if len(allowed) == 0 {
		return false
	}
	at := b.choose(allowed, repeated)
	b.counts[at]++
	fits := b.spent() <= before+left+1e-9 // a new block may need checks
	if b.counts[at]--; fits {
		b.take(at, 1)
	}
	return fits
}

// allowed returns the positions of the arms that the batch may measure once more at a cost of at most left.
func (b *batch) allowed(left float64) []int {
	n := &b.blocks
	p := b.b.Problem
	planned, names := make([]int, n.groups), map[string]bool{} // measurements of each group; names of options
	for k, count := range b.counts {
		if count > 0 {
			planned[n.groupOf(p, b.arms[k])] += count
			names[p.Arms.Names[b.arms[k]]] = true
		}
	}
	return lists.Where(b.within, func(k int) bool {
		i := b.arms[k]
		g := n.groupOf(p, i)
		if n.isCheck(i) || b.cost(k) > left+1e-9 || n.distinct > 0 && len(names) >= n.distinct && !names[p.Arms.Names[i]] {
			return false
		}
		// An option that is often repeated needs many blocks: no more of them than the data have, or than the plan fills.
		most := n.most(p, g)
		return most == 0 || b.counts[k] < most*max(n.number[g], planned[g]/n.size[g]+1)
	})
}

// most returns the largest number of times that an option may be in a block of a group; 0 means no limit.
func (n *newBlocks) most(p *problem.Problem, group int) int {
	if n.perBlock > 0 || !n.nested {
		return n.perBlock
	}
	lo, hi := p.ArmsOf(group)
	return (n.size[group] + hi - lo - 1) / (hi - lo)
}

// inBlocks distributes measurements over new blocks no larger than the median block of the data, and adds the checks of each block. An
// arm's measurements go to consecutive blocks, cyclically, so its counts per block differ by at most one. It returns one block if the
// data have none.
func (q *planner) inBlocks(counts []int) (out [][]int) {
	n, p := &q.blocks, q.b.Problem
	if q.b.Blocks == 0 {
		all := slices.Clone(counts)
		for k := range all {
			if n.isCheck(q.arms[k]) {
				all[k]++
			}
		}
		return [][]int{all}
	}
	for g := range n.groups {
		arms := indices.Where(len(counts), func(k int) bool { return q.arms[k] >= 0 && n.groupOf(p, q.arms[k]) == g })
		checks := lists.Where(arms, func(k int) bool { return n.isCheck(q.arms[k]) })
		total, most := 0, 0
		for _, k := range arms {
			total, most = total+counts[k], max(most, counts[k])
		}
		if total == 0 {
			continue
		}
		size := max(n.size[g]-len(checks), 1)
		blocks := (total-1)/size + 1
		if each := n.most(p, g); each > 0 {
			blocks = max(blocks, (most-1)/each+1)
		}
		own, at := lists.Make(blocks, func(int) []int { return make([]int, len(counts)) }), 0
		for _, k := range arms {
			for range counts[k] {
				own[at%blocks][k]++
				at++
			}
		}
		for _, block := range own {
			for _, k := range checks {
				block[k]++
			}
		}
		out = append(out, own...)
	}
	return out
}

// first returns the arms of a block in the order of a plan, the checks first.
func (n *newBlocks) first(q *planner, order, counts []int) []int {
	checks := indices.Where(len(counts), func(k int) bool { return counts[k] > 0 && n.isCheck(q.arms[k]) })
	return append(checks, order...)
}
