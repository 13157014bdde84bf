package folder

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that the table of faults names is there.
func TestEveryRowIsTested(t *testing.T) {
	text, err := os.ReadFile("../../../docs/campaigns.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "## What each fault does")
	names := regexp.MustCompile("`(Test[A-Za-z]+)` \\|").FindAllStringSubmatch(table, -1)
	if !found || len(names) < 15 {
		t.Fatalf("%d rows name tests", len(names))
	}
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, path := range sources {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all += string(source)
	}
	for _, name := range names {
		if !strings.Contains(all, "func "+name[1]+"(t *testing.T)") {
			t.Errorf("docs/campaigns.md names %s, which is no test of this package", name[1])
		}
	}
}
