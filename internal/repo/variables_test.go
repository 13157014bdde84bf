package repo

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// The table of CONTRIBUTING.md has the environment variables that tests ask for, except for variables that the program
// asks for, too, and variables of Go and Jupyter.
func TestVariablesOfTests(t *testing.T) {
	all := sources(t)
	values := map[string]string{} // of string constants, by folder and name
	for _, s := range all {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
				for k, name := range v.Names {
					if text, ok := literal(v.Values[k]); ok {
						values[s.folder+"."+name.Name] = text
					}
				}
			}
			return true
		})
	}
	asked := map[bool]map[string]string{true: {}, false: {}} // by whether a test asks: names, and a place
	for _, s := range all {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || len(c.Args) != 1 {
				return true
			}
			f, ok := c.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Getenv" && f.Sel.Name != "LookupEnv" {
				return true
			}
			if of, ok := f.X.(*ast.Ident); !ok || of.Name != "os" {
				return true
			}
			name, ok := literal(c.Args[0])
			if id, is := c.Args[0].(*ast.Ident); is {
				name, ok = values[s.folder+"."+id.Name]
			}
			if ok {
				asked[s.test][name] = s.file
			}
			return true
		})
	}
	var table []string
	for _, cells := range rows(t, "CONTRIBUTING.md", "variable") {
		table = append(table, quoted(cells[0])...)
	}
	for name, file := range asked[true] {
		if _, ours := asked[false][name]; !ours && name != "GOMODCACHE" && name != "JUPYTER_CONFIG_DIR" && !slices.Contains(table, name) {
			t.Errorf("%s asks for %s, which the table of CONTRIBUTING.md does not have", file, name)
		}
	}
	for _, name := range table {
		if _, ok := asked[true][name]; !ok {
			t.Errorf("CONTRIBUTING.md: no test asks for %s", name)
		}
	}
}

// literal returns the text of a string literal.
func literal(e ast.Expr) (string, bool) {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, err := strconv.Unquote(l.Value)
		return text, err == nil
	}
	return "", false
}
