package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// History is everything that was recorded, for the report and for other programs.
type History struct {
	Start        StartBody     `json:"start"`
	StartedAt    time.Time     `json:"started"`
	Rounds       []RoundLine   `json:"rounds"`       // all planned rounds, including the open one
	Log          []LogLine     `json:"log"`          // the events with a reason
	Measurements []Measurement `json:"measurements"` // by round, plate and position; attached ones first
	Hash         string        `json:"hash"`         // hash of the last event
	Events       int           `json:"events"`       // number of events
}

// RoundLine describes one round.
type RoundLine struct {
	Round    int       `json:"round"`
	Began    time.Time `json:"began"`            // when it was planned
	Planned  int       `json:"planned"`          // pulls, including pulls of withdrawn arms
	Measured int       `json:"measured"`         // pulls with a result that was not late
	Cut      bool      `json:"cut,omitempty"`    // its plan was cut to the capacity
	Closed   string    `json:"closed,omitempty"` // reason of the close, if a person closed the round or it ended early; otherwise ""
	Over     bool      `json:"over"`             // whether the round has ended
	Digest   string    `json:"digest"`           // digest of its plan, see engine.Plan
	Seed     uint64    `json:"seed"`             // seed for the order of its list
	Build    string    `json:"build"`            // build of the program that planned it
}

// Measurement is one result, or the mean of several.
type Measurement struct {
	ID       string    `json:"id,omitempty"`    // "" if the result was recorded by its arm
	Round    int       `json:"round,omitempty"` // round of its pull; 0 if attached
	Task     string    `json:"task"`
	Arm      string    `json:"arm"`
	Number   int       `json:"number,omitempty"`      // number of the pull among the pulls of the arm in the round
	Plate    int       `json:"plate,omitempty"`       // plate on which the pull was planned
	Position int       `json:"position,omitempty"`    // on this plate
	Reward   float64   `json:"reward"`                // value in force, with the sign of the data; the mean of Count rewards
	Count    int       `json:"count"`                 // number of rewards, at least 1
	SD       float64   `json:"sd,omitempty"`          // standard deviation of Count rewards
	Kind     string    `json:"kind"`                  // "round", "open" (of the open round), "late" or "attached"
	By       string    `json:"by,omitempty"`          // who recorded it
	At       time.Time `json:"at"`                    // when it was recorded
	Sheet    string    `json:"sheet,omitempty"`       // the name of the sheet
	Note     string    `json:"note,omitempty"`        // further text of its row
	OtherAt  string    `json:"measured_on,omitempty"` // plate on which it was measured, if not the planned one
	Block    string    `json:"block,omitempty"`       // block of the measurement, from the problem's block columns
	Sure     string    `json:"confirmed,omitempty"`   // the warning about the value, if a person confirmed the value nevertheless
	// -1 if the true value is at most Reward, +1 if it is at least Reward; otherwise 0
	Censored int8      `json:"censored,omitempty"`
	Old      []float64 `json:"old,omitempty"` // values before corrections, the first value first
}

// History returns the recorded events and measurements, without rewards of the open round. The same events always give the
// same history.
func (s Moment) History() History {
	h := History{Start: s.Start, StartedAt: s.StartAt, Log: slices.Clone(s.log), Hash: s.Hash, Events: s.events}
	for _, r := range s.rounds {
		line := RoundLine{Round: r.plan.Round, Began: r.at, Cut: r.plan.Cut, Closed: r.reason, Over: r.closed != 0, Digest: r.plan.Digest,
			Seed: r.plan.Seed, Build: r.plan.Build, Planned: lists.Total(r.plan.Counts), Measured: r.measured()}
		h.Rounds = append(h.Rounds, line)
	}
	h.Measurements = s.measurements(s.over()) // not the open round: its rewards must stay hidden until it can no longer be closed
	return h
}

// Export returns the history including rewards of the open round, for archives and other programs. These have the kind
// "open".
func (s Moment) Export() History {
	h := s.History()
	h.Measurements = s.measurements(s.rounds)
	return h
}

// measurements returns the results of the given rounds and the late and attached results, sorted by round, plate and
// position.
func (s Moment) measurements(rounds []*round) (all []Measurement) {
	for m := range resultsOf(rounds) {
		kind := "round"
		if r := s.open(); r != nil && r.plan.Round == m.round {
			kind = "open"
		}
		all = append(all, s.measurement(m, kind))
	}
	for _, g := range s.guides {
		kind := "attached"
		if g.late {
			kind = "late"
		}
		all = append(all, s.measurement(g, kind))
	}
	slices.SortStableFunc(all, func(a, b Measurement) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Plate, b.Plate), cmp.Compare(a.Position, b.Position))
	})
	return all
}

// measurement returns a result in its exported form, with the planned plate and position of its pull.
func (s Moment) measurement(m *measured, kind string) Measurement {
	names := s.Problem.NamesOf(m.Arm)
	x := Measurement{
		ID: m.ID, Round: m.round, Task: names[0], Arm: names[1], Number: m.Number, Reward: m.Reward, Count: m.count(), Kind: kind,
		By: m.by, At: m.at, Sheet: m.sheet, Note: m.Note, OtherAt: m.ResultRecord.Plate, Block: m.ResultRecord.Block,
		Sure: m.Sure, Old: m.old, Censored: m.Censored,
	}
	if m.count() > 1 {
		x.SD = math.Sqrt(m.Squares / float64(m.count()-1))
	}
	if it := s.items[m.ID]; it != nil {
		x.Plate, x.Position = it.Plate, it.Position
	}
	return x
}

// Known returns the problem with the recorded measurements: results of complete or closed rounds, late ones and attached
// ones. The result has the form of a table of measurements. It holds the mean, count and standard deviation of each arm
// (NaN if unknown), and each measurement with its block if the problem has blocks. Rewards of the open round are hidden
// until all its pulls are measured, so that they cannot influence when it is closed.
//
// The problem of s is not changed. Its own measurements are not included: if the protocol uses them, they were attached.
func (s Moment) Known() *problem.Problem {
	n := s.Problem.N()
	sum, square, count := make([]float64, n), make([]float64, n), make([]float64, n) // sums of rewards and of squared deviations
	rows, within := make([]float64, n), make([]float64, n)
	var measurements []problem.Row
	var blocks []string
	known := map[string]int{} // index of each block name
	// A mean of several rewards counts as that many rewards. Squares is the sum of their squared deviations.
	take := func(m *measured) {
		// the arm was added after the protocol that Known uses
		if m.Arm >= n {
			return
		}
		k, y := float64(m.count()), s.Problem.Turned(m.Reward)
		sum[m.Arm], count[m.Arm], rows[m.Arm] = sum[m.Arm]+k*y, count[m.Arm]+k, rows[m.Arm]+1
		within[m.Arm] += m.Squares // deviations of the rewards within a mean
		row := problem.Row{Arm: m.Arm, Reward: y, Count: k, Censored: m.Censored}
		if s.Problem.Goal == problem.GoalMin {
			row.Censored = -row.Censored
		}
		if len(blockColumns(s.Problem)) > 0 || s.Problem.Block != nil {
			name := s.blockOf(m)
			if _, there := known[name]; !there {
				known[name], blocks = len(blocks), append(blocks, name)
			}
			row.Block = known[name]
		}
		measurements = append(measurements, row)
	}
	for m := range resultsOf(s.whole()) {
		take(m)
	}
	for _, g := range s.guides {
		take(g)
	}
	// rows are sorted by arm, as in every problem; rows of one arm stay in order of arrival
	q := *s.Problem
	slices.SortStableFunc(measurements, func(a, b problem.Row) int { return cmp.Compare(a.Arm, b.Arm) })
	q.Mean, q.Rewards, q.Rows, q.Blocks, q.Levels = nil, nil, measurements, blocks, nil
	q.Partial, q.Reps, q.Noise.SD = make([]float64, n), make([]float64, n), make([]float64, n)
	for _, r := range measurements { // deviations from the mean: plain sums of squares lose the digits of large rewards
		d := r.Reward - sum[r.Arm]/count[r.Arm]
		square[r.Arm] += r.Count * d * d
	}
	for i := range n {
		q.Partial[i], q.Reps[i], q.Noise.SD[i] = math.NaN(), 1, math.NaN()
		if count[i] == 0 {
			continue
		}
		q.Partial[i], q.Reps[i] = sum[i]/count[i], count[i]
		if rows[i] > 1 || within[i] > 0 {
			q.Noise.SD[i] = math.Sqrt((square[i] + within[i]) / max(count[i]-1, 1))
		}
	}
	q.Failed = s.failures()
	if lists.Total(q.Failed) == 0 {
		q.Failed = nil
	}
	return &q
}

// blockOf returns the name of the shared conditions of a result: the block of its row, otherwise the block of the list,
// otherwise the round, otherwise the sheet.
func (s Moment) blockOf(m *measured) string {
	switch it := s.items[m.ID]; {
	case m.Block != "":
		return m.Block
	case it != nil && it.Block > 0:
		return fmt.Sprintf("block %d of round %d", it.Block, it.round)
	case m.round > 0:
		return fmt.Sprintf("round %d", m.round)
	}
	return fmt.Sprintf("sheet %q of %s", m.sheet, someone(m.by))
}

// LossLine is an arm that lost more pulls than chance explains.
type LossLine struct {
	Task    string  `json:"task"` // task name
	Arm     string  `json:"arm"`
	Planned int     `json:"planned"` // pulls of the arm planned in the round
	Lost    int     `json:"lost"`    // how many of these have no result
	PValue  float64 `json:"p_value"` // multiplied by the number of arms
}

// Warning returns a sentence on the loss and its meaning for the answers.
func (l LossLine) Warning() string {
	return fmt.Sprintf("task %q, arm %q lost %d of %d pulls, more than chance explains (p = %.2g). If the loss depends on the reward, no "+
		"guarantee holds. Find out why they were lost", l.Task, l.Arm, l.Lost, l.Planned, l.PValue)
}

// lossLevel is the significance level of LossTest: if losses are random, the test names an arm with at most this
// probability.
const lossLevel = 0.05

// LossTest tests whether lost pulls are concentrated in few arms. planned and lost hold N counts of one round. If losses
// were random, the number lost of an arm would be hypergeometric, given the total lost. The p-value of the exact test of
// each arm [Fisher 1935] is multiplied by the number of arms (Bonferroni). LossTest returns the smallest corrected
// p-value, and the arms below lossLevel, worst first. It returns nil if nothing was lost, or if only one arm has pulls.
func LossTest(p Protocol, planned, lost []int) (*float64, []LossLine) {
	all, allLost, arms := lists.Total(planned), lists.Total(lost), lists.Count(planned, func(n int) bool { return n > 0 })
	if allLost == 0 || arms < 2 {
		return nil, nil
	}
	least := 1.0
	var worst []LossLine
	for i, n := range planned {
		if lost[i] == 0 {
			continue
		}
		value := math.Min(1, float64(arms)*hypergeometricTail(all, allLost, n, lost[i]))
		least = math.Min(least, value)
		if value < lossLevel {
			names := p.Problem.NamesOf(i)
			worst = append(worst, LossLine{names[0], names[1], n, lost[i], value})
		}
	}
	slices.SortStableFunc(worst, func(a, b LossLine) int { return cmp.Compare(a.PValue, b.PValue) })
	return &least, worst
}

// hypergeometricTail returns the probability that at least k of an arm's n pulls are lost, if `lost` of `all` pulls are
// lost at random. It uses logarithms of binomial coefficients, which would overflow a float64.
func hypergeometricTail(all, lost, n, k int) float64 {
	choose := func(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }
	sum := 0.0
	for x := k; x <= min(n, lost); x++ {
		// impossible: the other arms have fewer pulls than would be lost
		if lost-x > all-n {
			continue
		}
		sum += math.Exp(choose(n, x) + choose(all-n, lost-x) - choose(all, lost))
	}
	return math.Min(1, sum)
}
