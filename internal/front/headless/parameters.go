package headless

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The tags of papermill: the cell that holds the parameters with their defaults, and
// the cell after it with the values given.
const (
	parametersTag = "parameters"
	injectedTag   = "injected-parameters"
)

// Parameter is a value given to a notebook.
type Parameter struct {
	Name, Value string
	Default     string // "" when the notebook has none
}

// Set gives parameters other values, each as NAME=VALUE. In a notebook, a cell
// tagged injected-parameters goes after each cell tagged parameters that binds one
// of the names; in a script, the right side of the statement that binds the name is replaced.
// VALUE is an expression of the cell's language; a text may stand without quotes
// where the default is a text.
func Set(n *notebook.Notebook, script bool, set []string) ([]Parameter, error) {
	if len(set) == 0 {
		return nil, nil
	}
	var given []Parameter
	for _, text := range set {
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !ok || !token.IsIdentifier(name) {
			return nil, fmt.Errorf("--set %s: write NAME=VALUE", text)
		}
		if slices.ContainsFunc(given, func(p Parameter) bool { return p.Name == name }) {
			return nil, fmt.Errorf("--set %s: %s is set twice", text, name)
		}
		given = append(given, Parameter{Name: name, Value: strings.TrimSpace(value)})
	}
	if script {
		return given, setInScript(n, given)
	}
	return given, inject(n, given)
}

// setInScript replaces bindings in the cells of a script.
func setInScript(n *notebook.Notebook, given []Parameter) error {
	var known []string
	found := make([]bool, len(given))
	for i := range n.Cells {
		text, ok := scriptOf(&n.Cells[i])
		if !ok {
			continue
		}
		names := namesOf(text)
		known = append(known, names...)
		for j := range given {
			if !slices.Contains(names, given[j].Name) {
				continue
			}
			found[j], given[j].Default = true, defaultOf(text, given[j].Name)
			var err error
			if text, err = rewrite(text, &given[j]); err != nil {
				return err
			}
		}
		n.Cells[i].Source = cellMagic + text
	}
	return unknown(given, found, known, "the script binds")
}

// inject adds cells with values after those with the tag parameters.
func inject(n *notebook.Notebook, given []Parameter) error {
	n.Cells = slices.DeleteFunc(n.Cells, func(c notebook.Cell) bool { return c.HasTag(injectedTag) })
	var known []string
	found := make([]bool, len(given))
	for i := 0; i < len(n.Cells); i++ {
		c := &n.Cells[i]
		if c.Type != notebook.Code || !c.HasTag(parametersTag) {
			continue
		}
		source, names, err := injection(c, given, found)
		known = append(known, names...)
		if err != nil {
			return err
		}
		if source == "" {
			continue
		}
		added := notebook.Cell{Type: notebook.Code, ID: n.FreshID("injected-parameters"), Source: source, Metadata: map[string]any{}}
		added.AddTag(injectedTag)
		i++
		n.Cells = slices.Insert(n.Cells, i, added)
	}
	if len(known) == 0 {
		return fmt.Errorf("--set %s: no cell has the tag %s, so the notebook has no parameters", given[0].Name, parametersTag)
	}
	return unknown(given, found, known, "the parameters are")
}

// unknown returns the error about a name that nothing binds.
func unknown(given []Parameter, found []bool, known []string, what string) error {
	if at := slices.Index(found, false); at >= 0 {
		return fmt.Errorf("--set %s: there is no such name; %s %s", given[at].Name, what, strings.Join(known, ", "))
	}
	return nil
}

// injection returns the source of the cell that goes after a cell with parameters, "" for none,
// with the names of all its parameters. It notes which were found.
func injection(c *notebook.Cell, given []Parameter, found []bool) (source string, names []string, err error) {
	var lines []string
	text, isScript := scriptOf(c)
	var declared map[string]goParameter
	if isScript {
		names = namesOf(text)
	} else if names, declared, err = goParameters(c.Source); err != nil {
		return "", nil, err
	}
	for j := range given {
		p := &given[j]
		if !slices.Contains(names, p.Name) {
			continue
		}
		found[j] = true
		if isScript {
			p.Default = defaultOf(text, p.Name)
			line, err := rewrite(p.Name+" = "+p.Default, p)
			if err != nil {
				return "", nil, err
			}
			lines = append(lines, line)
			continue
		}
		p.Default = declared[p.Name].value
		value, err := goValue(p, declared[p.Name].kind != "")
		if err != nil {
			return "", nil, err
		}
		lines = append(lines, declared[p.Name].declare(p.Name, value))
	}
	if len(lines) == 0 {
		return "", names, nil
	}
	source = "// Parameters\n" + strings.Join(lines, "\n")
	if isScript {
		source = cellMagic + source
	}
	return source, names, nil
}

// namesOf lists the names that a script binds.
func namesOf(text string) []string {
	script, errs := dsl.Parse("cell", text)
	if len(errs) > 0 {
		return nil
	}
	return script.Names()
}

// defaultOf returns the text to the right of the = that binds a name in a script.
func defaultOf(text, name string) string {
	script, errs := dsl.Parse("cell", text)
	if len(errs) > 0 {
		return ""
	}
	return script.Definition(name)
}

// rewrite binds a name in a script to another value.
func rewrite(text string, p *Parameter) (string, error) {
	value := p.Value
	if strings.HasPrefix(p.Default, `"`) && !strings.HasPrefix(value, `"`) {
		value = kernels.Quote(value)
	}
	changed, err := dsl.Rewrite(text, []string{p.Name + "=" + value})
	if err != nil {
		return "", fmt.Errorf("--set %s: %w", p.Name, err)
	}
	return changed, nil
}

// goParameter is a declaration of a Go cell: var or const, the type if one is given,
// and the value.
type goParameter struct{ keyword, kind, value string }

// declare returns the declaration with another value.
func (p goParameter) declare(name, value string) string {
	if p.kind != "" {
		name += " " + p.kind
	}
	return p.keyword + " " + name + " = " + value
}

// goParameters lists what a Go cell declares by var and const.
func goParameters(cell string) (names []string, declared map[string]goParameter, err error) {
	source := "package main\n" + cell
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "parameters", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, fmt.Errorf("the cell with the parameters cannot be read as Go declarations: %w", err)
	}
	declared = map[string]goParameter{}
	text := func(n ast.Node) string {
		return source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset]
	}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR && group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				p := goParameter{keyword: group.Tok.String()}
				if v.Type != nil {
					p.kind = text(v.Type)
				}
				if i < len(v.Values) {
					p.value = text(v.Values[i])
				}
				names, declared[name.Name] = append(names, name.Name), p
			}
		}
	}
	return names, declared, nil
}

// goValue returns a value as Go text: a text needs no quotes where the default has them, and a
// number stays of the default's kind unless a type is declared.
func goValue(p *Parameter, typed bool) (string, error) {
	value := p.Value
	if len(p.Default) > 0 && strings.ContainsAny(p.Default[:1], "\"`") && (value == "" || !strings.ContainsAny(value[:1], "\"`")) {
		value = strconv.Quote(value)
	}
	if _, err := parser.ParseExpr(value); err != nil {
		return "", fmt.Errorf("--set %s: %q is not a Go value", p.Name, p.Value)
	}
	if !typed && numberKind(value) == token.INT && numberKind(p.Default) == token.FLOAT {
		return "float64(" + value + ")", nil
	}
	return value, nil
}

// numberKind returns INT or FLOAT for a number, with or without a sign.
func numberKind(text string) token.Token {
	e, err := parser.ParseExpr(text)
	if signed, ok := e.(*ast.UnaryExpr); ok && err == nil {
		e = signed.X
	}
	if number, ok := e.(*ast.BasicLit); ok && err == nil {
		return number.Kind
	}
	return token.ILLEGAL
}
