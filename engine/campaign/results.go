package campaign

import "fmt"

// TellBody records results.
type TellBody struct {
	Sheet   string         `json:"sheet,omitempty"` // name of the file
	SHA256  string         `json:"sha256,omitempty"`
	Results []ResultRecord `json:"results"`
}

// ResultRecord is one result. Rewards have the sign of the data.
type ResultRecord struct {
	ID      string   `json:"id,omitempty"`
	Arm     int      `json:"arm"`
	Number  int      `json:"number,omitempty"` // of its pull, by which rewards are summed
	Fills   []string `json:"fills,omitempty"`  // ids handed out of which it is the result, named by no id
	Slots   []int    `json:"slots,omitempty"`  // numbers of pulls that it fills, when it is of several
	Count   int      `json:"count,omitempty"`  // 0 means 1
	Reward  float64  `json:"reward"`           // mean of Count
	Squares float64  `json:"squares,omitempty"`
	Plate   string   `json:"plate,omitempty"` // where it was measured, when it is not the plate planned
	Row     int      `json:"row,omitempty"`   // of results without id: the place among those of the sheet
	Note    string   `json:"note,omitempty"`
	Sure    string   `json:"sure,omitempty"` // what spoke against the value, which was confirmed

	line int // of the sheet, while it is read
}

// sheetKey tells the rows of one sheet that have no ids from those of others. Phones and instruments call all
// their files alike, so that the name alone does not.
type sheetKey struct {
	attached bool
	name, by string
}

// fold takes results in: of the open round, of one that is over, or of none.
func (b *TellBody) fold(s *State, e Event) error {
	b.Sheet = Plain(b.Sheet)
	for _, x := range b.Results {
		x.Note, x.Plate, x.Sure = Plain(x.Note), Plain(x.Plate), Plain(x.Sure)
		m := &measured{ResultRecord: x, by: e.By, at: e.At, seq: e.Seq, sheet: b.Sheet, late: e.Kind == KindLate}
		if x.Sure != "" {
			s.note(e, fmt.Sprintf("%s confirmed as %g", x.named(), x.Reward), x.Sure)
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

// named returns the id of a result, or its pull and arm where it has none.
func (x ResultRecord) named() string {
	if x.ID != "" {
		return x.ID
	}
	return fmt.Sprintf("pull %d of arm %d", x.Number, x.Arm)
}
