package dsl

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/report"
)

// note keeps notes on data and kernels, which are told when all is displayed.
func (s *Session) note(notes []problem.Note) { s.noted = append(s.noted, notes...) }

// tellNotes tells the notes of an evaluation, each once, but for those that what was displayed shows
// or that do not concern it.
func (s *Session) tellNotes(displays []report.Display) {
	notes := s.noted
	s.noted = nil
	answers := len(displays) > 0 // whether nothing but answers is displayed
	for _, d := range displays {
		_, is := d.Value.(answer.Answer)
		answers = answers && is
		if p, is := d.Value.(*problem.Problem); is {
			shown := sentencesOf(slices.Concat(p.Notes, p.KernelNotes))
			notes = slices.DeleteFunc(notes, func(n problem.Note) bool { return slices.Contains(shown, n.String()) })
		}
	}
	if len(displays) > 0 {
		notes = slices.DeleteFunc(notes, func(n problem.Note) bool { return n.OfAlgorithms() || answers && n.OfSimulation() })
	}
	told := sentencesOf(notes)
	for i, line := range told {
		if slices.Contains(told[:i], line) {
			continue
		}
		if s.opt.Noted != nil {
			s.opt.Noted(line)
		} else {
			s.notice(line)
		}
	}
}

// sentencesOf returns the sentences of notes.
func sentencesOf(notes []problem.Note) []string {
	var out []string
	for _, n := range notes {
		out = append(out, n.String())
	}
	return out
}
