package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Request says which pulls somebody asks for.
type Request struct {
	By    string
	Task  string // only pulls of this task; "" means any
	Count int    // 0 means the capacity of a unit of time, without one a plate, without one the round
	More  bool   // further pulls, though the asker has a list that is not told yet
}

// List is a list of pulls for the laboratory.
type List struct {
	Campaign string    `json:"campaign"`
	By       string    `json:"by"`
	Round    int       `json:"round"`
	Until    time.Time `json:"until,omitzero"`    // when what has no result may be handed out again
	Again    bool      `json:"again"`             // the same list as before, because it is not told yet
	Columns  []string  `json:"columns,omitempty"` // of the features of arms
	Rows     []ListRow `json:"rows"`
	Note     Note      `json:"note,omitzero"` // why it is empty
	// how a file of it is written: as the table that the problem was read from
	Dialect problem.Dialect `json:"dialect,omitzero"`
	// the events that the list rests on, see State.Chain
	Chain string `json:"chain,omitempty"`
}

// ListRow is one pull of a List.
type ListRow struct {
	ID       string    `json:"id"`
	Round    int       `json:"round"`
	Plate    int       `json:"plate,omitempty"`
	Position int       `json:"position,omitempty"`
	Task     string    `json:"task"`
	Arm      string    `json:"arm"`
	X        []float64 `json:"x,omitempty"` // features of the arm, in the order of List.Columns
	// the same as the table has them: text of categories, else numbers
	Settings []string `json:"settings,omitempty"`
	Reward   *float64 `json:"reward,omitempty"`
	Status   string   `json:"status,omitempty"` // "known" of a pull that has its result
	Note     string   `json:"note,omitempty"`

	arm int
}

// owed returns the pulls that somebody has and that have no result: his open list.
func (s *State) owed(by string) []*item {
	r := s.open()
	if r == nil {
		return nil
	}
	var out []*item
	for _, id := range s.order {
		if it := s.items[id]; it.by == by && it.round == r.plan.Round && it.outstanding() {
			out = append(out, it)
		}
	}
	return out
}

// outstanding reports whether a result is still awaited under this id.
func (it *item) outstanding() bool { return it.told == nil && it.failed == "" && it.replaced == "" }

// overdue reports whether the lease is over.
func (it *item) overdue(now time.Time) bool {
	return it.outstanding() && !it.until.IsZero() && now.After(it.until)
}

// Ask answers a request: with the list that the asker has and has not told, or with further pulls and
// the event that hands them out. A list without rows says why. The caller holds the lock, and
// records the event before anybody sees the list.
func (s *State) Ask(p Protocol, q Request, now time.Time) (List, []Event, error) {
	if err := s.checkTask(p, q.Task); err != nil {
		return List{}, nil, err
	}
	q.By = Plain(q.By)
	if mine := s.owed(q.By); !q.More && len(mine) > 0 && !slices.ContainsFunc(mine, func(it *item) bool { return it.overdue(now) }) {
		list := s.list(p, q.By, mine)
		list.Again = true
		return list, nil, nil
	}
	if s.done != nil {
		note := Note{Kind: NoteDecided}
		if decided, all := len(s.done.Decided), p.Problem.V(); decided < all {
			note = Note{Kind: NoteEnded, Names: []string{engine.Status(s.done.Status).Words()}, Numbers: []float64{float64(decided), float64(all)}}
		}
		return s.nothing(p, q.By, 0, note), nil, nil
	}
	body, err := s.ask(p, q, now)
	if err != nil {
		return List{}, nil, err
	}
	if len(body.Items) == 0 {
		return s.nothing(p, q.By, body.Round, s.waiting()), nil, nil
	}
	var items []*item
	for _, x := range body.Items {
		items = append(items, &item{Item: x, round: body.Round, by: q.By, until: body.Until})
	}
	return s.list(p, q.By, items), []Event{NewEvent(KindAsk, now, q.By, body)}, nil
}

// checkTask reports a task that is not among those of the problem.
func (s *State) checkTask(p Protocol, task string) error {
	if task != "" && !slices.Contains(p.Problem.Tasks.Names, task) {
		return fmt.Errorf("no task is called %q; there are %s", task, joined(p.Problem.Tasks.Names, 8))
	}
	return nil
}

// ask returns what to hand out now.
func (s *State) ask(p Protocol, q Request, now time.Time) (AskBody, error) {
	r := s.open()
	if r == nil {
		return AskBody{}, fmt.Errorf("no round is open")
	}
	task := slices.Index(p.Problem.Tasks.Names, q.Task)
	out := AskBody{Round: r.plan.Round, Until: p.until(now)}
	need := s.needed(r, now)
	taken := map[string]bool{}
	rng := newIDs()
	count := s.countFor(p, q, r)
	give := func(slot Slot, again string) {
		if len(out.Items) >= count || need[slot.Arm] <= 0 || (task >= 0 && p.Problem.TaskOf[slot.Arm] != task) {
			return
		}
		need[slot.Arm]--
		id := NewID(rng, func(id string) bool { return s.items[id] != nil || taken[id] })
		taken[id] = true
		out.Items = append(out.Items, Item{ID: id, Slot: slot, Again: again})
	}
	// pulls that come back, under numbers and on plates of their own
	next := map[int]int{}
	for _, id := range s.order {
		it := s.items[id]
		failed := it.failed != "" && it.replaced == "" && it.round == r.plan.Round && it.told == nil
		if it.round != r.plan.Round || !(failed || it.overdue(now)) {
			continue
		}
		slot := it.Slot
		slot.Plate, slot.Position = 0, 0
		slot.Number = r.highest[slot.Arm] + next[slot.Arm] + 1
		before := len(out.Items)
		if give(slot, id); len(out.Items) > before {
			next[slot.Arm]++
		}
	}
	for _, slot := range r.list {
		if r.filled[[2]int{slot.Arm, slot.Number}] == nil {
			give(slot, "")
		}
	}
	s.seat(p, r, out.Items)
	return out, nil
}

// seat gives pulls that came back places on plates behind those of the round.
func (s *State) seat(p Protocol, r *round, items []Item) {
	if r.plan.Plate == 0 {
		return
	}
	last, used := 0, 0
	if n := len(r.list); n > 0 {
		last = r.list[n-1].Plate
	}
	for _, it := range s.items {
		if it.round == r.plan.Round && it.Again != "" {
			used++
		}
	}
	for i := range items {
		if items[i].Again != "" {
			items[i].Plate, items[i].Position = last+1+used/r.plan.Plate, used%r.plan.Plate+1
			used++
		}
	}
}

// needed returns by arm how many pulls of the round nobody has.
func (s *State) needed(r *round, now time.Time) []int {
	need := slices.Clone(r.plan.Counts)
	for i := range need {
		if need[i] -= r.measuredOf(i); s.withdrawn(i) {
			need[i] = 0
		}
	}
	for _, it := range s.items {
		if it.round == r.plan.Round && it.outstanding() && !it.overdue(now) {
			need[it.Arm]--
		}
	}
	return need
}

// countFor returns how many pulls a request is for.
func (s *State) countFor(p Protocol, q Request, r *round) int {
	capacity := s.capacity(p)
	switch {
	case q.Count > 0:
		return q.Count
	case capacity > 0:
		return capacity
	case p.Plate > 0:
		return p.Plate
	}
	return len(r.list)
}

// capacity returns the capacity in force.
func (s *State) capacity(p Protocol) int {
	if s.Capacity >= 0 {
		return s.Capacity
	}
	return p.Capacity
}

// list makes the rows of some pulls.
func (s *State) list(p Protocol, by string, items []*item) List {
	out := List{Campaign: s.Start.Name, By: by, Columns: p.Problem.Arms.Columns, Dialect: p.Problem.DialectOf()}
	for _, it := range items {
		out.Round, out.Until = it.round, it.until
		row := ListRow{ID: it.ID, Round: it.round, Plate: it.Plate, Position: it.Position, arm: it.Arm}
		names := p.Problem.NamesOf(it.Arm)
		row.Task, row.Arm = names[0], names[1]
		row.X = p.features(it.Arm)
		row.Settings = p.settings(row.X)
		if it.told != nil {
			reward := it.told.Reward
			row.Reward, row.Status = &reward, "known"
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// nothing returns a list without pulls, which says why. A file of it has the header of other lists.
func (s *State) nothing(p Protocol, by string, round int, why Note) List {
	out := s.list(p, by, nil)
	out.Round, out.Note = round, why
	return out
}

// waiting says why there is nothing to hand out.
func (s *State) waiting() Note {
	r := s.open()
	if r == nil {
		return Note{Kind: NoteNoRound}
	}
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
	if len(n.Names) == 0 {
		return Note{Kind: NoteNoPulls}
	}
	return n
}

func someone(by string) string {
	if by == "" {
		return "somebody without a name (--by)"
	}
	return by
}

// Mine returns all pulls of the open round that somebody was handed under an id that still counts,
// with his results and who told them.
func (s *State) Mine(p Protocol, by string) List {
	by = Plain(by)
	r := s.open()
	if r == nil {
		return List{Campaign: s.Start.Name, By: by}
	}
	var own []*item
	for _, id := range s.order {
		if it := s.items[id]; it.by == by && it.round == r.plan.Round && (it.told != nil || it.outstanding()) {
			own = append(own, it)
		}
	}
	out := s.list(p, by, own)
	out.Round = r.plan.Round
	for i, it := range own {
		if it.told != nil {
			out.Rows[i].Note = someone(it.told.by)
		}
	}
	return out
}
