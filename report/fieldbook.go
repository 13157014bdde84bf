package report

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// FieldBook returns the proposed measurements of an answer as a table to fill in. It has one row per measurement, in
// random order within each block. The columns have the names of the data's columns. Columns for measured values, and all
// columns of blocks except the last, are empty. If measurements failed, a last column has the probability that one gives a
// value. Equal seeds give equal orders.
func FieldBook(a answer.Answer, seed int) Table {
	tasks, arms, fill := a.Tasks, a.Columns, a.Measured
	if len(arms) == 0 { // the table has one row per arm, in the columns task and arm
		tasks, arms, fill = []string{"task"}, []string{"arm"}, []string{"reward"}
	}
	blocks := lists.Where(a.Blocks, func(name string) bool { return !slices.Contains(tasks, name) })
	t := Table{Caption: "Field book", Columns: []Column{number("position", "position", "")}}
	for k, name := range slices.Concat(tasks, blocks, arms, fill, []string{"note"}) {
		byHand := k >= len(tasks) && k < len(tasks)+len(blocks)-1 || k >= len(tasks)+len(blocks)+len(arms)
		t.Columns = append(t.Columns, Column{Name: name, Title: name, Fill: byHand})
	}
	works := len(a.Next) > 0 && a.Next[0].Works != nil
	if works {
		t.Columns = append(t.Columns, worksColumn)
	}
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	for _, pulls := range lists.Groups(a.Next, func(p answer.Pull) int { return p.Block }) {
		first := len(t.Rows)
		for _, p := range pulls {
			values := a.TaskValues[p.Task]
			if len(a.Columns) == 0 {
				values = []string{p.Task}
			}
			row := append([]any{0}, anyOf(values)...)
			for k := range blocks {
				if k == len(blocks)-1 {
					row = append(row, fmt.Sprintf("new%d", p.Block))
				} else {
					row = append(row, nil)
				}
			}
			if len(a.Columns) == 0 {
				row = append(row, p.Arm)
			} else {
				row = append(row, lists.Map(arms, func(c string) any { return p.Features[c] })...)
			}
			row = append(row, make([]any, len(fill)+1)...)
			if works {
				row = append(row, Chance(*p.Works))
			}
			for range p.Count {
				t.Rows = append(t.Rows, slices.Clone(row))
			}
		}
		block := t.Rows[first:]
		random.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
	}
	for k, row := range t.Rows {
		row[0] = k + 1
	}
	return t
}

func anyOf(texts []string) []any { return lists.Map(texts, func(s string) any { return s }) }
