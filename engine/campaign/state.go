package campaign

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// State is what the events so far amount to. It is read only once folded.
type State struct {
	Start    StartBody
	StartAt  time.Time
	Seq      int64  // of the last event
	Hash     string // of the last event
	At       time.Time
	Revision int // of the program that the campaign goes on with
	Capacity int // in force; -1 where it was not amended

	rounds []*round
	done   *PlanBody        // the last plan, when nothing is left to measure
	items  map[string]*item // handed out, by id
	order  []string         // the ids, in the order in which they were handed out
	guides []guide          // in order of their events
	amends []amendment
	log    []LogLine
	seen   map[string]string // SHA-256 of sheets that were told whole, by name
	sheets map[string][]*measured
	people []string // who asked, in order
	events int
	// whether what was found may be otherwise since nothing was left to measure: the protocol changed,
	// or a result was corrected
	reopened bool
}

// round is one communication round as the laboratory sees it.
type round struct {
	plan   PlanBody
	seq    int64 // of its plan
	at     time.Time
	closed int64 // the event that ended it; 0 while it is open
	reason string
	early  bool   // it was closed because what was out was late
	list   []Slot // planned pulls in the order in which they are handed out

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
	return &State{items: map[string]*item{}, sheets: map[string][]*measured{}, seen: map[string]string{}, Capacity: -1}
}

// Fold returns the state after some events, of a problem whose arms have these tasks. It reports an
// event that does not fit those before it; hashes are not looked at, see CheckChain.
func Fold(events []Event, taskOf []int) (*State, error) {
	s := NewState()
	return s, s.Add(events, taskOf)
}

// Add takes further events in.
func (s *State) Add(events []Event, taskOf []int) error {
	for _, e := range events {
		if err := s.add(e, taskOf); err != nil {
			return fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
		}
		s.Seq, s.Hash, s.At = e.Seq, e.Hash, e.At
	}
	return nil
}

// add takes one event in.
func (s *State) add(e Event, taskOf []int) error {
	s.events++
	if (e.Kind == KindStart) != (s.events == 1) {
		return fmt.Errorf("a campaign has one start, and it comes first")
	}
	switch e.Kind {
	case KindStart:
		s.StartAt = e.At
		err := body(e, &s.Start)
		s.Revision = s.Start.Revision
		return err
	case KindPlan:
		return s.addPlan(e, taskOf)
	case KindAsk:
		return s.addAsk(e)
	case KindTell, KindLate, KindAttach:
		return s.addResults(e)
	case KindFail:
		return s.addFail(e)
	case KindCorrect:
		return s.addCorrect(e)
	case KindClose:
		return s.addClose(e)
	case KindAmend:
		return s.addAmend(e)
	case KindUpgrade:
		var b UpgradeBody
		err := body(e, &b)
		s.Revision = b.To
		s.note(e, fmt.Sprintf("revision %d of the decisions in place of %d", b.To, b.From), "")
		return err
	case KindNote:
		var b NoteBody
		err := body(e, &b)
		s.note(e, b.Text, "")
		return err
	}
	return fmt.Errorf("this program knows no events of this kind; a later version wrote it")
}

// body reads the body of an event.
func body(e Event, into any) error {
	if err := json.Unmarshal(e.Body, into); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	return nil
}

func (s *State) note(e Event, what, reason string) {
	s.log = append(s.log, LogLine{Seq: e.Seq, Kind: e.Kind, At: e.At, By: e.By, What: what, Reason: reason})
}

func (s *State) addPlan(e Event, taskOf []int) error {
	var b PlanBody
	if err := body(e, &b); err != nil {
		return err
	}
	if r := s.open(); r != nil {
		if !s.complete(r) {
			return fmt.Errorf("round %d was not over", r.plan.Round)
		}
		r.closed = e.Seq
	}
	s.done, s.reopened = nil, false
	if b.Done {
		s.done = &b
		return nil
	}
	if len(b.Counts) != len(taskOf) || b.Round != len(s.rounds)+1 {
		return fmt.Errorf("round %d with %d arms, where round %d with %d arms must come", b.Round, len(b.Counts), len(s.rounds)+1, len(taskOf))
	}
	r := &round{plan: b, seq: e.Seq, at: e.At, filled: map[[2]int]*filling{}, highest: map[int]int{}, results: map[int][]*measured{}}
	r.list = worklist(b.Counts, taskOf, b.Plate, b.Seed)
	for i, n := range b.Counts {
		r.highest[i] = n
	}
	s.rounds = append(s.rounds, r)
	return nil
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

func (s *State) addAsk(e Event) error {
	var b AskBody
	if err := body(e, &b); err != nil {
		return err
	}
	r := s.open()
	if r == nil || r.plan.Round != b.Round {
		return fmt.Errorf("round %d is not open", b.Round)
	}
	for _, x := range b.Items {
		if s.items[x.ID] != nil {
			return fmt.Errorf("id %s was issued twice", x.ID)
		}
		if r.filled[[2]int{x.Arm, x.Number}] != nil {
			return fmt.Errorf("pull %d of arm %d was handed out twice", x.Number, x.Arm)
		}
		s.items[x.ID] = &item{Item: x, round: b.Round, by: e.By, at: e.At, until: b.Until}
		s.order = append(s.order, x.ID)
		if x.Again != "" {
			old := s.items[x.Again]
			if old == nil {
				return fmt.Errorf("id %s replaces %s, which was never issued", x.ID, x.Again)
			}
			old.replaced = x.ID
		}
		r.filled[[2]int{x.Arm, x.Number}] = &filling{id: x.ID}
		r.highest[x.Arm] = max(r.highest[x.Arm], x.Number)
	}
	if !slices.Contains(s.people, e.By) {
		s.people = append(s.people, e.By)
	}
	return nil
}

func (s *State) addResults(e Event) error {
	var b TellBody
	if err := body(e, &b); err != nil {
		return err
	}
	for _, x := range b.Results {
		m := &measured{ResultRecord: x, by: e.By, at: e.At, seq: e.Seq, sheet: b.Sheet, late: e.Kind == KindLate}
		if x.Sure != "" {
			s.note(e, fmt.Sprintf("%s confirmed as %g", cmpName(x), x.Reward), x.Sure)
		}
		if x.ID == "" {
			s.sheets[sheetKey(e.Kind, b.Sheet)] = append(s.sheets[sheetKey(e.Kind, b.Sheet)], m)
		}
		if x.ID != "" || len(x.Fills) > 0 {
			for _, id := range append([]string{x.ID}, x.Fills...) {
				if id == "" {
					continue
				}
				it := s.items[id]
				if it == nil {
					return fmt.Errorf("id %s was never issued", id)
				}
				it.told = m
				m.round = it.round
			}
		}
		if e.Kind != KindTell {
			s.guides = append(s.guides, guide{m, e.Seq})
			continue
		}
		r := s.open()
		if r == nil || m.round != 0 && m.round != r.plan.Round {
			return fmt.Errorf("a result of a round that is over")
		}
		m.round = r.plan.Round
		r.results[x.Arm] = append(r.results[x.Arm], m)
		for _, n := range append([]int{x.Number}, x.Slots...) {
			if f := r.filled[[2]int{x.Arm, n}]; f != nil {
				f.told = m
			} else {
				r.filled[[2]int{x.Arm, n}] = &filling{told: m}
			}
			r.highest[x.Arm] = max(r.highest[x.Arm], n)
		}
	}
	if b.SHA256 != "" {
		s.seen[b.Sheet] = b.SHA256
	}
	return nil
}

// sheetKey tells the rows of one sheet that have no ids from those of others.
func sheetKey(k Kind, sheet string) string {
	if k == KindAttach {
		return "attached " + sheet
	}
	return "told " + sheet
}

func cmpName(x ResultRecord) string {
	if x.ID != "" {
		return x.ID
	}
	return fmt.Sprintf("pull %d of arm %d", x.Number, x.Arm)
}

func (s *State) addFail(e Event) error {
	var b FailBody
	if err := body(e, &b); err != nil {
		return err
	}
	for _, id := range b.IDs {
		it := s.items[id]
		if it == nil || it.told != nil {
			return fmt.Errorf("id %s was never issued, or has a result", id)
		}
		it.failed = b.Reason
		if r := s.open(); r != nil && it.round == r.plan.Round {
			r.free = append(r.free, id)
		}
	}
	s.note(e, fmt.Sprintf("%s without result: %s", pulls(len(b.IDs)), joined(b.IDs, 8)), b.Reason)
	return nil
}

func (s *State) addCorrect(e Event) error {
	var b CorrectBody
	if err := body(e, &b); err != nil {
		return err
	}
	it := s.items[b.ID]
	if it == nil || it.told == nil {
		return fmt.Errorf("id %s has no result", b.ID)
	}
	it.told.old = append(it.told.old, it.told.Reward)
	it.told.Reward = b.Reward
	s.reopened = s.done != nil
	s.note(e, fmt.Sprintf("%s corrected from %g to %g", b.ID, b.Old, b.Reward), b.Reason)
	return nil
}

func (s *State) addClose(e Event) error {
	var b CloseBody
	if err := body(e, &b); err != nil {
		return err
	}
	r := s.open()
	if r == nil || r.plan.Round != b.Round {
		return fmt.Errorf("round %d is not open", b.Round)
	}
	r.closed, r.reason, r.early = e.Seq, b.Reason, b.Early
	if b.Early {
		return nil // it happens nearly every day, and nobody has chosen it
	}
	s.note(e, fmt.Sprintf("round %d closed with %s lost", b.Round, pulls(b.Lost)), b.Reason)
	return nil
}

func (s *State) addAmend(e Event) error {
	var b AmendBody
	if err := body(e, &b); err != nil {
		return err
	}
	if b.Capacity != nil {
		s.Capacity = *b.Capacity
	}
	s.reopened = s.done != nil
	s.amends = append(s.amends, amendment{b, e.Seq, e.At, e.By})
	s.note(e, b.String(), b.Reason)
	return nil
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

// pulls returns a number of pulls in words.
func pulls(n int) string {
	if n == 1 {
		return "1 pull"
	}
	return fmt.Sprintf("%d pulls", n)
}

// joined lists the first of some words, and how many more there are.
func joined(words []string, most int) string {
	out := ""
	for i, w := range words {
		if i == most {
			return out + fmt.Sprintf(" and %d more", len(words)-most)
		}
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}
