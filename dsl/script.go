package dsl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
)

// Error is a mistake in a script with its place and a hint; see its Error method
// for how it prints.
type Error = front.Error

// Errors are independent mistakes in one script, at most five.
type Errors = front.Errors

// Script is a parsed script or notebook cell.
// It does not change, and may be evaluated in several sessions.
type Script struct {
	source     *front.Source      // the text, for messages and for the parts that are copied
	statements []*front.Statement // in order; a script with a mistake of form is none, so all of them were parsed
}

// Parse reads a script. The name of the file appears in messages and nothing is
// opened. Errors are mistakes of form; names and types are the business of Check.
func Parse(file, src string) (*Script, Errors) {
	s := &Script{source: front.NewSource(file, src)}
	var errs Errors
	s.statements, errs = front.Parse(s.source)
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// Names returns the names that the script binds, in order.
// A name that is bound twice, which Check refuses, stands in it twice.
func (s *Script) Names() []string {
	bound := lists.Where(s.statements, func(st *front.Statement) bool { return st.Name != "" })
	return lists.Map(bound, func(st *front.Statement) string { return st.Name })
}

// Definition returns what a name is bound to, as written to the right of its =; ""
// when the script does not bind it.
func (s *Script) Definition(name string) string {
	at := slices.IndexFunc(s.statements, func(st *front.Statement) bool { return st.Name == name })
	if name == "" || at < 0 {
		return ""
	}
	return s.source.Slice(s.statements[at].Body())
}

// Check reports the mistakes that can be found without running the script: no
// file is read and nothing is sampled.
// Options.Set counts as in Eval. The check has a session of its own, and leaves no trace in another one.
func (s *Script) Check(opt Options) Errors {
	session := NewSession(opt)
	statements, errs := session.prepare(s) // with Options.Set taken over
	if len(errs) > 0 {
		return errs
	}
	return session.check(context.Background(), statements)
}

// ErrorHTML writes an error of Parse, Check or Eval as HTML to stand inside a page,
// such as a notebook cell: message, place, the line with the wrong part marked and
// underlined, cause and hint. Any other error is its message.
func ErrorHTML(err error) string {
	var found Errors
	var single *Error
	switch {
	case errors.As(err, &found): // several mistakes, or what wraps them
	case errors.As(err, &single):
		found = Errors{single}
	default:
		return report.MistakesHTML([]report.Mistake{{Message: err.Error()}})
	}
	// The parts of a message stay apart, so that a page can mark them.
	return report.MistakesHTML(lists.Map(found, func(e *Error) report.Mistake {
		m := report.Mistake{
			Message: e.Message, Place: fmt.Sprintf("%s, line %d, column %d", e.File, e.Line, e.Col), Line: e.Line,
			Underline: e.Underline(), Cause: e.Cause, Hint: e.Hint,
		}
		m.Before, m.Wrong, m.After = e.Excerpt()
		return m
	}))
}

// file reads a data file, or a table of the caller.
// A table of the caller comes before a file of the same path. More bytes than problem.MaxData are an error.
func (o Options) file(ctx context.Context, path string) ([]byte, error) {
	if o.Tables != nil {
		if table := o.Tables(path); table != nil {
			return table.CSV(), nil
		}
	}
	return await.File(ctx, path, problem.MaxData)
}

// remember notes which files a problem came from. It is an error when a definition is evaluated
// again, as a sweep does, and a file is not what it was before: results would be of different data.
func remember(e *evaluator, sources []problem.Source) error {
	// All files are compared before one is noted, so that a failed call changes nothing.
	s := e.session
	for _, source := range sources {
		// A statement that is evaluated for itself may read a new version of a file; whatever rests on the old one is
		// stale by then.
		if before, known := s.latest[source.Path]; e.st != e.own && known && before != source.SHA256 {
			return &problem.DataError{Path: source.Path, Message: "it has changed since it was read before; evaluate again what reads it"}
		}
	}
	for _, source := range sources {
		s.latest[source.Path] = source.SHA256 // s.sources keeps an older version of the path beside it
		s.sources = lists.Add(s.sources, report.DataFile{Path: source.Path, SHA256: source.SHA256, Rows: source.Rows})
	}
	return nil
}

// checkFiles notes which files a call reads, and reports one that it would write over what
// was read, the script itself, or something that is not a file.
// It is for calls that are not made in the check, and relies on the order of the script: what is read below is not seen.
func (c *call) checkFiles() {
	for i, p := range c.fn.Params {
		// An argument that is not given, or whose text is not known yet, has no string.
		path, given := c.args[i].Data.(string)
		if !given {
			continue
		}
		switch p.words {
		case wordsData:
			c.checkInput(c.args[i], path)
		case wordsOutput, wordsStore:
			c.checkTarget(c.args[i], path)
		}
	}
}

// checkInput notes a file that is read.
func (c *call) checkInput(a argument, path string) {
	if opt := c.e.session.opt; opt.Output != "" && sameFile(c.e.session.path(path), opt.Output) {
		c.refuse(a, "choose another file for the output", "%q is the file that the output is written to", path)
	}
	if c.e.inputs == nil {
		c.e.inputs = map[string]bool{}
	}
	c.e.inputs[c.e.session.path(path)] = true
}

// checkTarget reports a file that cannot or must not be written.
// A host of the caller decides itself about its paths. A figure for LaTeX is two files, and each must be right.
func (c *call) checkTarget(a argument, path string) {
	if _, ok := c.e.session.opt.Host.(files); !ok {
		return
	}
	s := c.e.session
	for _, target := range targetsOf(s.path(path)) {
		if s.opt.Script != "" && sameFile(target, s.opt.Script) {
			c.refuse(a, "choose another name", "%q is the script itself", path)
			return
		}
		// What this script reads so far, and what earlier cells read.
		if reads(c.e.inputs, target) || reads(s.latest, target) {
			c.refuse(a, "choose another name: the data would be lost", "%q holds data that a problem is read from", path)
			return
		}
		if err := await.Regular(target); err != nil { // a folder, a pipe or a device
			c.refuse(a, "", "cannot write to %q: %v", path, reason(err))
			return
		}
	}
}

// reads reports whether a file was read.
func reads[T any](read map[string]T, path string) bool {
	for source := range read {
		if sameFile(path, source) { // most files that are written do not exist yet
			return true
		}
	}
	return false
}

// targetsOf returns the files that are written under a path: a figure for LaTeX has its numbers
// beside it.
func targetsOf(path string) []string {
	if ending := filepath.Ext(path); strings.EqualFold(ending, ".tex") {
		return []string{path, strings.TrimSuffix(path, ending) + ".dat"}
	}
	return []string{path}
}

// sameFile reports whether two paths name one file, which need not exist.
// Two files that exist are compared as the system does, which sees through links and other spellings.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil {
			return os.SameFile(x, y)
		}
	}
	if x, y := filepath.Base(a), filepath.Base(b); x != y && !isDot(x) && !isDot(y) {
		return false // whatever folder they are in, which takes a question to the system
	}
	// One of the two does not exist, so no link leads to it: the absolute paths are compared as texts.
	a, errX := filepath.Abs(a)
	b, errY := filepath.Abs(b)
	return errX == nil && errY == nil && a == b
}

// isDot reports whether the last part of a path names a folder by its place.
func isDot(last string) bool { return last == "." || last == ".." }

// reason returns the text of a file's error without the path.
// The sentences that it stands in name the file as the script does.
func reason(err error) error {
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
