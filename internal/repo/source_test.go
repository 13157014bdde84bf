// Package repo has no code. Its tests hold the repository to its documents: imports
// to the table in internal/repo/imports.md, citations of the paper to the rows of
// docs/reference/paper-to-code.md; and they keep tracked files from naming anybody's machine.
package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const (
	root   = "../.."
	module = "github.com/gonb-cope/gonb-cope"
)

// source is one parsed Go file.
type source struct {
	file   string // path from the root, with slashes
	folder string // of the package, "." for the root
	test   bool
	tree   *ast.File
	set    *token.FileSet
}

// line returns the number of the line at which a node begins.
func (s source) line(n ast.Node) int { return s.set.Position(n.Pos()).Line }

// sources returns every Go file of the module, which tests share: they read the trees only.
func sources(t *testing.T) []source {
	t.Helper()
	out := try.Of(parsed())
	if len(out) == 0 {
		t.Fatal("no Go files found")
	}
	return slices.Clone(out)
}

var parsed = sync.OnceValues(func() ([]source, error) {
	var out []source
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (strings.HasPrefix(base, ".") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		tree, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(relative)
		out = append(out, source{file, path.Dir(file), strings.HasSuffix(file, "_test.go"), tree, set})
		return nil
	})
	return out, err
})

// testFunctions returns the tests, benchmarks and fuzz targets, as folder.Name.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && f.Recv == nil && testName.MatchString(f.Name.Name) {
				out[s.folder+"."+f.Name.Name] = true
			}
		}
	}
	return out
}

var testName = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz)`)

// rows returns the cells of every table row of a document, without head rows and
// the lines under them; where first heads of columns are named, of the tables that begin with one.
func rows(t *testing.T, document string, first ...string) [][]string {
	t.Helper()
	text := try.Of(os.ReadFile(filepath.Join(root, document)))
	var out [][]string
	inside, wanted := false, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		if strings.HasPrefix(line, "|---") {
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if !inside { // a head
			inside, wanted = true, len(first) == 0 || slices.Contains(first, cells[0])
			continue
		}
		if wanted {
			out = append(out, cells)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no table", document)
	}
	return out
}

var inBackticks = regexp.MustCompile("`([^`]+)`")

// quoted returns what is in backticks.
func quoted(cell string) []string {
	var out []string
	for _, match := range inBackticks.FindAllStringSubmatch(cell, -1) {
		out = append(out, match[1])
	}
	return out
}
