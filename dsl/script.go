package dsl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// Error is a mistake in a script, with its place and a hint. Its method Error prints all three.
type Error = front.Error

// Errors are independent mistakes in one script, at most five.
type Errors = front.Errors

// Script is a parsed script or notebook cell. It is immutable and may be evaluated in several sessions.
type Script struct {
	source     *front.Source      // the text, for messages and for copying definitions
	statements []*front.Statement // in order; none after a syntax error
}

// Parse parses the text of a script. file is a name for messages; no file is opened. The returned errors are syntax errors only;
// Check finds mistakes in names and types.
func Parse(file, src string) (*Script, Errors) {
	s := &Script{source: front.NewSource(file, src)}
	var errs Errors
	s.statements, errs = front.Parse(s.source)
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// Names returns the names that the script binds, in order. A name that is bound twice appears twice; Check reports it.
func (s *Script) Names() []string {
	bound := lists.Where(s.statements, func(st *front.Statement) bool { return st.Name != "" })
	return lists.Map(bound, func(st *front.Statement) string { return st.Name })
}

// Reads returns the names that occur in the definitions of a script, including names of the language.
func (s *Script) Reads() []string {
	all := map[string]bool{}
	for _, st := range s.statements {
		maps.Copy(all, namesIn(st.Node))
	}
	return slices.Sorted(maps.Keys(all))
}

// Definition returns the right-hand side of a name's definition, as written; "" if the script does not bind the name.
func (s *Script) Definition(name string) string {
	at := slices.IndexFunc(s.statements, func(st *front.Statement) bool { return st.Name == name })
	if name == "" || at < 0 {
		return ""
	}
	return s.source.Slice(s.statements[at].Body())
}

// Check reports the mistakes that can be found without running the script. It reads no data files and samples nothing.
// Options.Set applies as in Eval.
func (s *Script) Check(opt Options) Errors {
	session := NewSession(opt)
	statements, errs := session.prepare(s) // with Options.Set applied
	if len(errs) > 0 {
		return errs
	}
	return session.check(context.Background(), statements)
}

// ErrorHTML returns an error of Parse, Check or Eval as HTML, for a notebook cell or a page. It shows the message, the place, the
// line with the mistake underlined, the cause and the hint. For any other error it shows only the message.
func ErrorHTML(err error) string {
	var found Errors
	var single *Error
	switch {
	case errors.As(err, &found): // several mistakes, or an error that wraps them
	case errors.As(err, &single):
		found = Errors{single}
	default:
		return report.MistakesHTML([]report.Mistake{{Message: err.Error()}})
	}
	// Pass the parts of a message separately, so that HTML can mark them.
	return report.MistakesHTML(lists.Map(found, func(e *Error) report.Mistake {
		m := report.Mistake{
			Message: e.Message, Place: fmt.Sprintf("%s, line %d, column %d", e.File, e.Line, e.Col), Line: e.Line,
			Underline: e.Underline(), Cause: e.Cause, Hint: e.Hint,
		}
		m.Before, m.Wrong, m.After = e.Excerpt()
		return m
	}))
}

// file reads a data file, or a table of the caller if one has this path. It returns an error for more than problem.MaxData bytes.
func (o Options) file(ctx context.Context, path string) ([]byte, error) {
	if o.Tables != nil {
		if table := o.Tables(path); table != nil {
			return table.CSV(), nil
		}
	}
	if o.Read != nil {
		return o.Read(path)
	}
	return await.File(ctx, path, problem.MaxData)
}

// remember records the files that a problem was read from. It returns an error if a file has changed and a sweep evaluates the
// definition again: results of one sweep would belong to different data.
func remember(e *evaluator, sources []problem.Source) error {
	// Compare all files before recording any, so that a failed call changes nothing.
	s := e.session
	for _, source := range sources {
		// Only a statement of the script may read a new version of a file; names that depend on the old version are then
		// outdated.
		if before, known := s.latest[source.Path]; e.st != e.own && known && before != source.SHA256 {
			return &problem.DataError{Path: source.Path, Message: "the file has changed since it was read. Run again the statement that reads it"}
		}
	}
	for _, source := range sources {
		s.latest[source.Path] = source.SHA256 // s.sources also keeps the older version
		s.sources = lists.Add(s.sources, report.DataFile{Path: source.Path, SHA256: source.SHA256, Rows: source.Rows})
	}
	return nil
}

// checkFiles records the files that a call reads. It reports an output path that names a data file read so far, the script
// itself, or something other than a regular file. Files that later statements read are not known yet.
func (c *call) checkFiles() {
	for i, p := range c.fn.Params {
		// An argument that is missing or unknown has no text.
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

// checkInput records a file that is read.
func (c *call) checkInput(a argument, path string) {
	if opt := c.e.session.opt; opt.Output != "" && sameFile(c.e.session.path(path), opt.Output) {
		c.refuse(a, "choose another file for the output", "%q is the output file", path)
	}
	if c.e.inputs == nil {
		c.e.inputs = map[string]bool{}
	}
	c.e.inputs[c.e.session.path(path)] = true
}

// checkTarget reports a path that cannot or must not be written. Another Host checks its paths itself. A LaTeX figure consists of
// two files, and both are checked.
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
		// Test the files that this script has read so far, and those of earlier cells.
		if reads(c.e.inputs, target) || reads(s.latest, target) {
			c.refuse(a, "choose another name", "%q contains the data of a problem and is not overwritten", path)
			return
		}
		if err := await.Regular(target); err != nil { // a folder, a pipe or a device
			c.refuse(a, "", "cannot write to %q: %v", path, reason(err))
			return
		}
	}
}

// reads reports whether the file path is among the files read.
func reads[T any](read map[string]T, path string) bool {
	for source := range read {
		if sameFile(path, source) { // fast, because most output files do not exist yet
			return true
		}
	}
	return false
}

// targetsOf returns the files that are written for a path. A LaTeX figure has a second file with the picture.
func targetsOf(path string) []string {
	if strings.EqualFold(filepath.Ext(path), ".tex") {
		return []string{path, save.PictureBeside(path)}
	}
	return []string{path}
}

// sameFile reports whether two paths name the same file, which need not exist. For existing files the operating system compares
// them, which resolves links.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil {
			return os.SameFile(x, y)
		}
	}
	if x, y := filepath.Base(a), filepath.Base(b); x != y && !isDot(x) && !isDot(y) {
		return false // different base names, so different files; asking the system would cost time
	}
	// At least one does not exist, so no link leads to it: compare absolute paths.
	a, errX := filepath.Abs(a)
	b, errY := filepath.Abs(b)
	return errX == nil && errY == nil && a == b
}

// isDot reports whether the last part of a path is . or .. .
func isDot(last string) bool { return last == "." || last == ".." }

// reason returns the text of a file error without the path, because the surrounding sentence names the file.
func reason(err error) error {
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
