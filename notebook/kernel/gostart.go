package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/base/warden"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// ready returns the running GoNB, and starts it if necessary. If it cannot start, ready returns a failure.
func (g *goSide) ready(ctx context.Context, c *cell) (*child, *failure) {
	child, err := g.start(ctx, func(line string) { c.stream("stderr", line+"\n") })
	switch {
	case err == nil:
		return child, nil
	case ctx.Err() != nil:
		return nil, interrupted("GoNB was not started")
	}
	return nil, failed("GoNBMissing", err.Error()+"\ngonb-cope doctor says what is missing and how to fix it")
}

// start returns the running GoNB, or starts one. log receives a line before each slow step.
func (g *goSide) start(ctx context.Context, log func(string)) (_ *child, err error) {
	defer try.Caught(&err)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child != nil && !g.child.ended() {
		return g.child, nil
	}
	g.tools = try.Of(gonb.Provision(ctx, log))
	try.To(g.listen())
	folder, err := os.MkdirTemp(g.folder, "gonb-")
	if err != nil {
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	child := try.Of(startChild(ctx, command{
		warden: g.k.opt.Warden, gonb: g.tools.GoNB, env: g.environment(), folder: folder, name: filepath.Base(g.k.opt.ConnectionFile),
	}, g.stray, g.prompt))
	g.child, g.count, g.prepared = child, 0, folder
	g.prepare(context.WithoutCancel(ctx), child)
	g.silently(context.WithoutCancel(ctx), child, gonb.LinkQuickly, false)
	return child, nil
}

// environment returns the environment variables for GoNB. PATH begins with the folder of GoNB's tools, and the variables
// of the bridge are added.
func (g *goSide) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	env = append(env, g.bridge.Env()...)
	return append(env, "PATH="+g.tools.Bin()+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// prepare writes go.mod for Go cells and makes GoNB use it, so that cells can import this library. On failure it only
// logs the error; a cell that imports the library then fails.
func (g *goSide) prepare(ctx context.Context, child *child) {
	if err := g.writeModule(ctx); err != nil {
		g.k.opt.Log("Go cells: %v", err)
		return
	}
	g.silently(ctx, child, gonb.Preparation(g.prepared)+"!*pwd > '"+filepath.Join(g.prepared, warden.WorkFile)+"'", false)
	g.autoGet = false
}

// writeModule finds the source of this library and writes go.mod and go.sum for Go cells into the folder g.prepared.
func (g *goSide) writeModule(ctx context.Context) (err error) {
	defer try.Caught(&err)
	folder := cmp.Or(g.k.opt.Folder, ".")
	m := try.Of(gonb.FindSource(ctx, folder))
	try.To(m.WriteCellModule(g.prepared))
	if g.imports == nil {
		g.imports, err = m.Imports(ctx)
	}
	return err
}

// silently lets GoNB execute code and publishes none of its output. Set counted if the execution increases GoNB's
// counter. Errors are only logged.
func (g *goSide) silently(ctx context.Context, child *child, code string, counted bool) {
	m := child.client.Session().New("execute_request", nil, map[string]any{
		"code": code, "silent": true, "store_history": counted, "allow_stdin": false, "user_expressions": map[string]string{},
		"stop_on_error": false,
	})
	if counted {
		g.count++
	}
	if _, err := child.request(ctx, m, func(m *jupyter.Message) { g.k.opt.Log("GoNB: %s %s", m.Header.Type, m.Content) }); err != nil {
		g.k.opt.Log("GoNB: %v", err)
	}
}

// keepStep increases GoNB's counter to this kernel's, so that GoNB's positions such as "Cell [7] Line 3" name the right
// cell.
func (g *goSide) keepStep(ctx context.Context, child *child, c *cell) {
	want := c.count
	if c.ask.stores() {
		want--
	}
	for g.count < want && ctx.Err() == nil {
		g.silently(ctx, child, "", true)
	}
}

// setAutoGet switches on go get in GoNB, permanently, if the code imports a package that is not pinned. go get costs about
// 0.25 s per cell.
func (g *goSide) setAutoGet(ctx context.Context, child *child, code string) {
	if g.autoGet || g.imports == nil {
		return
	}
	for _, path := range gonb.ImportsOf(code) {
		if !g.imports.Pinned(path) {
			g.silently(ctx, child, "%autoget", false)
			g.autoGet = true
			return
		}
	}
}

// watchCompiler shows how many packages remain to compile until the cell's first output. It shows nothing if compiling
// takes less than a second. The caller must call the returned function to stop it.
func (g *goSide) watchCompiler(ctx context.Context, out *goOutput) (end func()) {
	out.compiling = &meter{cell: out.cell, id: "compiling-" + out.cell.request.Header.ID}
	if g.imports == nil || g.autoGet {
		return func() {}
	}
	imports, folder := append([]string{"fmt"}, gonb.ImportsOf(out.cell.ask.Code)...), g.prepared
	env := []string{warden.EnvFolder + "=" + folder, "GOTMPDIR=" + folder} // the warden finds processes and files by these
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		total := 0
		for wait := time.Second; ; wait = compilerInterval {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			left, err := gonb.ColdIn(ctx, folder, env, imports...)
			if total = max(total, left); err != nil || left == 0 {
				out.compiling.finish(false)
				return
			}
			out.compiling.update(dsl.Activity{Label: "compiling packages for Go cells, once", Done: total - left, Total: total})
		}
	}()
	return cancel
}

// compilerInterval is the pause between two counts of the remaining packages. One count takes about 0.3 s.
const compilerInterval = 500 * time.Millisecond

// forget stops a GoNB process and clears g.child if it is that process.
func (g *goSide) forget(child *child) {
	child.stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child == child {
		g.child = nil
	}
}

// close stops GoNB, closes the bridge and removes the private folder.
func (g *goSide) close() {
	g.mu.Lock()
	child, bridge := g.child, g.bridge
	g.mu.Unlock()
	if child != nil {
		g.forget(child)
	}
	if bridge != nil {
		if err := bridge.Close(); err != nil {
			g.k.opt.Log("bridge: %v", err)
		}
		_ = os.RemoveAll(g.folder)
	}
}

// goCompleteness returns the status of a Go cell for is_complete_reply: complete, incomplete or invalid. indent is the
// indentation of the next line of an incomplete cell.
func goCompleteness(code string) (status, indent string) {
	source, goesOn := goSource(code)
	if goesOn {
		return "incomplete", ""
	}
	first := goMistake(source)
	if first == nil {
		return "complete", ""
	}
	if open := openBrackets(source); open > 0 {
		return "incomplete", strings.Repeat("\t", open)
	}
	open := strings.HasPrefix(first.Msg, "raw string literal not") || strings.HasPrefix(first.Msg, "comment not")
	if open || first.Pos.Offset >= len(strings.TrimRight(source, " \t\n}")) {
		return "incomplete", ""
	}
	return "invalid", ""
}

// goSource converts a cell into a Go file in the same way as GoNB. It blanks lines with shell commands and magics, and
// puts the code after %% or %main into a function main. The second result is true if the last line is a command that
// continues on the next line.
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
		if word, _, _ := strings.Cut(text, " "); !inMain && (word == "%%" || word == "%main") {
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

// openBrackets returns the number of brackets not closed at the end of a Go file. The function main that goSource closes
// counts as closed.
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

// misplaced returns the failure of a Go cell that is clearly a script without %%cope, or statements without %%. The
// failure has Go's own message and a hint with the missing line. For any other cell it returns nil. GoNB need not run.
func (c *cell) misplaced() *failure {
	code := c.ask.Code
	for line := range strings.SplitSeq(code, "\n") {
		text := strings.TrimPrefix(strings.TrimSpace(line), "//gonb:")
		if strings.HasPrefix(text, "%") || strings.HasPrefix(text, "!") { // a cell with magics is checked by GoNB
			return nil
		}
	}
	source, _ := goSource(code)
	first := goMistake(source)
	if first == nil {
		return nil
	}
	line := first.Pos.Line - 1 // line 1 of source is the package clause
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

// goMistake returns the first syntax error of a Go file, or nil.
func goMistake(source string) *scanner.Error {
	_, err := parser.ParseFile(token.NewFileSet(), "cell", source, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}
	return nil
}

// missing returns a hint about the line that would make the cell valid, or "" if no line would. Go's first error is in the
// given line of the cell, counted from 1.
func (c *cell) missing(lines []string, line int) string {
	const script = "this cell is Go; a script begins with the line %%cope"
	code := strings.Join(lines, "\n")
	c.k.cope.mu.Lock()
	isScript := c.k.cope.session.Reads(code)
	c.k.cope.mu.Unlock()
	source, _ := goSource(strings.Join(slices.Insert(slices.Clone(lines), line-1, "%%"), "\n"))
	statements := "statements go after a line %%"
	if line > 1 {
		statements = fmt.Sprintf("statements go after a line %%%%: put one before line %d", line)
	}
	switch isStatements := goMistake(source) == nil; {
	case isScript && isStatements && strings.Contains(code, ":="):
		return statements
	case isScript:
		return script
	case isStatements:
		return statements + "; a script begins with the line %%cope"
	}
	return ""
}
