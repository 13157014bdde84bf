package campaign

import (
	"slices"
	"time"
)

// State holds the facts of all events so far. It is read only once folded.
type State struct {
	Start    StartBody
	StartAt  time.Time
	Seq      int64  // of the last event
	Hash     string // of the last event
	At       time.Time
	Revision int // of the program that the campaign goes on with
	Capacity int // in force; -1 where it was not amended

	taskOf  []int   // of the arms that there are now
	grown   [][]int // of each addition of arms: Growth.At
	rounds  []*round
	done    *PlanBody        // the last plan, when nothing is left to measure
	doneSeq int64            // its event
	items   map[string]*item // handed out, by id
	order   []string         // the ids, in the order in which they were handed out
	guides  []guide          // in order of their events
	amends  []amendment
	log     []LogLine
	seen    map[string]string        // SHA-256 of sheets that were told whole, by name
	sheets  map[sheetKey][]*measured // rows without ids, in the order in which they were told
	people  []string                 // who asked, in order
	events  int
	links   []link         // of all events
	aside   map[int64]bool // events that repairs set aside
	repairs []Aside        // the same, with why
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

	filled  map[[2]int]*filling // by arm and number: handed out, or measured
	highest map[int]int         // by arm: the largest number given to a pull
	results map[int][]*measured // by arm
	free    []string            // ids that failed and were not handed out again
}

// filling says what became of a pull.
type filling struct {
	id   string
	told *measured
}

// item is a pull that was handed out.
type item struct {
	Item
	round    int
	by       string
	at       time.Time
	until    time.Time
	failed   string // the reason; "" where it did not
	replaced string // the id under which it was handed out again
	told     *measured
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

// guide is a measurement that guides and, in tests, decides nothing.
type guide struct {
	*measured
	seq int64
}

// amendment is a change of the protocol.
type amendment struct {
	AmendBody
	seq int64
	at  time.Time
	by  string
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
	return &State{aside: map[int64]bool{}, items: map[string]*item{}, sheets: map[sheetKey][]*measured{}, seen: map[string]string{}, Capacity: -1}
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
func (s *State) complete(r *round) bool {
	for i, n := range r.plan.Counts {
		if r.measuredOf(i) < n && !s.withdrawn(i) {
			return false
		}
	}
	return true
}

// measuredOf returns the pulls of an arm that have a result.
func (r *round) measuredOf(arm int) int {
	n := 0
	for _, m := range r.results[arm] {
		n += m.count()
	}
	return n
}

// withdrawn reports whether an arm was taken out of the campaign.
func (s *State) withdrawn(arm int) bool {
	for _, a := range s.amends {
		if slices.Contains(a.WithdrawArms, arm) {
			return true
		}
	}
	return false
}
