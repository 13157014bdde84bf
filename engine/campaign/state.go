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

// State holds the facts of all events so far. It is read only once folded: several goroutines may read it at once, and
// the lookup methods change nothing. Only Add writes, and its caller must be the only one who has the state.
//
// It has no answers. Those follow from a Replay, which takes long, and are not facts of the laboratory.
type State struct {
	Start    StartBody // zero before the first event
	StartAt  time.Time // of the first event
	Seq      int64     // sequence number of the last event
	Hash     string    // hash of the last event
	At       time.Time // time of the last event
	Revision int       // revision of the program that the campaign continues with: the start's, or of the last upgrade
	Capacity int       // in force; -1 if it was not amended

	handed                           // what was handed out
	taskOf  []int                    // of the arms that there are now, by arm, non-decreasing
	grown   [][]int                  // of each addition of arms: Growth.At; their number is the generation of the arms
	rounds  []*round                 // round k is at k-1; all but the last are closed
	done    *PlanBody                // the last plan, when nothing is left to measure; nil else, and again once a further round is planned
	doneSeq int64                    // its event
	guides  []*measured              // that guide and, in tests, decide nothing, in order of their events
	amends  []amendment              // in order of their events; numbers of arms in them are the present ones
	log     []LogLine                // in order of their events
	sheets  map[sheetKey][]*measured // rows without ids, in the order in which they were recorded
	// rows without ids that failed, in the order in which they were recorded
	failedRows []*failedRow
	read       map[string]bool // by the SHA-256 of sheets: results of it were recorded
	events     int             // how many were added
	links      []link          // of all events: event k is at k-1
	// whether the answers may have changed since nothing was left to measure: the protocol changed, or a result was
	// corrected
	reopened bool
}

// round is one communication round as the laboratory sees it. Its arms have the present numbers: additions renumber them
// (moved). It is open while closed is 0, whether all its pulls are measured or not: the next plan, or a person's close,
// ends it.
type round struct {
	plan       PlanBody  // as recorded
	seq        int64     // sequence number of its plan
	at         time.Time // time of its plan
	closed     int64     // the event that ended it; 0 while it is open
	reason     string    // reason of the close; "" where the next plan ended it
	early      bool      // it was closed because what was out was late
	generation int       // additions of arms before its plan: arms that came later have no pulls in it
	list       []Slot    // planned pulls in the order in which they are handed out

	filled  map[[2]int]bool     // by arm and number: handed out, or measured
	highest map[int]int         // by arm: the largest number given to a pull
	results map[int][]*measured // by arm, in order of arrival; those that came late are in State.guides
}

// nobodys reports whether a planned pull was neither handed out nor measured.
func (r *round) nobodys(slot Slot) bool { return !r.filled[[2]int{slot.Arm, slot.Number}] }

// measured is a result: one reward, or the mean of several. Reward is the one in force, with the sign of the data.
type measured struct {
	ResultRecord
	round int       // round of its pull, from 1; 0 of attached ones
	by    string    // who recorded it
	at    time.Time // when it was recorded
	seq   int64     // sequence number of the event that recorded it
	sheet string    // the name of its sheet; "" without one
	late  bool      // its round was over
	old   []float64 // what it was before it was corrected, the first value first; nil if it was not
}

// count returns the number of rewards of which this is the mean.
func (m *measured) count() int { return max(1, m.Count) }

// amendment is a change of the protocol.
type amendment struct {
	AmendBody
	seq int64 // sequence number of its event: it is in force for the rounds that are planned after it
}

// LogLine is an event with a reason.
type LogLine struct {
	Seq    int64     `json:"seq"`
	Kind   Kind      `json:"kind"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`
	What   string    `json:"what"` // a sentence without its full stop
	Reason string    `json:"reason,omitempty"`
}

// NewState returns the state before the start.
// Capacity begins at -1, since 0 would state that it was amended to any number.
func NewState() *State {
	return &State{handed: handed{items: map[string]*item{}}, sheets: map[sheetKey][]*measured{},
		read: map[string]bool{}, Capacity: -1}
}

// open returns the round that takes results, nil without one. It may be complete: then its rewards are known, and the
// next plan is due.
func (s *State) open() *round {
	if len(s.rounds) == 0 {
		return nil
	}
	if r := s.rounds[len(s.rounds)-1]; r.closed == 0 {
		return r
	}
	return nil
}

// complete reports whether every arm has the pulls planned. Withdrawn arms await none, nor do failed pulls of blocks.
func (s *State) complete(r *round) bool { return s.awaited(r) == 0 }

// awaited returns the number of pulls of a round without a result. Extra pulls of one arm do not replace those of another.
func (s *State) awaited(r *round) (n int) {
	_, missing := s.pulls(r)
	for i, lacks := range missing {
		n += max(0, lacks-s.failed(r, i))
	}
	return n
}

// pulls returns by arm how many pulls of a round were planned, of arms that were not withdrawn, and how many of them have no
// result.
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

// over returns the rounds that were ended: their rewards may be shown.
func (s *State) over() []*round {
	return lists.Where(s.rounds, func(r *round) bool { return r.closed != 0 })
}

// whole returns them, and the open round if it has all its pulls: it cannot be closed any more to choose by its rewards.
func (s *State) whole() []*round {
	return lists.Where(s.rounds, func(r *round) bool { return r.closed != 0 || s.complete(r) })
}

// resultsOf yields the results of some rounds, arm by arm, and of each arm in order of arrival. Late ones are not among them.
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

// measuredOf returns the pulls of an arm that have a result, extra ones included: it may exceed the plan.
func (r *round) measuredOf(arm int) int {
	return lists.Sum(r.results[arm], (*measured).count)
}

// withdrawn reports whether an arm was taken out of the campaign.
func (s *State) withdrawn(arm int) bool {
	return slices.ContainsFunc(s.amends, func(a amendment) bool { return slices.Contains(a.WithdrawArms, arm) })
}

// Needed reports whether a plan must be made now: no round is open, or the open one is over. Once all was decided a plan is due only
// after a change or a correction: late and attached results alone do not open the campaign again.
func (s *State) Needed() bool {
	// The agents plan, and hand their plans over by Lead.
	if s.Start.Led != "" {
		return false
	}
	if s.done != nil {
		return s.reopened
	}
	r := s.open()
	return r == nil || s.complete(r)
}

// Remaining returns the pulls of the open round that have no result, and whether the round is over. Without an open round it
// is the last one, which has nothing left.
func (s *State) Remaining() (round, remaining int, over bool) {
	r := s.open()
	if r == nil {
		return len(s.rounds), 0, true
	}
	remaining = s.awaited(r)
	return r.plan.Round, remaining, remaining == 0
}

// owed returns the pulls of the open round that a person has and that have no result: the person's open list, overdue
// pulls included. The name must be a text that Plain returned.
func (s *State) owed(by string) []*item {
	r := s.open()
	if r == nil {
		return nil
	}
	return s.itemsOf(by, r, (*item).outstanding)
}

// capacity returns the pulls in a unit of time that are in force: as amended last, else as the protocol has it; 0 is any number.
func (s *State) capacity(p Protocol) int {
	if s.Capacity >= 0 {
		return s.Capacity
	}
	return p.Capacity
}

// spent returns the pulls of all rounds that are over, N counts, the open round included once it is complete.
func (s *State) spent(p Protocol) []int {
	out := make([]int, p.Problem.N())
	for _, r := range s.whole() {
		for i := range out {
			out[i] += r.measuredOf(i)
		}
	}
	return out
}

// Additions returns the amendments that added arms, in their order.
func (s *State) Additions() []AmendBody {
	added := lists.Where(s.amends, func(a amendment) bool { return a.Add != nil })
	return lists.Map(added, func(a amendment) AmendBody { return a.AmendBody })
}

// upFrom returns the present numbers of the arms after some additions: entry i belongs to the arm that had number i.
func (s *State) upFrom(generation int) []int {
	var up []int
	for k, at := range s.grown[min(generation, len(s.grown)):] {
		if k == 0 {
			// The first addition since is the map itself; each later one is put behind it.
			up = slices.Clone(at)
		} else {
			up = indices.Of(at, up)
		}
	}
	return up // nil if nothing was added since
}

// cameAfter reports whether an arm was added after a round was planned.
func (s *State) cameAfter(r *round, arm int) bool {
	up := s.upFrom(r.generation)
	return up != nil && !slices.Contains(up, arm)
}

// measured returns the pulls of the round that have a result. The sum over arms may exceed the plan by extra measurements.
func (r *round) measured() int {
	return lists.Sum(slices.Collect(resultsOf([]*round{r})), (*measured).count)
}

// ended reports whether a round is over, so that closing it changes nothing. It is an error where the
// round was not planned yet.
func (s *State) ended(round int) (bool, error) {
	if round < 1 || round > len(s.rounds) {
		return false, fmt.Errorf("there is no round %d yet: %d were planned", round, len(s.rounds))
	}
	r := s.open()
	return r == nil || r.plan.Round != round, nil
}

// ToldOf returns the results of the round with a plan's digest, by arm and number of the pull, once the
// round is whole. It is how an agent whose pulls people make fetches them. Numbers of arms are the present ones. The digest is the one
// that the agent's plan had, see Lead.
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

// Under returns the campaign at a time, under the protocol that is in force then.
func (s *State) Under(p Protocol, now time.Time) Moment { return Moment{s, p, now} }
