package campaign

import (
	"cmp"
	"math"
	"slices"
	"time"
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
func (s *State) History(p Protocol) History {
	h := History{Start: s.Start, StartedAt: s.StartAt, Log: slices.Clone(s.log), Hash: s.Hash, Events: s.events}
	for _, r := range s.rounds {
		line := RoundLine{Round: r.plan.Round, Began: r.at, Cut: r.plan.Cut, Closed: r.reason, Over: r.closed != 0, Digest: r.plan.Digest, Seed: r.plan.Seed, Build: r.plan.Build}
		for i, n := range r.plan.Counts {
			line.Planned += n
			line.Measured += r.measuredOf(i)
		}
		h.Rounds = append(h.Rounds, line)
		open := r.closed == 0
		for i := range r.plan.Counts {
			for _, m := range r.results[i] {
				x := s.measurement(p, m, "round")
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
		h.Measurements = append(h.Measurements, s.measurement(p, g.measured, kind))
	}
	slices.SortStableFunc(h.Measurements, func(a, b Measurement) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Plate, b.Plate), cmp.Compare(a.Position, b.Position))
	})
	return h
}

func (s *State) measurement(p Protocol, m *measured, kind string) Measurement {
	names := p.Problem.NamesOf(m.Arm)
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
