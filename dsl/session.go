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
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
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
	// no call may write: save, plot with a file, sweep with a store and the functions of campaigns are mistakes
	ReadOnly bool
	Script   string // file of the script, which it must not write; "" without one
	// file that the caller writes the displays to, which the script must not read; may be ""
	Output   string
	Progress Progress // receives what is being done; may be nil
	// makes the runs of sweeps, and of fc and fb with several runs, somewhere else; nil makes them here
	Runner Runner
	// have fc and fb with one run made by agents that are apart; nil makes it here, by simulation
	Agents Agents

	// Notice is told, in a sentence, of allocations above 1 GB before they are made and of oddities
	// in a campaign; from any goroutine. May be nil.
	Notice func(string)
	// Noted is told, in a sentence each, after all is displayed, how data files were read where that is
	// not plain, and what a kernel is on its points; nothing that a display shows. nil means Notice.
	Noted func(string)

	Shown func(report.Display) // given each display as soon as it is there; may be nil
	Clear func()               // clears what was displayed, for clear(); may be nil

	// Giver says who binds values by Put, as messages do; "" is a Go cell.
	Giver string
	// Columns returns the columns of the table that a name of the caller stands for, for completion; may be nil.
	Columns func(name string) []string
	// Tables returns the table that the caller has in place of a file, by its path below Folder, and nil of
	// all other paths; may be nil.
	Tables func(path string) *problem.Frame

	// reads data files in place of the file system: those that a campaign recorded; may be nil
	readFile   func(path string) ([]byte, error)
	absolute   map[string]bool // the absolute paths that the script names are noted here; nil where nobody asks
	noForecast bool            // protocol(...) makes none: a campaign that goes on has one of its start
	found      *found          // kernels of a campaign that its script finds; nil outside of campaigns
	making     *remade         // takes experiments and makes no run of them; nil where they are run
}

// Session holds what scripts have bound so far. It is for one goroutine at a time.
type Session struct {
	opt   Options // as given to NewSession, with a Host; Act changes it during its call
	scope scope   // the names bound, which Eval and Put change
	clock int     // counts bindings

	// For Forget: names bound since it was called, by how many bindings each name is used, and those that are counted.
	changed map[string]bool
	users   map[string]int
	counted map[string]*binding

	sources []report.DataFile // read so far
	latest  map[string]string // checksum of each of these files when it was read last
	memory  model.Memory      // of designs: runs of different calls have many in common
	noted   []problem.Note    // in this evaluation, and not told yet
	// what the measurements of the problem say whose kernel was found last
	believed *belief.Belief

	withdrawn map[string]withdrawal // names that the caller does not have any more
}

// NewSession returns a session in which nothing is bound.
// The zero Options read and write files below the current folder.
func NewSession(opt Options) *Session {
	opt.Host = cmp.Or(opt.Host, Host(files{}))
	return &Session{opt: opt, scope: scope{}, latest: map[string]string{},
		changed: map[string]bool{}, users: map[string]int{}, counted: map[string]*binding{}}
}

// notice tells a sentence, if anyone listens.
// Computations call it from any goroutine.
func (s *Session) notice(sentence string) {
	if s.opt.Notice != nil {
		s.opt.Notice(sentence)
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
// Names that were bound before a mistake in running stay bound.
// Progress ends with Eval: a computation that an interrupt left behind is heard no more.
func (s *Session) Eval(ctx context.Context, script *Script) ([]report.Display, error) {
	statements, errs := s.prepare(script) // takes over Options.Set
	if len(errs) == 0 {
		errs = s.check(ctx, statements)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	// Both travel in the context, since all packages below see it: the limit on cores, and who is told of large
	// allocations.
	if s.opt.Workers > 0 {
		ctx = cores.Within(ctx, s.opt.Workers)
	}
	if s.opt.Notice != nil {
		ctx = memlimit.Listening(ctx, s.opt.Notice)
	}
	// The scope of the session itself: each statement binds its name at once.
	e := &evaluator{ctx: ctx, session: s, scope: s.scope}
	if s.opt.making != nil { // of a worker: experiments are made there, and not run
		e.collect = s.opt.making.take
	}
	if s.opt.Progress != nil {
		e.teller = &teller{tell: s.opt.Progress}
		defer e.teller.close()
	}
	var displays []report.Display
	// Notes are told at the end, after an error too, as far as the displays do not show them.
	defer func() { s.tellNotes(displays) }()
	for _, st := range statements {
		// An interrupt before a statement, or during it, ends the script with what there is.
		if e.stopped = ctx.Err(); e.stopped == nil {
			v := e.statement(st)
			// What an interrupt or a failure cuts short is displayed even when it was to be bound.
			short := ctx.Err() != nil || len(e.errs) > 0
			if (st.Name == "" || short) && v.known() && v.Type != Nothing {
				d := s.displayOf(st, v)
				displays = append(displays, d)
				if s.opt.Shown != nil { // a front end shows it before the next statement begins
					s.opt.Shown(d)
				}
			}
		}
		if e.stopped != nil {
			err := st.Source.At(st.Whole(), "interrupted", e.unfinished(st))
			err.Err = e.stopped // so that errors.Is finds context.Canceled
			e.report(err)
		}
		// The statements below may rest on what failed.
		if len(e.errs) > 0 {
			return displays, e.errs
		}
	}
	return displays, nil
}

// check evaluates statements on a copy of the scope as far as that is possible
// without reading or running anything, until the context ends.
// The clock of the session moves on, which leaves a gap: times are only compared with each other.
func (s *Session) check(ctx context.Context, statements []*front.Statement) Errors {
	copied := maps.Clone(s.scope)
	e := &evaluator{ctx: ctx, session: s, dry: true, scope: copied, all: statements}
	own := map[string]*front.Statement{}
	for _, st := range statements {
		if e.full() || ctx.Err() != nil {
			break
		}
		e.st = st // checkName reports in it
		// Before the statement binds its name, so that the scope has what was there before.
		e.checkName(st, own)
		e.statement(st)
	}
	// A sweep finds mistakes in definitions above it; they are told in the order of the text.
	slices.SortStableFunc(e.errs, func(a, b *Error) int { return a.Span.From - b.Span.From })
	return e.errs
}

// displayOf returns the display of a bare expression; its name is set when the expression is a
// name. A formula shows its definition; a text and what is printed show nothing but themselves.
// The value must be known. A list becomes Go values, since reports know none of this package.
func (s *Session) displayOf(st *front.Statement, v value) report.Display {
	d := report.Display{Source: st.Source.Slice(st.Whole()), Value: v.Data}
	switch n := st.Node.(type) {
	case *ast.IdentifierNode:
		d.Name = n.Value
	case *ast.StringNode:
		d.Source = "" // it is its own text
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
	case kernels.Formula: // prints as its name alone, which says nothing
		text := definitions([]kernels.Formula{data})
		if len(data.Args) > 0 {
			text += data.String()
		}
		d.Value = text
	}
	return d
}

// Put binds a name to a Go value, as if a script had bound it: the rules for names are the same,
// and what used the name before becomes stale. The value may be a number, a string, or a slice of
// these or of such slices, all finite; a kernels.Kernel or kernels.Joint, or a func(x, y []float64)
// float64 as a kernel; a sim.RewardFunc or sim.RoundFunc as a source of rewards; a problem.Problem, engine.Result,
// or another value that functions of the language return; a report.Figure or report.Table; or a
// pointer to one of these. What a script could not bind is an error, and then nothing changes.
// It is for values of a program. A list that a script could not have made, by length or depth, is refused as well.
func (s *Session) Put(name string, v any) error {
	st, err := nameFor(s, name)
	if err != nil {
		return err
	}
	bound, err := fromGo(name, v)
	if err != nil {
		return fmt.Errorf("cannot bind %s: %w", name, err)
	}
	if n := bound.size(maxElements); n > maxElements {
		return fmt.Errorf("cannot bind %s: a list of more than %d elements; put data into a CSV file", name, maxElements)
	}
	if bound.depth() > maxNesting {
		return fmt.Errorf("cannot bind %s: more than %d lists inside each other", name, maxNesting)
	}
	// A new binding has a new time, by which Stale finds what used the old one.
	s.clock++
	s.scope[name] = &binding{name: name, st: st, value: bound, time: s.clock, uses: map[string]int{}, put: true}
	s.changed[name] = true
	return nil
}

// Reads reports whether a text reads as a script of this session: it has the form of one, and calls a
// function of the language or uses a name that is bound.
func (s *Session) Reads(text string) bool {
	// A formula counts, whatever it reads. The kernel asks when Go code does not compile, which may be a script without
	// its magic.
	script, errs := Parse("", text)
	if len(errs) > 0 {
		return false
	}
	for _, st := range script.statements {
		used := namesIn(st.Node) // of the body, where it is a formula
		if st.Params != nil || len(s.scope.callsIn(st.Node)) > 0 ||
			slices.ContainsFunc(s.Names(), func(name string) bool { return used[name] }) {
			return true
		}
	}
	return false
}

// note keeps notes on data and kernels, which are told when all is displayed.
func (s *Session) note(notes []problem.Note) { s.noted = append(s.noted, notes...) }

// tellNotes tells the notes of an evaluation, each once, but for those that what was displayed shows
// or that do not concern it.
func (s *Session) tellNotes(displays []report.Display) {
	// Whatever is not told here is not told later either.
	notes := s.noted
	s.noted = nil
	answers := len(displays) > 0 // whether nothing but answers is displayed
	for _, d := range displays {
		var shown []string
		a, is := d.Value.(answer.Answer)
		if answers = answers && is; is {
			shown = a.Warnings
		}
		// The display of a problem lists its notes itself.
		if p, is := d.Value.(*problem.Problem); is {
			shown = lists.Map(slices.Concat(p.Notes, p.KernelNotes), problem.Note.String)
		}
		notes = slices.DeleteFunc(notes, func(n problem.Note) bool {
			return slices.Contains(shown, n.String()) || slices.Contains(shown, n.Sentence())
		})
	}
	// Results have warnings of their own, and answers from measurements rest on no simulation.
	if len(displays) > 0 {
		notes = slices.DeleteFunc(notes, func(n problem.Note) bool { return n.OfAlgorithms() || answers && n.OfSimulation() })
	}
	lines := lists.Map(notes, problem.Note.String)
	for i, line := range lines { // two problems may have the same note
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

// path returns a path of the script as the system needs it.
// Without a folder the path is as it is, below the current folder.
func (s *Session) path(path string) string {
	if filepath.IsAbs(path) && s.opt.absolute != nil {
		s.opt.absolute[path] = true
	}
	if filepath.IsAbs(path) || s.opt.Folder == "" {
		return path
	}
	return filepath.Join(s.opt.Folder, path)
}

// prepare returns the statements of a script with the right sides that Options.Set
// replaces. In a notebook another cell may bind a name that is set.
func (s *Session) prepare(script *Script) ([]*front.Statement, Errors) {
	return script.replace(s.opt.Set, s.opt.Rebind)
}
