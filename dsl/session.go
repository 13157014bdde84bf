package dsl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/cores"
	"github.com/gonb-cope/gonb-cope/internal/memlimit"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// Options say how scripts are evaluated. The zero value evaluates one script in
// the current folder.
type Options struct {
	Folder  string   // what relative paths are relative to; "" is the current folder
	Set     []string // NAME=VALUE: replaces what the script binds NAME to
	Seed    *uint64  // replaces every seed, except where a sweep sets it; nil keeps them
	Workers int      // cores to use, for runs at a time and then within each; 0 means all
	Rebind  bool     // a later script may bind a name again, as in a notebook
	Host    Host     // reads and writes files; nil is the file system
	Script  string   // file of the script, which it must not write; "" without one
	// file that the caller writes the displays to, which the script must not read; may be ""
	Output   string
	Progress Progress // receives what is being done; may be nil
	// makes the runs of sweeps, and of fc and fb with several runs, somewhere else; nil makes them here
	Runner Runner
	// have fc and fb with one run made by agents that are apart; nil makes it here, by simulation
	Agents Agents

	// Notice is told, in a sentence, of allocations above 1 GB before they are made and of what is odd
	// in a campaign; from any goroutine. May be nil.
	Notice func(string)
	// Noted is told, in a sentence each, after all is displayed, how data files were read where that is
	// not plain, and what a kernel is on its points; nothing that a display shows. nil means Notice.
	Noted func(string)

	Shown func(report.Display) // given each display as soon as it is there; may be nil
	Clear func()               // clears what was displayed, for clear(); may be nil

	// Giver says who binds values by Put, as messages do; "" is a Go cell.
	Giver string
	// Columns returns those of the table that a name of the caller stands for, for completion; may be nil.
	Columns func(name string) []string
	// Tables returns the CSV text of a table that the caller has in place of a file, by its path below
	// Folder, and false of all other paths; may be nil.
	Tables func(path string) ([]byte, bool)

	// reads data files in place of the file system: those that a campaign recorded; may be nil
	readFile   func(path string) ([]byte, error)
	noForecast bool    // protocol(...) makes none: a campaign that goes on has one of its start
	found      *found  // kernels of a campaign that its script finds; nil outside of campaigns
	making     *remade // takes experiments, of which no run is made; nil where they are run
}

// Session holds what scripts have bound so far. It is for one goroutine at a time.
type Session struct {
	opt   Options
	scope scope
	clock int // counts bindings

	sources []report.DataFile // read so far
	latest  map[string]string // checksum of each of these files when it was read last
	memory  model.Memory      // of designs: runs of different calls have many in common
	noted   []problem.Note    // in this evaluation, and not told yet
	// what the measurements of the problem say whose kernel was found last
	believed *belief.Belief
}

// NewSession returns a session in which nothing is bound.
func NewSession(opt Options) *Session {
	if opt.Host == nil {
		opt.Host = files{}
	}
	return &Session{opt: opt, scope: scope{}, latest: map[string]string{}}
}

// notice tells sentences, if anyone listens.
func (s *Session) notice(sentences ...string) {
	for _, line := range sentences {
		if s.opt.Notice != nil {
			s.opt.Notice(line)
		}
	}
}

// Names returns the names bound so far, oldest first.
func (s *Session) Names() []string { return s.scope.names() }

// giver says who binds values by Put.
func (s *Session) giver() string { return cmp.Or(s.opt.Giver, "a Go cell") }

// Sources returns the data files read so far, each once, with their hashes.
func (s *Session) Sources() []report.DataFile { return slices.Clone(s.sources) }

// Value returns what a name is bound to, and its type: a float64, a string, a list as
// []float64, []string, [][]float64 or []any, a kernels.Kernel or kernels.Joint, an
// *problem.Problem, an engine.Result and so on, see Type; a record is the Go value that it is a part of.
func (s *Session) Value(name string) (v any, t Type, ok bool) {
	b, ok := s.scope[name]
	if !ok {
		return nil, "", false
	}
	return b.value.plain(), b.value.Type, true
}

// Definition returns the text that a name was bound with; of a name bound by Put
// who gave it.
func (s *Session) Definition(name string) (string, bool) {
	b, ok := s.scope[name]
	if !ok {
		return "", false
	}
	if b.put {
		return name + " = <from " + s.giver() + ">", true
	}
	return b.st.Source.Slice(b.st.Whole()), true
}

// Eval checks a script and then evaluates it. It returns what bare expressions display. With an
// error (Errors, which wrap the context's error after an interrupt) come the displays that were
// finished before it; a script that does not pass the check leaves the session as it was.
func (s *Session) Eval(ctx context.Context, script *Script) ([]report.Display, error) {
	statements, errs := s.prepare(script)
	if len(errs) == 0 {
		errs = s.check(ctx, statements)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if s.opt.Workers > 0 {
		ctx = cores.Within(ctx, s.opt.Workers)
	}
	if s.opt.Notice != nil {
		ctx = memlimit.Listening(ctx, s.opt.Notice)
	}
	e := &evaluator{ctx: ctx, session: s, scope: s.scope}
	if s.opt.making != nil {
		e.collect = s.opt.making.take
	}
	if s.opt.Progress != nil {
		e.teller = &teller{tell: s.opt.Progress}
		defer e.teller.close()
	}
	var displays []report.Display
	defer func() { s.tellNotes(displays) }()
	for _, st := range statements {
		if e.stopped = ctx.Err(); e.stopped == nil {
			v := e.statement(st)
			// What an interrupt or a failure cuts short is displayed even when it was to be bound.
			short := ctx.Err() != nil || len(e.errs) > 0
			if (st.Name == "" || short) && v.known() && v.Type != Nothing {
				d := s.displayOf(st, v)
				displays = append(displays, d)
				if s.opt.Shown != nil {
					s.opt.Shown(d)
				}
			}
		}
		if e.stopped != nil {
			err := st.Source.At(st.Whole(), "interrupted", e.kept(st))
			err.Err = e.stopped
			e.report(err)
		}
		if len(e.errs) > 0 {
			return displays, e.errs
		}
	}
	return displays, nil
}

// kept says what an interrupt left of a statement that binds a name: a later cell
// must not take a part, or what was there before, for the whole.
func (e *evaluator) kept(st *front.Statement) string {
	b := e.scope[st.Name]
	switch {
	case st.Name == "":
		return ""
	case b == nil:
		return st.Name + " is not bound: nothing was finished"
	case b.st != st:
		return st.Name + " keeps the value that it had: nothing was finished"
	}
	return st.Name + " is bound to what was finished, shown above; run it again for the whole"
}

// check evaluates statements on a copy of the scope as far as that is possible
// without reading or running anything, until the context ends.
func (s *Session) check(ctx context.Context, statements []*front.Statement) Errors {
	copied := maps.Clone(s.scope)
	e := &evaluator{ctx: ctx, session: s, dry: true, scope: copied, all: statements}
	own := map[string]*front.Statement{}
	for _, st := range statements {
		if e.full() || ctx.Err() != nil {
			break
		}
		e.st = st
		e.checkName(st, own)
		e.statement(st)
	}
	slices.SortStableFunc(e.errs, func(a, b *Error) int { return a.Span.From - b.Span.From })
	return e.errs
}

// checkName reports a name that cannot be bound here. own has the statements of
// the same script that bind names.
func (e *evaluator) checkName(st *front.Statement, own map[string]*front.Statement) {
	if st.Name == "" {
		return
	}
	first := own[st.Name]
	own[st.Name] = st
	_, bound := e.scope[st.Name]
	switch {
	case taken(st.Name):
		e.failAt(st.NameAt, fmt.Sprintf("%s is a name of the language and cannot be bound", st.Name), "choose another name")
	case first != nil:
		line, _ := first.Source.Position(first.NameAt.From)
		e.failAt(st.NameAt, fmt.Sprintf("%s is bound twice; it was bound in line %d", st.Name, line), "choose another name: a name keeps its value")
	case bound && !e.session.opt.Rebind:
		e.failAt(st.NameAt, fmt.Sprintf("%s is bound already", st.Name), "choose another name: a name keeps its value")
	}
}

// taken reports whether a name is one of the language. A true that is bound would never be read:
// the parser knows it for a value.
func taken(name string) bool {
	_, constant := constants[name]
	return index[name] != nil || constant || name == "true" || name == "false"
}

// statement evaluates one statement and binds its name.
func (e *evaluator) statement(st *front.Statement) value {
	e.st, e.own, e.uses = st, st, map[string]bool{}
	v := e.define(st)
	if v.Type == Nothing && st.Name != "" {
		return e.fail(st.Node, Nothing, "this gives no value that a name could be bound to", "write it without "+st.Name+" =")
	}
	if st.Name == "" {
		return v
	}
	v = named(v, st.Name)
	b := &binding{name: st.Name, st: st, value: v, uses: map[string]int{}}
	for name := range e.uses {
		if used, ok := e.scope[name]; ok {
			b.uses[name] = used.time
		}
	}
	if e.cyclic(st.Name, b.uses) {
		e.failAt(st.NameAt, fmt.Sprintf("%s would be defined by itself", st.Name), "choose another name: a name stands for its definition")
		return v
	}
	if v.known() || e.dry {
		e.session.clock++
		b.time = e.session.clock
		e.scope[st.Name] = b
		e.place(st.Name, b.uses)
	}
	return v
}

// define returns the value of the right side of a statement.
func (e *evaluator) define(st *front.Statement) value {
	if st.Params != nil {
		return e.formula(st)
	}
	return e.eval(st.Node)
}

// displayOf returns the display of a bare expression; its name is set when the expression is a
// name. A formula shows its definition; a text and what is printed show nothing but themselves.
func (s *Session) displayOf(st *front.Statement, v value) report.Display {
	d := report.Display{Source: st.Source.Slice(st.Whole()), Value: v.Data}
	switch n := st.Node.(type) {
	case *ast.IdentifierNode:
		d.Name = n.Value
	case *ast.StringNode:
		d.Source = "" // it is its own text
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok && (callee.Value == "print" || textName(callee)) {
			d.Source = ""
		}
	}
	switch data := v.Data.(type) {
	case []value:
		d.Value = v.items()
	case sim.RewardFunc, sim.RoundFunc:
		d.Value = "rewards drawn by a function of " + s.giver()
	case kernels.Formula: // prints as its name alone, which says nothing
		text := definitions([]kernels.Formula{data})
		if len(data.Args) > 0 {
			text += data.String()
		}
		d.Value = text
	}
	return d
}
