package campaign

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Slot is one pull of a round: the number-th of its arm, from 1, and its place on a plate. A slot
// without a plate has Plate 0.
type Slot struct {
	Arm      int `json:"arm"`
	Number   int `json:"number"`
	Plate    int `json:"plate,omitempty"`    // from 1
	Position int `json:"position,omitempty"` // on the plate, from 1
	Block    int `json:"block,omitempty"`    // from 1, of arms that are measured side by side
}

// worklist returns the pulls of a round in the order in which they are handed out. Plates of the
// given size are each a balanced sample of the round: pull j of n of an arm has the key (j + u)/n,
// with one u for all arms of a task, and a plate takes the pulls of the next keys. So rivals of one task
// stand on the same plates in equal numbers, as nearly as whole pulls can, and what is common to a
// plate cancels in their difference. The order on a plate, and among equal keys, is random. A size
// of 0 makes one balanced list without plates.
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
			task, offset, tie = taskOf[i], rng.Float64(), rng.Float64()
		}
		for j := range n {
			all = append(all, keyed{Slot{Arm: i, Number: j + 1}, (float64(j) + offset) / float64(n), tie})
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.tie, b.tie)) })
	out := make([]Slot, len(all))
	for i, k := range all {
		out[i] = k.Slot
	}
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

// cut returns counts of most pulls altogether in the proportions of the given ones, by largest
// remainders [Balinski and Young 1982, Hamilton's method]; equal remainders in random order. Counts
// that fit already are returned as they are.
func cut(counts []int, most int, seed uint64) []int {
	total := 0
	for _, n := range counts {
		total += n
	}
	if most <= 0 || total <= most {
		return counts
	}
	rng := rand.New(rand.NewPCG(seed, 0x637574)) // "cut"
	out := make([]int, len(counts))
	order := rng.Perm(len(counts))
	left := most
	for i, n := range counts {
		out[i] = n * most / total
		left -= out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b]*most%total - counts[a]*most%total })
	for _, i := range order[:left] {
		out[i]++
	}
	return out
}
