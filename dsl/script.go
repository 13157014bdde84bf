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

// Error is a mistake in a script, with its position and a hint. Its method Error returns the message, the position and the
// hint.
type Error = front.Error

// Errors are up to five mistakes in one script, found independently of each other.
type Errors = front.Errors

// Script is a parsed script or notebook cell. It never changes, and may be evaluated in several sessions.
type Script struct {
	source     *front.Source      // the text; messages quote it and Closure copies definitions from it
	statements []*front.Statement // in order; none after a syntax error
}

// Parse parses the script text src. file is the script's name in messages; Parse does not open it. The errors are syntax
// errors; use Check to find wrong names and types.
func Parse(file, src string) (*Script, Errors) {
	s := &Script{source: front.NewSource(file, src)}
	var errs Errors
	s.statements, errs = front.Parse(s.source)
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// Names returns the names that the script binds, in order. If the script binds a name twice, which Check reports, the name
// appears twice.
func (s *Script) Names() []string {
	bound := lists.Where(s.statements, func(st *front.Statement) bool { return st.Name != "" })
	return lists.Map(bound, func(st *front.Statement) string { return st.Name })
}

// Reads returns the names that occur in the script's definitions. They include functions and constants of the language.
func (s *Script) Reads() []string {
	all := map[string]bool{}
	for _, st := range s.statements {
		maps.Copy(all, namesIn(st.Node))
	}
	return slices.Sorted(maps.Keys(all))
}

// Definition returns the right-hand side of the statement that binds name, exactly as in the script. It returns "" if
// there is none.
func (s *Script) Definition(name string) string {
	at := slices.IndexFunc(s.statements, func(st *front.Statement) bool { return st.Name == name })
	if name == "" || at < 0 {
		return ""
	}
	return s.source.Slice(s.statements[at].Body())
}

// Check returns the mistakes that can be found without running the script. It reads no data files and makes no runs.
// Options.Set applies as in Eval.
func (s *Script) Check(opt Options) Errors {
	session := NewSession(opt)
	statements, errs := session.prepare(s) // with Options.Set applied
	if len(errs) > 0 {
		return errs
	}
	return session.check(context.Background(), statements)
}

// ErrorHTML returns an error of Parse, Check or Eval as HTML, for a notebook cell or a web page. It shows the message,
// the position, the line with the mistake underlined, the cause and the hint. For any other error, it shows only the
// message.
func ErrorHTML(err error) string {
	var found Errors
	var single *Error
	switch {
	case errors.As(err, &found): // one or more mistakes, possibly wrapped
	case errors.As(err, &single):
		found = Errors{single}
	default:
		return report.MistakesHTML([]report.Mistake{{Message: err.Error()}})
	}
	// Pass the parts of each message separately, so that HTML can format them.
	return report.MistakesHTML(lists.Map(found, func(e *Error) report.Mistake {
		m := report.Mistake{
			Message: e.Message, Place: fmt.Sprintf("%s, line %d, column %d", e.File, e.Line, e.Col), Line: e.Line,
			Underline: e.Underline(), Cause: e.Cause, Hint: e.Hint,
		}
		m.Before, m.Wrong, m.After = e.Excerpt()
		return m
	}))
}

// file returns the contents of a data file, or of the caller's table with this path. It returns an error if there are more
// than problem.MaxData bytes.
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

// remember records the files from which a problem was read. It returns an error if a file has changed since it was last
// read and a sweep is evaluating the definition again, because results of one sweep must use the same data.
func remember(e *evaluator, sources []problem.Source) error {
	// Compare all files first, so that a failed call records nothing.
	s := e.session
	for _, source := range sources {
		// Only the script's own statement may read a new version of a file. Names that used the old version are then
		// outdated.
		if before, known := s.latest[source.Path]; e.st != e.own && known && before != source.SHA256 {
			return &problem.DataError{Path: source.Path, Message: "the file has changed since it was read. Run again the statement that reads it"}
		}
	}
	for _, source := range sources {
		s.latest[source.Path] = source.SHA256 // s.sources keeps the old version too
		s.sources = lists.Add(s.sources, report.DataFile{Path: source.Path, SHA256: source.SHA256, Rows: source.Rows})
	}
	return nil
}

// checkFiles records the files that a call reads, and reports invalid output paths. An output path must not be a data file
// read so far, the script itself, or something other than a regular file. Files that later statements read are not known
// yet.
func (c *call) checkFiles() {
	for i, p := range c.fn.Params {
		// Without a known text there is no path to check.
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

// checkInput records a file that the call reads.
func (c *call) checkInput(a argument, path string) {
	if opt := c.e.session.opt; opt.Output != "" && sameFile(c.e.session.path(path), opt.Output) {
		c.refuse(a, "choose another file for the output", "%q is the output file", path)
	}
	if c.e.inputs == nil {
		c.e.inputs = map[string]bool{}
	}
	c.e.inputs[c.e.session.path(path)] = true
}

// checkTarget reports an output path that cannot or must not be written. It checks both files of a LaTeX figure. A Host
// other than the local file system checks its paths itself.
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
		// The path must not be a file that this script or an earlier cell has read.
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

// reads reports whether path is one of the files in read.
func reads[T any](read map[string]T, path string) bool {
	for source := range read {
		if sameFile(path, source) { // sameFile is fast for a path that does not exist yet, which is the usual case
			return true
		}
	}
	return false
}

// targetsOf returns the files that are written when a script saves to path. A LaTeX figure has a second file, which
// contains the picture.
func targetsOf(path string) []string {
	if strings.EqualFold(filepath.Ext(path), ".tex") {
		return []string{path, save.PictureBeside(path)}
	}
	return []string{path}
}

// sameFile reports whether two paths name the same file. If both files exist, the operating system compares them and
// follows links.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil {
			return os.SameFile(x, y)
		}
	}
	if x, y := filepath.Base(a), filepath.Base(b); x != y && !isDot(x) && !isDot(y) {
		return false // paths with different last parts are different files; skip the system call
	}
	// At least one file does not exist, so no link can point to it. Compare absolute paths.
	a, errX := filepath.Abs(a)
	b, errY := filepath.Abs(b)
	return errX == nil && errY == nil && a == b
}

// isDot reports whether the last part of a path is "." or "..".
func isDot(last string) bool { return last == "." || last == ".." }

// reason returns a file error without the path, because the message names the file already.
func reason(err error) error {
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
