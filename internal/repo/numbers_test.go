package repo

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// numbered are the pages whose numbers TestNumbers follows to their sources.
var numbered = []string{"docs/explanation/robustness.md", "docs/explanation/accuracy.md", "docs/explanation/benchmark-suite.md", "docs/adr/"}

var (
	fromFile = regexp.MustCompile(`(?m)^<!-- (\S+\.csv) -->\n((?:\|.*\n)+)`)
	measured = regexp.MustCompile(`\d[\d,.]* (?:%|runs|tables|samples|pulls|s\b|ms|MB|GB|kB)|\d ± \d|\[\d`)
	linked   = regexp.MustCompile(`\]\([^)]*\)`)
)

// A table of a page below a comment that names a CSV file has columns and rows of that file. A section with measured numbers
// names the test, target, file or call that makes them, or is the record of a decision that does. Every measured file is listed.
func TestNumbers(t *testing.T) {
	exists := sourceLookup(t)
	for _, page := range pages(t, "docs") {
		text := read(t, page)
		for _, found := range fromFile.FindAllStringSubmatch(text, -1) {
			compareTable(t, page, found[1], strings.TrimSpace(found[2]))
		}
		if !slices.ContainsFunc(numbered, func(prefix string) bool { return strings.HasPrefix(page, prefix) }) || page == "docs/adr/README.md" {
			continue
		}
		sections := strings.Split(text, "\n## ")
		if strings.HasPrefix(page, "docs/adr/") {
			sections = []string{text}
		}
		for _, section := range sections {
			prose := linked.ReplaceAllString(codeSpan.ReplaceAllString(section, ""), "]")
			if number := measured.FindString(prose); number != "" && strings.Contains(section, "|---") && !slices.ContainsFunc(quoted(section), exists) {
				heading, _, _ := strings.Cut(section, "\n")
				t.Errorf("%s, %q: nothing makes %q again: name a test, a target of make, a file or a call", page, heading, number)
			}
		}
	}
	listed := map[string]bool{}
	for _, cells := range rows(t, "internal/repo/measured.md") {
		listed[quoted(cells[0])[0]] = true
		if source := quoted(cells[1])[0]; !exists(source) {
			t.Errorf("internal/repo/measured.md: there is no %s", source)
		}
	}
	try.To(fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Base(path.Dir(name)) == "measured" && path.Ext(name) == ".csv" && !listed[name] && !listed[path.Dir(name)+"/"] {
			t.Errorf("internal/repo/measured.md does not list %s", name)
		}
		return err
	}))
}

// compareTable reports columns and rows of a page's table that its file does not have.
func compareTable(t *testing.T, page, file, table string) {
	records, err := csv.NewReader(strings.NewReader(read(t, file))).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var columns []int
	for k, line := range strings.Split(table, "\n") {
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cells = append(cells, strings.Trim(cell, " *"))
		}
		if k == 0 {
			for _, name := range cells {
				columns = append(columns, slices.Index(records[0], name))
			}
			if slices.Contains(columns, -1) {
				t.Errorf("%s: %s has no such columns: %s", page, file, line)
				return
			}
		}
		if k > 1 && !slices.ContainsFunc(records[1:], func(r []string) bool {
			return len(cells) == len(columns) && !slices.ContainsFunc(columns, func(c int) bool { return r[c] != cells[slices.Index(columns, c)] })
		}) {
			t.Errorf("%s: %s has no such row: %s", page, file, line)
		}
	}
}
