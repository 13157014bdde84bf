package jetstream_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every row of the table of faults of the server names a test that is there.
func TestEveryRowIsTested(t *testing.T) {
	text, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "## What each fault does to the server\n")
	table, _, _ = strings.Cut(table, "\n## ")
	names := regexp.MustCompile("`(Test[A-Za-z]+)` \\|").FindAllStringSubmatch(table, -1)
	if rows := strings.Count(table, "\n| ") - 1; !found || len(names) < 10 || len(names) != rows {
		t.Fatalf("%d of %d rows name tests", len(names), rows)
	}
	all := ""
	files, _ := filepath.Glob("*_test.go")
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all += string(source)
	}
	for _, name := range names {
		if !strings.Contains(all, "func "+name[1]+"(t *testing.T)") {
			t.Errorf("docs/operations.md names %s, which is no test of this package", name[1])
		}
	}
}
