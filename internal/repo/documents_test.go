package repo

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// read returns the text of a document.
func read(t *testing.T, document string) string {
	t.Helper()
	text := try.Of(os.ReadFile(filepath.Join(root, document)))
	return string(text)
}

// pages returns the Markdown documents in a folder and the folders below it, as paths from the root.
func pages(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	try.To(fs.WalkDir(os.DirFS(root), folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" {
			out = append(out, name)
		}
		return err
	}))
	if len(out) == 0 {
		t.Fatalf("no documents in %s", folder)
	}
	return out
}

// documents returns the pages of docs without executed notebooks, the pages beside README, and the ledgers beside tests.
func documents(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "internal/repo/budgets.md", "internal/repo/faults.md", "internal/repo/imports.md", "internal/repo/measured.md", "engine/model/regimes.md", "tools/zoo/README.md"}
	for _, page := range pages(t, "docs") {
		if !strings.HasPrefix(page, "docs/gallery/") {
			out = append(out, page)
		}
	}
	return out
}

var (
	links    = regexp.MustCompile(`\]\(([^)\s:]*?)(?:#([^)\s]+))?\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.+)$`)
	named    = regexp.MustCompile(`docs/[\w/-]+\.md`)
)

// Links between documents lead to files and headings that exist, and so do the documents that sources name.
func TestLinks(t *testing.T) {
	for _, page := range documents(t) {
		for _, link := range links.FindAllStringSubmatch(read(t, page), -1) {
			target := page
			if link[1] != "" {
				target = path.Join(path.Dir(page), link[1])
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: there is no %s", page, target)
			} else if link[2] != "" && !anchors(read(t, target))[link[2]] {
				t.Errorf("%s: %s has no heading #%s", page, target, link[2])
			}
		}
	}
	for _, s := range sources(t) {
		for _, page := range named.FindAllString(read(t, s.file), -1) {
			if _, err := os.Stat(filepath.Join(root, page)); err != nil {
				t.Errorf("%s: there is no %s", s.file, page)
			}
		}
	}
}

// The algorithm that docs/how-to/own-algorithm.md shows is an example that go test runs.
func TestOwnAlgorithm(t *testing.T) {
	plain := func(text string) string { // without comments, on one line
		return strings.Join(strings.Fields(regexp.MustCompile(`//.*`).ReplaceAllString(text, "")), " ")
	}
	example := plain(read(t, "engine/question/example_test.go"))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, "docs/how-to/own-algorithm.md"), -1)
	if len(blocks) == 0 || !strings.Contains(example, plain(blocks[0][1])) {
		t.Error("docs/how-to/own-algorithm.md: the first block is not in engine/question/example_test.go")
	}
}

// anchors returns the names that GitHub gives to the headings of a document.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, heading := range headings.FindAllStringSubmatch(text, -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, heading[1])] = true
	}
	return out
}

var variable = regexp.MustCompile(`os\.(?:Getenv|LookupEnv)\("([A-Z_0-9]+)"\)`)

// CONTRIBUTING lists the environment variables by which tests are asked for more.
func TestVariables(t *testing.T) {
	listed := map[string]bool{"GOMODCACHE": true, "JUPYTER_CONFIG_DIR": true} // of other programs
	for _, cells := range rows(t, "CONTRIBUTING.md", "variable") {
		for _, name := range quoted(cells[0]) {
			listed[name] = true
		}
	}
	for _, s := range sources(t) {
		for _, found := range variable.FindAllStringSubmatch(read(t, s.file), -1) {
			if s.test && !listed[found[1]] {
				t.Errorf("%s reads %s, which has no row in CONTRIBUTING.md", s.file, found[1])
			}
		}
	}
}

// Links such as [Gram] and [Joint.With] in package comments name exported symbols of the package.
func TestLinksOfPackageComments(t *testing.T) {
	link := regexp.MustCompile(`\[([A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)?)\]`)
	files := sources(t)
	symbols, _ := declared(files)
	found := 0
	for _, s := range files {
		if s.test || s.tree.Doc == nil {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(s.tree.Doc.Text(), -1) {
			if found++; !symbols[path.Base(s.folder)+"."+m[1]] {
				t.Errorf("%s: there is no %s in the package", s.file, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no package comment has a link")
	}
}
