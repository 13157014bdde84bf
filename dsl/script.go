package dsl

import (
	"context"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
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
