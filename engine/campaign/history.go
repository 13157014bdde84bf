package campaign

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// History is all that was recorded, for the report and for other programs.
type History struct {
	Start        StartBody     `json:"start"`
	StartedAt    time.Time     `json:"started"`
	Rounds       []RoundLine   `json:"rounds"`
	Log          []LogLine     `json:"log"` // everything that somebody gave a reason for
	Measurements []Measurement `json:"measurements"`
	Hash         string        `json:"hash"`
	Events       int           `json:"events"`
}

// RoundLine is one round.
type RoundLine struct {
	Round    int       `json:"round"`
	Began    time.Time `json:"began"`
	Planned  int       `json:"planned"`
	Measured int       `json:"measured"`
	Cut      bool      `json:"cut,omitempty"`
	Closed   string    `json:"closed,omitempty"` // the reason, of a round that somebody closed
	Over     bool      `json:"over"`
	Digest   string    `json:"digest"`
	Seed     uint64    `json:"seed"`
	Build    string    `json:"build"`
}

// Measurement is one result, or the mean of several.
type Measurement struct {
	ID       string    `json:"id,omitempty"`
	Round    int       `json:"round,omitempty"`
	Task     string    `json:"task"`
	Arm      string    `json:"arm"`
	Number   int       `json:"number,omitempty"`
	Plate    int       `json:"plate,omitempty"` // planned
	Position int       `json:"position,omitempty"`
	Reward   float64   `json:"reward"`
	Count    int       `json:"count"`
	SD       float64   `json:"sd,omitempty"` // of Count rewards
	Kind     string    `json:"kind"`         // "round", "late" or "attached"
	By       string    `json:"by,omitempty"`
	At       time.Time `json:"at"`
	Sheet    string    `json:"sheet,omitempty"`
	Note     string    `json:"note,omitempty"`
	OtherAt  string    `json:"measured_on,omitempty"` // the plate where it was measured, if not the one planned
	Sure     string    `json:"confirmed,omitempty"`
	Old      []float64 `json:"old,omitempty"` // what it was before corrections
}

// History returns what was recorded.
func (s Moment) History() History {
	h := History{Start: s.Start, StartedAt: s.StartAt, Log: slices.Clone(s.log), Hash: s.Hash, Events: s.events}
	for _, r := range s.rounds {
		line := RoundLine{Round: r.plan.Round, Began: r.at, Cut: r.plan.Cut, Closed: r.reason, Over: r.closed != 0, Digest: r.plan.Digest,
			Seed: r.plan.Seed, Build: r.plan.Build}
		for i, n := range r.plan.Counts {
			line.Planned += n
			line.Measured += r.measuredOf(i)
		}
		h.Rounds = append(h.Rounds, line)
		open := r.closed == 0
		for i := range r.plan.Counts {
			for _, m := range r.results[i] {
				x := s.measurement(m, "round")
				if open { // nobody sees rewards of a round that may still be closed
					continue
				}
				h.Measurements = append(h.Measurements, x)
			}
		}
	}
	for _, g := range s.guides {
		kind := "attached"
		if g.late {
			kind = "late"
		}
		h.Measurements = append(h.Measurements, s.measurement(g.measured, kind))
	}
	slices.SortStableFunc(h.Measurements, func(a, b Measurement) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Plate, b.Plate), cmp.Compare(a.Position, b.Position))
	})
	return h
}

func (s Moment) measurement(m *measured, kind string) Measurement {
	names := s.Problem.NamesOf(m.Arm)
	x := Measurement{
		ID: m.ID, Round: m.round, Task: names[0], Arm: names[1], Number: m.Number, Reward: m.Reward, Count: m.count(), Kind: kind,
		By: m.by, At: m.at, Sheet: m.sheet, Note: m.Note, OtherAt: m.ResultRecord.Plate, Sure: m.Sure, Old: m.old,
	}
	if m.count() > 1 {
		x.SD = math.Sqrt(m.Squares / float64(m.count()-1))
	}
	if it := s.items[m.ID]; it != nil {
		x.Plate, x.Position = it.Plate, it.Position
	}
	return x
}

// Known returns the problem with what was measured in rounds that are over, late, and attached, as a table of
// measurements has it: means, counts and standard deviations of each arm, NaN where there are none. Rewards of the
// open round are not in it, so that nobody can let them decide when it is closed.
func (s Moment) Known() *problem.Problem {
	n := s.Problem.N()
	sum, square, count := make([]float64, n), make([]float64, n), make([]float64, n)
	rows, within := make([]float64, n), make([]float64, n)
	take := func(m *measured) {
		if m.Arm >= n {
			return
		}
		k, y := float64(m.count()), s.Problem.Turned(m.Reward)
		sum[m.Arm], square[m.Arm], count[m.Arm], rows[m.Arm] = sum[m.Arm]+k*y, square[m.Arm]+k*y*y, count[m.Arm]+k, rows[m.Arm]+1
		if k > 1 && m.Squares > 0 { // of the rewards behind a mean
			within[m.Arm] += m.Squares
		}
	}
	for _, r := range s.rounds {
		if r.closed != 0 || s.complete(r) {
			for i := range n {
				for _, m := range r.results[i] {
					take(m)
				}
			}
		}
	}
	for _, g := range s.guides {
		take(g.measured)
	}
	q := *s.Problem
	q.Mean, q.Rewards, q.Rows, q.Blocks = nil, nil, nil, nil
	q.Partial, q.Reps, q.Noise.SD = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		q.Partial[i], q.Reps[i], q.Noise.SD[i] = math.NaN(), 1, math.NaN()
		if count[i] == 0 {
			continue
		}
		mean := sum[i] / count[i]
		q.Partial[i], q.Reps[i] = mean, count[i]
		if rows[i] > 1 || within[i] > 0 {
			q.Noise.SD[i] = math.Sqrt(max(square[i]-count[i]*mean*mean+within[i], 0) / max(count[i]-1, 1))
		}
	}
	return &q
}
