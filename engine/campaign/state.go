package campaign

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// State is the result of folding all events so far. Several goroutines may read it at once: only Add changes it, and Add
// needs exclusive access.
//
// A State contains no answers. Replay computes them, which takes long.
type State struct {
	Start    StartBody // zero before the first event
	StartAt  time.Time // time of the first event
	Seq      int64     // sequence number of the last event
	Hash     string    // hash of the last event
	At       time.Time // time of the last event
	Revision int       // revision of the program that decides: that of the start, or of the last upgrade
	Capacity int       // capacity in force; -1 if it was not amended

	handed                           // the pulls that were handed out
	taskOf  []int                    // by present number of the arm: its task; non-decreasing
	grown   [][]int                  // Growth.At of each addition of arms; their number is the generation of the arms
	rounds  []*round                 // round k is at index k-1; all except the last have ended
	done    *PlanBody                // the last plan, if it states that nothing is left to measure; otherwise nil
	doneSeq int64                    // event number of done
	guides  []*measured              // late and attached results, in order of their events; tests do not decide by them
	amends  []amendment              // in order of their events; arms have their present numbers
	log     []LogLine                // in order of their events
	sheets  map[sheetKey][]*measured // results of rows without ids, by sheet, in the order in which they were recorded
	// failed rows without ids, in the order in which they were recorded
	failedRows []*failedRow
	read       map[string]bool // SHA-256 of each sheet of which results were recorded
	events     int             // number of events added
	links      []link          // of all events: event k is at index k-1
	// the protocol changed or a result was corrected after nothing was left to measure, so that the answers may change
	reopened bool
}

// round is one communication round as the laboratory sees it. Its arms have the present numbers (moved renumbers them). A
// round is open until the next plan or a close ends it, even if all its pulls are measured.
type round struct {
	plan       PlanBody  // the recorded plan
	seq        int64     // sequence number of its plan
	at         time.Time // time of its plan
	closed     int64     // number of the event that ended it; 0 while it is open
	reason     string    // reason of the close; "" if the next plan ended it
	early      bool      // it ended because the outstanding results were late
	generation int       // number of additions of arms before its plan; arms added later have no pulls in it
	list       []Slot    // planned pulls in the order in which they are handed out

	filled  map[[2]int]bool     // by arm and number of the pull: handed out or measured
	highest map[int]int         // by arm: the largest number of a pull
	results map[int][]*measured // by arm, in order of arrival; late results are in State.guides instead
}

// nobodys reports whether a planned pull was neither handed out nor measured.
func (r *round) nobodys(slot Slot) bool { return !r.filled[[2]int{slot.Arm, slot.Number}] }

// measured is a result: one reward, or the mean of several. Reward is the value in force, with the sign of the data.
type measured struct {
	ResultRecord
	round int       // round of its pull, from 1; 0 if attached
	by    string    // who recorded it
	at    time.Time // when it was recorded
	seq   int64     // sequence number of the event that recorded it
	sheet string    // the name of its sheet; "" without one
	late  bool      // its round had already ended
	old   []float64 // values before corrections, the first value first; nil if it was not corrected
}

// count returns the number of rewards of which this result is the mean.
func (m *measured) count() int { return max(1, m.Count) }

// amendment is a change of the protocol.
type amendment struct {
	AmendBody
	seq int64 // number of its event; the amendment applies to rounds planned after it
}

// LogLine is a line of the log in the report.
type LogLine struct {
	Seq    int64     `json:"seq"`
	Kind   Kind      `json:"kind"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`
	What   string    `json:"what"` // what happened, as a sentence without a full stop
	Reason string    `json:"reason,omitempty"`
}

// NewState returns the state before the start. Capacity is -1, because 0 would mean an amendment to no limit.
func NewState() *State {
	return &State{handed: handed{items: map[string]*item{}}, sheets: map[sheetKey][]*measured{},
		read: map[string]bool{}, Capacity: -1}
}

// open returns the round that accepts results; nil if there is none. An open round may be complete: the next plan is then
// due.
func (s *State) open() *round {
	if len(s.rounds) == 0 {
		return nil
	}
	if r := s.rounds[len(s.rounds)-1]; r.closed == 0 {
		return r
	}
	return nil
}

// complete reports whether every arm has its planned pulls. Withdrawn arms and failed pulls in blocks do not count as
// missing.
func (s *State) complete(r *round) bool { return s.awaited(r) == 0 }

// awaited returns the number of pulls of a round that still need a result. Extra pulls of one arm do not replace those of
// another.
func (s *State) awaited(r *round) (n int) {
	_, missing := s.pulls(r)
	for i, lacks := range missing {
		n += max(0, lacks-s.failed(r, i))
	}
	return n
}

// pulls returns, by arm, the number of planned pulls of a round and how many of these have no result. Both are 0 for
// withdrawn arms.
func (s *State) pulls(r *round) (planned, missing []int) {
	planned, missing = slices.Clone(r.plan.Counts), make([]int, len(r.plan.Counts))
	for i := range planned {
		if s.withdrawn(i) {
			planned[i] = 0
		}
		missing[i] = max(0, planned[i]-r.measuredOf(i))
	}
	return planned, missing
}

// over returns the rounds that have ended: their rewards may be shown.
func (s *State) over() []*round {
	return lists.Where(s.rounds, func(r *round) bool { return r.closed != 0 })
}

// whole returns the rounds that have ended, and the open round if all its pulls have results. The rewards of a complete
// round can no longer influence when it is closed.
func (s *State) whole() []*round {
	return lists.Where(s.rounds, func(r *round) bool { return r.closed != 0 || s.complete(r) })
}

// resultsOf yields the results of the given rounds, arm by arm, and for each arm in order of arrival. It leaves out late
// results.
func resultsOf(rounds []*round) iter.Seq[*measured] {
	return func(yield func(*measured) bool) {
		for _, r := range rounds {
			for i := range r.plan.Counts {
				for _, m := range r.results[i] {
					if !yield(m) {
						return
					}
				}
			}
		}
	}
}

// measuredOf returns the number of measured pulls of an arm, including extra ones: it may exceed the plan.
func (r *round) measuredOf(arm int) int {
	return lists.Sum(r.results[arm], (*measured).count)
}

// withdrawn reports whether an amendment withdrew the arm.
func (s *State) withdrawn(arm int) bool {
	return slices.ContainsFunc(s.amends, func(a amendment) bool { return slices.Contains(a.WithdrawArms, arm) })
}

// Needed reports whether a new plan is due: no round is open, or the open one is complete. If nothing was left to measure,
// a plan is due only after an amendment or a correction; late and attached results alone do not reopen the campaign.
func (s *State) Needed() bool {
	// the agents plan, and pass their plans to Lead
	if s.Start.Led != "" {
		return false
	}
	if s.done != nil {
		return s.reopened
	}
	r := s.open()
	return r == nil || s.complete(r)
}

// Remaining returns the number of the open round, how many of its pulls have no result, and whether it is complete.
// Without an open round it returns the number of rounds, 0 and true.
func (s *State) Remaining() (round, remaining int, over bool) {
	r := s.open()
	if r == nil {
		return len(s.rounds), 0, true
	}
	remaining = s.awaited(r)
	return r.plan.Round, remaining, remaining == 0
}

// owed returns the person's pulls of the open round without a result, including overdue ones. by must be a text that Plain
// returned.
func (s *State) owed(by string) []*item {
	r := s.open()
	if r == nil {
		return nil
	}
	return s.itemsOf(by, r, (*item).outstanding)
}

// capacity returns the capacity in force: the last amended value, otherwise that of the protocol; 0 for no limit.
func (s *State) capacity(p Protocol) int {
	if s.Capacity >= 0 {
		return s.Capacity
	}
	return p.Capacity
}

// spent returns, by arm, the measured pulls of all rounds that have ended or are complete.
func (s *State) spent(p Protocol) []int {
	out := make([]int, p.Problem.N())
	for _, r := range s.whole() {
		for i := range out {
			out[i] += r.measuredOf(i)
		}
	}
	return out
}

// Additions returns the amendments that added arms, oldest first.
func (s *State) Additions() []AmendBody {
	added := lists.Where(s.amends, func(a amendment) bool { return a.Add != nil })
	return lists.Map(added, func(a amendment) AmendBody { return a.AmendBody })
}

// upFrom returns the present numbers of the arms of a generation: entry i is the present number of the arm that had number
// i. It returns nil if no arm was added since.
func (s *State) upFrom(generation int) []int {
	var up []int
	for k, at := range s.grown[min(generation, len(s.grown)):] {
		if k == 0 {
			// the first addition is the map itself; each later one is composed with it
			up = slices.Clone(at)
		} else {
			up = indices.Of(at, up)
		}
	}
	return up // nil if no arm was added since
}

// cameAfter reports whether an arm was added after the round was planned.
func (s *State) cameAfter(r *round, arm int) bool {
	up := s.upFrom(r.generation)
	return up != nil && !slices.Contains(up, arm)
}

// measured returns the number of measured pulls of the round. It may exceed the plan by extra measurements.
func (r *round) measured() int {
	return lists.Sum(slices.Collect(resultsOf([]*round{r})), (*measured).count)
}

// ended reports whether a round has ended, so that closing it changes nothing. It returns an error if the round was not
// planned yet.
func (s *State) ended(round int) (bool, error) {
	if round < 1 || round > len(s.rounds) {
		return false, fmt.Errorf("there is no round %d yet: %d were planned", round, len(s.rounds))
	}
	r := s.open()
	return r == nil || r.plan.Round != round, nil
}

// ToldOf returns the results of the round whose plan has the given digest, by arm and number of the pull. An agent whose
// pulls people measure fetches its results in this way. Numbers of arms are the present ones. whole is false if the round
// does not exist or is incomplete. The digest is that of the plan passed to Lead.
func (s *State) ToldOf(digest string) (results []ResultRecord, whole bool) {
	i := slices.IndexFunc(s.rounds, func(r *round) bool { return r.plan.Digest == digest })
	if i < 0 || !s.complete(s.rounds[i]) {
		return nil, false
	}
	r := s.rounds[i]
	for _, arm := range slices.Sorted(maps.Keys(r.results)) {
		sorted := slices.SortedStableFunc(slices.Values(r.results[arm]), func(a, b *measured) int { return cmp.Compare(a.Number, b.Number) })
		results = append(results, lists.Map(sorted, func(m *measured) ResultRecord { return m.ResultRecord })...)
	}
	return results, true
}

// Under returns the state together with a protocol and the present time.
func (s *State) Under(p Protocol, now time.Time) Moment { return Moment{s, p, now} }
