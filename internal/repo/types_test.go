package repo

import (
	"go/ast"
	"maps"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// What a type may have at most: a reader holds so many methods in mind, in so many files.
const (
	mostMethods = 40
	mostFiles   = 4
)

// tables lists types without fields that are tables of methods, with the numbers of their rows. A method stands in the
// file of the kind of value that it shows, so that a new kind is a method and a file more.
var tables = map[string]int{
	"report.views": len(kinds.Names()),
}

// TestTypesFit: no type has more than 40 methods or stands in more than four files, but for types in tables, which
// have one method for each row. Test files do not count.
func TestTypesFit(t *testing.T) {
	methods, files := map[string]int{}, map[string]map[string]bool{}
	note := func(s source, name string, n int) {
		key := s.folder + "." + name
		if files[key] == nil {
			files[key] = map[string]bool{}
		}
		methods[key] += n
		files[key][s.file] = true
	}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					note(s, receiver(d.Recv.List[0].Type), 1)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						note(s, spec.Name.Name, 0)
					}
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(methods)) {
		has := [2]int{methods[key], len(files[key])}
		rows, listed := tables[key]
		switch {
		case !listed && (has[0] > mostMethods || has[1] > mostFiles):
			t.Errorf("%s has %d methods in %d files, want at most %d in %d: give what belongs together a type of its own that has this one as a field, "+
				"make methods that read few fields functions, and put methods into the file of their type", key, has[0], has[1], mostMethods, mostFiles)
		case listed && has[0] != rows:
			t.Errorf("%s has %d methods, and its table has %d rows: what is no row becomes a function", key, has[0], rows)
		}
	}
	for key := range tables {
		if files[key] == nil {
			t.Errorf("%s is no type any more: strike its line in internal/repo/types_test.go", key)
		}
	}
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
