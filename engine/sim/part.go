package sim

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
)

// Part has the scores of consecutive runs of an experiment, from which its result is computed.
type Part struct{ tally *tally }

// Range returns the runs of the part, from ≤ run < to, counted from 0.
func (p *Part) Range() (from, to int) { return p.tally.from, p.tally.from + len(p.tally.scores) }

// Done returns the number of finished runs.
func (p *Part) Done() int { return p.tally.done }

// shown has what a result displays of one run: the first finished run or, if none finished, the first started one.
type shown struct {
	Run          int // from 0
	Score        score
	Answers      []engine.Answer
	Trace        []engine.RoundRecord
	Eliminations []engine.Elimination
	Warnings     []engine.Warning
	Sent         wire.Traffic

	// final state of the run; set by explain
	Progress  []engine.Progress
	Remaining float64
	alg       engine.Detailed // nil after explain, or if the run has no algorithm
}

// shown returns what a result displays of the run.
func (m *made) shown(run int, s score) *shown {
	o := &m.outcome
	return &shown{
		Run: run, Score: s, Answers: o.Answers, Trace: o.Rounds, Warnings: o.Warnings,
		Sent: m.sent, alg: m.alg,
	}
}

// explain gets the audit trail and the progress from the algorithm. Only the first call does this. It costs about one
// design for each undecided task, so it is called for few runs.
func (s *shown) explain() {
	if s == nil || s.alg == nil {
		return
	}
	s.Eliminations = s.alg.Eliminations()
	s.Progress, s.Remaining = engine.ProgressOf(s.alg)
	s.alg = nil
}

// explain calls explain on the run that a result of these runs would display.
func (t *tally) explain() {
	if t.done == 0 {
		t.unfinished.explain()
		return
	}
	t.first.explain()
}
