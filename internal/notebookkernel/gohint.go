package notebookkernel

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// misplaced returns the failure of a Go cell that can be nothing else than a script without its %%cope
// or statements without their %%, nil for any other cell: Go's own message, with the line to write. GoNB
// need not start for it.
func (c *cell) misplaced() *failure {
	code := c.ask.Code
	for line := range strings.SplitSeq(code, "\n") {
		text := strings.TrimPrefix(strings.TrimSpace(line), "//gonb:")
		if strings.HasPrefix(text, "%") || strings.HasPrefix(text, "!") { // GoNB knows what such a cell is
			return nil
		}
	}
	source, _ := goSource(code)
	first := goMistake(source)
	if first == nil {
		return nil
	}
	line := first.Pos.Line - 1 // the first line is the package's
	lines := strings.Split(code, "\n")
	if line < 1 || line > len(lines) {
		return nil
	}
	hint := c.missing(lines, line)
	if hint == "" {
		return nil
	}
	head := fmt.Sprintf("cell %d:%d:%d: %s", c.count, line, first.Pos.Column, first.Msg)
	margin := strings.Repeat(" ", len(fmt.Sprint(line))+2)
	text := head + excerpt(lines[line-1], line, first.Pos.Column) + "\n" + margin + "= hint: " + hint
	return &failure{Name: "CompileError", Value: head, Traceback: []string{text}}
}

// goMistake returns the first mistake of form in a Go file, or nil.
func goMistake(source string) *scanner.Error {
	_, err := parser.ParseFile(token.NewFileSet(), "cell", source, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}
	return nil
}

// missing says which line makes a cell right of which Go refuses a line; "" where none does.
func (c *cell) missing(lines []string, line int) string {
	const script = "this cell is Go; a script begins with the line %%cope"
	c.k.cope.mu.Lock()
	isScript := c.k.cope.session.Reads(strings.Join(lines, "\n"))
	c.k.cope.mu.Unlock()
	with := append(append(append([]string{}, lines[:line-1]...), "%%"), lines[line-1:]...)
	source, _ := goSource(strings.Join(with, "\n"))
	statements := "statements go after a line %%"
	if line > 1 {
		statements = fmt.Sprintf("statements go after a line %%%%: put one before line %d", line)
	}
	switch isStatements := goMistake(source) == nil; {
	case isScript && isStatements && strings.Contains(strings.Join(lines, "\n"), ":="):
		return statements
	case isScript:
		return script
	case isStatements:
		return statements + "; a script begins with the line %%cope"
	}
	return ""
}
