package campaign

import "fmt"

func (s *State) addResults(e Event) error {
	var b TellBody
	if err := body(e, &b); err != nil {
		return err
	}
	b.Sheet = Plain(b.Sheet)
	for _, x := range b.Results {
		x.Note, x.Plate, x.Sure = Plain(x.Note), Plain(x.Plate), Plain(x.Sure)
		m := &measured{ResultRecord: x, by: e.By, at: e.At, seq: e.Seq, sheet: b.Sheet, late: e.Kind == KindLate}
		if x.Sure != "" {
			s.note(e, fmt.Sprintf("%s confirmed as %g", cmpName(x), x.Reward), x.Sure)
		}
		if x.ID == "" {
			key := sheetKey{e.Kind == KindAttach, b.Sheet, e.By}
			s.sheets[key] = append(s.sheets[key], m)
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

// sheetKey tells the rows of one sheet that have no ids from those of others. Phones and instruments call all
// their files alike, so that the name alone does not.
type sheetKey struct {
	attached bool
	name, by string
}

func cmpName(x ResultRecord) string {
	if x.ID != "" {
		return x.ID
	}
	return fmt.Sprintf("pull %d of arm %d", x.Number, x.Arm)
}
