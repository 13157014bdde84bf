package sim

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// Part has the scores of consecutive runs of an experiment: everything its result needs. MarshalBinary encodes it without loss.
type Part struct{ tally *tally }

// Range returns the runs of the part, from ≤ run < to, counted from 0.
func (p *Part) Range() (from, to int) { return p.tally.from, p.tally.from + len(p.tally.scores) }

// Done returns the number of finished runs.
func (p *Part) Done() int { return p.tally.done }

// joined merges parts. Parts of the same runs are equal, so one of them is used.
func joined(runs int, parts []*Part) (*tally, error) {
	all := newTally(0, runs)
	of := make([]*Part, runs)
	for _, p := range parts {
		from, to := p.Range()
		if from < 0 || to > runs {
			return nil, fmt.Errorf("the part with runs %d to %d does not fit an experiment of %d runs", from+1, to, runs)
		}
		doubled := 0
		for run := from; run < to; run++ {
			if earlier := of[run]; earlier != nil {
				if a, b := earlier.Range(); a != from || b != to {
					return nil, fmt.Errorf("two parts have run %d: from %d to %d and from %d to %d", run+1, a+1, b, from+1, to)
				}
				doubled++
			}
			of[run] = p
		}
		if doubled == 0 {
			all.join(p.tally)
		}
	}
	return all, nil
}

// partText is the encoded form of a Part.
type partText struct {
	From, To   int
	Done       []int   // finished runs
	Scores     []score // of the finished runs
	First      *shown
	Unfinished *shown `json:"Left"`
	Warnings   []warned
	Misfits    int
	Misfit     *engine.LackOfFit
	MisfitAt   int
	Noises     int
	Noise      engine.Warning
	NoiseAt    int
	Priors     int
	Prior      engine.Warning
	PriorAt    int
	Unspent    string
	LeftAt     int
	Sent       wire.Traffic
}

// losslessText is the outer encoded form.
type losslessText struct {
	Part    json.RawMessage `json:"part"`
	Special []special       `json:"special,omitempty"`
}

// MarshalBinary implements encoding.BinaryMarshaler. The same runs give the same bytes.
func (p *Part) MarshalBinary() ([]byte, error) {
	k := p.tally
	from, to := p.Range()
	t := partText{
		From: from, To: to, First: k.first, Unfinished: k.unfinished, Warnings: k.inOrder(), Misfits: k.misfits.runs,
		Misfit: k.misfits.first, MisfitAt: k.misfits.at, Noises: k.noises.runs, Noise: k.noises.first, NoiseAt: k.noises.at,
		Priors: k.priors.runs, Prior: k.priors.first, PriorAt: k.priors.at,
		Unspent: k.unspent.first, LeftAt: k.unspent.at, Sent: k.sent,
	}
	for i, s := range k.scores {
		if s.Done {
			t.Done, t.Scores = append(t.Done, from+i), append(t.Scores, s)
		}
	}
	text, beside, err := lossless(&t)
	if err != nil {
		return nil, err
	}
	return json.Marshal(losslessText{text, beside})
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (p *Part) UnmarshalBinary(data []byte) error {
	var l losslessText
	var t partText
	err := json.Unmarshal(data, &l)
	if err == nil {
		err = restore(&t, l.Part, l.Special)
	}
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return fmt.Errorf("not a part of an experiment: %w", err)
	}
	k := newTally(t.From, t.To)
	for i, run := range t.Done {
		s := t.Scores[i]
		s.Done = true
		k.scores[run-t.From] = s
	}
	k.done, k.first, k.unfinished = len(t.Done), t.First, t.Unfinished
	for _, w := range t.Warnings {
		k.warn(w)
	}
	k.misfits.take(t.MisfitAt, t.Misfit, t.Misfits)
	k.noises.take(t.NoiseAt, t.Noise, t.Noises)
	k.priors.take(t.PriorAt, t.Prior, t.Priors)
	k.unspent.take(t.LeftAt, t.Unspent, indices.Indicator(t.Unspent != ""))
	k.sent = t.Sent
	p.tally = k
	return nil
}

// mostRuns is the largest number of runs accepted when decoding a part; the language allows fewer.
const mostRuns = 1 << 24

// check returns an error for an impossible part.
func (t *partText) check() error {
	switch {
	case t.From < 0 || t.To <= t.From || t.To-t.From > mostRuns:
		return fmt.Errorf("the part has the impossible range of runs %d to %d", t.From, t.To)
	case len(t.Done) != len(t.Scores):
		return fmt.Errorf("the part has %d runs but %d scores; it must have one score per run", len(t.Done), len(t.Scores))
	case (len(t.Done) > 0) != (t.First != nil):
		return errors.New("a finished part must have a first run, and an unfinished one must not")
	case (t.Misfits > 0) != (t.Misfit != nil) || t.Misfits > len(t.Done) || t.Priors > len(t.Done):
		return errors.New("the part has more findings than runs")
	}
	before := t.From - 1
	for _, run := range t.Done {
		if run <= before || run >= t.To {
			return fmt.Errorf("run %d is out of order, or not from %d to %d", run, t.From, t.To)
		}
		before = run
	}
	return nil
}

// shown has the parts of one run that a result displays: the first finished run or, if none finished, the first started one.
type shown struct {
	Run          int // from 0
	Score        score
	Answers      []engine.Answer
	Trace        []engine.RoundRecord
	Eliminations []engine.Elimination
	Warnings     []engine.Warning
	Estimates    *engine.Estimates
	Sent         wire.Traffic

	// final state of the run; see explain
	Progress  []engine.Progress
	Remaining float64
	alg       engine.Detailed // nil after explain and without an algorithm
}

// shown returns the displayed parts of the run.
func (m *made) shown(run int, s score) *shown {
	o := &m.outcome
	return &shown{
		Run: run, Score: s, Answers: o.Answers, Trace: o.Rounds, Warnings: o.Warnings,
		Estimates: m.estimates, Sent: m.sent, alg: m.alg,
	}
}

// explain requests the audit trail and the progress from the algorithm, once. It costs about one design per open task, so it is called
// for few runs.
func (s *shown) explain() {
	if s == nil || s.alg == nil {
		return
	}
	s.Eliminations = s.alg.Eliminations()
	s.Progress, s.Remaining = engine.ProgressOf(s.alg)
	s.alg = nil
}

// explain completes the run that a result of these runs would display.
func (t *tally) explain() {
	if t.done == 0 {
		t.unfinished.explain()
		return
	}
	t.first.explain()
}
