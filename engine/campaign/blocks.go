package campaign

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// InBlocks returns the protocol with arms that are measured in blocks. name is the name of a block, such as a day. size is
// the number of arms of a task in a block; 0 means all. control is the arm that every block contains; "" means none. A
// known block effect of the problem is kept, and the problem of p is not changed. The note that recommends blocks is
// removed.
func InBlocks(p Protocol, name string, size int, control string) Protocol {
	q := *p.Problem
	q.Block = &problem.Block{Name: name, Size: size, Control: control}
	if p.Problem.Block != nil {
		q.Block.Effect = p.Problem.Block.Effect
	}
	q.Notes = slices.DeleteFunc(slices.Clone(q.Notes), func(n problem.Note) bool { return n.Kind == problem.NoteBlocks })
	p.Problem = &q
	return p
}

// blockColumns returns the columns of the problem's table that name the block of a row; nil without such a table.
func blockColumns(p *problem.Problem) []string {
	if p.Long == nil {
		return nil
	}
	return p.Long.Blocks
}

// blockOf returns the block of a row of a sheet; "" if the row names none. In a row with an id, columns that every list
// has are ignored: the plates of a list differ from those of the table.
func blockOf(p *problem.Problem, row problem.SheetRow) string {
	var parts []string
	for _, c := range blockColumns(p) {
		if row.Empty(c) || slices.Contains(ownColumns, c) && !row.Empty("id") {
			return ""
		}
		parts = append(parts, row.Text(c))
	}
	return strings.Join(parts, ", ")
}

// checkBlocks returns an error if the algorithm cannot arrange blocks, or if a block does not fit on a plate. A block
// holds all arms of its task, or as many as its size states, and so the largest task decides.
func checkBlocks(p Protocol) error {
	b := p.Problem.Block
	if b == nil {
		return nil
	}
	e, err := p.Entry()
	if err == nil {
		err = e.Arranges(p.Problem)
	}
	if err != nil {
		return err
	}
	// the task with the most arms, and the number of its arms
	most, task := 0, ""
	for v, set := range p.Problem.Groups() {
		if len(set) > most {
			most, task = len(set), p.Problem.Tasks.Names[v]
		}
	}
	if b.Size > 0 {
		most = min(most, b.Size)
	}
	if p.Plate > 0 && most > p.Plate {
		return fmt.Errorf("a block must fit on one plate. A plate has %d places, but a block of task %q has up to %d arms. State "+
			"block_size=%d", p.Plate, task, most, p.Plate)
	}
	return nil
}

// blockList returns the pulls of a round, block after block. The blocks are in random order, and so are the arms in each.
// No block is on two plates. A side with n blocks yields n blocks of the same arms. plate is the number of positions on a
// plate; 0 without plates. The list is not recorded: it is computed again from the recorded seed.
func blockList(sides []engine.Side, plate int, seed uint64) []Slot {
	rng := rand.New(rand.NewPCG(seed, 0x626c6f636b)) // "block"
	var blocks [][]int
	for _, s := range sides {
		for range s.Blocks {
			blocks = append(blocks, slices.Clone(s.Arms))
		}
	}
	rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	var out []Slot
	// number counts the placed pulls of each arm; on is the present plate, and used the number of its positions taken
	number, on, used := map[int]int{}, 1, 0
	for k, arms := range blocks {
		rng.Shuffle(len(arms), func(i, j int) { arms[i], arms[j] = arms[j], arms[i] })
		// a block that does not fit begins the next plate, and places stay empty
		if plate > 0 && used > 0 && used+len(arms) > plate {
			on, used = on+1, 0
		}
		for _, i := range arms {
			number[i]++
			slot := Slot{Arm: i, Number: number[i], Block: k + 1}
			if plate > 0 {
				used++
				slot.Plate, slot.Position = on, used
			}
			out = append(out, slot)
		}
	}
	return out
}

// failed returns the number of failed pulls of an arm in a round of blocks. Such a block continues without the pull:
// measured elsewhere, the pull would not share the block's effect. It is 0 in rounds without blocks, where failed pulls
// are measured again.
func (s *State) failed(r *round, arm int) int {
	if r.plan.Sides == nil {
		return 0
	}
	return lists.Count(s.order, func(it *item) bool {
		return it.round == r.plan.Round && it.Arm == arm && it.failed != "" && it.result == nil
	})
}

// blocks returns the planned pulls grouped by block, in the order of the list.
func (r *round) blocks() [][]Slot {
	return lists.Groups(r.list, func(slot Slot) int { return slot.Block })
}

// wholeBlocks returns the unassigned pulls of as many whole blocks as fit into count pulls, but at least one block. Pulls
// for which asked is false are left out.
func (r *round) wholeBlocks(count int, asked func(Slot) bool) (out []Slot) {
	for _, block := range r.blocks() {
		open := lists.Where(block, func(slot Slot) bool { return r.nobodys(slot) && asked(slot) })
		// a later block might fit, but blocks are handed out in order
		if len(out) > 0 && len(out)+len(open) > count {
			break
		}
		out = append(out, open...)
	}
	return out
}

// measuredBlocks returns the sets of arms that were measured in the same blocks of a round (sides), and the means and
// deviations of each set (within). Blocks are processed by number, so that the order in which results arrived does not
// change any digit.
func (r *round) measuredBlocks(law string) (sides []engine.Side, within []engine.Within) {
	// by arm and number: the measured reward
	reward := map[[2]int]float64{}
	for m := range resultsOf([]*round{r}) {
		reward[[2]int{m.Arm, m.Number}] = m.Reward
	}
	var blocks [][]int
	var values []map[int]float64 // of each block, by arm
	for _, block := range r.blocks() {
		arms, of := []int(nil), map[int]float64{}
		for _, slot := range block {
			if y, reported := reward[[2]int{slot.Arm, slot.Number}]; reported {
				arms, of[slot.Arm] = append(arms, slot.Arm), y
			}
		}
		// skip blocks without any result
		if arms != nil {
			blocks, values = append(blocks, arms), append(values, of)
		}
	}
	// blocks with the same measured arms form one side; of[k] is the side of block k
	sides, of := engine.SidesOf(blocks, law)
	rewards := make([][]float64, len(sides)) // by side: its rewards, block after block
	for k, arms := range blocks {
		for _, i := range arms {
			rewards[of[k]] = append(rewards[of[k]], values[k][i])
		}
	}
	for k, s := range sides {
		within = append(within, withinOf(rewards[k], len(s.Arms)))
	}
	return sides, within
}

// withinOf returns the mean of each of n arms, and the n × n sums of products of their deviations. rewards holds n values
// per block, block after block.
func withinOf(rewards []float64, n int) engine.Within {
	out := engine.Within{Means: make([]float64, n), Products: make([]float64, n*n)}
	// rewards[k] is of arm k%n in block k/n
	for k, y := range rewards {
		out.Means[k%n] += y / float64(len(rewards)/n)
	}
	for from := 0; from < len(rewards); from += n {
		for i := range n {
			for j := range n {
				out.Products[i*n+j] += (rewards[from+i] - out.Means[i]) * (rewards[from+j] - out.Means[j])
			}
		}
	}
	return out
}

// Slot is one pull of a round: the arm, the number of the pull among the arm's, and its position on a plate. Plate is 0
// without plates.
type Slot struct {
	Arm      int `json:"arm"`                // number of the arm; in a State, its present number
	Number   int `json:"number"`             // number of the pull among the arm's, from 1
	Plate    int `json:"plate,omitempty"`    // from 1
	Position int `json:"position,omitempty"` // on the plate, from 1
	Block    int `json:"block,omitempty"`    // from 1, of arms that are measured side by side
}

// worklist returns the pulls of a round in the order in which they are handed out. counts and taskOf give the pulls and
// the task of each arm; size is the number of pulls on a plate. A size of 0 makes one balanced list without plates.
//
// Each plate is a balanced sample of the round. Pull j of the n pulls of an arm has the key (j + u)/n, with the same u for
// all arms of a task. Each plate gets the pulls with the next keys. So the arms of one task are on the same plates in
// equal numbers, as nearly as whole pulls can be. An effect common to a plate then cancels in their difference. The order
// on a plate, and among equal keys, is random.
//
// A change of this order changes the lists of recorded rounds: an event records the seed and not the list, which each fold
// computes again.
func worklist(counts, taskOf []int, size int, seed uint64) []Slot {
	rng := rand.New(rand.NewPCG(seed, 0x706c617465)) // "plate"
	type keyed struct {
		Slot
		key, tie float64
	}
	var all []keyed
	offset, tie, task := 0.0, 0.0, -1
	for i, n := range counts {
		if taskOf[i] != task {
			// all arms of a task have the same offset and tie, so that equal counts have equal keys and arms of a task
			// stay together
			task, offset, tie = taskOf[i], rng.Float64(), rng.Float64()
		}
		for j := range n {
			all = append(all, keyed{Slot{Arm: i, Number: j + 1}, (float64(j) + offset) / float64(n), tie})
		}
	}
	// the sort is stable: the shuffle makes the order of equal keys random
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.tie, b.tie)) })
	out := lists.Map(all, func(k keyed) Slot { return k.Slot })
	if size <= 0 {
		return out
	}
	for from := 0; from < len(out); from += size {
		plate := out[from:min(from+size, len(out))]
		rng.Shuffle(len(plate), func(i, j int) { plate[i], plate[j] = plate[j], plate[i] })
		for i := range plate {
			plate[i].Plate, plate[i].Position = from/size+1, i+1
		}
	}
	return out
}

// cut returns counts that sum to most, in the proportions of the given counts. It uses largest remainders [Balinski and
// Young 1982, Hamilton's method], with equal remainders in random order. If most is 0 or less, or the sum is not above it,
// the counts are returned unchanged.
func cut(counts []int, most int, seed uint64) []int {
	total := lists.Total(counts)
	if most <= 0 || total <= most {
		return counts
	}
	rng := rand.New(rand.NewPCG(seed, 0x637574)) // "cut"
	out := make([]int, len(counts))
	order := rng.Perm(len(counts))
	remaining := most
	for i, n := range counts {
		out[i] = n * most / total
		remaining -= out[i]
	}
	// largest remainders first; equal ones keep their random order
	slices.SortStableFunc(order, func(a, b int) int { return counts[b]*most%total - counts[a]*most%total })
	for _, i := range order[:remaining] {
		out[i]++
	}
	return out
}
