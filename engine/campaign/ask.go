package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Request is a person's request for pulls to measure.
type Request struct {
	By    string // name of the person who asks, as typed; "" for a person without a name
	Task  string // hand out only pulls of this task; "" means any
	Count int    // most pulls; 0 means the capacity of a unit of time, else one plate, else the whole round
	More  bool   // hand out further pulls although the asker's present list is not yet recorded
	Retry bool   // also hand out pulls of arms that are given up after repeated failures
}

// List is a list of pulls for the laboratory.
type List struct {
	Campaign string    `json:"campaign"`
	By       string    `json:"by"`                      // person who has the list
	Round    int       `json:"round"`                   // round of the pulls; 0 if the campaign needs no more pulls
	Until    time.Time `json:"until,omitzero"`          // end of the lease: pulls without a result may then be handed out again
	Again    bool      `json:"again"`                   // the list was handed out before, and its results are not recorded yet
	Columns  []string  `json:"columns,omitempty"`       // names of the features in ListRow.X; empty if arms have none
	Blocks   []string  `json:"block_columns,omitempty"` // columns to fill in that name the block of a pull, as in the problem's table
	Rows     []ListRow `json:"rows"`                    // in the order to measure; if empty, Note gives the reason
	Note     Note      `json:"note,omitzero"`           // why there are no rows
	// format of the file that holds the list: that of the problem's table
	Dialect problem.Dialect `json:"dialect,omitzero"`
	// the last event when the list was made, see State.Chain
	Chain string        `json:"chain,omitempty"`
	Words problem.Words `json:"-"` // words of the problem for sentences
}

// ListRow is one pull of a List.
type ListRow struct {
	ID       string    `json:"id"` // a row of results names its pull by it
	Round    int       `json:"round"`
	Plate    int       `json:"plate,omitempty"`    // from 1; 0 without plates
	Position int       `json:"position,omitempty"` // position on the plate, from 1
	Block    int       `json:"block,omitempty"`    // pulls of one block are measured together; 0 without blocks
	Task     string    `json:"task"`
	Arm      string    `json:"arm"`
	X        []float64 `json:"x,omitempty"` // features of the arm, in the order of List.Columns
	// settings of the arm as the table has them: text of categories, otherwise numbers
	Settings []string `json:"settings,omitempty"`
	Reward   *float64 `json:"reward,omitempty"` // the recorded result, with the sign of the data; nil without one
	Status   string   `json:"status,omitempty"` // "known" if the pull has its result; otherwise ""
	Note     string   `json:"note,omitempty"`   // who recorded the result; set by Mine
	// probability that the measurement gives a value; nil if no measurement failed, or all
	Works *float64 `json:"works_probability,omitempty"`

	arm int // number of the arm
}

// item is a pull that was handed out. It awaits its result until the result is recorded, or the pull fails or is replaced.
// A replaced pull may still get a result or fail later. Its result then counts in addition to that of its replacement.
type item struct {
	Item
	round    int       // from 1
	by       string    // who asked for the pull; others may record its result
	at       time.Time // when it was handed out
	until    time.Time // end of its lease; zero if it never ends
	failed   string    // the reason of the failure; "" if it did not fail
	replaced string    // the id under which the pull was handed out again; "" if it was not
	result   *measured // its result, in time or late; nil without one. Items recorded as one mean share it
}

// outstanding reports whether a result is still expected under this id. It is false for a failed or replaced pull,
// although its result may still arrive.
func (it *item) outstanding() bool { return it.result == nil && it.failed == "" && it.replaced == "" }

// overdue reports whether the pull is outstanding and its lease has ended. No event records the end of a lease: it depends
// on the reader's clock.
func (it *item) overdue(now time.Time) bool {
	return it.outstanding() && !it.until.IsZero() && now.After(it.until)
}

// handed is the part of a State about pulls that were handed out.
type handed struct {
	items  map[string]*item // by id: pulls of all rounds, including failed and replaced ones
	order  []*item          // the same items, in the order in which they were handed out
	people []string         // names of all who asked, each once, in order of their first request; "" may be among them
}

// itemsOf returns the pulls of a person in a round that satisfy the predicate, in the order in which they were handed out.
func (h *handed) itemsOf(by string, r *round, is func(*item) bool) []*item {
	return lists.Where(h.order, func(it *item) bool { return it.by == by && it.round == r.plan.Round && is(it) })
}

// Ask answers a request. It returns the asker's present list if results of the list are not recorded yet. Otherwise it
// returns further pulls, and the event that hands them out. A list without rows states the reason in Note.
//
// The caller holds the lock, and records the event before it shows the list: otherwise the same pulls could be handed out
// twice.
//
// Ask returns an error if the task does not exist. It also returns an error if no round is open although tasks are
// undecided: the caller must plan the next round first.
func (s Moment) Ask(q Request) (_ List, _ []Event, err error) {
	defer try.Caught(&err)
	if q.Task != "" {
		try.Of(taskNamed(s.Problem, q.Task))
	}
	q.By = s.person(q.By)
	// a person who asks twice, for example after a failed print, gets the same pulls; if one of these is overdue, the
	// asker gets further pulls
	if mine := s.owed(q.By); !q.More && len(mine) > 0 && !slices.ContainsFunc(mine, func(it *item) bool { return it.overdue(s.Now) }) {
		list := s.list(q.By, mine)
		list.Again = true
		return list, nil, nil
	}
	// if all is decided or the budget is spent, the note states how the campaign ended
	if s.done != nil {
		note := Note{Kind: NoteDecided}
		if decided, all := len(s.done.Decided), s.Problem.V(); decided < all {
			note = Note{Kind: NoteEnded, Names: []string{engine.Status(s.done.Status).Words()}, Numbers: []float64{float64(decided), float64(all)}}
		}
		return s.nothing(q.By, 0, note), nil, nil
	}
	// ids and positions are drawn here, and the event records them
	body := try.Of(s.ask(q))
	if len(body.Items) == 0 {
		note := s.waiting()
		if q.Task != "" {
			all := q
			all.Task = ""
			if rest, err := s.ask(all); err == nil && len(rest.Items) > 0 {
				note = Note{Kind: NoteOtherTasks, Names: []string{q.Task}, Numbers: []float64{float64(body.Round)}}
			}
		}
		return s.nothing(q.By, body.Round, note), nil, nil
	}
	items := lists.Map(body.Items, func(x Item) *item { return &item{Item: x, round: body.Round, by: q.By, until: body.Until} })
	return s.list(q.By, items), []Event{NewEvent(KindAsk, s.Now, q.By, body)}, nil
}

// ask returns the pulls to hand out now, at most the requested number. Failed and overdue pulls come first, and then the
// round's own pulls in the order of its list. If no pull is left, Items is empty. It does not change the state.
func (s Moment) ask(q Request) (AskBody, error) {
	r := s.open()
	if r == nil {
		return AskBody{}, fmt.Errorf("no round is open")
	}
	task := s.Problem.TaskNamed(q.Task)
	asked := func(slot Slot) bool { return task < 0 || s.Problem.TaskOf[slot.Arm] == task }
	out := AskBody{Round: r.plan.Round, Until: s.until(s.Now)}
	need := s.needed(r)
	if !q.Retry && r.plan.Sides == nil { // blocks stay whole
		for i, up := range s.givenUp() {
			if up {
				need[i] = 0
			}
		}
	}
	taken := map[string]bool{}
	rng := newIDs()
	// the requested number, otherwise the capacity of a unit of time, otherwise a plate, otherwise the whole round
	count := cmp.Or(max(0, q.Count), s.capacity(s.Protocol), s.Plate, len(r.list))
	// give adds a pull to the list, unless the list is full, the arm needs no further pull, or the pull is of another task
	give := func(slot Slot, again string) {
		if len(out.Items) >= count || need[slot.Arm] <= 0 || !asked(slot) {
			return
		}
		need[slot.Arm]--
		id := NewID(rng, func(id string) bool { return s.items[id] != nil || taken[id] })
		taken[id] = true
		out.Items = append(out.Items, Item{ID: id, Slot: slot, Again: again})
	}
	// Failed and overdue pulls are handed out again under new numbers. The result of an overdue pull may still arrive, and
	// both results then count. These pulls come first, to end the round soon. Rounds of blocks do not repeat pulls.
	next := map[int]int{}
	for _, it := range s.order {
		failed := it.failed != "" && it.replaced == "" && it.round == r.plan.Round && it.result == nil
		if r.plan.Sides != nil || it.round != r.plan.Round || !(failed || it.overdue(s.Now)) {
			continue
		}
		slot := it.Slot
		slot.Plate, slot.Position = 0, 0
		slot.Number = r.highest[slot.Arm] + next[slot.Arm] + 1
		// if give adds no pull, the number stays free
		before := len(out.Items)
		if give(slot, it.ID); len(out.Items) > before {
			next[slot.Arm]++
		}
	}
	if r.plan.Sides != nil {
		// at least one block is handed out, even if it has more pulls than requested
		open := r.wholeBlocks(count, asked)
		count = len(open)
		for _, slot := range open {
			give(slot, "")
		}
		return out, nil
	}
	for _, slot := range lists.Where(r.list, r.nobodys) {
		give(slot, "")
	}
	s.seat(r, out.Items)
	return out, nil
}

// seat places repeated pulls on plates after the last plate of the round's own pulls. Free positions on that last plate
// stay free.
func (s Moment) seat(r *round, items []Item) {
	if r.plan.Plate == 0 {
		return
	}
	// the last plate of the round, and the number of positions after it that earlier requests took
	last, used := 0, lists.Count(s.order, func(it *item) bool { return it.round == r.plan.Round && it.Again != "" })
	if n := len(r.list); n > 0 {
		last = r.list[n-1].Plate
	}
	for i := range items {
		if items[i].Again != "" {
			items[i].Plate, items[i].Position = last+1+used/r.plan.Plate, used%r.plan.Plate+1
			used++
		}
	}
}

// needed returns, by arm, the number of pulls of the round that are not assigned to a person. Overdue pulls count as not
// assigned. A number is negative if an overdue pull got a result after its replacement was handed out.
func (s Moment) needed(r *round) []int {
	_, need := s.pulls(r)
	for _, it := range s.items {
		if it.round == r.plan.Round && it.outstanding() && !it.overdue(s.Now) {
			need[it.Arm]--
		}
	}
	return need
}

// list returns a list with the given pulls of one round as rows, in their order. Round and Until are those of the last
// pull.
func (s Moment) list(by string, items []*item) List {
	out := List{Campaign: s.Start.Name, By: by, Columns: s.Problem.Arms.Columns, Dialect: s.Problem.DialectOf(),
		Blocks: blockColumns(s.Problem), Words: s.Problem.Words()}
	works := s.working().works
	for _, it := range items {
		out.Round, out.Until = it.round, it.until
		names, x := s.Problem.NamesOf(it.Arm), s.features(it.Arm)
		row := ListRow{ID: it.ID, Round: it.round, Plate: it.Plate, Position: it.Position, Block: it.Block, Task: names[0], Arm: names[1],
			X: x, Settings: s.settings(it.Arm), arm: it.Arm}
		if works != nil {
			row.Works = &works[it.Arm]
		}
		if it.result != nil {
			reward := it.result.Reward
			row.Reward, row.Status = &reward, "known"
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// nothing returns a list without pulls whose Note is why. A file of the list has the same header as other lists.
func (s Moment) nothing(by string, round int, why Note) List {
	out := s.list(by, nil)
	out.Round, out.Note = round, why
	return out
}

// waiting returns a note that states why the open round has no pull to hand out. The note names the people with
// outstanding pulls; otherwise it names arms that are given up.
func (s Moment) waiting() Note {
	r := s.open()
	owed := map[string]int{}
	for _, it := range s.items {
		if it.round == r.plan.Round && it.outstanding() {
			owed[it.by]++
		}
	}
	n := noteOf(NoteHandedOut, r.plan.Round)
	for _, by := range s.people {
		if owed[by] > 0 {
			n.Names, n.Numbers = append(n.Names, by), append(n.Numbers, float64(owed[by]))
		}
	}
	if len(n.Names) > 0 {
		return n
	}
	if n = s.failedNote(NoteRequired, false); n.Kind == "" {
		n.Kind = NoteNoPulls
	} else if !s.withdraws() || !s.posterior() && s.givenUpMeasured() {
		n.Kind = NoteFixed
	}
	return n
}

// someone returns the name of a person for a sentence; a phrase if the name is "".
func someone(by string) string {
	if by == "" {
		return "a person without a name (--by)"
	}
	return by
}

// Mine returns this person's pulls of the open round that have a result or await one. A row with a result has the reward
// and the name of the person who recorded it. Without an open round the list is empty.
func (s Moment) Mine(by string) List {
	by = s.person(by)
	r := s.open()
	if r == nil {
		return List{Campaign: s.Start.Name, By: by}
	}
	own := s.itemsOf(by, r, func(it *item) bool { return it.result != nil || it.outstanding() })
	out := s.list(by, own)
	out.Round = r.plan.Round
	for i, it := range own {
		if it.result != nil {
			out.Rows[i].Note = someone(it.result.by)
		}
	}
	return out
}

// lateAfter is the part of a unit of time after which an outstanding result counts as late. It is less than a whole unit,
// because people do not ask at the same minute every day.
const lateAfter = 0.5

// endsEarly reports whether a round that was cut to the capacity may end with the results so far. This needs three things:
// every pull was handed out, some result has come, and the outstanding pulls were handed out more than lateAfter units of
// time ago. Pulls of withdrawn arms need not be handed out. Values of rewards play no role, and so cannot select the
// results of a round.
//
// A posterior uses late results fully, and plans failed pulls again if they are still useful. A test needs the round that
// it planned, and so rounds of tests are never cut and never end early.
func (s Moment) endsEarly(r *round) bool {
	q := s.Protocol
	q.Capacity = s.capacity(s.Protocol)
	return q.Cuts() && !s.complete(r) && len(r.results) > 0 &&
		!slices.ContainsFunc(r.list, func(x Slot) bool { return r.nobodys(x) && !s.withdrawn(x.Arm) }) &&
		!slices.ContainsFunc(s.order, func(it *item) bool {
			return it.round == r.plan.Round && it.outstanding() && s.Now.Sub(it.at) <= s.length(lateAfter)
		})
}

// failing reports whether all missing results of a round are of arms that are given up.
func (s Moment) failing(r *round) bool {
	up := s.givenUp()
	if !slices.Contains(up, true) {
		return false
	}
	_, missing := s.pulls(r)
	for i, n := range missing {
		if n > 0 && !up[i] {
			return false
		}
	}
	out := func(it *item) bool { return it.round == r.plan.Round && it.outstanding() }
	return !s.complete(r) && !slices.ContainsFunc(s.order, out)
}

// CloseEarly returns the event that ends the open round with the results so far, if a request can otherwise only wait. It
// waits for late results (endsEarly), or for arms that give no results (failing). If only the latter are left, the event
// withdraws them (leaveOut). CloseEarly returns nil if the asker still owes results of an earlier list. The folder calls it
// before Ask, and plans the next round between the two calls.
func (s Moment) CloseEarly(q Request) []Event {
	q.By = s.person(q.By)
	r := s.open()
	if s.Start.Led != "" || s.done != nil || r == nil || !q.More && len(s.owed(q.By)) > 0 {
		return nil
	}
	_, missing := s.pulls(r)
	b := CloseBody{Round: r.plan.Round, Lost: lists.Total(missing), Early: true, Reason: "all its pulls were handed out, and those without " +
		"a result are late"}
	switch {
	case s.endsEarly(r):
	case q.Retry || !s.continues() || !s.failing(r):
		return nil
	case len(r.results) == 0 && s.Mode == engine.ModeFC:
		return s.leaveOut(r, q.By)
	default:
		b.Early, b.Reason = false, "the missing pulls were tried again and gave no result"
	}
	return []Event{NewEvent(KindClose, s.Now, q.By, b)}
}

// AskBody hands out pulls of one round to one person.
type AskBody struct {
	Round int       `json:"round"`          // the open round
	Items []Item    `json:"items"`          // in the order of the list
	Until time.Time `json:"until,omitzero"` // end of the lease: pulls may then be handed out again; zero if it never ends
}

// Item is a pull that was handed out under an id.
type Item struct {
	ID string `json:"id"` // in the form of NewID
	Slot
	Again string `json:"again,omitempty"` // the id of the failed or overdue pull that this one replaces; "" for none
}

// fold assigns the pulls to the asker. It returns an error if an id was issued before, or if the same pull (arm and
// number) was handed out before in the round. If two programs hand out pulls at once, the second event is therefore not
// recorded.
func (b *AskBody) fold(s *State, e Event) error {
	r := s.open()
	if r == nil || r.plan.Round != b.Round {
		return fmt.Errorf("round %d is not open", b.Round)
	}
	for _, x := range b.Items {
		if s.items[x.ID] != nil {
			return fmt.Errorf("id %s was issued twice", x.ID)
		}
		if r.filled[[2]int{x.Arm, x.Number}] {
			return fmt.Errorf("pull %d of arm %d was handed out twice", x.Number, x.Arm)
		}
		it := &item{Item: x, round: b.Round, by: e.By, at: e.At, until: b.Until}
		s.items[x.ID], s.order = it, append(s.order, it)
		if x.Again != "" {
			old := s.items[x.Again]
			if old == nil {
				return fmt.Errorf("id %s replaces %s, which was never issued", x.ID, x.Again)
			}
			// the old id is no longer outstanding
			old.replaced = x.ID
		}
		r.filled[[2]int{x.Arm, x.Number}] = true
		r.highest[x.Arm] = max(r.highest[x.Arm], x.Number)
	}
	s.people = lists.Add(s.people, e.By)
	return nil
}
