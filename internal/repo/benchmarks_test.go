package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	target = regexp.MustCompile(`^make ([\w-]+)`)
	call   = regexp.MustCompile(`^\w+\(`)
)

// Every row of internal/repo/budgets.md has a budget, what was measured, and what makes the number again: tests and benchmarks
// as folder.Name, targets of make, files or calls of the language that exist. It stays one page.
func TestBudgets(t *testing.T) {
	const document, most = "internal/repo/budgets.md", 8 << 10
	if n := len(read(t, document)); n > most {
		t.Errorf("%s has %d bytes, more than %d: details belong beside the tool", document, n, most)
	}
	exists := sourceLookup(t)
	for _, cells := range rows(t, document, "work") {
		if len(cells) != 4 || cells[1] == "" || cells[2] == "" {
			t.Fatalf("%s: want work, budget, measured, made by; got %q", document, cells)
		}
		sources := quoted(cells[3])
		if len(sources) == 0 {
			t.Errorf("%s: %s: nothing makes the number again", document, cells[0])
		}
		for _, source := range sources {
			if !exists(source) {
				t.Errorf("%s: %s: there is no %s", document, cells[0], source)
			}
		}
	}
}

// sourceLookup returns a function that reports whether the source of a number exists: a test or benchmark as folder.Name,
// a target of make, a file, or a call of the language.
func sourceLookup(t *testing.T) func(source string) bool {
	tests, makefile, functions := testFunctions(t), read(t, "Makefile"), read(t, "docs/reference/functions.md")
	return func(source string) bool {
		if made := target.FindStringSubmatch(source); made != nil {
			return strings.Contains(makefile, "\n"+made[1]+":")
		}
		if name := call.FindString(source); name != "" {
			return strings.Contains(functions, "\n`"+name)
		}
		if tests[source] {
			return true
		}
		_, err := os.Stat(filepath.Join(root, source))
		return err == nil && strings.ContainsAny(source, "./")
	}
}
