package repo

import (
	"strings"
	"testing"
)

// Every row of the first table of internal/repo/faults.md names tests that exist, as folder.Test, which
// make faults runs. Every test that begins with TestFault has a row.
func TestLedgerOfFaults(t *testing.T) {
	tests := testFunctions(t)
	named := map[string]bool{}
	for _, cells := range rows(t, "internal/repo/faults.md") {
		target := len(cells) == 2 // of the table of fuzzing
		if !target && len(cells) != 4 {
			t.Fatalf("internal/repo/faults.md: want what is tried, how often, outcome, tests; got %q", cells)
		}
		tries := quoted(cells[len(cells)-1])
		if target {
			tries = quoted(cells[0])
		}
		if len(tries) == 0 {
			t.Errorf("internal/repo/faults.md: %s: no test", cells[0])
		}
		for _, name := range tries {
			// TestScripts/store
			test, _, _ := strings.Cut(name[strings.LastIndex(name, ".")+1:], "/")
			whole := name[:strings.LastIndex(name, ".")+1] + test
			if named[whole] = true; !tests[whole] {
				t.Errorf("internal/repo/faults.md: %s: there is no test %s", cells[0], name)
			}
		}
	}
	for name := range tests {
		if strings.Contains(name, ".TestFault") && !named[name] {
			t.Errorf("%s has no row in internal/repo/faults.md", name)
		}
	}
}
