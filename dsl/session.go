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
	Folder  string   // base of relative paths; "" is the current folder
	Set     []string // each NAME=VALUE replaces the definition of NAME
	Seed    *uint64  // replaces every seed, except a swept one; nil keeps the seeds
	Workers int      // cores to use, first for parallel runs and then within each; 0 means all
	Rebind  bool     // whether a later script may bind a name again, as in a notebook
	Host    Host     // reads and writes files; nil is the file system
	// Read reads a data file by its path, for a program without a file system; nil reads files.
	Read func(path string) ([]byte, error)
	// whether writing is a mistake: save, plot with a file, sweep with a store, and the functions of campaigns
	ReadOnly bool
	Script   string // path of the script, which the script must not overwrite; "" if there is none
	// file to which the caller writes the displays, and which the script must not read; may be ""
	Output   string
	Progress Progress // receives the progress; may be nil
	// keeps the results of all runs, and returns those that it has, instead of the stores of sweeps; nil makes all runs. Results from it
	// are displayed as if the runs were made now. Eval does not close it
	Store Store
	// makes only the runs of this part of the script, and displays nothing; needs a Store. Zero is the whole script
	Shard Shard
	// makes single runs of fc and fb with separate agents; nil simulates them
	Agents Agents

	// keeps campaigns, such as folder.Keeper(MakeProtocol); nil refuses campaigns
	Campaigns campaign.Keeper

	// Notice receives a sentence before an allocation above 1 GB, and about unusual events in a campaign. It may be called from
	// any goroutine, and may be nil.
	Notice func(string)
	// Noted receives one sentence for each unusual way in which a data file was read, and for each notable property of a kernel
	// on its points. It is called after all displays, and skips notes that a display shows. nil means Notice.
	Noted func(string)

	Shown func(report.Display) // receives each display as soon as it exists; may be nil
	Clear func()               // clears the displays, for the function clear(); may be nil

	// Giver describes, in messages, who binds values by Put; "" means "a Go cell".
	Giver string
	// Columns returns the columns of a caller's table by the table's name, for completion; may be nil.
	Columns func(name string) []string
	// Tables returns a table in the caller's memory by its path below Folder, or nil for other paths; may be nil.
	Tables func(path string) *problem.Frame

	// reads data files instead of the file system, for example from a campaign's record; may be nil
	readFile   func(path string) ([]byte, error)
	absolute   map[string]bool // records the absolute paths in the script; nil if not needed
	noForecast bool            // whether protocol(...) skips the forecast; a continued campaign has the forecast of its start
	found      *found          // kernels that a campaign's script chooses from measurements; nil outside campaigns
}

// Session holds the names that scripts have bound so far. It is not safe for concurrent use.
type Session struct {
	opt   Options // options of NewSession; Act changes them during its call
	scope scope   // the bound names; Eval and Put change it
	clock int     // number of bindings

	parted int // value of clock when this branch was made

	// For Forget: the names bound since its last call, the number of bindings that use each name, and the bindings counted so
	// far.
	changed map[string]bool
	users   map[string]int
	counted map[string]*binding

	sources []report.DataFile // data files read so far
	latest  map[string]string // latest checksum of each data file
	memory  model.Memory      // designs, which runs of different calls share
	noted   []problem.Note    // notes of the current evaluation that are not reported yet
	// posterior of the problem whose kernel was chosen last
	believed *belief.Belief

	withdrawn map[string]withdrawal // names whose values the caller no longer has
}

// NewSession returns a session without bound names. With zero Options it reads and writes files below the current folder.
func NewSession(opt Options) *Session {
	opt.Host = cmp.Or(opt.Host, Host(files{}))
	return &Session{opt: opt, scope: scope{}, latest: map[string]string{},
		changed: map[string]bool{}, users: map[string]int{}, counted: map[string]*binding{}}
}

// notice passes a sentence to Options.Notice, if set. It may be called from any goroutine.
func (s *Session) notice(sentence string) {
	if s.opt.Notice != nil {
		s.opt.Notice(sentence)
	}
}

// Names returns the names bound so far, oldest first.
func (s *Session) Names() []string { return s.scope.names() }

// giver describes who binds values by Put.
func (s *Session) giver() string { return cmp.Or(s.opt.Giver, "a Go cell") }

// Sources returns the data files read so far, with their hashes.
func (s *Session) Sources() []report.DataFile { return slices.Clone(s.sources) }

// Value returns the value and the type of a bound name; ok is false if the name is not bound. The value is a float64, a string, a
// list as []float64, []string, [][]float64 or []any, or a Go value of the type, such as *problem.Problem or engine.Result (see
// Type). A record is the Go value of that part.
func (s *Session) Value(name string) (v any, t Type, ok bool) {
	b, ok := s.scope[name]
	if !ok {
		return nil, "", false
	}
	return b.value.plain(), b.value.Type, true
}

// Definition returns the text of a name's definition. For a name that Put bound, the text describes its origin.
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

// Eval checks a script, evaluates it, and returns the displays of its bare expressions. If the check fails, the session stays
// unchanged. If the script fails later, Eval returns the displays so far together with the error, and earlier names stay bound.
// Errors have type Errors; after an interrupt they wrap the context's error. Eval reports no progress after it has returned.
func (s *Session) Eval(ctx context.Context, script *Script) ([]report.Display, error) {
	statements, errs := s.prepare(script) // applies Options.Set
	if len(errs) == 0 {
		errs = s.check(ctx, statements)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	// The limit on cores and the function for notices are passed in the context, which all packages below read.
	if s.opt.Workers > 0 {
		ctx = cores.Within(ctx, s.opt.Workers)
	}
	if s.opt.Notice != nil {
		ctx = memlimit.Listening(ctx, s.opt.Notice)
	}
	// The evaluator works on the session's own scope, so each statement binds its name at once.
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
		// An interrupt before or during a statement ends the script with the results so far.
		if e.stopped = ctx.Err(); e.stopped == nil {
			v := e.statement(st)
			// After an interrupt or a failure, display a partial result even if the statement binds a name.
			short := ctx.Err() != nil || len(e.errs) > 0
			if e.divided == nil && (st.Name == "" || short) && v.known() && v.Type != Nothing {
				d := s.displayOf(st, v)
				displays = append(displays, d)
				if s.opt.Shown != nil { // a front end shows the display before the next statement begins
					s.opt.Shown(d)
				}
			}
		}
		if e.stopped != nil {
			err := st.Source.At(st.Whole(), "interrupted", e.unfinished(st))
			err.Err = e.stopped // so that errors.Is finds context.Canceled
			e.report(err)
		}
		// Stop here, because the statements below may depend on the failed one.
		if len(e.errs) > 0 {
			return displays, e.errs
		}
	}
	return displays, nil
}

// check evaluates statements on a copy of the scope, as far as possible without reading or running anything, until the context
// ends. The session's clock advances, which is harmless: only the order of times matters.
func (s *Session) check(ctx context.Context, statements []*front.Statement) Errors {
	copied := maps.Clone(s.scope)
	e := &evaluator{ctx: ctx, session: s, dry: true, scope: copied, all: statements}
	own := map[string]*front.Statement{}
	for _, st := range statements {
		if e.full() || ctx.Err() != nil {
			break
		}
		e.st = st // checkName reports at this statement
		// Check the name before the statement binds it, so that the scope has only earlier names.
		e.checkName(st, own)
		e.statement(st)
	}
	// A sweep may report mistakes in definitions above it, so sort the mistakes by place.
	slices.SortStableFunc(e.errs, func(a, b *Error) int { return a.Span.From - b.Span.From })
	return e.errs
}

// displayOf returns the display of a bare expression with a known value. The display has a name if the expression is a name. A
// formula shows its definition. A text or a printed value shows only itself. A list becomes a Go slice, because package report
// does not know the types of this package.
func (s *Session) displayOf(st *front.Statement, v value) report.Display {
	d := report.Display{Source: st.Source.Slice(st.Whole()), Value: v.Data}
	switch n := st.Node.(type) {
	case *ast.IdentifierNode:
		d.Name = n.Value
	case *ast.StringNode:
		d.Source = "" // a text needs no source next to it
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
	case kernels.Formula: // show the definition, since the name alone says nothing
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
		return fmt.Errorf("cannot bind %s: %w", name, err)
	}
	if n := bound.size(maxElements); n > maxElements {
		return fmt.Errorf("cannot bind %s: a list of more than %d elements; put data into a CSV file", name, maxElements)
	}
	if bound.depth() > maxNesting {
		return fmt.Errorf("cannot bind %s: more than %d lists inside each other", name, maxNesting)
	}
	// Stale finds names that used the old binding by this new time.
	s.clock++
	s.scope[name] = &binding{name: name, st: st, value: bound, time: s.clock, uses: map[string]int{}, put: true}
	s.changed[name] = true
	return nil
}

// Branch returns a session with the names and values of s. It can evaluate while s does; names that it binds are its own until
// Join.
func (s *Session) Branch(opt Options) *Session {
	b := NewSession(opt)
	b.scope, b.clock, b.latest, b.sources = maps.Clone(s.scope), s.clock, maps.Clone(s.latest), slices.Clone(s.sources)
	for name := range b.scope {
		b.changed[name] = true
	}
	b.parted = s.clock
	return b
}

// Join binds in s the names that branch b has bound, and adds the data files that b has read.
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

// Below returns the given bound names and all bound names that their definitions use, directly or indirectly.
func (s *Session) Below(names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, s.scope.below(name)...)
	}
	return all
}

// Reads reports whether a text is a script for this session: its syntax is valid, and it calls a function of the language or uses
// a bound name.
func (s *Session) Reads(text string) bool {
	// A formula always counts. A notebook kernel calls Reads when Go code does not compile, since the cell may be a script
	// without its first line %%cope.
	script, errs := Parse("", text)
	if len(errs) > 0 {
		return false
	}
	for _, st := range script.statements {
		used := namesIn(st.Node) // for a formula, the names in its body
		if st.Params != nil || len(s.scope.callsIn(st.Node)) > 0 ||
			slices.ContainsFunc(s.Names(), func(name string) bool { return used[name] }) {
			return true
		}
	}
	return false
}

// note stores notes about data and kernels, which Eval reports after all displays.
func (s *Session) note(notes []problem.Note) { s.noted = append(s.noted, notes...) }

// tellNotes reports each note of an evaluation once. It skips notes that a display shows, and notes that do not apply to what was
// computed.
func (s *Session) tellNotes(displays []report.Display) {
	// Notes that are skipped now are dropped.
	notes := s.noted
	s.noted = nil
	answers := len(displays) > 0 // whether every display is an answer of best
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
	// Results have warnings of their own, and answers from measurements do not depend on a simulation.
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

// path converts a path of the script to a path of the operating system, starting from Options.Folder.
func (s *Session) path(path string) string {
	if filepath.IsAbs(path) && s.opt.absolute != nil {
		s.opt.absolute[path] = true
	}
	if filepath.IsAbs(path) || s.opt.Folder == "" {
		return path
	}
	return filepath.Join(s.opt.Folder, path)
}

// prepare returns the statements of a script with Options.Set applied. In a notebook, a name in Options.Set may be bound by
// another cell.
func (s *Session) prepare(script *Script) ([]*front.Statement, Errors) {
	return script.replace(s.opt.Set, s.opt.Rebind)
}
