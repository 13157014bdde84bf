package dsl

import (
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/report"
)

// Error is a mistake in a script with its place and a hint; see its Error method
// for how it prints.
type Error = front.Error

// Errors are independent mistakes in one script, at most five.
type Errors = front.Errors

// Script is a parsed script or notebook cell.
type Script struct {
	source     *front.Source
	statements []*front.Statement
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
func (s *Script) Names() []string {
	var names []string
	for _, st := range s.statements {
		if st.Name != "" {
			names = append(names, st.Name)
		}
	}
	return names
}

// Definition returns what a name is bound to, as written to the right of its =; ""
// when the script does not bind it.
func (s *Script) Definition(name string) string {
	for _, st := range s.statements {
		if st.Name == name {
			return s.source.Slice(st.Body())
		}
	}
	return ""
}

// Check reports the mistakes that can be found without running the script: no
// file is read and nothing is sampled.
func (s *Script) Check(opt Options) Errors {
	session := NewSession(opt)
	statements, errs := session.prepare(s)
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
	case errors.As(err, &found):
	case errors.As(err, &single):
		found = Errors{single}
	default:
		return report.MistakesHTML([]report.Mistake{{Message: err.Error()}})
	}
	mistakes := make([]report.Mistake, len(found))
	for i, e := range found {
		m := report.Mistake{
			Message: e.Message, Place: fmt.Sprintf("%s, line %d, column %d", e.File, e.Line, e.Col), Line: e.Line,
			Underline: e.Underline(), Cause: e.Cause, Hint: e.Hint,
		}
		m.Before, m.Wrong, m.After = e.Excerpt()
		mistakes[i] = m
	}
	return report.MistakesHTML(mistakes)
}
