package headless

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// These are papermill's tags. parametersTag marks the cell with the parameters and their defaults. injectedTag marks the
// cell after it, which holds the values given by the user.
const (
	parametersTag = "parameters"
	injectedTag   = "injected-parameters"
)

// Set gives parameters other values; each element of set is NAME=VALUE. In a notebook, Set inserts a cell tagged
// injected-parameters after each cell tagged parameters that binds one of the names. In a script, Set replaces the right
// side of the statement that binds the name. VALUE is an expression of the cell's language. If the default is a string,
// VALUE needs no quotes. Set returns the parameters with their defaults and values.
func Set(n *notebook.Notebook, script bool, set []string) ([]report.Parameter, error) {
	if len(set) == 0 {
		return nil, nil
	}
	var s settings
	for _, text := range set {
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !ok || !token.IsIdentifier(name) {
			return nil, fmt.Errorf("--set %s: write NAME=VALUE", text)
		}
		if slices.ContainsFunc(s.given, func(p report.Parameter) bool { return p.Name == name }) {
			return nil, fmt.Errorf("--set %s: %s is set twice", text, name)
		}
		s.given = append(s.given, report.Parameter{Name: name, Value: strings.TrimSpace(value)})
	}
	s.found = make([]bool, len(s.given))
	if script {
		return s.given, s.setInScript(n)
	}
	return s.given, s.inject(n)
}

// settings holds the values given by the user, which of their names were found, and all names that cells bind.
type settings struct {
	given []report.Parameter
	found []bool
	known []string
}

// each calls bind for each given parameter whose name is in names, and marks it as found. It appends names to s.known. It
// returns the first error of bind.
func (s *settings) each(names []string, bind func(*report.Parameter) error) error {
	s.known = append(s.known, names...)
	for i := range s.given {
		if slices.Contains(names, s.given[i].Name) {
			s.found[i] = true
			if err := bind(&s.given[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// setInScript replaces the right side of bindings in the cells of a script.
func (s *settings) setInScript(n *notebook.Notebook) error {
	for i := range n.Cells {
		text, ok := scriptOf(&n.Cells[i])
		cell, errs := dsl.Parse("cell", text)
		if !ok || len(errs) > 0 {
			continue
		}
		err := s.each(cell.Names(), func(p *report.Parameter) (err error) {
			p.Default = cell.Definition(p.Name)
			text, err = rewrite(text, p)
			return err
		})
		if err != nil {
			return err
		}
		n.Cells[i].Source = cellMagic + text
	}
	return s.unknown("the script binds")
}

// inject removes earlier cells tagged injected-parameters. It then inserts a new one after each cell tagged parameters
// that binds a given name.
func (s *settings) inject(n *notebook.Notebook) error {
	n.Cells = slices.DeleteFunc(n.Cells, func(c notebook.Cell) bool { return c.HasTag(injectedTag) })
	for i := 0; i < len(n.Cells); i++ {
		c := &n.Cells[i]
		if c.Type != notebook.Code || !c.HasTag(parametersTag) {
			continue
		}
		source, err := s.injection(c)
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
	if len(s.known) == 0 {
		return fmt.Errorf("--set %s: no cell has the tag %s, so the notebook has no parameters", s.given[0].Name, parametersTag)
	}
	return s.unknown("the parameters are")
}

// unknown returns an error that names the first given parameter that no cell binds, or nil. The error lists the known
// names after the text what.
func (s *settings) unknown(what string) error {
	if at := slices.Index(s.found, false); at >= 0 {
		return fmt.Errorf("--set %s: the name does not exist; %s %s", s.given[at].Name, what, strings.Join(s.known, ", "))
	}
	return nil
}

// injection returns the source of the cell that follows c, a cell tagged parameters. It returns "" if c binds none of the
// given names.
func (s *settings) injection(c *notebook.Cell) (string, error) {
	names, declared, err := goParameters(c.Source) // err is discarded below if c is a script
	head, bound := "// Parameters", func(p *report.Parameter) (string, error) { return declared[p.Name].bound(p) }
	if text, isScript := scriptOf(c); isScript {
		script, errs := dsl.Parse("cell", text)
		if len(errs) > 0 {
			return "", nil
		}
		names, err = script.Names(), nil
		head, bound = cellMagic+head, func(p *report.Parameter) (string, error) {
			p.Default = script.Definition(p.Name)
			return rewrite(p.Name+" = "+p.Default, p)
		}
	}
	if err != nil {
		return "", err
	}
	lines := []string{head}
	err = s.each(names, func(p *report.Parameter) error {
		line, err := bound(p)
		lines = append(lines, line)
		return err
	})
	if err != nil || len(lines) == 1 {
		return "", err
	}
	return strings.Join(lines, "\n"), nil
}

// rewrite returns the script text with the name p.Name bound to p.Value. It quotes the value if the default is a string.
func rewrite(text string, p *report.Parameter) (string, error) {
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

// goParameter is a declaration in a Go cell: the keyword var or const, the type ("" if none is declared), and the value.
type goParameter struct{ keyword, kind, value string }

// bound returns the declaration with the value of p, and stores the declared value as p.Default.
func (g goParameter) bound(p *report.Parameter) (string, error) {
	p.Default = g.value
	value, err := goValue(p, g.kind != "")
	return fmt.Sprintf("%s %s = %s", g.keyword, strings.TrimSpace(p.Name+" "+g.kind), value), err
}

// goParameters returns the variables and constants that a Go cell declares at the top level, in order and by name.
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

// goValue returns p.Value as Go source. It quotes a string if the default has quotes. It converts a whole number to
// float64 if the default is a float and typed is false (no type is declared).
func goValue(p *report.Parameter, typed bool) (string, error) {
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

// numberKind returns INT or FLOAT for a numeric literal with or without a sign, and ILLEGAL for any other text.
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

// KernelName is the name of our kernelspec.
const KernelName = "gonb-cope"

// cellMagic is the line that begins a cell of the script language.
const cellMagic = dsl.CellMagic + "\n"

// Load reads a notebook (.ipynb) or a script (.cope) as a notebook. Each paragraph of a script becomes a cell, and a
// paragraph of comments becomes a Markdown cell.
func Load(path string) (*notebook.Notebook, error) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".ipynb":
		return notebook.Load(path)
	case ".cope":
		text, _, err := readScript(path)
		if err != nil {
			return nil, err
		}
		return ofScript(text), nil
	case ".csv", ".tsv":
		return nil, fmt.Errorf("%s is a table. To analyse it, run gonb-cope best %[1]s -o answer.html", path)
	default:
		return nil, fmt.Errorf("%s: a report is made of a notebook (.ipynb) or a script (.cope), not of %q", path, ending)
	}
}

// linePrefix begins the ID of a cell that was made from a script. The number of the cell's first line in the script
// follows.
const linePrefix = "line-"

// CheckScript checks a script without running it, like the command check. It returns the mistakes found, or nil. Each
// element of set is NAME=VALUE.
func CheckScript(path string, set []string) error {
	_, script, err := readScript(path)
	if err != nil {
		return err
	}
	if errs := script.Check(dsl.Options{Folder: filepath.Dir(path), Set: set}); len(errs) > 0 {
		return errs
	}
	return nil
}

func readScript(path string) (string, *dsl.Script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("cannot read script: %w", err)
	}
	script, errs := dsl.Parse(path, string(text))
	if len(errs) > 0 {
		return "", nil, errs
	}
	return string(text), script, nil
}

// place matches the position of an error in a %%cope cell: cell, line and column.
var place = regexp.MustCompile(`cell \d+:(\d+):(\d+)`)

// InScript converts the error of a cell into an error of the script at path from which notebook n was made. The new text
// has the line numbers of the script. Other errors are returned unchanged.
func InScript(path string, n *notebook.Notebook, err error) error {
	var failed *client.CellError
	if !errors.As(err, &failed) || failed.Err != nil || failed.Cell < 1 || failed.Cell > len(n.Cells) {
		return err
	}
	begin, convErr := strconv.Atoi(strings.TrimPrefix(n.Cells[failed.Cell-1].ID, linePrefix))
	if convErr != nil {
		return err
	}
	inScript := func(line string) int {
		n, _ := strconv.Atoi(line) // the pattern matched only digits
		return begin + n - 2       // the cell's first line is the magic, which the script does not have
	}
	lines := strings.Split(ansi.ReplaceAllString(strings.Join(failed.Traceback, "\n"), ""), "\n")
	wider := 0
	for i, line := range lines {
		if m := place.FindStringSubmatch(line); m != nil {
			lines[i] = strings.Replace(line, m[0], fmt.Sprintf("%s:%d:%s", path, inScript(m[1]), m[2]), 1)
		} else if m := excerpt.FindStringSubmatch(line); m != nil {
			number := strconv.Itoa(inScript(m[1]))
			wider = len(number) - len(m[1])
			lines[i] = " " + number + strings.TrimPrefix(line, " "+m[1])
		} else if strings.HasPrefix(line, "   ") {
			lines[i] = strings.Repeat(" ", max(wider, 0)) + line
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// excerpt matches the start of the source line that is shown below an error.
var excerpt = regexp.MustCompile(`^ (\d+) \|`)

// ansi matches the escape codes for terminal colours.
var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

func ofScript(text string) *notebook.Notebook {
	n := &notebook.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": KernelName,
		"display_name": "Go + CoPE (gonb-cope)", "language": "go"}}}
	for _, p := range dsl.Paragraphs(text) {
		c := notebook.Cell{Type: notebook.Code, ID: fmt.Sprintf("%s%d", linePrefix, p.Line), Source: cellMagic + p.Source,
			Metadata: map[string]any{}}
		if p.Comment {
			c.Type, c.Source = notebook.Markdown, p.Source
		}
		n.Cells = append(n.Cells, c)
	}
	return n
}

// scriptOf returns the script in a %%cope cell, without its leading empty lines. It returns false if the cell is not a
// %%cope cell.
func scriptOf(c *notebook.Cell) (string, bool) {
	if c.Type != notebook.Code {
		return "", false
	}
	script, ok, err := dsl.Cell(c.Source)
	return strings.TrimLeft(script, "\r\n"), ok && err == nil
}
