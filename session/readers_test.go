package session

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// TestReaders: the reader that package kinds names for a kind is a function of this package
// that returns the kind's Go type.
func TestReaders(t *testing.T) {
	file := try.Of(parser.ParseFile(token.NewFileSet(), "session.go", nil, parser.SkipObjectResolution))
	returns := map[string]string{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Type.Results != nil {
			returns[f.Name.Name] = strings.TrimPrefix(types.ExprString(f.Type.Results.List[0].Type), "*")
		}
	}
	for _, k := range kinds.Names() {
		if k.Reader != "" && returns[k.Reader] != k.Type.String() {
			t.Errorf("session.%s returns %q; %s is a %v", k.Reader, returns[k.Reader], k.A(), k.Type)
		}
	}
}
