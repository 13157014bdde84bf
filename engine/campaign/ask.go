package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Request asks for pulls to measure.
type Request struct {
	By    string // who asks, as typed; "" is a person, too
	Task  string // only pulls of this task; "" means any
	Count int    // 0 means the capacity of a unit of time, without one a plate, without one the round
	More  bool   // further pulls, though the asker has a list that is not recorded yet
	Retry bool   // also pulls of arms that gave no result so far, however often they were tried
}

// List is a list of pulls for the laboratory.
type List struct {
	Campaign string    `json:"campaign"`
	By       string    `json:"by"`                      // whose list it is
	Round    int       `json:"round"`                   // round of the pulls; 0 if the campaign asks for no further pulls
	Until    time.Time `json:"until,omitzero"`          // when what has no result may be handed out again
	Again    bool      `json:"again"`                   // the same list as before, because its results are not recorded yet
	Columns  []string  `json:"columns,omitempty"`       // of the features of arms, in the order of ListRow.X; empty if arms have none
	Blocks   []string  `json:"block_columns,omitempty"` // to be filled in: what is measured together, as the table of the problem has it
	Rows     []ListRow `json:"rows"`                    // in the order in which they are to be measured; none if Note says why
	Note     Note      `json:"note,omitzero"`           // why it is empty
	// how a file of it is written: as the table that the problem was read from
	Dialect problem.Dialect `json:"dialect,omitzero"`
	// the events that the list rests on, see State.Chain
	Chain string        `json:"chain,omitempty"`
	Words problem.Words `json:"-"` // of the problem
}

// ListRow is one pull of a List.
type ListRow struct {
	ID       string    `json:"id"` // a row of results names its pull by it
	Round    int       `json:"round"`
	Plate    int       `json:"plate,omitempty"`    // from 1; 0 without plates
	Position int       `json:"position,omitempty"` // on the plate, from 1
	Block    int       `json:"block,omitempty"`    // pulls of one block are measured together
	Task     string    `json:"task"`
	Arm      string    `json:"arm"`
	X        []float64 `json:"x,omitempty"` // features of the arm, in the order of List.Columns
	// the same as the table has them: text of categories, else numbers
	Settings []string `json:"settings,omitempty"`
	Reward   *float64 `json:"reward,omitempty"` // its result, with the sign of the data; nil without one
	Status   string   `json:"status,omitempty"` // "known" of a pull that has its result
	Note     string   `json:"note,omitempty"`   // who recorded the result, in Mine

	arm int // its number, by which tests measure a list
}

// item is a pull that was handed out. It awaits its result until the result is recorded, or the pull fails or is
// replaced. A replaced pull may still get a result or fail afterwards: its result counts beside the one of its
// replacement.
type item struct {
	Item
	round    int       // from 1
	by       string    // who asked for it; others may record its result
	at       time.Time // when it was handed out
	until    time.Time // the end of its lease; zero is never
	failed   string    // the reason; "" if it did not
	replaced string    // the id under which it was handed out again
	result   *measured // its result, in time or late; nil without one. Items that one mean is of share it
}

// outstanding reports whether a result is still awaited under this id. A failed or replaced pull awaits none, though one may come.
func (it *item) outstanding() bool { return it.result == nil && it.failed == "" && it.replaced == "" }

// overdue reports whether the lease is over. No event records this: it depends on the clock of the reader.
func (it *item) overdue(now time.Time) bool {
	return it.outstanding() && !it.until.IsZero() && now.After(it.until)
}

// handed records, in a State, the pulls that were handed out.
type handed struct {
	items  map[string]*item // by id: of all rounds, failed and replaced ones too
	order  []*item          // the same, in the order in which they were handed out
	people []string         // who asked, in order, each once; "" may be one of them
}

// itemsOf returns the pulls of a person in a round for which is holds, in the order in which they were handed out.
func (h *handed) itemsOf(by string, r *round, is func(*item) bool) []*item {
	return lists.Where(h.order, func(it *item) bool { return it.by == by && it.round == r.plan.Round && is(it) })
}

// Ask answers a request: with the asker's list if its results are not recorded yet, or with further pulls and the event
// that hands them out. A list without rows says why. The caller holds the lock, and records the event before it shows
// the list: pulls that were shown and not recorded would be handed out to others, too.
//
// It is an error if no task has the name, and if no round is open although not all is decided: the next plan is due
// first.
func (s Moment) Ask(q Request) (List, []Event, error) {
	if q.Task != "" {
		if _, err := taskNamed(s.Problem, q.Task); err != nil {
			return List{}, nil, err
		}
	}
	q.By = s.person(q.By)
	// a person who asks twice, as after a print that failed, gets the same pulls; if one of them is overdue the asker
	// gets further ones
	if mine := s.owed(q.By); !q.More && len(mine) > 0 && !slices.ContainsFunc(mine, func(it *item) bool { return it.overdue(s.Now) }) {
		list := s.list(q.By, mine)
		list.Again = true
		return list, nil, nil
	}
	// with all decided, or the budget spent, the status states how it ended
	if s.done != nil {
		note := Note{Kind: NoteDecided}
		if decided, all := len(s.done.Decided), s.Problem.V(); decided < all {
			note = Note{Kind: NoteEnded, Names: []string{engine.Status(s.done.Status).Words()}, Numbers: []float64{float64(decided), float64(all)}}
		}
		return s.nothing(q.By, 0, note), nil, nil
	}
	// ids and places are drawn here, and become facts with the event
	body, err := s.ask(q)
	if err != nil {
		return List{}, nil, err
	}
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

// ask returns the pulls to hand out now, at most as many as requested: first those that come back, then the round's own in
// the order of its list. If nothing is left it has no items. It changes nothing of the state.
func (s Moment) ask(q Request) (AskBody, error) {
	r := s.open()
	if r == nil {
		return AskBody{}, fmt.Errorf("no round is open")
	}
	task := s.Problem.TaskNamed(q.Task)
	asked := func(slot Slot) bool { return task < 0 || s.Problem.TaskOf[slot.Arm] == task }
	out := AskBody{Round: r.plan.Round, Until: s.until(s.Now)}
	need := s.needed(r)
	if !q.Retry {
		for i, up := range s.givenUp() {
			if up {
				need[i] = 0
			}
		}
	}
	taken := map[string]bool{}
	rng := newIDs()
	// the requested number, else the capacity of a unit of time, else a plate, else all
	count := cmp.Or(max(0, q.Count), s.capacity(s.Protocol), s.Plate, len(r.list))
	// give hands a pull out, unless the list is full, or the arm needs no further pull, or it is of another task
	give := func(slot Slot, again string) {
		if len(out.Items) >= count || need[slot.Arm] <= 0 || !asked(slot) {
			return
		}
		need[slot.Arm]--
		id := NewID(rng, func(id string) bool { return s.items[id] != nil || taken[id] })
		taken[id] = true
		out.Items = append(out.Items, Item{ID: id, Slot: slot, Again: again})
	}
	// Pulls that come back, failed or overdue, get numbers of their own: the result of an overdue pull may still come, and then
	// both count under different numbers. They come first, so that the round ends soon. In rounds of blocks none come back.
	next := map[int]int{}
	for _, it := range s.order {
		failed := it.failed != "" && it.replaced == "" && it.round == r.plan.Round && it.result == nil
		if r.plan.Sides != nil || it.round != r.plan.Round || !(failed || it.overdue(s.Now)) {
			continue
		}
		slot := it.Slot
		slot.Plate, slot.Position = 0, 0
		slot.Number = r.highest[slot.Arm] + next[slot.Arm] + 1
		// give may have refused, and then the number is not used up
		before := len(out.Items)
		if give(slot, it.ID); len(out.Items) > before {
			next[slot.Arm]++
		}
	}
	if r.plan.Sides != nil {
		// one block at least is handed out, though it has more pulls than were asked for
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

// seat gives pulls that came back places on plates behind the round's own. Places of the last plate that are free stay so.
func (s Moment) seat(r *round, items []Item) {
	if r.plan.Plate == 0 {
		return
	}
	// the last plate of the round, and how many places behind it earlier requests took
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

// needed returns by arm how many pulls of the round are not assigned. Overdue pulls are not assigned. A number is below
// 0 if a result came for an overdue pull after its replacement was handed out.
func (s Moment) needed(r *round) []int {
	_, need := s.pulls(r)
	for _, it := range s.items {
		if it.round == r.plan.Round && it.outstanding() && !it.overdue(s.Now) {
			need[it.Arm]--
		}
	}
	return need
}

// list makes the rows of some pulls, in their order, of one round: Round and Until are the last pull's.
func (s Moment) list(by string, items []*item) List {
	out := List{Campaign: s.Start.Name, By: by, Columns: s.Problem.Arms.Columns, Dialect: s.Problem.DialectOf(),
		Blocks: blockColumns(s.Problem), Words: s.Problem.Words()}
	for _, it := range items {
		out.Round, out.Until = it.round, it.until
		names, x := s.Problem.NamesOf(it.Arm), s.features(it.Arm)
		row := ListRow{ID: it.ID, Round: it.round, Plate: it.Plate, Position: it.Position, Block: it.Block, Task: names[0], Arm: names[1],
			X: x, Settings: s.settings(it.Arm), arm: it.Arm}
		if it.result != nil {
			reward := it.result.Reward
			row.Reward, row.Status = &reward, "known"
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// nothing returns a list without pulls, which says why. A file of it has the header of other lists.
func (s Moment) nothing(by string, round int, why Note) List {
	out := s.list(by, nil)
	out.Round, out.Note = round, why
	return out
}

// waiting says why there is nothing to hand out of the open round: it names who owes results of it.
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
	if n = s.givenUpNote(); n.Kind == "" {
		n.Kind = NoteNoPulls
	}
	return n
}

// someone names a person in a sentence.
func someone(by string) string {
	if by == "" {
		return "a person without a name (--by)"
	}
	return by
}

// Mine returns the pulls of the open round that this person was handed under an id that still counts, with their results
// and who recorded them. It includes rewards of these pulls that others recorded.
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

// lateAfter is the part of a unit of time after which a result that is still out counts as late. It is
// less than a whole unit, because people do not ask at the same minute every day.
const lateAfter = 0.5

// endsEarly reports whether a round that was cut to the capacity may end with the results so far: every pull of it was
// handed out, a result has come, and the missing ones were handed out more than lateAfter units of time ago. Rewards do
// not count in this rule, so that they cannot choose the results of a round. A posterior takes late results whole, and
// plans failed pulls again if they are still of use; a test needs the round that it planned. A round of a test is never
// cut, and so never ends so. Pulls of withdrawn arms need not be handed out.
func (s Moment) endsEarly(r *round) bool {
	q := s.Protocol
	q.Capacity = s.capacity(s.Protocol)
	return q.Cuts() && !s.complete(r) && len(r.results) > 0 &&
		!slices.ContainsFunc(r.list, func(x Slot) bool { return r.nobodys(x) && !s.withdrawn(x.Arm) }) &&
		!slices.ContainsFunc(s.order, func(it *item) bool {
			return it.round == r.plan.Round && it.outstanding() && s.Now.Sub(it.at) <= s.length(lateAfter)
		})
}

// failing reports whether all missing results of a round are of arms that are given up, and some results came. An
// algorithm that takes rounds only as it planned them waits for a person's decision.
func (s Moment) failing(r *round) bool {
	up := s.givenUp()
	if len(r.results) == 0 || !slices.Contains(up, true) {
		return false
	}
	_, missing := s.pulls(r)
	for i, n := range missing {
		if n > 0 && !up[i] {
			return false
		}
	}
	out := func(it *item) bool { return it.round == r.plan.Round && it.outstanding() }
	return !s.complete(r) && !slices.ContainsFunc(s.order, out) && !s.fixedRounds()
}

// CloseEarly returns the event that ends the open round with the results so far, if a request can only wait: for late
// results, see endsEarly, or for arms that give none (failing). It returns none if the asker still owes results of an
// earlier list. The folder asks for it before Ask, and plans the next round in between.
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
	case !q.Retry && s.failing(r):
		b.Early, b.Reason = false, "the missing pulls were tried again and gave no result"
	default:
		return nil
	}
	return []Event{NewEvent(KindClose, s.Now, q.By, b)}
}

// AskBody hands pulls of one round out to one person.
type AskBody struct {
	Round int       `json:"round"`          // which must be open
	Items []Item    `json:"items"`          // in the order of the list
	Until time.Time `json:"until,omitzero"` // when the pulls may be handed out again; zero is never
}

// Item is a pull that was handed out under an id.
type Item struct {
	ID string `json:"id"` // see NewID
	Slot
	Again string `json:"again,omitempty"` // the id that it replaces, which was failed or is overdue
}

// fold makes the pulls the asker's. An id is issued once in a campaign, and a pull (arm and number) once in a round: two programs
// that hand out at once meet here, at the latest, and the second one is not recorded.
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
			// from now on the old id awaits nothing
			old.replaced = x.ID
		}
		r.filled[[2]int{x.Arm, x.Number}] = true
		r.highest[x.Arm] = max(r.highest[x.Arm], x.Number)
	}
	s.people = lists.Add(s.people, e.By)
	return nil
}
