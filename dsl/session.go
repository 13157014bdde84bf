package dsl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// Options configures the evaluation of scripts. The zero value evaluates one script in the current folder.
type Options struct {
	Folder  string   // folder that relative paths start from; "" is the current folder
	Set     []string // each NAME=VALUE replaces the right-hand side of NAME's definition
	Seed    *uint64  // replaces every seed of the script except a swept seed; nil keeps them
	Workers int      // maximum number of cores in use; parallel runs get cores first, then each run; 0 means all cores
	Rebind  bool     // whether a later script may bind a name again, as in a notebook
	Host    Host     // reads and writes files; nil is the file system
	// Read returns the contents of a data file, for a program without a file system; nil means the file system.
	Read func(path string) ([]byte, error)
	// whether writing is a mistake: save, plot with a file, sweep with a store, and functions that change campaigns
	ReadOnly bool
	Rough    bool   // whether problem and best compute a rough posterior, for a first answer
	Script   string // path of the script, which must not be an output path; "" if the script is not in a file
	// file to which the caller writes the displays, and which the script must not read; may be ""
	Output   string
	Progress Progress // receives the progress; may be nil
	// has stored results and keeps new ones, instead of the stores of sweeps; nil means that every run is made. A stored
	// result is displayed like a new one. The caller closes the store
	Store Store
	// selects a part of the script: only its runs are made, and nothing is displayed. It needs a Store. The zero value is
	// the whole script
	Shard Shard

	// keeps campaigns, such as folder.Keeper(MakeProtocol); nil refuses campaigns
	Campaigns campaign.Keeper

	// Notice receives a sentence about an unusual event, such as an allocation above 1 GB. It may be called from any
	// goroutine, and may be nil.
	Notice func(string)
	// Noted receives one sentence about each unusual way in which a data file was read, and each notable property of a
	// kernel on its points. It is called after all displays, without the notes that a display contains. nil means Notice.
	Noted func(string)

	Shown func(report.Display) // receives each display as soon as it exists; may be nil
	Clear func()               // removes all displays, for the script function clear(); may be nil

	// Giver says in messages where values bound by Put come from; "" means "a Go cell".
	Giver string
	// Columns returns the columns of the caller's table with the given name, for completion; may be nil.
	Columns func(name string) []string
	// Tables returns the table that the caller holds in memory under a path below Folder, or nil if there is none; may be
	// nil.
	Tables func(path string) *problem.Frame

	// reads data files instead of the file system, for example from the record of a campaign; may be nil
	readFile   func(path string) ([]byte, error)
	absolute   map[string]bool // the absolute paths that the script reads are added to it; may be nil
	noForecast bool            // whether protocol(...) computes no forecast, because a continued campaign keeps its first one
	found      *found          // the kernels that a campaign's script chose from measurements; nil outside campaigns
}

// Session holds the names that scripts have bound so far. It is not safe for concurrent use.
type Session struct {
	opt   Options // options given to NewSession; Act replaces them during its call
	scope scope   // the bound names; Eval and Put change them
	clock int     // number of bindings made, including repeated ones

	parted int // the session's clock when this branch was made

	// State of Forget: the names bound since its last call, the number of bindings that use each name, and the bindings
	// already counted.
	changed map[string]bool
	users   map[string]int
	counted map[string]*binding

	sources []report.DataFile // data files read so far
	latest  map[string]string // checksum of the latest version of each data file
	memory  model.Memory      // designs that runs of different calls share
	noted   []problem.Note    // notes of the present evaluation that were not reported yet
	// posterior of the problem whose kernel was chosen most recently; nil if there is none
	believed *belief.Belief

	withdrawn map[string]withdrawal // names that scripts may no longer read, see Withdraw
}

// NewSession returns a session without bound names. With zero Options, it reads and writes files relative to the current
// folder.
func NewSession(opt Options) *Session {
	opt.Host = cmp.Or(opt.Host, Host(files{}))
	return &Session{opt: opt, scope: scope{}, latest: map[string]string{},
		changed: map[string]bool{}, users: map[string]int{}, counted: map[string]*binding{}}
}

// notice passes a sentence to Options.Notice, or drops it if Notice is nil. It may be called from any goroutine.
func (s *Session) notice(sentence string) {
	if s.opt.Notice != nil {
		s.opt.Notice(sentence)
	}
}

// Names returns the names bound so far, oldest first.
func (s *Session) Names() []string { return s.scope.names() }

// giver returns the phrase for messages about where values bound by Put come from.
func (s *Session) giver() string { return cmp.Or(s.opt.Giver, "a Go cell") }

// Sources returns the data files read so far, with their checksums.
func (s *Session) Sources() []report.DataFile { return slices.Clone(s.sources) }

// Value returns the value and the type of a bound name; ok is false if the name is not bound. A number is a float64 and a
// text a string. A list is a []float64, []string, [][]float64 or []any. Values of other types are Go values such as
// *problem.Problem or engine.Result (see Type).
func (s *Session) Value(name string) (v any, t Type, ok bool) {
	b, ok := s.scope[name]
	if !ok {
		return nil, "", false
	}
	return b.value.plain(), b.value.Type, true
}

// Definition returns the text of a name's definition; false if the name is not bound. If Put bound the name, the text says
// where the value comes from.
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

// Eval checks a script, evaluates it, and returns the displays of its bare expressions. If the check finds mistakes, the
// session does not change. If a later statement fails, Eval returns the displays so far and the error, and names bound
// before stay bound. Errors have type Errors; after an interrupt they wrap the context's error. Progress is not reported
// after Eval has returned.
func (s *Session) Eval(ctx context.Context, script *Script) ([]report.Display, error) {
	statements, errs := s.prepare(script) // with Options.Set applied
	if len(errs) == 0 {
		errs = s.check(ctx, statements)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	// All packages below read the limit on cores and the notice function from the context.
	if s.opt.Workers > 0 {
		ctx = cores.Within(ctx, s.opt.Workers)
	}
	if s.opt.Notice != nil {
		ctx = memlimit.Listening(ctx, s.opt.Notice)
	}
	// The evaluator uses the session's scope itself, so a name is bound as soon as its statement is evaluated.
	e := &evaluator{ctx: ctx, session: s, scope: s.scope}
	if s.opt.Shard.N > 0 {
		statements, e.divided = divide(statements, s.opt.Shard)
	}
	if s.opt.Progress != nil {
		e.teller = &teller{tell: s.opt.Progress}
		defer e.teller.close()
	}
	var displays []report.Display
	// Notes are reported at the end, even after an error.
	defer func() { s.tellNotes(displays) }()
	for _, st := range statements {
		// If the context has ended, stop here with the results so far.
		if e.stopped = ctx.Err(); e.stopped == nil {
			v := e.statement(st)
			// After an interrupt or a failure, display the partial result of the statement, even if the statement binds a
			// name.
			short := ctx.Err() != nil || len(e.errs) > 0
			if e.divided == nil && (st.Name == "" || short) && v.known() && v.Type != Nothing {
				d := s.displayOf(st, v)
				displays = append(displays, d)
				if s.opt.Shown != nil { // the front end shows the display before the next statement starts
					s.opt.Shown(d)
				}
			}
		}
		if e.stopped != nil {
			err := st.Source.At(st.Whole(), "interrupted", e.unfinished(st))
			err.Err = e.stopped // lets errors.Is find context.Canceled
			e.report(err)
		}
		// Stop, because later statements may depend on this one.
		if len(e.errs) > 0 {
			return displays, e.errs
		}
	}
	return displays, nil
}

// check evaluates statements on a copy of the scope and returns the mistakes. It reads no data files and makes no runs. It
// stops when the context ends. It advances the session's clock, which is harmless because only the order of times matters.
func (s *Session) check(ctx context.Context, statements []*front.Statement) Errors {
	copied := maps.Clone(s.scope)
	e := &evaluator{ctx: ctx, session: s, dry: true, scope: copied, all: statements}
	own := map[string]*front.Statement{}
	for _, st := range statements {
		if e.full() || ctx.Err() != nil {
			break
		}
		e.st = st // so that checkName reports at this statement
		// Check the name before the statement binds it, so that the scope has only earlier names.
		e.checkName(st, own)
		e.statement(st)
	}
	// A sweep may report mistakes in earlier definitions, so sort by position.
	slices.SortStableFunc(e.errs, func(a, b *Error) int { return a.Span.From - b.Span.From })
	return e.errs
}

// displayOf returns the display of a bare expression whose value is known. If the expression is a name, the display has
// that name. A formula shows its definition. A text or a printed value is shown without its expression. A list becomes a
// Go slice, because package report does not know the types of this package.
func (s *Session) displayOf(st *front.Statement, v value) report.Display {
	d := report.Display{Source: st.Source.Slice(st.Whole()), Value: v.Data}
	switch n := st.Node.(type) {
	case *ast.IdentifierNode:
		d.Name = n.Value
	case *ast.StringNode:
		d.Source = "" // a text is shown without its expression
	case *ast.CallNode:
		if _, name := callOf(n); name == "print" || name == front.TextCall {
			d.Source = ""
		}
	}
	switch data := v.Data.(type) {
	case []value:
		d.Value = v.items()
	case sim.RewardFunc, sim.RoundFunc:
		d.Value = "rewards drawn by a function of " + s.giver()
	case *algorithms.Entry:
		d.Value = "the algorithm " + data.Name + " of " + s.giver()
	case kernels.Formula: // show the definition; the name alone is not informative
		text := definitions([]kernels.Formula{data})
		if len(data.Args) > 0 {
			text += data.String()
		}
		d.Value = text
	}
	return d
}

// Put binds a name to a Go value, as if a script had bound it. The rules for names are the same, and names that used the old
// value become outdated. The value may be
//
//	a finite number, a string, or a slice of these or of such slices
//	a kernels.Kernel or kernels.Joint, or a func(x, y []float64) float64 as a kernel
//	a sim.RewardFunc or sim.RoundFunc that draws rewards
//	an algorithms.Entry, for a user-defined algorithm
//	a problem.Problem, engine.Result, or another value that functions of the language return
//	a report.Figure or report.Table
//	a pointer to one of these.
//
// Put returns an error and changes nothing for any other value, and for a list that is too long or nested too deeply.
func (s *Session) Put(name string, v any) error {
	st, err := nameFor(s, name)
	if err != nil {
		return err
	}
	bound, err := fromGo(name, v)
	if err != nil {
		return fmt.Errorf("cannot define %s: %w", name, err)
	}
	if n := bound.size(maxElements); n > maxElements {
		return fmt.Errorf("cannot define %s: a list of more than %d elements; put data into a CSV file", name, maxElements)
	}
	if bound.depth() > maxNesting {
		return fmt.Errorf("cannot define %s: more than %d lists inside each other", name, maxNesting)
	}
	// Advance the clock, so that Stale finds names that used the old value.
	s.clock++
	s.scope[name] = &binding{name: name, st: st, value: bound, time: s.clock, uses: map[string]int{}, put: true}
	s.changed[name] = true
	return nil
}

// Branch returns a session that starts with the names and values of s. It may evaluate scripts while s evaluates others.
// Names that it binds are not visible in s until Join.
func (s *Session) Branch(opt Options) *Session {
	b := NewSession(opt)
	b.scope, b.clock, b.latest, b.sources = maps.Clone(s.scope), s.clock, maps.Clone(s.latest), slices.Clone(s.sources)
	for name := range b.scope {
		b.changed[name] = true
	}
	b.parted = s.clock
	return b
}

// Join binds in s the names that b bound since Branch, and adds the data files that b read.
func (s *Session) Join(b *Session) {
	for name, bound := range b.scope {
		if bound.time > b.parted {
			s.scope[name], s.changed[name] = bound, true
		}
	}
	s.clock = max(s.clock, b.clock)
	for _, file := range b.sources {
		s.sources = lists.Add(s.sources, file)
	}
	maps.Copy(s.latest, b.latest)
}

// Below returns the given names, if bound, and all bound names that their definitions use, directly or indirectly.
func (s *Session) Below(names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, s.scope.below(name)...)
	}
	return all
}

// Reads reports whether text is a script for this session. Its syntax must be valid, and it must call a function of the
// language or use a bound name.
func (s *Session) Reads(text string) bool {
	// A formula always counts as a script. A notebook kernel calls Reads for a cell whose Go code does not compile, since
	// the cell may be a script without the line %%cope.
	script, errs := Parse("", text)
	if len(errs) > 0 {
		return false
	}
	for _, st := range script.statements {
		used := namesIn(st.Node) // for a formula, these are the names in its body
		if st.Params != nil || len(s.scope.callsIn(st.Node)) > 0 ||
			slices.ContainsFunc(s.Names(), func(name string) bool { return used[name] }) {
			return true
		}
	}
	return false
}

// note keeps notes about data and kernels until Eval reports them, after all displays.
func (s *Session) note(notes []problem.Note) { s.noted = append(s.noted, notes...) }

// tellNotes reports each note of an evaluation once. It omits notes that a display contains, and notes that do not concern
// any displayed result.
func (s *Session) tellNotes(displays []report.Display) {
	// Forget all notes, including those that are omitted below.
	notes := s.noted
	s.noted = nil
	answers := len(displays) > 0 // whether every display is a result of the function best
	for _, d := range displays {
		var shown []string
		a, is := d.Value.(answer.Answer)
		if answers = answers && is; is {
			shown = a.Warnings
		}
		// The display of a problem contains the problem's notes.
		if p, is := d.Value.(*problem.Problem); is {
			shown = lists.Map(slices.Concat(p.Notes, p.KernelNotes), problem.Note.String)
		}
		notes = slices.DeleteFunc(notes, func(n problem.Note) bool {
			return slices.Contains(shown, n.String()) || slices.Contains(shown, n.Sentence())
		})
	}
	// Omit these notes too: a result has its own warnings, and an answer from measurements does not depend on a
	// simulation.
	if len(displays) > 0 {
		notes = slices.DeleteFunc(notes, func(n problem.Note) bool { return n.OfAlgorithms() || answers && n.OfSimulation() })
	}
	lines := lists.Map(notes, problem.Note.String)
	for i, line := range lines { // skip repeated notes, for example of two problems
		if slices.Contains(lines[:i], line) {
			continue
		}
		if s.opt.Noted != nil {
			s.opt.Noted(line)
		} else {
			s.notice(line)
		}
	}
}

// path converts a path in the script to a path of the operating system. A relative path starts from Options.Folder.
func (s *Session) path(path string) string {
	if filepath.IsAbs(path) && s.opt.absolute != nil {
		s.opt.absolute[path] = true
	}
	if filepath.IsAbs(path) || s.opt.Folder == "" {
		return path
	}
	return filepath.Join(s.opt.Folder, path)
}

// prepare returns the statements of a script after it applies Options.Set. In a notebook, Options.Set may contain a name
// that another cell binds.
func (s *Session) prepare(script *Script) ([]*front.Statement, Errors) {
	return script.replace(s.opt.Set, s.opt.Rebind)
}
