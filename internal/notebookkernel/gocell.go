package notebookkernel

import (
	"errors"
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
