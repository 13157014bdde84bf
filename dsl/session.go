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
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// Options configure the evaluation of scripts. The zero value evaluates one script in the current folder.
type Options struct {
	Folder  string   // base of relative paths; "" is the current folder
	Set     []string // NAME=VALUE: replaces the definition of NAME
	Seed    *uint64  // replaces every seed, except one that a sweep sets; nil keeps them
	Workers int      // cores to use, first for parallel runs and then within each; 0 means all
	Rebind  bool     // a later script may bind a name again, as in a notebook
	Host    Host     // reads and writes files; nil is the file system
	// no call may write: save, plot with a file, sweep with a store and the functions of campaigns are then mistakes
	ReadOnly bool
	Script   string // path of the script, which it must not overwrite; "" if there is none
	// file that the caller writes the displays to, which the script must not read; may be ""
	Output   string
	Progress Progress // receives the progress; may be nil
	// makes the runs of sweeps, and of fc and fb with several runs, on other machines; nil makes them here
	Runner Runner
	// lets separate agents make fc and fb with one run; nil simulates them
	Agents Agents

	// Notice receives a sentence before an allocation above 1 GB, and about oddities in a campaign; from any goroutine. May be nil.
	Notice func(string)
	// Noted receives, after all displays, one sentence for each unusual way in which a data file was read, and for each property of
	// a kernel on its points, unless a display shows it. nil means Notice.
	Noted func(string)

	Shown func(report.Display) // receives each display as soon as it exists; may be nil
	Clear func()               // clears the displays, for clear(); may be nil

	// Giver names, for messages, what binds values by Put; "" is a Go cell.
	Giver string
	// Columns returns the columns of a caller's table by its name, for completion; may be nil.
	Columns func(name string) []string
	// Tables returns a table in the caller's memory by its path below Folder, nil for other paths; may be nil.
	Tables func(path string) *problem.Frame

	// reads data files instead of the file system, such as a campaign's recorded files; may be nil
	readFile   func(path string) ([]byte, error)
	absolute   map[string]bool // records the absolute paths in the script; nil if not needed
	noForecast bool            // protocol(...) makes no forecast: a continued campaign has the one of its start
	found      *found          // kernels that a campaign's script finds; nil outside campaigns
	making     *remade         // records experiments instead of running them; nil to run them
}

// Session holds what scripts have bound so far. Only one goroutine may use it at a time.
type Session struct {
	opt   Options // from NewSession, with a Host; Act changes it during its call
	scope scope   // the bound names, which Eval and Put change
	clock int     // number of bindings

	parted int // the clock of a branch when it was made

	// For Forget: the names bound since its last call, the number of bindings that use each name, and the counted bindings.
	changed map[string]bool
	users   map[string]int
	counted map[string]*binding

	sources []report.DataFile // read so far
	latest  map[string]string // latest checksum of each of these files
	memory  model.Memory      // of designs, which runs of different calls share
	noted   []problem.Note    // of this evaluation, not reported yet
	// posterior of the problem whose kernel was found last
	believed *belief.Belief

	withdrawn map[string]withdrawal // names that the caller no longer has
}

// NewSession returns a session in which nothing is bound. With zero Options it reads and writes files below the current folder.
func NewSession(opt Options) *Session {
	opt.Host = cmp.Or(opt.Host, Host(files{}))
	return &Session{opt: opt, scope: scope{}, latest: map[string]string{},
		changed: map[string]bool{}, users: map[string]int{}, counted: map[string]*binding{}}
}

// notice reports a sentence if Options.Notice is set. Computations call it from any goroutine.
func (s *Session) notice(sentence string) {
	if s.opt.Notice != nil {
		s.opt.Notice(sentence)
	}
}

// Names returns the names bound so far, oldest first.
func (s *Session) Names() []string { return s.scope.names() }

// giver names what binds values by Put.
func (s *Session) giver() string { return cmp.Or(s.opt.Giver, "a Go cell") }

// Sources returns the data files read so far, with their hashes.
func (s *Session) Sources() []report.DataFile { return slices.Clone(s.sources) }

// Value returns the value and the type of a bound name. The value is a float64, a string, a list as []float64, []string,
// [][]float64 or []any, a kernels.Kernel or kernels.Joint, an *problem.Problem, an engine.Result and so on, see Type; a record is
// the Go value of the part.
func (s *Session) Value(name string) (v any, t Type, ok bool) {
	b, ok := s.scope[name]
	if !ok {
		return nil, "", false
	}
	return b.value.plain(), b.value.Type, true
}

// Definition returns the text of a name's definition; for a name bound by Put, its origin.
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

// Eval checks a script and then evaluates it. It returns the displays of bare expressions. An error (Errors, which wrap the
// context's error after an interrupt) comes with the displays finished before it. A script that fails the check leaves the session
// unchanged; names bound before a run-time mistake stay bound. Progress ends with Eval, also for an abandoned computation.
func (s *Session) Eval(ctx context.Context, script *Script) ([]report.Display, error) {
	statements, errs := s.prepare(script) // applies Options.Set
	if len(errs) == 0 {
		errs = s.check(ctx, statements)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	// The limit on cores and the notices of large allocations are passed in the context, which all packages below receive.
	if s.opt.Workers > 0 {
		ctx = cores.Within(ctx, s.opt.Workers)
	}
	if s.opt.Notice != nil {
		ctx = memlimit.Listening(ctx, s.opt.Notice)
	}
	// The session's own scope: each statement binds its name at once.
	e := &evaluator{ctx: ctx, session: s, scope: s.scope}
	if s.opt.making != nil { // a worker's session: experiments are made, not run
		e.collect = s.opt.making.take
	}
	if s.opt.Progress != nil {
		e.teller = &teller{tell: s.opt.Progress}
		defer e.teller.close()
	}
	var displays []report.Display
	// Notes are reported at the end, also after an error, unless a display shows them.
	defer func() { s.tellNotes(displays) }()
	for _, st := range statements {
		// An interrupt before or during a statement ends the script with the results so far.
		if e.stopped = ctx.Err(); e.stopped == nil {
			v := e.statement(st)
			// A partial result after an interrupt or a failure is displayed even if it was to be bound.
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
		// The statements below may depend on the failed one.
		if len(e.errs) > 0 {
			return displays, e.errs
		}
	}
	return displays, nil
}

// check evaluates statements on a copy of the scope, as far as possible without reading or running anything, until the context
// ends. It advances the session's clock; only the order of times matters.
func (s *Session) check(ctx context.Context, statements []*front.Statement) Errors {
	copied := maps.Clone(s.scope)
	e := &evaluator{ctx: ctx, session: s, dry: true, scope: copied, all: statements}
	own := map[string]*front.Statement{}
	for _, st := range statements {
		if e.full() || ctx.Err() != nil {
			break
		}
		e.st = st // checkName reports in it
		// Before the statement binds its name, so that the scope has only earlier names.
		e.checkName(st, own)
		e.statement(st)
	}
	// A sweep finds mistakes in definitions above it; sort them in the order of the text.
	slices.SortStableFunc(e.errs, func(a, b *Error) int { return a.Span.From - b.Span.From })
	return e.errs
}

// displayOf returns the display of a bare expression with a known value; its name is set if the expression is a name. A formula
// shows its definition; a text and printed values show only themselves. Lists become Go values, since package report does not know
// this package.
func (s *Session) displayOf(st *front.Statement, v value) report.Display {
	d := report.Display{Source: st.Source.Slice(st.Whole()), Value: v.Data}
	switch n := st.Node.(type) {
	case *ast.IdentifierNode:
		d.Name = n.Value
	case *ast.StringNode:
		d.Source = "" // the text shows itself
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
	case kernels.Formula: // its name alone would say nothing
		text := definitions([]kernels.Formula{data})
		if len(data.Args) > 0 {
			text += data.String()
		}
		d.Value = text
	}
	return d
}

// Put binds a name to a Go value, as if a script had bound it: the same rules for names apply, and what used the old value becomes
// stale. The value may be a number, a string, or a slice of these or of such slices, all finite; a kernels.Kernel or kernels.Joint,
// or a func(x, y []float64) float64 as a kernel; a sim.RewardFunc or sim.RoundFunc as a source of rewards; an algorithms.Entry; a
// problem.Problem, engine.Result, or another value that functions of the language return; a report.Figure or report.Table; or a
// pointer to one of these. A value that a script could not bind is an error and changes nothing, also a list that is too long or too
// deep.
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
	// Stale finds by the new time what used the old binding.
	s.clock++
	s.scope[name] = &binding{name: name, st: st, value: bound, time: s.clock, uses: map[string]int{}, put: true}
	s.changed[name] = true
	return nil
}

// Branch returns a session with the names and values of this one. It binds names of its own, while this session evaluates.
func (s *Session) Branch(opt Options) *Session {
	b := NewSession(opt)
	b.scope, b.clock, b.latest, b.sources = maps.Clone(s.scope), s.clock, maps.Clone(s.latest), slices.Clone(s.sources)
	for name := range b.scope {
		b.changed[name] = true
	}
	b.parted = s.clock
	return b
}

// Join binds the names that a branch of this session has bound, and takes over the files that it has read.
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

// Below returns bound names and all bound names that their definitions use, directly or indirectly.
func (s *Session) Below(names ...string) []string {
	var all []string
	for _, name := range names {
		all = append(all, s.scope.below(name)...)
	}
	return all
}

// Reads reports whether a text is a script of this session: it has the syntax, and it calls a function of the language or uses a
// bound name.
func (s *Session) Reads(text string) bool {
	// A formula counts in any case. The notebook kernel asks when Go code does not compile, since it may be a script without its
	// magic.
	script, errs := Parse("", text)
	if len(errs) > 0 {
		return false
	}
	for _, st := range script.statements {
		used := namesIn(st.Node) // for a formula, of its body
		if st.Params != nil || len(s.scope.callsIn(st.Node)) > 0 ||
			slices.ContainsFunc(s.Names(), func(name string) bool { return used[name] }) {
			return true
		}
	}
	return false
}

// note stores notes on data and kernels, which are reported after all displays.
func (s *Session) note(notes []problem.Note) { s.noted = append(s.noted, notes...) }

// tellNotes reports each note of an evaluation once, except those that a display shows or that do not concern it.
func (s *Session) tellNotes(displays []report.Display) {
	// Notes that are not reported now are dropped.
	notes := s.noted
	s.noted = nil
	answers := len(displays) > 0 // whether only answers are displayed
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
	// Results have their own warnings, and answers from measurements do not depend on a simulation.
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

// path converts a path of the script to a system path below the folder, if there is one.
func (s *Session) path(path string) string {
	if filepath.IsAbs(path) && s.opt.absolute != nil {
		s.opt.absolute[path] = true
	}
	if filepath.IsAbs(path) || s.opt.Folder == "" {
		return path
	}
	return filepath.Join(s.opt.Folder, path)
}

// prepare returns the statements of a script with Options.Set applied. In a notebook another cell may bind a name that is set.
func (s *Session) prepare(script *Script) ([]*front.Statement, Errors) {
	return script.replace(s.opt.Set, s.opt.Rebind)
}
