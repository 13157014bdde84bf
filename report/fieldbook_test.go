package report

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
)

// A field book has a row for each measurement, under the names of the data, in an order that the seed decides.
func TestFieldBook(t *testing.T) {
	pull := func(task, variety string, block, count int) answer.Pull {
		return answer.Pull{Task: task, Arm: variety, Features: map[string]any{"variety": variety}, Block: block, Count: count}
	}
	a := answer.Answer{Tasks: []string{"site"}, Columns: []string{"variety"}, Measured: []string{"yield"}, Blocks: []string{"site", "year", "block"},
		TaskValues: map[string][]string{"Gent": {"Gent"}, "Lund": {"Lund"}},
		Next:       []answer.Pull{pull("Gent", "V1", 1, 1), pull("Gent", "V2", 1, 2), pull("Lund", "V1", 2, 1), pull("Lund", "V3", 2, 1)}}
	book := FieldBook(a, 1)
	var names []string
	for _, c := range book.Columns {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"position", "site", "year", "block", "variety", "yield", "note"}) || len(book.Rows) != 5 {
		t.Fatalf("columns %q, %d rows", names, len(book.Rows))
	}
	for k, row := range book.Rows {
		site, block := "Gent", "new1"
		if k >= 3 {
			site, block = "Lund", "new2"
		}
		if row[0] != k+1 || row[1] != site || row[2] != nil || row[3] != block || row[5] != nil {
			t.Errorf("row %v", row)
		}
	}
	works := 0.25
	for k := range a.Next {
		a.Next[k].Works = &works
	}
	if failed := FieldBook(a, 1); failed.Columns[7].Name != "works_probability" || failed.Rows[2][7] != Chance(0.25) {
		t.Errorf("after failures: columns %v, row %v", failed.Columns, failed.Rows[2])
	}
	for k := range a.Next {
		a.Next[k].Works = nil
	}
	orders := map[string]bool{}
	for seed := range 20 {
		orders[fmt.Sprint(FieldBook(a, seed).Rows[:3])] = true
	}
	if len(orders) != 3 || fmt.Sprint(FieldBook(a, 1)) != fmt.Sprint(book) {
		t.Errorf("%d orders of a block of V1, V2, V2", len(orders))
	}
}
