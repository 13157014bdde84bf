package notebookkernel

import (
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// goCompleteness reports whether a Go cell can be executed as it is: complete, incomplete (with the
// indentation of the next line) or invalid.
func goCompleteness(code string) (status, indent string) {
	source, goesOn := goSource(code)
	if goesOn {
		return "incomplete", ""
	}
	_, err := parser.ParseFile(token.NewFileSet(), "cell", source, parser.SkipObjectResolution)
	if err == nil {
		return "complete", ""
	}
	if open := openBrackets(source); open > 0 {
		return "incomplete", strings.Repeat("\t", open)
	}
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		first := list[0]
		open := strings.HasPrefix(first.Msg, "raw string literal not") || strings.HasPrefix(first.Msg, "comment not")
		if open || first.Pos.Offset >= len(strings.TrimRight(source, " \t\n}")) {
			return "incomplete", ""
		}
	}
	return "invalid", ""
}

// goSource makes a Go file of a cell as GoNB does: lines of shell commands and
// magics are left out, and what follows %% or %main is the body of main.
// goesOn says that the last line asks for another.
func goSource(code string) (source string, goesOn bool) {
	lines := strings.Split(code, "\n")
	inMain := false
	for i, line := range lines {
		text := strings.TrimPrefix(strings.TrimSpace(line), "//gonb:")
		special := goesOn || strings.HasPrefix(text, "%") || strings.HasPrefix(text, "!")
		goesOn = special && strings.HasSuffix(text, `\`)
		if !special {
			continue
		}
		lines[i] = ""
		word, _, _ := strings.Cut(text, " ")
		if !inMain && (word == "%%" || word == "%main") {
			inMain = true
			lines[i] = "func main() {"
		}
	}
	source = "package main\n" + strings.Join(lines, "\n")
	if inMain {
		source += "\n}"
	}
	return source, goesOn
}

// openBrackets counts the brackets that are open at the end of a Go file. A main
// that goSource closed counts as closed.
func openBrackets(source string) int {
	set := token.NewFileSet()
	file := set.AddFile("cell", set.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), nil, 0)
	open := 0
	for {
		switch _, tok, _ := s.Scan(); tok {
		case token.LBRACE, token.LPAREN, token.LBRACK:
			open++
		case token.RBRACE, token.RPAREN, token.RBRACK:
			open--
		case token.EOF:
			return open
		}
	}
}

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

// missing says which line makes a cell right in which Go refuses a line; "" where none does.
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
