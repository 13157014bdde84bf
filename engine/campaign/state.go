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

// State holds the facts of all events so far. It is read only once folded.
type State struct {
	Start    StartBody
	StartAt  time.Time
	Seq      int64  // of the last event
	Hash     string // of the last event
	At       time.Time
	Revision int     // of the program that the campaign goes on with
	Capacity int     // in force; -1 where it was not amended
	Aside    []Aside // events that repairs set aside

	taskOf  []int   // of the arms that there are now
	grown   [][]int // of each addition of arms: Growth.At
	rounds  []*round
	done    *PlanBody        // the last plan, when nothing is left to measure
	doneSeq int64            // its event
	items   map[string]*item // handed out, by id
	order   []*item          // the same, in the order in which they were handed out
	guides  []*measured      // that guide and, in tests, decide nothing, in order of their events
	amends  []amendment
	log     []LogLine
	sheets  map[sheetKey][]*measured // rows without ids, in the order in which they were told
	people  []string                 // who asked, in order
	events  int
	links   []link         // of all events
	aside   map[int64]bool // the same, by number
	// whether what was found may be otherwise since nothing was left to measure: the protocol changed,
	// or a result was corrected
	reopened bool
}

// round is one communication round as the laboratory sees it.
type round struct {
	plan       PlanBody
	seq        int64 // of its plan
	at         time.Time
	closed     int64 // the event that ended it; 0 while it is open
	reason     string
	early      bool   // it was closed because what was out was late
	generation int    // additions of arms before its plan
	list       []Slot // planned pulls in the order in which they are handed out

	filled  map[[2]int]bool     // by arm and number: handed out, or measured
	highest map[int]int         // by arm: the largest number given to a pull
	results map[int][]*measured // by arm
}

// nobodys reports whether a planned pull was neither handed out nor measured.
func (r *round) nobodys(slot Slot) bool { return !r.filled[[2]int{slot.Arm, slot.Number}] }

// item is a pull that was handed out.
type item struct {
	Item
	round    int
	by       string
	at       time.Time
	until    time.Time
	failed   string // the reason; "" where it did not
	replaced string // the id under which it was handed out again
	result   *measured
}

// measured is a result.
type measured struct {
	ResultRecord
	round int // 0 of attached ones
	by    string
	at    time.Time
	seq   int64
	sheet string
	late  bool
	old   []float64 // what it was before it was corrected
}

func (m *measured) count() int { return max(1, m.Count) }

// amendment is a change of the protocol.
type amendment struct {
	AmendBody
	seq int64
}

// LogLine is an event that somebody gave a reason for.
type LogLine struct {
	Seq    int64     `json:"seq"`
	Kind   Kind      `json:"kind"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`
	What   string    `json:"what"`
	Reason string    `json:"reason,omitempty"`
}

// NewState returns the state before the start.
func NewState() *State {
	return &State{aside: map[int64]bool{}, items: map[string]*item{}, sheets: map[sheetKey][]*measured{}, Capacity: -1}
}

// open returns the round that results are told of, nil without one.
func (s *State) open() *round {
	if len(s.rounds) == 0 {
		return nil
	}
	if r := s.rounds[len(s.rounds)-1]; r.closed == 0 {
		return r
	}
	return nil
}

// complete reports whether every arm has the pulls planned.
func (s *State) complete(r *round) bool { return s.awaited(r) == 0 }

// awaited returns how many pulls of a round are still to have a result.
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

// over returns the rounds that were ended.
func (s *State) over() []*round {
	return lists.Where(s.rounds, func(r *round) bool { return r.closed != 0 })
}

// whole returns them, and the open round where it has all its pulls.
func (s *State) whole() []*round {
	return lists.Where(s.rounds, func(r *round) bool { return r.closed != 0 || s.complete(r) })
}

// resultsOf yields the results of some rounds, arm by arm.
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

// measuredOf returns the pulls of an arm that have a result.
func (r *round) measuredOf(arm int) int {
	return lists.Sum(r.results[arm], (*measured).count)
}

// withdrawn reports whether an arm was taken out of the campaign.
func (s *State) withdrawn(arm int) bool {
	return slices.ContainsFunc(s.amends, func(a amendment) bool { return slices.Contains(a.WithdrawArms, arm) })
}

// Needed reports whether a plan must be made now: no round is open, or the open one is over.
func (s *State) Needed() bool {
	if s.Start.Led != "" {
		return false
	}
	if s.done != nil {
		return s.reopened
	}
	r := s.open()
	return r == nil || s.complete(r)
}

// Remaining returns the pulls of the open round that have no result, and whether the round is over.
func (s *State) Remaining() (round, remaining int, over bool) {
	r := s.open()
	if r == nil {
		return len(s.rounds), 0, true
	}
	remaining = s.awaited(r)
	return r.plan.Round, remaining, remaining == 0
}

// owed returns the pulls that somebody has and that have no result: his open list.
func (s *State) owed(by string) []*item {
	r := s.open()
	if r == nil {
		return nil
	}
	return s.itemsOf(by, r, (*item).outstanding)
}

// itemsOf returns the pulls of a person in a round for which is holds, in the order in which they were handed out.
func (s *State) itemsOf(by string, r *round, is func(*item) bool) []*item {
	return lists.Where(s.order, func(it *item) bool { return it.by == by && it.round == r.plan.Round && is(it) })
}

func (s *State) capacity(p Protocol) int {
	if s.Capacity >= 0 {
		return s.Capacity
	}
	return p.Capacity
}

// spent returns the pulls of all rounds that are over, N counts.
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

// upFrom returns the numbers now of the arms of after some additions.
func (s *State) upFrom(generation int) []int {
	var up []int
	for k, at := range s.grown[min(generation, len(s.grown)):] {
		if k == 0 {
			up = slices.Clone(at)
		} else {
			up = indices.Of(at, up)
		}
	}
	return up // nil where nothing was added since
}

// cameAfter reports whether an arm was added after a round was planned.
func (s *State) cameAfter(r *round, arm int) bool {
	up := s.upFrom(r.generation)
	return up != nil && !slices.Contains(up, arm)
}

// measured returns the pulls of the round that have a result.
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
// round is whole.
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
