// Package faulttable checks tables of faults in documents: each row must name an existing test.
package faulttable

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var named = regexp.MustCompile("`(Test[A-Za-z0-9]+)` \\|")

// Check fails if a row of the table below the heading does not name a test of the package in the working folder. It also
// fails if the table has fewer than least rows.
func Check(t testing.TB, document, heading string, least int) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n## "+heading)
	table, _, _ = strings.Cut(table, "\n## ")
	names := named.FindAllStringSubmatch(table, -1)
	rows := strings.Count(table, "\n| ") - 1 // without the header row
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
