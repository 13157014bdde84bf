package headless

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// Difference is an output that is not the same in two executions.
type Difference struct {
	Cell   int    // from 1, among all cells
	Output int    // from 1; 0 when their number differs
	What   string // what differs, with the old and the new text
}

// String returns the difference in a line or a few.
func (d Difference) String() string {
	if d.Output == 0 {
		return fmt.Sprintf("cell %d: %s", d.Cell, d.What)
	}
	return fmt.Sprintf("cell %d, output %d: %s", d.Cell, d.Output, d.What)
}

// Compare says which outputs of a notebook differ after another execution. What
// cannot be the same is not compared: times, counts, progress, and the ids in HTML,
// which says nothing that the text and the JSON beside it do not say.
func Compare(old, new *notebook.Notebook) []Difference {
	var all []Difference
	for i := range min(len(old.Cells), len(new.Cells)) {
		before, after := old.Cells[i].Lasting(), new.Cells[i].Lasting()
		if len(before) != len(after) {
			all = append(all, Difference{i + 1, 0, fmt.Sprintf("%d outputs before, %d now", len(before), len(after))})
			continue
		}
		for j := range before {
			if what := differs(before[j], after[j]); what != "" {
				all = append(all, Difference{i + 1, j + 1, what})
			}
		}
	}
	if len(old.Cells) != len(new.Cells) {
		all = append(all, Difference{max(len(old.Cells), len(new.Cells)), 0,
			fmt.Sprintf("%d cells before, %d now", len(old.Cells), len(new.Cells))})
	}
	return all
}

// differs says what differs between two outputs, or "".
func differs(a, b notebook.Output) string {
	switch {
	case a.Type != b.Type:
		return fmt.Sprintf("was %s, is %s", a.Type, b.Type)
	case a.Type == notebook.Stream && (a.Name != b.Name || a.Text != b.Text):
		return lineThatDiffers(a.Name, a.Text, b.Text)
	case a.Type == notebook.Error && (a.ErrorName != b.ErrorName || a.ErrorValue != b.ErrorValue):
		return lineThatDiffers("error", a.ErrorName+": "+a.ErrorValue, b.ErrorName+": "+b.ErrorValue)
	}
	for _, media := range comparable(a, b) {
		if x, y := plain(a.Data[media]), plain(b.Data[media]); !reflect.DeepEqual(x, y) {
			return lineThatDiffers(media, fmt.Sprint(x), fmt.Sprint(y))
		}
	}
	return ""
}

// comparable returns the representations that two outputs are compared by: the value itself and the
// text where they are, all otherwise.
func comparable(a, b notebook.Output) []string {
	exact := []string{report.MediaType, "text/plain"}
	if a.Data[report.MediaType] != nil && b.Data[report.MediaType] != nil {
		return exact
	}
	if a.Data["text/plain"] != nil || b.Data["text/plain"] != nil {
		return exact[1:]
	}
	var all []string
	for media := range a.Data {
		all = append(all, media)
	}
	for media := range b.Data {
		if a.Data[media] == nil {
			all = append(all, media)
		}
	}
	return all
}

// plain makes a JSON value comparable: numbers as they were written.
func plain(v any) any {
	text, ok := v.(string)
	if ok || v == nil {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// lineThatDiffers shows the first line in which two texts differ.
func lineThatDiffers(what, a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		p, q := at(x, i), at(y, i)
		if p != q {
			return fmt.Sprintf("%s, line %d\n  - %.200s\n  + %.200s", what, i+1, p, q)
		}
	}
	return what + " differs"
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
