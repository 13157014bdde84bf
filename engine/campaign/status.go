package campaign

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Status shows the progress of a campaign. It has counts and no rewards of the open round, so that rewards cannot decide
// when it is closed.
type Status struct {
	Name      string        `json:"name"`             // name of the protocol, as the script has bound it
	Folder    string        `json:"folder,omitempty"` // as the folder was opened; the folder sets it
	Problem   string        `json:"problem"`          // its name
	Algorithm string        `json:"algorithm"`
	Goal      string        `json:"goal,omitempty"`       // problem.GoalMax or problem.GoalMin
	Words     problem.Words `json:"-"`                    // of the problem
	Delta     float64       `json:"delta"`                // the largest that was in force
	Epsilon   float64       `json:"epsilon,omitempty"`    // that answers are for, reward units
	Started   time.Time     `json:"started"`              // when
	Done      bool          `json:"done"`                 // nothing is left to measure
	Ended     string        `json:"ended,omitempty"`      // how, when it is done
	Rounds    int           `json:"rounds"`               // that are over
	Samples   int           `json:"samples"`              // samples of these rounds
	Late      int           `json:"late,omitempty"`       // measurements that came after their round was over
	Attached  int           `json:"attached,omitempty"`   // measurements of no round
	Failed    int           `json:"failed,omitempty"`     // pulls that were given back
	Corrected int           `json:"corrected,omitempty"`  // results that were replaced, each once
	Open      *OpenRound    `json:"open_round,omitempty"` // nil without one
	Tasks     []TaskStatus  `json:"tasks"`                // in the order of the problem
	// what all measurements say, rewards of the open round left out; null without any, and of more than 2000 arms
	Best      *answer.Answer   `json:"best,omitempty"`
	People    []Debt           `json:"people,omitempty"` // who owe results
	Remaining float64          `json:"remaining"`        // further samples, NaN if unknown; see engine.Detailed
	TimeLeft  float64          `json:"time_left"`        // in TimeUnit, where there is a capacity
	TimeUnit  string           `json:"time_unit"`
	Capacity  int              `json:"capacity,omitempty"` // in force: pulls in a TimeUnit; 0 for any number
	Forecast  *ForecastRow     `json:"forecast,omitempty"` // of the start
	Renewed   *Renewal         `json:"renewed,omitempty"`  // of the rest, if it was asked for
	Days      []DayStatus      `json:"by_time,omitempty"`  // what was known at the end of each round
	Standing  string           `json:"standing"`           // engine.StandingProven, StandingHeuristic or StandingNone
	Guarantee string           `json:"guarantee"`          // a sentence that begins with the standing
	Assumes   []Note           `json:"assumes,omitempty"`  // what the campaign adds to the guarantee's conditions
	Differs   []Difference     `json:"differs,omitempty"`  // decisions that are not those recorded
	Warnings  []engine.Warning `json:"warnings,omitempty"` // of the algorithm, and of how results came
	Notes     []Note           `json:"notes,omitempty"`    // what a reader has to know besides
	Hash      string           `json:"hash"`               // hash of the last event
	Events    int              `json:"events"`             // how many there are
	Result    *engine.Result   `json:"-"`                  // result of the replay, for reports
}

// OpenRound counts the pulls of the round that is being measured.
type OpenRound struct {
	Round      int `json:"round"`
	Planned    int `json:"planned"`              // pulls, except those of withdrawn arms
	Measured   int `json:"measured"`             // pulls with a result, extra ones included
	Out        int `json:"handed_out"`           // without result yet
	Overdue    int `json:"overdue,omitempty"`    // among Out: their lease is over
	Failed     int `json:"failed,omitempty"`     // pulls that were given back
	Unassigned int `json:"left"`                 // not assigned
	Plates     int `json:"plates,omitempty"`     // of the round's own pulls
	Next       int `json:"next_plate,omitempty"` // the first with pulls that are not assigned
}

// TaskStatus states how far a task is.
type TaskStatus struct {
	engine.Progress `json:"progress"`

	Arm      string               `json:"arm,omitempty"`  // the answer
	Estimate float64              `json:"estimate"`       // estimate of the leader, reward units
	Arms     []string             `json:"arms,omitempty"` // that may still be the answer
	Samples  int                  `json:"measured"`       // pulls so far, rounds that are over
	Beside   int                  `json:"beside"`         // measurements beside the rounds, attached or late
	TimeLeft float64              `json:"time_left"`      // units of time at the capacity; NaN if unknown
	Out      []engine.Elimination `json:"out,omitempty"`  // arms that were dropped, and why
}

// Debt counts the pulls that a person was handed and whose results are missing.
type Debt struct {
	By      string    `json:"by"`                // "" is a person, too
	Pulls   int       `json:"pulls"`             // without result, overdue ones included
	Overdue int       `json:"overdue,omitempty"` // among these
	Until   time.Time `json:"until,omitzero"`    // the end of the lease of the pull handed out last; zero is never
	IDs     []string  `json:"ids"`               // in the order in which they were handed out
}

// DayStatus is the state at the end of a round.
type DayStatus struct {
	Round   int `json:"round"`
	Time    int `json:"time"`    // units of time that the pulls so far take at the capacity; without one, rounds
	Samples int `json:"samples"` // recorded until then
	Open    int `json:"open"`    // arms that could still be an answer, all tasks
	Decided int `json:"decided"` // tasks
}

// SoFar returns the result of the run so far, which continues unless the campaign is done.
func (s Status) SoFar() engine.Result {
	r := *s.Result
	if !s.Done {
		r.Status = engine.StatusRunning
	}
	return r
}

// Status computes how far the campaign is. The run must be the replay of the same state, which is what takes time. Best and Folder are
// left for others (Believe, the folder).
func (x *Run) Status(at Moment) Status {
	s := review{at, x}
	st := Status{
		Name: s.Start.Name, Problem: s.Problem.Name, Algorithm: s.Algorithm, Goal: s.Problem.Goal, Words: s.Problem.Words(),
		Delta: s.Delta, Epsilon: s.epsilon(at.Protocol), Started: s.StartAt, Rounds: len(s.Outcome.Rounds), Samples: s.Outcome.Samples,
		Remaining: s.Result.Remaining, TimeLeft: math.NaN(), TimeUnit: s.Unit(), Capacity: s.capacity(s.Protocol),
		Differs: s.Differs, Notes: s.notes(), Hash: s.Hash, Events: s.events,
	}
	// a change may have made a campaign that was done continue
	if s.done != nil && !s.More {
		st.Done, st.Ended = true, s.done.Status
	}
	s.count(&st)
	s.openRound(&st)
	st.People = s.debts()
	r := s.Result
	r.Progress, r.Answers = slices.Clone(r.Progress), slices.Clone(r.Answers)
	st.Tasks = s.tasks(&r)
	st.Days = s.days()
	// without an estimate TimeLeft stays NaN
	if c := st.Capacity; c > 0 && st.Remaining >= 0 {
		st.TimeLeft = math.Ceil(st.Remaining / float64(c))
	}
	if f := s.Start.Forecast; f != nil {
		if row, chosen := lists.First(f.Rows, func(r ForecastRow) bool { return r.Chosen }); chosen {
			st.Forecast = &row
		}
	}
	st.Result, st.Standing, st.Guarantee = &r, r.Standing, r.Guarantee
	st.Assumes = s.assumes()
	warnings, doubts := s.selection()
	if w := s.skewed(); w != nil {
		warnings, doubts = append(warnings, *w), append(doubts, Note{Kind: NoteSkewed})
	}
	if len(s.Differs) > 0 {
		doubts = append(doubts, Note{Kind: NoteDiffers})
	}
	st.doubt(doubts)
	st.Warnings = slices.Concat(r.Warnings, s.plateWarnings(), warnings)
	return st
}

// doubt lowers the standing to heuristic because of what happened to pulls on the way, and says why. Answers without a
// guarantee do not change.
func (st *Status) doubt(doubts []Note) {
	if len(doubts) == 0 || st.Standing == engine.StandingNone {
		return
	}
	why := lists.Map(doubts, func(n Note) string { return n.String() })
	claim := strings.TrimPrefix(strings.TrimPrefix(st.Guarantee, engine.StandingProven+": "), engine.StandingHeuristic+": ")
	st.Standing = engine.StandingHeuristic
	st.Guarantee = algorithms.Approximate(claim, why)
	st.Result.Standing, st.Result.Guarantee = st.Standing, st.Guarantee
}

// count sums the results beside the rounds, failed pulls, and corrections.
func (s review) count(st *Status) {
	for _, g := range s.guides {
		if g.late {
			st.Late += g.count()
		} else {
			st.Attached += g.count()
		}
	}
	// several items may have one mean of several
	corrected := map[*measured]bool{}
	for _, it := range s.items {
		if it.failed != "" {
			st.Failed++
		}
		if it.result != nil && len(it.result.old) > 0 && !corrected[it.result] {
			corrected[it.result] = true
			st.Corrected++
		}
	}
}

// openRound counts the pulls of the open round.
func (s review) openRound(st *Status) {
	r := s.open()
	if r == nil {
		return
	}
	planned, _ := s.pulls(r)
	o := &OpenRound{Round: r.plan.Round, Planned: lists.Total(planned), Measured: r.measured(),
		Unassigned: lists.Sum(s.needed(r), func(n int) int { return max(0, n) })}
	for _, it := range s.items {
		if it.round != r.plan.Round {
			continue
		}
		o.Out += indices.Indicator(it.outstanding())
		o.Overdue += indices.Indicator(it.overdue(s.Now))
		o.Failed += indices.Indicator(it.failed != "")
	}
	if r.plan.Plate > 0 && len(r.list) > 0 {
		o.Plates = r.list[len(r.list)-1].Plate
		// 0 if all are handed out
		next, _ := lists.First(r.list, r.nobodys)
		o.Next = next.Plate
	}
	st.Open = o
}

// debts lists what everybody owes, in the order in which they first asked.
func (s review) debts() []Debt {
	var out []Debt
	for _, by := range s.people {
		d := Debt{By: by}
		for _, it := range s.owed(by) {
			d.Pulls++
			d.Overdue += indices.Indicator(it.overdue(s.Now))
			d.Until = it.until
			d.IDs = append(d.IDs, it.ID)
		}
		if d.Pulls > 0 {
			out = append(out, d)
		}
	}
	return out
}

// heard returns by task how many measurements the algorithm has for its decisions. Results of an open round wait for its
// end, and an algorithm that uses only its own rounds ignores attached measurements.
func (s review) heard() []int {
	heard := make([]int, s.Problem.V())
	for m := range resultsOf(s.whole()) {
		heard[s.Problem.TaskOf[m.Arm]] += m.count()
	}
	r := s.open()
	for _, g := range s.guides {
		if s.Outcome.SamplesAdded > 0 && (r == nil || s.complete(r) || g.seq < r.seq) {
			heard[s.Problem.TaskOf[g.Arm]] += g.count()
		}
	}
	return heard
}

// tasks returns the tasks in their order. Unknown values are NaN: no estimate is better than a wrong one. An arm leads
// only by measurements of its task: a task without any loses its leader in the result, too.
func (s review) tasks(result *engine.Result) []TaskStatus {
	samples, beside := make([]int, s.Problem.V()), make([]int, s.Problem.V())
	for m := range resultsOf(s.over()) {
		samples[s.Problem.TaskOf[m.Arm]] += m.count()
	}
	for _, g := range s.guides {
		beside[s.Problem.TaskOf[g.Arm]] += g.count()
	}
	var out []TaskStatus
	nan, heard := math.NaN(), s.heard()
	for v, name := range s.Problem.Tasks.Names {
		t := TaskStatus{Progress: engine.Progress{Task: name, Gap: nan, Error: nan, Samples: nan}, Estimate: nan, TimeLeft: nan}
		if v >= len(s.Outcome.Answers) { // added, and measured from the next round on
			lo, hi := s.Problem.ArmsOf(v)
			t.Arms, t.Open = slices.Clone(s.Problem.Arms.Names[lo:hi]), hi-lo
			out = append(out, t)
			continue
		}
		a := s.Outcome.Answers[v]
		t.Arm, t.Arms, t.Estimate, t.Samples, t.Beside = a.Arm, a.Candidates, a.Estimate, samples[v], beside[v]
		t.Task, t.Decided, t.Leader, t.Open = a.Task, a.Decided, a.Leader, max(1, len(a.Candidates))
		if v < len(s.Result.Progress) {
			t.Progress = s.Result.Progress[v]
		}
		if heard[v] == 0 && !t.Decided {
			t.Leader, t.Rival, t.Estimate, t.Gap, t.Error, t.Progress.Samples = "", "", nan, nan, nan, nan
			result.Answers[v].Leader, result.Answers[v].Estimate = "", nan
			if v < len(result.Progress) {
				result.Progress[v] = t.Progress
			}
		}
		if c := s.capacity(s.Protocol); c > 0 && t.Progress.Samples >= 0 {
			t.TimeLeft = math.Ceil(t.Progress.Samples / float64(c))
		}
		t.Out = lists.Where(s.Outcome.Eliminations, func(e engine.Elimination) bool { return e.Task == a.Task })
		out = append(out, t)
	}
	return out
}

// days returns the state at the end of each round. The decisions are those that the next plan recorded; the units of
// time are counted as if the laboratory had always had the present capacity.
func (s review) days() []DayStatus {
	var out []DayStatus
	last := DayStatus{}
	for k := range min(len(s.rounds), len(s.Outcome.Rounds)) {
		pulls := s.Outcome.Rounds[k].Pulls
		units := 1
		if c := s.capacity(s.Protocol); c > 0 {
			units = (pulls + c - 1) / c
		}
		last = DayStatus{Round: k + 1, Time: last.Time + units, Samples: last.Samples + pulls, Open: s.Outcome.Rounds[k].Alive}
		switch {
		case k+1 < len(s.rounds):
			last.Decided = len(s.rounds[k+1].plan.Decided)
		case s.done != nil:
			last.Decided = len(s.done.Decided)
		default:
			last.Decided = len(decisions(s.Outcome.Answers))
		}
		out = append(out, last)
	}
	if s.done != nil && !s.More && len(out) > 0 { // late results may have decided after the last round
		out[len(out)-1].Open = lists.Sum(s.Outcome.Answers, func(a engine.Answer) int { return max(1, len(a.Candidates)) })
	}
	return out
}

// Only returns the status with one of its tasks. Counts of the whole campaign stay. The status itself is not changed.
func (st Status) Only(task string) (Status, error) {
	k := slices.IndexFunc(st.Tasks, func(t TaskStatus) bool { return t.Task == task })
	if k < 0 {
		names := lists.Map(st.Tasks, func(t TaskStatus) string { return t.Task })
		return st, fmt.Errorf("no task is called %q; there are %s", task, sentence.List(names, 8))
	}
	st.Tasks = st.Tasks[k : k+1]
	if st.Best != nil {
		best := *st.Best
		best.Picks = lists.Where(best.Picks, func(x answer.Pick) bool { return x.Task == task })
		best.Next = slices.DeleteFunc(slices.Clone(best.Next), func(x answer.Pull) bool { return x.Task != task })
		best.Arms = lists.Where(best.Arms, func(x answer.Arm) bool { return x.Task == task })
		st.Best = &best
	}
	return st, nil
}

// mostBelieved is the most arms for which Best is computed for a status.
const mostBelieved = 2000

// Believe adds Best. Nothing is added if no arm was measured, and a note if Best cannot be computed: a status shows
// the progress of the campaign nevertheless. Its error is the context's. It takes time if there are many arms.
func (st *Status) Believe(ctx context.Context, at Moment) error {
	known := at.Known()
	measured := lists.Count(known.Partial, func(m float64) bool { return !math.IsNaN(m) })
	if measured == 0 || known.N() > mostBelieved {
		return nil
	}
	best, err := answer.Best(ctx, known, answer.Options{Epsilon: st.Epsilon})
	if err != nil {
		st.Notes = append(st.Notes, Note{Kind: NoteNoBest, Names: []string{err.Error()}})
		return ctx.Err()
	}
	st.Best = best
	return nil
}

// epsilon returns the accuracy in force.
func (x *Run) epsilon(p Protocol) float64 {
	if x.Epsilon != nil {
		return *x.Epsilon
	}
	return p.Options.Epsilon
}
