package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestWideTable: a table that is too wide goes on below, by the columns that tell its rows apart, and no line is wider than the terminal.
func TestWideTable(t *testing.T) {
	x := Table{Columns: []Column{number("gap", "gap", ""), text("algorithm", "Algorithm")}}
	rows := [][]any{{0.1, "CoTestFC"}, {0.1, "CoBayesFC"}, {0.2, "CoTestFC"}}
	for _, name := range []string{"Samples per agent", "Communication (bytes)", "Rounds"} {
		x.Columns = append(x.Columns, number(name, name, ""))
		for k := range rows {
			rows[k] = append(rows[k], strings.Repeat("x", 30))
		}
	}
	x.Rows = rows
	var b strings.Builder
	try.To(Text(&b, Document{Displays: []Display{{Value: x}}}, TextOptions{Width: 80}))
	for line := range strings.Lines(b.String()) {
		if utf8.RuneCountInString(strings.TrimSpace(line)) > 80 {
			t.Errorf("a line of %d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
	if n := strings.Count(b.String(), "CoBayesFC"); n != 2 {
		t.Errorf("row names stand %d times, want 2:\n%s", n, b.String())
	}
}
