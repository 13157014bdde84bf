// Package faulttable checks tables of faults in documents against the tests that they name.
package faulttable

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var named = regexp.MustCompile("`(Test[A-Za-z0-9]+)` \\|")

// Check reports a table row below a heading that does not name a test of the package in this folder, and a table of fewer rows than
// least.
func Check(t testing.TB, document, heading string, least int) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n## "+heading)
	table, _, _ = strings.Cut(table, "\n## ")
	names := named.FindAllStringSubmatch(table, -1)
	rows := strings.Count(table, "\n| ") - 1 // without the header
	if !found || rows < least || len(names) != rows {
		t.Fatalf("%s: %d of %d rows below %q name tests, want all of at least %d", document, len(names), rows, heading, least)
	}
	paths, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all += string(source)
	}
	for _, name := range names {
		if !strings.Contains(all, "func "+name[1]+"(t *testing.T)") {
			t.Errorf("%s names %s, which is not a test of this package", document, name[1])
		}
	}
}
