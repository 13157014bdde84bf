package repo

import (
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// What a type may have at most: a reader holds so many methods in mind, in so many files.
const (
	mostMethods = 40
	mostFiles   = 4
)

// large lists the types that have more, by package and name, with what they have now. The numbers may only become
// smaller, and no type may be added: what they hold is to be shared out among types of its own.
var large = map[string][2]int{ // methods, files
	"report.views": {19, 11}, // a table of methods without fields: each stands in the file of the kind of value that it shows
}

// TestTypesFit: no type has more than 40 methods or stands in more than four files, but for types in large, which
// have no more than there. Test files do not count.
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
		most, listed := large[key]
		switch {
		case !listed && (has[0] > mostMethods || has[1] > mostFiles):
			t.Errorf("%s has %d methods in %d files, want at most %d in %d: give what belongs together a type of its own that has this one as a field, "+
				"make methods that read few fields functions, and put methods into the file of their type", key, has[0], has[1], mostMethods, mostFiles)
		case listed && (has[0] > max(most[0], mostMethods) || has[1] > max(most[1], mostFiles)):
			t.Errorf("%s has %d methods in %d files, and may have %d in %d: it is too large already, so put a new method on a type of its own "+
				"or make it a function, in a file that the type has", key, has[0], has[1], most[0], most[1])
		case listed && has != most:
			t.Errorf("%s has %d methods in %d files and became smaller: write that in place of %d and %d into internal/repo/types_test.go, or strike its line",
				key, has[0], has[1], most[0], most[1])
		}
	}
	for key := range large {
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
