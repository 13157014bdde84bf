package gonb

import (
	"bytes"
	"context"
	"fmt"
	"go/build"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
)

// commentPrefix may precede each of GoNB's special commands, so that a cell is valid Go for
// editors.
const commentPrefix = "//gonb:"

// notGo are the first words of cells that GoNB passes to other programs.
var notGo = []string{"%%writefile", "%%script", "%%bash", "%%sh", "%%gx"}

// ImportsLibrary reports whether the Go code of a cell imports a package of this library.
func ImportsLibrary(cell string) bool {
	return slices.ContainsFunc(ImportsOf(cell),
		func(path string) bool { return path == modulePath || strings.HasPrefix(path, modulePath+"/") })
}

// ImportsOf lists the import paths in a cell, each once, in order. A cell is not a Go file: it has no package clause,
// lines for GoNB begin with % or !, and code of main follows %%. ImportsOf skips code that does not parse.
func ImportsOf(cell string) []string {
	code := goCode(cell)
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(code)), code, nil, 0)
	var found []string
	add := func(literal string) {
		if name, err := strconv.Unquote(literal); err == nil && name != "" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	tok, literal := token.ILLEGAL, ""
	next := func() { _, tok, literal = s.Scan() }
	for next(); tok != token.EOF; {
		if tok != token.IMPORT {
			next()
			continue
		}
		// An import path can follow a name, a dot or an underscore.
		next()
		group := tok == token.LPAREN
		if group {
			next()
		}
		for tok == token.IDENT || tok == token.PERIOD || tok == token.STRING || group && tok == token.SEMICOLON {
			if tok == token.STRING {
				add(literal)
			}
			if tok == token.STRING && !group {
				break
			}
			next()
		}
	}
	return found
}

// goCode returns the Go code of a cell: lines for GoNB become empty lines. It returns nil if the cell is for another
// program.
func goCode(cell string) []byte {
	var b bytes.Buffer
	first, goesOn := true, false
	for line := range strings.Lines(cell) {
		text := strings.TrimRight(strings.TrimPrefix(line, commentPrefix), "\r\n")
		if first {
			if fields := strings.Fields(text); len(fields) > 0 && slices.Contains(notGo, fields[0]) {
				return nil
			}
			first = text == ""
		}
		if goesOn || strings.HasPrefix(text, "%") || strings.HasPrefix(text, "!") {
			goesOn = strings.HasSuffix(text, `\`)
			b.WriteByte('\n')
			continue
		}
		b.WriteString(line)
	}
	return b.Bytes()
}

// Imports knows which imports of Go cells resolve without go get. It must not be used by several goroutines at once.
type Imports struct {
	versions map[string]string // module path → required version
	summed   map[string]bool   // "PATH VERSION" of modules whose content hash is in go.sum
	own      Module
	cache    string // Go's module cache
	goroot   string
	known    map[string]bool // import path → result of Pinned
}

// Imports reads the pinned versions from the module's go.mod and go.sum.
func (m Module) Imports(ctx context.Context) (*Imports, error) {
	own, err := m.requirements()
	if err != nil {
		return nil, err
	}
	i := &Imports{versions: map[string]string{}, summed: map[string]bool{}, own: m, known: map[string]bool{"C": true, "unsafe": true}}
	for _, r := range own.Require {
		i.versions[r.Mod.Path] = r.Mod.Version
	}
	sums, err := os.ReadFile(filepath.Join(m.Source, "go.sum"))
	if err != nil {
		return nil, fmt.Errorf("the source of %s is incomplete: %w", m.Path, err)
	}
	for line := range strings.Lines(string(sums)) {
		if f := strings.Fields(line); len(f) == 3 {
			i.summed[f[0]+" "+f[1]] = true
		}
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	folders := strings.Split(string(out), "\n")
	i.cache, i.goroot = folders[0], folders[1]
	return i, nil
}

// Pinned reports whether the package at the import path and all packages that it imports have pinned versions. Packages of
// the standard library and of this module count as pinned.
func (i *Imports) Pinned(path string) bool {
	if verdict, ok := i.known[path]; ok {
		return verdict
	}
	i.known[path] = true // stops at import cycles, which go build reports
	folder, standard := i.folder(path)
	verdict := standard || folder != ""
	if verdict && !standard {
		if p, err := build.ImportDir(folder, 0); err == nil {
			verdict = !slices.ContainsFunc(p.Imports, func(next string) bool { return !i.Pinned(next) })
		}
	}
	i.known[path] = verdict
	return verdict
}

// folder returns the folder of the package at an import path, or "" if no pinned module contains it. For a package of the
// standard library, standard is true and folder is "".
func (i *Imports) folder(path string) (folder string, standard bool) {
	if rest, ok := within(path, i.own.Path); ok {
		return existing(filepath.Join(i.own.Source, rest)), false
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		_, err := os.Stat(filepath.Join(i.goroot, "src", path))
		return "", err == nil
	}
	best := ""
	for name := range i.versions {
		if _, ok := within(path, name); ok && len(name) > len(best) {
			best = name
		}
	}
	version := i.versions[best]
	if best == "" || !i.summed[best+" "+version] {
		return "", false
	}
	name, err1 := module.EscapePath(best)
	escaped, err2 := module.EscapeVersion(version)
	if err1 != nil || err2 != nil {
		return "", false
	}
	rest, _ := within(path, best)
	root := filepath.Join(i.cache, name+"@"+escaped)
	if existing(root) == "" {
		return root, false // go build downloads the module
	}
	return existing(filepath.Join(root, rest)), false
}

// existing returns folder if it exists, and otherwise "".
func existing(folder string) string {
	if _, err := os.Stat(folder); err != nil {
		return ""
	}
	return folder
}

// within returns the path relative to module, and whether the path is in that module.
func within(path, module string) (rest string, ok bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}
