package sim

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// shown holds what a result shows of one run: of the first that finished or, where none did, of the
// first that had begun.
type shown struct {
	run          int // from 0
	score        score
	answers      []engine.Answer
	trace        []engine.RoundRecord
	eliminations []engine.Elimination
	warnings     []engine.Warning
	estimates    *engine.Estimates
	sent         wire.Traffic

	// as the run was left; see explain
	progress  []engine.Progress
	remaining float64
	alg       engine.Algorithm // until it is explained; nil without one
}

// shown returns what a result shows of the run.
func (m *made) shown(run int, s score) *shown {
	o := &m.outcome
	return &shown{
		run: run, score: s, answers: o.Answers, trace: o.Rounds, eliminations: o.Eliminations, warnings: o.Warnings,
		estimates: m.estimates, sent: m.sent, alg: m.alg,
	}
}

// explain asks the algorithm how far its tasks are, once. It costs about one design a task that is
// open, so that it is asked of few runs.
func (s *shown) explain() {
	if s == nil {
		return
	}
	if a, ok := s.alg.(engine.Explainer); ok {
		s.progress, s.remaining = engine.ProgressOf(a)
	}
	s.alg = nil
}

// explain explains the run that a result of these alone would show.
func (t *tally) explain() {
	if t.done == 0 {
		t.left.explain()
		return
	}
	t.first.explain()
}
