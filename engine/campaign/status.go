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

// Status is the progress of a campaign. It counts pulls of the open round but has no rewards of it, so that rewards cannot
// influence when the round is closed.
type Status struct {
	Name      string        `json:"name"`             // variable name of the protocol in the script
	Folder    string        `json:"folder,omitempty"` // path under which the folder was opened; package folder sets it
	Problem   string        `json:"problem"`          // name of the problem
	Algorithm string        `json:"algorithm"`
	Goal      string        `json:"goal,omitempty"`       // problem.GoalMax or problem.GoalMin
	Words     problem.Words `json:"-"`                    // words of the problem for sentences
	Delta     float64       `json:"delta"`                // error probability in force
	Epsilon   float64       `json:"epsilon,omitempty"`    // accuracy of the present answers, reward units
	Started   time.Time     `json:"started"`              // time of the start
	Done      bool          `json:"done"`                 // nothing is left to measure
	Ended     string        `json:"ended,omitempty"`      // how the campaign ended, if Done
	Rounds    int           `json:"rounds"`               // number of rounds that have ended
	Samples   int           `json:"samples"`              // samples of the rounds that have ended
	Late      int           `json:"late,omitempty"`       // measurements that came after the end of their round
	Attached  int           `json:"attached,omitempty"`   // measurements that belong to no round
	Failed    int           `json:"failed,omitempty"`     // pulls that were given back
	Corrected int           `json:"corrected,omitempty"`  // number of corrected results
	Open      *OpenRound    `json:"open_round,omitempty"` // nil if no round is open
	Tasks     []TaskStatus  `json:"tasks"`                // in the order of the problem's tasks
	// best arms by all measurements except the open round; nil without measurements, and for more than 2000 arms
	Best      *answer.Answer   `json:"best,omitempty"`
	People    []Debt           `json:"people,omitempty"` // people with outstanding pulls
	Remaining float64          `json:"remaining"`        // expected further samples; NaN if unknown (see engine.Detailed)
	TimeLeft  float64          `json:"time_left"`        // in TimeUnit; NaN without a capacity
	TimeUnit  string           `json:"time_unit"`
	Capacity  int              `json:"capacity,omitempty"` // capacity in force: pulls in a TimeUnit; 0 for no limit
	Forecast  *ForecastRow     `json:"forecast,omitempty"` // forecast at the start
	Renewed   *Renewal         `json:"renewed,omitempty"`  // forecast of the rest, if requested
	Days      []DayStatus      `json:"by_time,omitempty"`  // progress at the end of each round
	Standing  string           `json:"standing"`           // engine.StandingProven, StandingHeuristic or StandingNone
	Guarantee string           `json:"guarantee"`          // sentence that begins with the standing
	Assumes   []Note           `json:"assumes,omitempty"`  // assumptions in addition to the conditions of the guarantee
	Differs   []Difference     `json:"differs,omitempty"`  // decisions that differ from the recorded ones
	Warnings  []engine.Warning `json:"warnings,omitempty"` // of the algorithm, and on how results were recorded
	Notes     []Note           `json:"notes,omitempty"`    // further facts for the reader
	Hash      string           `json:"hash"`               // hash of the last event
	Events    int              `json:"events"`             // number of events
	Result    *engine.Result   `json:"-"`                  // result of the replay, for reports
}

// OpenRound counts the pulls of the open round.
type OpenRound struct {
	Round      int `json:"round"`
	Planned    int `json:"planned"`              // pulls, without pulls of withdrawn arms
	Measured   int `json:"measured"`             // pulls with a result, including extra ones
	Out        int `json:"handed_out"`           // handed out, without result yet
	Overdue    int `json:"overdue,omitempty"`    // pulls in Out whose lease has ended
	Failed     int `json:"failed,omitempty"`     // pulls that were given back
	Unassigned int `json:"left"`                 // planned pulls that no person has
	Plates     int `json:"plates,omitempty"`     // plates of the planned pulls
	Next       int `json:"next_plate,omitempty"` // first plate with pulls that were not handed out; 0 if there is none
}

// TaskStatus is the progress of one task.
type TaskStatus struct {
	engine.Progress `json:"progress"`

	Arm      string               `json:"arm,omitempty"`  // the answer; "" while the task is undecided
	Estimate float64              `json:"estimate"`       // estimate of the leader, reward units
	Arms     []string             `json:"arms,omitempty"` // arms that may still be the answer
	Samples  int                  `json:"measured"`       // samples in rounds that have ended
	Beside   int                  `json:"beside"`         // attached and late measurements
	TimeLeft float64              `json:"time_left"`      // units of time for the remaining samples at the capacity; NaN if unknown
	Out      []engine.Elimination `json:"out,omitempty"`  // arms that were eliminated, with the reason
}

// Debt counts a person's pulls without a result.
type Debt struct {
	By      string    `json:"by"`                // "" for a person without a name
	Pulls   int       `json:"pulls"`             // pulls without a result, including overdue ones
	Overdue int       `json:"overdue,omitempty"` // pulls whose lease has ended
	Until   time.Time `json:"until,omitzero"`    // end of the lease of the last of these pulls; zero if it never ends
	IDs     []string  `json:"ids"`               // in the order in which they were handed out
}

// DayStatus is the progress at the end of a round.
type DayStatus struct {
	Round   int `json:"round"`
	Time    int `json:"time"`    // units of time for the pulls so far at the capacity; without a capacity, rounds
	Samples int `json:"samples"` // samples so far
	Open    int `json:"open"`    // arms that may still be answers, over all tasks
	Decided int `json:"decided"` // number of decided tasks
}

// SoFar returns the result of the run. Its status is engine.StatusRunning unless the campaign is done.
func (s Status) SoFar() engine.Result {
	r := *s.Result
	if !s.Done {
		r.Status = engine.StatusRunning
	}
	return r
}

// Status returns the progress of a campaign. x must be the replay of the same state. Best and Folder are not set: Believe
// sets the first, and package folder the second.
func (x *Run) Status(at Moment) Status {
	s := review{at, x}
	st := Status{
		Name: s.Start.Name, Problem: s.Problem.Name, Algorithm: s.Algorithm, Goal: s.Problem.Goal, Words: s.Problem.Words(),
		Delta: s.Delta, Epsilon: s.epsilon(at.Protocol), Started: s.StartAt, Rounds: len(s.Outcome.Rounds), Samples: s.Outcome.Samples,
		Remaining: s.Result.Remaining, TimeLeft: math.NaN(), TimeUnit: s.Unit(), Capacity: s.capacity(s.Protocol),
		Differs: s.Differs, Notes: s.notes(), Hash: s.Hash, Events: s.events,
	}
	// after an amendment or correction, a campaign that was done may continue
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
	st.Warnings = slices.Concat(r.Warnings, warnings)
	return st
}

// doubt lowers the standing to heuristic and adds the doubts as reasons to the guarantee. It changes nothing if there are
// no doubts, or if the answers have no guarantee.
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

// count sets the numbers of late and attached results, failed pulls, and corrections.
func (s review) count(st *Status) {
	for _, g := range s.guides {
		if g.late {
			st.Late += g.count()
		} else {
			st.Attached += g.count()
		}
	}
	// several items may share one mean
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

// openRound sets Open to the counts of the open round; without one it stays nil.
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
		// next is the zero Slot if all pulls are handed out
		next, _ := lists.First(r.list, r.nobodys)
		o.Next = next.Plate
	}
	st.Open = o
}

// debts returns the outstanding pulls of each person, in the order of people's first requests.
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

// heard returns, by task, the number of measurements that the algorithm can use for its decisions. Results of an
// incomplete open round are left out. Attached and late results count only if the algorithm uses them.
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

// tasks returns the status of each task. Unknown values are NaN. A task without measurements has no leader, and tasks
// removes its leader from result too.
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
		if v >= len(s.Outcome.Answers) { // the task was added, and is measured from the next round on
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

// days returns the progress at the end of each round. Decisions are those that the next plan recorded. Units of time are
// computed with the present capacity for all rounds.
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
	if s.done != nil && !s.More && len(out) > 0 { // late results may have decided tasks after the last round
		out[len(out)-1].Open = lists.Sum(s.Outcome.Answers, func(a engine.Answer) int { return max(1, len(a.Candidates)) })
	}
	return out
}

// Only returns a copy of the status with a single task. Counts of the whole campaign stay. It returns an error if the task
// does not exist.
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

// mostBelieved is the largest number of arms for which a status contains Best.
const mostBelieved = 2000

// Believe sets Best. It leaves Best nil if no arm was measured or there are more than mostBelieved arms. If Best cannot be
// computed, it adds a note instead, so that the status still shows the progress. It returns only the error of the context.
// With many arms it takes long.
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

// epsilon returns the epsilon of the present answers.
func (x *Run) epsilon(p Protocol) float64 {
	if x.Epsilon != nil {
		return *x.Epsilon
	}
	return p.Options.Epsilon
}
