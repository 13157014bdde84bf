package cluster_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that the table of faults names is there.
func TestEveryRowIsTested(t *testing.T) {
	text := string(must(os.ReadFile("../../docs/operations.md")))
	_, table, found := strings.Cut(text, "## What each fault does to agents\n")
	table, _, _ = strings.Cut(table, "\n## ")
	names := regexp.MustCompile("`(Test[A-Za-z]+)` \\|").FindAllStringSubmatch(table, -1)
	if rows := strings.Count(table, "\n| ") - 1; !found || len(names) < 15 || len(names) != rows {
		t.Fatalf("%d of %d rows name tests", len(names), rows)
	}
	all := ""
	for _, path := range must(filepath.Glob("*_test.go")) {
		all += string(must(os.ReadFile(path)))
	}
	for _, name := range names {
		if !strings.Contains(all, "func "+name[1]+"(t *testing.T)") {
			t.Errorf("docs/operations.md names %s, which is no test of this package", name[1])
		}
	}
}
