package repo

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The table of imports.md says which package may import which. Every package has a row and every row a package; all may
// import internal/base, and only imports of test files are free.
func TestImports(t *testing.T) {
	type rule struct{ inside, outside []string }
	rules := map[string]rule{}
	for _, cells := range rows(t, "internal/repo/imports.md") {
		if len(cells) != 4 || len(quoted(cells[0])) != 1 {
			t.Fatalf("internal/repo/imports.md: want package, what it is, imports, other modules; got %q", cells)
		}
		rules[quoted(cells[0])[0]] = rule{quoted(cells[2]), quoted(cells[3])}
	}
	found := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		allowed, ok := rules[s.folder]
		if !ok && !found[s.folder] {
			t.Errorf("package %s has no row in internal/repo/imports.md", s.folder)
		}
		found[s.folder] = true
		for _, spec := range s.tree.Imports {
			name := try.Of(strconv.Unquote(spec.Path.Value))
			inside, ours := strings.CutPrefix(name, module+"/")
			switch {
			case ours && strings.HasPrefix(inside, "cmd/"):
				t.Errorf("%s imports %s; nobody imports a command", s.file, inside)
			case ours && ok && !slices.Contains(allowed.inside, inside) &&
				(strings.HasPrefix(s.folder, "internal/base/") || !strings.HasPrefix(inside, "internal/base/")):
				t.Errorf("%s imports %s; internal/repo/imports.md allows %s only %q", s.file, inside, s.folder, allowed.inside)
			case ours && strings.HasPrefix(inside, "notebook/") && !onTop(s.folder):
				t.Errorf("%s imports %s; only the command and session import packages in notebook", s.file, inside)
			case !ours && ok && foreign(name) && !slices.ContainsFunc(allowed.outside, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") }):
				t.Errorf("%s imports %s; internal/repo/imports.md allows %s only %q", s.file, name, s.folder, allowed.outside)
			}
		}
	}
	for folder := range rules {
		if !found[folder] {
			t.Errorf("internal/repo/imports.md has a row for %s, which is not a package", folder)
		}
	}
}

// The comment of package engine names each package that programs of others can import, and says whether it is promised.
func TestPromises(t *testing.T) {
	said := map[string]bool{}
	for _, word := range strings.FieldsFunc(read(t, "engine/doc.go"), func(r rune) bool { return strings.ContainsRune(" ,.:\t\n", r) }) {
		said[word] = true
	}
	for _, s := range sources(t) {
		hidden := slices.ContainsFunc(strings.Split(s.folder, "/"), func(part string) bool {
			return part == "internal" || part == "cmd" || part == "tools" || part == "notebook"
		})
		if !s.test && !hidden && !said[s.folder] {
			t.Errorf("engine/doc.go does not say whether package %s is promised: name it there, or put it under internal", s.folder)
			said[s.folder] = true
		}
	}
}

// Each name in the table of promises in engine/doc.go is exported by its package.
func TestPromisedNames(t *testing.T) {
	declared := map[string]map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if declared[s.folder] == nil {
			declared[s.folder] = map[string]bool{}
		}
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				declared[s.folder][f.Name.Name] = true
			}
			if g, ok := d.(*ast.GenDecl); ok {
				ast.Inspect(g, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.TypeSpec:
						declared[s.folder][n.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range n.Names {
							declared[s.folder][name.Name] = true
						}
					}
					return true
				})
			}
		}
	}
	folder, listed := "", 0
	for line := range strings.Lines(read(t, "engine/doc.go")) {
		names, row := strings.CutPrefix(line, "//\t")
		if !row {
			folder = ""
			continue
		}
		fields := strings.Fields(names)
		if declared[fields[0]] != nil {
			folder, fields = fields[0], fields[1:]
		}
		for _, name := range fields {
			if folder == "" {
				break // of another table
			}
			listed++
			if !declared[folder][name] {
				t.Errorf("engine/doc.go promises %s of %s, which does not exist", name, folder)
			}
		}
	}
	if listed < 60 {
		t.Errorf("the table of promises has %d names", listed)
	}
}

// onTop reports whether a package may import packages in notebook: these, the command, and what Go cells of a notebook
// import.
func onTop(folder string) bool {
	return slices.ContainsFunc([]string{"notebook/", "internal/conformance", "cmd/", "session"}, func(p string) bool { return strings.HasPrefix(folder, p) })
}

// foreign reports whether an import is of another module: the first element of a path of the
// standard library has no dot.
func foreign(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return strings.Contains(first, ".")
}
