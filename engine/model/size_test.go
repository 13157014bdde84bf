package model

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The table of docs/architecture.md has the rows of Regimes, in order, and no others.
func TestRegimesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Regimes of size\n")
	if !found {
		t.Fatal("docs/architecture.md has no section Regimes of size")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var got []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what ") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	var want []string
	for _, r := range Regimes() {
		want = append(want, fmt.Sprintf("| %s | %d %s | %s | %s | %s |", r.What, r.Most, r.Of, r.Within, r.Beyond, r.Why))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("docs/architecture.md, Regimes of size, has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
